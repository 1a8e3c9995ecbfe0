"""The order in which a pyramid's bids are best spent: hands, what they take, and what to bid."""

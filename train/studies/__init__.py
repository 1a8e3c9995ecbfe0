"""What is known of the order in which a pyramid's bids are best spent."""

"""How fast everything is, beside named peers in the same run."""

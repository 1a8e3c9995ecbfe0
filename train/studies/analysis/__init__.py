"""What a study works out of an outcome table."""

"""Building outcome tables: by double dummy, or by play between two agents."""

"""What both games are made of: cards, tricks, random numbers, layouts, checks."""

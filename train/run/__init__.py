"""What every command shares: provenance, console, rules, unfinished work, the look of plots."""

"""What a study shows: answers, plots, tables, the report."""

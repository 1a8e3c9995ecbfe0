"""What every Pyramid hand takes: classes of hands, outcome tables, their files."""

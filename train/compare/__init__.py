"""Comparing agents: duplicate play, and intervals that hold."""

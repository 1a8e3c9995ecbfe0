"""Exact solvers: what a deal is worth when every hand is open."""

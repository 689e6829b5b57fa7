"""Measurements of strategies, the counts they are taken from, and the intervals of rates."""

"""Placing hunks: the line of a file at which each hunk of a patch goes."""

"""Placing hunks: where in a file each hunk of a patch goes."""

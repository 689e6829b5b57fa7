"""Calls of anchored formats: text -> `Call`s, one per file; one grammar a file."""

"""Families of inputs that grow: edits, patches and pairs of texts at any size."""

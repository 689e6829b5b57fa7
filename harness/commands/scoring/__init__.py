"""Commands that score strategies."""

"""Commands that fuzz, and that make a failing input smaller."""

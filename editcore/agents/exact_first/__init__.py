"""Agents of 2026 that look for the exact text first, and forgive a little after that, or nothing."""

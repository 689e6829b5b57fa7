"""Replay: recorded sessions re-run through the tools, and how each call's outcome differs."""

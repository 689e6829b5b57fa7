"""Recorded sessions, re-run through the tools: how the result of each call differs from the recorded one."""

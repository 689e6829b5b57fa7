"""Recorded sessions, re-run through the tools: each call's result is compared with the recorded one."""

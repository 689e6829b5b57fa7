"""The log formats, one agent per file; a file named after its agent and something else is part of that agent's."""

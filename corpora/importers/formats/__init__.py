"""The log formats of agents, one file per agent."""

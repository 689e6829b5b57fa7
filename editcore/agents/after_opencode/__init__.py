"""Agents that began with OpenCode's replacers, and what each made of them."""

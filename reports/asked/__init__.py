"""Advice from a model's replies to tasks: the format it should write, and the rule that applies it best."""

"""How aider applies unified diffs: its rule, and the pieces that the rule is made of."""

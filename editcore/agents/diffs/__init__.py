"""How other agents apply unified diffs: aider's rule, and the pieces that it is made of."""

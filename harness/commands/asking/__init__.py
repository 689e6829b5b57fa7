"""Commands that ask a model, and the answer they give."""

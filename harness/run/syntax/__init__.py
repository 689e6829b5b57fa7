"""The severity of a wrong edit, from the syntax trees of the right text and the given text."""

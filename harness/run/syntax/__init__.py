"""How bad a wrong edit is, from the syntax trees of the right text and of the given one."""

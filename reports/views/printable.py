"""Text for a terminal, and for whatever else takes no control characters."""


def printable(text: str) -> str:
    """The text with what a terminal would obey, or cannot show, written as escapes."""
    return "".join(
        character if character == "\t" or character.isprintable() else ascii(character)[1:-1] for character in text
    )

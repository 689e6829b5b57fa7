"""Search/replace blocks, as models write them into their answers.

path/of/file.py
<<<<<<< SEARCH
the old lines
=======
the new lines
>>>>>>> REPLACE
"""

from __future__ import annotations

import re

from editcore.types import Edit

_BLOCK = re.compile(
    r"^<{5,9} ?SEARCH>?[^\n]*\n(?P<old>(?:(?!={5,9}[ \t\r]*$)[^\n]*\n)*?)^={5,9}[ \t\r]*\n"
    r"(?P<new>(?:(?!>{5,9} ?REPLACE)[^\n]*\n)*?)^>{5,9} ?REPLACE[^\n]*$",
    re.MULTILINE,
)


def blocks(text: str) -> list[Edit]:
    """The well-formed blocks in a text as edits, in order; each side keeps the line feed that ends its last line.

    File names and fences are not read.
    """
    return [Edit(block["old"], block["new"]) for block in _BLOCK.finditer(text)]

"""Anchored edits: formats that name lines by number and hash instead of repeating them.

>>> from editcore.anchors import apply_anchored, show
>>> print(show("a = 1\\nb = 2\\n", "hashline_h4", path="x.py"))
[x.py#3AE6]
1:a = 1
2:b = 2
>>> apply_anchored({"x.py": "a = 1\\nb = 2\\n"}, "[x.py#3AE6]\\nPUT 2.=2:\\n+b = 3\\n", "hashline_h4").content
'a = 1\\nb = 3\\n'
"""

from __future__ import annotations

from editcore.anchors.apply import DEFAULT, apply_anchored
from editcore.anchors.rules import ANCHOR_RULES, READINGS
from editcore.anchors.views import VIEWS, show

__all__ = ["ANCHOR_RULES", "DEFAULT", "READINGS", "VIEWS", "apply_anchored", "show"]

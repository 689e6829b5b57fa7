"""Anchored edits: formats that name lines by number and hash instead of repeating them.

>>> from editcore.anchors import show
>>> print(show("a = 1\\nb = 2\\n", "hashline_h4", path="x.py"))
[x.py#3AE6]
1:a = 1
2:b = 2
"""

from __future__ import annotations

from editcore.anchors.views import VIEWS, show

__all__ = ["VIEWS", "show"]

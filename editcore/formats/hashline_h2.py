"""`hashline_h2`: calls in JSON that name lines as `12#VK`, by number and two letters of hash.

{"filePath": "a.py", "edits": [{"op": "replace", "pos": "12#VK", "lines": ["x = 2"]}]}
"""

from __future__ import annotations

from editcore.formats.anchored import anchored

HASHLINE_H2 = anchored("hashline_h2")

"""`hashline_h4`: sections that name the text of a file by a hash, and its lines by their numbers.

[a.py#3AE6]
PUT 12.=12:
+x = 2
"""

from __future__ import annotations

from editcore.formats.anchored import anchored

HASHLINE_H4 = anchored("hashline_h4", several_files=True)

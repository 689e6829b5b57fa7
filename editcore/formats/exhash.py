"""`exhash`: commands in JSON, made in order, that name lines as `12|vN|`.

{"path": "a.py", "cmds": [["12|vN|", "c", "x = 2"]]}
"""

from __future__ import annotations

from editcore.formats.anchored import anchored

EXHASH = anchored("exhash")

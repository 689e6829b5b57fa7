"""A command as a strategy, whose behaviour changes from one night to the next."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from tests.harness.program import ROOT

EDITOR = f"""
import json, sys, time
from pathlib import Path

sys.path.insert(0, {str(ROOT / "tests" / "harness")!r})
from exact import answer

here = Path(__file__).parent
for line in sys.stdin:
    mood, request = (here / "mood").read_text(), json.loads(line)
    [file], [edit, *_] = request["before"], request["edits"]
    with (here / "asked").open("a") as asked:
        print(edit["old_string"], file=asked)
    found = answer(request)
    if mood == "stuck" and edit["old_string"] == "y = 5":
        time.sleep(600)
    elif found.get("reason") == "ambiguous":
        if mood == "crashing":
            sys.exit("ValueError: which one?")
        if mood == "hasty":
            content = file["content"].replace(edit["old_string"], edit["new_string"], 1)
            found = {{"status": "applied", "after": [{{**file, "content": content}}], "replacer": "first"}}
    print(json.dumps({{"id": request["id"], **found}}), flush=True)
"""


def editor_in(folder: Path) -> str:
    """What -s takes for the command in this folder, whose mood is in a file beside it."""
    (folder / "edit.py").write_text(EDITOR)
    return f"cmd:mine={shlex.join([sys.executable, '-S', str(folder / 'edit.py')])}"

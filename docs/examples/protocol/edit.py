"""A strategy in Python: it replaces an exact and unique match.

editgauge protocol check 'python3 edit.py'
"""

import json
import sys


def answer(request):
    file, content = request["before"][0], request["before"][0]["content"]
    for edit in request["edits"]:
        old, new = edit["old_string"], edit["new_string"]
        n = content.count(old)
        if not old or old == new or n == 0 or (n > 1 and not edit.get("replace_all")):
            reason = "identical" if old == new else "empty" if not old else "ambiguous" if n else "no_match"
            return {"status": "rejected", "reason": reason, "message": f"old_string stands in {n} places"}
        content = content.replace(old, new)
    return {"status": "applied", "after": [{"path": file["path"], "content": content}]}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **answer(request)}), flush=True)

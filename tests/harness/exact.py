"""A command that speaks docs/protocol.md: the exact, unique match. Run as a program, by tests."""

import json
import sys


def answer(request):
    [file] = request["before"]
    content = file["content"]
    for edit in request["edits"]:
        old, new = edit["old_string"], edit["new_string"]
        if old == new:
            return {"status": "rejected", "reason": "identical"}
        if not old:
            return {"status": "rejected", "reason": "empty"}
        at = content.find(old)
        if at < 0:
            return {"status": "rejected", "reason": "no_match"}
        if edit["replace_all"]:
            content = content.replace(old, new)
        elif content.find(old, at + 1) >= 0:
            return {"status": "rejected", "reason": "ambiguous"}
        else:
            content = content[:at] + new + content[at + len(old) :]
    return {"status": "applied", "after": [{**file, "content": content}]}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **answer(request)}), flush=True)

"""A port of `cascade/recommended`, as somebody might write one, with a bug for each word of its command line."""

from __future__ import annotations

import json
import sys

from editcore import Applied, Cascade, Edit, apply_edit


def main() -> None:
    bugs = sys.argv[1:]
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"id": asked["id"], **_answer(asked, bugs)}), flush=True)


def _answer(asked: dict, bugs: list[str]) -> dict:  # type: ignore[type-arg]
    [file] = asked["before"]
    content, is_block = file["content"], asked["format"] == "search_replace"
    tiers = tuple(asked.get("tiers", ()))
    cascade = Cascade("asked", tiers=tiers) if tiers else "recommended"
    for one in asked["edits"]:
        edit = Edit(**one)
        result = apply_edit(content, edit, cascade, whole_lines=is_block, path=file["path"])
        if not isinstance(result, Applied):
            reason = str(result.reason)
            if "first" in bugs and reason == "ambiguous" and edit.old_string in content:
                content = content.replace(edit.old_string, edit.new_string, 1)
                continue
            if "identical" in bugs and reason == "identical":
                reason = "no_match"
            return {"status": "rejected", "reason": reason}
        content = result.content or ""
    if "crlf" in bugs:
        content = content.replace("\r\n", "\n")
    return {"status": "applied", "after": [{"path": file["path"], "content": content}]}


if __name__ == "__main__":
    main()

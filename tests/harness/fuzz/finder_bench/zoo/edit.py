"""A correct program for four formats: whole lines that are there exactly once, and nothing else. See `FLAWED`."""

import json
import re
import sys


class Refused(Exception):
    pass


def name_of(path):
    parts = path.split("/")
    if any(part in ("", ".", "..", "~") or "\0" in part for part in parts):
        raise Refused("outside_workspace")
    return path


def envelope(lines):
    """Sections [action, path, path to move to, hunks] of a Begin/End Patch; a hunk is [anchor, line, rows]."""
    sections = []
    if lines[:1] != ["*** Begin Patch"] or lines[-2:] != ["*** End Patch", ""]:
        raise Refused("malformed")
    for line in lines[1:-2]:
        head = re.match(r"\*\*\* (Add|Update|Delete) File: (.+)", line)
        if head:
            sections.append([head[1], name_of(head[2]), name_of(head[2]), []])
        elif line.startswith("*** Move to: ") and sections and not sections[-1][3]:
            sections[-1][2] = name_of(line[13:])
        elif re.match("@@( |$)", line) and sections:
            sections[-1][3].append([line[3:], None, []])
        elif line[:1] in ("+", "-", " ") and line and sections:
            if not sections[-1][3]:
                sections[-1][3].append(["", None, []])
            sections[-1][3][-1][2].append(line)
        elif line != "*** End of File":
            raise Refused("malformed")
    return sections


def diff(lines):
    """The same of a unified diff; a hunk has its line, and whether its last line has a line feed, if it says so."""
    sections, n = [], 0
    while n < len(lines):
        head = re.match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", lines[n])
        if lines[n].startswith("rename from ") and lines[n + 1 : n + 2]:
            sections.append(["Update", name_of(lines[n][12:]), name_of(lines[n + 1][10:]), []])
        elif lines[n].startswith("--- ") and "".join(lines[n + 1 : n + 2]).startswith("+++ "):
            old, new = [re.sub("^[ab]/", "", line[4:]) for line in lines[n : n + 2]]
            action = "Add" if old == "/dev/null" else "Delete" if new == "/dev/null" else "Update"
            path = name_of(new if action == "Add" else old)
            if not sections or sections[-1][1] != path or sections[-1][3]:
                sections.append([action, path, path if action == "Delete" else name_of(new), []])
            n += 1
        elif head and sections:
            left = [1 if count is None else int(count) for count in head.groups()[1:]]
            rows, feeds = [], []
            while any(left) or lines[n + 1 : n + 2] == ["\\ No newline at end of file"]:
                n += 1
                row = lines[n] if n < len(lines) and lines[n] else "?"
                if row[0] == "\\" and rows:
                    feeds.append(rows[-1][0])
                    continue
                if row[0] not in "+- " or (row[0] != "+" and not left[0]):
                    raise Refused("malformed")
                rows.append(row)
                left = [left[0] - (row[0] != "+"), left[1] - (row[0] != "-")]
            sections[-1][3].append(["", int(head[1]) - 1, rows, *([not {"+", " "} & {*feeds}] if feeds else [])])
        elif lines[n][:1] in ("+", "-", " ", "@", "\\"):
            raise Refused("malformed")
        n += 1
    return sections


def blocks(lines, files):
    """The same of search/replace blocks: each is a section with one hunk."""
    sections, above, block, mark = [], None, None, None
    for line in lines:
        if line == "<<<<<<< SEARCH" and block is None:
            block, mark = [], "-"
        elif line == "=======" and mark == "-":
            mark = "+"
        elif line == ">>>>>>> REPLACE" and mark == "+":
            path = above or (next(iter(files)) if len(files) == 1 else "")
            sections.append(["Update", name_of(path), path, [["", None, block]]])
            above, block, mark = None, None, None
        elif re.match("<{7}|={7}$|>{7}", line):
            raise Refused("malformed")
        elif block is not None:
            block.append(mark + line)
        elif line.strip():
            above = line.strip()
    if block is not None:
        raise Refused("malformed")
    return sections


def changed(text, hunks):
    """The text after hunks, in their order."""
    if "\r" in text and not any("\r" in row for hunk in hunks for row in hunk[2]):
        raise Refused("no_match")
    ended = text.endswith("\n") or not text
    lines = text.split("\n")[:-1] if ended else text.split("\n")
    out, at = [], 0
    for anchor, line, rows, *feed in hunks:
        old = [row[1:] for row in rows if row[0] != "+"]
        new = [row[1:] for row in rows if row[0] != "-"]
        if not old or (anchor and anchor not in lines[at:]):
            raise Refused("no_match")
        start = lines.index(anchor, at) + 1 if anchor else at
        places = [n for n in range(start, len(lines) - len(old) + 1) if lines[n : n + len(old)] == old]
        stated = [n for n in places if n == line] or places
        if len(stated) != 1:
            raise Refused("ambiguous" if stated else "no_match")
        place = stated[0]
        out += lines[at:place] + new
        at = place + len(old)
        ended = feed[0] if feed else ended
    out += lines[at:]
    return "\n".join(out) + ("\n" if ended and out else "")


def patched(files, sections):
    """The files after sections."""
    for action, path, to, hunks in sections:
        if (path in files) == (action == "Add") or (to != path and to in files):
            raise Refused("not_allowed" if path in files else "not_found")
        rows = [row for hunk in hunks for row in hunk[2]]
        if action == "Add":
            is_ended = not any(hunk[3:] == [False] for hunk in hunks)
            files[path] = "\n".join([row[1:] for row in rows]) + "\n" * is_ended
            continue
        text = files.pop(path)
        if action == "Update":
            files[to] = changed(text, hunks)
        elif hunks and changed(text, hunks):
            raise Refused("no_match")
    return files


def replaced(text, edits):
    """The text after pairs, in their order."""
    for edit in edits:
        old, new = edit["old_string"], edit["new_string"]
        n = sum(text.startswith(old, at) for at in range(len(text)))
        if not old or old == new or not n or (n > 1 and not edit["replace_all"]):
            raise Refused("ambiguous" if n > 1 else "no_match")
        text = text.replace(old, new)
    return text


def answer(request):
    files = {file["path"]: file["content"] for file in request["before"]}
    before = dict(files)
    if request["format"] == "str_replace":
        path = next(iter(files))
        files[path] = replaced(files[path], request["edits"])
    else:
        lines = request["patch"].split("\n")
        read = {"begin_patch": envelope, "unified_diff": diff}.get(request["format"])
        files = patched(files, read(lines) if read else blocks(lines, files))
    if files == before:
        raise Refused("identical")
    return files


for request in map(json.loads, sys.stdin):
    try:
        after = [{"path": path, "content": text} for path, text in answer(request).items()]
        result = {"status": "applied", "after": after}
    except Refused as refused:
        result = {"status": "rejected", "reason": str(refused), "message": str(refused)}
    print(json.dumps({"id": request["id"], **result}), flush=True)

"""Fuzz target: sessions of calls on one file that others change in between. A number means the line shown under it.

    read              1: go()   2: end     each line has an identity, which `known_lines` keeps without comparing texts
    insert            a line above         another hand writes the file
    insert_at 2       below the line `end` as it was shown: that is the third line now

Calls name numbers, anchors and texts of any reading so far, be it partial or old. The last reading that showed a number
or a text decides what is meant, and an answer that shows lines is a reading. A call must leave the file that the model
expects, or be refused and leave it as it was. It must be refused if another hand has removed or reworded a line that it
changes. It must be made if it names lines by number and nobody but the session has changed the file since the reading.

The session knows what answers said: a line that a note of others' changes names as gone, or that a later reading leaves
out, is not meant any more. Not judged are edits of every place with a vague line, and lines that are put back as new.
"""

from __future__ import annotations

import atexit
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from editcore.host.tools import TOOLS, Agent, Context, Host, Registry
from editcore.host.workspace import Workspace
from harness.fuzz.finding import Violation
from harness.fuzz.inputs import PATH, Fields
from harness.fuzz.targets.known_lines import OTHERS, POOL, Change, File, Line, Shown, squeezed

_N_STEPS = 30
_ROWS = {
    "numbers": re.compile(r"(\d+): (.*)"),
    "hashline_h2": re.compile(r"(\d+)#\w\w\|(.*)"),
    "hashline_h4": re.compile(r"(\d+):(.*)"),
}
"""What `read` shows in front of lines -> a line as it shows it."""
_TAG = re.compile(r"\[[^#]*#(\w+)\]")
_NAMED = re.compile(r"\blines? (\d+(?:(?:-|, | to | and )\d+)*)")
_STEP = re.compile(r"(\w+) (\d{1,9})")


def session(rng: Random) -> Fields:
    """How lines are shown, the text of a file, and steps: a name, and the seed of what it does."""
    rows = []
    for n in range(rng.randint(2, 6)):
        body = [rng.choice(POOL) if rng.random() < 0.7 else f"    call{n}({at})" for at in range(rng.randint(1, 6))]
        rows += [f"def f{n}() {{", *body, "}", ""]
    weights = [weight for weight, _ in (*CALLS.values(), *OTHERS.values())]
    names = ["read", *rng.choices([*CALLS, *OTHERS], weights, k=_N_STEPS - 1)]
    steps = [f"{name} {rng.randrange(10_000)}" for name in names]
    return (rng.choice([*_ROWS]), "".join(f"{row}\n" for row in rows), *steps)


def calls_mean_shown_lines(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """The first call of a session that leaves another file than the model expects, if there is one."""
    mode, text = (*fields, "", "")[:2]
    if mode not in _ROWS or not text.endswith("\n") or not all(row.isprintable() for row in text.split("\n")):
        return ()
    one = _Session(mode, text)
    for step in map(_STEP.fullmatch, fields[2:]):
        found = one.take(step[1], Random(int(step[2]))) if step else None
        if found is not None:
            return (found,)
    return ()


@cache
def _workspace() -> Workspace:
    folder = Path(tempfile.mkdtemp(prefix="editgauge-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "workspace").mkdir()
    return Workspace(folder / "workspace", durable=False, lock_directory=folder / "locks")


class _Session:
    def __init__(self, mode: str, text: str) -> None:
        workspace = _workspace()
        self.mode, self.path = mode, Path(workspace.root, PATH)
        self.file = File([Line(row) for row in text.split("\n")[:-1]])
        self.registry = Registry(Host(workspace, anchors=None if mode == "numbers" else mode), TOOLS)
        self.context, self.agent = Context(session_id="s"), Agent()
        self.numbers: dict[int, Shown] = {}
        """Number -> the line that was last shown under it."""
        self.anchors: dict[tuple[str, int], Shown] = {}
        """A tag of H4 or a whole anchor of H2, and the number -> the line that was last shown with it."""
        self.readings: list[dict[int, Shown]] = []
        """The lines that each reading showed, by number; the last reading is the last one."""
        self.by_read: dict[int, Shown] = {}
        """The last reading by `read`, and the file then."""
        self.data_read = b""
        self.known_texts: list[dict[int, Shown]] = []
        """The readings, and the whole file each time that the session was told all changes by others."""
        self.latest: dict[int, Shown | None] = {}
        """Identity of a line -> how it was last shown; None if the session was told that it is gone."""
        self.n_texts = 0
        self.path.write_bytes(self.file.data)

    def take(self, name: str, rng: Random) -> Violation | None:
        """The violation of one step, if there is one."""
        self.file.time += 1
        if name in CALLS:
            return CALLS[name][1](self, rng)
        if name in OTHERS and self.file.lines:
            start = rng.randrange(len(self.file.lines))
            stop = min(start + rng.randint(1, 5), len(self.file.lines))
            OTHERS[name][1](self.file, start, stop, rng)
            if self.file.data.splitlines() != self.path.read_bytes().splitlines():
                self.file.changed_by_others = self.file.time
            self.path.write_bytes(self.file.data)
        return None

    # What a call names

    def run(self, rng: Random, most: int) -> list[Shown]:
        """Lines that were shown together and last under their numbers; none if none was shown."""
        return _following(self.numbers, rng.choice(sorted(self.numbers)), rng.randint(1, most)) if self.numbers else []

    def known(self, texts: Sequence[str]) -> list[list[Shown]]:
        """The runs of lines with these texts in the last reading that showed them, if not changed since.

        None if the text is in longer lines, too.
        """
        for reading in reversed(self.known_texts):
            stretches = [_following(reading, n, len(reading)) for n in reading if n - 1 not in reading]
            n_places = sum("\n".join(one.text for one in stretch).count("\n".join(texts)) for stretch in stretches)
            if n_places:
                runs = [_following(reading, n, len(texts)) for n in reading]
                runs = [run for run in runs if [one.text for one in run] == list(texts)]
                if len(runs) != n_places:
                    return []
                if left := [run for run in runs if not any(map(self.is_mine, run))]:
                    return [run for run in left if not self.has_split(run)]
        return []

    def is_mine(self, one: Shown) -> bool:
        """True if the session has changed the line since it was shown, or knows that it went or is another one now."""
        latest = self.latest.get(id(one.line), one)
        if latest is None or latest.text != one.text:
            return True
        return one.line.touched >= one.time and not (one.line in self.file.lines and one.line.text == one.text)

    def has_split(self, run: Sequence[Shown]) -> bool:
        """True if the session has put lines between lines of a run."""
        at = {id(line): n for n, line in enumerate(self.file.lines)}
        places = [at.get(id(one.line), -1) for one in run]
        between = (self.file.lines[above + 1 : below] for above, below in pairwise(places) if 0 <= above < below)
        return any(line.touched >= run[0].time for lines in between for line in lines)

    def whole(self, reading: Mapping[int, Shown]) -> list[Shown]:
        """All lines that the file had at a reading."""
        return self.file.readings[next(iter(reading.values())).time] if reading else []

    def change(self, run: Sequence[Shown], rng: Random) -> Change:
        """A change within a run of lines: a line is changed, removed or added, or all of them are replaced."""
        at = rng.randrange(len(run))
        start, stop, new = rng.choice([(at, at + 1, 1), (at, at, 1), (at, at + 1, len(run) == 1), (0, len(run), 1)])
        return Change(run, start, stop, self.texts(rng) if new else [])

    def texts(self, rng: Random, most: int = 3) -> list[str]:
        """New lines, some of them equal to others of the file."""
        self.n_texts += 1
        n = range(rng.randint(1, most))
        return [rng.choice(POOL[2:]) if rng.random() < 0.2 else f"    mine{self.n_texts}({at})" for at in n]

    # Calls

    def call(
        self, tool: str, params: Mapping[str, Any], changes: Sequence[Change] = (), wanted: Sequence[list[Line]] = (),
        *, by_number: bool = False,
    ) -> Violation | None:  # fmt: skip
        """Make a call, which may leave one of the files `wanted`, or be refused."""
        file, before, wrong = self.file, self.file.data, ""
        result = self.registry.call(self.agent, tool, self.context, params)
        data = self.path.read_bytes()
        left = next((lines for lines in wanted if self._has(lines, data)), None)
        if data == before and (result.is_refused or not wanted):
            named = [one for change in changes for one in change.lines]
            is_known = all(max(one.line.touched, file.changed_by_others) < one.time for one in named)
            is_known &= all(
                "mine" in text for change in changes for text in change.new
            )  # Others may be called repeated.
            wrong = "is refused" if by_number and wanted and is_known and result.is_error else ""
        elif left is None or result.is_error:
            wrong = "is made at another line" if wanted else "is made at a line that is gone or reworded"
        else:
            file.take(left, changes, by_number=by_number)
            if tool == "write":  # Who writes a whole file knows its lines.
                file.time += 1
                self._keep({number: file.shown(number - 1) for number in range(1, len(file.lines) + 1)})
                # A short hash: another line may have the anchor.
                lost = [key for key, one in self.anchors.items() if one.line not in file.lines[key[1] - 1 :][:1]]
                for key in lost:
                    del self.anchors[key]
        file.time += 1
        wrong = wrong or self._read(result.output, tool)
        detail = f"{tool} {wrong}: {json.dumps(params)} -> {result.output[:200]!r}"
        return Violation("calls_mean_shown_lines", f"{tool}: {wrong}", detail) if wrong else None

    def _has(self, lines: Sequence[Line], data: bytes) -> bool:
        """True if these lines are in the file. Whitespace of new lines may be fitted to the file, and is taken over."""
        rows, old = data.decode().split(self.file.ending), {id(line) for line in self.file.lines}
        pairs = list(zip(rows, lines, strict=False))
        if len(rows) != len(lines) + 1 or any(
            row != line.text and (id(line) in old or squeezed(row) != squeezed(line.text)) for row, line in pairs
        ):
            return False
        for row, line in pairs:
            line.text = row
        return True

    def _read(self, output: str, tool: str) -> str:
        """Keep the lines that an output shows as a reading. Numbers that it only mentions are not used any more."""
        file, reading, tag, wrong = self.file, dict[int, Shown](), "", ""
        if tool == "edit_patch":
            answer = json.loads(output)
            output = f"{answer.get('error', '')}\n{answer.get('detail', '')}"
        for row in output.split("\n"):
            tag = found[1] if (found := _TAG.fullmatch(row)) else tag
            mentioned = _mentioned(row) if tool != "read" else set[int]()
            # A note above the anchored lines of an answer has plain numbers.
            is_anchored = tool in ("read", "edit_lines") and (tag != "" or "|" in row)
            if found := _ROWS[self.mode if is_anchored else "numbers"].fullmatch(row):
                if (n := int(found[1])) <= len(file.lines) and file.lines[n - 1].text == found[2]:
                    reading[n] = file.shown(n - 1)
                    if is_anchored and self.mode != "numbers":
                        self.anchors[tag or row.partition("|")[0], n] = reading[n]
                    continue
                mentioned.add(n)
                wrong = "" if tool != "read" else "shows a line that is not there"
            for n in mentioned & self.numbers.keys():
                if self.numbers[n].line not in file.lines[n - 1 : n]:
                    del self.numbers[n]
        self._keep(reading)
        if reading:
            self._miss({id(one.line) for one in reading.values()})
        if "Note: others changed" in output:
            self._hear(output)
        if tool == "read" and reading:
            self.by_read, self.data_read = reading, file.data
        return wrong

    def _hear(self, output: str) -> None:
        """Keep what an answer says of changes by others: all lines of the file, or the lines that went."""
        there = {id(line) for line in self.file.lines}
        gone = {row[2:] for row in output.split("\n") if row[:2] == "- "}
        is_whole = "more lines: read the file" not in output
        for key, one in self.latest.items():
            is_left = one is None or (key in there and one.line.text == one.text)
            if one is not None and not is_left and (is_whole or one.text in gone):
                self.latest[key] = None
        for line in () if is_whole else (line for line in self.file.lines if line.text in gone):
            line.vague = self.file.time  # A line that moved: the note leaves out where it is now.
        if is_whole:
            whole = {n: self.file.shown(n - 1) for n in range(1, len(self.file.lines) + 1)}
            self.latest |= {id(one.line): one for one in whole.values()}
            self.known_texts.append(whole)

    def _miss(self, shown: set[int]) -> None:
        """Lines are gone if a reading shows the lines that were above and below them, or an end of the file."""
        there = {id(line) for line in self.file.lines}
        for key, one in self.latest.items():
            if one is not None and key not in there:
                then = [id(other.line) for other in self.file.readings[one.time]]
                above = next((line for line in reversed(then[: one.number]) if line in there), id(self.file.lines[0]))
                below = next((line for line in then[one.number :] if line in there), id(self.file.lines[-1]))
                if above in shown and below in shown:
                    self.latest[key] = None

    def _keep(self, reading: dict[int, Shown]) -> None:
        self.latest |= {id(one.line): one for one in reading.values()}
        if self.mode == "hashline_h2":  # An equal line under the same number has the same anchor.
            for key, old in self.anchors.items():
                if (one := reading.get(key[1])) and one.text == old.text:
                    self.anchors[key] = one
        if reading:
            self.numbers |= reading
            self.readings.append(reading)
            self.known_texts.append(reading)


def _following(shown: Mapping[int, Shown], first: int, most: int) -> list[Shown]:
    """At most so many lines from a number on, which one reading showed."""
    run = [shown[first]]
    while len(run) < most and (one := shown.get(first + len(run))) and one.time == run[0].time:
        run.append(one)
    return run


def _mentioned(row: str) -> set[int]:
    parts = [
        part.replace(" to ", "-").split("-") for found in _NAMED.findall(row) for part in re.split(", | and ", found)
    ]
    return {n for part in parts for n in range(int(part[0]), int(part[-1]) + 1)}


# The calls


def _read_part(one: _Session, rng: Random) -> Violation | None:
    offset = rng.randint(1, max(len(one.file.lines), 1))
    return one.call("read", {"filePath": PATH, "offset": offset, "limit": rng.randint(1, 12)})


def _insert_at(one: _Session, rng: Random) -> Violation | None:
    if not (run := one.run(rng, 1)) or one.file.is_vague(run[0]):
        return None
    change = Change(run, 1, 1, one.texts(rng))
    params = {"path": PATH, "line": run[0].number, "content": "\n".join(change.new)}
    return one.call("insert_at", params, [change], one.file.edited(change, is_below=True), by_number=True)


def _insert_unshown(one: _Session, rng: Random) -> Violation | None:
    """A line that no reading showed has no number."""
    unshown = {*range(1, len(one.file.lines) + 1)}.difference(*one.readings)
    if not unshown:
        return None
    return one.call("insert_at", {"path": PATH, "line": rng.choice(sorted(unshown)), "content": "    mine()"})


def _by_number(one: _Session, run: Sequence[Shown], rng: Random) -> Change | None:
    """New lines below the first line of a run, or in place of all; None if the session cannot mean these."""
    is_below = rng.random() < 0.3
    change = Change(run[:1], 1, 1, one.texts(rng)) if is_below else Change(run, 0, len(run), one.texts(rng))
    is_mine = not is_below and any(map(one.is_mine, run))
    return None if is_mine or any(map(one.file.is_vague, change.lines)) or change.is_partly_kept else change


def _hunk(one: _Session, rng: Random) -> Violation | None:
    """A hunk without context: its numbers alone say where it belongs."""
    if not (run := one.run(rng, 3)) or not (change := _by_number(one, run, rng)):
        return None
    old, number = change.before[change.start : change.stop], run[0].number
    head = f"@@ -{number},{len(old)} +{number if old else number + 1},{len(change.new)} @@"
    patch = "\n".join([head, *(f"-{text}" for text in old), *(f"+{text}" for text in change.new), ""])
    wanted = one.file.edited_by_text(change, is_below=not old)
    return one.call("patch_file", {"path": PATH, "patch": patch}, [change], wanted, by_number=True)


def _edit_lines(one: _Session, rng: Random) -> Violation | None:
    if one.mode == "numbers" or not one.anchors:
        return None
    tag, number = rng.choice([*one.anchors])
    reading = {n: line for (other, n), line in one.anchors.items() if other == tag or one.mode == "hashline_h2"}
    reading[number] = one.anchors[tag, number]
    run = _following(reading, number, rng.randint(1, 3))
    if not (change := _by_number(one, run, rng)):
        return None
    if one.mode == "hashline_h4":
        head = f"PUT >{number}:" if change.start else f"PUT {number}.={number + len(run) - 1}:"
        params: dict[str, Any] = {"patch": "\n".join([f"[{PATH}#{tag}]", head, *(f"+{text}" for text in change.new)])}
    else:
        end = next(other for (other, _), line in one.anchors.items() if line is run[-1])
        edit = {"op": "append", "pos": tag} if change.start else {"op": "replace", "pos": tag, "end": end}
        params = {"filePath": PATH, "edits": [{**edit, "lines": change.new}]}
    wanted = one.file.edited_by_text(change, is_below=change.start > 0)
    return one.call("edit_lines", params, [change], wanted, by_number=True)


def _occurrence(one: _Session, rng: Random) -> Violation | None:
    """One of all places of a text, counted in the reading that last showed it."""
    if not (run := one.run(rng, 1)) or not (old := run[0].text.strip()):
        return None
    showing = [reading for reading in one.readings if any(old in shown.text for shown in reading.values())]
    number = rng.choice([-1, 1, 1, 2, 2, 3])
    meant = set[tuple[int, int] | None]()
    for reading in (showing[-1], one.by_read):
        whole = [(shown, nth) for shown in one.whole(reading) for nth in range(shown.text.count(old))]
        for places in (whole, [place for place in whole if place[0].number in reading]):
            line, nth = places[number - (number > 0)] if abs(number) <= len(places) else (None, 0)
            meant.add(line and (id(line.line), nth))
            if line:
                at = line, nth
    if None in meant or len(meant) > 1:
        return None  # It depends on what is counted: all lines that the file had, or the shown ones.
    line, nth = at
    new = one.texts(rng, 1)[0].strip()
    is_last_of_all = number > 0 or not any(old in other.text and other.touched >= 0 for other in one.file.lines)
    if one.is_mine(line) or one.file.is_vague(line) or not is_last_of_all or new == old:
        return None
    if line.line.text.count(old) == line.text.count(old):
        line = line._replace(text=line.line.text)  # The rest of the line may have changed.
    pieces = line.text.split(old)
    change = Change([line], 0, 1, [f"{old.join(pieces[: nth + 1])}{new}{old.join(pieces[nth + 1 :])}"])
    params = {"path": PATH, "old_content": old, "new_content": new, "occurrence": number}
    return one.call("edit_file", params, [change], one.file.edited(change), by_number=number > 0)


def _everywhere(one: _Session, rng: Random) -> Violation | None:
    """All places of a text in the file as it is, and those as last read that differ in whitespace now."""
    if not (run := one.run(rng, 1)) or not (old := run[0].text.strip()):
        return None
    new = one.texts(rng, 1)[0].strip()
    last = {id(shown.line): shown for shown in one.whole(one.by_read)}
    last |= {id(shown.line): shown for reading in one.readings for shown in reading.values() if id(shown.line) in last}
    read = {key for key, shown in last.items() if old in shown.text and not one.is_mine(shown)}
    if any(one.file.is_vague(last[key]) for key in read):
        return None
    after, changes, is_reworded = list[Line](), list[Change](), False
    for line in one.file.lines:
        text = line.text.replace(old, new)
        if text == line.text and squeezed(old) in squeezed(line.text):
            if id(line) not in read:
                return None
            text = squeezed(line.text).replace(squeezed(old), new)
        is_reworded |= id(line) in read and text == line.text
        if text != line.text:
            changes.append(Change([Shown(line, line.text, one.file.time, 0)], 0, 1, [text]))
        after.append(line if text == line.text else Line(text))
    wanted = [after] if changes and not is_reworded else []
    if rng.random() < 0.5:
        params: dict[str, Any] = {"path": PATH, "old_content": old, "new_content": new, "occurrence": 0}
        return one.call("edit_file", params, changes, wanted)
    params = {"filePath": PATH, "oldString": old, "newString": new, "replaceAll": True}
    return one.call("edit", params, changes, wanted)


def _by_text(one: _Session, rng: Random) -> tuple[list[Shown], Change, list[list[Shown]]] | None:
    """A run, a change of lines with its texts, and the runs that may be meant; None if nothing certain is."""
    if not (run := one.run(rng, 4)):
        return None
    change = one.change(run, rng)
    runs = one.known(change.before)
    is_vague = any(one.file.is_vague(line) for run in runs for line in run)
    if not runs or is_vague or change.is_partly_kept or not "".join(change.before).strip():
        return None
    return run, change._replace(lines=runs[0]), runs


def _edit(one: _Session, rng: Random) -> Violation | None:
    if not (found := _by_text(one, rng)):
        return None
    _, change, runs = found
    is_respaced = any(one.line.text != one.text for one in change.lines)
    if not change.before[0] or (not change.before[-1] and is_respaced):
        return None  # A line feed in front of a text is the end of any line, and so is one below respaced lines.
    edits = [(change.before, change.after)]
    mine = [n for n, text in enumerate(change.new) if "mine" in text]
    if mine and rng.random() < 0.3:  # One edit more, of a line that the first one has put in.
        new = list(change.new)
        new[mine[0]] = one.texts(rng, 1)[0]
        edits.append(([change.new[mine[0]]], [new[mine[0]]]))
        change = change._replace(new=new)
    end = "\n" if change.before[-1] == "" or (rng.random() < 0.5 and len(edits) == 1) else ""
    names = "oldString", "newString"
    sent = [{name: "\n".join(texts) + end for name, texts in zip(names, both, strict=True)} for both in edits]
    wanted = one.file.edited_by_text(change) if len(runs) == 1 else []
    if len(edits) > 1 or rng.random() < 0.2:
        return one.call("multi_edit", {"filePath": PATH, "edits": sent}, [change], wanted)
    return one.call("edit", {"filePath": PATH, **sent[0]}, [change], wanted)


def _patch(one: _Session, rng: Random) -> Violation | None:
    """A hunk with context, in an envelope or in a diff with its number."""
    if not (found := _by_text(one, rng)):
        return None
    run, change, runs = found
    old, new = change.before, change.after
    rows = [*(f" {text}" for text in old[: change.start]), *(f"-{text}" for text in old[change.start : change.stop])]
    rows += [*(f"+{text}" for text in change.new), *(f" {text}" for text in old[change.stop :])]
    if rng.random() < 0.5:
        patch = "\n".join(["*** Begin Patch", f"*** Update File: {PATH}", "@@", *rows, "*** End Patch"])
        return one.call(
            "edit_patch", {"patch": patch}, [change], one.file.edited_by_text(change) if len(runs) == 1 else []
        )
    if run not in runs:
        return None  # The number and the text stand for different lines.
    change, number = change._replace(lines=run), run[0].number
    patch = "\n".join([f"@@ -{number},{len(old)} +{number},{len(new)} @@", *rows, ""])
    return one.call("patch_file", {"path": PATH, "patch": patch}, [change], one.file.edited_by_text(change))


def _write(one: _Session, rng: Random) -> Violation | None:
    """The whole file as it was last read, with one change."""
    known = one.whole(one.by_read)
    is_known = bool(known) and one.file.changed_by_others < known[0].time
    if not known or len(one.by_read) < len(known) or (is_known and [shown.line for shown in known] != one.file.lines):
        return None
    if any(map(one.is_mine, known)) or (not is_known and one.file.data == one.data_read):
        return None  # What others did to it was undone.
    at = rng.randrange(len(known))
    change = one.change(known[at : at + rng.randint(1, 4)], rng)
    rows = [shown.text for shown in known]
    rows[at : at + len(change.lines)] = change.after
    wanted = one.file.edited(change) if is_known else []
    return one.call("write", {"filePath": PATH, "content": "".join(f"{row}\n" for row in rows)}, [change], wanted)


CALLS: Mapping[str, tuple[int, Callable[[_Session, Random], Violation | None]]] = {
    "read": (2, lambda one, _: one.call("read", {"filePath": PATH})), "read_part": (3, _read_part),
    "insert_at": (4, _insert_at), "insert_unshown": (1, _insert_unshown), "hunk": (4, _hunk),
    "edit_lines": (4, _edit_lines), "occurrence": (4, _occurrence), "everywhere": (2, _everywhere), "edit": (4, _edit),
    "patch": (3, _patch), "write": (1, _write),
}  # fmt: skip
"""Step of the session -> how often it is drawn, and what it does."""

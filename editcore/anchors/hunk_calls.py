"""Readers of H4, as oh-my-pi and as gptme write it: sections `[PATH#TAG]` of hunks `PUT`, `CUT`, `REM` and `MV`.

    [greet.py#C8E4]            the file, and the hash of its text
    PUT 2.=3:                  replace lines 2 to 3 by the rows below
    +    return w * h * 2
    CUT 7.=9 @old              delete lines into a register; `PUT >12 @old` inserts it elsewhere
    PUT >$:                    insert after the last line; `PUT <1:` inserts before the first
    +# end

`read_h4` accepts the deviations from this grammar that oh-my-pi accepts, and names them in `Call.forgiven`. A blank row
within a body is a blank line; blank rows at its end are ignored. `read_gptme` reads the strict subset of gptme's
`hashline_edit`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from editcore.anchors.calls import Anchor, Call, LineEdit
from editcore.anchors.json_calls import line_number
from editcore.errors import PatchError

_HEADER = re.compile(r"\[([^\n]+)#([0-9A-Fa-f]{4,8})\]\s*")
_RANGE = r"(?P<first>[0-9]+)(?:(?P<block>\*)|(?P<sign>[-.=\u2026 \t]+)(?P<last>[0-9]+))?"
_GAP = r"<(?P<before>[0-9]+)|>(?P<end>\$)|>(?P<after>[0-9]+)(?P<after_block>\*)?"
_REST = r"\s*(?:(?P<colon>:)|@(?P<register>\w+))?\s*"
_PUT = re.compile(rf"PUT\s+(?:{_GAP}|{_RANGE}){_REST}")
_CUT = re.compile(rf"CUT\s+{_RANGE}{_REST}")
_BARE_RANGE = re.compile(r"(?P<first>[0-9]+)(?P<sign>[-.=\u2026 \t]+)(?P<last>[0-9]+)\s*:\s*")
_PASTED = re.compile(r"\s*([1-9][0-9]*)[:|](.*)")
_MOVE = re.compile(r"MV\s+(\S.*)")
_BULLET = re.compile(r"\s*- \S")
_NUMBER = re.compile(r"^\s*(?:>>>|>>)?\s*(?:[+*-]\s*)?[0-9]+[:|]")
_VALUE = re.compile(r"""\s*(?:"[^"]*"|'[^']*'|[-+]?[0-9]+(?:\.[0-9]+)?)\s*,?\s*""")
_FOREIGN = re.compile(
    r"\s*(?:@@|\*\*\* (?:Update|Add|Delete) File:|\*\*\* Move to:|[1-9][0-9]*(?:\s+[1-9][0-9]*\s*:?)?\s*$)"
)
_LONGEST_HEADER = 4_000
"""Characters of a line that begins a section or a hunk."""
_LARGEST = 8 << 20, 10_000
"""Characters and hunks of a call."""


@dataclass
class _Section:
    """A section while it is read."""

    path: str
    tag: str
    edits: list[LineEdit] = field(default_factory=list)
    is_deleted: bool = False
    moved_to: str | None = None
    forgiven: dict[str, None] = field(default_factory=dict)
    pasted: set[int] = field(default_factory=set)

    def call(self) -> Call:
        if self.is_deleted and (self.edits or self.moved_to):
            raise PatchError(f"REM deletes {self.path!a:.80}: no other hunk can follow or precede it.")
        if not (self.edits or self.is_deleted or self.moved_to):
            raise PatchError(f"the section of {self.path!a:.80} has no hunk.")
        return Call(
            tuple(self.edits), self.path, self.tag.upper(), is_deleted=self.is_deleted, moved_to=self.moved_to,
            forgiven=tuple(self.forgiven),
        )  # fmt: skip


def read_h4(patch: str) -> list[Call]:
    """One call for each section. Raises PatchError."""
    if len(patch) > _LARGEST[0]:
        raise PatchError(f"the call has {len(patch)} characters; at most {_LARGEST[0]} are read.")
    reader = _Reader()
    for n, line in enumerate(patch.split("\n"), 1):
        if not reader.reads(line.removesuffix("\r"), n):
            break
    return reader.calls()


class _Reader:
    """Reads a call line by line."""

    def __init__(self) -> None:
        self._sections: list[_Section] = []
        self._hunk: LineEdit | None = None
        """The hunk whose body is being read."""
        self._has_begun = False
        """True after the first hunk of a section. Before it, rows may be lines of a view, pasted as they are."""
        self._rows: list[str] = []
        self._n_hunks = 0

    def reads(self, line: str, n: int) -> bool:
        """Read line number `n`. Returns False if it ends the call."""
        marker = line.strip() if line.startswith("***") else ""
        if marker in ("*** End Patch", "*** Abort", "*** Begin Patch"):
            self._close()
            return marker == "*** Begin Patch"
        if not self._begins(line, n):
            if self._hunk is not None:
                self._rows.append(line)
            elif line.strip():
                self._stray(line, n)
        return True

    def calls(self) -> list[Call]:
        self._close()
        if not self._sections:
            raise PatchError("the call has no section: begin with [PATH#TAG] as read shows it.")
        return [section.call() for section in self._sections]

    def _begins(self, line: str, n: int) -> bool:
        """Read a line that begins a section or a hunk. Returns False for any other line."""
        if not 0 < len(line) <= _LONGEST_HEADER or line[0] not in "[PCRM0123456789":
            return False
        if line.startswith("[") and (found := _HEADER.fullmatch(line)):
            self._close()
            self._sections.append(_Section(found[1], found[2]))
            self._has_begun = False
            return True
        if found := _PUT.fullmatch(line):
            self._put(found, n)
        elif found := _CUT.fullmatch(line):
            self._add(_replacement(found, n, captured=found["register"] or ""), n)
            self._forgive("cut_colon", found["colon"] is not None)
        elif not self._has_begun and (found := _BARE_RANGE.fullmatch(line)):
            self._add(None, n)
            self._hunk = _replacement(found, n)
            self._forgive("missing_put")
        elif line.rstrip() == "REM":
            self._section(n).is_deleted = True
        elif moved := _MOVE.fullmatch(line):
            self._section(n).moved_to = moved[1].strip().strip("\"'")
        else:
            return False
        self._has_begun = found is not None
        self._forgive("range_sign", found is not None and not _is_canonical(found))
        return True

    def _put(self, found: re.Match[str], n: int) -> None:
        register, is_range = found["register"], found["first"] is not None
        if not found["colon"] and register is None and is_range:
            raise PatchError("PUT of a range needs a `:` and `+` rows, or the @register to paste.", line=n)
        pasted = register if register is not None else None if found["colon"] else ""
        edit = _replacement(found, n, pasted=pasted) if is_range else _insertion(found, n, pasted)
        if pasted is not None:
            self._add(edit, n)
        else:
            self._add(None, n)
            self._hunk = edit

    def _section(self, n: int) -> _Section:
        self._close()
        if not self._sections:
            raise PatchError("a hunk stands before any section: begin with [PATH#TAG] as read shows it.", line=n)
        return self._sections[-1]

    def _add(self, edit: LineEdit | None, n: int) -> None:
        section = self._section(n)
        self._n_hunks += 1
        if self._n_hunks > _LARGEST[1]:
            raise PatchError(f"the call has more than {_LARGEST[1]} hunks.", line=n)
        if edit is not None:
            section.edits.append(edit)

    def _forgive(self, what: str, happened: bool = True) -> None:
        if happened:
            self._sections[-1].forgiven[what] = None

    def _stray(self, line: str, n: int) -> None:
        """Read a line outside of any body as a pasted line of a view. Raises PatchError for any other line."""
        found = None if self._has_begun else _PASTED.fullmatch(line)
        if found is None:
            raise PatchError(f"not a section, a hunk, or a row of a body: {line!a:.80}.", line=n)
        number, section = line_number(found[1], f"line {n} of the call"), self._section(n)
        if number in section.pasted:
            raise PatchError(f"two pasted rows name line {number}: write the hunk `PUT {number}.=M:`.", line=n)
        section.pasted.add(number)
        self._add(LineEdit("replace", Anchor(number), None, (found[2],)), n)
        self._forgive("pasted_rows")

    def _close(self) -> None:
        """End the hunk whose body is being read."""
        hunk, rows = self._hunk, self._rows
        if hunk is None:
            return
        self._hunk, self._rows = None, []
        said = [n for n, row in enumerate(rows) if row.strip()]
        body = self._body(rows[said[0] : said[-1] + 1] if said else [])
        if not body and hunk.kind != "replace":
            raise PatchError("PUT at a gap needs `+` rows to insert.")
        self._forgive("empty_put", not body)
        self._sections[-1].edits.append(replace(hunk, new=tuple(body)))

    def _body(self, rows: list[str]) -> list[str]:
        """The new lines in the rows of a body."""
        minus = [row for row in rows if row.lstrip().startswith("-")]
        plus = [row[1:] for row in rows if row.startswith("+")]
        if minus and all(map(_BULLET.match, minus)) and (not plus or any(map(_BULLET.match, plus))):
            self._forgive("bullets")
        elif minus and plus and not all(map(_BULLET.match, minus)):
            self._forgive("minus_rows")
            rows = [row for row in rows if row not in minus]
        elif minus:
            raise PatchError("`-` rows are not valid: the range names what goes; write a literal one as `+- item`.")
        bare = [row for row in rows if not row.startswith("+")]
        said = [row for row in bare if row.strip()]
        if foreign := next(filter(_FOREIGN.match, said), None):
            raise PatchError(f"a row of a body needs a + in front of it: {foreign!a:.80}.")
        self._forgive("bare_rows", any(row not in minus for row in said))
        self._forgive("blank_rows", len(said) < len(bare))
        is_pasted = _are_of_a_view(said)
        self._forgive("pasted_rows", is_pasted)
        return [row[1:] if row.startswith("+") else _NUMBER.sub("", row) if is_pasted else row for row in rows]


def _are_of_a_view(rows: list[str]) -> bool:
    """True if all rows begin with line numbers of a view. A table such as `1: "one"` only looks so."""
    bare = [_NUMBER.sub("", row) for row in rows]
    return bool(rows) and all(map(str.__ne__, rows, bare)) and not all(map(_VALUE.fullmatch, bare))


def _is_canonical(found: re.Match[str]) -> bool:
    named = found.groupdict()
    return named["first"] is None or named.get("block") is not None or named["sign"] == ".="


def _replacement(found: re.Match[str], n: int, *, captured: str | None = None, pasted: str | None = None) -> LineEdit:
    first = line_number(found["first"], f"line {n} of the call")
    last = line_number(found["last"], f"line {n} of the call") if found["last"] else None
    if last is not None and last < first:
        raise PatchError(
            f"the range ends at {last} before it starts at {first}: the number after `.=` is a line of the file, no "
            f"count. For {last} lines use {first}.={first + last - 1}.",
            line=n,
        )
    block = "block" in found.re.groupindex and found["block"] is not None
    end = None if last is None else Anchor(last)
    return LineEdit("replace", Anchor(first), end, (), block, captured=captured, pasted=pasted)


def _insertion(found: re.Match[str], n: int, pasted: str | None) -> LineEdit:
    if found["end"]:
        return LineEdit("after", None, None, (), pasted=pasted)
    at = Anchor(line_number(found["before"] or found["after"], f"line {n} of the call"))
    block = found["after_block"] is not None
    return LineEdit("before" if found["before"] else "after", at, None, (), block, pasted=pasted)


_GPTME_HEADER = re.compile(r"\[(.+)#([0-9A-Fa-f]{8}|[0-9A-Fa-f]{4})\]\s*")
_GPTME_PUT = re.compile(
    r"PUT\s+(?:(?P<first>\d+)\.=(?P<last>\d+):(?:\s+@(?P<pasted>\w+))?|(?P<block>\d+)\*:"
    r"|(?P<gap>[<>])(?P<at>\d+)(?::|\s+@(?P<gap_pasted>\w+)))\s*"
)
_GPTME_CUT = re.compile(r"CUT\s+(?P<first>\d+)\.=(?P<last>\d+)(?:\s+@(?P<captured>\w+))?\s*")


def read_gptme(patch: str) -> list[Call]:
    """The call in a section as gptme reads it. Raises PatchError.

    Every row of a body begins with `+`. Between hunks, blank lines and lines that begin with `#` are ignored. Lines end
    where Python's `splitlines` ends them, at form feeds too. A tag may have the four digits of oh-my-pi.
    """
    if len(patch) > _LARGEST[0]:
        raise PatchError(f"the call has {len(patch)} characters; at most {_LARGEST[0]} are read.")
    lines = patch.strip().splitlines()
    header = _GPTME_HEADER.fullmatch(lines[0].strip()) if lines else None
    if header is None:
        raise PatchError("the first line must be a header such as [path#A1B2C3D4].")
    edits, at = list[LineEdit](), 1
    while at < len(lines):
        line, n = lines[at], at + 1
        at += 1
        if cut := _GPTME_CUT.fullmatch(line):
            edits.append(_range(cut, n, captured=cut["captured"]))
        elif put := _GPTME_PUT.fullmatch(line):
            edit = _edit(put, n)
            if edit.pasted is None:
                rows = _body(lines, at)
                # The blank line that ends a body belongs to it.
                at += len(rows) + (at + len(rows) < len(lines) and not lines[at + len(rows)].strip())
                edit = replace(edit, new=tuple(rows))
            edits.append(edit)
        elif line.strip() and not line.strip().startswith("#"):
            raise PatchError(f"not a hunk, nor a row of a body: {line!a:.80}.", line=n)
    if not edits:
        raise PatchError("the call has no hunk.")
    return [Call(tuple(edits), header[1], header[2].upper())]


def _body(lines: list[str], at: int) -> list[str]:
    rows = list[str]()
    for line in lines[at:]:
        if not line.startswith("+"):
            if line.strip() and not _GPTME_CUT.fullmatch(line) and not _GPTME_PUT.fullmatch(line):
                raise PatchError(f"each row of a body begins with a +, and this one does not: {line!a:.80}.")
            break
        rows.append(line[1:])
    return rows


def _edit(put: re.Match[str], n: int) -> LineEdit:
    what = f"line {n} of the call"
    if put["first"]:
        return _range(put, n, pasted=put["pasted"])
    if put["block"]:
        return LineEdit("replace", Anchor(line_number(put["block"], what)), None, (), block=True)
    at = Anchor(line_number(put["at"], what))
    return LineEdit("before" if put["gap"] == "<" else "after", at, None, (), pasted=put["gap_pasted"])


def _range(found: re.Match[str], n: int, *, captured: str | None = None, pasted: str | None = None) -> LineEdit:
    first, last = (line_number(found[name], f"line {n} of the call") for name in ("first", "last"))
    if first > last:
        raise PatchError(f"the range starts at {first} and ends at {last}.", line=n)
    return LineEdit("replace", Anchor(first), Anchor(last), (), captured=captured, pasted=pasted)

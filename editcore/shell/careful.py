"""`shell/careful`: what an agent should do with a shell command that edits files, before it runs it.

    sed -i 's/total/sum/' a.py      matches nothing            refused: exit code 0 would say that all is well
                                    matches on lines 3 and 9   refused: it has no g, and nobody said that two are meant
    sed -i 's/total/sum/g' a.py     matches on lines 3 and 9   made, and its diff is reported

The edits are worked out by `simulation`. A refusal says which part of the command is at fault, and where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from editcore.errors import Unmeasured
from editcore.quoting import shown
from editcore.shell.programs import Load, Part, Place, Simulation
from editcore.shell.simulation import simulate
from editcore.text.diff import changed_ranges, unified_diff
from editcore.types import Applied, EditResult, Reason, Rejected

_BSD_STYLE = re.compile(r"(\bsed\b[^|;&\n]*?\s-[nE]*i)[ \t]+(?:''|\"\")(?=\s)")
_SAYS_ONE = re.compile(r"\b(?:one|single|once)\b(?! of\b)", re.IGNORECASE)
_SAYS_MANY = re.compile(
    r"\b(?:all|every|everywhere|each|both|two|three|several|remaining|[2-9]|[1-9]\d+|\w+s (?:of|in|to|and)|sites|calls|"
    r"names|paths|places|lines|tests|files|imports|usages|references|occurrences|signatures)\b",
    re.IGNORECASE,
)  # fmt: skip
_MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a command would run."""

    gnu: bool | None = None
    """True if its sed is GNU sed; None: the dialect that the command is written in."""
    place: Place | None = None
    files: Load | None = None
    """Reads files that are not given; without it there are no others."""


def careful(files: Mapping[str, str], command: str, *, meant: str = "", machine: Machine | None = None) -> EditResult:
    """The files after a command whose edits are certain, or the refusal of a command that was hardly meant.

    `meant` is the command's description. Raises Unmeasured if it is not known what the command does.
    """
    machine = machine or Machine()
    is_bsd = bool(_BSD_STYLE.search(command))
    if machine.gnu and is_bsd:
        return Rejected(
            Reason.MALFORMED,
            "`sed -i ''` is for BSD sed; GNU sed, which is here, takes '' as its script: leave it out.",
        )
    gnu = machine.gnu if machine.gnu is not None else not is_bsd
    found = simulate(files, command, gnu=gnu, place=machine.place, load=machine.files)
    if is_bsd:
        other = simulate(files, _BSD_STYLE.sub(r"\1", command), place=machine.place, load=machine.files)
        if other.files != found.files:
            return Rejected(
                Reason.MALFORMED,
                "BSD sed, for which `-i ''` is, has no \\b, \\w and \\s in patterns and no \\t and \\n in texts: "
                "nothing was changed; use the edit tool, or write the characters themselves.",
            )
    refused = next(_refusals(found, meant), None)
    if refused is not None and not (refused.reason is Reason.IDENTICAL and found.ends_with):
        return refused
    if found.ends_with:
        raise Unmeasured(f"{found.ends_with} runs, too, and may change files itself")
    return Applied(files=found.files, notes=tuple(_told(found)))


def dialects_differ(files: Mapping[str, str], command: str, place: Place | None = None) -> bool:
    """True if GNU sed and BSD sed leave different files, each called as it wants to be."""
    plain = _BSD_STYLE.sub(r"\1", command)
    try:
        as_bsd = re.sub(r"(\bsed\b[^|;&\n]*?\s-[nE]*i)(?=[ \t])", r"\1 ''", plain)
        return simulate(files, plain, place=place).files != simulate(files, as_bsd, gnu=False, place=place).files
    except Unmeasured:
        return False


def diff_of(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The changes of all files as a unified diff."""
    paths = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    return "".join(unified_diff(before.get(path, ""), after.get(path, ""), path=path) for path in sorted(paths))


def _refusals(found: Simulation, meant: str) -> Iterator[Rejected]:
    if found.failures:
        is_no_edit = found.is_unchanged and not found.parts
        why = Reason.NOT_FOUND if is_no_edit or "No such file" in found.failures[0] else Reason.NO_MATCH
        yield Rejected(why, f"The command fails: {shown(found.failures[0], limit=200)}. Nothing was changed; mend it.")
    by_part: dict[str, list[Part]] = {}
    for part in found.parts:
        by_part.setdefault(part.what, []).append(part)
    for what, parts in by_part.items():
        paths = ", ".join(dict.fromkeys(part.path for part in parts))
        if not any(part.n_places for part in parts):
            yield Rejected(
                Reason.NO_MATCH,
                f"{shown(what)} matches nothing in {shown(paths)}: nothing was changed; read the file, and quote it as "
                "it is.",
            )
        for part in parts:
            if part.n_places > 1 and ((not part.is_many and not _SAYS_MANY.search(meant)) or _SAYS_ONE.search(meant)):
                yield _too_many(part)
    for path, after in found.files.items():
        before = found.before.get(path, "")
        if before.strip() and not after.strip():
            yield Rejected(Reason.DISPROPORTIONATE, f"The command empties {shown(path)}: nothing was changed.")
        if before and after and _n_changed(before, after) > _n_changed(_folded(before), _folded(after)):
            yield Rejected(
                Reason.DISPROPORTIONATE,
                f"The command changes the line endings of {shown(path)} beside its edit: nothing was changed; use the "
                "edit tool.",
            )
    if found.is_unchanged and not found.failures:
        yield Rejected(Reason.IDENTICAL, "The command changes no file.")


def _too_many(part: Part) -> Rejected:
    lines = ", ".join(map(str, part.lines[:_MOST_LINES])) + (", ..." if len(part.lines) > _MOST_LINES else "")
    where = f"{shown(part.path)}" + (f" (lines {lines})" if lines else "")
    return Rejected(
        Reason.AMBIGUOUS,
        f"{shown(part.what)} matches {part.n_places} places of {where}: nothing was changed; name the line, as in "
        "`3s/a/b/`, or say in the description that all of them are meant.",
    )


def _n_changed(before: str, after: str) -> int:
    return sum(last - first + 1 for first, last, _ in changed_ranges(before, after))


def _folded(text: str) -> str:
    """The text with line feeds only, and one at its end."""
    return text.replace("\r\n", "\n").removesuffix("\n") + "\n"


def _told(found: Simulation) -> Iterator[str]:
    for part in found.parts:
        if part.n_places:
            lines = ", ".join(map(str, part.lines[:_MOST_LINES]))
            yield f"{part.path}: {shown(part.what)} changed {part.n_places}" + (f" (lines {lines})" if lines else "")

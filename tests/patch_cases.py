"""Text cases of patches, in `tests/cases/begin_patch` and `.../unified_diff`: one behaviour per file.

    # E17b: comments at the top give reasons; a malformation has its id there.
    === a.txt
    the lines of a file before; any number of files
    === patch
    the patch
    === strict, codex: a.txt
    the lines of a file afterwards; files that are not named are unchanged
    === codex: no b.txt
    === lenient: rejected no_match
    the message (optional)
    === intended: a.txt
    the lines of a file as the author of the malformed patch must have meant them

Every reading of an envelope, and every strictness of a unified diff, has an outcome. `rejected` together with files
shows what a program that writes section by section leaves behind. A malformation without `intended` has no certain
meaning, and should be refused. Ids begin with E (envelope), U (unified diff), P (path) or L (size), and never change.
`tests.drawn` describes how texts are written. A case without files before has the usual file of its folder (`USUAL`),
and one that starts with none says `=== no files`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from editcore import Applied, EditResult, Reason, apply_begin_patch, apply_unified_diff
from editcore.patches.begin_patch import READINGS
from editcore.patches.unified_diff import STRICTNESSES
from tests.drawn import undrawn

FOLDER = Path(__file__).parent / "cases"
MODES: dict[str, dict[str, Callable[[dict[str, str], str], EditResult]]] = {
    "begin_patch": {
        reading: lambda files, patch, reading=reading: apply_begin_patch(files, patch, reading=reading)
        for reading in READINGS
    },
    "unified_diff": {
        strictness: lambda files, patch, strictness=strictness: apply_unified_diff(files, patch, strictness=strictness)
        for strictness in STRICTNESSES
    },
}
FILES = [path for folder in MODES for path in sorted((FOLDER / folder).glob("*.txt"))]
INTENDED = "intended"
HEADING = re.compile(
    r"=== (?:(?P<modes>[a-z]+(?:, [a-z]+)*): )?(?:rejected (?P<reason>\w+)|no (?P<gone>\S+)|(?P<path>\S+))"
)
MALFORMATION = re.compile(r"^# ([EULP]\d\d[a-z]?)(?:$|: )", re.MULTILINE)


@dataclass
class Outcome:
    reason: Reason | None = None
    message: str | None = None
    """None if the case does not say."""
    files: dict[str, str] = field(default_factory=dict)


@dataclass
class Case:
    files: dict[str, str] = field(default_factory=dict)
    patch: str = ""
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    malformation: str | None = None
    intended: dict[str, str] | None = None


_SHORT = "host = a\nport = 1\nmode = dev\nlog = off\n"
USUAL = {"begin_patch": _SHORT, "unified_diff": f"{_SHORT}ttl = 60\nmax = 9\nend = y\n"}
"""Folder -> the text of `app.cfg`, the file that its cases have before unless they give others."""


def case_of(path: Path) -> Case:
    """The case in a file."""
    return read_case(path.read_text("utf-8"), usual=USUAL.get(path.parent.name))


def read_case(text: str, *, usual: str | None = None) -> Case:
    """Parse the text of a case file; a case without files gets an `app.cfg` with the text `usual`."""
    case = Case()
    head, *sections = re.split(r"^(?==== )", text, flags=re.MULTILINE)
    comments = head.splitlines()
    assert all(line.startswith("# ") for line in comments), f"neither a comment nor a heading: {comments}"
    found = MALFORMATION.findall(head)
    assert len(found) < 2, f"two ids: {found}"
    case.malformation = found[0] if found else None
    patches: list[str] = []
    if sections[:1] == ["=== no files\n"]:
        del sections[0]
    elif usual is not None and sections[:1] and sections[0].startswith("=== patch\n"):
        case.files["app.cfg"] = usual
    for section in sections:
        title, *lines = section.removesuffix("\n").split("\n")
        heading = HEADING.fullmatch(title)
        assert heading, f"not a heading: {title}"
        path = undrawn([heading["path"] or heading["gone"] or ""], is_file=False)
        if not heading["modes"]:
            assert heading["path"], f"of which reading? {title}"
            assert not case.outcomes, f"files come before outcomes: {title}"
            if path == "patch":
                patches.append(undrawn(lines, is_file=True))
            else:
                case.files[path] = undrawn(lines, is_file=True)
            continue
        for mode in heading["modes"].split(", "):
            outcome = case.outcomes.setdefault(mode, Outcome(files=dict(case.files)))
            if heading["reason"]:
                assert outcome.reason is None, f"twice: {title}"
                outcome.reason = Reason(heading["reason"])
                outcome.message = "".join(lines) or None
            elif heading["gone"]:
                assert lines == [], f"text of a file that is gone: {lines}"
                del outcome.files[path]
            else:
                outcome.files[path] = undrawn(lines, is_file=True)
    assert len(patches) == 1, f"{len(patches)} patches"
    case.patch = patches[0]
    intended = case.outcomes.pop(INTENDED, None)
    if intended:
        assert intended.reason is None, "a refusal is intended by leaving it out"
        assert case.malformation, "intended otherwise than written, so it needs an id"
        case.intended = intended.files
    return case


CASES = {path: case_of(path) for path in FILES}
MALFORMATIONS = {case.malformation: (path, case) for path, case in CASES.items() if case.malformation}
"""Malformation id -> the path and content of its case."""


def outcome_of(result: EditResult, files: dict[str, str]) -> Outcome:
    """A result as an outcome that can be compared with a case's."""
    after = dict(files if result.files is None else result.files)
    return Outcome(None, None, after) if isinstance(result, Applied) else Outcome(result.reason, result.message, after)


def outcomes(folder: str, case: Case) -> dict[str, Outcome]:
    """The outcomes of a case in every reading, without messages that the case does not give."""
    found = {mode: outcome_of(apply(dict(case.files), case.patch), case.files) for mode, apply in MODES[folder].items()}
    for mode, outcome in case.outcomes.items():
        if outcome.message is None:
            found[mode].message = None
    return found

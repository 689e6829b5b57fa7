"""Text cases of the host's tools, in `tests/cases/tools/TOOL`: one behaviour per file.

    # A comment at the top gives a reason.
    === host
    empty_overwrites: true
    === read file a.txt
    the lines of a file that the session has read; `=== file` is one that it has not read
    === call edit
    filePath: "a.txt"
    oldString: "one"
    newString:
    | a text of
    | several lines
    === answer
    the message; `=== refused REASON` is the heading of a refusal
    === metadata
    replacer: "exact"
    === then file a.txt
    the lines of a file that the call changed; `=== then no file b.txt` for one that is gone, and
    `=== then document PATH` for the model's version of a document

Any number of calls follow one another. A file between two calls is what another hand wrote there. Other headings are
`=== no file`, `=== link PATH` with its target, `=== directory PATH`, `=== document PATH`, `=== answers` with what the
user says to a permission, `=== new host` for a host that knows nothing yet, `=== call TOOL in SESSION`, and `=== asked`
for the permissions that the call asked for. `======` begins anew in an empty folder. `<root>` stands for the path of
the folder and `<above>` for the folder that it lies in. `tests.drawn` describes how texts are written.

`pytest --update-expected` writes what follows each call anew. It keeps to the keys of `=== metadata` that the case has.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from editcore.cascade import CASCADES
from editcore.errors import DocumentError
from editcore.host.documents.store import Documents
from editcore.host.host import Host
from editcore.host.tool import Result
from editcore.host.truncation import Outputs
from editcore.host.workspace import Workspace
from editcore.host.workspace.ledger import Ledger
from tests.drawn import drawn, undrawn
from tests.editcore.host.conftest import Project

FOLDER = Path(__file__).parent / "cases" / "tools"
FILES = sorted(FOLDER.glob("*/*.txt"))
ANEW = "======\n"
_EXPECTED = ("answer", "refused", "asked", "metadata", "then")
_OWN = {"locks", "outputs"}
_ID = re.compile(r"\b[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b")
Section = tuple[str, list[str]]
State = dict[str, tuple[str, str]]


def played(text: str, folder: Path, documents: Callable[[], Documents]) -> tuple[str, list[tuple[str, str]]]:
    """The text of a case with what really follows each call, and the tool and message of each refusal."""
    head, *_ = re.split(r"^(?==== )", text, maxsplit=1, flags=re.MULTILINE)
    assert all(line.startswith("# ") for line in head.splitlines()), f"neither a comment nor a heading: {head}"
    scenes, refusals = [], []
    for number, scene in enumerate(re.split(r"^======\n", text.removeprefix(head), flags=re.MULTILINE)):
        (above := folder / str(number)).mkdir()
        one = Scene(above, documents if "=== call doc_edit" in scene else None)
        scenes.append("".join(one.sections(scene)))
        refusals += one.refusals
    return head + ANEW.join(scenes), refusals


class Scene:
    """A folder, the host on it, and the calls of a case."""

    def __init__(self, above: Path, documents: Callable[[], Documents] | None) -> None:
        (root := above / "project").mkdir()
        self.above, self.root = above, root.resolve()
        self.documents = documents() if documents else None
        self.paths: list[str] = []
        self.project = self._made({})
        self.refusals: list[tuple[str, str]] = []

    def _made(self, settings: dict[str, Any]) -> Project:
        mode, any_notebook = settings.pop("mode", "execute"), settings.pop("any_notebook", False)
        workspace = Workspace(
            self.root, lock_directory=self.above / "locks", durable=False, mode=mode, any_notebook=any_notebook
        )
        if "cascade" in settings:
            settings["cascade"] = CASCADES[settings["cascade"]]
        outputs = Outputs(self.above / "outputs")
        return Project(self.root, Host(workspace, outputs=outputs, documents=self.documents, **settings))

    def sections(self, text: str) -> Iterator[str]:
        """The sections of the text, in which those after a call are what really follows it."""
        kept: dict[str, list[str]] = {}
        call: Section | None = None
        for section in re.split(r"^(?==== )", text, flags=re.MULTILINE)[1:]:
            title, *lines = section.removesuffix("\n").split("\n")
            kind, _, about = title.removeprefix("=== ").partition(" ")
            if kind in _EXPECTED:
                assert call, f"before any call: {title}"
                kept[kind] = lines
                continue
            if call:
                yield from self._called(*call, kept)
            call, kept = ((about, lines), {}) if kind == "call" else (None, {})
            if not call:
                self._prepare(title.removeprefix("=== "), lines)
            yield section
        assert call, "a case ends with a call"
        yield from self._called(*call, kept)

    def _prepare(self, title: str, lines: list[str]) -> None:
        known, path = title.startswith("read file "), title.rpartition("file ")[2]
        file = self.root / undrawn([path], is_file=False)
        if title in ("host", "new host"):
            made = self._made(self._values(lines))
            ledger = Ledger() if title == "new host" else self.project.host.ledger
            made.host = replace(made.host, ledger=ledger)
            self.project = replace(made, answer=self.project.answer, session=self.project.session)
        elif title == "answers":
            answers = self._values(lines)
            self.project.answer = lambda request: answers.get(request.permission, True)
        elif title.startswith("no file "):
            file.unlink()
        elif title.startswith(("file ", "read file ")):
            data = undrawn(lines, is_file=True).encode("utf-8", "surrogateescape")
            self.project.lay(str(file.relative_to(self.root)), data, known=known)
        elif title.startswith("link "):
            file = self.root / title.removeprefix("link ")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.symlink_to(self._placed("\n".join(lines)))
        elif title.startswith("directory "):
            (self.root / title.removeprefix("directory ")).mkdir(parents=True)
        else:
            assert title.startswith("document "), f"not a heading: {title}"
            assert self.documents
            self.documents.save(title.removeprefix("document "), undrawn(lines, is_file=True))

    def _called(self, about: str, lines: list[str], kept: dict[str, list[str]]) -> Iterator[str]:
        tool, _, session = about.partition(" in ")
        project, params = self.project, self._values(lines)
        project.session = session or "s"
        if tool == "doc_edit" and isinstance(params.get("path"), str):
            self.paths.append(params["path"])
        before, documents, n_asked = state(self.root), self._versions(), len(project.asked)
        result = project.call(tool, **params)
        yield self._section(_heading(result), drawn(result.output, is_file=False))
        if result.is_error:
            self.refusals.append((tool, str(result.metadata.get("error", result.output))))
        if "asked" in kept:
            yield self._section(
                "asked", [f"{one.permission} {json_of(one.patterns)}" for one in project.asked[n_asked:]]
            )
        names = [line.partition(":")[0] for line in kept.get("metadata", [])]
        if names:
            told = {"title": result.title, **result.metadata}
            yield self._section("metadata", [f"{name}: {json_of(told.get(name))}" for name in names])
        for heading, text in changes(before, state(self.root)):
            yield self._section(f"then {heading}", text)
        for path, version in self._versions().items():
            if documents.get(path) != version:
                yield self._section(f"then document {path}", drawn(version[0], is_file=True))

    def _versions(self) -> dict[str, tuple[str, int]]:
        """Path of a document -> the model's version, and how many sessions there are of it."""
        found: dict[str, tuple[str, int]] = {}
        for path in dict.fromkeys(self.paths):
            try:
                assert self.documents
                found[path] = self.documents.version(path), len(self.documents.sessions(path))
            except DocumentError:
                continue  # It is no path of a document, or there is none.
        return found

    def _section(self, heading: str, lines: list[str]) -> str:
        text = "".join(f"{line}\n" for line in [f"=== {heading}", *lines])
        for path, name in ((self.root, "<root>"), (self.above, "<above>")):
            text = text.replace(str(path), name)
        return _ID.sub("<id>", text)

    def _placed(self, text: str) -> str:
        return text.replace("<root>", str(self.root)).replace("<above>", str(self.above))

    def _values(self, lines: list[str]) -> dict[str, Any]:
        """The values of a section: each on a line, as JSON, or a text on lines of its own that begin with `| `."""
        found: dict[str, Any] = {}
        texts: dict[str, list[str]] = {}
        for line in lines:
            if line.startswith("| "):
                texts.setdefault(list(found)[-1], []).append(line.removeprefix("| "))
                continue
            name, _, value = line.partition(":")
            found[name] = json.loads(self._placed(value)) if value else ""
        return found | {name: self._placed(undrawn(text, is_file=False)) for name, text in texts.items()}


def _heading(result: Result) -> str:
    return f"refused {result.metadata.get('reason') or ''}".rstrip() if result.is_error else "answer"


def json_of(value: Any) -> str:
    """The value on a line, with escapes only for what would not be seen."""
    text = json.dumps(value, ensure_ascii=False, default=list)
    return text if text.isprintable() else json.dumps(value, default=list)


def state(root: Path) -> State:
    """What lies in the folder and around it: path -> its kind, and its text or target."""
    found: State = {}
    for directory, names, files in os.walk(root.parent):
        if Path(directory) == root.parent:
            names[:] = [name for name in names if name not in _OWN]
            files = [name for name in files if not name.startswith("documents.db")]
        names[:] = [name for name in names if name != ".bak-index"]
        if not names and not files and Path(directory) not in (root, root.parent):
            found[os.path.relpath(directory, root)] = ("directory", "")
        for name in (*names, *files):
            file = Path(directory, name)
            path = os.path.relpath(file, root)
            if file.is_symlink():
                found[path] = ("link", os.readlink(file))
            elif file.is_file():
                found[path] = ("file", file.read_bytes().decode("utf-8", "surrogateescape"))
    return found


def changes(before: State, after: State) -> Iterator[Section]:
    """Headings and lines of what is another thing afterwards."""
    for path in sorted(before.keys() - after.keys()):
        if before[path][0] != "directory":
            yield f"no file {drawn(path, is_file=False)[0]}", []
    for path, (kind, text) in sorted(after.items()):
        if before.get(path) != (kind, text):
            name = drawn(path, is_file=False)[0]
            yield f"{kind} {name}", drawn(text, is_file=kind == "file")

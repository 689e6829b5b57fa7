"""The file tools as strategies. Each sample has a new workspace, and the files on disk are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count, starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.sample import Sample
from editcore import __version__
from editcore.cascade import RECOMMENDED, REFERENCE, Cascade
from editcore.errors import DocumentError, WorkspaceError
from editcore.formats import EDIT_FORMATS
from editcore.host.host import Agent, Host
from editcore.host.registry import Registry
from editcore.host.tool import Context
from editcore.host.tools import TOOLS
from editcore.host.tools.doc_edit import DOC_EDIT
from editcore.host.workspace import Workspace
from editcore.text.document import Document
from editcore.thresholds import AT
from editcore.types import Applied, Edit, EditResult, Reason, Rejected
from harness.scratch import scratch
from harness.strategies.rule_strategies import version_with
from harness.strategies.strategy import Strategy, by_path, files_on_disk, write_files

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents

Call = tuple[str, Mapping[str, Any]]
"""The id of a tool, and the parameters that a model sends."""
Calls = Callable[[Sample], Iterable[Call] | Rejected]
"""The calls that make the edits of a sample, or the reason why no call can."""

DOCUMENT_STRATEGY = "documents/str_replace"
PAIR_TOOLS = ("tool/edit", "tool/multi_edit", DOCUMENT_STRATEGY)
"""The tools that take a search text and a new text and find the place by a cascade."""
_EDITOR = Agent(tools=frozenset({"read", "edit", "multi_edit", "edit_file", "patch_file", "insert_at", "edit_patch"}))
_SAMPLES_PER_DATABASE = 100
"""The database is replaced after this many samples: it keeps all documents and edits, and slows down."""
_SUMMARIES = {
    "edit": "The edit tool, multi_edit for several edits, edit_file for one occurrence, on a file that was read.",
    "multi_edit": "The multi_edit tool, for one edit too, on a file that was read.",
    "str_replace": "The str_replace of the doc_edit tool; the document session's version is scored.",
    "edit_file": "The edit_file tool: the only occurrence of a text, the Nth, or all.",
    "patch_file": "The patch_file tool: a unified diff of one file.",
    "insert_at": "The insert_at tool: lines inserted by number.",
    "edit_patch": "The edit.patch tool: a Begin/End Patch envelope.",
}


def tool_strategies() -> Iterator[Strategy]:
    """A strategy per tool, for its format; `documents/str_replace` only if SQLAlchemy is installed."""
    yield pair_tool("tool/edit", RECOMMENDED)
    yield pair_tool(f"tool/edit{AT}{REFERENCE.name}", REFERENCE)
    yield pair_tool("tool/multi_edit", RECOMMENDED)
    if find_spec("sqlalchemy"):
        yield pair_tool(DOCUMENT_STRATEGY, RECOMMENDED)
    yield _tool("edit_file", EDIT_FORMATS, _edit_file)
    yield _tool("patch_file", ["unified_diff"], _patch_file)
    yield _tool("insert_at", ["insert"], _insert_at)
    yield _tool("edit_patch", ["begin_patch"], _edit_patch)


def pair_tool(name: str, cascade: Cascade) -> Strategy:
    """The strategy `TOOL` or `TOOL@CASCADE`, which calls a tool of `PAIR_TOOLS` with a cascade, as an agent does."""
    summary = f"{_SUMMARIES[name.partition(AT)[0].partition('/')[2]]} With the cascade {cascade.name}."
    if name.startswith(DOCUMENT_STRATEGY):
        return Strategy(
            name,
            frozenset({"str_replace"}),
            partial(_document, cascade),
            summary,
            version_with(cascade),
            start=partial(import_module, "editcore.host.documents.store"),
            bytes_by="unknown",  # A document is a text, of no file.
        )
    calls = partial(_edit, only_multi=name.startswith("tool/multi_edit"))
    apply = partial(_in_a_workspace, calls, cascade)
    version = version_with(cascade)
    return Strategy(name, frozenset({"str_replace"}), apply, summary, version, bytes_by="itself")


def _tool(name: str, formats: Iterable[str], calls: Calls) -> Strategy:
    apply = partial(_in_a_workspace, calls, RECOMMENDED)
    return Strategy(f"tool/{name}", frozenset(formats), apply, _SUMMARIES[name], __version__, bytes_by="itself")


def _in_a_workspace(calls: Calls, cascade: Cascade, sample: Sample, _: Document | None) -> EditResult:
    """The files on disk after the calls; the tool's refusal if no file changed."""
    wanted = calls(sample)
    if isinstance(wanted, Rejected):
        return wanted
    with scratch() as folder:
        root = folder / "workspace"
        root.mkdir()
        try:
            workspace = Workspace(root, durable=False, lock_directory=folder / "locks")
            call = partial(_called, Registry(Host(workspace, cascade=cascade), TOOLS), Context())
            refused = _read(call, root, sample) or next(filter(None, starmap(call, wanted)), None)
        except WorkspaceError as error:
            if error.reason is None:  # The disk failed: that says nothing about the edit.
                raise
            return Rejected(error.reason, error.message)
        left = Applied(files=files_on_disk(root, sample))
        # A tool without lists is called once for each edit: a refused call does not undo those before it.
        is_made_in_part = refused and len(sample.edits or ()) > 1 and left.files != by_path(sample.before)
        return left if is_made_in_part else refused or left


def _called(registry: Registry, context: Context, id: str, params: Mapping[str, Any]) -> Rejected | None:
    """The refusal of a call; None if it succeeded."""
    result = registry.call(_EDITOR, id, context, params)
    if not result.is_refused:
        return None
    return Rejected(Reason(result.metadata["reason"]), str(result.metadata.get("error", result.output)))


def _read(call: Callable[[str, Mapping[str, Any]], Rejected | None], root: Path, sample: Sample) -> Rejected | None:
    """Write a sample's files and read them as the model did: as it saw them, if that is known."""
    write_files(root, sample if sample.seen is None else replace(sample, before=sample.seen))
    shown: list[dict[str, Any]] = [
        {"filePath": one.path, "offset": one.first, "limit": one.last - one.first + 1}
        for one in sample.seen_lines or ()
    ]
    if not shown and _is_unshown(sample):
        shown = [{"filePath": sample.before[0].path, "limit": 1}]
    in_part = {one["filePath"] for one in shown}
    read = sample.before[:1] if sample.seen is None else sample.seen
    shown += [{"filePath": one.path} for one in read if one.path not in in_part]
    refused = next(filter(None, (call("read", params) for params in shown)), None)
    if refused is None and sample.seen is not None:
        for path in {one.path for one in sample.seen} - {one.path for one in sample.before}:
            (root / path).unlink()
        write_files(root, sample)
    return refused


def _is_unshown(sample: Sample) -> bool:
    """True if the edit counts lines or occurrences, and the session knew the text by its own edits, not by a reading.

    Nothing says which text showed the number that it names.
    """
    counts = (sample.line or 0) > 0 or any((edit.occurrence or 0) > 1 for edit in sample.edits or ())
    return counts and {"seen:same", "before:tool_result"} <= {*sample.tags}


def _edit(sample: Sample, *, only_multi: bool) -> Iterable[Call]:
    """A call of `edit`, or of `edit_file` for an occurrence; of `multi_edit` for several edits, or if `only_multi`."""
    path = sample.before[0].path
    if len(sample.edits or ()) == 1 and sample.edits and sample.edits[0].occurrence is not None and not only_multi:
        return _edit_file(sample)
    edits = [
        {"oldString": edit.old_string, "newString": edit.new_string, "replaceAll": edit.replace_all}
        for edit in sample.edits or ()
    ]
    if only_multi or len(edits) > 1:
        return [("multi_edit", {"filePath": path, "edits": edits})]
    return [("edit", {"filePath": path, **edits[0]})]


@cache
def _documents(cascade: Cascade) -> Documents:
    """A database in memory: latencies are those of the tool, not of the disk."""
    from editcore.host.documents.store import Documents

    return Documents(url="sqlite://", cascade=cascade)


_n_documents = count()


def _document(cascade: Cascade, sample: Sample, _: Document | None) -> EditResult:
    """The document session's version of a document with the sample's text."""
    number = next(_n_documents)
    if number % _SAMPLES_PER_DATABASE == 0:
        _documents.cache_clear()
    documents, path = _documents(cascade), f"/sample{number}.md"
    try:
        registry = Registry(Host(Workspace("/"), documents=documents), {DOC_EDIT.id: DOC_EDIT})
        if sample.seen:
            documents.save(path, sample.seen[0].content)
            registry.call(Agent(), DOC_EDIT.id, Context(), {"command": "view", "path": path})
        documents.save(path, sample.before[0].content)
        for number, edit in enumerate(sample.edits or ()):
            if refused := _suggest(registry, path, edit):
                # As above: the suggestions before it stand.
                return Applied(documents.version(path)) if number else refused
        return Applied(documents.version(path))
    except DocumentError as error:
        return Rejected(Reason.MALFORMED, error.message)


def _suggest(registry: Registry, path: str, edit: Edit) -> Rejected | None:
    if edit.replace_all:
        return Rejected(Reason.NOT_ALLOWED, "str_replace replaces one occurrence; it has no replace_all.")
    params = {"command": "str_replace", "path": path, "old_str": edit.old_string, "new_str": edit.new_string}
    result = registry.call(Agent(), DOC_EDIT.id, Context(), params)
    if not result.is_error:
        return None
    reason = Reason(result.metadata.get("reason", Reason.MALFORMED))
    return Rejected(reason, str(result.metadata.get("message", result.output)))


def _edit_file(sample: Sample) -> Iterable[Call]:
    for edit in sample.edits or ():
        texts = {"old_content": edit.old_string, "new_content": edit.new_string}
        which = 0 if edit.replace_all else edit.occurrence
        yield "edit_file", {"path": sample.before[0].path, **texts, "occurrence": which}


def _patch_file(sample: Sample) -> Iterable[Call] | Rejected:
    if len(sample.before) != 1:
        return Rejected(
            Reason.NOT_ALLOWED, "patch_file changes one existing file; this patch has several, or a new one."
        )
    return [("patch_file", {"path": sample.before[0].path, "patch": sample.patch or ""})]


def _insert_at(sample: Sample) -> Iterable[Call] | Rejected:
    if len(sample.before) != 1 or sample.line is None:
        return Rejected(Reason.MALFORMED, "An insertion is for one file and names its line.")
    params = {"path": sample.before[0].path, "line": sample.line, "content": sample.patch or ""}
    return [("insert_at", params)]


def _edit_patch(sample: Sample) -> Iterable[Call]:
    return [("edit_patch", {"patch": sample.patch or "", "allow_delete": True})]

"""aider's search/replace blocks and unified diffs: a coder without model, repository or chat, on a sample's files.

Two steps of aider that use diff-match-patch are peers by themselves.

The steps are those of aider's `Coder.apply_updates`. Its questions are answered with yes, except questions about
files outside the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from aider.coders.editblock_coder import EditBlockCoder
from aider.coders.search_replace import dmp_apply, dmp_lines_apply
from aider.coders.udiff_coder import UnifiedDiffCoder
from aider.io import InputOutput

from .protocol import Refusal, Sample, contents, on_disk, serve, texts

_IO = InputOutput(pretty=False, yes=True, fancy_input=False)
_FENCE = "```diff"


def _apply_blocks(sample: Sample) -> dict[str, str]:
    return _applied(EditBlockCoder, sample, sample["patch"])


def _apply_diff(sample: Sample) -> dict[str, str]:
    return _applied(UnifiedDiffCoder, sample, _fenced(sample["patch"]))


def _replaced(step: Callable[[tuple[str, ...]], str | None], sample: Sample) -> dict[str, str]:
    """Apply each edit by a step that aider ships in search_replace.py and never calls. Its texts end in a line feed."""
    [(path, text)] = contents(sample).items()
    for edit in sample["edits"]:
        if edit.get("replace_all"):
            raise Refusal("not_allowed", "a patch changes one place")
        texts = (one if one.endswith("\n") else f"{one}\n" for one in (edit["old_string"], edit["new_string"], text))
        text = step(tuple(texts)) or ""
        if not text:
            raise Refusal("no_match", "the patch could not be applied")
    return {path: text}


def _applied(kind: Any, sample: Sample, response: str) -> dict[str, str]:
    """Path -> text after a coder of this class applied a model's response, all or nothing."""
    with on_disk(sample) as folder:
        coder = _coder(kind, folder, [folder / file["path"] for file in sample["before"]])
        coder.partial_response_content = response
        try:
            edits = coder.get_edits()
            _check(edits, folder)
            coder.apply_edits(coder.prepare_to_edit(coder.apply_edits_dry_run(edits)))
        except Refusal:
            raise
        except Exception as error:
            # aider shows any exception to the model or the user, and continues.
            raise _refusal(error) from error
        return texts(folder)


def _coder(kind: Any, folder: Path, files: list[Path]) -> Any:
    coder = kind.__new__(kind)
    coder.io = _IO
    coder.root = str(folder)
    coder.repo = None
    coder.dry_run = False
    coder.abs_fnames = {str(path) for path in files}
    coder.abs_root_path_cache = {}
    coder.shell_commands = []
    # Prevents it from counting the tokens of many files.
    coder.warning_given = True
    return coder


def _check(edits: list[Any], folder: Path) -> None:
    if not edits:
        raise Refusal("malformed", "no edit was found")
    for path, *_ in edits:
        if path and not (folder / path).resolve().is_relative_to(folder):
            raise Refusal("outside_workspace", f"{path} is outside the folder")


def _refusal(error: Exception) -> Refusal:
    lines = [line.strip("# ") for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    if "NotUnique" in lines[0]:
        return Refusal("ambiguous", lines[0])
    if "NoMatch" in lines[0] or lines[0].endswith("failed to match!"):
        return Refusal("no_match", lines[0])
    # For a malformed block it quotes all the text so far, and says on the last line what it expected.
    return Refusal("malformed", lines[-1] if isinstance(error, ValueError) else repr(error))


def _fenced(patch: str) -> str:
    """The patch as aider asks models to write it: each file's diff in a fence that starts with its two names.

    aider reads nothing outside fences, and no names below git's own header lines.
    """
    lines = patch.splitlines(keepends=True)
    if any(line.startswith(_FENCE) for line in lines):
        return patch
    starts = [n for n, line in enumerate(lines[:-1]) if line.startswith("--- ") and lines[n + 1].startswith("+++ ")]
    diffs = [lines[start:end] for start, end in zip(starts or [0], [*starts[1:], len(lines)], strict=True)]
    return "".join(f"{_FENCE}\n{_until_the_next(diff)}```\n" for diff in diffs)


def _until_the_next(diff: list[str]) -> str:
    ends = (n for n, line in enumerate(diff) if line.startswith("diff --git "))
    text = "".join(diff[: next(ends, len(diff))])
    return text if text.endswith("\n") else f"{text}\n"


if __name__ == "__main__":
    ways: dict[str, Callable[[Sample], dict[str, str]]] = {
        "aider_edit_block": _apply_blocks,
        "aider_udiff": _apply_diff,
        "dmp_characters": partial(_replaced, dmp_apply),
        "dmp_lines": partial(_replaced, dmp_lines_apply),
    }
    serve(ways[sys.argv[1]])

"""Rungs of one's own: functions of a Python file, or other strategies, each as one rung that is put in orders.

    rung:mine.py:squeeze      the function `squeeze` of the file, as `rung/squeeze`
    rung:cmd:fold=./fold      the program, as `rung/cmd/fold`; any other strategy likewise

A function gets the file text and the edit. It returns the new text, None if it finds no place, or an `EditResult`:

    def squeeze(content: str, edit: Edit) -> str | None:
        return content.replace(edit.old_string, edit.new_string) if content.count(edit.old_string) == 1 else None
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from corpora.sample import Sample
from editcore.errors import UsageError, did_you_mean
from editcore.formats import EDIT_FORMATS
from editcore.quoting import first_line
from editcore.text.document import Document
from editcore.types import Applied, Edit, EditResult, Match, Reason, Rejected
from harness.strategies.strategy import Strategy

SPEC, RUNG = "rung:", "rung/"
Function = Callable[[str, Edit], EditResult | str | None]


def rung_specs(named: str) -> list[str]:
    """The specs of the rungs that a Python file or a strategy stands for. Raises UsageError."""
    if not named.endswith(".py"):
        return [f"{SPEC}{named}"]
    names = list(functions_of(named))
    if not names:
        raise UsageError(f"{named} has no rung", "Write a function of two arguments: def mine(content, edit).")
    return [f"{SPEC}{named}:{name}" for name in names]


def rung_strategy(spec: str, find: Callable[[str], Strategy]) -> Strategy:
    """The strategy of a rung; `find` finds other strategies by name. Raises UsageError."""
    named = spec.removeprefix(SPEC)
    path, _, name = named.rpartition(":")
    if not path.endswith(".py"):
        one = find(named)
        return replace(one, name=f"{RUNG}{one.name}", written=spec)
    functions = functions_of(path)
    if name not in functions:
        raise UsageError(
            f"{path} has no function {name!r}", f"{did_you_mean(name, functions)}It has: {', '.join(functions)}."
        )
    function = functions[name]

    def apply(sample: Sample, _: Document | None) -> EditResult:
        return _applied(function, name, sample)

    summary = first_line(function.__doc__ or "") or f"A rung of {path}."
    return Strategy(
        f"{RUNG}{name}", frozenset(EDIT_FORMATS), apply, summary, source_version(Path(path)), path, written=spec
    )


def source_version(*paths: Path) -> str:
    """The hash of the bytes of files: the version of what is in them."""
    found = blake2b(digest_size=8)
    for path in paths:
        found.update(path.read_bytes())
    return found.hexdigest()


def source_files(module: ModuleType) -> list[Path]:
    """The Python files of a module; those of the whole package if it is in one, since a module may use the others."""
    package = sys.modules.get(module.__name__.partition(".")[0], module)
    folders = [Path(folder) for folder in getattr(package, "__path__", ())]
    inside = [path for folder in folders for path in folder.rglob("*.py") if path.is_file()]
    alone = [Path(module.__file__)] if module.__file__ and module.__file__.endswith(".py") else []
    return sorted(inside) or alone


def functions_of(path: str) -> Mapping[str, Function]:
    """Name -> function of two arguments that the file defines, in its order, without names that begin with `_`."""
    if not Path(path).is_file():
        raise UsageError(f"There is no {path}", "Name a Python file that defines the function.")
    return _defined(path, source_version(Path(path)))


@cache
def _defined(path: str, _version: str) -> Mapping[str, Function]:
    found = spec_from_file_location("editgauge_rungs", path)
    assert found
    assert found.loader
    module = module_from_spec(found)
    try:
        found.loader.exec_module(module)
    except Exception as error:
        raise UsageError(
            f"{path} cannot be imported: {type(error).__name__}: {first_line(error)}", "Mend it."
        ) from error
    return {
        name: one
        for name, one in vars(module).items()
        if inspect.isfunction(one) and one.__module__ == module.__name__ and not name.startswith("_")
        and len(inspect.signature(one).parameters) == 2
    }  # fmt: skip


def _applied(function: Function, name: str, sample: Sample) -> EditResult:
    """The edits of a sample, each applied by the function to the text that the edit before it left."""
    text, matches = sample.before[0].content, tuple[Match, ...]()
    for edit in sample.edits or ():
        found = function(text, edit)
        if found is None:
            return Rejected(Reason.NO_MATCH, f"{name} finds no place.")
        if isinstance(found, Rejected):
            return found
        text = found if isinstance(found, str) else found.content or ""
        matches = found.matches if isinstance(found, Applied) else ()
    return Applied(text, matches, name)

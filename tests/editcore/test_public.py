"""What editcore shows: its names, their docstrings, its table, its exceptions."""

from __future__ import annotations

import doctest
import inspect
import pickle
import re
import subprocess
import sys
from types import ModuleType

import pytest

import editcore
from editcore import REPLACERS, Applied, EditgaugeError, Reason, Rejected, UsageError, replace
from editcore.tiers import TIERS


def _kind_and_name(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, each by name: the order ruff keeps `__all__` in."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_all_is_sorted_and_is_what_is_public() -> None:
    public = {
        name
        for name in dir(editcore)
        if not (name.startswith("_") or name in ("annotations", "TYPE_CHECKING", "import_module"))
        and not isinstance(getattr(editcore, name), ModuleType)
    }
    assert editcore.__all__ == sorted(public, key=_kind_and_name)


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'editcore' has no attribute 'apply_patch'"):
        _ = editcore.apply_patch


def test_the_version_is_a_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", editcore.__version__)


def test_the_example_of_the_package_is_true() -> None:
    failed, attempted = doctest.testmod(editcore)
    assert attempted >= 2
    assert failed == 0


def test_the_table_is_in_the_order_of_the_reference_cascade() -> None:
    assert list(REPLACERS) == [
        "simple",
        "line_trimmed",
        "block_anchor",
        "whitespace_normalized",
        "indentation_flexible",
        "escape_normalized",
        "trimmed_boundary",
        "context_aware",
        "multi_occurrence",
    ]


@pytest.mark.parametrize("name", REPLACERS)
def test_a_replacer_is_called_as_in_the_table_and_says_what_it_does(name: str) -> None:
    replacer = REPLACERS[name]
    assert replacer.__name__ == name
    assert inspect.isgeneratorfunction(replacer)
    document = inspect.getdoc(replacer) or ""
    first, *rest = document.split("\n")
    assert first.endswith(".")
    assert len(first) > 20
    text = "\n".join(rest)
    assert re.search(r"\bForgives\b", text)
    assert re.search(r"\b(First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth)\b", text)
    assert re.search(r"^    find .*content|^    content", text, re.MULTILINE)
    assert "Known false positive" in text


def test_neither_table_can_be_changed() -> None:
    with pytest.raises(TypeError):
        REPLACERS["mine"] = REPLACERS["simple"]  # type: ignore[index]
    with pytest.raises(TypeError):
        editcore.CASCADES["mine"] = editcore.CASCADES["exact"]  # type: ignore[index]


@pytest.mark.parametrize("name", [name for name in editcore.__all__ if inspect.isclass(getattr(editcore, name))])
def test_every_public_class_has_a_first_sentence(name: str) -> None:
    document = inspect.getdoc(getattr(editcore, name)) or ""
    assert re.match(r"[A-Z`].+?[.:]", document.split("\n\n")[0], re.DOTALL)


class Misspelt(UsageError):
    """A user's mistake of another kind."""


@pytest.mark.parametrize("kind", [UsageError, Misspelt])
def test_a_usage_error_survives_pickling(kind: type[UsageError]) -> None:
    copy = pickle.loads(pickle.dumps(kind("what", "what to do")))
    assert type(copy) is kind
    assert (copy.message, copy.tip, str(copy)) == ("what", "what to do", "what\n  what to do")
    assert isinstance(copy, EditgaugeError)


@pytest.mark.parametrize("old", ["a", "b", "zz"])
def test_a_result_survives_pickling(old: str) -> None:
    result = replace("a\nb\nb\n", old, "c")
    assert pickle.loads(pickle.dumps(result)) == result
    assert isinstance(result, Applied | Rejected)


def test_reasons_are_words() -> None:
    assert {str(reason) for reason in Reason} == {reason.name.lower() for reason in Reason}
    assert f"{Reason.NO_MATCH}" == "no_match"


@pytest.mark.parametrize("module", ["editcore", "editcore.host.workspace"])
@pytest.mark.parametrize(
    ("used", "imported"),
    [("", {"editcore"}), ("import editcore; editcore.replace('a', 'b', 'c')", {"editcore", "rapidfuzz"})],
)
def test_editcore_imports_the_standard_library_and_rapidfuzz_where_an_edit_is_not_exact(
    module: str, used: str, imported: set[str]
) -> None:
    # Without site, which imports what the environment's .pth files name; its paths are given instead.
    paths = [path for path in sys.path if path]
    code = f"import sys; sys.path[:0] = {paths!r}; import {module}; {used or 'pass'}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-SI", "-c", code], capture_output=True, text=True, check=True)
    others = {name.partition(".")[0] for name in done.stdout.split()} - sys.stdlib_module_names - {"__main__"}
    # Extension modules made by Cython, as those of rapidfuzz are, leave two modules of their own.
    assert {name for name in others if not name.lstrip("_").startswith("cython")} == imported


def test_an_exact_edit_imports_the_tier_that_decides_it_and_no_other() -> None:
    paths = [path for path in sys.path if path]
    code = f"import sys; sys.path[:0] = {paths!r}; from editcore import replace; "
    code += "assert replace('a = 1', 'a = 1', 'a = 2').content; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-SI", "-c", code], capture_output=True, text=True, check=True)
    imported = {name for name in done.stdout.split() if name.startswith("editcore.")}
    for_others = {
        *(f"editcore.tiers.{name}" for name in ("advice", "drift", "elision", "repaired", "squeezed", "whole_lines")),
        *(f"editcore.tiers.merging.{name}" for name in ("frame", "merge")),
        *(f"editcore.replacers.{name}" for name in ("block_anchor", "by_line", "exact_text", "search")),
        *("editcore.stale", "editcore.text.encodings", "editcore.text.three_way"),
    }
    assert "editcore.tiers.exact" in imported
    assert not imported & for_others


def test_every_member_of_a_table_is_where_the_table_says() -> None:
    for table in (REPLACERS, TIERS):
        assert {name: member.__name__ for name, member in table.items()} == {name: name for name in table}

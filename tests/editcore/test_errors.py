"""Errors about packages that are not installed, and the tips that go with unknown names."""

from __future__ import annotations

import sys

import pytest

from editcore import CASCADES, REPLACERS
from editcore.errors import UsageError, check_installed, did_you_mean, importing


def test_a_missing_package_is_named_with_the_extra_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError) as caught, importing("sql", needed_by="--where"):
        import duckdb  # noqa: F401
    assert caught.value.message == "--where needs duckdb, which is not installed"
    assert caught.value.tip == "Install it: pip install 'editgauge[sql]'."


def test_packages_are_looked_for_without_importing_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    check_installed("this", "sys", extra="tools", needed_by="grep")
    assert "this" not in sys.modules
    monkeypatch.setitem(sys.modules, "this", None)
    with pytest.raises(UsageError, match="grep needs this, no_such_package, which are not installed"):
        check_installed("this", "sys", "no_such_package", extra="tools", needed_by="grep")


def test_what_else_is_raised_goes_through() -> None:
    with pytest.raises(KeyError), importing("tools", needed_by="grep"):
        raise KeyError


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("line_trimed", REPLACERS, "Did you mean line_trimmed? "),
        ("opencode_1_7", CASCADES, "Did you mean opencode_1_17? "),
        ("abc1", ("abc2", "abc3", "abc4", "abc5"), "Did you mean abc5 or abc4 or abc3? "),
        ("something else", REPLACERS, ""),
        ("", REPLACERS, ""),
        ("x", (), ""),
    ],
)
def test_a_misspelt_name_is_answered_with_the_names_near_it(name: str, names: tuple[str, ...], expected: str) -> None:
    assert did_you_mean(name, names) == expected

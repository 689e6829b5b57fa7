"""Which lines are comments for people: by the name of the file, and where it is not known."""

from __future__ import annotations

import pytest

from editcore import Applied, Rejected, replace
from editcore.text.comments import is_comment

BODY = """    total = sum(values)
    if total > limit:
        raise ValueError(limit)
    store(total)
    report(total)
"""


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("# Check the length", "a/b.py"),
        ("    ## twice", "x.sh"),
        ("# all of it", "Makefile"),
        ("// why", "src/a.go"),
        ("/* why */", "a.css"),
        ("-- why", "q.sql"),
        (";; why", "a.el"),
        ("% why", "a.tex"),
        ("<!-- why -->", "a.md"),
        ("// why", None),
        ("// why", "a.unknown"),
        ("#", "a.py"),
    ],
)
def test_a_comment_is_one(line: str, path: str | None) -> None:
    assert is_comment(line, path)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("#header {", "a.css"),
        ("# Linux", "a.md"),
        ("#ifdef X", "a.c"),
        ("#define", "a.h"),
        ("# unknown language", None),
        ("#!/bin/sh", "a.sh"),
        ("# type: ignore", "a.py"),
        ("# noqa: E501", "a.py"),
        ("# -*- coding: utf-8 -*-", "a.py"),
        ("# shellcheck disable=SC2086", "a.sh"),
        ("//nolint:revive", "a.go"),
        ("//go:build linux", "a.go"),
        ("// eslint-disable-next-line", "a.js"),
        ("// @ts-ignore", "a.ts"),
        ("// prettier-ignore", "a.ts"),
        ("*out = *in;", "a.c"),
        ("--flag", None),
        ("x = 1  # set", "a.py"),
    ],
)
def test_code_and_what_tools_read_is_none(line: str, path: str | None) -> None:
    assert not is_comment(line, path)


@pytest.mark.parametrize(("path", "is_taken"), [("a.py", True), ("a.css", False), (None, False)])
def test_a_comment_that_drifted_is_forgiven_where_the_name_of_the_file_says_that_it_is_one(
    path: str | None, is_taken: bool
) -> None:
    text = f"# Sums up the values\n{BODY}"
    old = f"# Sum of the values\n{BODY}"
    result = replace(text, old, old.replace("report(", "log("), path=path)
    if is_taken:
        assert isinstance(result, Applied)
        assert result.content == text.replace("report(", "log(")
    else:
        assert isinstance(result, Rejected)

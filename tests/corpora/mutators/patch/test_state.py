"""Patches for files that have changed."""

from __future__ import annotations

import pytest

from corpora.mutators.patch.state import MUTATORS
from tests.corpora.mutators.patch_text import cases, described

_DAMAGE = r"""
already_applied_diff 1 two
before src/store.py -        if size < LIMIT:
before src/store.py +        if size <= LIMIT:
before src/store.py +        log(path)
before src/store.py -        check(path)
before src/store.py -        write(path)
before src/store.py +        put(path)
before src/store.py -        sync(path)
before src/text.py +    check(words)
before src/text.py +    count(words)
already_applied

removed_lines_gone_diff 2 two
before src/store.py -        check(path)
before src/store.py -        sync(path)
line_gone

context_gone_diff 2 two
before src/store.py -    def save(self, path):
before src/store.py -        check(path)
before src/store.py -        write(path)
before src/store.py -        sync(path)
before src/store.py -        return path
line_gone

lines_rewritten_diff 2 two
before src/store.py -    def load(self, path):
before src/store.py +    def entry(self, handle):
before src/store.py -        if size < LIMIT:
before src/store.py +        if draft < PACKET:
before src/store.py -        data = read(path)
before src/store.py +        label = handle(draft)
before src/store.py -    def save(self, path):
before src/store.py -        check(path)
before src/store.py -        write(path)
before src/store.py -        sync(path)
before src/store.py +    def offset(self, margin):
before src/store.py +        group(entry)
before src/store.py +        entry(handle)
before src/store.py +        group(amount)
before src/store.py -        return path
before src/store.py +        return batch
before src/text.py -    return words[-1]
before src/text.py +    return offset[-1]
stale

two_equal_diff 2 one
-@@ -10,10 +10,11 @@
+@@
-@@ -23,7 +24,5 @@
+@@
before src/store.py +        return total
before src/store.py +
before src/store.py +    def save(self, path):
before src/store.py +        check(path)
before src/store.py +        write(path)
before src/store.py +        sync(path)
before src/store.py +        return path
before src/store.py +
before src/store.py +        return total
before src/store.py +
before src/store.py +    def save(self, path):
before src/store.py +        check(path)
before src/store.py +        write(path)
before src/store.py +        sync(path)
before src/store.py +        return path
before src/store.py +
two_equal

two_equal_right_number 2 tiny
-@@ -1,2 +1,2 @@
+@@ -1,5 +1,5 @@
+·
+ first = 1
+ last = 2
before a.py +first = 1
before a.py +last = 2
before a.py +
before a.py +first = 1
before a.py +last = 2
before a.py +
target a.py +first = 1
target a.py +last = 2
target a.py +
target a.py +first = 1
target a.py +last = 2
target a.py +
"""


@pytest.mark.parametrize(("name", "severity", "which", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, which: str, lines: list[str]) -> None:
    assert described(MUTATORS, name, severity, which) == lines

"""A patch in what carries it gives what it gives alone."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable

import pytest

from editcore import EditResult, apply_begin_patch, apply_search_replace, apply_unified_diff
from tests.results import files_after

FILES = {"a.py": 'a = 1\nit\'s = "2"\nc = $x\nd = `\\n`\n'}
DIFF = '--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,4 @@\n a = 1\n-it\'s = "2"\n+it\'s = "two"\n c = $x\n d = `\\n`\n'
ENVELOPE = (
    '*** Begin Patch\n*** Update File: a.py\n@@\n a = 1\n-it\'s = "2"\n+it\'s = "two"\n c = $x\n d = `\\n`\n'
    "*** End Patch\n"
)
BLOCK = '<<<<<<< SEARCH\nit\'s = "2"\n=======\nit\'s = "two"\n>>>>>>> REPLACE\n'
AFTER = {"a.py": FILES["a.py"].replace('"2"', '"two"')}


def _double_quoted(text: str) -> str:
    for sign in '\\"$`':
        text = text.replace(sign, f"\\{sign}")
    return f'"{text}"'


def _here(text: str) -> str:
    return f"<<'EOF'\n{text}EOF\n"


CARRIERS: dict[str, Callable[[str], str]] = {
    "nothing": str,
    "a here-document": lambda text: f"apply {_here(text)}",
    "a pipe": lambda text: f"cat <<'EOF' | git apply --3way -\n{text}EOF\n",
    "a word in quotes as the end": lambda text: f'apply <<"PATCH" && make\n{text}PATCH\nmake test\n',
    "tabs": lambda text: "apply <<-E\n" + "".join(f"\t{line}\n" for line in text.split("\n")[:-1]) + "\tE\n",
    "a subshell": lambda text: f' (cd "$(git rev-parse --show-toplevel)" && git apply {_here(text)})\n',
    "quotes": shlex.quote,
    "an argument": lambda text: f"apply {shlex.quote(text)}\n",
    "an argument in double quotes": lambda text: f"apply {_double_quoted(text)}",
    "a command in a command": lambda text: f"bash -lc {shlex.quote('apply ' + _here(text))}",
    "arguments": lambda text: json.dumps(["apply", text]),
    "arguments with a here-document": lambda text: json.dumps(["bash", "-lc", f"cat {_here(text)}"]),
    "a call": lambda text: json.dumps({"command": ["apply", _here(text)]}),
    "a call in a fence": lambda text: f"```bash\napply {_here(text)}```\n",
}


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize(
    ("apply", "patch"), [(apply_unified_diff, DIFF), (apply_begin_patch, ENVELOPE), (apply_search_replace, BLOCK)]
)
def test_a_patch_is_read_in_what_carries_it(carrier: str, apply: Callable[..., EditResult], patch: str) -> None:
    assert files_after(apply(FILES, CARRIERS[carrier](patch))) == AFTER


def test_a_here_document_with_a_part_of_the_patch_outside_is_not_the_patch() -> None:
    hunk = DIFF.partition("@@")[2]
    result = apply_unified_diff(FILES, f"cat {_here(DIFF)}@@ {hunk}")
    assert result.files is None or files_after(result) != AFTER

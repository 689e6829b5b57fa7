"""Trees: equal but for layout and comments, with errors, or other ones; in every language there is a grammar for."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editcore.grammars import GRAMMARS
from harness.run.syntax import parser
from harness.run.syntax.parser import ParserProcess
from harness.run.syntax.trees import is_same, parsed, parsed_like, source

CASES = {
    "bash": ("if a; then\n  b  # c\nfi\n", "if a; then\n\n b\nfi\n", "if a; then\n  c\nfi\n", "if a; then\n  b\n"),
    "c": ("int f(void) {\n  return 1; /* c */\n}\n", "int f(void)\n{ return 1; }\n", "int f(void) { return 2; }",
          "int f( {"),
    "cpp": ("template<class T> T f() { return T(); }", "template<class T>\nT f()\n{ return T(); }", "T f() {}",
            "T f( {"),
    "csharp": ("class A { int x = 1; }", "class A\n{\n  int x = 1; // c\n}", "class A { int x = 2; }", "class A { int"),
    "css": ("a { b: c }", "a {\n  b: c\n}\n/* c */", "a { b: d }", "a { b: c"),
    "go": ("package a\nfunc f() int {\n\treturn 1\n}\n", "package a\n\nfunc f() int {\n  return 1 // c\n}\n",
           "package a\nfunc f() int {\n\treturn 2\n}\n", "package a\nfunc f( {\n"),
    "html": ("<p>a <b>b</b></p>", "<p>\n  a\n  <b>b</b>\n</p><!-- c -->", "<p>a <i>b</i></p>",
             "<p>a <b>b</b></p></div>"),
    "java": ("class A { int x = 1; }", "class A {\n  // c\n  int x = 1;\n}", "class A { int y = 1; }", "class A { int"),
    "javascript": ("f(1, `a ${b} c`)", "f( 1,\n  `a ${b} c`) // c", "f(1, `a  ${b} c`)", "f(1, "),
    "json": ('{"a": [1, 2]}', '{\n  "a": [1,2]\n}', '{"a": [1, 3]}', '{"a": [1, 2]'),
    "jsx": ("x = <p>a b</p>", "x = <p>\n  a\n  b\n</p>", "x = <p>a c</p>", "x = <p>a b"),
    "markdown": ("# a\n\n- b\n", "#   a\n\n\n- b\n", "# a\n\n- c\n", None),
    "php": ("<?php f(1);", "<?php\n// c\nf( 1 );", "<?php f(2);", "<?php f(1"),
    "python": ("if a:\n    b()  # c\n    c('x  y')\n", "if a :\n  b( )\n\n  c('x  y')\n", "if a:\n    b()\nc('x  y')\n",
               "if a:\n    b()\n      c('x  y')\n"),
    "ruby": ("def f\n  1 # c\nend\n", "def f\n      1\n\nend\n", "def f\n  2\nend\n", "def f(\n"),
    "rust": ("fn f() -> i32 { 1 }", "fn f() -> i32 {\n    1 // c\n}", "fn f() -> i32 { 2 }", "fn f( -> {"),
    "toml": ("[a]\nb = 1\n", "[a]\n\nb=1 # c\n", "[a]\nb = 2\n", "[a\nb = 1\n"),
    "tsx": ("const x: A = <p>{a}</p>", "const x:A = <p>{ a }</p>", "const x: B = <p>{a}</p>", "const x: A = <p>{a}"),
    "typescript": ("let x: A = 1;", "let x :A\n  = 1; // c", "let x: B = 1;", "let x: = 1;"),
    "yaml": ("a:\n  b: 1\n  c: 2\n", "a:\n    b: 1   # c\n    c: 2\n", "a:\n  b: 1\nc: 2\n", "a:\n  b: 1\n c: 2\n"),
}  # fmt: skip
"""Language -> a text, the same in another layout, another tree, and one that is broken (None: no text is)."""


@pytest.mark.parametrize("language", GRAMMARS)
def test_layout_and_comments_do_not_count_and_the_rest_does(language: str) -> None:
    text, same, other, broken = CASES[language]
    right, alike, differs = (parsed(language, source(one)) for one in (text, same, other))
    assert right
    assert alike
    assert differs
    assert (right.n_errors, alike.n_errors, differs.n_errors) == (0, 0, 0)
    assert is_same(right, alike)
    assert is_same(alike, right)
    assert not is_same(right, differs)
    if broken is not None:
        torn = parsed(language, source(broken))
        assert torn
        assert torn.n_errors


def test_a_language_without_a_grammar_has_no_tree() -> None:
    assert parsed("cobol", b"x") is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("s = 'a\\n  b'\n", "s = 'a\\n b'\n", False),
        ('s = """\n  a\n"""\n', 's = """\n    a\n"""\n', False),
        ("s = ('a'\n     'b')\n", "s = ('a' 'b')\n", True),
        ("s = f'{a}  {b}'\n", "s = f'{ a }  {b}'\n", True),
        ("s = f'{a}  {b}'\n", "s = f'{a} {b}'\n", False),
        ("x = a + \\\n    b\n", "x = a + b\n", True),
        ("\ufeffx = 1\r\n", "x = 1\n", True),
        ("def f():\n    'doc'\n", "def f():\n    'dot'\n", False),
        ("x = 1\n" * 500 + "y = 2\n" + "z = 3\n" * 500, "x = 1\n" * 500 + "y =  2\n" + "z = 3\n" * 500, True),
        ("x = 1\n" * 500 + "y = 2\n" + "z = 3\n" * 500, "x = 1\n" * 500 + "y = 4\n" + "z = 3\n" * 500, False),
    ],
)
def test_whitespace_within_values_counts_in_python(one: str, other: str, same: bool) -> None:
    left, right = parsed("python", source(one)), parsed("python", source(other))
    assert left
    assert right
    assert is_same(left, right) is same


PIECES = st.lists(
    st.sampled_from(
        ["if a:", "    ", "  ", "\t", "\n", "\n    ", "x", "x = 1", "def f():", "else:", "; ", "# c", '"""a\nb"""']
    ),
    max_size=9,
).map("".join)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("if a:\n    b\n      c\n", True), ("if a:\nb\n", True), ("if a:\n    b\n  c\n", True),
        ("if a:\n\tb\n        c\n", True), ("if a: b\n", False), ('if a:\n  """x\ny"""\n  b\n', False),
        ("print 'in Python 2'\n", False), ("exec 'x'\nif a:\n    b\n", False),
    ],
)  # fmt: skip
def test_an_indentation_that_python_refuses_is_an_error(text: str, is_refused: bool) -> None:
    found = parsed("python", source(text))
    assert found
    assert bool(found.n_errors) is is_refused


@settings(max_examples=100)
@given(PIECES, PIECES, PIECES, PIECES)
def test_a_changed_text_has_the_errors_of_the_text_alone(head: str, old: str, new: str, tail: str) -> None:
    before, after = parsed("python", source(head + old + tail)), parsed("python", source(head + new + tail))
    assert before
    assert after
    assert parsed_like(before, source(head + new + tail)).n_errors == after.n_errors


@settings(max_examples=100)
@given(st.sampled_from(sorted(set(GRAMMARS) - {"yaml"})), st.text("a(<{'\"\n `:-#", max_size=30))
def test_a_text_is_the_same_as_itself(language: str, text: str) -> None:
    one, other = parsed(language, source(text)), parsed(language, source(text))
    assert one
    assert other
    assert is_same(one, other)


@pytest.mark.parametrize("language", sorted(CASES))
def test_a_tree_made_from_another_is_the_one_of_the_text_alone(language: str) -> None:
    texts = [text for text in CASES[language] if text is not None]
    for one in texts:
        right = parsed(language, source(3 * one))
        assert right
        for other in texts:
            text = one + other + one
            fresh, made = parsed(language, source(text)), parsed_like(right, source(text))
            assert fresh
            assert (str(made.tree.root_node), made.n_errors) == (str(fresh.tree.root_node), fresh.n_errors)
            assert made.tree.root_node.byte_range == fresh.tree.root_node.byte_range


# The process that parses: it survives the texts that kill it, and bounds them.


@pytest.fixture
def process() -> Iterator[ParserProcess]:
    found = ParserProcess()
    yield found
    found.stop()


def test_a_process_answers_with_the_severity(process: ParserProcess) -> None:
    for text, severity in ((b"x = 1 # c\n", "same_tree"), (b"x = 2\n", "other_tree"), (b"x = (\n", "broken")):
        assert process.severity("python", b"x = 1\n", text) == severity
    assert process.severity("python", b"x = (\n", b"x = 1\n") == "unknown"
    assert process.severity("python", b"x = (\n", b"x = (((\ny = ]]]\n ) ) )\n") in ("broken", "unknown")
    assert process.severity("python", source("s = '\ud800'\n"), source("s = '\udfff'\n")) in ("other_tree", "unknown")


def test_a_language_without_a_grammar_has_no_answer_and_the_next_one_has(process: ParserProcess) -> None:
    assert process.severity("cobol", b"x", b"y") is None
    first = process._process
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"
    assert process._process is first


DEEP = "".join(" " * level + "a:\n" for level in range(1200))


@pytest.mark.parametrize(
    ("language", "text"),
    [("yaml", DEEP), pytest.param("java", "a<" * 50_000, marks=pytest.mark.slow),
     pytest.param("bash", "a|" * 25_000, marks=pytest.mark.slow)],
    ids=["crash", "endless", "memory"],
)  # fmt: skip
def test_a_text_that_kills_the_parser_has_no_answer_and_the_next_one_has(
    process: ParserProcess, language: str, text: str
) -> None:
    assert process.severity(language, b"a: 1\n", text.encode()) is None
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"


@pytest.mark.parametrize("opening", ["(", "[", "x = [", "if x:\n", "f(", "not "])
def test_deep_nesting_is_answered(process: ParserProcess, opening: str) -> None:
    assert process.severity("python", b"x\n", opening.encode() * 20_000) in ("broken", None)


def test_a_process_that_somebody_kills_is_replaced(process: ParserProcess) -> None:
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"
    assert process._process
    os.kill(process._process.pid, signal.SIGKILL)
    process._process.wait()
    assert process.severity("python", b"x\n", b"y\n") is None
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"


def test_a_process_that_hangs_is_given_up(process: ParserProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    assert process.severity("python", b"x\n", b"y\n") == "other_tree"
    assert process._process
    monkeypatch.setattr(parser, "_WALL_S", 0.1)
    os.kill(process._process.pid, signal.SIGSTOP)
    assert process.severity("python", b"x\n", b"y\n") is None

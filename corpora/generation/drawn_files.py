"""Drawn files: short texts in twelve languages, full of lines that heuristics misread.

Examples are keys that are numbers, lists with a minus sign, quotations, escapes and entities in strings, headings and
directives that begin like comments, spread operators, and nested blocks. Most lines of a file differ from each other,
which makes the place of an edit certain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType

_NAMES = (
    "path", "max_size", "load_all", "Reader", "limit", "fetchRow", "total", "items", "index", "user_id", "count",
    "parse", "result", "config", "logger", "width", "height", "color", "token", "session", "buffer", "offset", "retry",
    "timeout", "message", "status", "handler",
)  # fmt: skip
_TEXTS = (
    "it's", "done", "a \\n b", "\\t", "\\\\d+", "say \\\"hi\\\"", "&amp; &lt;b&gt;", "10\u00a0km", "caf\u00e9",
    "\u201cquoted\u201d", "a \u2013 b", "x -> y", "100 %", "...", "a  b", "$1", "C:\\\\new", "/usr/bin",
)  # fmt: skip
_DEEPER, _SHALLOWER = "»", "«"
"""Marks at the end of a line: the lines below are indented deeper; this line is indented less."""
_LINES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        ".py": (
            "{a} = {b} + {n}", "def {a}({b}, {c}={n}):»", "if {a} > {n}:»", "return {a}({b})", "# {a} of the {b}, {n}",
            'print("{t}", {a})', "{a}.{b}({c})  # {t}", "{n}: {a},", "-{a} * {b}", "for {a} in {b}:»",
            "with {a}({n}) as {b}:»", "else:»", "assert not {a}", "@{a}", "#!/usr/bin/env {a}", "# type: ignore {n}",
        ),
        ".ts": (
            "const {a} = {b}({n});", "if ({a} > {n}) {{»", "return `{t}${{{a}}}`;", "// {a} and {b}, {n}", "...{a},",
            '{a}: "{t}",', "{a}: {n},", "export function {a}({b}: number) {{»", "}}«", "await {a}.{b}({c});",
            "/* {a} {n} */", "{n}: {a},", "<{a} {b}={{{c}}} />", "import {{ {a} }} from \"./{b}\";",
        ),
        ".c": (
            "int {a} = {n};", "#ifdef {a}", "#include <{a}.h>", "#define {a} {n}", "*{a} = {b}[{n}];",
            "if ({a} < {b}) {{»",
            "}}«", "return {a} - {b};", "/* {a}, {n} */", "// {t} {a}", "{a}->{b} += {n};", 'printf("{t}", {a});',
        ),
        ".go": (
            "{a} := {b}({n})", "if {a} != nil {{»", "}}«", "func {a}({b} int) error {{»", "return {a}, nil",
            "// {a} is {b}, {n}", "case {n}:", 'fmt.Println("{t}", {a})', "{a}[{n}] = {b}",
        ),
        ".rs": (
            "let mut {a} = {b}.{c}({n});", "match {a} {{»", "}}«", "{n} => {a},", "#[derive({a})]", "// {a} of {b}",
            "/// {a} {n}", 'println!("{t}", {a});', "fn {a}({b}: &str) -> u32 {{»",
        ),
        ".sh": (
            "{a}={n}", "# {a} the {b} {n}", 'echo "{t} ${a}"', "if [ {a} -gt {n} ]; then»", "fi«", "rm -rf {a} {b}",
            "--{a} {b} \\", "export {a}='{t}'", "{a} | {b} > {c}.log", "-{a} {n}",
        ),
        ".yaml": (
            "{a}: {n}", "- {a}: {b}", "- {b}", "{a}:»", "# {a}, {n}", '{b}: "{t}"', "- name: {a} {n}", "{n}: {a}",
        ),
        ".md": (
            "# {a} {n}", "## {b} {a}", "- {a} and {b}", "{n}. {a} {b}", "> {a} {t}", "The {a} of the {b} is {n}.",
            "* {t} {a}", "| {a} | {n} |", "```", "`{a}` is not {b}...",
        ),
        ".css": (
            "#{a} {{»", ".{a} > .{b} {{»", "}}«", "{a}: {n}px;", "/* {a} {n} */", "--{a}: {n};",
            "@media ({a}: {n}px) {{»", "{b}: \"{t}\";",
        ),
        ".sql": (
            "SELECT {a}, {b} FROM {c}", "WHERE {a} > {n}", "-- {a} by {b}, {n}", "AND {a} = '{t}'",
            "ORDER BY {a} DESC;", "INSERT INTO {a} VALUES ({n}, {b});",
        ),
        ".java": (
            "private int {a} = {n};", "public void {a}(int {b}) {{»", "}}«", "// {a} {t}", "* {a} of {b}", "@{a}",
            'String {a} = "{t}";', "if ({a} == {n}) {{»", "{a}.{b}({c}, {n});", "case {n}:",
        ),
        ".html": (
            "<p>{a} {t}</p>", "<!-- {a} {n} -->", '<div id="{a}">»', "</div>«", '<a href="{b}">{n}</a>',
            "{a} &amp; {b}", "<li>{a} {n}</li>",
        ),
    }
)  # fmt: skip
LANGUAGES = tuple(_LINES)
"""The suffixes of drawn files."""


def drawn_file(random: Random) -> tuple[str, str]:
    """The name and text of a drawn file of 3 to 30 lines."""
    ending = random.choice(LANGUAGES)
    step = random.choice(("    ", "    ", "  ", "\t"))
    lines, depth = list[str](), random.choice((0, 0, 1, 2))
    for _ in range(random.randint(3, 30)):
        if lines and random.random() < 0.12:
            lines.append("")
            continue
        line = _line(random.choice(_LINES[ending]), random)
        if line.endswith(_SHALLOWER):
            depth = max(depth - 1, 0)
        lines.append(step * depth + line.rstrip(_DEEPER + _SHALLOWER))
        depth = min(depth + line.endswith(_DEEPER), 4) if random.random() < 0.85 else random.randint(0, 2)
    return f"{random.choice(_NAMES)}{ending}", "\n".join(lines) + random.choice(("\n", "\n", "\n", ""))


def _line(template: str, random: Random) -> str:
    def name() -> str:
        return random.choice(_NAMES) + random.choice(("", "", "_" + random.choice(_NAMES)))

    return template.format(
        a=name(), b=name(), c=name(), n=random.choice((random.randint(0, 9), random.randint(10, 9999))),
        t=random.choice(_TEXTS),
    )  # fmt: skip

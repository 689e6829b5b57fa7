"""The commands in a shell script and the files that they name, as far as its text shows, before it runs."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editcore.grammars import grammar

if TYPE_CHECKING:
    from tree_sitter import Node


# Commands that run no other program, whatever their arguments. Only these are offered with a pattern of their kind
# (`ls *`) for "always allow". It is an allow-list, because countless programs run others: wrappers (`env`, `setsid`,
# `busybox`), interpreters (`awk`, `python3.11`), and little-known options (`sort --compress-program`, `sed` with `e`,
# `git grep -O`, `printf -v 'a[$(...)]'`). Before you add a command, read its manual for programs that it runs and files
# that its options write.
FILE_COMMANDS = frozenset({
    "basename", "cat", "cd", "chgrp", "chmod", "chown", "cksum", "cmp", "comm", "cp", "cut", "df", "dirname", "du",
    "expand", "fold", "head", "ln", "ls", "md5sum", "mkdir", "mv", "nl", "paste", "pushd", "readlink", "realpath", "rm",
    "rmdir", "sha1sum", "sha256sum", "stat", "tac", "tail", "tee", "touch", "unexpand", "wc",
})  # fmt: skip
"""Commands whose arguments are paths, apart from options."""
PATTERN_COMMANDS = frozenset({"egrep", "fgrep", "grep"})
"""Commands whose arguments are a pattern and then paths."""
TEXT_COMMANDS = frozenset({
    ":", "date", "echo", "false", "id", "nproc", "popd", "pwd", "seq", "sleep", "tr", "true", "uname", "whoami",
})  # fmt: skip
"""Commands whose arguments are no paths."""
QUIET = FILE_COMMANDS | PATTERN_COMMANDS | TEXT_COMMANDS
QUIET_SUBCOMMANDS = {
    "git": frozenset({"describe", "ls-files", "ls-tree", "merge-base", "rev-parse", "show-ref", "status"})
}
"""Program -> subcommands that run no other program and write no file that an option names."""
WRITES_ARGUMENTS = frozenset({"tee"})
"""Commands that write to each file in their arguments, as a redirection does."""
ENTERS_DIRECTORIES = frozenset({"cd", "pushd"})


_MAX_BYTES = 10_000
"""Longer scripts are not parsed: the parser's time and memory can grow with the square (many GB for 50 KB of `a|`)."""
_MAX_DIRECTORIES = 16
"""Directories that a script may enter before its relative paths count as unknown."""
_COMMANDS = ("command", "declaration_command", "unset_command", "test_command", "variable_assignment")
_WITHIN = ("command", "declaration_command", "c_style_for_statement")
"""An assignment inside one of these is part of it, not a command."""
_DEVICES = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"})
_WILDCARD = re.compile(r"[*?[]")
_EVALUATED = re.compile(r"@P|^\$\{!")
"""An expansion that evaluates the value of a variable, or expands the variable whose name is the value."""
_REDIRECTION = re.compile(r"(?:\d+|\{\w+\})?(&>>?|>>|>\||>&|<>|>|<&|<)")


@dataclass(frozen=True, slots=True)
class Script:
    """The commands and paths in a script, before it runs."""

    commands: tuple[str, ...]
    """Each simple command with its redirections; the whole script if it can't be parsed or has over 10,000 bytes.

    A command that may run what it reads is listed with the whole pipeline that feeds it.
    """
    always: tuple[str, ...]
    """Patterns for the answer "always allow". A command that runs nothing else has a pattern of its kind (`git status
    *`). Any other command is itself the pattern; if it has wildcards there is none, since it would cover other
    commands.
    """
    paths: tuple[str, ...] = ()
    """Files and directories that the script names, as far as they are known before it runs; for a glob, its directory.

    After `cd`, a relative path is listed for each directory that the script may be in.
    """
    globs: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    """Paths that a redirection, or `tee`, writes to."""
    mentioned: tuple[str, ...] = ()
    """Words of other commands that look like paths outside the directory: `/a`, `~/a`, `../a`."""
    unknown: tuple[str, ...] = ()
    """Words for paths that are known only when the script runs; the whole script if it can't be parsed."""


def read_script(text: str) -> Script:
    """Parse a script, including its pipes, lists, substitutions and function bodies."""
    from tree_sitter import Parser

    data = text.encode()
    if len(data) > _MAX_BYTES:
        return Script((text,), _exactly(text), unknown=(text,))
    root = Parser(grammar("bash")).parse(data).root_node
    nodes = list(_nodes(root))
    shadowed = any(node.type == "function_definition" for node, *_ in nodes)
    commands: dict[str, tuple[str, ...]] = {}
    for node, above, feed in nodes:
        if _is_command(node, above):
            pattern = None if shadowed else _pattern(node)
            whole = above.type == "redirected_statement" and node.type in _COMMANDS
            exactly = _text(above if whole else node)
            if pattern is None and feed is not None:
                exactly = _text(feed)
            commands[exactly] = _exactly(exactly) if pattern is None else (pattern,)
    if root.has_error or not commands:
        commands = {text: _exactly(text)}
    found = _Paths()
    for node, *_ in nodes:
        found.add(node)
    if root.has_error:
        found.unknown = {text: None}
    always = dict.fromkeys(one for patterns in commands.values() for one in patterns)
    return Script(
        tuple(commands), tuple(always), tuple(found.paths), tuple(found.globs), tuple(found.writes),
        tuple(found.mentioned), tuple(found.unknown),
    )  # fmt: skip


def _nodes(root: Node) -> Iterator[tuple[Node, Node, Node | None]]:
    """All nodes below the root in the order of the text, each with its parent and with what feeds it.

    The parent is passed along because `Node.parent` would search the tree. What feeds a node is the outermost
    statement that sends it input by a pipe or a redirection. No recursion: a script may nest deeply.
    """
    waiting: list[tuple[Node, Node, Node | None]] = [(node, root, None) for node in reversed(root.named_children)]
    while waiting:
        node, above, feed = waiting.pop()
        yield node, above, feed
        source = feed or (node if node.type == "redirected_statement" and _reads_file(node) else None)
        below = []
        for n, child in enumerate(node.named_children):
            piped = node if node.type == "pipeline" and n else None
            if node.type == "heredoc_redirect" and child.type != "heredoc_body":
                piped = above  # The command after `<<E |`.
            below.append((child, node, source or piped))
        waiting += reversed(below)


def _reads_file(statement: Node) -> bool:
    """True if a redirection feeds a compound statement: `while ...; do ...; done < file`."""
    redirects = statement.children_by_field_name("redirect")
    return not _has_single_command(statement) and any(_text(one).lstrip("0123456789")[:1] == "<" for one in redirects)


def _is_command(node: Node, above: Node) -> bool:
    if node.type == "variable_assignment":
        return above.type not in _WITHIN
    if node.type == "file_redirect":
        return above.type == "redirected_statement" and not _has_single_command(above) and not _is_copy(node)
    if node.type == "expansion":
        return bool(_EVALUATED.search(_text(node)))
    if node.type == "subscript":  # An index is arithmetic, which runs the substitutions in a variable's value.
        index = node.child_by_field_name("index")
        return index is not None and re.fullmatch(r"\d+|[@*]", _text(index)) is None
    return node.type in _COMMANDS


def _has_single_command(statement: Node) -> bool:
    body = statement.child_by_field_name("body")
    return body is not None and body.type in _COMMANDS


def _is_copy(redirect: Node) -> bool:
    """True if the redirection duplicates another one: `2>&1`."""
    return bool(re.search(r"[<>]&\s*[\d-]+$", _text(redirect)))


def _exactly(command: str) -> tuple[str, ...]:
    """The pattern for this command alone; none if the command has wildcards."""
    return () if _WILDCARD.search(command) else (command,)


def _pattern(node: Node) -> str | None:
    """The pattern for commands of this kind; None if it might cover a command that runs something else."""
    name = node.child_by_field_name("name")
    # Variables set for a command come before its name, and can make it run anything (LD_PRELOAD, PATH).
    if name is None or node.type != "command" or name.start_byte != node.start_byte:
        return None
    program = _text(name)
    if program in QUIET:
        return f"{program} *"
    argument = next(iter(node.children_by_field_name("argument")), None)
    if argument is not None and _text(argument) in QUIET_SUBCOMMANDS.get(program, ()):
        return f"{program} {_text(argument)} *"
    return None


class _Paths:
    """The paths of a script, collected from its nodes in order."""

    def __init__(self) -> None:
        self.paths: dict[str, None] = {}
        self.globs: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        self.mentioned: dict[str, None] = {}
        self.unknown: dict[str, None] = {}
        self._directories = [""]
        """Directories that the script may be in at this point."""

    def add(self, node: Node) -> None:
        if node.type == "file_redirect" and not _is_copy(node):
            operator = _REDIRECTION.match(_text(node))
            is_write = operator is None or ">" in operator[1]
            for word in node.children_by_field_name("destination"):
                self._add_path(_text(word), is_write=is_write)
        elif node.type == "command":
            name = node.child_by_field_name("name")
            program = "" if name is None else _text(name)
            self._add_arguments(program, [_text(word) for word in node.children_by_field_name("argument")])

    def _add_arguments(self, program: str, words: list[str]) -> None:
        name = os.path.basename(program)
        if program in TEXT_COMMANDS:
            return
        takes_paths = name in FILE_COMMANDS | PATTERN_COMMANDS
        patterns = 1 if name in PATTERN_COMMANDS else 0
        is_past_options = False
        targets: list[str] = []
        for word in words:
            if word == "--":
                is_past_options = True
            elif word.startswith("-") and not is_past_options:
                value = word.partition("=")[2] if word.startswith("--") else word[2:]
                self._mention(value if value != "/" else "")  # A slash alone is a separator: `cut -d/`.
            elif patterns:
                patterns = 0
            elif not takes_paths:
                self._mention(word)
            else:
                targets.append(word)
        if name in ENTERS_DIRECTORIES and not targets:
            targets = ["~"] if words in ([], ["--"]) else []
        for word in targets:
            self._add_path(word, is_write=name in WRITES_ARGUMENTS)
            if name in ENTERS_DIRECTORIES:
                self._enter(word)

    def _mention(self, word: str) -> None:
        """Add the word if it looks like a path outside the directory."""
        path = _literal(word)
        if path is not None and (path.startswith("/") or ".." in path.split("/")) and path not in _DEVICES:
            self.mentioned |= dict.fromkeys(self._everywhere(_fixed(path)))

    def _add_path(self, word: str, *, is_write: bool) -> None:
        path = _literal(word)
        if path is None:
            self.unknown[word] = None
        elif path not in _DEVICES:
            self.paths |= dict.fromkeys(self._everywhere(_fixed(path)))
            if _fixed(path) != path:
                self.globs |= dict.fromkeys(self._everywhere(path))
                if is_write:
                    self.unknown[word] = None
            elif is_write:
                self.writes |= dict.fromkeys(self._everywhere(path))

    def _everywhere(self, path: str) -> list[str]:
        """The path from each directory that the script may be in."""
        return list(
            dict.fromkeys(os.path.join(directory, path) if directory else path for directory in self._directories)
        )

    def _enter(self, word: str) -> None:
        path = _literal(word)
        if path is None or len(self._directories) * 2 > _MAX_DIRECTORIES:
            self.unknown[word] = None
        else:
            self._directories = list(dict.fromkeys([*self._directories, *self._everywhere(path)]))


def _literal(word: str) -> str | None:
    """The text that a word expands to, wildcards unchanged; None if it depends on running the script."""
    text = re.sub(r"\$HOME\b|\$\{HOME\}", lambda _: os.path.expanduser("~"), word)
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if len(words) != 1 or re.search(r"\$|`|^[<>]\(|\{.*(?:,|\.\.).*\}", text, re.DOTALL):
        return None
    return os.path.expanduser(words[0]) if text.startswith("~") else words[0]


def _fixed(path: str) -> str:
    """The path; for a glob, the directory in front of its first wildcard."""
    fixed = _WILDCARD.split(path, maxsplit=1)[0]
    return fixed if fixed == path else os.path.dirname(fixed)


def _text(node: Node) -> str:
    return (node.text or b"").decode()

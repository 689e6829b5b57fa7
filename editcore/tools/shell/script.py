"""What a shell script will do, as far as its text shows: its commands, and the files that they name."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node

_MAX_BYTES = 10_000
"""Longer scripts are not parsed: the parser's time and memory can grow with the square (many GB for 50 KB of `a|`)."""
_COMMANDS = ("command", "declaration_command", "unset_command", "test_command", "variable_assignment")
_WITHIN = ("command", "declaration_command", "c_style_for_statement")
"""An assignment inside one of these is not a command."""
_TOUCHES_FILES = frozenset({"cat", "cd", "chmod", "chown", "cp", "mkdir", "mv", "pushd", "rm", "rmdir", "touch"})
_HAS_SUBCOMMANDS = frozenset({
    "apt", "apt-get", "aws", "brew", "bun", "bundle", "cargo", "composer", "conda", "deno", "docker", "dotnet",
    "gcloud", "gem", "gh", "git", "go", "gradle", "helm", "hg", "kubectl", "make", "mix", "mvn", "npm", "pip", "pip3",
    "pnpm", "podman", "poetry", "rails", "rustup", "svn", "systemctl", "terraform", "tox", "uv", "yarn",
})  # fmt: skip
_RUNS_ANYTHING = frozenset({
    ".", "awk", "bash", "builtin", "bunx", "command", "coproc", "dash", "doas", "env", "eval", "exec", "find", "ksh",
    "nice", "node", "nohup", "npx", "parallel", "perl", "php", "python", "python3", "ruby", "sh", "source", "ssh",
    "su", "sudo", "time", "timeout", "trap", "uvx", "watch", "xargs", "zsh",
})  # fmt: skip
_DEVICES = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero"})
_PLAIN = re.compile(r"[\w./+@:][\w./+@:-]*")
"""A plain word that is not an option."""


@dataclass(frozen=True, slots=True)
class Script:
    """The commands and paths in a script, before it runs."""

    commands: tuple[str, ...]
    """Each simple command with its redirections; the whole script where it can't be parsed or has over 10,000 bytes."""
    always: tuple[str, ...]
    """A pattern for commands like each of them (`git status *`); of a command that can run anything, itself alone."""
    paths: tuple[str, ...] = ()
    """Files and directories that it names, as far as they are known without running it."""


def read_script(text: str) -> Script:
    """Parse a script, including its pipes, lists, substitutions and function bodies."""
    from tree_sitter import Parser

    data = text.encode()
    if len(data) > _MAX_BYTES:
        return Script((text,), (text,))
    root = Parser(_bash()).parse(data).root_node
    nodes = list(_nodes(root))
    commands = {_text(_whole(node, above)): _always(node, above) for node, above in nodes if _is_command(node, above)}
    if root.has_error or not commands:
        commands = {text: text}
    paths = dict.fromkeys(path for node, _ in nodes for path in _paths(node))
    return Script(tuple(commands), tuple(dict.fromkeys(commands.values())), tuple(paths))


@cache
def _bash() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


def _nodes(root: Node) -> Iterator[tuple[Node, Node]]:
    """All nodes below the root in the order of the text, each with its parent (`Node.parent` would search the tree).

    Without recursion: a script may nest deeply.
    """
    waiting = [(node, root) for node in reversed(root.named_children)]
    while waiting:
        node, above = waiting.pop()
        yield node, above
        waiting += [(below, node) for below in reversed(node.named_children)]


def _is_command(node: Node, above: Node) -> bool:
    if node.type == "variable_assignment":
        return above.type not in _WITHIN
    if node.type == "file_redirect":
        return above.type == "redirected_statement" and not _has_single_command(above) and not _is_copy(node)
    return node.type in _COMMANDS


def _has_single_command(statement: Node) -> bool:
    body = statement.child_by_field_name("body")
    return body is not None and body.type in _COMMANDS


def _is_copy(redirect: Node) -> bool:
    """Whether it duplicates another redirection: `2>&1`."""
    return bool(re.search(r"[<>]&\s*[\d-]+$", _text(redirect)))


def _whole(node: Node, above: Node) -> Node:
    """A command with its redirections."""
    return above if above.type == "redirected_statement" and node.type != "file_redirect" else node


def _always(node: Node, above: Node) -> str:
    name = node.child_by_field_name("name")
    exactly = _text(_whole(node, above))
    if name is None or node.type != "command" or not _PLAIN.fullmatch(_text(name)):
        return exactly
    program, last = os.path.basename(_text(name)), name
    if program in _HAS_SUBCOMMANDS:
        last = next(iter(node.children_by_field_name("argument")), name)
        if last == name or not _PLAIN.fullmatch(_text(last)):
            return exactly
    if program in _RUNS_ANYTHING:
        return exactly
    # Variables set for the command come before its name and are part of the pattern.
    return (node.text or b"")[: last.end_byte - node.start_byte].decode() + " *"


def _paths(node: Node) -> Iterator[str]:
    words: list[Node] = []
    if node.type == "file_redirect" and not _is_copy(node):
        words = node.children_by_field_name("destination")
    elif node.type == "command" and (name := node.child_by_field_name("name")) and _text(name) in _TOUCHES_FILES:
        words = [word for word in node.children_by_field_name("argument") if not _text(word).startswith("-")]
    for word in words:
        path = _path(_text(word))
        if path is not None and path not in _DEVICES:
            yield path


def _path(word: str) -> str | None:
    """The path that a word names, for a glob its directory; None where it depends on running the script."""
    text = re.sub(r"\$HOME\b|\$\{HOME\}", lambda _: os.path.expanduser("~"), word)
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if len(words) != 1 or re.search(r"\$|`|^[<>]\(", text):
        return None
    path = os.path.expanduser(words[0]) if text.startswith("~") else words[0]
    fixed = re.split(r"[*?[]", path, maxsplit=1)[0]
    return fixed if fixed == path else os.path.dirname(fixed)


def _text(node: Node) -> str:
    return (node.text or b"").decode()

"""A shell command run on a copy of its files, in a sandbox: what `shell/bash` measures.

Two walls stand around a hostile command. It is read first: only programs that edit files run, with scripts that only
open, replace and write; paths outside the folder are not allowed. Then it runs in name spaces of its own: no network,
every file system but the folder read-only, no devices, no capabilities, limits on time, memory and sizes, and an empty
environment. Where the system has no such name spaces, nothing is run. What is not run raises `Unmeasured`.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from editcore.errors import Unmeasured
from editcore.host.workspace.boundary import writable_path
from editcore.shell.programs import PYTHON, Place
from editcore.shell.script import FILE_COMMANDS, PATTERN_COMMANDS, TEXT_COMMANDS, read_script
from editcore.shell.scripts_in_python import METHODS
from editcore.shell.simulation import parsed
from editcore.shell.words import MARK, HereDocument, expanded

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_S, _MAX_FILE, _MAX_FILES, _MAX_OUTPUT = 10, 16 << 20, 2_000, 4_000
_SETUP = """
mount --bind "$1" "$1" && mount -t tmpfs tmpfs /dev/shm && : > /dev/shm/null || exit 125
mount --bind /dev/null /dev/shm/null && mount --move /dev/shm /dev && mount -o remount,ro /dev || exit 125
while read -r _ at _; do
  case $at in "$1" | /dev | /dev/null) ;; *) mount -o remount,bind,ro,nosuid "$at" || : ;; esac
done < /proc/self/mounts 2> /dev/null
cd "$1/$2" || exit 125
ulimit -t 5 -f 16384 -v 2000000 -n 64
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all bash --norc --noprofile -c "$3"
"""
_SANDBOX = (
    "unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--ipc", "--fork", "--kill-child",
    "bash", "-c", _SETUP, "sandbox",
)  # fmt: skip
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nowhere"}
_PLAIN = (FILE_COMMANDS | PATTERN_COMMANDS | TEXT_COMMANDS) - {"chgrp", "chmod", "chown", "ln", "sleep"} | {
    "sort",
    "diff",
}
_KNOWN_NODES = (
    "program", "list", "pipeline", "redirected_statement", "command", "for_statement", "do_group", "if_statement",
    "else_clause", "negated_command", "variable_assignment", "compound_statement", "subshell",
)  # fmt: skip
_PERL = re.compile(r"(?:\s*s([/|#,!])(?:(?!\1)[^\\$@`]|\\.)*\1(?:(?!\1)[^\\$@`]|\\.)*\1[gimsx]*\s*;?)+", re.DOTALL)
_NAMES_IN_PYTHON = frozenset({
    "open", "print", "len", "str", "range", "enumerate", "min", "max", "list", "sorted", "bool", "any", "all", "Path",
    "re", "io", "sys", "pathlib",
})  # fmt: skip
_ATTRIBUTES_IN_PYTHON = METHODS | {
    "read", "write", "readlines", "writelines", "close", "read_text", "write_text", "read_bytes", "write_bytes", "sub",
    "subn", "search", "match", "compile", "escape", "S", "M", "I", "DOTALL", "MULTILINE", "IGNORECASE", "exit", "Path",
}  # fmt: skip


def run_on_a_copy(files: Mapping[str, str], command: str, place: Place) -> tuple[int, dict[str, str], str]:
    """The exit code, the files afterwards, and the end of the output. Raises Unmeasured for what is not run."""
    check_file_commands(command)
    if place.root and place.root in command:
        raise Unmeasured("absolute paths are not run")
    if not _has_sandbox():
        raise Unmeasured("this machine has no name spaces for a sandbox")
    with tempfile.TemporaryDirectory(prefix="editgauge-shell-") as name:
        folder = Path(name).resolve()
        for path, text in files.items():
            target = folder / writable_path(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode("utf-8", "surrogatepass"))
        (folder / place.cwd).mkdir(parents=True, exist_ok=True)
        code, output = _run(folder, place.cwd, command)
        return code, dict(_files_below(folder)), output


def _run(folder: Path, cwd: str, command: str) -> tuple[int, str]:
    try:
        done = subprocess.run(
            [*_SANDBOX, str(folder), cwd, command], env=_ENVIRONMENT, cwd="/", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_MAX_S, check=False, start_new_session=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unmeasured(f"the command took longer than {_MAX_S} s") from None
    except (OSError, ValueError) as error:
        raise Unmeasured(f"the command cannot be started ({type(error).__name__})") from None
    if done.returncode in (125, 126, 127):
        raise Unmeasured("a program of the command is not there, or the sandbox is not")
    return done.returncode, done.stdout[-_MAX_OUTPUT:].decode("utf-8", "replace")


def _files_below(folder: Path) -> Iterator[tuple[str, str]]:
    """Path and text of each file that the command left. A link is not followed."""
    n_files = 0
    for above, folders, names in os.walk(folder):
        for name in [*names, *(one for one in folders if (Path(above) / one).is_symlink())]:
            path = Path(above) / name
            n_files += 1
            if n_files > _MAX_FILES or path.is_symlink() or not path.is_file() or path.stat().st_size >= _MAX_FILE:
                raise Unmeasured("the command left a link, a device, or too much")
            try:
                yield path.relative_to(folder).as_posix(), path.read_bytes().decode()
            except UnicodeDecodeError:
                raise Unmeasured("the command left a file that is not UTF-8") from None


@cache
def _has_sandbox() -> bool:
    if not (shutil.which("unshare") and shutil.which("setpriv") and shutil.which("bash")):
        return False
    with tempfile.TemporaryDirectory() as name:
        try:
            return _run(
                Path(name).resolve(), ".", "{ echo ok > made && ! echo > /tmp/made; } 2> /dev/null && cat made"
            ) == (0, "ok\n")
        except Unmeasured:
            return False


def check_file_commands(command: str) -> None:
    """Raise Unmeasured, with the reason, unless a command consists of programs that edit files in its folder."""
    root, documents = parsed(command)
    # The rules by which the host asks for permission: unknown paths, and paths outside the folder.
    script = read_script((root.text or b"").decode().replace(MARK, "here"))
    outside = [one for one in (*script.paths, *script.globs) if _leaves(one)]
    if outside or script.unknown:
        raise Unmeasured(f"the path {[*outside, *script.unknown][0][:60]} is not allowed")
    if any(not one.is_literal and re.search(r"[$`\\]", one.text) for one in documents):
        raise Unmeasured("a here-document with expansions is not run")
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.type in ("command_substitution", "process_substitution", "expansion") or any(
            one.type == "&" for one in node.children
        ):
            raise Unmeasured(f"a {node.type.replace('_', ' ')} is not run")
        if node.type.endswith(("_statement", "_definition", "_command")) and node.type not in _KNOWN_NODES:
            raise Unmeasured(f"a {node.type.replace('_', ' ')} is not run")
        if node.type == "command":
            _check_command(node, documents)
        nodes += node.named_children


def _leaves(path: str) -> bool:
    """True if a path may lie outside the folder."""
    return path.startswith(("/", "~")) or ".." in path.split("/")


def _check_command(node: Node, documents: Sequence[HereDocument]) -> None:
    sources = [(one.text or b"").decode() for one in node.children if one.type not in ("herestring_redirect",)]
    if node.children[0].type == "variable_assignment":
        raise Unmeasured("a variable set for a command is not run")
    name = sources[0]
    if name in _PLAIN or name in ("true", "false", ":", "["):
        return
    check = _CHECKED.get("python" if PYTHON.fullmatch(name) else name)
    if check is None:
        raise Unmeasured(f"{name[:40]} is no file command")
    words = [_word(one) for one in sources[1:]]
    if check not in (_sed, _python) and any(map(_leaves, words)):
        raise Unmeasured("a path outside the folder is not allowed")
    check(words, [document.text for document in documents])


def _word(source: str) -> str:
    """The word; `_` for the value of a variable, which may be a path, and is no script that passes a check."""
    return "_" if re.fullmatch(r'"?(?:\$\w+|\$\{\w+\})"?', source) else expanded(source, {}).text


def _sed(words: Sequence[str], _: Sequence[str]) -> None:
    from editcore.shell.regexes import SedError
    from editcore.shell.sed import Run
    from editcore.shell.sed_scripts import options_of

    try:
        options = options_of(words, gnu=True)
        Run(options, gnu=True)
        if any(map(_leaves, options.files)):
            raise Unmeasured("a path outside the folder is not allowed")
    except SedError:
        return  # It refuses, and does nothing.


def _perl(words: Sequence[str], _: Sequence[str]) -> None:
    options = [one for one in words if one.startswith("-")]
    scripts = [words[at + 1] for at, one in enumerate(words[:-1]) if re.fullmatch(r"-[0-7pi]*e", one)]
    if (
        len(scripts) != 1
        or not all(re.fullmatch(r"-[0-7pie]+|-CSD", one) for one in options)
        or not _PERL.fullmatch(scripts[0])
    ):
        raise Unmeasured("a script of perl with more than s/// of plain texts is not run")


def _awk(words: Sequence[str], _: Sequence[str]) -> None:
    if any(re.search(r"system|getline|[|>@]|ARG|ENV|FILENAME *=", one) or one.startswith("-") for one in words):
        raise Unmeasured("a script of awk with more than lines and fields is not run")


def _ed(words: Sequence[str], given: Sequence[str]) -> None:
    lines = [line for text in given for line in text.split("\n")]
    if not given or any(re.match(r"[\d,$./;+-]*\s*(?:!|[reEfW]\b|w\s*\S)", line) for line in lines) or len(words) > 2:
        raise Unmeasured("a script of ed with other files is not run")


def _python(words: Sequence[str], given: Sequence[str]) -> None:
    sources = [words[1]] if words[:1] == ["-c"] and len(words) == 2 else given if not words or words == ["-"] else ()
    if not sources:
        raise Unmeasured("a script of Python in a file is not run")
    for source in sources:
        try:
            nodes = list(ast.walk(ast.parse(source)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # Python refuses it, too.
        own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in nodes:
            match node:
                case ast.Name(name) if name not in own | _NAMES_IN_PYTHON:
                    raise Unmeasured(f"a script of Python with {name[:40]} is not run")
                case ast.Attribute(_, attr) if attr not in _ATTRIBUTES_IN_PYTHON:
                    raise Unmeasured(f"a script of Python with .{attr[:40]} is not run")
                case ast.Import() | ast.ImportFrom():
                    names = {one.name for one in node.names} | (
                        {node.module or ""} if isinstance(node, ast.ImportFrom) else set()
                    )
                    if not names <= _NAMES_IN_PYTHON:
                        raise Unmeasured("a script of Python with other modules is not run")
                case ast.Constant(str(text)) if text.startswith(("/", "~")) and "\n" not in text and " " not in text:
                    raise Unmeasured("a script of Python with absolute paths is not run")


_CHECKED: Mapping[str, Callable[[Sequence[str], Sequence[str]], None]] = {
    "sed": _sed, "perl": _perl, "awk": _awk, "ed": _ed, "python": _python,
}  # fmt: skip
"""Programs that run with scripts that were checked."""

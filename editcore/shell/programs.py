"""What the programs do that a shell command calls, as far as it is worked out: to files, and to their output."""

from __future__ import annotations

import os.path
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from editcore.errors import Unmeasured
from editcore.quoting import shown
from editcore.shell.regexes import Regex, SedError
from editcore.shell.script import QUIET, QUIET_SUBCOMMANDS, TEXT_COMMANDS
from editcore.shell.scripts_in_python import Failed, run_python
from editcore.shell.sed import Run
from editcore.shell.sed_scripts import options_of

_MAX_SIZE, _MAX_READ = 16 << 20, 8 << 20
_LINE_WORK = 30
"""The characters that are read in the time in which a command of sed, or grep, works on a line."""
READS = QUIET | {
    "[", "test", "awk", "diff", "egrep", "fgrep", "file", "jq", "less", "nl", "rg", "sort", "uniq", "which",
}  # fmt: skip
"""Programs that change no file of their arguments. What a redirection writes of them is not known."""
_CHECKS: Mapping[str, frozenset[str]] = {
    "go": frozenset({"build", "test", "vet", "list"}), "cargo": frozenset({"build", "check", "test", "clippy"}),
    "golangci-lint": frozenset({"run"}), "npm": frozenset({"test"}), "pytest": frozenset({""}), "mypy": frozenset({""}),
    "git": QUIET_SUBCOMMANDS["git"] | {"diff", "log", "show", "grep", "blame"}, "gofmt": frozenset({"-l", "-d"}),
    "tsc": frozenset({"--noEmit"}), "make": frozenset({"test", "lint", "check"}),
}  # fmt: skip
"""Programs that read and report with one of these as their first argument, "" for any: files stay as they are."""
_FIXES = ("--fix", "-w", "--write", "-o", "--output", "-i", "--in-place", "-u")
PYTHON = re.compile(r"python[\d.]*")
_GREP_OPTIONS = re.compile(r"-[qnlrRhHEFsi]+|--(?:exclude|include)\S*")


class Place(NamedTuple):
    """Where a command runs: the paths of files are relative to the root."""

    cwd: str = ""
    """Relative to the root."""
    root: str = ""
    """The absolute path of the root, for a command with absolute paths; "" if nobody knows."""

    def path_of(self, word: str) -> str:
        """The path of a file that the command names. Raises Unmeasured for a path outside the root."""
        if word.startswith("~/") and (home := re.match(r"/(?:Users|home)/[^/]+", self.root)):
            word = home[0] + word[1:]
        if drive := re.match(r"/?([A-Za-z]):?/", word if self.root[1:2] == ":" else ""):
            word = f"{drive[1].upper()}:/{word[drive.end() :]}"
        is_absolute = word.startswith(("/", "~")) or (self.root[1:2] == ":" and word[1:2] == ":")
        path = posixpath.normpath(word if is_absolute else posixpath.join(self.root or "/", self.cwd, word))
        inside = os.path.commonpath([self.root, path]) == self.root if self.root else not is_absolute
        if not inside or (not self.root and ".." in word.split("/") and not _stays(self.cwd, word)):
            raise Unmeasured(f"the path {shown(word, limit=60)} is outside of the folder")
        return posixpath.relpath(path, self.root or "/")


def _stays(cwd: str, word: str) -> bool:
    return not posixpath.normpath(posixpath.join(cwd, word)).startswith("..")


@dataclass(slots=True)
class Part:
    """A change that a command asks for, in one file."""

    what: str
    """As it is written: `s/foo/bar/`."""
    path: str
    n_places: int
    lines: tuple[int, ...] = ()
    is_many: bool = False
    """True if the command itself says that several places are meant: a flag g, a range of lines."""


@dataclass(slots=True)
class Simulation:
    """The files after a command, and how they came about."""

    files: dict[str, str]
    before: Mapping[str, str]
    parts: list[Part] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    """Messages of programs that failed."""
    status: bool | None = True
    """False if the command ends with another exit code than 0; None if nobody knows."""
    ends_with: str | None = None
    """A program after the edits that may change files, such as a formatter; its changes are not known."""

    @property
    def is_unchanged(self) -> bool:
        return self.files == self.before


class Load(NamedTuple):
    """The files of a disk."""

    text_of: Callable[[str], str | None]
    """The text of a file; None if there is none. Raises Unmeasured for a file that is no text, or too large."""
    is_folder: Callable[[str], bool]


class Exit(Exception):
    """The command ends here."""


class Done(NamedTuple):
    """How a program or a node of the tree ends."""

    status: bool | None
    out: str | None = ""
    """None if it is not known."""


class Files:
    """The files that a command finds and leaves, as `Disk` has them, and where its programs run."""

    def __init__(self, given: Mapping[str, str], gnu: bool, place: Place, load: Load | None) -> None:
        self.result = Simulation(dict(given), dict(given))
        self.gnu, self.place, self.load = gnu, place, load
        below = tuple(given)
        self.is_folder = (
            load.is_folder if load else (lambda path: not below or any(one.startswith(f"{path}/") for one in below))
        )
        self.doubt: str | None = None
        """Why it is not known whether the current command runs at all."""
        self.path = ""
        """The file that was read last."""
        self._n_read = 0

    def read(self, path: str) -> str | None:
        self.path = self.place.path_of(path)
        found = self.text_of(self.path)
        self.spend(len(found or ""))
        return found

    def spend(self, n_characters: int) -> None:
        self._n_read += n_characters
        if self._n_read > _MAX_READ:
            raise Unmeasured("the command reads too much")

    def write(self, path: str, text: str) -> None:
        self.put(self.place.path_of(path), text)

    def changed(self, what: str, n_places: int, *, is_many: bool) -> None:
        self.result.parts.append(Part(what, self.path, n_places, is_many=is_many))

    def text_of(self, path: str) -> str | None:
        files = self.result.files
        if path not in files and self.load is not None and path not in self.result.before:
            found = self.load.text_of(path)
            if found is not None:
                files[path] = found
                self.result.before = {**self.result.before, path: found}
        return files.get(path)

    def put(self, path: str, text: str) -> None:
        if self.doubt:
            raise Unmeasured(self.doubt)
        if self.result.ends_with:
            raise Unmeasured(f"{self.result.ends_with} runs before a change, and may change files itself")
        if len(text) > _MAX_SIZE:
            raise Unmeasured("a file becomes too large")
        self.text_of(path)
        self.result.files[path] = text

    def fails(self, message: str) -> Done:
        self.result.failures.append(message)
        return Done(False, "")


def run_program(files: Files, words: list[str], given: str | None) -> Done:
    """What a program does, called with these words. `given` is its standard input."""
    name, *arguments = words
    if done := PROGRAMS.get(name):
        return done(files, arguments, given)
    if PYTHON.fullmatch(name):
        return _python(files, arguments, given)
    if name in ("perl", "ruby", "node", "ed", "ex") or (
        name == "awk" and re.search(r"[>|]|system|inplace", " ".join(arguments))
    ):
        raise Unmeasured(f"{name} is not worked out")
    first = arguments[0] if arguments else ""
    if name in _CHECKS and not set(arguments) & set(_FIXES) and _CHECKS[name] & {first, ""}:
        return Done(None, None)
    if name not in READS:
        files.result.ends_with = files.result.ends_with or name
    return Done(True if name in TEXT_COMMANDS else None, None)


def _cd(files: Files, words: list[str], _: str | None) -> Done:
    path = files.place.path_of(words[0] if len(words) == 1 else "-")
    if path != "." and not files.is_folder(path):
        return files.fails(f"cd: {words[0]}: No such file or directory")
    files.place = files.place._replace(cwd="" if path == "." else path)
    return Done(True)


def _cat(files: Files, words: list[str], given: str | None) -> Done:
    texts = []
    for word in words or ["-"]:
        if word.startswith("-") and word != "-":
            return Done(True, None)
        text = given if word == "-" else files.read(word)
        if text is None and word != "-":
            return files.fails(f"cat: {word}: No such file or directory")
        texts.append(text)
    return Done(True, None if None in texts else "".join(map(str, texts)))


def _echo(_: Files, words: list[str], __: str | None) -> Done:
    ends = "\n"
    while words and words[0] in ("-n", "-e", "-ne", "-en"):
        option = words.pop(0)
        ends = "" if "n" in option else ends
        if "e" in option and "\\" in " ".join(words):
            return Done(True, None)
    return Done(True, " ".join(words) + ends)


def _printf(_: Files, words: list[str], __: str | None) -> Done:
    form, *values = words or [""]
    escapes = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
    if re.search(r"%[^s%]|%$|\\[^nt\\\"']", form) or form.count("%s") - 2 * form.count("%%s") != len(values):
        return Done(True, None)
    values.reverse()
    of = lambda found: escapes[found[1]] if found[1] else "%" if found[0] == "%%" else values.pop()  # noqa: E731
    return Done(True, re.sub(r"\\(.)|%[s%]", of, form))


def _tee(files: Files, words: list[str], given: str | None) -> Done:
    appends = words[:1] == ["-a"]
    for word in words[appends:]:
        if word == "/dev/null":
            continue
        if given is None or word.startswith("-"):
            raise Unmeasured("what tee writes is known only when it runs")
        path = files.place.path_of(word)
        files.put(path, (files.text_of(path) or "") + given if appends else given)
    return Done(True, given)


def _copy(files: Files, words: list[str], _: str | None, *, moves: bool = False) -> Done:
    old, new = map(files.place.path_of, words[-2:]) if len(words) > 1 else ("", "")
    text = files.text_of(old)
    if text is None or any(one.startswith("-") for one in words) or len(words) > 2 or files.is_folder(new):
        raise Unmeasured("cp or mv with options, of a folder, or of a file that is not known")
    files.put(new, text)
    if moves:
        del files.result.files[old]
    return Done(True)


def _remove(files: Files, words: list[str], _: str | None) -> Done:
    for word in [one for one in words if one != "-f"]:
        path = files.place.path_of(word)
        if word.startswith("-") or (files.text_of(path) is None and "-f" not in words):
            raise Unmeasured("rm of a folder, or of a file that is not known")
        if files.text_of(path) is not None:
            files.put(path, "")
            del files.result.files[path]
    return Done(True)


def _touch(files: Files, words: list[str], _: str | None) -> Done:
    for word in words:
        path = files.place.path_of(word)
        if files.text_of(path) is None:
            files.put(path, "")
    return Done(True)


def _exit(files: Files, _: list[str], __: str | None) -> Done:
    if files.doubt:
        raise Unmeasured("an exit that depends on another program")
    raise Exit


def _grep(files: Files, words: list[str], _: str | None) -> Done:
    """The exit code of grep, and its output with -l: the names of the files that match."""
    given, rest = [one for one in words if one.startswith("-")], [one for one in words if not one.startswith("-")]
    options = "".join(one[1:] for one in given if not one.startswith("--"))
    if not rest or not all(map(_GREP_OPTIONS.fullmatch, given)):
        return Done(None, None)
    pattern, *names = rest
    try:
        source = re.sub(r"([.*^$\[\\])", r"\\\1", pattern) if "F" in options else pattern
        regex = Regex(source, extended="E" in options, gnu=files.gnu, ignore_case="i" in options)
        is_recursive = bool(set("rR") & set(options))
        if (not names and not is_recursive) or (files.load is not None and is_recursive):
            return Done(None, None)
        paths = [files.place.path_of(one) for one in names]
        texts = {one: files.text_of(one) for one in (files.result.files if is_recursive else paths)}
        files.spend(sum(_LINE_WORK * text.count("\n") for text in texts.values() if text))
        hits = [one for one, text in texts.items() if text and any(map(regex.search, text.encode().split(b"\n")))]
    except (Unmeasured, SedError):
        return Done(None, None)
    out = "".join(f"{posixpath.relpath(one, files.place.cwd or '.')}\n" for one in hits) if "l" in options else None
    return Done(bool(hits), "" if "q" in options else out)


def _xargs(files: Files, words: list[str], given: str | None) -> Done:
    while words and words[0] in ("-r", "-0", "--no-run-if-empty"):
        words = words[1:]
    if given is None or not words or words[0].startswith("-"):
        if words and words[0] in READS:
            return Done(None, None)
        raise Unmeasured("the files of xargs are known only when it runs")
    names = given.split()
    return run_program(files, [*words, *names], "") if names else Done(True)


def _sed(files: Files, words: list[str], given: str | None) -> Done:
    try:
        options = options_of(words, gnu=files.gnu)
        run = Run(options, gnu=files.gnu)
        if not options.files:
            return Done(True, None if given is None else _edited(files, run, given))
        outs, is_missing = list[str](), False
        for word in options.files:
            text = files.read(word)
            if text is None:
                is_missing = True
                files.result.failures.append(f"sed: can't read {word}: No such file or directory")
                continue
            after = _edited(files, run, text)
            outs.append(after)
            if options.in_place:
                _edited_in_place(files, run, options.suffix, text, after)
        return Done(not is_missing, "" if options.in_place else "".join(outs))
    except SedError as error:
        return files.fails(f"sed: {error}")
    except UnicodeEncodeError:
        raise Unmeasured("a text that is not UTF-8") from None


def _edited(files: Files, run: Run, text: str) -> str:
    files.spend(_LINE_WORK * text.count("\n") * len(run.commands))
    return run.edited(text)


def _edited_in_place(files: Files, run: Run, suffix: str, text: str, after: str) -> None:
    if suffix:
        files.put(files.path + suffix, text)
    if after != text or not suffix:
        files.put(files.path, after)
    for command in run.commands:
        if command.changes:
            is_many = command.is_global or len(command.addresses) > 1 or command.is_negated or command.name in "dy"
            part = Part(command.source, files.path, command.n_places, tuple(command.lines), is_many)
            files.result.parts.append(part)


def _python(files: Files, words: list[str], given: str | None) -> Done:
    source = given
    if words[:1] == ["-c"] and len(words) == 2:
        source = words[1]
    elif words[:2] and words not in ([], ["-"]):
        if words[:2] in (["-m", "pytest"], ["-m", "py_compile"], ["-m", "mypy"]):
            return Done(None, None)
        source = files.read(words[0]) if len(words) == 1 and not words[0].startswith("-") else None
    if source is None:
        files.result.ends_with = files.result.ends_with or "python"
        return Done(None, None)
    try:
        run_python(source, files)
    except Failed as error:
        return files.fails(str(error))
    return Done(True, None)


PROGRAMS: Mapping[str, Callable[[Files, list[str], str | None], Done]] = {
    "cd": _cd, "cat": _cat, "echo": _echo, "printf": _printf, "tee": _tee, "sed": _sed, "gsed": _sed, "rm": _remove,
    "cp": _copy, "mv": partial(_copy, moves=True), "touch": _touch, "grep": _grep, "xargs": _xargs, "exit": _exit,
    **dict.fromkeys(("mkdir", "set", "true", ":"), lambda *_: Done(True)), "false": lambda *_: Done(False),
}  # fmt: skip
"""(files, arguments, standard input) -> how it ends."""

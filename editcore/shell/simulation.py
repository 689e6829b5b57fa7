"""What a shell command does to files, worked out from its text: nothing is run.

    cd src && sed -i 's/foo/bar/' a.py && python3 - <<'EOF' ... EOF

`simulate` walks through the command as bash would: lists, pipes, `if`, literal `for`, redirections, here-documents.
Programs that edit are done as their modules do them, programs that only read are passed over. What is known only when
it runs (a variable of the environment, another program, a branch after a command whose exit code nobody knows) raises
`Unmeasured` as soon as a change of a file depends on it.
"""

from __future__ import annotations

import os.path
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from editcore.errors import Unmeasured, check_installed
from editcore.grammars import grammar
from editcore.quoting import shown
from editcore.shell.regexes import Regex, SedError
from editcore.shell.script import QUIET, QUIET_SUBCOMMANDS, TEXT_COMMANDS
from editcore.shell.scripts_in_python import Failed, run_python
from editcore.shell.sed import Run, options_of
from editcore.shell.words import MARK, HereDocument, expanded, in_double_quotes, without_documents

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_BYTES, _MAX_STEPS, _MAX_SIZE, _MAX_READ = 10_000, 5_000, 16 << 20, 8 << 20
_LINE_WORK = 30
"""The characters that are read in the time in which a command of sed, or grep, works on a line."""
_READS = QUIET | {
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
_IGNORED = ("comment", "heredoc_body")


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


class _Exit(Exception):
    pass


class _Done(NamedTuple):
    status: bool | None
    out: str | None = ""
    """None if it is not known."""


def parsed(command: str) -> tuple[Node, list[HereDocument]]:
    """The syntax tree of a command without its here-documents, and these. Raises Unmeasured if it has none."""
    check_installed("tree_sitter", "tree_sitter_bash", "re2", extra="tools", needed_by="the format shell")
    from tree_sitter import Parser

    text, documents = without_documents(command)
    data = text.encode("utf-8", "replace")
    if len(data) > _MAX_BYTES:
        raise Unmeasured(f"the command has over {_MAX_BYTES:,} bytes")
    root = Parser(grammar("bash")).parse(data).root_node
    if root.has_error:
        raise Unmeasured("the command cannot be parsed")
    return root, documents


def simulate(
    files: Mapping[str, str],
    command: str,
    *,
    gnu: bool = True,
    place: Place | None = None,
    load: Load | None = None,
) -> Simulation:
    """The files after a command. Raises Unmeasured if a change depends on what its text does not say.

    `load` reads a file that is not among `files`; without it there are no others, and a folder exists if a file is in
    it, or if there are no files.
    """
    root, documents = parsed(command)
    shell = _Shell(dict(files), documents, gnu, place or Place(), load)
    try:
        shell.result.status = shell.run(root).status
    except _Exit:
        shell.result.status = None
    except RecursionError:
        raise Unmeasured("the command nests too deeply") from None
    return shell.result


class _Shell:
    def __init__(
        self, files: dict[str, str], documents: Sequence[HereDocument], gnu: bool, place: Place, load: Load | None
    ) -> None:
        self.result = Simulation(files, dict(files))
        self._documents, self._gnu, self._place, self._load = documents, gnu, place, load
        before = tuple(files)
        self._is_folder = (
            load.is_folder if load else (lambda path: not before or any(one.startswith(f"{path}/") for one in before))
        )
        self._variables: dict[str, str] = {}
        self._doubt: str | None = None
        """Why it is not known whether the current command runs at all."""
        self._path, self._n_steps, self._n_read = "", 0, 0
        self._programs: dict[str, Callable[[list[str], str | None], _Done]] = {
            "cd": self._cd, "cat": self._cat, "echo": self._echo, "printf": self._printf, "tee": self._tee,
            "sed": self._sed, "gsed": self._sed, "rm": self._remove,
            "cp": lambda words, _: self._copy(words), "mv": lambda words, _: self._copy(words, moves=True),
            "touch": self._touch, "grep": self._grep, "xargs": self._xargs, "exit": self._exit,
            "mkdir": lambda *_: _Done(True), "set": lambda *_: _Done(True), "true": lambda *_: _Done(True),
            ":": lambda *_: _Done(True), "false": lambda *_: _Done(False),
        }  # fmt: skip

    # Files, as `Disk` has them.

    def read(self, path: str) -> str | None:
        self._path = self._place.path_of(path)
        found = self._text(self._path)
        self._spend(len(found or ""))
        return found

    def _spend(self, n_characters: int) -> None:
        self._n_read += n_characters
        if self._n_read > _MAX_READ:
            raise Unmeasured("the command reads too much")

    def write(self, path: str, text: str) -> None:
        self._put(self._place.path_of(path), text)

    def changed(self, what: str, n_places: int, *, is_many: bool) -> None:
        self.result.parts.append(Part(what, self._path, n_places, is_many=is_many))

    def _text(self, path: str) -> str | None:
        files = self.result.files
        if path not in files and self._load is not None and path not in self.result.before:
            found = self._load.text_of(path)
            if found is not None:
                files[path] = found
                self.result.before = {**self.result.before, path: found}
        return files.get(path)

    def _put(self, path: str, text: str) -> None:
        if self._doubt:
            raise Unmeasured(self._doubt)
        if self.result.ends_with:
            raise Unmeasured(f"{self.result.ends_with} runs before a change, and may change files itself")
        if len(text) > _MAX_SIZE:
            raise Unmeasured("a file becomes too large")
        self._text(path)
        self.result.files[path] = text

    def _fails(self, message: str) -> _Done:
        self.result.failures.append(message)
        return _Done(False, "")

    # Syntax.

    def run(self, node: Node, given: str | None = None) -> _Done:
        """Run a node of the tree. `given` is its standard input."""
        self._n_steps += 1
        if self._n_steps > _MAX_STEPS:
            raise Unmeasured("the command has too many steps")
        match node.type:
            case "program" | "do_group" | "compound_statement":
                return self._in_order(node.children)
            case "list":
                left, operator, right = node.children
                return self._after(self.run(left, given), operator.type == "&&", lambda: self.run(right))
            case "pipeline":
                done = _Done(True, given)
                for one in node.named_children:
                    done = self.run(one, done.out)
                return done
            case "subshell":
                place = self._place
                done = self._in_order(node.children)
                self._place = place
                return done
            case "negated_command":
                status, out = self.run(node.named_children[0], given)
                return _Done(None if status is None else not status, out)
            case "redirected_statement":
                body = node.child_by_field_name("body")
                return self._redirected(node.children_by_field_name("redirect"), body, given)
            case "for_statement":
                return self._for(node)
            case "if_statement":
                return self._if(node)
            case "variable_assignment":
                self._set(node)
                return _Done(True)
            case "command":
                return self._command(node, given)
            case "test_command":
                return _Done(None)
            case kind if kind in _IGNORED:
                return _Done(True)
            case kind:
                raise Unmeasured(f"a {kind.replace('_', ' ')} in the command")

    def _in_order(self, nodes: Sequence[Node]) -> _Done:
        out: str | None = ""
        status: bool | None = True
        for node in nodes:
            if node.type == "&":
                raise Unmeasured("a command in the background")
            if node.is_named and node.type not in _IGNORED:
                status, more = self.run(node)
                out = None if out is None or more is None else out + more
        return _Done(status, out)

    def _after(self, left: _Done, needs_success: bool, run: Callable[[], _Done]) -> _Done:
        """What `&& NODE` or `|| NODE` does after a command; `run` runs the node."""
        if left.status is None:
            doubted, self._doubt = (
                self._doubt,
                self._doubt or "a change that depends on the exit code of another program",
            )
            run()
            self._doubt = doubted
            return _Done(None, None)
        if left.status is not needs_success:
            return left
        status, out = run()
        return _Done(status, None if out is None or left.out is None else left.out + out)

    def _for(self, node: Node) -> _Done:
        name, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        if node.type != "for_statement" or name is None or body is None or node.children[0].type != "for":
            raise Unmeasured("a loop that is no literal for")
        done = _Done(True)
        for value in [word for one in node.children_by_field_name("value") for word in self._words(one)]:
            self._variables[_text(name)] = value
            done = self.run(body)
        return done

    def _if(self, node: Node) -> _Done:
        parts = node.children
        then = next(at for at, one in enumerate(parts) if one.type == "then")
        condition = self._in_order(parts[1:then])
        branches = [one for one in parts if one.type in ("elif_clause", "else_clause")]
        body = [one for one in parts[then + 1 :] if one not in branches and one.type != "fi"]
        if any(one.type == "elif_clause" for one in branches):
            raise Unmeasured("an elif in the command")
        doubted = self._doubt
        if condition.status is None:
            self._doubt = self._doubt or "a change that depends on the exit code of another program"
        done = _Done(True)
        if condition.status is not False:
            done = self._in_order(body)
        if condition.status is not True and branches:
            done = self._in_order(branches[0].children[1:])
        self._doubt = doubted
        return done

    def _set(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name" or "+=" in _text(node)[: len(_text(name)) + 2]:
            raise Unmeasured("an assignment that is not worked out")
        self._variables.pop(_text(name), None)
        with suppress(Unmeasured):  # It stays unknown then: what uses it is unmeasured.
            self._variables[_text(name)] = "" if value is None else expanded(_text(value), self._variables).text

    def _words(self, node: Node) -> list[str]:
        if node.type == "process_substitution":
            raise Unmeasured("a process substitution in the command")
        word = expanded(_text(node), self._variables)
        text = word.text if not word.text.startswith("~/") or _text(node)[0] == "~" else f"./{word.text}"
        if word.pattern is None:
            return [text]
        if self._load is not None:
            raise Unmeasured(f"which files {word.pattern[:60]} stands for is known only when it runs")
        pattern = self._place.path_of(word.pattern)
        names = [one for one in self.result.files if _matches(one, pattern)]
        return [posixpath.relpath(one, self._place.cwd or ".") for one in sorted(names)] or [text]

    def _redirected(self, redirects: Sequence[Node], body: Node | None, given: str | None) -> _Done:
        # The grammar puts a redirection around a whole list or pipe; it is that of the last command.
        if body is not None and body.type == "list":
            left, operator, right = body.children
            done = self.run(left, given)
            return self._after(done, operator.type == "&&", lambda: self._redirected(redirects, right, None))
        if body is not None and body.type == "pipeline":
            for one in body.named_children[:-1]:
                given = self.run(one, given).out
            body = body.named_children[-1]
        target: tuple[str, bool] | None = None
        is_silent = False
        for one in redirects:
            if one.type == "herestring_redirect":
                given = expanded(_text(one.named_children[0]), self._variables).text + "\n"
                continue
            sign = next(child.type for child in one.children if child.type != "file_descriptor")
            word = "".join(_text(child) for child in one.children_by_field_name("destination")[:1])
            descriptor = _text(one)[0] if _text(one)[0].isdigit() else ""
            if one.type != "file_redirect" or sign not in (">", ">>", "<", ">&", "&>", "&>>"):
                raise Unmeasured("a redirection that is not worked out")
            if sign == ">&" and word in ("1", "2"):
                continue
            if word.startswith(MARK):
                given = self._document(word)
                continue
            path = self._words(one.children_by_field_name("destination")[0])[0]
            if path == "/dev/null":
                is_silent = is_silent or (sign != "<" and descriptor != "2")
            elif sign == "<":
                given = self.read(path)
                if given is None:
                    return self._fails(f"{path}: No such file or directory")
            elif descriptor in ("", "1") and sign in (">", ">>") and target is None:
                target = (path, sign == ">>")
            else:
                raise Unmeasured("a redirection that is not worked out")
        if target is None:
            status, out = self._body(body, given)
            return _Done(status, "" if is_silent else out)
        return self._written(body, given, *target)

    def _written(self, body: Node | None, given: str | None, word: str, appends: bool) -> _Done:
        path = self._place.path_of(word)
        folder = posixpath.dirname(path)
        if folder and not self._is_folder(folder):
            return self._fails(f"{word}: No such file or directory")
        before = self._text(path) or ""
        if not appends:
            self._put(path, "")  # The shell empties the file before the program reads it.
        status, out = self._body(body, given)
        if out is None:
            raise Unmeasured(f"what is written to {word[:80]} is known only when it runs")
        self._put(path, before + out if appends else out)
        return _Done(status, "")

    def _body(self, body: Node | None, given: str | None) -> _Done:
        return _Done(True) if body is None else self.run(body, given)

    def _document(self, word: str) -> str:
        document = self._documents[int(word[1:])]
        if document.is_literal:
            return document.text
        return in_double_quotes(document.text.replace('\\"', '\\\\"'), self._variables)

    # Programs.

    def _command(self, node: Node, given: str | None) -> _Done:
        words = list[str]()
        for one in node.children:
            if one.type == "variable_assignment":
                continue
            if one.type == "herestring_redirect":
                given = expanded(_text(one.named_children[0]), self._variables).text + "\n"
            else:
                try:
                    words += self._words(one)
                except Unmeasured:
                    if not words or words[0] not in _READS - self._programs.keys() | {"echo", "printf"}:
                        raise
                    return _Done(None, None)
        return self._program(words, given)

    def _program(self, words: list[str], given: str | None) -> _Done:
        name, *arguments = words
        if done := self._programs.get(name):
            return done(arguments, given)
        if PYTHON.fullmatch(name):
            return self._python(arguments, given)
        if name in ("perl", "ruby", "node", "ed", "ex") or (
            name == "awk" and re.search(r"[>|]|system|inplace", " ".join(arguments))
        ):
            raise Unmeasured(f"{name} is not worked out")
        first = arguments[0] if arguments else ""
        if name in _CHECKS and not set(arguments) & set(_FIXES) and _CHECKS[name] & {first, ""}:
            return _Done(None, None)
        if name not in _READS:
            self.result.ends_with = self.result.ends_with or name
        return _Done(True if name in TEXT_COMMANDS else None, None)

    def _cd(self, words: list[str], _: str | None) -> _Done:
        path = self._place.path_of(words[0] if len(words) == 1 else "-")
        if path != "." and not self._is_folder(path):
            return self._fails(f"cd: {words[0]}: No such file or directory")
        self._place = self._place._replace(cwd="" if path == "." else path)
        return _Done(True)

    def _cat(self, words: list[str], given: str | None) -> _Done:
        texts = []
        for word in words or ["-"]:
            if word.startswith("-") and word != "-":
                return _Done(True, None)
            text = given if word == "-" else self.read(word)
            if text is None and word != "-":
                return self._fails(f"cat: {word}: No such file or directory")
            texts.append(text)
        return _Done(True, None if None in texts else "".join(map(str, texts)))

    def _echo(self, words: list[str], _: str | None) -> _Done:
        ends = "\n"
        while words and words[0] in ("-n", "-e", "-ne", "-en"):
            option = words.pop(0)
            ends = "" if "n" in option else ends
            if "e" in option and "\\" in " ".join(words):
                return _Done(True, None)
        return _Done(True, " ".join(words) + ends)

    def _printf(self, words: list[str], _: str | None) -> _Done:
        form, *values = words or [""]
        escapes = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}
        if re.search(r"%[^s%]|%$|\\[^nt\\\"']", form) or form.count("%s") - 2 * form.count("%%s") != len(values):
            return _Done(True, None)
        values.reverse()
        of = lambda found: escapes[found[1]] if found[1] else "%" if found[0] == "%%" else values.pop()  # noqa: E731
        return _Done(True, re.sub(r"\\(.)|%[s%]", of, form))

    def _tee(self, words: list[str], given: str | None) -> _Done:
        appends = words[:1] == ["-a"]
        for word in words[appends:]:
            if word == "/dev/null":
                continue
            if given is None or word.startswith("-"):
                raise Unmeasured("what tee writes is known only when it runs")
            path = self._place.path_of(word)
            self._put(path, (self._text(path) or "") + given if appends else given)
        return _Done(True, given)

    def _copy(self, words: list[str], *, moves: bool = False) -> _Done:
        old, new = map(self._place.path_of, words[-2:]) if len(words) > 1 else ("", "")
        text = self._text(old)
        if text is None or any(one.startswith("-") for one in words) or len(words) > 2 or self._is_folder(new):
            raise Unmeasured("cp or mv with options, of a folder, or of a file that is not known")
        self._put(new, text)
        if moves:
            del self.result.files[old]
        return _Done(True)

    def _remove(self, words: list[str], _: str | None) -> _Done:
        for word in [one for one in words if one != "-f"]:
            path = self._place.path_of(word)
            if word.startswith("-") or (self._text(path) is None and "-f" not in words):
                raise Unmeasured("rm of a folder, or of a file that is not known")
            if self._text(path) is not None:
                self._put(path, "")
                del self.result.files[path]
        return _Done(True)

    def _touch(self, words: list[str], _: str | None) -> _Done:
        for word in words:
            path = self._place.path_of(word)
            if self._text(path) is None:
                self._put(path, "")
        return _Done(True)

    def _exit(self, _: list[str], __: str | None) -> _Done:
        if self._doubt:
            raise Unmeasured("an exit that depends on another program")
        raise _Exit

    def _grep(self, words: list[str], _: str | None) -> _Done:
        """The exit code of grep, and its output with -l: the names of the files that match."""
        options = "".join(word[1:] for word in words if re.fullmatch(r"-[qnlrRhHEFsi]+", word))
        rest = [word for word in words if not word.startswith("-")]
        if (
            len(rest) + sum(bool(re.fullmatch(r"-[qnlrRhHEFsi]+|--(?:exclude|include)\S*", one)) for one in words)
            < len(words)
            or not rest
        ):
            return _Done(None, None)
        pattern, *names = rest
        try:
            source = re.sub(r"([.*^$\[\\])", r"\\\1", pattern) if "F" in options else pattern
            regex = Regex(source, extended="E" in options, gnu=self._gnu, ignore_case="i" in options)
            is_recursive = bool(set("rR") & set(options))
            if self._load is not None and (is_recursive or not names):
                return _Done(None, None)
            paths = [self._place.path_of(one) for one in names]
            texts = {one: self._text(one) for one in (self.result.files if is_recursive else paths)}
            self._spend(sum(_LINE_WORK * text.count("\n") for text in texts.values() if text))
            hits = [one for one, text in texts.items() if text and any(map(regex.search, text.encode().split(b"\n")))]
        except (Unmeasured, SedError):
            return _Done(None, None)
        if not names and not is_recursive:
            return _Done(None, None)
        out = "".join(f"{posixpath.relpath(one, self._place.cwd or '.')}\n" for one in hits) if "l" in options else None
        return _Done(bool(hits), "" if "q" in options else out)

    def _xargs(self, words: list[str], given: str | None) -> _Done:
        while words and words[0] in ("-r", "-0", "--no-run-if-empty"):
            words = words[1:]
        if given is None or not words or words[0].startswith("-"):
            if words and words[0] in _READS:
                return _Done(None, None)
            raise Unmeasured("the files of xargs are known only when it runs")
        names = given.split()
        return self._program([*words, *names], "") if names else _Done(True)

    def _sed(self, words: list[str], given: str | None) -> _Done:
        try:
            options = options_of(words, gnu=self._gnu)
            run = Run(options, gnu=self._gnu)
            if not options.files:
                return _Done(True, None if given is None else self._edited(run, given))
            outs, is_missing = list[str](), False
            for word in options.files:
                text = self.read(word)
                if text is None:
                    is_missing = True
                    self.result.failures.append(f"sed: can't read {word}: No such file or directory")
                    continue
                after = self._edited(run, text)
                outs.append(after)
                if options.in_place:
                    self._edited_in_place(run, options.suffix, text, after)
            return _Done(not is_missing, "" if options.in_place else "".join(outs))
        except SedError as error:
            return self._fails(f"sed: {error}")
        except UnicodeEncodeError:
            raise Unmeasured("a text that is not UTF-8") from None

    def _edited(self, run: Run, text: str) -> str:
        self._spend(_LINE_WORK * text.count("\n") * len(run.commands))
        return run.edited(text)

    def _edited_in_place(self, run: Run, suffix: str, text: str, after: str) -> None:
        if suffix:
            self._put(self._path + suffix, text)
        if after != text or not suffix:
            self._put(self._path, after)
        for command in run.commands:
            if command.changes:
                is_many = command.is_global or len(command.addresses) > 1 or command.is_negated or command.name in "dy"
                self.result.parts.append(
                    Part(command.source, self._path, command.n_places, tuple(command.lines), is_many)
                )

    def _python(self, words: list[str], given: str | None) -> _Done:
        source = given
        if words[:1] == ["-c"] and len(words) == 2:
            source = words[1]
        elif words[:2] and words not in ([], ["-"]):
            if words[:2] in (["-m", "pytest"], ["-m", "py_compile"], ["-m", "mypy"]):
                return _Done(None, None)
            source = self.read(words[0]) if len(words) == 1 and not words[0].startswith("-") else None
        if source is None:
            self.result.ends_with = self.result.ends_with or "python"
            return _Done(None, None)
        try:
            run_python(source, self)
        except Failed as error:
            return self._fails(str(error))
        return _Done(True, None)


def _matches(path: str, pattern: str) -> bool:
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _text(node: Node) -> str:
    return (node.text or b"").decode()

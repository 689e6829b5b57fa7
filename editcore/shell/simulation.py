"""What a shell command does to files, worked out from its text: nothing is run.

    cd src && sed -i 's/foo/bar/' a.py && python3 - <<'EOF' ... EOF

`simulate` walks through the command as bash would: lists, pipes, `if`, literal `for`, redirections, here-documents.
Programs that edit are done as their modules do them, programs that only read are passed over. What is known only when
it runs (a variable of the environment, another program, a branch after a command whose exit code nobody knows) raises
`Unmeasured` as soon as a change of a file depends on it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from editcore.errors import Unmeasured, check_installed
from editcore.grammars import grammar
from editcore.shell.programs import PROGRAMS, READS, Done, Exit, Files, Load, Place, Simulation, run_program
from editcore.shell.words import MARK, HereDocument, expanded, in_double_quotes, without_documents

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_BYTES, _MAX_STEPS = 10_000, 5_000
_IGNORED = ("comment", "heredoc_body")


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
    files: Mapping[str, str], command: str, *, gnu: bool = True, place: Place | None = None, load: Load | None = None
) -> Simulation:
    """The files after a command. Raises Unmeasured if a change depends on what its text does not say.

    `load` reads a file that is not among `files`; without it there are no others, and a folder exists if a file is in
    it, or if there are no files.
    """
    root, documents = parsed(command)
    state = Files(files, gnu, place or Place(), load)
    try:
        state.result.status = _Shell(state, documents).run(root).status
    except Exit:
        state.result.status = None
    except RecursionError:
        raise Unmeasured("the command nests too deeply") from None
    return state.result


class _Shell:
    def __init__(self, files: Files, documents: Sequence[HereDocument]) -> None:
        self.files, self._documents = files, documents
        self._variables: dict[str, str] = {}
        self._n_steps = 0

    def run(self, node: Node, given: str | None = None) -> Done:
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
                done = Done(True, given)
                for one in node.named_children:
                    done = self.run(one, done.out)
                return done
            case "subshell":
                place = self.files.place
                done = self._in_order(node.children)
                self.files.place = place
                return done
            case "negated_command":
                status, out = self.run(node.named_children[0], given)
                return Done(None if status is None else not status, out)
            case "redirected_statement":
                body = node.child_by_field_name("body")
                return self._redirected(node.children_by_field_name("redirect"), body, given)
            case "for_statement":
                return self._for(node)
            case "if_statement":
                return self._if(node)
            case "variable_assignment":
                self._set(node)
                return Done(True)
            case "command":
                return self._command(node, given)
            case "test_command":
                return Done(None)
            case kind if kind in _IGNORED:
                return Done(True)
            case kind:
                raise Unmeasured(f"a {kind.replace('_', ' ')} in the command")

    def _in_order(self, nodes: Sequence[Node]) -> Done:
        out: str | None = ""
        status: bool | None = True
        for node in nodes:
            if node.type == "&":
                raise Unmeasured("a command in the background")
            if node.is_named and node.type not in _IGNORED:
                status, more = self.run(node)
                out = None if out is None or more is None else out + more
        return Done(status, out)

    def _after(self, left: Done, needs_success: bool, run: Callable[[], Done]) -> Done:
        """What `&& NODE` or `|| NODE` does after a command; `run` runs the node."""
        if left.status is None:
            with self._in_doubt(left):
                run()
            return Done(None, None)
        if left.status is not needs_success:
            return left
        status, out = run()
        return Done(status, None if out is None or left.out is None else left.out + out)

    def _for(self, node: Node) -> Done:
        name, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        if node.type != "for_statement" or name is None or body is None or node.children[0].type != "for":
            raise Unmeasured("a loop that is no literal for")
        done = Done(True)
        for value in [word for one in node.children_by_field_name("value") for word in self._words(one)]:
            self._variables[_text(name)] = value
            done = self.run(body)
        return done

    def _if(self, node: Node) -> Done:
        parts = node.children
        then = next(at for at, one in enumerate(parts) if one.type == "then")
        condition = self._in_order(parts[1:then])
        branches = [one for one in parts if one.type in ("elif_clause", "else_clause")]
        body = [one for one in parts[then + 1 :] if one not in branches and one.type != "fi"]
        if any(one.type == "elif_clause" for one in branches):
            raise Unmeasured("an elif in the command")
        done = Done(True)
        with self._in_doubt(condition):
            if condition.status is not False:
                done = self._in_order(body)
            if condition.status is not True and branches:
                done = self._in_order(branches[0].children[1:])
        return done

    @contextmanager
    def _in_doubt(self, condition: Done) -> Iterator[None]:
        """Nobody knows whether what is done within runs, if the exit code of the condition is unknown."""
        doubted = self.files.doubt
        if condition.status is None:
            self.files.doubt = doubted or "a change that depends on the exit code of another program"
        yield
        self.files.doubt = doubted

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
        if self.files.load is not None:
            raise Unmeasured(f"which files {word.pattern[:60]} stands for is known only when it runs")
        pattern = self.files.place.path_of(word.pattern)
        names = [one for one in self.files.result.files if _matches(one, pattern)]
        return [posixpath.relpath(one, self.files.place.cwd or ".") for one in sorted(names)] or [text]

    def _redirected(self, redirects: Sequence[Node], body: Node | None, given: str | None) -> Done:
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
                given = self._here_string(one)
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
                given = self.files.read(path)
                if given is None:
                    return self.files.fails(f"{path}: No such file or directory")
            elif descriptor in ("", "1") and sign in (">", ">>") and target is None:
                target = (path, sign == ">>")
            else:
                raise Unmeasured("a redirection that is not worked out")
        if target is None:
            status, out = self._body(body, given)
            return Done(status, "" if is_silent else out)
        return self._written(body, given, *target)

    def _written(self, body: Node | None, given: str | None, word: str, appends: bool) -> Done:
        path = self.files.place.path_of(word)
        folder = posixpath.dirname(path)
        if folder and not self.files.is_folder(folder):
            return self.files.fails(f"{word}: No such file or directory")
        before = self.files.text_of(path) or ""
        if not appends:
            self.files.put(path, "")  # The shell empties the file before the program reads it.
        status, out = self._body(body, given)
        if out is None:
            raise Unmeasured(f"what is written to {word[:80]} is known only when it runs")
        self.files.put(path, before + out if appends else out)
        return Done(status, "")

    def _body(self, body: Node | None, given: str | None) -> Done:
        return Done(True) if body is None else self.run(body, given)

    def _here_string(self, node: Node) -> str:
        return expanded(_text(node.named_children[0]), self._variables).text + "\n"

    def _document(self, word: str) -> str:
        document = self._documents[int(word[1:])]
        if document.is_literal:
            return document.text
        return in_double_quotes(document.text.replace('\\"', '\\\\"'), self._variables)

    def _command(self, node: Node, given: str | None) -> Done:
        words = list[str]()
        for one in node.children:
            if one.type == "variable_assignment":
                continue
            if one.type == "herestring_redirect":
                given = self._here_string(one)
            else:
                try:
                    words += self._words(one)
                except Unmeasured:
                    if not words or words[0] not in READS - PROGRAMS.keys() | {"echo", "printf"}:
                        raise
                    return Done(None, None)
        return run_program(self.files, words, given)


def _matches(path: str, pattern: str) -> bool:
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _text(node: Node) -> str:
    return (node.text or b"").decode()

"""Python scripts that edit files, read as a syntax tree and never executed.

    python3 - <<'EOF'
    p = "a.py"
    s = open(p).read()
    s = s.replace("foo", "bar", 1)
    open(p, "w").write(s)
    EOF

Read are files that are opened, read and written, `replace`, `re.sub` and `re.search`, slices, `index`, `count`, `in`,
`assert`, `if`, `for` over a list, and what builds texts. Anything else raises `Unmeasured`.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from editcore.errors import Unmeasured
from editcore.shell.regexes import python_regex

_MAX_STEPS, _MAX_SIZE = 50_000, 4 << 20
_COMPARED: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
METHODS = {
    "replace", "index", "find", "rfind", "rindex", "count", "startswith", "endswith", "strip", "lstrip", "rstrip",
    "split", "splitlines", "join", "encode", "decode", "upper", "lower", "removeprefix", "removesuffix", "partition",
    "rpartition", "append", "insert", "pop", "start", "end", "group", "span",
}  # fmt: skip
"""Methods of texts, bytes, lists and matches that only compute."""
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "len": len, "str": lambda value: _plain(value), "int": int, "range": lambda *ends: _small(range(*ends)),
    "enumerate": enumerate, "min": min, "max": max, "list": list, "sorted": sorted, "reversed": reversed, "bool": bool,
    "any": any, "all": all,
}  # fmt: skip
_MODULES = {"re", "io", "os", "sys", "pathlib", "codecs", "textwrap"}
_FLAGS = {"S": "s", "DOTALL": "s", "M": "m", "MULTILINE": "m", "I": "i", "IGNORECASE": "i"}


class Disk(Protocol):
    """The files of a script, and what becomes of its changes."""

    def read(self, path: str) -> str | None: ...
    def write(self, path: str, text: str) -> None: ...
    def changed(self, what: str, n_places: int, *, is_many: bool) -> None: ...


class Failed(Exception):
    """The script ends with an exception."""


class _File:
    def __init__(self, path: str, mode: str, *, is_raw: bool) -> None:
        self.path, self.mode, self.is_raw, self.written = path, mode, is_raw, ""


class _Path(str):
    """A `pathlib.Path`."""


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


def _too_large() -> Unmeasured:
    return Unmeasured("a script whose texts are too large")


def run_python(source: str, disk: Disk) -> None:
    """Do to the files what a script does. Raises Failed if it ends with an exception, and Unmeasured."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Failed(f"Python cannot read the script: {error}") from None
    try:
        _Script(disk).block(tree.body)
    except RecursionError:
        raise Unmeasured("a script that nests too deeply") from None
    except (TypeError, AttributeError, LookupError, ArithmeticError, ValueError) as error:
        raise Unmeasured(f"a script that is not worked out ({type(error).__name__})") from None
    except (_Break, _Continue):
        raise Unmeasured("a script that is not worked out (break)") from None


class _Script:
    def __init__(self, disk: Disk) -> None:
        self._disk, self._names, self._n_steps = disk, dict[str, Any](), 0

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._spend(1)
            self._statement(statement)

    def _spend(self, n_steps: int) -> None:
        self._n_steps += n_steps
        if self._n_steps > _MAX_STEPS:
            raise Unmeasured("a script that takes too many steps")

    def _read_over(self, value: Any, n_per_step: int = 1000) -> Any:
        """The value. A step is counted for so many characters, or 200 items, which take time to read or copy."""
        if isinstance(value, str | bytes | list):
            self._spend(len(_small(value)) // (200 if isinstance(value, list) else n_per_step))
        return value

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                modules = [one.name for one in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                if not set(modules) <= _MODULES:
                    raise Unmeasured(f"a script that imports {', '.join(modules)}")
            case ast.Expr(value):
                self._value(value)
            case ast.Assign(targets, value):
                found = self._value(value)
                for target in targets:
                    self._assign(target, found)
            case ast.AugAssign(ast.Name(name), ast.Add(), value):
                self._names[name] = self._read_over(self._known(name) + self._value(value))
            case ast.Assert(test, _):
                if not self._value(test):
                    raise Failed(f"AssertionError: {ast.unparse(test)[:100]}")
            case ast.If(test, body, orelse):
                self.block(body if self._value(test) else orelse)
            case ast.For(target, source, body, []):
                self._each(target, source, body)
            case ast.While(test, body, []):
                self._while(test, body)
            case ast.With(items, body):
                for item in items:
                    file = self._value(item.context_expr)
                    if not isinstance(file, _File) or item.optional_vars is None:
                        raise Unmeasured("a script with another `with` than that of a file")
                    self._assign(item.optional_vars, file)
                self.block(body)
            case ast.Pass():
                pass
            case ast.Break():
                raise _Break
            case ast.Continue():
                raise _Continue
            case _:
                raise Unmeasured(f"a script with {type(node).__name__.lower()}")

    def _each(self, target: ast.expr, source: ast.expr, body: list[ast.stmt]) -> None:
        with suppress(_Break):
            for one in self._value(source):
                self._assign(target, one)
                with suppress(_Continue):
                    self.block(body)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        with suppress(_Break):
            while self._value(test):
                with suppress(_Continue):
                    self.block([*body, ast.Pass()])

    def _assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(name):
                self._names[name] = value
            case ast.Tuple(names) | ast.List(names):
                for each, one in zip(names, value, strict=True):
                    self._assign(each, one)
            case ast.Subscript(source, index):
                self._value(source)[self._value(index)] = value
            case _:
                raise Unmeasured("an assignment that is not worked out")

    def _known(self, name: str) -> Any:
        if name in self._names:
            return self._names[name]
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]
        raise Unmeasured(f"a script that uses {name}")

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return self._known(name)
            case ast.Tuple(items) | ast.List(items):
                return [self._value(one) for one in items]
            case ast.JoinedStr(parts):
                return self._read_over(_joined("", [_plain(self._value(one)) for one in parts]))
            case ast.FormattedValue(value, -1, None):
                return self._value(value)
            case ast.BinOp(left, ast.Add(), right):
                return self._read_over(self._value(left) + self._value(right))
            case ast.BinOp(left, ast.Sub(), right):
                return self._value(left) - self._value(right)
            case ast.BinOp(left, ast.BitOr(), right) if _flags(node):
                return _flags(node)
            case ast.BinOp(left, ast.Mult(), right):
                return self._read_over(_times(self._value(left), self._value(right)))
            case ast.UnaryOp(ast.Not(), value):
                return not self._value(value)
            case ast.UnaryOp(ast.USub(), value):
                return -self._value(value)
            case ast.BoolOp(operation, values):
                found: Any = None
                for one in values:
                    found = self._value(one)
                    if bool(found) is isinstance(operation, ast.Or):
                        break
                return found
            case ast.IfExp(test, body, orelse):
                return self._value(body if self._value(test) else orelse)
            case ast.Compare(left, [compared], [right]) if type(compared) in _COMPARED:
                return _COMPARED[type(compared)](self._value(left), self._read_over(self._value(right)))
            case ast.Subscript(source, ast.Slice(lower, upper, None)):
                start, end = (None if one is None else self._value(one) for one in (lower, upper))
                return self._read_over(self._value(source)[start:end])
            case ast.Subscript(source, index):
                return self._value(source)[self._value(index)]
            case ast.Attribute() if _flags(node):
                return _flags(node)
            case ast.Call():
                return self._call(node)
        raise Unmeasured(f"a script with {type(node).__name__.lower()}")

    def _call(self, node: ast.Call) -> Any:
        name = ast.unparse(node.func)
        given = {one.arg or "": one.value for one in node.keywords}
        if name in ("print", "sys.stdout.write", "sys.stderr.write"):
            return None
        if name in ("sys.exit", "exit"):
            raise Failed("the script exits early") if node.args else Unmeasured("a script that exits early")
        is_function = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
        # A list of items takes longer than a copy of a text.
        arguments = [self._read_over(self._value(one), 200 if is_function else 1000) for one in node.args]
        if name in ("open", "io.open", "codecs.open"):
            mode = arguments[1] if len(arguments) > 1 else self._value(given["mode"]) if "mode" in given else "r"
            return _File(arguments[0], mode, is_raw="newline" in given)
        if name in ("Path", "pathlib.Path") and len(arguments) == 1:
            return _Path(arguments[0])
        if name in ("re.sub", "re.subn", "re.search", "re.escape"):
            named = {arg: self._value(value) for arg, value in given.items()}
            return self._regex(name, arguments, named)
        if isinstance(node.func, ast.Name) and is_function and not given:
            return self._known(node.func.id)(*arguments)
        if not isinstance(node.func, ast.Attribute):
            raise Unmeasured(f"a script that calls {name[:40]}")
        return self._method(self._read_over(self._value(node.func.value)), node.func.attr, arguments, given)

    def _method(self, of: Any, name: str, arguments: list[Any], given: Mapping[str, ast.expr]) -> Any:
        if isinstance(of, _File):
            return self._read_over(self._file(of, name, arguments))
        if isinstance(of, _Path) and name in ("read_text", "read_bytes", "write_text", "write_bytes", "exists"):
            if name == "exists":
                return self._disk.read(of) is not None
            mode = ("w" if name.startswith("w") else "r") + ("b" if name.endswith("bytes") else "")
            return self._file(_File(of, mode, is_raw="newline" in given), name.partition("_")[0], arguments)
        if (
            name not in METHODS
            or (given and set(given) != {"keepends"})
            or (not isinstance(of, str | bytes | list) and not hasattr(of, "span"))
        ):
            raise Unmeasured(f"a script that calls .{name}")
        arguments += [self._value(one) for one in given.values()]
        if name == "join":
            return _joined(of, arguments[0])
        if name == "replace":
            return self._replaced(of, *arguments)
        try:
            return getattr(of, name)(*arguments)
        except ValueError:
            raise Failed(f"ValueError: .{name} found nothing") from None

    def _replaced(self, text: Any, old: Any, new: Any, most: int = -1) -> Any:
        n_found = text.count(old)
        n_places = n_found if most < 0 else min(most, n_found)
        if len(text) + n_places * len(new) > _MAX_SIZE:
            raise _too_large()
        self._disk.changed(f"replace({old!r:.80})", n_places, is_many=most < 0)
        return text.replace(old, new, most)

    def _file(self, file: _File, name: str, arguments: list[Any]) -> Any:
        is_binary = "b" in file.mode
        if name == "close":
            return None
        if name in ("read", "readlines") and not arguments and file.mode[0] == "r":
            text = self._disk.read(file.path)
            if text is None:
                raise Failed(f"FileNotFoundError: {file.path}")
            if not is_binary and not file.is_raw:
                text = text.replace("\r\n", "\n").replace("\r", "\n")
            return text.encode() if is_binary else text if name == "read" else text.splitlines(keepends=True)
        if name in ("write", "writelines") and len(arguments) == 1 and file.mode[0] in "wa":
            given: Any = "".join(arguments[0]) if name == "writelines" else arguments[0]
            text = given.decode() if is_binary and name == "write" else given
            if file.mode[0] == "a" and not file.written:
                file.written = self._disk.read(file.path) or ""
            file.written = _small(file.written + text)
            self._disk.write(file.path, file.written)
            return len(text)
        raise Unmeasured(f"a script that calls .{name} of a file")

    def _regex(self, name: str, arguments: list[Any], given: Mapping[str, Any]) -> Any:
        if name == "re.escape":
            return re.escape(arguments[0])
        pattern, *rest = arguments
        new = rest.pop(0) if name != "re.search" else ""
        text = rest.pop(0)
        n_most = int(rest.pop(0)) if rest and name != "re.search" else int(given.get("count", 0))
        flags = rest.pop(0) if rest else given.get("flags", "")
        if not isinstance(text, str) or not isinstance(new, str) or not set(given) <= {"flags", "count"}:
            raise Unmeasured(f"{name} of something else than texts")
        compiled = python_regex(pattern, flags, self._read_over(text))
        if name == "re.search":
            return compiled.search(text)
        out, at, n_places, size = list[str](), 0, 0, 0
        for found in compiled.finditer(text):
            out += [text[at : found.start()], _expanded(new, found)]
            at, n_places, size = found.end(), n_places + 1, size + len(out[-1])
            self._spend(n_places % 5 == 0)
            if size > _MAX_SIZE:
                raise _too_large()
            if n_places == n_most:
                break
        self._disk.changed(f"re.sub({pattern!r:.80})", n_places, is_many=n_most == 0)
        result = _small("".join(out) + text[at:])
        return result if name == "re.sub" else (result, n_places)


def _expanded(template: str, found: Any) -> str:
    def of(escape: Any) -> str:
        number = escape[1] or escape[2]
        if number:
            return found.group(int(number) if number.isdigit() else number) or ""
        if escape[3] not in "nt\\":
            raise Unmeasured(f"\\{escape[3]} in the replacement of re.sub")
        return {"n": "\n", "t": "\t", "\\": "\\"}[str(escape[3])]

    return re.sub(r"\\(?:([1-9]\d?)|g<(\w+)>|(.))", of, template, flags=re.DOTALL)


def _flags(node: ast.expr) -> str:
    """The flags of `re.S | re.M` as RE2 has them; "" for another expression."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        left, right = _flags(node.left), _flags(node.right)
        return left + right if left and right else ""
    return _FLAGS.get(ast.unparse(node).removeprefix("re."), "") if isinstance(node, ast.Attribute) else ""


def _small(value: Any) -> Any:
    most = _MAX_STEPS if isinstance(value, range) else _MAX_SIZE
    if isinstance(value, str | bytes | list | range) and len(value) > most:
        raise _too_large()
    return value


def _plain(value: Any) -> str:
    if not isinstance(value, str | int):
        raise Unmeasured("a script that shows something else than texts and numbers")
    return str(value)


def _joined(between: Any, texts: Any) -> Any:
    if sum(map(len, texts)) + len(between) * len(texts) > _MAX_SIZE:
        raise _too_large()
    return between.join(texts)


def _times(left: Any, right: Any) -> Any:
    texts = [one for one in (left, right) if isinstance(one, str | bytes | list)]
    number = next((one for one in (left, right) if isinstance(one, int)), 0)
    if (texts and len(texts[0]) * number > _MAX_SIZE) or abs(number) > 1 << 40:
        raise _too_large()
    return left * right

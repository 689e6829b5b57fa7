"""`sed` called: the options of a call, and the commands of its script as GNU sed or BSD sed reads them.

    sed 's/foo/bar/; /^import (/a\\' ...      GNU: one line may hold commands and a text; \\t in a text is a tab
    sed -i '' -e '/^import (/a\\              BSD (macOS): a text begins on a line of its own; \\t in it is the letter t
        "fmt"' file.go

Commands: s d i a c y p q n N = and { }, with the addresses N, $, /REGEX/, FIRST~STEP, two of them, +N and 0,/REGEX/.
The hold space, branches, and files that a script reads or writes raise `Unmeasured`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from editcore.errors import Unmeasured
from editcore.shell.regexes import Regex, SedError

_TEXT_COMMANDS = "aic"
_KNOWN = "{}sdiacypqnN="
_STEP, _NUMBER = re.compile(r"(\d+)\s*~\s*(\d+)"), re.compile(r"\d+")
_FLAGS = re.compile(r"(?:[gpiIMm]|\d+)*+")
_ESCAPES = {"t": "\t", "f": "\f", "v": "\v", "a": "\a", "r": "\r", "n": "\n"}
_ESCAPED, _TEXT = re.compile(r"\\(.)", re.DOTALL), re.compile(r"(?:\\.|[^\\\n]|\\\Z)*+", re.DOTALL)
_BLANKS, _BETWEEN = " \t\r\v\f", " \t\r\v\f\n;"


@dataclass(slots=True)
class Address:
    kind: str
    """`line`, `last`, `step`, `regex`; as a second one also `plus`."""
    n: int = 0
    step: int = 0
    regex: Regex | None = None
    """None: the regex that was used last."""


@dataclass(slots=True)
class Command:
    """A command of a script, and what it did to one text."""

    name: str
    source: str
    addresses: tuple[Address, ...] = ()
    is_negated: bool = False
    text: bytes = b""
    """Of a, i and c."""
    regex: Regex | None = None
    new: tuple[bytes | int, ...] = ()
    """The replacement: texts, and numbers of groups."""
    is_global: bool = False
    nth: int = 1
    prints: bool = False
    table: dict[str, str] = field(default_factory=dict)
    block_end: int = 0
    """Of `{`: the index of its `}`."""
    active: bool = False
    """True within a range."""
    is_closed: bool = False
    """True after a range from a number: there is no second one."""
    range_end: int | None = None
    lines: list[int] = field(default_factory=list)
    """The lines that it changed, in one file."""
    n_places: int = 0

    @property
    def changes(self) -> bool:
        return self.name in "sdiacy"


class Options(NamedTuple):
    """The arguments of a call of sed."""

    script: str
    files: tuple[str, ...]
    in_place: bool
    suffix: str
    quiet: bool
    extended: bool
    by_nul: bool


def options_of(words: Sequence[str], *, gnu: bool) -> Options:
    """The arguments of `sed`. Raises SedError for a call that sed refuses."""
    scripts, rest, waiting = list[str](), list[str](), list(words)
    flags, suffix = set[str](), ""
    long = {"in-place": "i", "expression": "e", "regexp-extended": "E", "quiet": "n", "silent": "n", "null-data": "z",
            "separate": "s", "unbuffered": "u", "posix": "?"}  # fmt: skip
    while waiting:
        word = waiting.pop(0)
        if word == "--" or (not gnu and rest) or not word.startswith("-") or word == "-":
            rest += waiting if word == "--" else [word]
            waiting = [] if word == "--" else waiting
            continue
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            if not gnu or name not in long:
                raise Unmeasured(f"the option --{name} of sed is not read")
            word = f"-{long[name]}{value}"
        at = 1
        while at < len(word):
            flag, value = word[at], word[at + 1 :]
            at += 1
            flags.add("E" if flag == "r" else flag)
            if flag == "i" and (gnu or value):
                suffix, at = value, len(word)
            elif flag in "ei":
                if not value and not waiting:
                    raise SedError(f"option requires an argument -- '{flag}'")
                value, at = value or waiting.pop(0), len(word)
                suffix, scripts = (value, scripts) if flag == "i" else (suffix, [*scripts, value])
            elif flag not in "nErzsu" or (not gnu and flag in "zs"):
                raise Unmeasured(f"the option -{flag} of sed is not read")
    if not scripts and not rest:
        raise SedError("no script specified")
    script = "\n".join(scripts) if scripts else rest.pop(0)
    if not gnu and "/" in suffix:
        raise SedError(f"invalid command code {script[:1]}")  # The script was taken as the suffix of -i.
    if "*" in suffix or "/" in suffix:
        raise Unmeasured("a suffix of sed -i with * or / is not read")
    return Options(script, tuple(rest), "i" in flags, suffix, "n" in flags, "E" in flags, "z" in flags)


class _Reader:
    """Reads a script."""

    def __init__(self, script: str, extended: bool, gnu: bool) -> None:
        self.script, self.extended, self.gnu, self.at = script, extended, gnu, 0

    def commands(self) -> list[Command]:
        found, blocks = list[Command](), list[int]()
        while self._skip(_BETWEEN):
            if self._peek() == "#":
                self._line()
                continue
            start = self.at
            command = self._command()
            command.source = self.script[start : self.at].strip()
            if command.name == "{":
                blocks.append(len(found))
            elif command.name == "}":
                if not blocks:
                    raise SedError("unexpected `}'")
                found[blocks.pop()].block_end = len(found)
            found.append(command)
        if blocks:
            raise SedError("unmatched `{'")
        return found

    def _peek(self) -> str:
        return self.script[self.at : self.at + 1]

    def _skip(self, characters: str) -> bool:
        """Skip these characters. True unless the script has ended."""
        while self.at < len(self.script) and self.script[self.at] in characters:
            self.at += 1
        return self.at < len(self.script)

    def _line(self) -> str:
        end = self.script.find("\n", self.at)
        end = len(self.script) if end < 0 else end
        line, self.at = self.script[self.at : end], min(end + 1, len(self.script))
        return line

    def _command(self) -> Command:
        addresses = []
        if first := self._address():
            addresses.append(first)
            self._skip(_BLANKS)
            if self._peek() == ",":
                self.at += 1
                self._skip(_BLANKS)
                second = self._address(is_second=True)
                if second is None:
                    raise SedError("unexpected `,'")
                addresses.append(second)
        if first and first.kind == "line" and first.n == 0 and (len(addresses) < 2 or addresses[1].kind != "regex"):
            raise SedError("invalid usage of line address 0")
        self._skip(_BLANKS)
        is_negated = self._peek() == "!"
        if is_negated:
            self.at += 1
            self._skip(_BLANKS + "!")
        name = self._peek()
        self.at += 1
        if not name:
            raise SedError("missing command")
        if name not in _KNOWN:
            raise Unmeasured(f"the command {name} of sed is not worked out")
        if (name == "}" and addresses) or (name == "q" and len(addresses) > 1):
            raise SedError(f"{name} wants fewer addresses")
        command = Command(name, "", tuple(addresses), is_negated)
        if name == "s":
            self._substitution(command)
        elif name == "y":
            self._transliteration(command)
        elif name in _TEXT_COMMANDS:
            command.text = self._text().encode()
        if name not in _TEXT_COMMANDS and name != "{":
            self._end()
        return command

    def _end(self) -> None:
        if not self._skip(_BLANKS) or self._peek() in "#}":
            return
        if self._peek() not in ";\n":
            raise SedError("extra characters after command")
        self.at += 1

    def _address(self, *, is_second: bool = False) -> Address | None:
        script, character = self.script, self._peek()
        if self.gnu and (step := _STEP.match(script, self.at)) and not is_second:
            self.at = step.end()
            return Address("step", _number(step[1]), _number(step[2]))
        if self.gnu and is_second and character == "~":
            raise Unmeasured("the address ~N of sed is not worked out")
        if self.gnu and is_second and character == "+" and (number := _NUMBER.match(script, self.at + 1)):
            self.at = number.end()
            return Address("plus", _number(number[0]))
        if number := _NUMBER.match(script, self.at):
            self.at = number.end()
            return Address("line", _number(number[0]))
        if character == "$":
            self.at += 1
            return Address("last")
        if character not in ("/", "\\"):
            return None
        self.at += 1 if character == "/" else 2
        pattern = self._delimited("/" if character == "/" else script[self.at - 1 : self.at])
        start = self.at
        self._skip("IM")
        flags = script[start : self.at]
        return Address("regex", regex=self._regex(pattern, "I" in flags, "M" in flags))

    def _regex(self, pattern: str, ignore_case: bool, multiline: bool) -> Regex | None:
        if not pattern:
            return None
        return Regex(pattern, extended=self.extended, gnu=self.gnu, ignore_case=ignore_case, multiline=multiline)

    def _delimited(self, delimiter: str, *, is_regex: bool = True) -> str:
        """The text up to the delimiter, which has no backslash left where one made it literal."""
        sign, other = re.escape(delimiter), r"[^\\\n]" if is_regex else r"[^\\]"
        found = re.compile(rf"((?:\\.|(?!{sign}){other})*+){sign}", re.DOTALL).match(self.script, self.at)
        if delimiter in ("", "\n", "\\") or found is None:
            raise SedError("unterminated `s' command")
        self.at = found.end()

        def of(escape: re.Match[str]) -> str:
            if escape[1] != delimiter:
                return escape[0]
            if delimiter in r".*[]^$+?(){}|" and is_regex:
                raise Unmeasured(f"{delimiter} between patterns has a meaning in them")
            return ("\\" if delimiter in "&123456789" and not is_regex else "") + delimiter

        return _ESCAPED.sub(of, found[1])

    def _substitution(self, command: Command) -> None:
        delimiter = self._peek()
        self.at += 1
        pattern = self._delimited(delimiter)
        new = self._delimited(delimiter, is_regex=False)
        flags = _FLAGS.match(self.script, self.at)
        assert flags
        self.at = flags.end()
        if self._peek() and self._peek() in "we":
            raise Unmeasured("the flags w and e of s are not worked out")
        numbers = _NUMBER.findall(flags[0])
        if len(numbers) > 1 or (numbers and _number(numbers[0]) == 0):
            raise SedError("number option to `s' command may not be zero")
        if not self.gnu and set("Mm") & set(flags[0]):
            raise SedError("bad flag in substitute command")
        command.is_global, command.prints = "g" in flags[0], "p" in flags[0]
        command.nth = _number(numbers[0]) if numbers else 1
        command.regex = self._regex(pattern, bool(set("iI") & set(flags[0])), bool(set("mM") & set(flags[0])))
        command.new = self._replacement(new)
        groups = [one for one in command.new if isinstance(one, int) and one]
        if command.regex and max(groups, default=0) > command.regex.n_groups:
            raise SedError(f"invalid reference \\{max(groups)} on `s' command's RHS")
        if groups and (command.regex is None or command.regex.is_ambiguous):
            raise Unmeasured("a group whose part of the match is ambiguous")

    def _replacement(self, text: str) -> tuple[bytes | int, ...]:
        parts = list[bytes | int]()
        for found in re.finditer(r"\\(.?)|(&)|[^\\&]+", text, re.DOTALL):
            following = found[1]
            if found[2] or following is None:
                parts.append(0 if found[2] else found[0].encode())
            elif following.isdigit():
                parts.append(int(following))
            elif self.gnu and following and following in "cdoxuUlLE":
                raise Unmeasured(f"\\{following} in a replacement is not worked out")
            else:
                parts.append((_ESCAPES.get(following, following) if self.gnu else following).encode())
        return tuple(parts)

    def _transliteration(self, command: Command) -> None:
        delimiter = self._peek()
        self.at += 1
        sides = [self._delimited(delimiter, is_regex=False) for _ in range(2)]
        old, new = (self._plain(side) for side in sides)
        if len(old) != len(new):
            raise SedError("strings for `y' command are different lengths")
        for left, right in zip(old, new, strict=True):
            command.table.setdefault(left, right)

    def _plain(self, text: str) -> str:
        def of(found: re.Match[str]) -> str:
            escapes = _ESCAPES if self.gnu else {"n": "\n"}
            if found[1] not in escapes and found[1] not in ("\\", "&"):
                raise Unmeasured(f"\\{found[1]} in y is not worked out")
            return escapes.get(found[1], found[1])

        return _ESCAPED.sub(of, text)

    def _text(self) -> str:
        """The text of a, i or c, without its final line feed."""
        self._skip(_BLANKS)
        script = self.script
        if self._peek() == "\\":
            self.at += 1
            start = self.at
            self._skip(_BLANKS)
            if self._peek() == "\n":
                self.at += 1
            elif not self.gnu:
                raise SedError("expected \\ followed by text")
            else:
                self.at = start
        elif not self.gnu:
            raise SedError("command expects \\ followed by text")
        elif not self._peek() or self._peek() == "\n":
            raise SedError("expected \\ after `a', `c' or `i'")
        found = _TEXT.match(script, self.at)
        assert found
        self.at = min(found.end() + 1, len(script))

        def of(escape: re.Match[str]) -> str:
            if self.gnu and escape[1] in "cdox":
                raise Unmeasured(f"\\{escape[1]} in a text is not worked out")
            return _ESCAPES.get(escape[1], escape[1]) if self.gnu else escape[1]

        return _ESCAPED.sub(of, found[0])


def _number(digits: str) -> int:
    return int(digits[:9])


def commands_of(options: Options, *, gnu: bool) -> list[Command]:
    """The commands of a script. Raises SedError for a script that sed refuses, and Unmeasured."""
    found = _Reader(options.script, options.extended, gnu).commands()
    regexes = [one for command in found for one in (command.regex, *(a.regex for a in command.addresses))]
    if options.by_nul and any(one and one.is_multiline for one in regexes):
        raise Unmeasured("the flag M with -z")
    return found

"""Regular expressions of sed, for RE2: linear time whatever the pattern, the longest match as in POSIX.

What RE2 cannot do as sed does raises `Unmeasured`: back-references, and groups whose part of a match is ambiguous.
"""

from __future__ import annotations

import re
from typing import Any

from editcore.errors import Unmeasured

_INTERVAL = {True: re.compile(r"\{(\d*)(?:(,)(\d*))?\}"), False: re.compile(r"\\\{(\d*)(?:(,)(\d*))?\\\}")}
_CLASSES = {
    "alpha": r"\pL", "digit": "0-9", "alnum": r"\pL\pN", "upper": r"\p{Lu}", "lower": r"\p{Ll}", "blank": r" \t",
    "space": r" \t\n\v\f\r", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_SPACES, _WORDS = r"[ \t\n\v\f\r]", r"[\pL\pN_]"
_ESCAPES = {"t": "\t", "f": "\f", "v": "\v", "a": "\a", "r": "\r"}
_SETS = {"w": _WORDS, "W": r"[^\pL\pN_]", "s": _SPACES, "S": r"[^ \t\n\v\f\r]"}


class SedError(Exception):
    """What sed refuses, with its message: nothing is edited."""


class Regex:
    """A pattern of sed. Texts are bytes in UTF-8."""

    def __init__(
        self, pattern: str, *, extended: bool, gnu: bool, ignore_case: bool = False, multiline: bool = False
    ) -> None:
        import re2

        reader = _Reader(pattern, extended, gnu, multiline)
        # With M, neither a dot nor [^...] matches a line feed.
        flags = f"(?{'m' if multiline else 's'}{'i' if ignore_case else ''})"
        options = re2.Options()
        options.longest_match = True
        options.log_errors = False
        self.n_groups, self.has_edges = reader.n_groups, reader.has_edges
        self.is_ambiguous, self.is_multiline = reader.is_ambiguous, multiline
        try:
            self._compiled: Any = re2.compile((flags + reader.written).encode(), options)
        except (re2.error, UnicodeEncodeError):
            raise Unmeasured(f"the pattern {pattern[:60]!r} is not read") from None

    def search(self, text: bytes, at: int = 0) -> Any:
        """The leftmost longest match from an offset on, or None."""
        if self.has_edges and not text.isascii():
            raise Unmeasured("an edge of a word in a line that is not ASCII")
        return self._compiled.search(text, at)


class _Reader:
    """Writes a POSIX pattern in RE2's syntax, which differs in what is special and what is literal."""

    def __init__(self, pattern: str, extended: bool, gnu: bool, multiline: bool) -> None:
        self.pattern, self.extended, self.gnu, self.multiline = pattern, extended, gnu, multiline
        self.n_groups, self.has_edges = 0, False
        self._n_choices, self._is_repeated, self._has_repeats = 0, False, False
        self._out: list[str] = []
        self._atom: int | None = None
        """Where the atom begins that a repetition would repeat; None if there is none."""
        self._open: list[tuple[int, bool]] = []
        self._at = 0
        while self._at < len(pattern):
            self._next()
        if self._open:
            raise SedError("Unmatched ( or \\(")
        self.written = "".join(self._out)

    @property
    def is_ambiguous(self) -> bool:
        """True if it is not certain which part of a match a group has: the rules of POSIX differ from RE2's."""
        return self._is_repeated or (self._n_choices > 0 and (self._n_choices > 1 or self._has_repeats))

    def _next(self) -> None:
        interval = _INTERVAL[self.extended].match(self.pattern, self._at)
        character = self.pattern[self._at]
        is_escaped = character == "\\"
        if is_escaped:
            if self._at + 1 == len(self.pattern):
                raise SedError("Trailing backslash")
            character = self.pattern[self._at + 1]
        special = character in ("(){}|+?" if self.gnu or self.extended else "(){}")
        if interval:
            self._repeat(f"{{{interval[1] or 0}{interval[2] or ''}{interval[3] or ''}}}", interval.end())
        elif special and is_escaped is not self.extended:
            self._operator(character)
        elif is_escaped:
            self._escape(character)
        elif character == "[":
            self._bracket()
        elif character == "*" and (self._atom is not None or self.extended):
            self._repeat("*", self._at + 1)
        elif character == ".":
            self._add(".", 1)
        elif (character == "^" and self._is_start()) or (character == "$" and self._is_end()):
            self._atom = None
            self._out.append(character if character == "^" else r"$")
            self._at += 1
        else:
            self._add(re.escape(character) if character.isascii() else character, 1)

    def _is_start(self) -> bool:
        return self.extended or not self._out or self._out[-1] in ("(", "|")

    def _is_end(self) -> bool:
        rest = self.pattern[self._at + 1 : self._at + 3]
        return self.extended or rest in ("", "\\)") or (self.gnu and rest == "\\|")

    def _add(self, written: str, n_characters: int) -> None:
        self._atom = len(self._out)
        self._out.append(written)
        self._at += n_characters

    def _operator(self, character: str) -> None:
        end = self._at + (1 if self.extended else 2)
        if character == "(":
            self._open.append((len(self._out), False))
            self.n_groups += 1
            self._out.append("(")
            self._atom, self._at = None, end
        elif character == ")" and self._open:
            self._atom, has_choice = self._open.pop()
            self._n_choices += has_choice
            self._out.append(")")
            self._at = end
        elif character == "|":
            if self._open:
                self._open[-1] = (self._open[-1][0], True)
            else:
                self._n_choices += 1
            self._out.append("|")
            self._atom, self._at = None, end
        elif character in "+?":
            self._repeat(character, end)
        else:
            raise Unmeasured(f"{character} in the pattern {self.pattern[:60]!r} is not read")

    def _repeat(self, how: str, end: int) -> None:
        if self._atom is None:
            raise Unmeasured(f"a repetition of nothing in the pattern {self.pattern[:60]!r} is not read")
        self._is_repeated |= self._out[self._atom] == "("
        self._has_repeats = True
        self._out[self._atom] = "(?:" + self._out[self._atom]
        self._out.append(f"){how}")
        self._at = end

    def _escape(self, character: str) -> None:
        if character.isdigit() and character != "0":
            raise Unmeasured("a back-reference in a pattern")
        if character == "n":
            self._add(r"\n", 2)
        elif character in "<>" or (self.gnu and character in "bB"):
            self._edge(character)
        elif self.gnu and character in _SETS:
            self._add(_SETS[character], 2)
        elif self.gnu and character in _ESCAPES:
            self._add(re.escape(_ESCAPES[character]), 2)
        elif self.gnu and character in "`'":
            self._out.append(r"\A" if character == "`" else r"\z")
            self._atom, self._at = None, self._at + 2
        elif self.gnu and character in "xdoc":
            raise Unmeasured(f"\\{character} in a pattern is not read")
        elif not self.gnu and character in "|+?":
            raise Unmeasured(f"\\{character} in a pattern, which differs between versions of BSD sed")
        else:
            self._add(re.escape(character) if character.isascii() else character, 2)

    def _edge(self, character: str) -> None:
        """The start or end of a word: RE2 knows both sides only as one, so the letter beside it must be certain."""
        before = self._out[-1] if self._out else ""
        after = self.pattern[self._at + 2 : self._at + 3]
        beside = (before, after)[character == "<"]
        if character in "<>" and not (beside.isascii() and (beside.isalnum() or beside == "_")):
            raise Unmeasured("the edge of a word beside something else than a letter")
        if character == "<" and self.pattern[self._at + 3 : self._at + 4] in ("*", "?", "{", "\\"):
            raise Unmeasured("the edge of a word before a letter that may be absent")
        self.has_edges = True
        self._out.append(r"\B" if character == "B" else r"\b")
        self._atom, self._at = None, self._at + 2

    def _bracket(self) -> None:
        pattern, at = self.pattern, self._at + 1
        written = "["
        if pattern[at : at + 1] == "^":
            written, at = r"[^\n" if self.multiline else "[^", at + 1
        first = at
        while at < len(pattern) and (pattern[at] != "]" or at == first):
            if pattern[at] == "[" and pattern[at + 1 : at + 2] in (":", ".", "="):
                end = pattern.find(":]", at)
                name = pattern[at + 2 : end]
                if name not in _CLASSES:
                    raise Unmeasured(f"[{pattern[at + 1 : at + 12]} in a pattern is not read")
                written, at = written + _CLASSES[name], end + 2
            elif pattern[at] == "\\" and pattern[at + 1 : at + 2] in (
                ("n", "t", "f", "v", "r") if self.gnu else ("n",)
            ):
                written, at = written + pattern[at : at + 2], at + 2
            elif pattern[at] == "-":
                is_range = at != first and pattern[at + 1 : at + 2] != "]"
                written, at = written + ("-" if is_range else r"\-"), at + 1
            else:
                written, at = written + (f"\\{pattern[at]}" if pattern[at] in r"\[]^" else pattern[at]), at + 1
        if at >= len(pattern):
            raise SedError("unterminated address regex or `s' command")
        self._add(written + "]", at + 1 - self._at)


_UNICODE = {"s": r"\s\v\x1c-\x1f\x{85}\pZ", "w": r"\pL\pN_", "d": r"\p{Nd}"}
_IN_PYTHON = re.compile(r"\\(.)|(\[\^?\]?)|(\])|(\$)", re.DOTALL)


def python_regex(pattern: str, flags: str, text: str) -> Any:
    """A pattern of Python's `re` for a text, compiled for RE2: first match, in linear time."""
    import re2

    if "\\b" in pattern.lower() and not text.isascii():
        raise Unmeasured("an edge of a word in a text that is not ASCII")
    in_class = False

    def of(found: re.Match[str]) -> str:
        nonlocal in_class
        if found[2]:
            in_class = True
        elif found[3]:
            in_class = False
        elif found[4] and not in_class and "m" not in flags and "(?m" not in pattern:
            raise Unmeasured("$ in a pattern of Python, which may stand before a final line feed")
        elif found[1] in _UNICODE:
            return _UNICODE[found[1]] if in_class else f"[{_UNICODE[found[1]]}]"
        elif found[1] == "Z":
            return r"\z"
        elif found[1] and found[1].lower() in _UNICODE and found[1] != found[1].lower() and not text.isascii():
            raise Unmeasured(f"\\{found[1]} in a text that is not ASCII")
        return found[0]

    options = re2.Options()
    options.log_errors = False
    written = _IN_PYTHON.sub(of, pattern.replace(r"[\s\S]", "(?s:.)"))
    try:
        return re2.compile(f"(?{flags})" * bool(flags) + written, options)
    except (re2.error, UnicodeEncodeError):
        raise Unmeasured(f"the pattern {pattern[:60]!r} is not read") from None

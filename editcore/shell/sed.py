"""`sed` run: what the commands of a script make of a text, as GNU sed does it and as BSD sed does it."""

from __future__ import annotations

import re

from editcore.errors import Unmeasured
from editcore.shell.regexes import Regex, SedError
from editcore.shell.sed_scripts import Address, Command, Options, commands_of

_MAX_MATCHES = 200_000


class Stop(Exception):
    """The command q."""


class Run:
    """A script that is applied to texts, one file after the other."""

    def __init__(self, options: Options, *, gnu: bool) -> None:
        self._options, self._gnu = options, gnu
        self.commands = commands_of(options, gnu=gnu)
        self._last: Regex | None = None
        self._n_matches = 0

    def edited(self, text: str) -> str:
        """The text after the script, and in `commands` the lines that each command changed."""
        end = b"\0" if self._options.by_nul else b"\n"
        data = text.encode()
        self._lines = data.split(end)
        self._has_end = self._lines[-1] == b""
        if self._has_end:
            self._lines.pop()
        for command in self.commands:
            command.active = bool(
                command.addresses and command.addresses[0].kind == "line" and not command.addresses[0].n
            )
            command.lines, command.n_places, command.is_closed, command.range_end = [], 0, False, None
        self._out, self._at, self._end = list[bytes](), 0, end
        self._appended, self._lacks_end = list[bytes](), False
        try:
            while self._at < len(self._lines):
                self._space = self._lines[self._at]
                self._at += 1
                if self._cycle() and not self._options.quiet:
                    self._print()
                self._flush()
        except Stop:
            if not self._options.quiet:
                self._emit(self._space + end)
            self._flush()
        return b"".join(self._out).decode()

    def _print(self) -> None:
        """Write the pattern space. GNU sed ends the last line as the file does, BSD sed with a line feed."""
        is_last = self._at == len(self._lines) and not self._has_end and self._gnu
        self._emit(self._space + (b"" if is_last else self._end))
        self._lacks_end = is_last

    def _emit(self, text: bytes) -> None:
        """Write text below a line, which then has its end."""
        if self._lacks_end:
            self._out.append(self._end)
        self._out.append(text)
        self._lacks_end = False

    def _flush(self) -> None:
        for text in self._appended:
            self._emit(text)
        self._appended = []

    def _cycle(self) -> bool:
        """Run all commands on the pattern space. True if it is then printed."""
        number = 0
        while number < len(self.commands):
            command = self.commands[number]
            number += 1
            if command.name == "}" or (self._selects(command) is command.is_negated):
                number = command.block_end if command.name == "{" else number
                continue
            match command.name:
                case "d":
                    self._did(command)
                    return False
                case "c":
                    self._did(command)
                    # The text stands for a whole range, once; with ! it stands for each line.
                    if len(command.addresses) < 2 or command.is_negated or not command.active:
                        self._emit(command.text + self._end)
                    return False
                case "q":
                    raise Stop
                case "n" | "N":
                    if not self._read_next(command.name == "N"):
                        return not (command.name == "N" and not self._gnu)
                case _:
                    self._edit(command)
        return True

    def _read_next(self, joins: bool) -> bool:
        """Read the next line into the pattern space. False if there is none: the script ends."""
        if self._at == len(self._lines):
            return False
        if not joins and not self._options.quiet:
            self._print()
        self._flush()
        line = self._lines[self._at]
        self._at += 1
        self._space = self._space + self._end + line if joins else line
        return True

    def _edit(self, command: Command) -> None:
        match command.name:
            case "s":
                self._substitute(command)
            case "i":
                self._did(command)
                self._emit(command.text + self._end)
            case "a":
                self._did(command)
                self._appended.append(command.text + b"\n")
            case "y":
                try:
                    space = "".join([command.table.get(one, one) for one in self._space.decode()]).encode()
                except UnicodeDecodeError:
                    raise Unmeasured("y on a line that is not UTF-8") from None
                if space != self._space:
                    self._did(command)
                self._space = space
            case "p":
                self._print()
            case "=":
                self._emit(f"{self._at}".encode() + self._end)

    def _did(self, command: Command, n_places: int = 1) -> None:
        command.lines.append(self._at)
        command.n_places += n_places

    def _searched(self, regex: Regex | None, at: int = 0) -> re.Match[bytes] | None:
        self._last = regex or self._last
        if self._last is None:
            raise SedError("no previous regular expression")
        found: re.Match[bytes] | None = self._last.search(self._space, at)
        return found

    def _substitute(self, command: Command) -> None:
        space, at, n_found, n_done, last_end = self._space, 0, 0, 0, -1
        out = list[bytes]()
        regex = command.regex
        while at <= len(space) and (found := self._searched(regex, at)):
            start, end = found.span()
            out.append(space[at:start])
            is_vacuous = start == end
            if not (is_vacuous and start == last_end):
                n_found += 1
                self._n_matches += 1
                if self._n_matches > _MAX_MATCHES:
                    raise Unmeasured("too many matches")
                if n_found < command.nth:
                    out.append(space[start:end])
                else:
                    n_done += 1
                    out += [one if isinstance(one, bytes) else found.group(one) or b"" for one in command.new]
            last_end = at = end
            if is_vacuous:
                if space[end : end + 1] > b"\x7f":  # GNU sed itself divides such a character.
                    raise Unmeasured("an empty match before a character that is not ASCII")
                out.append(space[end : end + 1])
                at = end + 1
            if n_done and not command.is_global:
                break
        if n_done:
            self._did(command, n_done)
            self._space = b"".join(out) + space[at:]
            if command.prints:
                self._print()

    def _selects(self, command: Command) -> bool:
        if not command.addresses:
            return True
        first = command.addresses[0]
        if len(command.addresses) == 1:
            return self._is_at(first)
        second = command.addresses[1]
        if command.active:
            return self._goes_on(command, second)
        # Later lines begin a range from a number, too, if n or N jumped over its line; but only one range.
        past = first.kind == "line" and self._at >= first.n
        if command.is_closed or not (past or self._is_at(first)):
            return False
        ends = {"plus": self._at + second.n, "line": second.n}
        command.range_end = ends.get(second.kind)
        has_ended = command.range_end is not None and command.range_end <= self._at
        command.active = not has_ended and not (second.kind == "last" and self._at == len(self._lines))
        command.is_closed = has_ended and first.kind == "line"
        return second.kind != "line" or self._at <= second.n or not past or self._at == first.n

    def _goes_on(self, command: Command, second: Address) -> bool:
        if command.range_end is not None:
            command.active = self._at < command.range_end
        elif self._is_at(second):
            command.active = False
        command.is_closed = not command.active and command.addresses[0].kind == "line"
        return command.range_end is None or self._at <= command.range_end or second.kind == "plus"

    def _is_at(self, address: Address) -> bool:
        match address.kind:
            case "line":
                return self._at == address.n
            case "last":
                return self._at == len(self._lines)
            case "step":
                past = self._at - address.n
                return past >= 0 and past % address.step == 0 if address.step else past == 0
            case _:
                return self._searched(address.regex) is not None

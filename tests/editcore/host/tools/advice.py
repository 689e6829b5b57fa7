"""A model that follows the advice of refusals to the letter: the oracle for whether advice can be followed.

It knows what it wants (some lines of a file replaced by others) and has bad habits: it does not read first, copies
badly, miscounts, forgets how a patch ends, and its calls are cut off on their way. It gives a habit up only where a
refusal says what to do instead, and does what the refusal says even where it makes no sense.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from editcore.host.host import Agent
from editcore.host.tools import Context, Registry, Result

_NUMBERED = re.compile(r"^\d+: ?(.*)$", re.MULTILINE)
AGENT = Agent("model")
PATH = "dir/app.py"


@dataclass
class Model:
    """The wishes of a model, its habits of writing, and the lines that it has seen."""

    tool: str
    first: int
    """The 0-based first line that it replaces."""
    last: int
    """The index after the last line."""
    new: tuple[str, ...]
    seen: tuple[str, ...]
    """The lines of the file as it remembers them; refreshed by reading."""
    context: int = 0
    exact: bool = False
    """True if it copies the lines from the file; else it writes them from memory, misspelt."""
    misspelt: Callable[[str], str] = lambda line: line
    header: str | None = "@@"
    """The first line of its hunk; None for one with counts that are right but for `miscount`."""
    miscount: int = 0
    line_feed: bool = True
    end: bool = True
    """True if it writes the last line of an envelope."""
    cut: int = 0
    """Characters that its first call loses at its end on the way."""
    was_cut: bool = False
    """True if its last call was cut off."""
    replace_all: bool = False
    prefers_replace_all: bool = False

    @property
    def _shown(self) -> tuple[list[str], list[str], list[str]]:
        """The lines above, the replaced ones and those below, as it writes them."""
        above = list(self.seen[max(self.first - self.context, 0) : self.first])
        below = list(self.seen[self.last : self.last + self.context])
        old = list(self.seen[self.first : self.last])
        return above, old if self.exact else [self.misspelt(line) for line in old], below

    def params(self) -> dict[str, Any]:
        above, old, below = self._shown
        find, new = "\n".join([*above, *old, *below]), "\n".join([*above, *self.new, *below])
        all_of_them = {"replaceAll": True} if self.replace_all else {}
        match self.tool:
            case "edit":
                return {"filePath": PATH, "oldString": find, "newString": new, **all_of_them}
            case "multi_edit":
                return {"filePath": PATH, "edits": [{"oldString": find, "newString": new, **all_of_them}]}
            case "edit_file":
                return {"path": PATH, "old_content": find, "new_content": new}
            case "patch_file":
                return {"path": PATH, "patch": self._sent(f"{self._header()}\n{self._hunk()}")}
            case "edit_patch":
                head = f"*** Begin Patch\n*** Update File: {PATH}\n@@\n"
                return {"patch": self._sent(f"{head}{self._hunk()}" + ("\n*** End Patch" if self.end else ""))}
        raise ValueError(self.tool)

    def _hunk(self) -> str:
        above, old, below = self._shown
        return "\n".join(
            [
                *(f" {line}" for line in above),
                *(f"-{line}" for line in old),
                *(f"+{line}" for line in self.new),
                *(f" {line}" for line in below),
            ]
        )

    def _header(self) -> str:
        if self.header is not None:
            return self.header
        above, old, below = self._shown
        start, n = self.first - len(above) + 1, len(above) + len(below) + self.miscount
        return f"@@ -{start},{n + len(old)} +{start},{n + len(self.new)} @@"

    def _sent(self, patch: str) -> str:
        patch += "\n" if self.line_feed else ""
        return patch[: max(len(patch) - self.cut, 1)]

    def read(self, registry: Registry, context: Context) -> None:
        found = registry.call(AGENT, "read", context, {"filePath": PATH})
        self.seen = tuple(_NUMBERED.findall(found.output))

    def call(self, registry: Registry, context: Context) -> Result:
        result = registry.call(AGENT, self.tool, context, self.params())
        self.was_cut, self.cut = self.cut > 0, 0
        return result

    def follow(self, message: str, registry: Registry, context: Context) -> None:
        """Do what the refusal says. Raises AssertionError if it gives no advice."""
        advice = [(rule, found) for pattern, rule in RULES if (found := re.search(pattern, message))]
        # Of a call that was cut off, a refusal may name what is missing; the model sends what it meant to send.
        assert advice or self.was_cut, f"no advice: {message}"
        for rule, found in advice:
            rule(self, found, registry, context)


Rule = Callable[[Model, "re.Match[str]", Registry, Context], None]


def _reads(model: Model, _: re.Match[str], registry: Registry, context: Context) -> None:
    model.read(registry, context)


def _copies(model: Model, _: re.Match[str], registry: Registry, context: Context) -> None:
    model.read(registry, context)
    model.exact = True


def _adds_lines(model: Model, found: re.Match[str], *_: object) -> None:
    if not (model.prefers_replace_all and "set replaceAll" in found.string):
        model.context += 2
        if model.header != "@@":
            model.header, model.miscount = None, 0  # Another hunk has another header, which it counts by now.


def _gives_text(model: Model, _: re.Match[str], registry: Registry, context: Context) -> None:
    model.read(registry, context)
    model.exact = True
    model.context += not "\n".join(model.seen[model.first : model.last])


def _replaces_all(model: Model, *_: object) -> None:
    model.replace_all = model.prefers_replace_all


def _sends_again(*_: object) -> None:
    """The intended text has not changed."""


def _takes_header(model: Model, found: re.Match[str], *_: object) -> None:
    if not model.was_cut:
        model.header = found[1].replace("LINE", str(max(model.first - model.context, 0) + 1))


def _ends(model: Model, *_: object) -> None:
    model.end = True


RULES: tuple[tuple[str, Rule], ...] = (
    (r"read it (?:first|again)", _reads),
    # It is for a patch that is whole: so it comes before the rule by which it is sent whole.
    (r"if it is whole, with the header '(@@ .* @@)'", _takes_header),
    (r"send it again whole|send it again with them|send those of its hunk|has no hunks: send them", _sends_again),
    (r"without '\*\*\* End Patch': .*with that as its last line", _ends),
    (r"did you mean '\*\*\* End Patch'", _ends),
    (r"[Cc]opy the (?:text|lines|indentation)|give the full text to replace|copy (?:it|the lines) ", _copies),
    (r"add surrounding lines|add context lines|give a line of context|give lines that hold some text", _adds_lines),
    (r"give the text to replace|expected a string of length >= 1. Correct it", _gives_text),
    (r"set replaceAll", _replaces_all),
)
"""Pattern of a refusal's advice -> the reaction of the model."""

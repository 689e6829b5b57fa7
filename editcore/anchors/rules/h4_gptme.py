"""The rule of gptme's `hashline_edit`, for its subset of H4.

Source: gptme/tools/hashline_edit.py of 22 August 2026, and the package 0.35.1, which `peer/gptme` runs. The tag must be
that of the text that was read. If the file is another by now, the call is made on that text, and both changes are
merged as `git merge-file` does, which takes a text with a null character for none. Plain hunks that overlap are not
noticed: bottom-up, each at its numbers. Lines end where `splitlines` ends them, so form feeds and the like become line
feeds, as CRLFs do. A tag of four digits, as oh-my-pi makes, is taken for the one that gptme's own read would have shown
of the same text.
"""

from __future__ import annotations

from editcore.anchors.change import Change, no_such_line, resolved
from editcore.anchors.hashes import gptme_tag, h4_tag
from editcore.anchors.rules.rule import Given, no_change
from editcore.text.three_way import beside
from editcore.types import Applied, EditResult, Reason, Rejected

NAME = "h4_gptme"


def h4_gptme(given: Given) -> EditResult:
    """Merges into a text that is not the one read; bottom-up, overlaps unnoticed, CRLF and form feeds lost."""
    seen = given.live if given.seen is None else given.seen
    tag = gptme_tag(seen) if len(given.call.tag or "") == 8 else h4_tag(seen)
    if given.call.tag != tag:
        return Rejected(
            Reason.STALE_READ,
            f"tag mismatch. Edit block has #{given.call.tag} but current snapshot is #{tag}. The file may have changed "
            "- call `read` again to get a fresh tag.",
        )
    base, live = _read(seen), _read(given.live)
    made = _made(given, base)
    is_binary = any("\0" in text for text in (base, made, live))
    content = made if live == base else None if is_binary else beside(base, made, live, apart=True)
    if content is None:
        return Rejected(
            Reason.STALE_READ,
            "file has changed since snapshot was captured. Automatic 3-way merge produced conflicts. Call `read` again "
            "to get a fresh snapshot.",
        )
    return no_change() if content == given.live else Applied(content, replacer=NAME)


def _made(given: Given, text: str) -> str:
    """The text after the call. Raises PatchError for a line that it does not have."""
    lines = text.splitlines()
    for change in sorted(_changes(given, lines), key=lambda one: -one.first):
        new = "\n".join(change.new).splitlines()
        start = change.first - (change.kind != "after")
        lines[start : start + change.n_lines] = new
    return "\n".join(lines) + "\n" * text.endswith("\n")


def _read(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _changes(given: Given, lines: list[str]) -> list[Change]:
    """The changes. Raises PatchError for a line that the text does not have."""
    changes = resolved(given.call, lines, given.registers, in_order=False)
    for change in changes:
        if not lines and change.kind == "before" and change.first == 1:
            continue
        for n in (change.first, change.last):
            if not 1 <= n <= len(lines):
                raise no_such_line(n, len(lines))
    return changes

"""Text around a patch or before each of its lines, and encodings of the whole patch."""

from __future__ import annotations

import json
from html import escape
from random import Random

from corpora.mutators.clean_edit import CleanPatch, Damaged
from corpora.mutators.mutator import Mutator, named
from corpora.mutators.patch_lines import PatchText, both_mutators, diff_mutators, envelope_mutators
from editcore.text.lines import BOM
from editcore.types import File

_BEFORE = (
    "Here is the patch:\n\n",
    "I'll fix this now. The change below updates the function:\n\n",
    "Sure! First the plan:\n\n1. Change the code.\n2. Run the tests.\n\n",
)
_AFTER = ("\nThis should fix it.\n", "\nLet me know if you want tests as well.\n", "\nWhat changed:\n\n* the code\n")
_INDENTS = ("  ", "    ", "\t", "        ", "\t\t")


def fenced(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A code fence is around the patch."""
    opening, closing = random.choice((("```", "```"), ("```diff", "```"), ("```patch", "```"), ("~~~", "~~~")))
    return patch.damaged(f"{opening}\n{patch.text}{closing}\n")


def closing_fence_only(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The end of a code fence is below the patch."""
    return patch.damaged(f"{patch.text}```\n")


def prose_around(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """Sentences are above and below the patch."""
    return patch.damaged(random.choice(_BEFORE) + patch.text + random.choice(_AFTER))


def prose_and_fence(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The patch is in a code fence, with sentences above and below."""
    return patch.damaged(f"{random.choice(_BEFORE)}```diff\n{patch.text}```\n{random.choice(_AFTER)}")


def indented(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Every line of the patch is indented; degree is the depth."""
    return patch.damaged(_with_prefix(patch, _INDENTS[degree - 1]))


def _with_prefix(patch: PatchText, prefix: str) -> str:
    return "".join([prefix + line + "\n" for line in patch.text.split("\n")[:-1]])


def html_entities(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """Angle brackets and ampersands, some of them in lines to be found, are HTML entities."""
    found = "".join([patch.lines[n].text for n in patch.indexes(" ", "-")])
    text = escape(patch.text, quote=random.random() < 0.5)
    return patch.damaged(text) if escape(found, quote=False) != found else None


def json_string(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The patch is one line, escaped as a JSON string, with or without its quotes."""
    text = json.dumps(patch.text, ensure_ascii=False)
    return patch.damaged(text if random.random() < 0.5 else text[1:-1])


def heredoc(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The patch is the here-document of a shell command."""
    command = "patch -p1" if patch.format == "unified_diff" else random.choice(("apply_patch", "cat"))
    mark = random.choice(("'EOF'", "EOF", '"EOF"'))
    return patch.damaged(f"{command} <<{mark}\n{patch.text}EOF\n")


def bare_heredoc_envelope(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The patch is a here-document without its command."""
    return patch.damaged(f"<<{random.choice(('EOF', chr(39) + 'EOF' + chr(39)))}\n{patch.text}EOF\n")


def mailed_diff(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The diff is in a mail as git writes it, with headers, a summary and a signature."""
    head = "From 0123456789abcdef Mon Sep 17 00:00:00 2001\nFrom: Dev <dev@example.org>\nSubject: [PATCH] Fix\n\n---\n"
    names = "".join([f" {file.path} | 2 +-\n" for file in patch.clean.before])
    return patch.damaged(f"{head}{names} 1 file changed\n\n{patch.text}-- \n2.39.5\n\n")


def crlf_files(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The lines of the files end in CRLF and stay so; the lines of the patch end in LF."""
    before, target = (
        tuple(File(file.path, file.content.replace("\n", "\r\n")) for file in files)
        for files in (patch.clean.before, patch.clean.target)
    )
    return patch.damaged(patch.text, clean=CleanPatch(before, target))


def bom_before(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch starts with a byte order mark."""
    return patch.damaged(BOM + patch.text)


def bom_in_files(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """A file starts with a byte order mark, directly before a context line, and keeps it; the patch lacks it."""
    first = [hunk[1] for hunk in patch.hunks if patch.lines[hunk[1]].kind == " "]
    at_top = {n: BOM + patch.lines[n].text[1:] for n in first if patch.lines[n].source_line == 1}
    return patch.damaged(patch.text, clean=patch.clean_with_lines(at_top)) if at_top else None


def last_line_feed_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The patch does not end in a line feed."""
    return patch.damaged(patch.text[:-1])


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *diff_mutators(fenced, closing_fence_only, prose_around, prose_and_fence, ending="_diff", absorber="strict"),
    *diff_mutators(mailed_diff, absorber="strict"),
    *diff_mutators(last_line_feed_missing, ending="_diff", absorber="strict"),
    *diff_mutators(bom_before, ending="_diff", absorber="tolerant"),
    *envelope_mutators(
        fenced, closing_fence_only, prose_around, prose_and_fence,
        ending="_envelope", truth="tolerate", absorber="lenient",
    ),
    *envelope_mutators(bare_heredoc_envelope, truth="tolerate", absorber="codex"),
    *envelope_mutators(bom_before, ending="_envelope", truth="tolerate", absorber="lenient"),
    *diff_mutators(indented, ending="_diff", absorber="tolerant"),
    *envelope_mutators(indented, ending="_envelope", truth="tolerate"),
    *both_mutators(
        named("quoted", "Every line of the patch is quoted as in a mail.",
              lambda patch, *_: patch.damaged(_with_prefix(patch, "> "))),
        truth="tolerate", absorbers=("tolerant", None),
    ),
    *both_mutators(html_entities, truth="tolerate"),
    *both_mutators(json_string, truth="tolerate", absorbers=(None, "lenient")),
    *both_mutators(heredoc, truth="tolerate", absorbers=("strict", "lenient")),
    *diff_mutators(
        named("begin_and_end_round_diff", "The markers of Begin/End Patch are around the diff.",
              lambda patch, *_: patch.damaged(f"*** Begin Patch\n{patch.text}*** End Patch\n")),
        truth="tolerate", absorber="strict",
    ),
    *both_mutators(
        named("crlf_patch", "The lines of the patch end in CRLF; the lines of the files end in LF and stay so.",
              lambda patch, *_: patch.damaged(patch.text.replace("\n", "\r\n"))),
        crlf_files,
        absorbers=("tolerant", "codex"),
    ),
    *both_mutators(bom_in_files, truth="tolerate"),
    *envelope_mutators(last_line_feed_missing, ending="_envelope", absorber="strict"),
    *both_mutators(
        named("blank_lines_around", "Blank lines are above and below the patch; degree is their number.",
              lambda patch, degree, _: patch.damaged("\n" * degree + patch.text + "\n" * degree)),
        absorbers=("strict", "codex"),
    ),
)  # fmt: skip

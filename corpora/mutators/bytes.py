"""Files that are more than UTF-8 text with one line ending: other encodings, invalid bytes, odd line ends.

Each family makes an apply sample and a refused sibling. The right bytes of the apply sample are known by
construction: the bytes before, with the span of the edit replaced. The refused sibling is the same file with a second
copy of the edit's lines, so that nothing says which copy is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from random import Random
from typing import Any

from corpora.mutators.clean_edit import CleanEdit, CleanPatch, Damaged, Unfit, given, needs
from corpora.mutators.mutator import Mutator, named, summary_of, text_mutators
from corpora.mutators.patch_lines import PATCH_ENDINGS, PatchFormat, render_patch
from corpora.mutators.spans import span_of
from editcore.text.comments import comment
from editcore.text.encodings import UTF_8, decode_as, faithful
from editcore.text.lines import BOM
from editcore.types import Edit, File


@dataclass(frozen=True, slots=True)
class OddFile:
    """A file's text before and after an edit, and its encoding."""

    path: str
    before: str
    target: str
    edit: Edit
    encoding: str | None = UTF_8
    """None: UTF-8, with lone surrogates for invalid bytes."""
    is_plain: bool = False
    """True if the file is UTF-8, so that its text says everything."""
    block: str | None = None
    """The lines of the edit as the file has them, if they differ from the search text."""

    def file(self, text: str) -> File:
        """The file with a text. Raises Unfit if the encoding lacks a character of the text."""
        if self.is_plain:
            return File(self.path, text)
        try:
            raw = text.encode(self.encoding or UTF_8, "strict" if self.encoding else "surrogateescape")
        except UnicodeEncodeError:
            raise Unfit from None
        needs(decode_as(raw, self.encoding) is not None and faithful(raw, self.encoding) == text)
        return File(self.path, text, raw, self.encoding)


_UNSEEN = re.compile(f"[{BOM}\udc80-\udcff]")

Family = Callable[[CleanEdit, int, Random], OddFile]


def applied(odd: OddFile) -> Damaged:
    """The edit of the file."""
    before, target = odd.file(odd.before), odd.file(odd.target)
    needs(before != target)
    return Damaged((before,), (target,), (odd.edit,))


def refused(odd: OddFile, *, before: str | None = None, edit: Edit | None = None, reason: str) -> Damaged:
    """The file with another text, or with another edit, that must be refused; its twin is the edit of the file."""
    right = applied(odd)
    twin = None if edit or right.target is None else (right.before, right.target)
    text = odd.before if before is None else before
    return Damaged((odd.file(text),), None, (edit or odd.edit,), twin=twin, reason=reason)


def patched(odd: OddFile, format: PatchFormat) -> Damaged:
    """The edit of the file as a patch. Raises Unfit if the patch would show an invalid byte."""
    made, files = applied(odd), (File(odd.path, odd.before), File(odd.path, odd.target))
    written = given(render_patch(CleanPatch(files[:1], files[1:]), format))
    # A model writes what it is shown: neither byte order marks nor invalid bytes.
    needs(not _UNSEEN.search(written.text))
    return replace(made, edits=None, patch=written.text)


def patch_mutators_of(family: Family) -> tuple[Mutator[CleanPatch], ...]:
    """The patch mutators of a family: `NAME_diff` and `NAME_envelope`."""

    def damage(format: PatchFormat, patch: CleanPatch, degree: int, random: Random) -> Damaged:
        return patched(family(span_of(patch.before[0], patch.target[0].content), degree, random), format)

    return tuple(
        Mutator(f"{family.__name__}_{ending}", summary_of(family), format, partial(damage, format), "apply")
        for format, ending in PATCH_ENDINGS
    )


def mutators_of(family: Family) -> tuple[Mutator[CleanEdit], Mutator[CleanEdit]]:
    """The search text mutators of a family: `NAME`, and its refused sibling `NAME_twice`."""

    def damage(clean: CleanEdit, degree: int, random: Random) -> Damaged:
        return applied(family(clean, degree, random))

    def twice(clean: CleanEdit, degree: int, random: Random) -> Damaged:
        needs(clean.whole_lines)
        odd = family(clean, degree, random)
        end = "" if odd.before.endswith("\n") else "\n"
        return refused(odd, before=f"{odd.before}{end}\n{odd.block or odd.edit.old_string}\n", reason="two_equal")

    name, summary = family.__name__, summary_of(family)
    second = f"{summary} The lines of the edit stand in it twice."
    return (
        Mutator(name, summary, "str_replace", damage, "apply", "simple"),
        Mutator(f"{name}_twice", second, "str_replace", twice, "refuse"),
    )


def among_comments(
    clean: CleanEdit, said: list[str], random: Random, encoding: str | None = UTF_8, *, is_plain: bool = False
) -> OddFile:
    """The edit of a file with comments added outside its span, one for each text. Raises Unfit if the language has no
    comments.
    """
    lines = [comment(text, clean.path) for text in said]
    needs(None not in lines and clean.whole_lines and clean.is_unique and "\r" not in clean.content)
    needs(clean.old.strip())
    before, after = clean.content[: clean.start], clean.content[clean.end :]
    for line in lines:
        if after.startswith("\n") and random.random() < 0.5:
            after = _inserted(after, f"{line}\n", random)
        else:
            before = _inserted(before, f"{line}\n", random)
    found = clean.in_file(before, after)
    needs(found.is_unique and found.old != found.new)
    return OddFile(found.path, found.content, found.target, Edit(clean.old, clean.new), encoding, is_plain)


def _inserted(text: str, line: str, random: Random) -> str:
    starts = [at + 1 for at, one in enumerate(text) if one == "\n"]
    at = random.choice(starts) if starts else 0
    return text[:at] + line + text[at:]


# Files in other encodings, and with invalid bytes.

_LATIN = ["déjà vérifié à côté", "größere Änderung der Übergabe", "niño, mañana, año", "20 °C ± 1", "© Müller & Söhne"]
_TYPED = ["it’s “quoted”", "from 1 – 9…", "café — naïve", "costs 5 €", "‘sœur’ and frère"]
_JAPANESE = [
    "設定ファイルを読み込む", "ユーザー名が空です", "日付を計算する関数", "値が不正な場合の表示", "ソート順を予約する",
]  # fmt: skip
_CHINESE = ["读取配置文件", "用户名不能为空", "计算日期的函数", "如果数值不正确", "登录页面的标题"]
_LACKED = {"latin-1": "日本", "cp1252": "中文", "shift_jis": "café"}
_BINARY_BYTES = 8192


def _in(name: str, encoding: str, called: str, said: list[str], degree: str) -> Family:
    """A row: a file in another encoding, with comments in it."""

    def family(clean: CleanEdit, degree: int, random: Random) -> OddFile:
        return among_comments(clean, random.sample(said, degree), random, encoding)

    return named(name, f"The file is in {called}; degree is the number of comments {degree}.", family)


def utf16_file(clean: CleanEdit, degree: int, random: Random) -> OddFile:
    """The file is in UTF-16 with its byte order mark; degree is the number of comments that are not ASCII."""
    encoding = random.choice(["utf-16-le", "utf-16-be"])
    odd = among_comments(clean, random.sample(_LATIN + _JAPANESE, degree), random, encoding)
    needs(clean.start != 0)
    return replace(odd, before=BOM + odd.before, target=BOM + odd.target)


def one_bad_byte(clean: CleanEdit, degree: int, random: Random) -> OddFile:
    """The file is UTF-8, but for a byte in a comment; degree is the number of such comments."""
    said = [f"na\udcef{one}" for one in random.sample(["ve", "f", "vely", "vety", "ver"], degree)]
    return among_comments(clean, [*said, random.choice(_LATIN)], random, None)


def unencodable_new(clean: CleanEdit, degree: int, random: Random) -> Damaged:
    """The new text has a word that the file's encoding lacks; degree is the number of comments in that encoding."""
    encoding, said = random.choice([("latin-1", _LATIN), ("cp1252", _TYPED), ("shift_jis", _JAPANESE)])
    odd = among_comments(clean, random.sample(said, degree), random, encoding)
    needs(clean.new.strip())
    return refused(odd, edit=Edit(clean.old, f"{clean.new} {_LACKED[encoding]}"), reason="unencodable")


def nul_byte(clean: CleanEdit, degree: int, random: Random) -> Damaged:
    """A comment in the first 8 KB has a NUL, as binary files do; degree is the number of such comments."""
    odd = among_comments(clean, ["x\0y"] * degree, random)
    needs(odd.before.encode("utf-8", "replace").rfind(b"\0") < _BINARY_BYTES)
    twin = (File(clean.path, clean.content),), (File(clean.path, clean.target),)
    return Damaged((odd.file(odd.before),), None, (odd.edit,), twin=twin, reason="binary")


def unencodable_patch(format: PatchFormat, patch: CleanPatch, degree: int, random: Random) -> Damaged:
    """The new lines of a patch have a word that the file's encoding lacks; degree is the number of comments in it."""
    pair = unencodable_new(span_of(patch.before[0], patch.target[0].content), degree, random)
    [before], [edit] = pair.before, given(pair.edits)
    target = before.content.replace(edit.old_string, edit.new_string, 1)
    written = render_patch(CleanPatch((File(before.path, before.content),), (File(before.path, target),)), format)
    return replace(pair, edits=None, patch=given(written).text)


_FAMILIES: tuple[Family, ...] = (
    _in("latin1_file", "latin-1", "Latin-1", _LATIN, "with its letters"),
    _in("cp1252_file", "cp1252", "Windows-1252", _TYPED, "with its quotes and dashes"),
    _in("shift_jis_file", "shift_jis", "Shift-JIS", _JAPANESE, "in Japanese"),
    _in("gb18030_file", "gb18030", "GB18030", _CHINESE, "in Chinese"),
    utf16_file,
    one_bad_byte,
)


# Characters that some programs drop or take for line ends, and mixed line endings within the span of an edit.


def bom_mid_file(clean: CleanEdit, degree: int, random: Random) -> OddFile:
    """Comments contain a byte order mark, as in concatenated files; degree is the number of them."""
    return among_comments(clean, [f"{BOM}part {n}" for n in range(degree)], random, is_plain=True)


def lone_cr(clean: CleanEdit, degree: int, random: Random) -> OddFile:
    """Comments hold a lone carriage return; degree is the number of them."""
    return among_comments(clean, [f"one\rtwo {n}" for n in range(degree)], random, is_plain=True)


def mixed_region(clean: CleanEdit, degree: int, random: Random) -> OddFile:
    """Lines of the span end in CRLF or LF, and each keeps its own; degree is the share with CRLF."""
    lines, new = clean.lines, clean.new.split("\n")
    is_odd = "\r" in clean.content + clean.new or not clean.whole_lines or not clean.is_unique
    needs(not is_odd and len(lines) >= 2 and len(lines) == len(new) and clean.old != clean.new)
    ends = ["\r\n" if random.random() < degree / 6 else "\n" for _ in lines[1:]]
    if len(set(ends)) < 2 and len(ends) > 1:
        ends[0], ends[-1] = "\r\n", "\n"
    below = clean.content[clean.end :]
    before, target = (_joined(one, ends) for one in (lines, new))
    needs(before != clean.old)
    above, edit = clean.content[: clean.start], Edit(clean.old, clean.new)
    return OddFile(clean.path, above + before + below, above + target + below, edit, is_plain=True, block=before)


def _joined(lines: list[str], ends: list[str]) -> str:
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


BYTE_MUTATORS: tuple[Mutator[Any], ...] = (
    *chain.from_iterable(map(mutators_of, _FAMILIES)),
    *text_mutators(nul_byte, unencodable_new, truth="refuse"),
    *chain.from_iterable(map(patch_mutators_of, _FAMILIES)),
    *(
        Mutator(
            f"unencodable_new_{ending}", summary_of(unencodable_patch), format,
            partial(unencodable_patch, format), "refuse",
        )
        for format, ending in PATCH_ENDINGS
    ),
    *chain.from_iterable(map(mutators_of, (bom_mid_file, lone_cr, mixed_region))),
)  # fmt: skip

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

from corpora.mutators.clean_edit import CleanEdit, CleanPatch, Damaged
from corpora.mutators.mutator import Mutator, summary_of, text_mutators
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

    def file(self, text: str) -> File | None:
        """The file with a text; None if the encoding lacks a character of the text."""
        if self.is_plain:
            return File(self.path, text)
        try:
            raw = text.encode(self.encoding or UTF_8, "strict" if self.encoding else "surrogateescape")
        except UnicodeEncodeError:
            return None
        read = decode_as(raw, self.encoding)
        content = faithful(raw, self.encoding)
        return File(self.path, content, raw, self.encoding) if read is not None and content == text else None


_UNSEEN = re.compile(f"[{BOM}\udc80-\udcff]")

Family = Callable[[CleanEdit, int, Random], OddFile | None]


def applied(odd: OddFile) -> Damaged | None:
    """The edit of the file; None if the encoding lacks a character."""
    before, target = odd.file(odd.before), odd.file(odd.target)
    return Damaged((before,), (target,), (odd.edit,)) if before and target and before != target else None


def refused(odd: OddFile, *, before: str | None = None, edit: Edit | None = None, reason: str) -> Damaged | None:
    """The file with another text, or with another edit, that must be refused; its twin is the edit of the file."""
    right, given = applied(odd), odd.file(odd.before if before is None else before)
    if right is None or right.target is None or given is None:
        return None
    twin = None if edit else (right.before, right.target)
    return Damaged((given,), None, (edit or odd.edit,), twin=twin, reason=reason)


def patched(odd: OddFile, format: PatchFormat) -> Damaged | None:
    """The edit of the file as a patch; None if the encoding lacks a character, or if the patch would show an invalid
    byte.
    """
    made = applied(odd)
    files = File(odd.path, odd.before), File(odd.path, odd.target)
    written = render_patch(CleanPatch(files[:1], files[1:]), format)
    # A model writes what it is shown: neither byte order marks nor invalid bytes.
    if made is None or written is None or _UNSEEN.search(written.text):
        return None
    return replace(made, edits=None, patch=written.text)


def patch_mutators_of(family: Family) -> tuple[Mutator[CleanPatch], ...]:
    """The patch mutators of a family: `NAME_diff` and `NAME_envelope`."""

    def damage(format: PatchFormat, patch: CleanPatch, degree: int, random: Random) -> Damaged | None:
        odd = family(span_of(patch.before[0], patch.target[0].content), degree, random)
        return None if odd is None else patched(odd, format)

    return tuple(
        Mutator(f"{family.__name__}_{ending}", summary_of(family), format, partial(damage, format), "apply")
        for format, ending in PATCH_ENDINGS
    )


def mutators_of(family: Family) -> tuple[Mutator[CleanEdit], Mutator[CleanEdit]]:
    """The search text mutators of a family: `NAME`, and its refused sibling `NAME_twice`."""

    def damage(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        odd = family(clean, degree, random)
        return None if odd is None else applied(odd)

    def twice(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        odd = family(clean, degree, random) if clean.whole_lines else None
        if odd is None:
            return None
        end = "" if odd.before.endswith("\n") else "\n"
        return refused(odd, before=f"{odd.before}{end}\n{odd.block or odd.edit.old_string}\n", reason="two_equal")

    name, summary = family.__name__, summary_of(family)
    second = f"{summary} The lines of the edit stand in it twice."
    return (
        Mutator(name, summary, "str_replace", damage, "apply", "simple"),
        Mutator(f"{name}_twice", second, "str_replace", twice, "refuse"),
    )


def among_comments(clean: CleanEdit, said: list[str], random: Random) -> CleanEdit | None:
    """The edit of a file with comments added outside its span, one for each text. None if the language has no
    comments.
    """
    lines = [comment(text, clean.path) for text in said]
    if None in lines or not clean.whole_lines or not clean.is_unique or "\r" in clean.content or not clean.old.strip():
        return None
    before, after = clean.content[: clean.start], clean.content[clean.end :]
    for line in lines:
        if after.startswith("\n") and random.random() < 0.5:
            after = _inserted(after, f"{line}\n", random)
        else:
            before = _inserted(before, f"{line}\n", random)
    found = clean.in_file(before, after)
    return found if found.is_unique and found.old != found.new else None


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


def _in(encoding: str, said: list[str], clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    found = among_comments(clean, random.sample(said, degree), random)
    return None if found is None else OddFile(found.path, found.content, found.target, _edit(clean), encoding)


def _edit(clean: CleanEdit) -> Edit:
    return Edit(clean.old, clean.new)


def latin1_file(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """The file is in Latin-1; degree is the number of comments with its letters."""
    return _in("latin-1", _LATIN, clean, degree, random)


def cp1252_file(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """The file is in Windows-1252; degree is the number of comments with its quotes and dashes."""
    return _in("cp1252", _TYPED, clean, degree, random)


def shift_jis_file(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """The file is in Shift-JIS; degree is the number of comments in Japanese."""
    return _in("shift_jis", _JAPANESE, clean, degree, random)


def gb18030_file(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """The file is in GB18030; degree is the number of comments in Chinese."""
    return _in("gb18030", _CHINESE, clean, degree, random)


def utf16_file(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """The file is in UTF-16 with its byte order mark; degree is the number of comments that are not ASCII."""
    encoding = random.choice(["utf-16-le", "utf-16-be"])
    found = among_comments(clean, random.sample(_LATIN + _JAPANESE, degree), random)
    if found is None or clean.start == 0:
        return None
    return OddFile(found.path, BOM + found.content, BOM + found.target, _edit(clean), encoding)


def one_bad_byte(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """The file is UTF-8, but for a byte in a comment; degree is the number of such comments."""
    said = [f"na\udcef{one}" for one in random.sample(["ve", "f", "vely", "vety", "ver"], degree)]
    found = among_comments(clean, [*said, random.choice(_LATIN)], random)
    return None if found is None else OddFile(found.path, found.content, found.target, _edit(clean), None)


def unencodable_new(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The new text has a word that the file's encoding lacks; degree is the number of comments in that encoding."""
    encoding, said = random.choice([("latin-1", _LATIN), ("cp1252", _TYPED), ("shift_jis", _JAPANESE)])
    odd = _in(encoding, said, clean, degree, random)
    if odd is None or not clean.new.strip():
        return None
    return refused(odd, edit=Edit(clean.old, f"{clean.new} {_LACKED[encoding]}"), reason="unencodable")


def nul_byte(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """A comment in the first 8 KB has a NUL, as binary files do; degree is the number of such comments."""
    found = among_comments(clean, ["x\0y"] * degree, random)
    if found is None or found.content.encode("utf-8", "replace").rfind(b"\0") >= _BINARY_BYTES:
        return None
    plain = OddFile(clean.path, clean.content, clean.target, _edit(clean), is_plain=True)
    odd = OddFile(found.path, found.content, found.target, plain.edit)
    given = odd.file(odd.before)
    twin = (plain.file(plain.before), plain.file(plain.target))
    if given is None or twin[0] is None or twin[1] is None:
        return None
    return Damaged((given,), None, (plain.edit,), twin=((twin[0],), (twin[1],)), reason="binary")


def unencodable_patch(format: PatchFormat, patch: CleanPatch, degree: int, random: Random) -> Damaged | None:
    """The new lines of a patch have a word that the file's encoding lacks; degree is the number of comments in it."""
    clean = span_of(patch.before[0], patch.target[0].content)
    refused_pair = unencodable_new(clean, degree, random)
    if refused_pair is None or not refused_pair.edits:
        return None
    [before], [edit] = refused_pair.before, refused_pair.edits
    target = before.content.replace(edit.old_string, edit.new_string, 1)
    written = render_patch(CleanPatch((File(before.path, before.content),), (File(before.path, target),)), format)
    return None if written is None else replace(refused_pair, edits=None, patch=written.text)


_FAMILIES = (latin1_file, cp1252_file, shift_jis_file, gb18030_file, utf16_file, one_bad_byte)


# Characters that some programs drop or take for line ends, and mixed line endings within the span of an edit.


def _with_comments(said: list[str], clean: CleanEdit, random: Random) -> OddFile | None:
    found = among_comments(clean, said, random)
    if found is None:
        return None
    return OddFile(found.path, found.content, found.target, Edit(clean.old, clean.new), is_plain=True)


def bom_mid_file(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """Comments contain a byte order mark, as in concatenated files; degree is the number of them."""
    return _with_comments([f"{BOM}part {n}" for n in range(degree)], clean, random)


def lone_cr(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """Comments hold a lone carriage return; degree is the number of them."""
    return _with_comments([f"one\rtwo {n}" for n in range(degree)], clean, random)


def mixed_region(clean: CleanEdit, degree: int, random: Random) -> OddFile | None:
    """Lines of the span end in CRLF or LF, and each keeps its own; degree is the share with CRLF."""
    lines, new = clean.lines, clean.new.split("\n")
    is_odd = "\r" in clean.content + clean.new or not clean.whole_lines or not clean.is_unique
    if is_odd or len(lines) < 2 or len(lines) != len(new) or clean.old == clean.new:
        return None
    ends = ["\r\n" if random.random() < degree / 6 else "\n" for _ in lines[1:]]
    if len(set(ends)) < 2 and len(ends) > 1:
        ends[0], ends[-1] = "\r\n", "\n"
    below = clean.content[clean.end :]
    before, target = (_joined(one, ends) for one in (lines, new))
    if before == clean.old:
        return None
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

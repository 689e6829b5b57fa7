"""Files in other encodings, and with bytes in them that are of none."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from random import Random
from typing import Any

from corpora.mutators.bytes.odd_file import OddFile, among_comments, mutators_of, patch_mutators_of, refused
from corpora.mutators.clean_edit import CleanEdit, CleanPatch
from corpora.mutators.mutator import Damaged, Mutator, summary_of, text_mutator
from corpora.mutators.patch_lines import PATCH_ENDINGS, PatchFormat, render_patch
from corpora.mutators.spans import span_of
from editcore.types import Edit, File

_LATIN = ["déjà vérifié à côté", "größere Änderung der Übergabe", "niño, mañana, año", "20 °C ± 1", "© Müller & Söhne"]
_TYPED = ["it’s “quoted”", "from 1 – 9…", "café — naïve", "costs 5 €", "‘sœur’ and frère"]
_JAPANESE = [
    "設定ファイルを読み込む",
    "ユーザー名が空です",
    "日付を計算する関数",
    "値が不正な場合の表示",
    "ソート順を予約する",
]
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
    return OddFile(found.path, f"\ufeff{found.content}", f"\ufeff{found.target}", _edit(clean), encoding)


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
MUTATORS: tuple[Mutator[Any], ...] = (
    *chain.from_iterable(map(mutators_of, _FAMILIES)),
    text_mutator(nul_byte, truth="refuse"),
    text_mutator(unencodable_new, truth="refuse"),
    *chain.from_iterable(map(patch_mutators_of, _FAMILIES)),
    *(
        Mutator(
            f"unencodable_new_{ending}",
            summary_of(unencodable_patch),
            format,
            partial(unencodable_patch, format),
            "refuse",
        )
        for format, ending in PATCH_ENDINGS
    ),
)

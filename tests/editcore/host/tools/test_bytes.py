"""Every tool on a file of each encoding and line ending: all bytes outside the edit stay."""

from __future__ import annotations

from typing import Any

import pytest

from editcore.text.encodings import Decoded, decode
from tests.editcore.host.conftest import Project, replacing

ABOVE = {
    "latin-1": "# Jürgen Müller, naïve\n",
    "cp1252": "# it’s “quoted” …\n",
    "shift_jis": "# 設定ファイルを読み込む、表示\n",
    "gb18030": "# 读取配置文件\n# 用户名不能为空\n# 计算日期的函数\n# 登录页面的标题\n",
    "euc_kr": "# 설정 파일을 읽는다\n# 사용자 이름이 비어 있습니다\n",
    "koi8_r": "# читаем файл настроек\n# имя пользователя пустое\n",
    "utf-16-le": "\ufeff# 日本 é\n",
    "utf-16-be": "\ufeff# 日本 é\n",
    "utf-32-le": "\ufeff# é\n",
    "utf-8-sig": "# é\n",
    "utf-8": "# é \udcff\udc80\n",
}
BODY = "# one\rtwo\x0c\x85\u2028\nx = 1\ny = 2"
"""It ends without a line feed. Latin-1 and similar encodings lack U+2028: it is left out there."""
TOOLS: dict[str, dict[str, Any]] = {
    **replacing("f.py", "x = 1", "x = 10", line=3),
    "insert_at": {"path": "f.py", "content": "z = 0"},
    "write": {"filePath": "f.py"},
}


def raw(encoding: str, ending: str) -> bytes:
    return (
        (ABOVE[encoding] + BODY)
        .replace("\n", ending)
        .encode(encoding, "surrogateescape" if encoding == "utf-8" else "ignore")
    )


def in_encoding(text: str, encoding: str) -> bytes:
    return text.encode(encoding.removesuffix("-sig"))


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("encoding", ABOVE)
@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_every_byte_but_those_of_the_edit_stays(project: Project, tool: str, encoding: str, ending: str) -> None:
    before = raw(encoding, ending)
    project.lay("f.py", before, known=False)
    shown = project.done("read", filePath="f.py").output
    read = decode(before)
    assert isinstance(read, Decoded)
    assert ("(The file is " in shown) == (encoding != "utf-8-sig")
    params, after = dict(TOOLS[tool]), before.replace(in_encoding("x = 1", encoding), in_encoding("x = 10", encoding))
    if tool == "insert_at":
        params["line"] = read.text.split("\n").index("x = 1" + ending[:-1])
        after = before.replace(in_encoding("x = 1", encoding), in_encoding(f"z = 0{ending}x = 1", encoding))
    elif tool == "write":
        # Its own carriage returns are those of the file: without any, it gets the endings that the file has.
        params["content"] = read.text.replace("x = 1", "x = 10")
    if tool == "write" and encoding == "utf-8":
        params["content"] = read.shown.replace("x = 1", "x = 10")
        assert "leave its line out of the edit" in project.refused("write", "not_allowed", **params)
        return
    result = project.done(tool, **params)
    assert (project.root / "f.py").read_bytes() == after
    said = '"encodings": {"f.py": "' if tool == "edit_patch" else "outside the edit its bytes are as they were"
    assert (said in result.output) == (encoding != "utf-8-sig")

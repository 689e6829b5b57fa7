"""Personal data: e-mail addresses, home folders, host names.

Each search starts at a fixed text of its kind (`@`, `home`, `.internal`) and is bounded on both sides.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from corpora.scrubbing.rule import REDACTED, Rule, Span, words

_ORDINARY_USERS = words(
    "user runner node ubuntu vscode root app me name username yourname you shared public default jovyan codespace "
    "gitpod circleci linuxbrew git docker dev test testuser foo alice bob all_users vagrant ec2-user pi index "
    "dashboard settings about profile page home src lib bin components styles assets"
)

# E-mail

_AT = re.compile(
    r"(?:@|%40|=40(?=[A-Za-z]))(?P<host>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.)+(?P<top>[A-Za-z]{2,24}|xn--[a-z0-9-]{2,59}))"
    r"(?![A-Za-z0-9_-]|\.\w|[(\[])"
)
_LOCAL = string.ascii_letters + string.digits + "._+-"
_ORDINARY_HOSTS = ("example.com", "example.org", "example.net", "localhost", "test.com", "email.com", "domain.com")
_ORDINARY_NAMES = frozenset(("git", "noreply", "no-reply", "hg", "this", "super", "return", REDACTED))
_DOMAINS = words(
    "com org net edu gov mil int info biz dev app xyz tech cloud online site name pro email mail agency company group "
    "team studio software systems solutions digital network academy university berlin london health care clinic "
    "hospital bank capital finance financial fund insurance law legal tax consulting partners ventures holdings "
    "international global world life live today news media press blog page web website space store shop market games "
    "game design art photo photography video music fm tv radio social chat community foundation institute school "
    "college education training science engineering energy construction builders house homes estate property land "
    "farm garden restaurant cafe pizza bar beer wine coffee food kitchen fashion style fitness yoga run golf football "
    "travel tours holiday flights hotel taxi auto cars bike paris tokyo amsterdam wien hamburg koeln bayern nrw swiss "
    "scot wales nyc miami vegas asia africa lat eus cat gal bzh coop museum aero jobs mobi tel post arpa zone wiki "
    "support services service works expert guru ninja rocks one top club vip icu fun plus help host hosting security "
    "computer codes tools technology vision earth green eco fit love family baby kids pet dog church faith charity "
    "ngo ong gmbh ltd inc llc sarl limited google microsoft apple amazon"
)
_NO_DOMAINS = words("js ts gz cs go rb vb to so sh do cc hh mm xz")
"""Top-level domains of two letters that are more often suffixes of file names, or operands of the operator `@`."""


def _local_start(text: str, at: int, letters: str, farthest: int) -> int:
    """The offset at which the run of `letters` that ends at `at` begins."""
    before = text[max(0, at - farthest) : at]
    start = at - (len(before) - len(before.rstrip(letters)))
    if start < at and text[start - 1 : start] == "\\" and text[start] in "nrt":
        start += 1
    return start


def _addresses(text: str) -> Iterator[Span]:
    end = 0
    for match in _AT.finditer(text):
        start = max(_local_start(text, match.start(), _LOCAL, 64), end)
        host, name = match["host"].lower(), text[start : match.start()]
        if _is_ordinary(name, host) or (text[start - 1 : start] == ":" and "://" in text[max(0, start - 64) : start]):
            continue
        in_brackets = text[start - 1 : start] == "<" and text[match.end() : match.end() + 1] == ">"
        if in_brackets or _is_top(match["top"].lower()):
            end = match.end()
            yield Span(start, end, "someone@example.com")


def _is_ordinary(name: str, host: str) -> bool:
    """True if the text around an `@` is code, or an address that identifies nobody."""
    if not any(map(str.isalnum, name)) or name.strip(".+-") in _ORDINARY_NAMES:
        return True
    return host.startswith(("self.", "this.", "np.")) or any(
        host == one or host.endswith(f".{one}") for one in _ORDINARY_HOSTS
    )


def _is_top(top: str) -> bool:
    return (len(top) == 2 and top not in _NO_DOMAINS) or top in _DOMAINS or top.startswith("xn--")


# Home folders

_SLASH = r"(?:%2[Ff]|%5[Cc]|[\\/])"
_HOME = re.compile(
    rf"(?:(?P<unix>home|Users)|(?P<other>(?i:users)))(?P<slash>{_SLASH}++)(?P<user>[^/\\\s\"'`:;,)\]}}>%|*?<]{{1,64}}+)"
    r"(?P<words>(?: [A-Za-z0-9.]{1,32}){1,2}(?=[/\\]))?"
)
_DRIVE = re.compile(rf"[A-Za-z](?::|%3[Aa]){_SLASH}++$")
_FROM_THE_TOP = re.compile(
    rf"(?:^|[^\w.\\/]|\\[nrt]|%(?!2[Ff]|5[Cc])[0-9A-Fa-f]{{2}}|\x1b\[[\d;]*m|(?<!\w)-[A-Za-z]|=3D)"
    rf"{_SLASH}*+(?:[A-Za-z]{_SLASH}){{0,2}}"
    rf"(?:{_SLASH}*+(?:mnt|export|exports|var|data|usr|nfs|net|media|rootfs|private|cygdrive|Volumes|srv|opt|storage|volume\d|sysroot|run|gpfs"
    rf"|lustre|scratch){_SLASH}(?:[\w. -]{{1,24}}{_SLASH})?)?{_SLASH}*+$"
)
_REMOTE = re.compile(
    rf"(?:(?:ssh|sftp|smb|rsync|file|scp|wsl|vscode-remote|git)://[^/\s]{{1,40}}"
    rf"|wsl(?:\$|\.localhost){_SLASH}++[\w.-]{{1,24}}){_SLASH}++$"
)
_ENDS_IN_SLASH = re.compile(rf"{_SLASH}$")


def _homes(text: str) -> Iterator[Span]:
    for match in _HOME.finditer(text):
        user = match["user"].rstrip(".")
        before = text[max(0, match.start() - 64) : match.start()]
        on_drive = _DRIVE.search(before) is not None
        if not on_drive and (not match["unix"] or not before or not _is_absolute(before)):
            continue
        words = match["words"] if on_drive and match["words"] else ""
        if words == "" and (not user or user.lower() in _ORDINARY_USERS or user[0] in "$<{("):
            continue
        if user.lower() == "all" or (user.lower() == "default" and words):
            continue
        yield Span(match.start("user"), match.start("user") + len(user) + (len(words) if words else 0), "user")


def _is_absolute(before: str) -> bool:
    """True if a path is absolute. `before` is the part of the path before the folder of all homes."""
    if not _ENDS_IN_SLASH.search(before):
        return False
    return _FROM_THE_TOP.search(before) is not None or _REMOTE.search(before) is not None


_DASHED = re.compile(
    r"(?:(?<![\w-])(?:-[a-z]{1,8}){0,2}-|(?<![\w-])[A-Za-z]--)(?:home|Users)-(?P<user>[A-Za-z0-9_.]{1,64}+)(?=-)"
)


def _dashed_homes(text: str) -> Iterator[Span]:
    for match in _DASHED.finditer(text):
        if match["user"].lower() not in _ORDINARY_USERS:
            yield Span(match.start("user"), match.end("user"), "user")


# Hosts

_PRIVATE_HOST = re.compile(r"\.(?P<end>internal|local|lan|corp|intranet|localdomain)(?![\w(=-]|\.\w)")
_HOST = string.ascii_letters + string.digits + ".-"
_ORDINARY_PRIVATE = ("docker.internal", "google.internal", "cluster.local")
_PROMPT = re.compile(
    r"(?P<at>@)(?P<host>[A-Za-z0-9][A-Za-z0-9.-]{0,62}+)"
    r"(?=:[~/][^\s$#%]{0,128}[ ]?[$#%](?:\s|$)| [^\]\n]{1,64}\][$#](?:\s|$))"
)


def _hosts(text: str) -> Iterator[Span]:
    for match in _PRIVATE_HOST.finditer(text):
        start = _local_start(text, match.start(), _HOST, 253)
        labels, end = text[start : match.start()].lstrip(".-"), match["end"]
        start = match.start() - len(labels)
        before = text[max(0, start - 3) : start]
        in_url = before.endswith(("://", "@"))
        is_name = "-" in labels or any(map(str.isdigit, labels))
        if labels in ("", "host") or f"{labels}.{end}".endswith(_ORDINARY_PRIVATE):
            continue
        if in_url or (is_name and before[-1:] not in ("/", "\\", "_", "$", ".")):
            yield Span(start, match.end(), f"host.{end}")


def _prompts(text: str) -> Iterator[Span]:
    for match in _PROMPT.finditer(text):
        start = _local_start(text, match.start(), _LOCAL, 32)
        if start < match.start() and text[start : match.start()] not in ("git", "hg") and match["host"] != "host":
            yield Span(start, match.end(), "user@host")


PERSONAL = (
    Rule(
        "e-mail", "e-mail", "an e-mail address", ("@", "%40", "=40"), _addresses, "mail «jane.doe{d2}@firm.co.uk» now",
        "icon@2x.png and y = x@self.weight.T and @app.route('/') and noreply@github.com",
    ),
    Rule(
        "home", "home", "the user's name in the path of a home folder", ("home", "users"), _homes,
        "/home/«jdoe{d2}»/src/x.py",
        "src/home/jane.ts and /home/user/x and ${HOME}/x and /home/${USER}/x and C:\\Users\\Public",
    ),
    Rule(
        "dashed_home", "home", "the same in the name of a folder of Claude Code", ("-home-", "-users-"), _dashed_homes,
        "~/.claude/projects/-home-«jdoe{d2}»-demo/s", "my-home-page-x and --home-dir-x",
    ),
    Rule(
        "prompt", "host", "the user and host of a shell's prompt", ("@",), _prompts, "«jdoe{d2}@build-box-17»:~$ ls",
        "scp git@github.com:~/x and user@host:~$ ls",
    ),
    Rule(
        "host", "host", "a host in a private domain", (".internal", ".local", ".lan", ".corp", ".intranet"), _hosts,
        "http://«build{d1}.acme».internal/x",
        "http://localhost:8000 and app.local and threading.local() and .env.local",
    ),
)  # fmt: skip

"""Scrubbing: secrets, e-mail addresses, home paths, host names and lone surrogates are removed from samples.

There are two passes. The first replaces what it recognizes by stand-ins, equal texts by equal ones within a sample. The
second runs detect-secrets: a sample that still looks secret is dropped.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from corpora.sample import Sample
from editcore.types import Edit, File

REDACTED = "REDACTED"
_NAME = r"(?:api[_-]?key|secret|token|passw(?:or)?d|pwd|credential|private[_-]?key|access[_-]?key|auth)"
_ORDINARY_USERS = (
    *("user", "runner", "node", "ubuntu", "vscode", "root", "app", "me", "name", "username", "yourname", "you"),
    *("shared", "public", "default", "jovyan", "codespace", "gitpod", "circleci", "linuxbrew", "git", "docker", "dev"),
    *("test", "testuser", "foo", "alice", "bob"),
)
_ORDINARY_PASSWORDS = ("password", "passwd", "pass", "pwd", "secret", "token", "user", "p", "pw", "postgres", "test")
_ORDINARY_HOSTS = ("example.com", "example.org", "example.net", "localhost", "test.com", "email.com", "domain.com")
_DOMAINS = (
    r"(?:[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|dev|app|xyz|tech|cloud|online|site|name|pro|email|mail|io|ai"
    r"|agency|company|group|team|studio|software|systems|solutions|digital|network|academy|university|berlin|london)"
)
_NO_DOMAINS = ("js", "ts", "gz", "cs", "go", "rb", "vb", "to")
"""Suffixes of file names, and of operands of the operator `@`, rather than of hosts."""
_RANDOM_BITS = 3.0
"""The least entropy of a random assigned text, in bits per character."""
_RANDOM_LENGTH = 16
_RANDOM_TURNS = 0.2
"""The least number of changes between kinds of characters per character of a random text; see `_TURN`."""
_TURN = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[a-zA-Z])(?=\d)|(?<=\d)(?=[a-zA-Z])")
_CUT = 8
"""The number of characters of a secret that identify it where an edit cuts it off."""


class _Pattern(NamedTuple):
    name: str
    needles: tuple[str, ...]
    """In lower case; a text without any of these cannot match."""
    expression: re.Pattern[str]
    stand_in: Callable[[re.Match[str]], str]


def _redacted(_: re.Match[str]) -> str:
    return REDACTED


def _user(match: re.Match[str]) -> str:
    return match[0] if match["user"].lower() in _ORDINARY_USERS or match["user"][:1] in "<${%" else match["to"] + "user"


def _address(match: re.Match[str]) -> str:
    host = match["host"].lower()
    ordinary = host.endswith(_ORDINARY_HOSTS) or match["name"] in ("git", "noreply", "hg", REDACTED)
    is_code = host.rpartition(".")[2] in _NO_DOMAINS or host.startswith(("self.", "this.", "np."))
    return match[0] if ordinary or is_code else "someone@example.com"


def _value(match: re.Match[str]) -> str:
    """The match with its value redacted."""
    start = match.start()
    return match[0][: match.start("value") - start] + REDACTED + match[0][match.end("value") - start :]


def _password(match: re.Match[str]) -> str:
    return match[0] if match["value"].lower() in _ORDINARY_PASSWORDS else _value(match)


def _random_value(match: re.Match[str]) -> str:
    return _value(match) if looks_random(match["value"]) else match[0]


def _key(match: re.Match[str]) -> str:
    return REDACTED if any(character.isdigit() for character in match[0]) else match[0]


_KEY_PREFIXES = (
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "akia", "asia", "aroa", "aiza"),
    *("ya29.", "hf_", "npm_", "pypi-", "sg.", "k_live_", "k_test_", "whsec_", "xai-", "gsk_", "dop_v1_", "shpat_"),
    *("shpss_", "tvly-", "lin_api_", "sntrys_", "dckr_pat_", "r8_", "age-secret-key-1"),
)
_PATTERNS = (
    _Pattern(
        "private_key",
        ("private key",),
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"),
        _redacted,
    ),
    _Pattern(
        "key",
        _KEY_PREFIXES,
        re.compile(
            r"\b(?:sk-(?:ant-|proj-|or-|svcacct-)?[\w-]{20,}|gh[pousr]_\w{36,}|github_pat_\w{22,}|glpat-[\w-]{20,}"
            r"|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA|AROA)[0-9A-Z]{16}|AIza[\w-]{35}|ya29\.[\w-]{20,}|hf_[A-Za-z0-9]{30,}"
            r"|npm_[A-Za-z0-9]{36}|pypi-AgEI[\w-]{50,}|SG\.[\w-]{16,}\.[\w-]{16,}|[srp]k_(?:live|test)_[A-Za-z0-9]{16,}"
            r"|whsec_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{40,}|gsk_[A-Za-z0-9]{40,}|dop_v1_[a-f0-9]{64}|shp(?:at|ss)_[a-f0-9]{32}"
            r"|tvly-[\w-]{20,}|lin_api_\w{30,}|sntrys_[\w=+/-]{30,}|dckr_pat_[\w-]{20,}|r8_\w{36,}|AGE-SECRET-KEY-1\w{50,})"
        ),
        _key,
    ),
    _Pattern("token", ("eyj",), re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"), _redacted),
    _Pattern(
        "bearer",
        ("earer ", "asic ", "oken "),
        re.compile(r"(?i)\b(?:bearer|basic|token)[ \t]+(?P<value>[a-z0-9._~+/=-]{20,}+)(?![(\[])"),
        _random_value,
    ),
    _Pattern(
        "password_in_url",
        ("://",),
        re.compile(r"(?i)\b[a-z][a-z0-9+.-]*://[^/\s:@\"'`]*:(?P<value>[^@\s/\"'`{}$<>]+)(?=@)"),
        _password,
    ),
    _Pattern(
        "assigned",
        ("key", "secret", "token", "passw", "pwd", "credential", "auth"),
        re.compile(
            rf"(?i){_NAME}[\w.-]*(?:\\?[\"'])?\]?[ \t]*(?::=|=>|[:=])[ \t]*(?:\\?[\"'`])?"
            rf"(?P<value>[\w+/=.~-]{{{_RANDOM_LENGTH},}}+)(?![(\[])"
        ),
        _random_value,
    ),
    _Pattern(
        "e-mail",
        ("@",),
        re.compile(rf"(?i)(?<![\w.+-])(?P<name>[\w.+-]+)@(?P<host>(?:[a-z0-9-]+\.)+{_DOMAINS})(?![\w-]|\.[\w])"),
        _address,
    ),
    _Pattern(
        "home",
        ("/home", "/users"),
        re.compile(r"(?P<to>(?<![\w.])(?:/mnt)?(?:/[a-z])?\\?/(?:home|Users)\\?/)(?P<user>[^/\\\s\"'`:;,)\]}>]+)"),
        _user,
    ),
    _Pattern(
        "home",
        ("users",),
        re.compile(r"(?i)(?P<to>\b[a-z]:[\\/]+Users[\\/]+)(?P<user>[^/\\\s\"'`:;,)\]}>]+)"),
        _user,
    ),
    _Pattern(
        "home",
        ("-home-", "-users-"),
        re.compile(r"(?P<to>(?<![\w-])-(?:home|Users)-)(?P<user>[A-Za-z0-9_.]+)(?=-)"),
        _user,
    ),
    _Pattern(
        "host",
        (".internal", ".local", ".lan", ".corp", ".intranet"),
        re.compile(r"(?P<to>(?:://|@))(?:[A-Za-z0-9-]+\.)+(?P<end>internal|local|lan|corp|intranet|localdomain)\b(?!\.)"),
        lambda match: f"{match['to']}host.{match['end']}",
    ),
)  # fmt: skip
_SECRETS = ("key", "token", "bearer", "password_in_url", "assigned")
_GUESSING = ("IPPublic", "Artifactory", "BasicAuth", "Cloudant", "IbmCloudIam", "IbmCosHmac", "Softlayer")
"""Detectors of detect-secrets that judge by variable names, or by what any code may contain."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Scrubbed(NamedTuple):
    """The result of scrubbing a sample."""

    sample: Sample | None
    """None where the sample must be dropped."""
    found: Counter[str]
    """The number of replacements, by kind."""
    why_not: str = ""


def scrub(sample: Sample) -> Scrubbed:
    """The sample without secrets and personal data, or the reason why it is dropped."""
    looks = [look(text) for text in _texts(sample)]
    secrets = sorted({secret for one in looks for secret in one.secrets}, key=len, reverse=True)

    def clean(text: str) -> str:
        text = look(text).text
        for secret in secrets:
            text = text.replace(secret, REDACTED)
        return text

    cleaned = _each_text(sample, clean)
    found = Counter(kind for one in looks for kind in one.found)
    if found["surrogate"]:
        cleaned = replace(cleaned, tags=(*cleaned.tags, "surrogates:replaced"))
    if any(_is_cut(secret, text) for secret in secrets for text in _ends(sample)):
        return Scrubbed(None, found, "a secret is cut off")
    if found and _relations(sample) != _relations(cleaned):
        return Scrubbed(None, found, "scrubbing would change what the edit says")
    if left := next((one.left for one in looks if one.left), None):
        return Scrubbed(None, found, f"still looks secret: {left}")
    return Scrubbed(cleaned, found)


def _ends(sample: Sample) -> Iterator[str]:
    """The texts whose ends the model chose."""
    for edit in sample.edits or ():
        yield edit.old_string
        yield edit.new_string
    yield from (sample.patch or "").split("\n")


def _is_cut(secret: str, text: str) -> bool:
    """Whether a text begins or ends within a secret."""
    head, tail = secret[:_CUT], secret[-_CUT:]
    begins, ends = text.rfind(head), text.find(tail)
    in_the_end = begins >= 0 and secret not in text[begins:] and secret.startswith(text[begins:])
    in_the_beginning = ends >= 0 and secret not in text[: ends + _CUT] and secret.endswith(text[: ends + _CUT])
    return in_the_end or in_the_beginning


class Look(NamedTuple):
    """The result of both passes over one text."""

    text: str
    found: tuple[str, ...]
    """The kind of each replacement."""
    secrets: frozenset[str]
    """The texts to be replaced wherever they occur in the sample."""
    left: str | None
    """The kind of a secret that detect-secrets still finds; None where it finds none."""


@lru_cache(maxsize=16)
def look(text: str) -> Look:
    """Scrub one text.

    Results are cached: the text after one edit of a session is the text before the next.
    """
    found: list[str] = []
    secrets: set[str] = set()
    lower = text.lower()
    for pattern in _PATTERNS:

        def stand_in(match: re.Match[str], pattern: _Pattern = pattern) -> str:
            put = pattern.stand_in(match)
            if put != match[0]:
                found.append(pattern.name)
                secret = match.groupdict().get("value") or match[0]
                if pattern.name in _SECRETS and looks_random(secret):
                    secrets.add(secret)
            return put

        if any(needle in lower for needle in pattern.needles):
            text = pattern.expression.sub(stand_in, text)
    if not text.isascii():
        text, n_surrogates = _SURROGATE.subn("\ufffd", text)
        found += ["surrogate"] * n_surrogates
    return Look(text, tuple(found), frozenset(secrets), next(secrets_in(text), None))


def secrets_in(text: str) -> Iterator[str]:
    """The kinds of secrets that detect-secrets finds in a text."""
    for detector in _detectors():
        for secret in detector.analyze_string(text):
            if REDACTED not in str(secret):
                yield detector.secret_type


def looks_random(value: str) -> bool:
    """Whether a text mixes letters and digits with as little structure as a random one."""
    if len(value) < _RANDOM_LENGTH or not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    counts = Counter(value)
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return bits >= _RANDOM_BITS and len(_TURN.findall(value)) >= _RANDOM_TURNS * len(value)


@cache
def _detectors() -> list[Any]:
    """The detectors of detect-secrets for known keys, without its guesses from names and entropy."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    left_out = {f"{name}Detector" for name in _GUESSING}
    kinds: Any = get_mapping_from_secret_type_to_class().values()
    return [
        kind()
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, RegexBasedDetector) and kind.__name__ not in left_out
    ]


def _texts(sample: Sample) -> list[str]:
    """Every text of a sample."""
    found: list[str] = []

    def keep(text: str) -> str:
        found.append(text)
        return text

    _each_text(sample, keep)
    return found


def _each_text(sample: Sample, change: Callable[[str], str]) -> Sample:
    """The sample with every text changed."""
    provenance = sample.provenance

    def files(given: tuple[File, ...]) -> tuple[File, ...]:
        return tuple(File(change(file.path), change(file.content)) for file in given)

    return replace(
        sample,
        before=files(sample.before),
        target=None if sample.target is None else files(sample.target),
        edits=sample.edits
        and tuple(
            Edit(change(edit.old_string), change(edit.new_string), edit.replace_all, edit.occurrence)
            for edit in sample.edits
        ),
        patch=None if sample.patch is None else change(sample.patch),
        provenance=replace(
            provenance,
            model=provenance.model and change(provenance.model),
            recorded_error=provenance.recorded_error and change(provenance.recorded_error),
        ),
    )


def _relations(sample: Sample) -> list[object]:
    """How the texts of a sample relate to each other, which scrubbing must preserve."""
    found: list[object] = []
    for file in sample.before:
        text = file.content
        for edit in sample.edits or ():
            found.append((text.count(edit.old_string) if edit.old_string else -1, edit.old_string == edit.new_string))
            text = text.replace(edit.old_string, edit.new_string) if edit.old_string else text
            found.append([text == after.content for after in sample.target or ()])
    before = {file.path: file.content.count("\n") for file in sample.before}
    found.append(list(before.values()))
    found.append([(after.content.count("\n"), after.path in before) for after in sample.target or ()])
    if sample.patch:
        lines = {line for file in sample.before for line in file.content.split("\n")}
        found.append([line[1:] in lines for line in sample.patch.split("\n")])
    return found

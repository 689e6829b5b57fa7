"""Values with the name of a secret: the names, what a value must be, and the notations between name and value.

    name          between             value
    DB_PASSWORD   =                   q8Rt3vB1nM5x        `assigned`, `password`: the plain sign
    api_key       : str = "           q8Rt3v...           `typed`
    API_KEY       ", "                q8Rt3v...           `look_up`: the default of an environment variable

A value is a secret only if it looks random. A password may also mix letters and digits, if it contains no word of
placeholders. Names, calls, references and templates are not changed. To add a notation: a row of `_NOTATIONS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from corpora.scrubbing.rule import REDACTED, Kind, Rule, Span, looks_random, lowered, places_of, words

# What a value must be

_PLACEHOLDER_WORDS = re.compile(
    r"(?i)p[a@]ss|pwd|s[e3]cret|token|example|sample|dummy|placeholder|change|your|test|fake|mock|demo|redacted|hidden|admin"
    r"|default|none|null|undefined|true|false|xxx|\*\*\*|\.\.\.|foo|bar|1234|abcd|qwert|azerty|letmein|valid|wrong|user"
    r"|key|todo|empty|env|config|string|value|here|insert|replace|some|guest|root|login|hash|input|field|text"
)
_REFERENCE = re.compile(
    r"[${<%{@&#*]?[{(<]|\$[A-Za-z_]|%[A-Za-z_(]|<|\*+$|[A-Za-z_][\w-]*(?:\.[A-Za-z_]|->|::|\(|\[)|&[A-Za-z]|!|@|:|/|\\|\.|--"
)
"""The start of a reference to a value, or of code: a variable, a template, a call, an attribute, a path."""
_TEMPLATE = re.compile(r"\$[{(]|\{\{|<[A-Za-z]|%\(|\{[\w.]*\}$|\$[A-Za-z_]\w*$|\*+$")
"""The start of a reference within quotes, where names and brackets are only text."""
_NAME_OR_MEASURE = re.compile(r"[A-Za-z_.-]+\d{0,2}|[\d.]+[a-z]{0,3}")
ESCAPED_QUOTE = r"\\{0,4}[\"'`]"


def is_reference(value: str, quoted: bool = False) -> bool:
    return value == REDACTED or (_TEMPLATE if quoted else _REFERENCE).match(value) is not None


def is_password(value: str, quoted: bool = False) -> bool:
    """True if a value that is named a password looks like one."""
    if len(value) < 6 or is_reference(value, quoted):
        return False
    if looks_random(value, least=10, surprise_from=0.5):
        return True
    if _PLACEHOLDER_WORDS.search(value):
        return False
    return looks_random(value, least=10, surprise_from=0.3) or _is_mixed(value, quoted)


def is_placeholder(value: str, quoted: bool = False) -> bool:
    """True if a value is kept only because it contains a word of placeholders: `changeme123`."""
    if len(value) < 6 or is_reference(value, quoted) or not _PLACEHOLDER_WORDS.search(value):
        return False
    return _is_mixed(value, quoted) and not is_password(value, quoted)


def _is_mixed(value: str, quoted: bool) -> bool:
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return is_mixed and (quoted or _NAME_OR_MEASURE.fullmatch(value) is None)


def is_phrase(value: str) -> bool:
    return len(value) >= 8 and not is_reference(value) and not _PLACEHOLDER_WORDS.search(value) and "_" not in value


# Names

_PASSWORDS = words("password passwd passphrase pwd pass") | {"identified by", "securestring"}
_NAME_WORDS = ("key", "secret", "token", "credential", "auth", *sorted(_PASSWORDS))
_KEY_BEFORE = re.compile(
    r"(?:api|private|access|account|signing|encryption|master|secret|auth|deploy|license|client|service|storage|consumer"
    r"|shared|subscription|hmac|jwt|session|crypto|cipher|webhook|stripe|aws|azure|google|github|maps"
    r"|openai|anthropic|gemini|groq|mistral|cohere|deepseek)[_.-]?key$"
)
_TAIL = re.compile(r"[\w.-]{0,64}+")


class _Name(NamedTuple):
    """A name of a secret in a text."""

    end: int
    """The offset after the word that means a secret."""
    tail: str
    """The rest of the name."""
    is_password: bool


@lru_cache(maxsize=2)
def _names(text: str) -> list[_Name]:
    """The names of secrets in a text, in order; one for each word that means a secret."""
    lower = lowered(text)
    found = []
    for end in places_of(lower, _NAME_WORDS):
        match = _TAIL.match(text, end)
        tail = match[0] if match else ""
        if _is_secret_name(lower, end, tail.lower()):
            is_password = not tail.strip("_0123456789") and any(lower.endswith(word, 0, end) for word in _PASSWORDS)
            found.append(_Name(end, tail, is_password))
    return found


def _is_secret_name(lower: str, end: int, tail: str) -> bool:
    """True if the word that ends at an offset means a secret, unlike the `key` of a map, or `author`."""
    word = lower[max(0, end - 4) : end]
    if word.endswith("key"):
        return tail.startswith(("-data", "_data")) or _KEY_BEFORE.search(lower[max(0, end - 16) : end]) is not None
    if word == "pass":
        return not tail[:1].isalpha() or tail.startswith(("word", "wd", "phrase"))
    return word != "auth" or not tail.startswith("or") or tail.startswith("orization")


# Notations

_B = r"[ \t]{0,16}+"
_FEED = r"(?:\r?\n|\\{1,4}n)[+-]?"
_S = rf"(?:[ \t]|{_FEED}|\\{{1,4}}t){{0,80}}+"
"""Whitespace over line ends, also in a patch or in escapes."""
_Q = ESCAPED_QUOTE
_OPEN = rf"(?:@\$?|\$@?|&|[a-zA-Z]{{1,2}}\#?)?(?P<quote>(?:{_Q}){{1,3}}+)"
"""The opening quote: `"`, `'''`, `\\"`, `@"`, `b"`, `r#"`."""
_CALLS = (
    rf"(?:(?:new[ \t]{{1,4}}|\[\])?[A-Za-z_][\w.:]{{0,60}}+(?:<[^<>\n]{{0,40}}+>)?!?\("
    rf"{_S}(?:[\w-]{{1,24}}+{_B}[:=]{_B})?)"
)
_MAYBE_CALLS = rf"{_CALLS}{{0,2}}"
_SIGN = r"(?:::?=|=>|\?\?=|\|\|=|\?=|<-|={1,3}|:|by lazy)"
_ELSE = (
    r"(?:,|\|\||\?\?|\?:|//|:-|(?<![A-Za-z])or(?![A-Za-z])"
    r"|(?:\.[A-Za-z]\w{0,24}+\(\)|\?)?\.(?:unwrap_or|or_?else|get_?or|or_default|value_or|or)\w{0,12}+\("
    r"(?:\|\w{0,8}+\||\(\)[ \t]?[-=]>)?|\{)"
)
"""What is between the name of a variable that is looked up and its default."""
_QUOTED_VALUE = re.compile(r"[^\"'`\s\\]{6,256}+(?=\\{0,4}[\"'`])")
_BARE_VALUE = re.compile(r"(?:[\w+/.~-]|%[0-9A-Fa-f]{2})++={0,2}(?P<next>[(\[]?)")
_PLAIN_VALUE = re.compile(r"[^\s\"'`,;&)}\]<>|\\]{6,128}+(?P<next>[(\[]?)")


class _Notation(NamedTuple):
    """One way to write a value beside its name."""

    name: str
    what: str
    between: str
    """A pattern from the end of the name to the value; its group `quote` is the opening quote of a quoted value."""
    example: str
    near_miss: str
    before: str = ""
    """A pattern of what the name ends, in the 100 characters before its end; "" for anything."""
    kind: Kind = "assigned"
    is_strict: bool = False
    """True if a password must look random, too, since other things are written like this."""


_NOTATIONS = (
    _Notation(
        "assigned", "a random value with the name of a secret", rf"(?:{_Q})?\]?{_B}{_SIGN}{_B}(?:{_OPEN})?",
        "AWS_SECRET_ACCESS_KEY = '«{B40}»'", "api_key = os.environ['OPENAI_API_KEY_2']", is_strict=True,
    ),
    _Notation(
        "password", "a value with the name of a password",
        rf"(?:{_Q})?\]?{_B}(?:::?=|\?\?=|\|\|=|\?=|=(?![=>])|:|(?:=>|<-)(?={_B}\W{{0,2}}{_Q})){_B}(?:{_OPEN})?",
        "password: '«{A10}!7»'", "password: hashedPassword2, pwd=getpass.getpass(), DB_PASSWORD=$DB_PASSWORD_2",
        kind="password",
    ),
    _Notation(
        "typed", "a value behind a type annotation",
        rf"[?!]?{_B}:{_B}[&*\w(\[][^=\n\"`;{{}}\\]{{0,80}}?=(?![=>]){_B}{_MAYBE_CALLS}{_OPEN}",
        'api_key: Optional[str] = "«{A24}»"', "password: str = 'your_password_1', token: str = Depends('get_token_2')",
    ),
    _Notation(
        "declared", "a value behind a type without a colon, or behind brackets",
        rf"(?:[ \t]{{1,8}}+[*\[\]]{{0,4}}+[A-Za-z_][\w.*\[\]]{{0,40}}+"
        rf"|{_B}\[[^\]\n]{{0,20}}+\]|{_B}\{{[^{{}}\n]{{0,40}}+\}})"
        rf"{_B}:?=(?![=>]){_B}{_MAYBE_CALLS}{_OPEN}",
        'var apiKey string = "«{A24}»"', 'var apiKey string = "the-name-of-the-key-v2"',
    ),
    _Notation(
        "called", "a value within a call or a list behind the sign",
        rf"(?:{_Q})?\]?{_B}{_SIGN}{_B}(?:{_CALLS}{{1,2}}|[\[({{]{_S}){_OPEN}",
        'token = b64decode("«{A24}»")', 'password = hash_of("user2@host"), token: get("the_token_2")', is_strict=True,
    ),
    _Notation(
        "look_up", "the default of a variable that is looked up",
        rf"(?:{_B}{_SIGN}{_B}[\w.:$]{{1,60}}+[(\[](?:{_Q})?[\w.-]{{1,60}}+)?(?:{_Q})?{_B}[\])]{{0,2}}+{_B}{_ELSE}{_S}(?:[\w-]{{1,24}}+{_B}[:=]{_B})?{_MAYBE_CALLS}{_OPEN}",
        'os.environ.get("API_KEY", "«{A24}»")', 'os.environ.get("API_KEY", "not-set-2"), f("password", "field_2b")',
        is_strict=True,
    ),
    _Notation(
        "shell_default", "the default of a variable of a shell", rf":?[-=?+](?:{_OPEN})?", "${API_KEY:-«{A24}»}",
        "${API_KEY:-$OTHER_KEY_2} and ${PASSWORD:-}", before=r"\$\{\w*$",
    ),
    _Notation(
        "pair", "a value beside `value`, `default` or the like",
        rf"(?:{_Q})?{_B}[,;]?{_S}(?:(?<=[\s,;+-])|(?<=\\[nt]))"
        rf"(?:(?!value)[\w:-]{{1,32}}+={_Q}[^\"'<>\\]{{0,64}}+{_Q}[ \t]{{1,8}}+){{0,3}}"
        rf"(?:{_Q})?(?i:value|default|secret_?string)(?:{_Q})?{_B}(?:=>|[:=]){_B}(?:{_OPEN})?",
        "- name: API_KEY\n  value: «{A24}»",
        "- name: API_KEY\n  valueFrom: secret_2 and - name: PASSWORD\n  value: $PW_2",
    ),
    _Notation(
        "block", "the default of a variable in Terraform or YAML",
        rf"(?:{_Q})?{_B}(?:\{{[^{{}}]{{0,400}}?|:{_S}(?i:type)[ :\w]{{1,24}}+{_S})(?i:default){_B}[:=]{_B}(?:{_OPEN})?",
        'variable "db_password" {\n  type = string\n  default = "«{A24}»"\n}',
        'variable "password" {\n  default = var.pw2\n}',
    ),
    _Notation(
        "directive", "a value behind a directive and a name", rf"[ \t]{{1,16}}+(?:{_OPEN})?",
        '#define API_KEY "«{A24}»"', "ENV API_KEY ${KEY2}, #define PASSWORD_LENGTH 16",
        before=r"(?:(?:(?<![A-Za-z])|(?<=\\[nrt]))(?:ENV|ARG|setenv|setx|SETX|set[ \t]{1,4}-\w{1,3})|#[ \t]{0,4}define)"
        r"[ \t]{1,8}\w*$|(?:require|master)(?:pass|auth)$",
    ),
    _Notation(
        "sql", "a password in SQL", rf"(?:[ \t]{{1,8}}+(?i:by|as))?(?:[ \t]{{1,8}}+|\({_B}){_OPEN}",
        "CREATE USER a IDENTIFIED BY '«{A12}»';", "ALTER USER a PASSWORD 'changeme2'",
        before=r"(?i:identified by|with (?:encrypted )?password)$|PASSWORD$|(?i:identified with \w{0,32}password)$",
        kind="password",
    ),
    _Notation(
        "setter", "the argument of a call that sets it", rf"\({_B}(?:\w{{1,24}}+{_B}[:=]{_B})?{_OPEN}",
        'setPassword("«{A12}»");', 'setPassword("enterPassword2");',
        before=r"(?i:set|with|use|add|put|change|update|secure)_?\w{0,24}$", kind="password",
    ),
    _Notation(
        "beside", "a quoted value directly behind the name, or the argument of its call",
        rf"(?:{_Q})?(?:[ \t]{{1,8}}+|\({_S}){_OPEN}",
        '(setq api-key "«{A24}»")', 'check_password("user2"), pass "py311a" on',
        is_strict=True,
    ),
    _Notation(
        "markup", "the text of an element named like it, or beside such a name",
        rf"(?:(?:(?:{_Q})?[ \t][^<>\n]{{0,128}}+|{_Q})?>|</[\w:]{{1,20}}+>{_S}<[\w:]{{1,20}}+>){_S}",
        "<username>bob</username><password>«{A12}»</password>", "<password>${db.password2}</password>, <pwd>x</pwd>",
        kind="password",
    ),
    _Notation(
        "next_line", "a value on the line below its name",
        rf"(?:{_Q})?{_B}[:=][ \t]{{0,8}}+[(|>]?-?[ \t]{{0,8}}+{_FEED}(?:[ \t]|\\{{1,4}}t){{1,64}}+(?:{_OPEN})?",
        "password = (\n    '«{A12}»'\n)", "password:\n  type: string2\npassword = (\n    getpass.getpass2()\n)",
        kind="password",
    ),
    _Notation(
        "argument", "the value of an option in a list of arguments", rf"{_Q},{_S}{_OPEN}", '["--password", "«{A12}»"]',
        '["--password", "$PASSWORD2"]', before=r"--[\w-]{0,32}$", kind="password",
    ),
)  # fmt: skip


_SETTING = re.compile(r"(?:^|[^\w.)\]]|\\[nrt])[A-Z0-9_]{4,80}$")
"""A name in capitals; with `=` directly behind it, it is a setting of a shell."""


_CODE = re.compile(r"://|^[a-z]{2,12}:\?|\{\w*[}(.:!]|\(\?")
"""A part of a URL, of a template, or of a regular expression."""


class _Value(NamedTuple):
    """A value beside the name of a secret, and how it is judged."""

    start: int
    text: str
    is_quoted: bool
    of: str
    """`password` for its name; `phrase` in a shell's settings, where values are never code; else `key`."""

    def is_secret(self, *, is_strict: bool) -> bool:
        if _CODE.search(self.text) or is_reference(self.text, self.is_quoted):
            return False
        if self.of == "key" or is_strict:
            least, share = (12, 0.6) if self.of == "key" else (10, 0.5)
            return looks_random(self.text) or looks_random(self.text, least=least, surprise_from=share)
        return is_password(self.text, self.is_quoted) or (self.of == "phrase" and is_phrase(self.text))


def _values(text: str, between: re.Pattern[str], before: re.Pattern[str] | None) -> Iterator[_Value]:
    """The values beside names of secrets in one notation."""
    for name in _names(text):
        end = name.end + len(name.tail)
        match = between.match(text, end)
        if match is None or (before is not None and not before.search(text, max(0, end - 100), end)):
            continue
        quote = match.groupdict().get("quote")
        start, is_quoted = match.end(), quote is not None
        of = "key"
        if name.is_password:
            is_bare = match[0] == f"={quote or ''}" and _SETTING.search(text, max(0, name.end - 82), name.end)
            of = "phrase" if is_bare else "password"
        pattern = _QUOTED_VALUE if is_quoted else _PLAIN_VALUE if name.is_password else _BARE_VALUE
        value = pattern.match(text, start)
        if value is None or value.groupdict().get("next"):
            continue
        written = value[0] if is_quoted else value[0].rstrip(".")
        yield _Value(start, written, is_quoted, of)
        if not is_quoted and "/" in written:
            yield _Value(start, written.partition("/")[0], is_quoted, of)


def _finder(notation: _Notation) -> Callable[[str], Iterator[Span]]:
    between, before = re.compile(notation.between), re.compile(notation.before) if notation.before else None

    def find(text: str) -> Iterator[Span]:
        done = 0
        for value in _values(text, between, before):
            if value.start >= done and value.is_secret(is_strict=notation.is_strict):
                done = value.start + len(value.text)
                yield Span(value.start, done)

    return find


def placeholders(text: str) -> Iterator[str]:
    """The values that are kept only because they contain a word of placeholders."""
    for value in _values(text, _ASSIGNED, None):
        if value.of != "key" and is_placeholder(value.text, value.is_quoted):
            yield value.text


_ASSIGNED = re.compile(next(one.between for one in _NOTATIONS if one.name == "password"))
_NEEDLES = (
    "key", "secret", "token", "passw", "passphrase", "pwd", "credential", "auth", "pass", "identified by",
    "securestring",
)  # fmt: skip
NOTATIONS = tuple(
    Rule(one.name, one.kind, one.what, _NEEDLES, _finder(one), one.example, one.near_miss) for one in _NOTATIONS
)

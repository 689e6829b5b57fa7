"""Secrets without a mark of an issuer, beside named values: in options, headers and URLs, and random words."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from corpora.scrubbing.named import ESCAPED_QUOTE, NOTATIONS, is_password, is_phrase, is_reference
from corpora.scrubbing.rule import REDACTED, Rule, Span, by_pattern, looks_random, lowered, places_of, surprise, words

_ORDINARY_PASSWORDS = words(
    "password passwd pass pwd secret token user p pw postgres test x y root admin guest mysql redis rabbitmq minio "
    "example changeme foo bar username mongo pw1 secret123 password123 pass123 db_password port"
)

# Options, headers, URLs

_NEXT_LINE = r"[(|>]?-?[ \t]{0,8}+(?:\r?\n|\\{1,4}n)[+-]?(?:[ \t]|\\{1,4}t){1,64}+"
"""The end of a line and the indentation of the next line, also in a patch or in escapes."""
_PHRASE = re.compile(
    rf"(?:PASSWORD|PASSWD|PASSPHRASE|PWD)=(?:{ESCAPED_QUOTE})"
    rf"(?P<value>[A-Za-z0-9]{{2,16}}+(?: [A-Za-z0-9]{{2,16}}+){{2,11}}+)(?={ESCAPED_QUOTE})"
)
_OPTION = re.compile(
    r"--(?:password|passwd|pass|pwd|token|secret|api-key|access-token|auth-token|registration-token|private-token)"
    rf"(?:=|[ \t]{{1,8}}+)(?:{ESCAPED_QUOTE})?(?P<value>[^\s\"'`\\,;|&<>()]{{6,256}}+)"
)
_CLIENT = re.compile(
    r"(?:\b|(?<=\\[nrt]))(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|redis-cli|docker[ \t]login)"
    r"(?:[ \t][^\n|;]{0,160}?)??"
    r"[ \t]-[pa][ \t]?['\"]?(?P<value>[^\s'\"`\\|;]{6,128}+)"
)
_CURL = re.compile(r"(?:[ \t'\"]-u|--user)[ =]?(?:[\"'])?[^\s:\"'$]{1,64}+:(?P<value>[^\s\"'`\\]{5,128}+)")
_BLANKS = r"(?:[\s+]|\\{1,4}[nrt]){1,32}+"
_NETRC = re.compile(
    rf"\b(?:login|account){_BLANKS}[^\s\\]{{1,128}}{_BLANKS}password{_BLANKS}(?P<value>[^\s\\\"']{{4,256}}+)"
)
_SCHEMES = ("bearer", "basic", "token", "apikey")
_AFTER_SCHEME = re.compile(r"[ \t]{1,8}+(?P<value>[A-Za-z0-9._~+/=-]{16,}+)(?P<next>[(\[]?)")
_PARAMETER = re.compile(
    r"(?i)[?&;](?:sig|signature|x-amz-signature|x-amz-credential|code|access_code|key|sas)="
    r"(?P<value>(?:[\w+/.~-]|%[0-9a-f]{2}){16,}+)"
)
_PHRASES = ("mnemonic", "phrase", "seed words", "seed_words", "recovery words")
_WALLET_WORDS = re.compile(
    rf"(?:{ESCAPED_QUOTE})?[ \t]{{0,8}}+[:=][ \t]{{0,8}}+(?:{_NEXT_LINE})?(?:{ESCAPED_QUOTE}){{0,3}}"
    r"(?P<value>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})"
)


def _after_scheme(text: str) -> Iterator[Span]:
    for end in places_of(lowered(text), _SCHEMES):
        match = _AFTER_SCHEME.match(text, end)
        if match and not match["next"] and looks_random(match["value"]):
            yield Span(match.start("value"), match.end("value"))


def _wallets(text: str) -> Iterator[Span]:
    for end in places_of(lowered(text), _PHRASES):
        if match := _WALLET_WORDS.match(text, end):
            yield Span(*match.span("value"))


def _is_basic(value: str) -> bool:
    return not value.isdigit() and not is_reference(value) and value.lower() not in _ORDINARY_PASSWORDS


_AUTHORITY = re.compile(r":(?:\\{0,4}/){2}(?P<user>[^\s/:@\"'`<>\\]{0,256}+)(?P<rest>:[^\s@\"'`<>\\]{1,256}+)?@")
_MORE_OF_IT = re.compile(r"[^\s/@\"'`<>\\?#]{1,128}+@")
_PORT = re.compile(r"\d{1,5}(?:/|$)")


def _in_urls(text: str) -> Iterator[Span]:
    """Passwords of URLs, and users of URLs that are keys."""
    for match in _AUTHORITY.finditer(text):
        password, end = (match["rest"] or "")[1:], match.end() - 1
        if password:
            start = end - len(password)
            while more := _MORE_OF_IT.match(text, end + 1):
                end = more.end() - 1
            password = text[start:end]
            whole = _is_whole_reference(password)
            if not whole and not _PORT.match(password) and password.lower() not in _ORDINARY_PASSWORDS:
                yield Span(start, end)
        elif looks_random(match["user"]):
            yield Span(match.start("user"), match.end("user"))


def _is_whole_reference(value: str) -> bool:
    """True if a whole value is a variable, a template or a mask: `$NAME`, `${name}`, `{name}`, `%s`, `***`."""
    return (
        value == REDACTED
        or re.fullmatch(
            r"\$?\{.*\}|\$\(.*\)|\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[sr]|%\(?\w+\)?s?|\*+|x{3,}|\.{3}|\[.*\]", value
        )
        is not None
    )


NAMED_VALUES = (
    *NOTATIONS,
    Rule(
        "in_url", "password_in_url", "the password of a URL, or a key in the place of its user", ("://", ":\\/"),
        _in_urls,
        "postgres://app:«{A12}»@db.prod.example.io:5432/x",
        "http://${USER}:${PASSWORD}@host and https://host:8080/a@2x",
    ),
    Rule(
        "scheme", "bearer", "what follows Bearer, Basic or Token", ("earer ", "asic ", "oken ", "pikey ",
        "earer\t"), _after_scheme,
        "Authorization: Bearer «{A40}»", "Bearer authentication-with-tokens2 and basic_string(x)",
    ),
    Rule(
        "option", "password", "the value of an option like --password", ("--pass", "--pwd", "--token", "--secret",
        "--api-key",
        "--access-token", "--auth-token", "--registration-token", "--private-token"), by_pattern(_OPTION, is_password),
        "mysql --password «{A16}» -u root", "--password PASSWORD is required, --token-file x1",
    ),
    Rule(
        "phrase", "password", "a password of several words in a setting of a shell", ("word=", "wd=", "phrase="),
        by_pattern(_PHRASE, is_phrase), "DB_PASSWORD='«correct horse battery staple»'",
        "DB_PASSWORD='the password you were given'",
    ),
    Rule(
        "client_option", "password",
        "the password of a client of MySQL or Redis, of docker, or of sshpass", (" -p", " -a"),
        by_pattern(_CLIENT, is_password),
        "mysql -u root -p«{A16}» db", "mysql -u root -p db, mysql -port 3306",
    ),
    Rule(
        "user_option", "password", "the password of curl and its like", ("-u", "--user"), by_pattern(_CURL, _is_basic),
        "curl -u bob:«{A16}» https://x.io", "docker run -u 1000:1000 x, curl -u $U:$P x",
    ),
    Rule(
        "netrc", "password", "a password in .netrc", ("login", "account"), by_pattern(_NETRC, is_password),
        "machine api.x.com\n  login bob\n  password «{A20}»\n", "login with your password to continue",
    ),
    Rule(
        "parameter", "key", "a signature or key in a URL", ("sig", "key=", "code=", "credential=",
        "sas="), by_pattern(_PARAMETER, looks_random),
        "https://x.blob.core.windows.net/c?sv=2020-08-04&sig=«{A43}%3D»",
        "https://x.io/?key=name-of-the-thing&code=200",
    ),
    Rule(
        "mnemonic", "key", "the words of a wallet", _PHRASES, _wallets,
        "mnemonic: «legal winner thank year wave sausage worth useful legal winner thank yellow»",
        "mnemonic: the words of a wallet",
    ),
)  # fmt: skip


# Long random words without a name: the last rule.
#
# Such a key mixes lower case, capitals and digits, between quotes, commas, spaces or brackets. Digests, data URLs and
# lock files contain such words too; the text before the word tells them apart.

_WORD = re.compile(r"(?<![\w+/=.%:@#-])[A-Za-z0-9+/_-]{32,}+={0,2}(?![\w+/=.%:@-])")
_LONGEST = 256
"""Longer words are data: an image, a font, a source map."""
_SHARE, _SHARE_OF_LETTERS = 0.45, 0.6
_MIXED = re.compile(r"(?=[^a-z]*[a-z])[^A-Z]*[A-Z]")
_DATA = re.compile(r"(?i)(?:sha-?\d{1,3}|md5|h1|integrity|checksum|digest|hash|base64|nonce)\W{0,6}$|base64,[\w+/=]*$")


def _words(text: str) -> Iterator[Span]:
    for match in _WORD.finditer(text):
        word = match[0]
        if len(word) > _LONGEST or not _MIXED.match(word):
            continue
        least = _SHARE if any(map(str.isdigit, word)) else _SHARE_OF_LETTERS
        if surprise(word) < least or _DATA.search(text[max(0, match.start() - 24) : match.start()]):
            continue
        if not _is_text(word):
            yield Span(*match.span())


def _is_text(word: str) -> bool:
    """True if a word is text in base 64."""
    try:
        return base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode("ascii").isprintable()
    except ValueError:
        return False


UNNAMED_VALUE = Rule(
    "random", "random",
    "a random word of 32 to 256 letters and digits in quotes, brackets or between commas", (), _words,
    "client = Client('«{A40}»')",
    "sha512-x and src/components/SomeLongName/AnotherLongName and aVeryLongNameOfAFunctionInCode",
)  # fmt: skip

"""Secrets without a mark of an issuer: values whose name says that they are secret, and random words."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from corpora.scrubbing.rule import REDACTED, Rule, Span, by_pattern, looks_random, lowered, places_of, surprise, words

# Values with a name and `=` or `:`, an option, a header, or in a URL.
#
# A value is a secret only if it looks random. A password may also mix letters and digits, if it contains no word of
# placeholders. Names, calls, references and templates are not changed.

_PLACEHOLDER_WORDS = re.compile(
    r"(?i)p[a@]ss|pwd|s[e3]cret|token|example|sample|dummy|placeholder|change|your|test|fake|mock|demo|redacted|hidden|admin"
    r"|default|none|null|undefined|true|false|xxx|\*\*\*|\.\.\.|foo|bar|1234|abcd|qwert|azerty|letmein|valid|wrong|user"
    r"|key|todo|empty|env|config|string|value|here|insert|replace|some|guest|root|login|hash|input|field|text"
)
_REFERENCE = re.compile(
    r"[${<%{@&#*]?[{(<]|\$[A-Za-z_]|%[A-Za-z_(]|<|\*+$|[A-Za-z_][\w-]*(?:\.[A-Za-z_]|->|::|\(|\[)|&[A-Za-z]|!|@|:|/|\\|\.|--"
)
"""The start of a reference to a value, or of code: a variable, a template, a call, an attribute, a path."""
_ORDINARY_PASSWORDS = words(
    "password passwd pass pwd secret token user p pw postgres test x y root admin guest mysql redis rabbitmq minio "
    "example changeme foo bar username mongo pw1 secret123 password123 pass123 db_password port"
)
_TEMPLATE = re.compile(r"\$[{(]|\{\{|<[A-Za-z]|%\(|\{[\w.]*\}$|\$[A-Za-z_]\w*$|\*+$")
"""The start of a reference within quotes, where names and brackets are only text."""
_NAME_OR_MEASURE = re.compile(r"[A-Za-z_.-]+\d{0,2}|[\d.]+[a-z]{0,3}")
_ESCAPED_QUOTE = r"\\{0,4}[\"'`]"


def _is_reference(value: str, quoted: bool = False) -> bool:
    return value == REDACTED or (_TEMPLATE if quoted else _REFERENCE).match(value) is not None


def is_password(value: str, quoted: bool = False) -> bool:
    """True if a value that is named a password looks like one."""
    if len(value) < 6 or _is_reference(value, quoted):
        return False
    if looks_random(value, least=10, surprise_from=0.5):
        return True
    if _PLACEHOLDER_WORDS.search(value):
        return False
    if looks_random(value, least=10, surprise_from=0.3):
        return True
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return is_mixed and (quoted or _NAME_OR_MEASURE.fullmatch(value) is None)


# A name, and a value assigned to it

_NAME_WORDS = ("key", "secret", "token", "password", "passwd", "passphrase", "pwd", "credential", "auth", "pass")
_KEY_BEFORE = re.compile(
    r"(?:api|private|access|account|signing|encryption|master|secret|auth|deploy|license)[_-]?key$"
)
_SIGN = re.compile(
    rf"(?P<tail>[\w.-]{{0,64}}+)(?:{_ESCAPED_QUOTE})?\]?[ \t]{{0,16}}+(?P<sign>:=|=>|={{1,3}}|:)[ \t]{{0,16}}+"
    rf"(?:[a-zA-Z]{{0,2}}(?P<quote>(?:{_ESCAPED_QUOTE}){{1,3}}+))?"
)
_BARE_VALUE = re.compile(r"(?:[\w+/.~-]|%[0-9A-Fa-f]{2})++={0,2}(?P<next>[(\[]?)")
_QUOTED_VALUE = re.compile(r"[^\"'`\s\\]{6,256}+(?=\\{0,4}[\"'`])")
_PLAIN_VALUE = re.compile(r"[^\s\"'`,;&)}\]<>|\\]{6,128}+(?P<next>[(\[]?)")
_PASSWORD_WORDS = ("password", "passwd", "passphrase", "pwd", "pass")


def _assigned(text: str, words: tuple[str, ...]) -> Iterator[tuple[int, re.Match[str]]]:
    """The offset after a word in a name, and the match of the sign of assignment that follows, for each such word."""
    lower = lowered(text)
    for end in places_of(lower, words):
        if (sign := _SIGN.match(text, end)) and _is_secret_name(lower, end, sign["tail"].lower()):
            yield end, sign


def _is_secret_name(lower: str, end: int, tail: str) -> bool:
    """True if the word that ends at an offset means a secret, unlike the `key` of a map, or `author`."""
    word = lower[max(0, end - 4) : end]
    if word.endswith("key"):
        return tail.startswith(("-data", "_data")) or _KEY_BEFORE.search(lower[max(0, end - 16) : end]) is not None
    if word == "pass":
        return not tail[:1].isalpha() or tail.startswith(("word", "wd", "phrase"))
    return word != "auth" or not tail.startswith("or") or tail.startswith("orization")


def _named(text: str) -> Iterator[Span]:
    """Random values whose names mean secrets."""
    done = 0
    for _, sign in _assigned(text, _NAME_WORDS):
        start = sign.end()
        if start < done:
            continue
        quoted = _QUOTED_VALUE.match(text, start) if sign["quote"] else None
        if quoted and not _is_reference(quoted[0], True) and "://" not in quoted[0] and looks_random(quoted[0]):
            done = quoted.end()
            yield Span(start, done)
            continue
        bare = _BARE_VALUE.match(text, start)
        if bare and not bare["next"] and (part := _random_part(bare[0])):
            done = start + len(part)
            yield Span(start, done)


def _random_part(value: str) -> str | None:
    """The value if it looks random, else the part before its first slash if that does, else None."""
    for part in dict.fromkeys((value, value.partition("/")[0])):
        if not _is_reference(part.lstrip("/.!@&#*-:")) and looks_random(part):
            return part
    return None


def _passwords(text: str) -> Iterator[Span]:
    """Values whose names mean passwords."""
    done = 0
    for end, sign in _assigned(text, _PASSWORD_WORDS):
        start, quoted = sign.end(), sign["quote"] is not None
        if start < done or sign["tail"].strip("_0123456789") or sign["sign"] not in ("=", ":", ":="):
            continue
        value = (_QUOTED_VALUE if quoted else _PLAIN_VALUE).match(text, start)
        if value is None or value.groupdict().get("next"):
            continue
        content = value[0] if quoted else value[0].rstrip(".")
        if is_password(content, quoted) or (_is_setting(text, end, sign) and _is_phrase(content)):
            done = start + len(content)
            yield Span(start, done)


_SETTING = re.compile(r"(?:^|[^\w.)\]]|\\[nrt])[A-Z0-9_]{4,80}$")


def _is_setting(text: str, end: int, sign: re.Match[str]) -> bool:
    """True if a name in capitals precedes `=` directly. In such settings of a shell, values are never code."""
    is_bare = sign[0] == f"={sign['quote'] or ''}"
    return is_bare and _SETTING.search(text[max(0, end - 82) : end]) is not None


def _is_phrase(value: str) -> bool:
    return len(value) >= 8 and not _is_reference(value) and not _PLACEHOLDER_WORDS.search(value) and "_" not in value


# Options, headers, URLs

_NEXT_LINE = r"[(|>]?-?[ \t]{0,8}+(?:\r?\n|\\{1,4}n)[+-]?(?:[ \t]|\\{1,4}t){1,64}+"
"""The end of a line and the indentation of the next line, also in a patch or in escapes."""
_ANY_PASSWORD = r"(?i:password|passwd|passphrase|pwd)"
_MARKUP = re.compile(
    rf"{_ANY_PASSWORD}[\w.-]{{0,32}}+(?:[ \t][^<>\n]{{0,128}}+)?>\s{{0,40}}+(?P<value>[^<>\s]{{6,256}}+)\s{{0,40}}+</"
)
_ATTRIBUTE = re.compile(
    rf"{_ANY_PASSWORD}(?:{_ESCAPED_QUOTE})?[ \t]{{1,8}}+(?:(?!value)[\w:-]{{1,32}}+={_ESCAPED_QUOTE}"
    rf"[^\"'<>\\]{{0,64}}+{_ESCAPED_QUOTE}[ \t]{{1,8}}+){{0,3}}value={_ESCAPED_QUOTE}(?P<value>[^\s\"'<>\\]{{6,256}}+)"
)
_ON_THE_NEXT_LINE = re.compile(
    rf"{_ANY_PASSWORD}(?:{_ESCAPED_QUOTE})?[ \t]{{0,16}}+[:=][ \t]{{0,8}}+{_NEXT_LINE}(?:{_ESCAPED_QUOTE}){{0,3}}+"
    r"(?P<value>[^\s\"'`:,;(){}\[\]\\]{6,128}+)(?=[\s\"'`,;)\\]|$)"
)
_ARGUMENT = re.compile(
    r"--(?:password|passwd|pass|pwd|token|secret|api-key|access-token|auth-token)"
    rf"{_ESCAPED_QUOTE},(?:\s|\\{{1,4}}n){{0,64}}+{_ESCAPED_QUOTE}(?P<value>[^\s\"'`\\,;|&<>()]{{6,256}}+)"
)
_PHRASE = re.compile(
    rf"(?:PASSWORD|PASSWD|PASSPHRASE|PWD)=(?:{_ESCAPED_QUOTE})"
    rf"(?P<value>[A-Za-z0-9]{{2,16}}+(?: [A-Za-z0-9]{{2,16}}+){{2,11}}+)(?={_ESCAPED_QUOTE})"
)
_OPTION = re.compile(
    r"--(?:password|passwd|pass|pwd|token|secret|api-key|access-token|auth-token|registration-token|private-token)"
    rf"(?:=|[ \t]{{1,8}}+)(?:{_ESCAPED_QUOTE})?(?P<value>[^\s\"'`\\,;|&<>()]{{6,256}}+)"
)
_CLIENT = re.compile(
    r"(?:\b|(?<=\\[nrt]))(?:mysql|mysqldump|mysqladmin|mariadb|sshpass)(?:[ \t][^\n|;]{0,160}?)??"
    r"[ \t]-p[ \t]?['\"]?(?P<value>[^\s'\"`\\|;]{6,128}+)"
)
_CURL = re.compile(r"(?:[ \t'\"]-u|--user)[ =]?(?:[\"'])?[^\s:\"'$]{1,64}+:(?P<value>[^\s\"'`\\]{5,128}+)")
_BLANKS = r"(?:[\s+]|\\{1,4}[nrt]){1,32}+"
_NETRC = re.compile(
    rf"\b(?:login|account){_BLANKS}[^\s\\]{{1,128}}{_BLANKS}password{_BLANKS}(?P<value>[^\s\\\"']{{4,256}}+)"
)
_SCHEMES = ("bearer", "basic", "token")
_AFTER_SCHEME = re.compile(r"[ \t]{1,8}+(?P<value>[A-Za-z0-9._~+/=-]{16,}+)(?P<next>[(\[]?)")
_PARAMETER = re.compile(
    r"(?i)[?&;](?:sig|signature|x-amz-signature|x-amz-credential|code|access_code|key|sas)="
    r"(?P<value>(?:[\w+/.~-]|%[0-9a-f]{2}){16,}+)"
)
_PHRASES = ("mnemonic", "phrase", "seed words", "seed_words", "recovery words")
_WALLET_WORDS = re.compile(
    rf"(?:{_ESCAPED_QUOTE})?[ \t]{{0,8}}+[:=][ \t]{{0,8}}+(?:{_NEXT_LINE})?(?:{_ESCAPED_QUOTE}){{0,3}}"
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
    return not value.isdigit() and not _is_reference(value) and value.lower() not in _ORDINARY_PASSWORDS


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
    Rule(
        "in_url", "password_in_url", "the password of a URL, or a key in the place of its user", ("://", ":\\/"),
        _in_urls,
        "postgres://app:«{A12}»@db.prod.example.io:5432/x",
        "http://${USER}:${PASSWORD}@host and https://host:8080/a@2x",
    ),
    Rule(
        "scheme", "bearer", "what follows Bearer, Basic or Token", ("earer ", "asic ", "oken ",
        "earer\t"), _after_scheme,
        "Authorization: Bearer «{A40}»", "Bearer authentication-with-tokens2 and basic_string(x)",
    ),
    Rule(
        "assigned", "assigned", "a random value with the name of a secret",
        ("key", "secret", "token", "passw", "passphrase", "pwd", "credential", "auth", "pass"), _named,
        "AWS_SECRET_ACCESS_KEY = '«{B40}»'", "api_key = os.environ['OPENAI_API_KEY_2']",
    ),
    Rule(
        "password", "password", "a value with the name of a password", ("passw", "pwd", "passphrase",
        "pass"), _passwords,
        "password: '«{A10}!7»'", "password: hashedPassword2, pwd=getpass.getpass(), DB_PASSWORD=$DB_PASSWORD_2",
    ),
    Rule(
        "option", "password", "the value of an option like --password", ("--pass", "--pwd", "--token", "--secret",
        "--api-key",
        "--access-token", "--auth-token", "--registration-token", "--private-token"), by_pattern(_OPTION, is_password),
        "mysql --password «{A16}» -u root", "--password PASSWORD is required, --token-file x1",
    ),
    Rule(
        "markup", "password", "a password in an element of XML", ("password", "passwd", "passphrase", "pwd"),
        by_pattern(_MARKUP, is_password),
        "<username>bob</username><password>«{A12}»</password>", "<password>${db.password2}</password>, <pwd>x</pwd>",
    ),
    Rule(
        "attribute", "password", "a password in an attribute beside its name",
        ("password", "passwd", "passphrase", "pwd"), by_pattern(_ATTRIBUTE, is_password),
        '<add name="password" type="text" value="«{A12}»"/>', '<input name="password" value="{{ password2 }}"/>',
    ),
    Rule(
        "next_line", "password", "a password on the line below its name",
        ("password", "passwd", "passphrase", "pwd"), by_pattern(_ON_THE_NEXT_LINE, is_password),
        "password = (\n    '«{A12}»'\n)", "password:\n  type: string2\npassword = (\n    getpass.getpass2()\n)",
    ),
    Rule(
        "argument", "password", "the value of an option in a list of arguments",
        ("--pass", "--pwd", "--token", "--secret", "--api-key", "--access-token", "--auth-token"),
        by_pattern(_ARGUMENT, is_password), '["--password", "«{A12}»"]', '["--password", "$PASSWORD2"]',
    ),
    Rule(
        "phrase", "password", "a password of several words in a setting of a shell", ("word=", "wd=", "phrase="),
        by_pattern(_PHRASE, _is_phrase), "DB_PASSWORD='«correct horse battery staple»'",
        "DB_PASSWORD='the password you were given'",
    ),
    Rule(
        "client_option", "password",
        "the password of a client of MySQL, or of sshpass", (" -p",), by_pattern(_CLIENT, is_password),
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

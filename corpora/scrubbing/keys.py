"""Keys that are recognized by a prefix, a structure, or a header and footer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpora.scrubbing.rule import REDACTED, Rule, Span, by_pattern, holds_random, looks_random, words

# Keys with a prefix or a structure of their issuer, one row for each.
#
# A pattern searches a prefix and takes the whole run of characters after it, without backtracking: linear in the text.
# The run must look random: `sk-folding-cube-container` and `hf_model_name_or_path` are not changed.

_W = r"[A-Za-z0-9_-]"
_A = r"[A-Za-z0-9]"
_ROWS = (
    # name, issuer, prefixes, what follows, example, near miss
    ("aws_key_id", "Amazon Web Services", "AKIA ASIA ABIA ACCA AROA AIDA", r"[A-Z0-9]{16,}+", "AKIA{U16}",
     "AKIAREGIONNAMES"),
    ("google_api_key", "Google", "AIza", rf"{_W}{{30,}}+", "AIza{W35}", "AIzaTheNameOfATestForSomethingElseNow"),
    ("google_oauth", "Google", "ya29.", r"[\w.-]{20,}+", "ya29.{W60}", "ya29.something.or_other_attribute"),
    ("google_client", "Google", "GOCSPX-", rf"{_W}{{20,}}+", "GOCSPX-{W28}", "GOCSPX-your-client-secret-here"),
    ("google_refresh", "Google", "1//0", rf"{_W}{{30,}}+", "1//0{W60}", "1//0_this_is_a_comment_of_some_length"),
    ("github", "GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", r"\w{20,}+", "ghp_{A36}", "ghp_token_from_the_environment"),
    ("github_fine", "GitHub", "github_pat_", r"\w{20,}+", "github_pat_{A22}_{A59}", "github_pat_from_the_environment"),
    ("gitlab", "GitLab", "glpat- glrt- gldt- glcbt- glptt- glft- glimt- gloas- glsoat- glffct- glagent-",
     r"[\w.-]{16,}+", "glpat-{W20}", "glpat-your-token-goes-here"),
    ("slack", "Slack", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxo- xoxc- xoxd- xoxe. xapp-", r"[\w.%-]{16,}+",
     "xoxb-{d12}-{d12}-{A24}", "xoxb-your-bot-token-goes-here"),
    ("stripe", "Stripe", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_", r"\w{16,}+",
     "sk_live_{A24}", "sk_live_key_from_the_environment"),
    ("webhook_signing", "Stripe, Svix", "whsec_", r"[A-Za-z0-9+/=_-]{16,}+", "whsec_{A32}",
     "whsec_from_the_environment"),
    ("sk", "OpenAI, Anthropic, OpenRouter, DeepSeek", "sk-", rf"{_W}{{20,}}+", "sk-proj-{A48}",
     "sk-folding-cube-container-inner"),
    ("perplexity", "Perplexity", "pplx-", rf"{_W}{{20,}}+", "pplx-{A48}", "pplx-sonar-medium-online-chat"),
    ("xai", "xAI", "xai-", rf"{_W}{{30,}}+", "xai-{A80}", "xai-grok-beta-vision-preview-latest"),
    ("groq", "Groq", "gsk_", r"\w{30,}+", "gsk_{A52}", "gsk_token_from_the_environment_file"),
    ("huggingface", "Hugging Face", "hf_ api_org_", r"\w{24,}+", "hf_{A34}", "hf_model_name_or_path_in_the_hub"),
    ("replicate", "Replicate", "r8_", r"\w{24,}+", "r8_{A37}", "r8_unorm_texture_format_of_image"),
    ("ai_services", "Tavily, NVIDIA, Cerebras, Jina, Pinecone, LangSmith, Firecrawl",
     "tvly- nvapi- csk- jina_ pcsk_ lsv2_pt_ lsv2_sk_ fc-", rf"{_W}{{24,}}+", "nvapi-{W64}",
     "tvly-search-with-the-default-depth"),
    ("npm", "npm", "npm_", r"\w{24,}+", "npm_{A36}", "npm_config_registry_of_the_project"),
    ("pypi", "PyPI", "pypi-Ag", rf"{_W}{{30,}}+", "pypi-AgEIcHlwaS5vcmc{W120}",
     "pypi-Aggregate-of-downloads-per-release"),
    ("packages", "RubyGems, Clojars, NuGet, Docker", "rubygems_ CLOJARS_ oy2 dckr_pat_ dckr_oat_", rf"{_W}{{20,}}+",
     "dckr_pat_{W27}", "dckr_pat_from_the_environment"),
    ("heroku", "Heroku", "HRKU-", rf"{_W}{{20,}}+", "HRKU-AA{W58}", "HRKU-application-name-goes-here"),
    ("digitalocean", "DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", r"\w{32,}+", "dop_v1_{x64}", "dop_v1_" + "token_" * 6),
    ("shopify", "Shopify", "shpat_ shpss_ shpca_ shppa_", r"\w{20,}+", "shpat_{x32}", "shpat_access_token_of_the_shop"),
    ("square", "Square", "sq0atp- sq0csp- sq0idp-", rf"{_W}{{20,}}+", "sq0atp-{W22}", "sq0atp-access-token-goes-here"),
    ("databricks", "Databricks", "dapi", r"[a-f0-9]{32,}+(?:-\d)?", "dapi{x32}", "dapi_endpoint"),
    ("vault", "HashiCorp Vault", "hvs. hvb. hvr.", rf"{_W}{{20,}}+", "hvs.{W90}", "hvs.something_with_a_long_name"),
    ("sendgrid", "SendGrid", "SG.", r"[\w-]{16,}+(?:\.[\w-]*+)?", "SG.{W22}.{W43}", "SG.some_attribute_of_the_group"),
    ("linear", "Linear", "lin_api_ lin_oauth_", r"\w{24,}+", "lin_api_{A40}", "lin_api_client_of_the_integration"),
    ("notion", "Notion", "secret_ ntn_", r"\w{32,}+", "ntn_{A46}", "secret_name_of_the_kubernetes_cluster_role"),
    ("supabase", "Supabase", "sbp_ sb_secret_", r"\w{24,}+", "sbp_{x40}", "sbp_from_the_environment_of_project"),
    ("planetscale", "PlanetScale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.-]{24,}+", "pscale_tkn_{W43}",
     "pscale_pw_from_the_environment_of_x"),
    ("figma", "Figma", "figd_ figu_ figr_", rf"{_W}{{24,}}+", "figd_{W40}", "figd_token_from_the_environment"),
    ("doppler", "Doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.]{24,}+", "dp.pt.{A43}",
     "dp.pt.some_attribute_of_an_object_here"),
    ("sentry", "Sentry", "sntrys_ sntryu_", r"[\w=+/-]{30,}+", "sntryu_{x64}", "sntrys_token_from_the_environment_x"),
    ("newrelic", "New Relic", "NRAK- NRII- NRRA- NRJS- NRAL-", rf"{_W}{{19,}}+", "NRAK-{U27}",
     "NRAK-your-key-of-the-user"),
    ("grafana", "Grafana", "glsa_ glc_", r"[\w=+/-]{24,}+", "glsa_{A32}_{x8}", "glsa_token_from_the_environment"),
    ("atlassian", "Atlassian", "ATATT3x ATCTT3x ATBB ATOA", r"[\w=-]{24,}+", "ATATT3xFfGF0{W180}",
     "ATBB_token_from_the_environment"),
    ("fly", "Fly.io", "fo1_ fm1_ fm1r_ fm1a_ fm2_", r"[\w=+/-]{30,}+", "fo1_{W43}",
     "fo1_application_name_from_environment"),
    ("mailgun", "Mailgun", "key-", r"[a-f0-9]{32}(?![\w-])", "key-{x32}", "key-deadbeef"),
    ("hosting", "Netlify, CircleCI, Buildkite, Render, Vercel, Postman, Pulumi, Prefect, Readme, Typeform",
     "nfp_ CCIPAT_ bkua_ rnd_ vcp_ PMAK- pul- pnu_ rdme_ tfp_", rf"{_W}{{24,}}+", "PMAK-{x24}-{x34}",
     "rnd_seed_of_the_whole_simulation"),
    ("monitoring", "Dynatrace, PostHog, Contentful, Sendinblue, EasyPost", "dt0c01. phc_ phx_ CFPAT- xkeysib- EZAK",
     r"[\w.-]{24,}+", "phx_{A43}", "phc_project_api_key_of_the_environment"),
    ("clouds", "Alibaba, Tencent, Adafruit, JFrog", "LTAI AKID aio_ AKCp", rf"{_A}{{16,}}+", "LTAI{A20}",
     "AKIDentifierOfTheWholeThing"),
    ("one_password", "1Password", "ops_eyJ", r"[\w=+/.-]{40,}+", "ops_eyJ{W200}", "ops_eyJson"),
    ("age", "age", "AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}+", "AGE-SECRET-KEY-1{U58}", "AGE-SECRET-KEY-1 is the prefix"),
    ("hubspot", "HubSpot", "pat-na1- pat-eu1-", r"[\w-]{32,}+", "pat-na1-{x8}-{x4}-{x4}-{x4}-{x12}", "pat-na1-token"),
    ("meta", "Meta", "EAA", rf"{_A}{{60,}}+", "EAA{A120}", "EAAttributesOfTheObject"),
    ("bedrock", "Amazon Bedrock", "ABSK", r"[A-Za-z0-9+/]{80,}+={0,2}", "ABSK{B120}", "ABSK_FROM_THE_ENVIRONMENT"),
    ("yandex", "Yandex Cloud", "AQVN y0_AgAAAA", rf"{_W}{{30,}}+", "AQVN{W36}", "AQVN_token_from_the_environment_file"),
    ("elevenlabs", "ElevenLabs", "sk_", r"[a-f0-9]{40,}+(?!\w)", "sk_{x48}", "sk_from_the_environment_of_the_project"),
    ("payments", "Flutterwave, Shippo, Duffel, EasyPost",
     "FLWSECK- FLWSECK_TEST- shippo_live_ shippo_test_ duffel_live_ duffel_test_ EZTK", rf"{_W}{{24,}}+",
     "shippo_live_{x40}", "duffel_test_token_from_the_environment"),
    ("operations", "Sourcegraph, Infracost, Frame.io, Scalingo, SettleMint, Tailscale, Defined, 42, OpenShift",
     "sgp_ ico- fio-u- tk-us- sm_aat_ sm_pat_ tskey- dnkey- s-s4t2ud- s-s4t2af- sha256~", rf"{_W}{{24,}}+",
     "tskey-auth-{A12}-{A32}", "ico-name-of-an-icon-in-the-sidebar"),
    ("twilio_key", "Twilio", "SK", r"[a-f0-9]{32}(?!\w)", "SK{x32}", "SKeleton"),
)  # fmt: skip
_SHORT = words(
    "sk ai_services replicate huggingface npm packages groq vault google_refresh mailgun notion grafana monitoring "
    "hosting clouds meta elevenlabs operations twilio_key fly databricks doppler supabase figma xai sendgrid"
)
"""Rules whose prefix is short, and so must not follow a letter or a digit."""

_SHAPED = frozenset(("aws_key_id", "databricks", "mailgun", "twilio_key", "age", "twitter_bearer"))
"""Rules whose pattern suffices: the key need not look random."""


def after_boundary(n: int) -> str:
    r"""A pattern that holds if no letter or digit precedes the last `n` characters, or if an escape like `\n` does.

    It follows the prefix, so that the search can skip to the prefix.
    """
    skip = f"[\\s\\S]{{{n}}}"
    escapes = (r"\\[nrtfvb]", r"%[0-9A-Fa-f]{2}", r"\\u[0-9A-Fa-f]{4}", r"\\x[0-9A-Fa-f]{2}", r"=3D")
    return "(?:" + "|".join([rf"(?<![A-Za-z0-9]{skip})", *(rf"(?<={one}{skip})" for one in escapes)]) + ")"


def _issued(name: str, issuer: str, prefixes: str, rest: str, example: str, near_miss: str) -> Rule:
    starts = [re.escape(one) + (after_boundary(len(one)) if name in _SHORT else "") for one in prefixes.split()]
    pattern = re.compile(rf"(?:{'|'.join(starts)})(?P<rest>{rest})")

    def find(text: str) -> Iterator[Span]:
        for match in pattern.finditer(text):
            if name in _SHAPED or holds_random(match["rest"]):
                yield Span(*match.span())

    needles = tuple(dict.fromkeys(one.lower() for one in prefixes.split()))
    return Rule(name, "key", f"a key of {issuer}", needles, find, example, near_miss, in_runs=True)


ISSUED_KEYS = tuple(_issued(*row) for row in _ROWS)

_STRUCTURED = (
    # name, what it is, needles, pattern, example, near miss
    ("octopus", "a key of Octopus Deploy", ("api-",),
     rf"API-{after_boundary(4)}[A-Z0-9]{{26,32}}+(?![\w-])", "API-{U26}", "API-GATEWAYNAMEINCAPITALS"),
    ("resend", "a key of Resend", ("re_",),
     rf"re_{after_boundary(3)}{_A}{{8}}_{_A}{{20,}}+", "re_{A8}_{A24}", "re_compiled_patterns_of_this"),
    ("cloudflare_ca", "an origin CA key of Cloudflare", ("v1.0-",),
     r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}+", "v1.0-{x24}-{x146}", "v1.0-beta"),
    ("terraform", "a token of Terraform Cloud", (".atlasv1.",),
     rf"{_A}{{10,14}}\.atlasv1\.[\w=-]{{30,}}+", "{A14}.atlasv1.{W60}", "name.atlasv1.thing"),
    ("azure_client", "a client secret of Azure", ("8q~", "7q~"),
     rf"{_W}{{3}}[78]Q~[\w.~-]{{30,}}+", "{A3}8Q~{A34}", "abc8Q~short"),
    ("slack_webhook", "a webhook of Slack", ("hooks.slack.com/",),
     r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[\w/-]{16,}+)",
     "https://hooks.slack.com/services/«T{U8}/B{U8}/{A24}»", "https://hooks.slack.com/services/T/B/x"),
    ("discord_webhook", "a webhook of Discord", ("/webhooks/",),
     rf"/api(?:/v\d{{1,2}})?/webhooks/(?P<value>\d{{15,}}+/{_W}{{30,}}+)",
     "https://discord.com/api/webhooks/«{d18}/{W68}»", "https://discord.com/api/webhooks/1/abc"),
    ("teams_webhook", "a webhook of Microsoft", (".webhook.office.com/", "logic.azure.com"),
     r"\.webhook\.office\.com/webhookb2/(?P<value>[\w@/-]{40,}+)",
     "https://x.webhook.office.com/webhookb2/«{x32}@{x32}/IncomingWebhook/{x32}/{x32}»",
     "a.webhook.office.com/webhookb2/x"),
    ("discord_bot", "a token of a Discord bot", (".",),
     rf"[MNO]{after_boundary(1)}{_W}{{22,27}}+\.{_W}{{5,7}}+\.{_W}{{27,}}+", "MTE{A21}.{A6}.{A38}",
     "Module.submodule.attribute"),
    ("telegram_bot", "a token of a Telegram bot", (":aa",),
     rf"(?<!\d)(?P<value>\d{{8,10}}+:AA{_W}{{31,}}+)", "{d10}:AA{W33}", "1234567890:AAverage"),
    ("twilio_pair", "an account of Twilio with its token", ("ac",),
     r"AC[a-f0-9]{32}[^\w\n]{1,16}(?P<value>[a-f0-9]{32})(?!\w)", "AC{x32}', '«{x32}»", "AC is an account"),
    ("mailchimp", "a key of Mailchimp", ("-us",),
     r"(?:(?<![\w-])|(?<=\\[nrt]))[a-f0-9]{32}-us\d{1,2}(?!\w)", "{x32}-us12", "keyboard-us12"),
    ("airtable", "a key of Airtable", ("pat",),
     rf"pat{after_boundary(3)}{_A}{{14}}\.[a-f0-9]{{40,}}+", "pat{A14}.{x64}", "path.abc"),
    ("twitter_bearer", "a bearer token of X", ("aaaaaaaaaaaaaaaaaaaa",),
     r"(?<!A)A{20,26}(?!A)[\w%]{60,}+", "AAAAAAAAAAAAAAAAAAAAAA{A80}", "AAAAAAAAAAAAAAAAAAAAAA"),
    ("putty", "a private key of PuTTY", ("private-mac:",),
     r"Private-MAC: (?P<value>[a-f0-9]{40,64})", "Private-MAC: «{x40}»", "Private-MAC: none"),
)  # fmt: skip


def _structured(name: str, what: str, needles: tuple[str, ...], pattern: str, example: str, near_miss: str) -> Rule:
    find = by_pattern(re.compile(pattern), holds_random)
    return Rule(name, "key", what, needles, find, example, near_miss, in_runs=name in ("terraform", "discord_bot"))


STRUCTURED_KEYS = tuple(_structured(*row) for row in _STRUCTURED)


def _web_tokens(text: str) -> Iterator[Span]:
    """Three or more parts separated by dots. The first two are JSON objects in base 64."""
    for match in _WEB_TOKEN.finditer(text):
        parts = match[0].split(".")
        if len(parts) > 2 and (parts[1].startswith("eyJ") or len(parts) > 4) and len(match[0]) > 32:
            yield Span(*match.span())


_WEB_TOKEN = re.compile(r"eyJ[\w-]*+(?:\.[\w-]*+)*+")
WEB_TOKEN = Rule(
    "web_token", "token", "a JSON Web Token", ("eyj",), _web_tokens, "eyJ{A30}.eyJ{A40}.{W43}", "eyJhbGciOiJIUzI1NiJ9"
)


# Private keys in PEM, OpenSSH, PGP and PuTTY files: their lines are replaced, header and footer are kept.
#
# A block without a header or footer extends as far as lines of base 64 follow each other.

_EDGE = re.compile(
    r"-----(?P<which>BEGIN|END) [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
    r"|(?P<putty>Private-Lines: \d)|(?P<putty_end>Private-MAC:)"
)
_FARTHEST = 20_000
"""The greatest number of characters of a block. A key of 16,384 bits has 13,000."""
_RUN = re.compile(r"\\+[nrt]|(?<=\n)[+ -]|(?P<run>[A-Za-z0-9+/]{4,}+={0,2})")
_GAP = 40
"""The greatest number of characters between two lines of an incomplete block: quotes, indentation, escapes."""
_LONE = re.compile(r"(?:^|[\n\"'`-]|\\+[nr])[ \t+]*$")
_ENDS = re.compile(r"[ \t]*(?:$|[\n\r\\\"'`-])")


def _lines(text: str, start: int, end: int, *, is_whole: bool) -> list[Span]:
    """The lines of a key between two offsets."""
    found: list[Span] = []
    last = start
    for match in _RUN.finditer(text, start, end):
        run = match["run"]
        if run is None or run == REDACTED:
            continue
        if not is_whole and match.start() - last > _GAP:
            break
        if looks_random(run) or _is_line(text, match, start, end):
            found.append(Span(match.start(), match.end()))
            last = match.end()
    return found


def _is_line(text: str, match: re.Match[str], start: int, end: int) -> bool:
    """True if a run of base 64 fills a line."""
    before = text[max(start, match.start() - 16) : match.start()]
    return bool(_LONE.search(before) and _ENDS.match(text, match.end(), min(end, match.end() + 16)))


def _before_footer(text: str, start: int, end: int) -> list[Span]:
    """The lines of a block without a header, searched backwards from its footer."""
    found: list[Span] = []
    last = end
    for span in reversed(_lines(text, start, end, is_whole=True)):
        if last - span.end > _GAP:
            break
        found.append(span)
        last = span.start
    return found[::-1]


def private_keys(text: str) -> Iterator[Span]:
    """The lines of all private keys of a text."""
    edges = list(_EDGE.finditer(text))
    for at, edge in enumerate(edges):
        begins = edge["which"] == "BEGIN" or edge["putty"]
        after = edges[at + 1] if at + 1 < len(edges) else None
        if begins:
            closed = after is not None and bool(after["which"] == "END" or after["putty_end"])
            end = min(after.start() if after else len(text), edge.end() + _FARTHEST)
            yield from _lines(text, edge.end(), end, is_whole=closed)
        elif not at or edges[at - 1]["which"] == "END" or edges[at - 1]["putty_end"]:
            start = max(edges[at - 1].end() if at else 0, edge.start() - _FARTHEST)
            yield from _before_footer(text, start, edge.start())


PRIVATE_KEY = Rule(
    "private_key", "private_key", "a private key in PEM, OpenSSH, PGP or PuTTY armour, whole or cut",
    ("private key", "private-lines:"), private_keys,
    "-----BEGIN RSA PRIVATE KEY-----\n«{B64}»\n{B40}==\n-----END RSA PRIVATE KEY-----",
    'if text.startswith("-----BEGIN RSA PRIVATE KEY-----"): return load_private_key_from_text(text)',
)  # fmt: skip

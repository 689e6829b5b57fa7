"""The rules of scrubbing: a table, in which each rule has an example and a near miss."""

from __future__ import annotations

from corpora.scrubbing.keys import ISSUED_KEYS, PRIVATE_KEY, STRUCTURED_KEYS, WEB_TOKEN
from corpora.scrubbing.personal import PERSONAL
from corpora.scrubbing.rule import Rule
from corpora.scrubbing.values import NAMED_VALUES, UNNAMED_VALUE

RULES: tuple[Rule, ...] = (
    PRIVATE_KEY,
    *ISSUED_KEYS,
    *STRUCTURED_KEYS,
    WEB_TOKEN,
    *NAMED_VALUES,
    UNNAMED_VALUE,
    *PERSONAL,
)
"""In the order in which they are tried: keys with a prefix before values that are secret by their name only."""

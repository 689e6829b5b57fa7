"""The test of samples that `-k EXPR` stands for: parts of ids and tags, and properties, joined by and, or and not.

python and not stale              each word is a part of an id or a tag, in upper or lower case
model:sonnet or agent:codex       KEY:PART: a part of that property, or of a tag with that key
label=refuse and language=java    KEY=VALUE: the whole value (language:java also matches language:javascript)
seen=other and not label=refuse   edits of files that were changed after the model saw them
(format:patch or insert) and model:
                                  parentheses; KEY: matches any value, so this leaves out unknown models
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from corpora.sample import Sample, was_seen
from editcore.errors import UsageError, similar_names
from editcore.quoting import quoted

PROPERTIES = ("format", "label", "label_source", "agent", "model", "repo", "mutator", "seen")
"""The keys that are fields of a sample; `language` and others are keys of tags."""
SEEN_UNKNOWN = "unknown"
"""The value of `seen` if nobody recorded what the model saw; otherwise `same` or `other` than before the edit."""
DAMAGE = "damage"
"""The key of a result of runs: the kinds of damage of a sample's wrong edits."""
_TAG_KEYS = ("language", "degree", "drift", "truth")
"""Keys of tags that an error message proposes for a similar key."""
_NODES = (ast.Expression, ast.BoolOp, ast.boolop, ast.UnaryOp, ast.Not, ast.Name, ast.Load)
"""The syntax nodes of a well-formed expression. `a (b)` has others: Python parses it as a call."""
_TOKEN = re.compile(r"\s*(?:(?P<open>\()|(?P<close>\))|(?P<word>[^\s()]+))")
_KEYED = re.compile(r"([a-z][a-z0-9_-]*)([:=])(.*)", re.DOTALL)

Values = Mapping[str, Collection[str]]
_NO_VALUES: Values = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of an expression, in lower case."""

    text: str
    key: str | None = None
    value: str = ""
    whole: bool = False
    """True for KEY=VALUE: the value must be equal. False for KEY:PART."""

    @classmethod
    def parse(cls, text: str) -> _Word:
        text = text.lower()
        found = _KEYED.fullmatch(text)
        return cls(text, found[1], found[3], found[2] == "=") if found else cls(text)

    def holds(self, names: Sequence[str], values: Values) -> bool:
        """True if the word matches the id or tags in `names` (the id first), or the properties in `values`."""
        if any(self.text in name for name in names):
            return True
        if self.key is None:
            return False
        if self.whole and f"{self.key}:{self.value}" in names[1:]:
            return True
        known = (value.lower() for value in values.get(self.key, ()))
        return any(value == self.value if self.whole else self.value in value for value in known)


@dataclass(frozen=True, slots=True)
class Expression:
    """The parsed expression: call it with a sample's id, tags and properties. One object serves one pass over
    samples.
    """

    text: str
    _tree: ast.expr
    _words: Sequence[_Word]
    _unmet: dict[str, None] = field(default_factory=dict)
    """Keys that are no properties and that no sample had as the key of a tag so far."""

    @property
    def properties(self) -> frozenset[str]:
        """The properties that the expression looks at."""
        return frozenset(word.key for word in self._words if word.key in PROPERTIES)

    def __call__(self, sample_id: str, tags: Iterable[str], values: Values = _NO_VALUES) -> bool:
        """True if a sample matches; `values` maps its properties to their values."""
        names = [sample_id.lower(), *(tag.lower() for tag in tags)]
        if self._unmet:
            for word in self._words:
                if word.key in self._unmet and any(
                    word.text in name or name.startswith(f"{word.key}:") for name in names
                ):
                    self._unmet.pop(word.key or "", None)
        return self._holds(self._tree, names, values)

    def matches(self, sample: Sample) -> bool:
        return self(sample.id, sample.tags, values_of(sample, self.properties))

    def _holds(self, node: ast.expr, names: Sequence[str], values: Values) -> bool:
        if isinstance(node, ast.BoolOp):
            results = (self._holds(value, names, values) for value in node.values)
            return all(results) if isinstance(node.op, ast.And) else any(results)
        if isinstance(node, ast.UnaryOp):
            return not self._holds(node.operand, names, values)
        assert isinstance(node, ast.Name)
        return self._words[int(node.id[1:])].holds(names, values)

    def check_keys(self, *, n_selected: int) -> None:
        """Raise UsageError for a key that no sample had, if the key looks like a mistake; call it after all samples.

        A key looks like a mistake if it resembles a known key, or if nothing is selected.
        """
        for key in self._unmet:
            near = similar_names(key, [*PROPERTIES, DAMAGE, *_TAG_KEYS])
            if key == DAMAGE:
                raise UsageError(
                    f"-k {quoted(self.text)}: {DAMAGE} is no property of these samples, but what a run finds out",
                    f"Run them, then: editgauge compare RUN --between A B -k {DAMAGE}:place.",
                )
            if near or not n_selected:
                meant = f"Did you mean {' or '.join(near)}? " if near else ""
                raise UsageError(
                    f"-k {quoted(self.text)}: no sample has a {quoted(key)}",
                    f"{meant}Keys are {', '.join(PROPERTIES)}, and keys of tags, such as language.",
                )


def expression(text: str, *, also: Collection[str] = ()) -> Expression:
    """Parse `-k EXPR`; `also` names keys besides `PROPERTIES` for which the caller has values.

    Raises UsageError for a malformed expression.
    """
    words: list[_Word] = []
    source: list[str] = []
    for token in _TOKEN.finditer(text):
        word = token["word"]
        if word in ("and", "or", "not") or word is None:
            source.append(word or token[0].strip())
        else:
            source.append(f"_{len(words)}")
            words.append(_Word.parse(word))
    try:
        tree = ast.parse(" ".join(source), mode="eval")
        well_formed = all(isinstance(node, _NODES) for node in ast.walk(tree))
    except (SyntaxError, RecursionError, MemoryError):
        well_formed = False
    if not well_formed:
        raise UsageError(
            f"-k {text!r} cannot be read",
            "Join words and KEY:PART with and, or, not, parentheses: -k 'python and not stale'.",
        )
    unmet = dict.fromkeys(word.key for word in words if word.key and word.key not in (*PROPERTIES, *also))
    return Expression(text, tree.body, words, unmet)


def values_of(sample: Sample, properties: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The values of these properties of a sample; an unknown property has no value."""
    origin = sample.provenance
    found = {name: getattr(sample, name, None) or getattr(origin, name, None) for name in properties}
    if "seen" in found:
        found["seen"] = was_seen(sample) or SEEN_UNKNOWN
    return {name: (value,) if value else () for name, value in found.items()}

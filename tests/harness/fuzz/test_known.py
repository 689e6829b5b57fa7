"""What strategies promise, and what is known to break it."""

from __future__ import annotations

from harness.fuzz.engine.known import broken_properties, safety
from harness.fuzz.properties import promises
from harness.strategies.registry import strategies, strategy


def test_the_strategies_of_a_family_that_take_the_same_formats_are_asked_the_same() -> None:
    asked: dict[tuple[str, frozenset[str]], set[int | None]] = {}
    for one in strategies().values():
        if not one.name.startswith("peer/"):
            asked.setdefault((one.name.partition("/")[0], one.formats), set()).add(safety(one).n_promised)
    assert {key: counts for key, counts in asked.items() if len(counts) > 1} == {}
    assert all(count for counts in asked.values() for count in counts)


def test_every_promise_and_every_known_way_is_counted_once() -> None:
    for one in strategies().values():
        n_promised, broken, own, _ = safety(one)
        if n_promised is None or broken is None or own is None:
            continue
        promised = {found.name for format in one.formats for found in promises(one.name, format)}
        assert n_promised + len(own) == len(promised)
        known = dict(broken_properties().get(one.name, {}))
        assert {**broken, **{name: n for name, n in own.items() if n}} == known


def test_what_only_some_of_a_family_promise_is_apart() -> None:
    recommended, reference = safety(strategy("cascade/recommended")), safety(strategy("cascade/reference"))
    assert "as_meant" in (recommended.own or {})
    assert "as_meant" not in (reference.own or {})
    assert "all_or_nothing" not in {**(recommended.own or {}), **(reference.own or {})}


def test_a_program_of_the_users_is_not_fuzzed_here() -> None:
    assert safety(strategy("cmd:mine=true")) == (None, None, None, None)

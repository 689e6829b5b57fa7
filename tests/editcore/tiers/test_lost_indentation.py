"""Edits of which both texts lost all indentation: what is written is what was meant, or nothing."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from editcore.apply import replace
from editcore.types import Applied

UNIT = "    "


@st.composite
def lost(draw: st.DrawFn) -> tuple[str, str, str, str]:
    """A file, search text and new text without indentation, and the file that was meant."""
    depths = [0]
    for _ in range(draw(st.integers(4, 12))):
        depths.append(draw(st.integers(0, depths[-1] + 1)))
    deeper = [below > depth for depth, below in zip(depths, [*depths[1:], 0], strict=True)]
    ends = st.sampled_from(["", "()", " = 1"])
    lines = [
        (depth, draw(st.sampled_from(["end", "}", f"line{n}{draw(ends)}"])) if not begins else f"if line{n}:")
        for n, (depth, begins) in enumerate(zip(depths, deeper, strict=True))
    ]
    first = draw(st.integers(0, len(lines) - 3))
    last = draw(st.integers(first + 3, len(lines)))
    # Where the lines have one depth, a search text without indentation may be written so on purpose.
    assume(len({depth for depth, _ in lines[first:last]}) > 1)
    at = draw(st.integers(first, last - 1))
    depth = lines[at][0]
    change = draw(st.sampled_from(["replaced", "dropped", "added above", "added below"]))
    new = {
        "replaced": [(depth, f"{lines[at][1].removesuffix(':')}_x{':' if deeper[at] else ''}")],
        "dropped": [],
        "added above": [(depth, "added"), lines[at]],
        "added below": [lines[at], (depth + deeper[at], "added")],
    }[change]
    after = [*lines[:at], *new, *lines[at + 1 :]]

    def written(some: list[tuple[int, str]], unit: str = UNIT) -> str:
        return "".join(f"{unit * depth}{text}\n" for depth, text in some)

    ours = after[first : last + len(new) - 1]
    return written(lines), written(lines[first:last], ""), written(ours, ""), written(after)


@given(lost())
def test_what_was_meant_is_written_or_nothing(edit: tuple[str, str, str, str]) -> None:
    content, old, new, meant = edit
    result = replace(content, old, new)
    if isinstance(result, Applied) and result.replacer != "exact":
        assert result.content == meant

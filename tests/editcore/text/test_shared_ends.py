"""What two texts, or lists of lines, begin and end with."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from editcore.text.diff import common_ends, common_lines


def naive_common_ends(left: str, right: str) -> tuple[int, int]:
    most = min(len(left), len(right))
    start = next((n for n in range(most) if left[n] != right[n]), most)
    end = next((n for n in range(most - start) if left[-1 - n] != right[-1 - n]), most - start)
    return start, end


pieces = st.text("aab\n", max_size=12)


@given(st.builds(lambda a, b, c: (a + b, a + c), pieces, pieces, pieces) | st.tuples(pieces, pieces), pieces)
@example(("aaa", "aa"), "")
@example(("", "a"), "")
@example(("\ud800", "\udc00"), "")
def test_common_ends_are_those_of_a_plain_comparison(texts: tuple[str, str], tail: str) -> None:
    left, right = texts[0] + tail, texts[1] + tail
    assert common_ends(left, right) == naive_common_ends(left, right)
    as_bytes = (left.encode("utf-32", "surrogatepass"), right.encode("utf-32", "surrogatepass"))
    assert common_ends(*as_bytes)[0] >= 4 * common_ends(left, right)[0]
    assert common_lines(list(left), list(right)) == naive_common_ends(left, right)

"""`replace` with arguments that are no texts."""

from __future__ import annotations

import pytest

from editcore import replace


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((None, "a", "b"), {}),
        (("a", b"a", "b"), {}),
        (("a", "a", 5), {}),
        (("a", "a", "b"), {"seen": 3}),
    ],
)
def test_an_argument_that_is_no_text_is_named(arguments: tuple[object, ...], named: dict[str, object]) -> None:
    wrong = (
        "seen"
        if named
        else ["content", "old_string", "new_string"][
            next(at for at, one in enumerate(arguments) if not isinstance(one, str))
        ]
    )
    with pytest.raises(TypeError, match=f"^{wrong} must be a str, and is "):
        replace(*arguments, **named)  # type: ignore[call-overload]

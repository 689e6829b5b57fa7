"""Patches inside shell scripts and JavaScript."""

from __future__ import annotations

import pytest

from corpora.importers.embedded_patches import EmbeddedPatch, in_command, in_javascript, in_shell

PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"
SPOKEN = PATCH.replace("\n", "\\n")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (f"apply_patch <<'EOF'\n{PATCH}\nEOF\n", [EmbeddedPatch(PATCH + "\n")]),
        (f'apply_patch <<"PATCH"\n{PATCH}\nPATCH', [EmbeddedPatch(PATCH + "\n")]),
        (f"applypatch <<EOF\n\n{PATCH}\nEOF", [EmbeddedPatch(f"\n{PATCH}\n")]),
        (f"cd sub/x && apply_patch <<'EOF'\n{PATCH}\nEOF\n", [EmbeddedPatch(PATCH + "\n", "sub/x")]),
        (f"cd 'a b' && apply_patch <<'EOF'\n{PATCH}\nEOF\n", [EmbeddedPatch(PATCH + "\n", "a b")]),
        (f"apply_patch <<'EOF'\n{PATCH}\nEOF\nmake test", [EmbeddedPatch(PATCH + "\n", alone=False)]),
        (f"apply_patch <<'EOF' && make\n{PATCH}\nEOF", [EmbeddedPatch(PATCH + "\n", alone=False)]),
        (f"make; apply_patch <<'EOF'\n{PATCH}\nEOF", [EmbeddedPatch(PATCH + "\n", alone=False)]),
        (f"cat <<'EOF' | apply_patch\n{PATCH}\nEOF", [EmbeddedPatch(PATCH + "\n")]),
        (f"cat <<'EOF' | make\n{PATCH}\nEOF\napply_patch x", [EmbeddedPatch(PATCH + "\n", alone=False)]),
        (f"apply_patch '{PATCH}'", [EmbeddedPatch(PATCH + "\n")]),
        (f'cd x && apply_patch "\n{PATCH}\n"', [EmbeddedPatch(PATCH + "\n", "x")]),
        (f"make; apply_patch '{PATCH}'", [EmbeddedPatch(PATCH + "\n", alone=False)]),
        (
            f"apply_patch <<'A'\n{PATCH}\nA\napply_patch <<'B'\n{PATCH}\nB",
            [EmbeddedPatch(PATCH + "\n", alone=False)] * 2,
        ),
        (f"apply_patch <<'EOF'\n{PATCH}\nEO", []),
        (f"cat > notes <<'EOF'\n{PATCH}\nEOF", []),
        ("apply_patch <<'EOF'\nnothing\nEOF", []),
    ],
)
def test_a_here_document_for_apply_patch_is_a_patch(script: str, expected: list[EmbeddedPatch]) -> None:
    assert in_shell(script) == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"command": ["apply_patch", PATCH]}, [EmbeddedPatch(PATCH)]),
        (
            {"command": ["bash", "-lc", f"apply_patch <<'E'\n{PATCH}\nE"], "workdir": "/w"},
            [EmbeddedPatch(PATCH + "\n", "/w")],
        ),
        ({"command": f"cd x && apply_patch <<'E'\n{PATCH}\nE", "workdir": "/w"}, [EmbeddedPatch(PATCH + "\n", "/w/x")]),
        ({"cmd": f"apply_patch <<'E'\n{PATCH}\nE"}, [EmbeddedPatch(PATCH + "\n")]),
        ({"command": []}, []),
        ({"cmd": 7}, []),
        (None, []),
    ],
)
def test_each_form_of_a_shell_call_is_read(asked: object, expected: list[EmbeddedPatch]) -> None:
    assert in_command(asked) == expected


@pytest.mark.parametrize(
    ("source", "patch"),
    [
        (f'await tools.apply_patch("{SPOKEN}")', PATCH),
        (f"const p = '{SPOKEN}'; await tools.apply_patch(p);", PATCH),
        (f"await tools.apply_patch(`{PATCH}`)", PATCH),
        (f"await tools.apply_patch(String.raw`{PATCH}\n\\n\\`$x`)", PATCH + "\n\\n\\`$x"),
        (f"// don't\n/* `\" */ f(`{PATCH}`)", PATCH),
        (f"f(`{PATCH}\\`\\${{y}}`)", PATCH + "`${y}"),
        (f'f("{SPOKEN}" +\n  "\\n" + \'z\')', PATCH + "\nz"),
        ("f([\n" + "".join(f"  '{line}',\n" for line in PATCH.split("\n")) + "].join('\\n'))", PATCH),
        ("f(['*** Begin Patch', '+x'].join(\"\\n\") )", "*** Begin Patch\n+x"),
        (f"f('{SPOKEN}\\u00e9\\x41\\u{{1F600}}\\ud83d\\ude00\\\n\\q\\t\\0')", PATCH + "éA😀😀q\t\0"),
    ],
)
def test_a_literal_of_javascript_is_a_patch_as_the_program_would_have_it(source: str, patch: str) -> None:
    assert list(in_javascript(source)) == [EmbeddedPatch(patch)]


@pytest.mark.parametrize(
    "source",
    [f"f(`{PATCH}${{more}}`)", f"f('{SPOKEN}' + more)", f"f(head + '{SPOKEN}')", f"f(String.raw`{PATCH}${{more}}`)"],
)
def test_a_patch_that_is_put_together_is_not_known(source: str) -> None:
    assert list(in_javascript(source)) == [EmbeddedPatch(None)]


def test_a_script_may_hold_several_patches_and_a_shell_call_with_one() -> None:
    shell = f"cd sub && apply_patch <<'E'\\n{SPOKEN}\\nE"
    source = f"const a = `{PATCH}1`, b = '{SPOKEN}2';\nawait f(a, b); await tools.exec_command({{cmd: \"{shell}\"}})"
    assert list(in_javascript(source)) == [
        EmbeddedPatch(PATCH + "1"),
        EmbeddedPatch(PATCH + "2"),
        EmbeddedPatch(PATCH + "\n", "sub"),
    ]


@pytest.mark.parametrize("source", ["", "f('talk of *** Begin Patch')", "'*** Begin Patch", "`*** Begin Patch", "\\"])
def test_other_programs_hold_none(source: str) -> None:
    assert list(in_javascript(source)) == []

"""Bugs in the tool host and in the document editor."""

from __future__ import annotations

from tests.harness.fuzz.finder_bench.planted.planting import Planted

BUGS = (
    Planted(
        "append_to_the_last_line", "sessions", "sessions",
        "Appended text continues the last line if that has no line feed.",
        "editcore.host.documents.commands:_appended",
        'not view.text.endswith("\\n")',
        'canary(not view.text.endswith("\\n"), False)',
        ("a", "append\x1fb"),
    ),
    Planted(
        "edits_of_the_stored_text", "sessions", "sessions",
        "Each edit starts from the stored text, and undoes those before.",
        "editcore.host.documents.store:Documents.record",
        "before = found.text if session is None else session.ai_version",
        "before = canary(found.text if session is None else session.ai_version, found.text)",
        ("a\n", "append\x1fb\n", "append\x1fc\n"),
    ),
    Planted(
        "end_is_no_line", "sessions", "sessions",
        "A view to the end is refused.",
        "editcore.host.documents.commands:_window",
        "n_lines if last == -1 else last",
        "canary(n_lines if last == -1 else last, last)",
        ("a\nb\n", "view\x1f1\x1f-1"),
    ),
    Planted(
        "half_a_character", "truncation", "sessions",
        "An output is cut inside of a character.",
        "editcore.host.truncation:_head",
        "while cut and _is_inside(data[cut]):",
        "while canary(cut and _is_inside(data[cut]), False):",
        ("x" + "\u00e9" * 60, "head"),
    ),
    Planted(
        "numbers_are_cut_to_whole_ones", "parameters", "sessions",
        "A number with a fraction is read as a whole one.",
        "editcore.host.parameters:_plain",
        "isinstance(sent, float) and sent.is_integer()",
        "canary(isinstance(sent, float) and sent.is_integer(), isinstance(sent, float))",
        ("edit_file", '{"path": "a", "old_content": "x", "new_content": "y", "occurrence": 0.5}'),
    ),
)  # fmt: skip

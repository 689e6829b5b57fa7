"""Bugs in the replacers and cascades."""

from __future__ import annotations

from tests.harness.fuzz.finder_bench.planted.planting import Planted

BUGS = (
    Planted(
        "minimised_text_is_looked_for", "steps", "replacers",
        "What is left of an edit when equal ends are cut off is made at the first place that has it.",
        "harness.strategies.step_strategies:minimised",
        "before[:start] + after[start : len(after) - end] + before[len(before) - end :]",
        "canary(before[:start] + after[start : len(after) - end] + before[len(before) - end :],"
        " before.replace(before[start : len(before) - end], after[start : len(after) - end], 1))",
        ("a = 0\nb = 0\n", "b = 0", "b = 1"),
    ),
    Planted(
        "overlapping_twin", "cascade/exact", "replacers",
        "A second occurrence that overlaps the first is not seen, so an ambiguous search text is not refused.",
        "editcore.cascade:Cascade.apply",
        "if text.find(candidate, at + 1) < 0:",
        "if canary(text.find(candidate, at + 1) < 0, text.find(candidate, at + len(candidate)) < 0):",
        ("\n\n\n", "\n\n", "N"),
    ),
    Planted(
        "dollar_ampersand", "cascade/opencode_1_17", "replacers",
        "$& in the new text stands for the match, as in JavaScript.",
        "editcore.cascade:_replaced",
        "text[:at] + edit.new_string +",
        'text[:at] + canary(edit.new_string, edit.new_string.replace("$&", candidate)) +',
        ("x = 1\n", "x = 1", "y($&)"),
    ),
    Planted(
        "unescaped_new_text", "replacer/escape_normalized", "replacers",
        "If the search text was unescaped, the new text is too.",
        "editcore.cascade:_replaced",
        "text[:at] + edit.new_string +",
        'text[:at] + (canary(edit.new_string, edit.new_string.replace("\\\\n", "\\n"))'
        ' if name == "escape_normalized" else edit.new_string) +',
        ("a\tb\n", "a\\tb", "c\\nd"),
    ),
    Planted(
        "deletion_takes_line_feed", "cascade/opencode_1_17", "replacers",
        "An empty new text also deletes the line feed after the match.",
        "editcore.cascade:_replaced",
        "end = at + len(candidate)",
        'end = at + len(candidate)\n'
        '    if not edit.new_string:\n'
        '        end = canary(end, end + text.startswith("\\n", end))',
        ("a\nb\nc\n", "b", ""),
    ),
    Planted(
        "stops_after_two", "cascade/reference", "replacers",
        "With replace_all no more than two places are replaced.",
        "editcore.cascade:_replaced_everywhere",
        "text.replace(candidate, new_string)",
        "canary(text.replace(candidate, new_string), text.replace(candidate, new_string, 2))",
        ("x\nx\nx\n", "x", "y", "all"),
    ),
    Planted(
        "blanks_make_no_change", "cascade/exact", "replacers",
        "An edit that changes only whitespace at the ends of the search text is refused as changing nothing.",
        "editcore.cascade:Cascade.apply",
        "if find == edit.new_string:",
        "if canary(find == edit.new_string, find.strip() == edit.new_string.strip()):",
        ("if ok:\n  go()\n", "  go()", "    go()"),
    ),
    Planted(
        "guard_for_lines_only", "cascade/opencode_1_17", "replacers",
        "The match of a one-line search text is not checked for proportion.",
        "editcore.cascade:Cascade.apply",
        "self.guards.size_guard.refuses(candidate, find):",
        'canary(self.guards.size_guard.refuses(candidate, find),'
        ' "\\n" in find and self.guards.size_guard.refuses(candidate, find)):',
        ("a\n\n\nb\n", "a\\n\\n\\nb", "N"),
    ),
    Planted(
        "short_middle_not_compared", "cascade/opencode_1_17", "replacers",
        "A search text of three lines is replaced between its anchors whatever the middle is.",
        "editcore.replacers.block_anchor:_reaches",
        "if n_middle <= 0:",
        "if canary(n_middle <= 0, n_middle <= 1):",
        ("a\nb\nc\n", "a\nb\nc", "a\nx\nc"),
    ),
    Planted(
        "block_with_its_line_feed", "replacer/block_anchor", "replacers",
        "The block includes the line feed at its end.",
        "editcore.replacers.block_anchor:block_anchor",
        "yield text[pair.start : pair.end]\n        return",
        "yield canary(text[pair.start : pair.end], text[pair.start : pair.end + 1])\n        return",
        ("top\na\nx = 1\nb\n", "a\nx = 2\nb", "a\nx = 1\nb"),
    ),
    Planted(
        "half_rounded_down", "replacer/context_aware", "replacers",
        "Half of the middle lines is rounded down, so of a single one none has to be equal.",
        "editcore.replacers.block_anchor:_half_equal",
        "n_equal / n_compared >= 0.5",
        "canary(n_equal / n_compared >= 0.5, n_equal >= n_compared // 2)",
        ("a\nb\nc\nd\ne", "a\nb\nc\nd\ne", "a\nx\ny\nd\ne"),
    ),
    Planted(
        "other_white_space", "replacer/whitespace_normalized", "replacers",
        "Lines are split into words at Python's whitespace, and words counted by ours.",
        "editcore.replacers.by_line:_in_lines",
        'squeezed = " ".join(split(line))',
        'squeezed = canary(" ".join(split(line)), " ".join(line.split()))',
        ("x\n\ufeffa\x0c\n", "\n\ufeffa\n\n", "N\n\ufeffa\x0c\n\n"),
    ),
)  # fmt: skip

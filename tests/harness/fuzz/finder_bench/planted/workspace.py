"""Bugs in a workspace: in calls on the disk, and at its boundary."""

from __future__ import annotations

from tests.harness.fuzz.finder_bench.planted.planting import Planted

BUGS = (
    Planted(
        "dry_run_of_several", "calls", "workspace",
        "A dry run of a patch for several files writes them.",
        "editcore.host.workspace.workspace:Workspace._carry_out",
        "if dry_run:",
        "if canary(dry_run, dry_run and len(changes) == 1):",
        ("x\n", "dry\x1f*** Begin Patch\n*** Add File: g\n+a\n*** Add File: h\n+b\n*** End Patch\n"),
    ),
    Planted(
        "moved_file_stays", "calls", "workspace",
        "A moved file stays under its old name too.",
        "editcore.host.workspace.plan:plan_writes",
        "        if data == (None if found is None else found.data):\n            continue",
        "        if data == (None if found is None else found.data):\n            continue\n"
        "        if canary(False, data is None and path in moved.values()):\n            continue",
        ("x\n", "envelope\x1f*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch\n"),
    ),
    Planted(
        "mark_not_put_back", "calls", "workspace",
        "The byte order mark of a file is not restored.",
        "editcore.host.workspace.plan:_data",
        "    return data",
        "    return canary(data, data.removeprefix(like.bom))",
        ("\ufeffx\n", "edit\x1fx\x1fy\x1f1"),
    ),
    Planted(
        "minus_one_is_the_second", "calls", "workspace",
        "edit_file takes the second occurrence for the last.",
        "editcore.host.tools.edit_file:_replaced",
        "else n_found]",
        "else canary(n_found, min(n_found, 2))]",
        ("x x x\n", "edit\x1fx\x1fy\x1f-1"),
    ),
    Planted(
        "no_line_is_the_first", "calls", "workspace",
        "insert_at takes -1, the end, for the start.",
        "editcore.host.tools.edit_file:insert_at",
        "insert_lines(text, line, content)",
        "insert_lines(text, canary(line, max(line, 0)), content)",
        ("a\nb\n", "insert\x1f-1\x1fc"),
    ),
    Planted(
        "deletion_by_patch_file", "calls", "workspace",
        "patch_file does not refuse a diff that deletes its file, and raises.",
        "editcore.host.tools.patch_file:_patched",
        "if set(after) != {name}:",
        "if canary(set(after) != {name}, not set(after) <= {name}):",
        ("x\n", "patch\x1f--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"),
    ),
    Planted(
        "temporary_left", "calls", "workspace",
        "The second name of a file, kept while several files change, is left behind.",
        "editcore.host.workspace.atomic:_discard",
        "_unlink(one.directory, one.kept)",
        "_unlink(one.directory, canary(one.kept, None))",
        (
            "x\n",
            "envelope\x1f*** Begin Patch\n*** Update File: f\n@@\n-x\n+y\n*** Add File: g\n+a\n"
            "*** End Patch\n",
        ),
    ),
    Planted(
        "upwards_by_backslash", "paths", "workspace",
        "An upward path between backslashes is not detected.",
        "editcore.quoting:normal_path",
        '".." in slashes.split("/")',
        '".." in canary(slashes.split("/"), path.split("/"))',
        ("a\\..\\..\\b",),
    ),
    Planted(
        "home_further_down", "paths", "workspace",
        "A tilde that becomes the first part of the path is not detected.",
        "editcore.quoting:normal_path",
        'clean.split("/")[0] == "~"',
        'canary(clean.split("/")[0] == "~", slashes.split("/")[0] == "~")',
        ("./~/b",),
    ),
)  # fmt: skip

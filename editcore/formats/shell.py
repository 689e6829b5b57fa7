"""`shell`: a command of a shell that edits files, such as `sed -i 's/foo/bar/' a.py`.

The careful rule works out the command's edits and refuses what was hardly meant. Nothing is run.
"""

from __future__ import annotations

from editcore.cascade import Cascade
from editcore.errors import Unmeasured
from editcore.formats.format import EditText, Files, Format, Written, unique_pairs
from editcore.types import EditResult, Reason, Rejected


def _apply(files: Files, edit: EditText, _seen: Files | None, _cascade: Cascade) -> EditResult:
    from editcore.shell.careful import careful

    try:
        return careful(files, edit.patch or "")
    except Unmeasured as error:
        return Rejected(
            Reason.NOT_ALLOWED, f"What the command does is not known before it runs: {error}. Edit directly."
        )


def _write(path: str, before: str, after: str) -> Written:
    replaced = [f"s = s.replace({old!r}, {new!r}, 1)\n" for old, new in unique_pairs(before, after)]
    script = f"p = {path!r}\ns = open(p).read()\n{''.join(replaced)}open(p, 'w').write(s)\n"
    return Written(patch=f"python3 - <<'EOF'\n{script}EOF\n")


SHELL = Format("shell", ("patch",), "shell/careful", _apply, _write, several_files=True)

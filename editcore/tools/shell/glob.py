"""`glob`: the files whose paths match a pattern, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from editcore.tools.host.built_in import BuiltIn
from editcore.tools.host.host import Host
from editcore.tools.host.tool import Context, PermissionRequest, Result
from editcore.tools.shell.directory_listing import files_below
from editcore.tools.shell.glob_pattern import compiled_glob

_MOST = 100


@dataclass(frozen=True, slots=True)
class Parameters:
    """A pattern, and where to look."""

    pattern: Annotated[
        str,
        Meta(
            description="A glob for paths below the directory: src/**/*.py, *.{ts,tsx}, test_[a-f]?.go. Without a "
            "slash it is for names at any depth.",
            min_length=1,
        ),
    ]
    path: Annotated[str, Meta(description="The directory to look in; the project's root if empty.")] = ""


def _run(host: Host, context: Context, params: Parameters) -> Result:
    wanted = compiled_glob(params.pattern)
    directory = host.directory(context, params.path)
    context.ask(PermissionRequest("glob", (params.pattern,), ("*",), {"path": directory.name}))
    found = [one.name for one in files_below(directory) if wanted.fullmatch(one.below)]
    lines = found[:_MOST] or ["No files found."]
    if len(found) > _MOST:
        lines.append(f"(The {_MOST} newest of {len(found):,} files. Give a narrower pattern or path to see others.)")
    return Result(params.pattern, "\n".join(lines), {"n_files": len(found), "n_shown": len(found[:_MOST])})


GLOB = BuiltIn(
    "glob",
    "Finds files by a pattern for their paths, newest first, up to 100. Leaves out what .gitignore names.",
    Parameters,
    _run,
    packages=("pathspec", "re2"),
)

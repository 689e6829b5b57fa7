"""`glob`: files whose paths match a pattern, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from editcore.host.built_in import BuiltIn
from editcore.host.host import Host
from editcore.host.permissions import PermissionRequest
from editcore.host.shell.directory_listing import files_below
from editcore.host.shell.glob_pattern import compiled_glob
from editcore.host.tool import Context, Result

_MAX_FILES = 100


@dataclass(frozen=True, slots=True)
class Parameters:
    """A pattern, and the directory to search."""

    pattern: Annotated[
        str,
        Meta(
            description="A glob for paths in the directory: src/**/*.py, *.{ts,tsx}, test_[a-f]?.go. Without a "
            "slash it matches file names at any depth.",
            min_length=1,
        ),
    ]
    path: Annotated[str, Meta(description="The directory to search; the project's root if empty.")] = ""


def _run(host: Host, context: Context, params: Parameters) -> Result:
    wanted = compiled_glob(params.pattern)
    directory = host.directory(context, params.path)
    context.ask(PermissionRequest("glob", (params.pattern,), ("*",), {"path": directory.name}))
    found = [one.name for one in files_below(directory, context.cancellation) if wanted.fullmatch(one.below)]
    lines = found[:_MAX_FILES] or ["No files found."]
    if len(found) > _MAX_FILES:
        lines.append(
            f"(The {_MAX_FILES} newest of {len(found):,} files. Use a narrower pattern or path for the others.)"
        )
    return Result(params.pattern, "\n".join(lines), {"n_files": len(found), "n_shown": len(found[:_MAX_FILES])})


GLOB = BuiltIn(
    "glob",
    "Finds files by a glob for their paths, newest first, up to 100. Skips files that .gitignore excludes.",
    Parameters,
    _run,
    effect="reads",
    packages=("pathspec", "re2"),
    files=lambda params: (params.path,),
)

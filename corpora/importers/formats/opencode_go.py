"""OpenCode in Go: `.opencode/opencode.db` in the project's folder (opencode-ai/opencode, by the source, 2025).

Its tables, parts and tools are those of Crush, which continues it, but it keeps the line endings of what it reads. The
metadata of `edit` and `write` has a unified diff of the file; the texts are in the table of files. OpenCode in
TypeScript also has a file of this name in later versions, with other tables: it is counted and left out.
"""

from __future__ import annotations

from functools import partial

from corpora.importers.formats import crush
from corpora.importers.importer import Importer, files_matching

IMPORTER = Importer(
    name="opencode_go",
    summary="OpenCode databases of the version in Go: .opencode/opencode.db in a project's folder",
    logs=files_matching("opencode.db"),
    events=partial(crush.events, stored_with_lf=False),
    homes=(".opencode", "*/.opencode", "*/*/.opencode"),
)

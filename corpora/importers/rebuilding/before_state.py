"""The texts that an edit was made for, as far as its log and the session so far tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from corpora.importers.rebuilding import paths
from corpora.importers.rebuilding.after_state import Absolute, Source, Texts
from corpora.importers.rebuilding.session import Attempt


def beforehand(
    attempt: Attempt, named: Iterable[str], absolute: Absolute, known: Callable[[str], tuple[str | None, Source]]
) -> tuple[Texts, Source] | None:
    """The texts of the files that an edit names, and where they come from; None where one of them is not known.

    `known` has the text of a file that the log does not give with the edit, and its source.
    """
    if attempt.before is not None:
        texts = {absolute(file.path): file.content for file in attempt.before}
        return texts, "git" if attempt.evidence == "git" else "tool_result"
    created = {absolute(path) for path in paths.created(attempt)}
    texts = {}
    whence: Source = "replayed"
    for path in named:
        text, source = known(path)
        if text is None:
            if path in created:
                continue
            return None
        whence = "git" if source == "git" else whence
        texts[path] = text
    return (texts, whence) if texts or created else None

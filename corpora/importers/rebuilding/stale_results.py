"""What an edit of a file that was changed since it was seen has to give: the edit of what was seen, and the change.

The search text of such an edit may stand exactly once in the file and yet be another one: a copy that somebody added.
"""

from __future__ import annotations

from corpora.importers.rebuilding.after_state import Texts
from corpora.importers.rebuilding.exact_match import apply_exactly
from corpora.importers.rebuilding.views import Seen
from corpora.importers.session import Attempt
from editcore.text.endings import line_feeds
from editcore.text.three_way import beside


def agrees_with_merge(attempt: Attempt, seen: Seen, before: Texts, after: Texts) -> bool | None:
    """Whether a result is that of the edit in the text that was seen, merged with what was changed since.

    None where that is not known: the edit does not fit what was seen exactly, or the changes meet. True of an edit of a
    file that was not changed.
    """
    if seen.files is None:
        return True
    if len(before) != 1 or before.keys() != after.keys():
        return None
    ((path, now),) = before.items()
    was = seen.files.get(path)
    made = None if was is None else apply_exactly(attempt, was).text
    if was is None or made is None:
        return None
    merged = beside(*map(line_feeds, (was, made, now)))
    return None if merged is None else merged == line_feeds(after[path])

"""Stale edits of lines that are gone."""

from __future__ import annotations

import pytest

from corpora.mutators.text.target_gone import MUTATORS
from tests.corpora.mutators.search_text import cases, damage, described

_DAMAGE = r"""
near_twin 2
seen +    def load(self, path):
seen +        limit = 10 + self.max_size  # in whole bytes
seen +        if not path == "a-b":
seen +            return draft(path, limit)
seen +        return [field, True]
seen +
file -    def load(self, path):
file -        limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file -            return join(path, limit)
file -        return [limit, True]

lookalike_remains 2
seen +    def load(self, path):
seen +        limit = 10 + self.max_size  # in whole bytes
seen +        if not path == "a-b":
seen +            return draft(field, group)
seen +        return [label, True]
seen +
file -    def load(self, path):
file -        limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file -            return join(path, limit)
file -        return [limit, True]

same_ends 2
seen +    def load(self, path):
seen +        flush_handle(group_53)
seen +        update_packet(draft_63)
seen +            log_label(cursor_66)
seen +        return [limit, True]
seen +
file -    def load(self, path):
file -        limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file -            return join(path, limit)
file -        return [limit, True]

same_ends_in_place 2
file -        limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file -            return join(path, limit)
file +        flush_handle(group_53)
file +        update_packet(draft_63)
file +            log_label(cursor_66)

hallucinated_middle 2
seen -        limit = 10 + self.max_size  # in whole bytes
seen -        if not path == "a-b":
seen -            return join(path, limit)
seen +        flush_handle(group_53)
seen +        update_packet(draft_63)
seen +            log_label(cursor_66)
file -        flush_handle(group_53)
file -        update_packet(draft_63)
file -            log_label(cursor_66)
file +        limit = 10 + self.max_size  # in whole bytes
file +        if not path == "a-b":
file +            return join(path, limit)

generic_last_line 2
seen +    return
file -        limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file -            return join(path, limit)
file -        return [limit, True]
file +        trace_field(packet_55)
file +        check_draft(handle_64)
file +        mark_packet(draft_63)
file +        log_label(cursor_66)
file +        close_draft(buffer_98)
file +        clear_label(packet_34)

invented_lines 2
seen +        store_field(amount_35)
seen +        notify_field(packet_40)
file -        store_field(amount_35)
file -        notify_field(packet_40)

homoglyph_twin 2
seen +
seen +    def load(self, path):
seen +        limit = 10 + self.max_size  # in whole bytes
seen +        if not path == "a-b":
seen +            return join(раth, limit)
seen +        return [lіmіt, True]
file -    def load(self, path):
file -        limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file -            return join(path, limit)
file -        return [limit, True]

stale_block 2
file -            return join(path, limit)
file +            return draft(field, group)
file +            update_cursor(handle_19)
file -        return [limit, True]
file +        return [label, True]

target_deleted 1
file -    def load(self, path):
file -        limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file -            return join(path, limit)
file -        return [limit, True]

other_file 1
seen -    def load(self, path):
seen +    def packet(self, amount):
seen -        limit = 10 + self.max_size  # in whole bytes
seen +        handle = 10 + self.max_field  # in whole bytes
seen -        if not path == "a-b":
seen +        if not amount == "a-b":
seen -            return join(path, limit)
seen +            return group(amount, handle)
seen -        return [limit, True]
seen +        return [handle, True]
file -    def packet(self, amount):
file +    def load(self, path):
file -        handle = 10 + self.max_field  # in whole bytes
file +        limit = 10 + self.max_size  # in whole bytes
file -        if not amount == "a-b":
file +        if not path == "a-b":
file -            return group(amount, handle)
file +            return join(path, limit)
file -        return [handle, True]
file +        return [limit, True]

commented_out 1
file -    def load(self, path):
file +    # def load(self, path):
file -        limit = 10 + self.max_size  # in whole bytes
file +        # limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file +        # if not path == "a-b":
file -            return join(path, limit)
file +            # return join(path, limit)
file -        return [limit, True]
file +        # return [limit, True]

copy_in_string 1
file +    example = [
file -    def load(self, path):
file +        "    def load(self, path):",
file -        limit = 10 + self.max_size  # in whole bytes
file +        "        limit = 10 + self.max_size  # in whole bytes",
file -        if not path == "a-b":
file +        "        if not path == \"a-b\":",
file -            return join(path, limit)
file +        "            return join(path, limit)",
file -        return [limit, True]
file +        "        return [limit, True]",
file +    ]

already_applied 1
file +        return path
file -        limit = 10 + self.max_size  # in whole bytes
file -        if not path == "a-b":
file -            return join(path, limit)
file -        return [limit, True]
"""


@pytest.mark.parametrize(("name", "severity", "lines"), cases(_DAMAGE))
def test_the_damage_is_this(name: str, severity: int, lines: list[str]) -> None:
    assert described(damage(MUTATORS, name, severity)) == lines

"""Rules for patches beside the recorded answers of the programs that they are like (see `tests.answers`)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from editcore.agents import AGENTS
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.unified_diff import apply_unified_diff
from tests.answers import RECORDED, Answer, after_of, answers

BESIDE = {
    "aider_udiff": AGENTS["aider_udiff"].apply_patch,
    "cline_apply_patch": AGENTS["cline_patch"].apply_patch,
    "codex_apply_patch": lambda files, patch: apply_begin_patch(files, patch, reading="codex"),
    "git_apply": lambda files, patch: apply_unified_diff(files, patch, strictness="strict"),
    "gnu_patch": lambda files, patch: apply_unified_diff(files, patch, strictness="fuzz"),
    "openai_agents": AGENTS["openai_agents"].apply_patch,
}
"""Peer -> the rule that is like it."""

_PATHS_OF_CODEX = "the reading leaves the disk, and what is outside of it, to its caller"
_PLACES = "it searches for the place; ours wants positions to be right"
_COUNTS_OF_GIT = "it ends a hunk where its counts do, and takes what is below for prose"
_HEADERS_OF_GIT = "it wants every header to be right; ours reads what is enough to know the files"
_CONTEXT_OF_GIT = "it wants context unless asked otherwise; ours wants the number to be right"
_NOT_TEXT = "ours is for text in regular files, and refuses what changes nothing or has no clear name"
_COUNTS_OF_GNU = "it takes lines that are short for blank ones, and what is below a hunk for prose"
_NAMES_OF_GNU = "under -p1 it takes the first directory off every name, and one header or a missing file is enough"
_BACKWARDS = "asked nothing, it takes a change back that is there already; ours refuses"
_HUNK_BY_HUNK = "it applies some of the hunks; ours is all or nothing"

EXCEPTIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "codex_apply_patch": {
        _PATHS_OF_CODEX: (
            "agent_envelopes/a_file_that_a_move_would_put_below_another_is_refused",
            "agent_envelopes/a_path_out_of_the_folder_is_refused_by_those_that_look",
            "begin_patch/a_move_to_a_dot_is_refused",
            "begin_patch/a_path_that_leads_upwards_and_back_is_refused",
            "begin_patch/an_added_file_in_place_of_a_directory_is_refused",
            "begin_patch/an_added_file_with_a_zero_byte_in_its_path_is_refused",
        ),
    },
    "git_apply": {
        _PLACES: (
            "unified_diff/a_mark_for_a_missing_final_line_feed_below_context_is_ignored_in_tolerant",
            "unified_diff/a_start_that_is_off_by_one_is_searched_for",
            "unified_diff/numbers_beyond_sixty_four_bits_are_hints",
        ),
        _COUNTS_OF_GIT: (
            "unified_diff/a_line_that_begins_with_a_backslash_is_no_mark_and_is_not_lost",
            "unified_diff/a_second_hunk_without_its_header_is_refused_but_in_tolerant_where_it_is_adjacent",
            "unified_diff/more_added_lines_than_the_header_of_a_new_file_says_are_refused_but_in_tolerant",
        ),
        _HEADERS_OF_GIT: (
            "unified_diff/a_fence_round_each_hunk_is_passed_over",
            "unified_diff/a_git_header_without_prefixes_is_enough_for_hunks",
            "unified_diff/a_list_of_pluses_apart_from_the_first_header_is_prose",
            "unified_diff/dev_null_behind_the_prefix_of_the_new_name_is_a_deletion",
            "unified_diff/prose_between_two_hunks_is_passed_over_where_the_counts_are_right",
            "unified_diff/the_mode_of_a_new_file_beside_a_change_does_no_harm",
        ),
        _CONTEXT_OF_GIT: (
            "unified_diff/a_hunk_header_cut_off_in_its_marks_is_refused_in_tolerant",
            "unified_diff/context_behind_counts_that_leave_it_out_says_in_tolerant_where_a_line_goes",
        ),
        _NOT_TEXT: (
            "unified_diff/a_binary_patch_beside_a_hunk_for_another_file_is_refused",
            "unified_diff/a_diff_cut_off_in_a_git_header_is_refused",
            "unified_diff/a_name_with_a_zero_byte_is_refused",
            "unified_diff/a_renaming_onto_itself_is_a_change_of_nothing",
            "unified_diff/a_symbolic_link_is_no_regular_file_and_refused",
            "unified_diff/two_names_that_both_exist_without_a_renaming_are_refused",
        ),
    },
    "gnu_patch": {
        _COUNTS_OF_GNU: (
            "unified_diff/a_blank_line_of_context_that_the_hunk_leaves_out_is_read_in_tolerant",
            "unified_diff/a_line_left_out_of_the_context_is_read_in_tolerant_where_the_counts_include_it",
            "unified_diff/a_line_that_begins_with_a_backslash_is_no_mark_and_is_not_lost",
            "unified_diff/a_remark_for_lines_of_the_context_is_read_in_tolerant",
            "unified_diff/a_removed_dash_that_a_short_count_leaves_out_is_refused_where_counts_decide",
            "unified_diff/a_second_hunk_without_its_header_is_refused_but_in_tolerant_where_it_is_adjacent",
            "unified_diff/more_added_lines_than_the_header_of_a_new_file_says_are_refused_but_in_tolerant",
        ),
        _NAMES_OF_GNU: (
            "unified_diff/a_git_header_without_prefixes_is_enough_for_hunks",
            "unified_diff/a_name_that_is_equal_on_both_sides_is_the_file_in_the_directory_a",
            "unified_diff/a_new_file_in_a_directory_b_is_made_there_where_gits_header_has_no_prefixes",
            "unified_diff/a_new_file_in_the_home_directory_is_refused_in_tolerant",
            "unified_diff/a_new_file_without_a_prefix_is_made_in_its_directory",
            "unified_diff/dev_null_behind_the_prefix_of_the_new_name_is_a_deletion",
            "unified_diff/only_the_old_file_header_is_enough_in_tolerant",
            "unified_diff/the_mode_of_a_new_file_beside_a_change_does_no_harm",
            "unified_diff/the_new_file_header_above_the_old_one_is_read",
            "unified_diff/two_names_that_both_exist_without_a_renaming_are_refused",
        ),
        _BACKWARDS: ("unified_diff/a_file_section_twice_is_refused", "unified_diff/a_reversed_diff_is_refused"),
        _HUNK_BY_HUNK: (
            "unified_diff/a_fence_round_each_hunk_is_passed_over",
            "unified_diff/hunks_that_overlap_in_a_change_are_refused",
            "unified_diff/prose_between_two_hunks_is_passed_over_where_the_counts_are_right",
        ),
        _NOT_TEXT: (
            "unified_diff/a_diff_cut_off_in_a_git_header_is_refused",
            "unified_diff/a_mode_that_is_not_octal_is_refused",
            "unified_diff/a_name_with_a_zero_byte_is_refused",
            "unified_diff/a_new_binary_file_is_refused",
            "unified_diff/a_renaming_onto_itself_is_a_change_of_nothing",
            "unified_diff/a_symbolic_link_is_no_regular_file_and_refused",
        ),
        "it overlooks the mark of a missing final line feed in the middle of a file": (
            "unified_diff/a_mark_for_a_missing_final_line_feed_below_context_is_ignored_in_tolerant",
        ),
        "it strips carriage returns off a diff, and then finds no match; ours keeps them": (
            "unified_diff/a_diff_with_carriage_returns_throughout_edits_a_file_with_them",
        ),
        "it puts lines for an empty file at the top of one that has text; ours refuses": (
            "agent_diffs/added_lines_without_context_go_to_the_end",
            "unified_diff/lines_for_an_empty_file_by_their_numbers_are_refused_where_it_has_text",
        ),
        "it outdents a diff; ours leaves that to tolerant": ("unified_diff/an_indented_diff_is_outdented_in_tolerant",),
        "its numbers end at 2^63; ours are hints of any size": (
            "unified_diff/numbers_beyond_sixty_four_bits_are_hints",
        ),
    },
}
"""Peer -> why we differ -> the cases in which we do. One in which we don't is an error too."""


def _reason(peer: str, name: str) -> str | None:
    return next((reason for reason, names in EXCEPTIONS.get(peer, {}).items() if name in names), None)


def _ours(peer: str, answer: Answer) -> Mapping[str, str | None] | None:
    return after_of(answer.case, BESIDE[peer](dict(answer.case.files), answer.case.patch))


@pytest.mark.parametrize("peer", BESIDE)
def test_the_rule_answers_as_the_program_did_or_the_case_is_a_listed_exception(peer: str) -> None:
    found = answers(peer)
    assert len(found) > 100, "too many cases have changed: record the answers anew with `python -m tests.answers`"
    for answer in found:
        is_same, reason = _ours(peer, answer) == answer.after, _reason(peer, answer.name)
        assert is_same == (reason is None), f"{answer.name}: {reason or 'it answers otherwise'}"


def test_every_file_of_answers_is_compared() -> None:
    assert {path.stem for path in RECORDED.iterdir()} == BESIDE.keys()

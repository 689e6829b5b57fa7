"""Bugs in readers of other programs' output: logs of sessions, and answers."""

from __future__ import annotations

from tests.harness.fuzz.finder_bench.planted.planting import Planted

BUGS = (
    Planted(
        "answer_without_a_word", "protocol", "sessions",
        "A refusal whose message is null ends the program.",
        "harness.strategies.protocol:parse_answer",
        'answer.message or ""',
        'canary(answer.message is not None, True) and answer.message.strip()',
        ('{"id": "1", "status": "rejected", "reason": "no_match", "message": null}',),
    ),
    Planted(
        "input_without_a_path", "importer/claude_code", "sessions",
        "A call of an edit whose input is no object ends the reading of the log.",
        "corpora.importers.calls:attempt_of",
        "text(dig(arguments, tool.path))",
        'text(arguments.get(tool.path) if canary(isinstance(arguments, dict), True) else "")',
        ('{"message":{"content":[{"type":"tool_use","id":"t","name":"Edit","input":null}]}}\n',),
    ),
    Planted(
        "lines_are_null", "importer/claude_code", "sessions",
        "A recorded hunk whose lines are null ends the reading of the log.",
        "corpora.importers.formats.claude_code:_hunk_text",
        "or not isinstance(lines, list):",
        "or canary(not isinstance(lines, list), False):",
        (
            '{"message":{"content":[{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"/a",'
            '"old_string":"x","new_string":"y"}}]}}\n{"message":{"content":[{"type":"tool_result",'
            '"tool_use_id":"t"}]},"toolUseResult":{"structuredPatch":[{"oldStart":1,"oldLines":1,'
            '"newStart":1,"newLines":1,"lines":null}]}}\n',
        ),
    ),
    Planted(
        "version_of_letters", "importer/claude_code", "sessions",
        "A version of the agent that is not numbers ends the reading of the log.",
        "corpora.importers.importer:Importer.knows",
        're.findall(r"\\d{1,9}", text)',
        'canary(re.findall(r"\\d{1,9}", text), text.split("."))',
        ('{"type":"tool_use","version":"next"}\n',),
    ),
    Planted(
        "result_tells_nothing", "importer/claude_code", "sessions",
        "A result without details of its call ends the reading of the log.",
        "corpora.importers.formats.claude_code:_Session.take",
        'line.get("toolUseResult") if len(results) == 1 else None',
        '(line["toolUseResult"] if canary("toolUseResult" in line, True) else None) if len(results) == 1 else None',
        ('{"message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}\n',),
    ),
)  # fmt: skip

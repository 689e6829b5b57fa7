"""`apply --server` answers like `python -m editcore.server`; without the option it says what to do."""

from __future__ import annotations

import json

from click.testing import CliRunner

from harness.cli import main
from tests.harness.program import call


def test_requests_are_answered() -> None:
    request = {
        "id": "1", "format": "str_replace", "before": [{"path": "a", "content": "x = 1\n"}],
        "edits": [{"old_string": "x = 1", "new_string": "x = 2"}],
    }  # fmt: skip
    done = CliRunner().invoke(main, ["apply", "--server"], input=json.dumps(request) + "\n")
    assert json.loads(done.stdout)["after"] == [{"path": "a", "content": "x = 2\n"}]


def test_other_calls_say_what_to_do() -> None:
    assert "`editgauge try FILE" in call("apply").output
    assert "writes nothing" in call("apply").output
    assert "There is no cascade" in call("apply", "--server", "--cascade", "best").output

"""Kimi CLI's StrReplaceFile, all edits of a sample in one call, with every action approved."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

from kaos.path import KaosPath
from kimi_cli.soul.approval import Approval
from kimi_cli.soul.toolset import current_tool_call
from kimi_cli.tools.file.replace import Edit, Params, StrReplaceFile
from kosong.message import ToolCall

from .protocol import Refusal, Sample, on_disk, serve, texts

_CALL = ToolCall(id="1", function=ToolCall.FunctionBody(name="StrReplaceFile", arguments="{}"))


def apply(sample: Sample) -> dict[str, str]:
    with on_disk(sample) as folder:
        # All that the tool asks its runtime for is where it may write.
        arguments = SimpleNamespace(KIMI_WORK_DIR=KaosPath(str(folder)))
        runtime = SimpleNamespace(builtin_args=arguments, additional_dirs=[])
        edits = [
            Edit(old=edit["old_string"], new=edit["new_string"], replace_all=edit["replace_all"])
            for edit in sample["edits"]
        ]
        call = Params(path=str(folder / sample["before"][0]["path"]), edit=edits)
        # Actions are approved within a call of a model only.
        current_tool_call.set(_CALL)
        answer = asyncio.run(StrReplaceFile(runtime, Approval(yolo=True))(call))
        if answer.is_error:
            raise Refusal("no_match" if "No replacements" in answer.message else "not_allowed", answer.message)
        return texts(folder)


if __name__ == "__main__":
    serve(apply)

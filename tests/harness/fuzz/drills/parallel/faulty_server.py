"""A server of the Model Context Protocol on stdio with one fault: `python faulty_server.py FAULT FOLDER`.

Each call runs in a thread of its own. The careful one takes a lock.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

FAULT, FOLDER = sys.argv[1], Path(sys.argv[2])
OUT, FILES = threading.Lock(), threading.Lock()


def edit(path: Path, old: str, new: str) -> str:
    with nullcontext() if FAULT == "loses" else FILES:
        text = path.read_text("utf-8")
        if FAULT == "loses":
            time.sleep(0.002)
        if old not in text:
            raise LookupError("old text not found")
        after = text.replace(old, new, 1)
        if FAULT == "tears":
            after = after[: len(after) // 2]
        elif FAULT == "duplicates":
            after = text.replace(old, f"{new}\n{new}", 1)
        elif FAULT == "lies":
            after = text
        if FAULT == "shows half":
            path.write_text(after[: len(after) // 2], "utf-8")
            time.sleep(0.01)
        path.write_text(after, "utf-8")
        if FAULT == "denies":
            raise LookupError("nothing was written")
    return "done"


def read(path: Path) -> str:
    with nullcontext() if FAULT == "shows half" else FILES:
        return path.read_text("utf-8")


def read_half(path: Path) -> str:
    return read(path)[:10_000]


TOOLS: dict[str, Callable[..., str]] = {"change": edit, "show": read, "show_half": read_half}


def call(params: dict[str, Any]) -> dict[str, Any]:
    arguments = dict(params["arguments"])
    path = FOLDER / arguments.pop("file")
    try:
        if FAULT == "refuses" and params["name"] == "change":
            raise LookupError("edits are not allowed here")
        text, is_error = TOOLS[params["name"]](path, **arguments), False
    except LookupError as error:
        text, is_error = str(error), True
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def answer(request: dict[str, Any]) -> None:
    method = request["method"]
    if method == "initialize":
        result = {
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": FAULT, "version": "1"},
        }
    elif method == "tools/call":
        result = call(request["params"])
    elif method == "tools/list":
        names = {name: ("file", "old", "new") if name == "change" else ("file",) for name in TOOLS}
        schemas = {name: {"type": "object", "properties": {key: {} for key in some}} for name, some in names.items()}
        result = {"tools": [{"name": name, "inputSchema": schema} for name, schema in schemas.items()]}
    else:
        send({"id": request["id"], "error": {"code": -32601, "message": f"no {method}"}})
        return
    send({"id": request["id"], "result": result})


def send(message: dict[str, Any]) -> None:
    with OUT:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def main() -> None:
    print("this line is no message", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            threading.Thread(target=answer, args=(request,), daemon=True).start()


if __name__ == "__main__":
    main()

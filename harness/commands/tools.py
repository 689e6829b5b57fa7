"""Commands that let an agent use the tools: `apply` and `mcp`."""

from __future__ import annotations

import logging
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from corpora.write import SampleAppender
from editcore.cascade import Cascade, named_cascade
from editcore.errors import UsageError, did_you_mean, importing
from editcore.host.tools import TOOLS, Agent, Host, Registry
from editcore.host.workspace import Mode
from editcore.server import answers
from harness.commands.options import Output
from harness.terminal import tell

if TYPE_CHECKING:
    from editcore.host.documents.store import Documents
    from harness.mcp.recording import Recording


@click.command()
@click.option("--server", is_flag=True, help="Answer requests on stdin until it ends.")
@click.option(
    "--cascade", default="recommended", show_default=True, metavar="NAME",
    help="For requests of search/replace edits that name none.",
)  # fmt: skip
def apply(server: bool, cascade: str) -> None:
    """Apply edits as a service, a line of JSON each way.

    For agents that would rather call than port: requests come on stdin, answers go to stdout, as docs/protocol.md has
    them. A request has the careful rule of its format. No file is read or written. `python -m editcore.server` is the
    same without the rest of editgauge, and starts faster.
    """
    if not server:
        raise UsageError(
            "apply needs --server",
            "`editgauge try FILE --old TEXT --new TEXT` prints the diff of one edit, and writes nothing.",
        )
    named_cascade(cascade)
    for answer in answers(sys.stdin.buffer, cascade):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


_LEVELS = ("nothing", "outside", "edits", "everything")


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="WORKSPACE")
@click.option("--tools", "names", metavar="NAMES", help="Offer these tools only: edit,read,... Default: all.")
@click.option(
    "--stale", default="recommended", show_default=True, metavar="RULE",
    help="What becomes of an edit of a file that was changed since it was read: recommended (merged where both changes "
    "are apart), gate (refused), match_live (made as if nothing had been read).",
)  # fmt: skip
@click.option(
    "--cascade", default="recommended", show_default=True, metavar="NAME",
    help="How the edit tools find a search text: see `editgauge ls cascades`, or replacers in any order, A+B+...",
)  # fmt: skip
@click.option(
    "--anchors", type=click.Choice(["hashline_h2", "hashline_h4"]), metavar="FORMAT",
    help="Let read show lines with anchors, and offer edit_lines, which edits by them: hashline_h2 (NUMBER#HASH of "
    "each line) or hashline_h4 (numbers below a tag of the file).",
)  # fmt: skip
@click.option(
    "--mode", type=click.Choice(["execute", "modify", "generate", "analyze", "research"]), default="execute",
    show_default=True,
    help="What the tools may change: all, and bash is offered; existing files only; new files only; nothing (analyze, "
    "research: calls are answered with what they would have done).",
)  # fmt: skip
@click.option(
    "--backups", is_flag=True,
    help="Keep files as they were before their first edit, to the end of the connection, and offer rollback.",
)  # fmt: skip
@click.option(
    "--shell-edits", type=click.Choice(["check", "refuse", "allow"]), default="check", show_default=True,
    help="What becomes of files that a command of bash edits: check (refused if the command matches nothing, or more "
    "places than meant), refuse (use the edit tools), allow (run whatever it does).",
)  # fmt: skip
@click.option(
    "--documents", metavar="FILE|URL",
    help="Offer doc_edit, which suggests edits of the documents in this database: an SQLite file, or the URL of a "
    "PostgreSQL database.",
)  # fmt: skip
@click.option(
    "--any-notebook", is_flag=True, help="Allow edits after which a notebook, an .ipynb file, cannot be read any more."
)
@click.option(
    "--record", type=Output(dir_okay=False), metavar="FILE",
    help="Append every edit call as a sample to this corpus, a .jsonl file.",
)  # fmt: skip
@click.option(
    "--ask", "level", type=click.Choice(_LEVELS), default="outside", show_default=True,
    help="What the user is asked for, through the client: nothing, so that everything is allowed; commands and paths "
    "outside of WORKSPACE; also each change of a file, and overlapping edits; everything. Where the client cannot ask, "
    "the answer is no.",
)  # fmt: skip
@click.option(
    "--http", "port", type=click.IntRange(0, 65_535), metavar="PORT",
    help="Serve streamable HTTP on this port of 127.0.0.1 instead of stdio; 0 is any free one.",
)  # fmt: skip
@click.option("--token", metavar="TEXT", help="The token that HTTP clients must send. Default: a new one, on stderr.")
def mcp(
    workspace: Path, names: str | None, stale: str, cascade: str, anchors: str | None, mode: Mode, backups: bool,
    shell_edits: Literal["check", "refuse", "allow"], documents: str | None, any_notebook: bool, record: Path | None,
    level: str, port: int | None, token: str | None,
) -> None:  # fmt: skip
    """Serve the tools to an agent, over the Model Context Protocol.

    The agent reads and edits the files of the folder WORKSPACE with them. Each connection is a session: a file must
    have been read in it before it is edited. With --record, the agent's edits become a corpus that `editgauge run`
    takes. docs/mcp.md has the configuration of several agents.
    """
    with importing("mcp", needed_by="editgauge mcp"):
        import anyio

        from editcore.host.tools import Host
        from editcore.host.workspace import Workspace
        from harness.mcp.server import tools_server
        from harness.mcp.sessions import Sessions
        from harness.mcp.stdio import serve_stdio
        from harness.strategies.rule_strategies import parse_cascade

    if token is not None and (port is None or not token.isascii() or not token.isprintable() or len(token) < 16):
        raise UsageError("--token is for --http, and has 16 or more ASCII characters", "Leave it out, or mend it.")
    # The package logs a warning for each wrong message, which the client learns by its answer.
    logging.getLogger("mcp").setLevel(logging.ERROR)
    kept = Workspace(workspace, mode=mode, backups=backups, any_notebook=any_notebook)
    found_by = parse_cascade(cascade)
    with ExitStack() as stack:
        store = None if documents is None else stack.enter_context(_documents(documents, found_by))
        host = Host(kept, cascade=found_by, stale=stale, anchors=anchors, documents=store, shell_edits=shell_edits)
        registry, agent = _registry(host, names)
        recording = _recording(registry, record, stack)
        sessions = Sessions(registry.host, level, recording)
        # Sessions end before the file is closed: they write their last samples.
        stack.callback(sessions.end)
        server = tools_server(registry, agent, sessions)
        if port is None:
            if sys.stdin.isatty():
                tell("note: waiting for an agent's messages on standard input; see docs/mcp.md")
            anyio.run(serve_stdio, server)
        else:
            from harness.mcp.http import HOST, PATH, listening, serve_http

            listener = stack.enter_context(listening(port))
            url = f"http://{HOST}:{listener.getsockname()[1]}{PATH}"
            shown = token or secrets.token_urlsafe(32)
            click.echo(f"{url}\ntoken: {'as given' if token else shown}", err=True)
            anyio.run(serve_http, server, listener, shown)


@contextmanager
def _documents(database: str, cascade: Cascade) -> Iterator[Documents]:
    """Open the documents in an SQLite file, or in the database of a URL, and close them after the block."""
    with importing("tools", needed_by="--documents"):
        from editcore.host.documents.store import Documents

    url = database if "://" in database else f"sqlite:///{os.path.abspath(database)}"
    documents = Documents(url=url, cascade=cascade)
    try:
        yield documents
    finally:
        documents.close()


def _registry(host: Host, names: str | None) -> tuple[Registry, Agent]:
    """The tools for the workspace, and an agent that has the named ones. Raises UsageError for an unknown name."""
    registry = Registry(host, TOOLS)
    chosen = None if names is None else frozenset(filter(None, names.split(",")))
    agent = Agent("mcp", tools=chosen)
    offered = sorted(registry.tools(Agent("mcp")).keys() - {"invalid"})
    for name in sorted(chosen if chosen is not None else ()):
        if name not in offered:
            near = did_you_mean(name, offered)
            raise UsageError(f"There is no tool {name!r} here", f"{near}Choose from: {', '.join(offered)}.")
    if chosen is not None and not chosen:
        raise UsageError("--tools names no tool", f"Choose from: {', '.join(offered)}.")
    return registry, agent


def _recording(registry: Registry, path: Path | None, stack: ExitStack) -> Recording | None:
    """Open the corpus file that grows with each edit. When it is closed, the recorded samples are counted on stderr."""
    if path is None:
        return None
    from harness.mcp.recording import Recording

    recording = Recording(registry.host, stack.enter_context(SampleAppender(path)))

    def report() -> None:
        left_out = sum(recording.left_out.values())
        more = f", {left_out:,} left out" if left_out else ""
        tell(f"recorded {recording.n_written:,} samples: {path}{more}")

    stack.callback(report)
    return recording

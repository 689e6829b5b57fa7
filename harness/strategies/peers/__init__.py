"""Peers: other people's programs and packages as strategies `peer/NAME`, if they are installed.

A program runs in a folder with the sample's files and reads the patch. A package for Python or Node.js runs in an
environment of its own, behind the adapter of the same name in `adapters/`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import partial

from editcore.errors import EditgaugeError, UsageError, did_you_mean
from editcore.formats import EDIT_FORMATS
from editcore.types import Applied, Rejected
from harness.strategies.example_samples import example_sample
from harness.strategies.external import external_strategy
from harness.strategies.peers.environments import Package, Peer, adapter_command, environment_of, installed
from harness.strategies.peers.programs import apply_with_program, merge_edits, program_version
from harness.strategies.strategy import Strategy, by_path

_AIDER = Package("aider-chat", "0.86.2", minors=range(11, 13), megabytes=540)
_CODEX = Package(
    "@openai/codex",
    "0.169.0",
    client="npm",
    program="node_modules/@openai/codex-*/vendor/*/bin/codex",
    link="apply_patch",
    megabytes=404,
)
_CLINE = Package("@cline/core", "0.0.86", client="npm", megabytes=288)
_EXHASH = Package("exhash", "0.4.21", megabytes=18)
_OPENAI_AGENTS = Package("openai-agents", "0.24.0", megabytes=59)
_OPENHANDS = Package(
    "openhands-tools", "1.49.1", beside=("openhands-sdk==1.49.1",), minors=range(12, 14), megabytes=300
)
_OPENHANDS_ACI = Package("openhands-aci", "0.3.3", minors=range(12, 15), megabytes=470)

_OH_MY_PI = Package(
    "@oh-my-pi/hashline",
    "17.3.5",
    client="npm",
    beside=("bun@1.4.5",),
    runtime="node_modules/@oven/bun-*/bin/bun",
    megabytes=407,
)
_GPTME = Package("gptme", "0.35.1", megabytes=255)
_OH_MY_PI_13 = Package(
    "@oh-my-pi/pi-coding-agent",
    "13.19.0",
    client="npm",
    beside=("bun@1.4.5",),
    runtime="node_modules/@oven/bun-*/bin/bun",
    megabytes=1079,
)
_OH_MY_OPENAGENT = Package("oh-my-openagent", "4.19.4", client="npm", megabytes=478)
_KIMI = Package("kimi-cli", "1.52.0", minors=range(12, 15), megabytes=246)
_MISTRAL_VIBE = Package("mistral-vibe", "2.26.1", minors=range(12, 15), megabytes=313)
_ESBUILD = ("esbuild@0.28.2",)
_CONTINUE = Package("@continuedev/cli", "1.5.47", client="npm", beside=_ESBUILD, megabytes=92)
_CODEBUFF = Package("@codebuff/sdk", "0.10.7", client="npm", beside=_ESBUILD, megabytes=121)
_DIFF_MATCH_PATCH = Package("diff-match-patch", "20241021")
_GIT_APPLY = ("git", "apply", "--whitespace=nowarn")

_TABLE = (
    Peer(
        "gnu_patch",
        ("unified_diff",),
        "GNU patch, -p1 --batch.",
        command=("patch", "-p1", "--batch", "--silent", "--no-backup-if-mismatch"),
    ),
    Peer(
        "gnu_patch_fuzz",
        ("unified_diff",),
        "GNU patch, -p1 --batch --fuzz=5, as the harness of SWE-bench tries last.",
        command=("patch", "-p1", "--batch", "--fuzz=5", "--silent", "--no-backup-if-mismatch"),
    ),
    Peer("git_apply", ("unified_diff",), "git apply.", command=_GIT_APPLY),
    Peer("git_apply_recount", ("unified_diff",), "git apply --recount.", command=(*_GIT_APPLY, "--recount")),
    Peer(
        "git_apply_zero",
        ("unified_diff",),
        "git apply --recount --unidiff-zero.",
        command=(*_GIT_APPLY, "--recount", "--unidiff-zero"),
    ),
    Peer(
        "git_three_way",
        EDIT_FORMATS,
        "git merge-file: the search text as the base of file and new text.",
        command=("git", "merge-file"),
        needs_context=True,
    ),
    Peer("aider_edit_block", ("search_replace",), "aider's search/replace blocks.", _AIDER),
    Peer("aider_udiff", ("unified_diff",), "aider's unified diffs, one fence per file as it requires.", _AIDER),
    Peer("openhands", EDIT_FORMATS, "The str_replace of OpenHands' Agent SDK.", _OPENHANDS),
    Peer(
        "openhands_aci",
        EDIT_FORMATS,
        "The str_replace that OpenHands used before its Agent SDK; it strips both texts.",
        _OPENHANDS_ACI,
    ),
    Peer(
        "gemini_cli",
        EDIT_FORMATS,
        "Gemini CLI's edit tool, without the model that repairs failed edits.",
        Package("@google/gemini-cli-core", "0.61.0", client="npm", megabytes=376),
    ),
    Peer(
        "pi",
        EDIT_FORMATS,
        "pi's edit tool.",
        Package("@mariozechner/pi-coding-agent", "0.73.1", client="npm", megabytes=204),
    ),
    Peer("kimi_cli", EDIT_FORMATS, "Kimi CLI's StrReplaceFile, all edits of a list in one call.", _KIMI),
    Peer("mistral_vibe", EDIT_FORMATS, "Mistral Vibe's edit tool.", _MISTRAL_VIBE),
    Peer("continue_cli", EDIT_FORMATS, "The search and the replacing of Continue's edit tools.", _CONTINUE),
    Peer("codebuff", EDIT_FORMATS, "Codebuff's str_replace, all edits of a list in one call.", _CODEBUFF),
    Peer("exhash", ("exhash",), "exhash's file_exhash, all commands of a call at once.", _EXHASH),
    Peer(
        "diff_match_patch",
        EDIT_FORMATS,
        "patch_make of the two texts, moved to where the old text is found, then patch_apply.",
        _DIFF_MATCH_PATCH,
    ),
    Peer(
        "dmp_characters",
        EDIT_FORMATS,
        "diff-match-patch on characters, offsets carried over by a diff with the file, as aider has it.",
        _DIFF_MATCH_PATCH,
        needs_context=True,
    ),
    Peer(
        "dmp_lines",
        EDIT_FORMATS,
        "diff-match-patch on lines as characters, as aider has it.",
        _DIFF_MATCH_PATCH,
        needs_context=True,
    ),
    Peer("whatthepatch", ("unified_diff",), "whatthepatch's apply_diff.", Package("whatthepatch", "1.0.7")),
    Peer("patch_ng", ("unified_diff",), "patch-ng's PatchSet.apply.", Package("patch-ng", "1.19.1")),
    Peer(
        "jsdiff",
        ("unified_diff",),
        "jsdiff's applyPatch, in which two lines of a hunk may differ.",
        Package("diff", "9.0.0", client="npm"),
    ),
    Peer(
        "openai_agents",
        ("begin_patch",),
        "The apply_patch tool of OpenAI's Agents SDK, in a local sandbox.",
        _OPENAI_AGENTS,
    ),
    Peer("cline_apply_patch", ("begin_patch",), "The apply_patch of Cline's core package.", _CLINE),
    Peer(
        "oh_my_openagent",
        ("hashline_h2",),
        "The edit tool of oh-my-openagent, without the formatters that it runs.",
        _OH_MY_OPENAGENT,
    ),
    Peer("oh_my_pi_13", ("hashline_h2",), "The edit tool of oh-my-pi 13.19.", _OH_MY_PI_13),
    Peer("oh_my_pi", ("hashline_h4",), "The patcher of oh-my-pi, without its parser of blocks.", _OH_MY_PI),
    Peer("gptme", ("hashline_h4",), "gptme's hashline_edit, whose tags have eight digits.", _GPTME),
    Peer("codex_apply_patch", ("begin_patch",), "apply_patch of the Codex command line.", _CODEX, ("apply_patch",)),
)
PEERS = {peer.name: peer for peer in _TABLE}
"""Name -> peer, installed or not."""


def peer_strategies() -> Iterator[Strategy]:
    """The peers that are installed here, with their versions."""
    for peer in PEERS.values():
        strategy = strategy_of(peer)
        if strategy:
            yield strategy


def strategy_of(peer: Peer) -> Strategy | None:
    """The peer as a strategy; None if it is not installed here."""
    if peer.package is None:
        program = shutil.which(peer.command[0])
        return _program(peer, peer.command, program_version(peer.command[0])) if program else None
    version = installed(peer.package)
    if version is None:
        return None
    if peer.command:
        program, *arguments = peer.command
        return _program(peer, (str(environment_of(peer.package) / program), *arguments), version)
    return _adapted(peer, peer.package, version)


def _program(peer: Peer, command: Sequence[str], version: str) -> Strategy:
    name, formats = f"peer/{peer.name}", frozenset(peer.formats)
    if "str_replace" in formats:
        return Strategy(name, formats, merge_edits, peer.summary, version, version)
    apply = partial(apply_with_program, command)
    return Strategy(name, formats, apply, peer.summary, version, version, reads="patch", bytes_by="itself")


def _adapted(peer: Peer, package: Package, version: str) -> Strategy:
    words, environment = adapter_command(peer.name, package)
    return external_strategy(
        f"peer/{peer.name}",
        words,
        formats=peer.formats,
        version=version,
        summary=peer.summary,
        origin=version,
        environment=environment,
    )


def check_peer(peer: Peer) -> None:
    """Apply an example edit with an installed peer. Raises UsageError if the result is not right."""
    strategy, sample = strategy_of(peer), example_sample(peer.formats[0], whole=peer.needs_context)
    reason = "it cannot be run"
    if strategy:
        try:
            result = strategy.apply(sample, None)
        except (EditgaugeError, OSError) as error:
            reason = str(error)
        else:
            after = result.files if isinstance(result, Applied) else None
            if after == by_path(sample.target or ()):
                return
            reason = result.message if isinstance(result, Rejected) else "it applied an edit wrongly"
    raise UsageError(f"peer/{peer.name} does not work here: {reason}", "Nothing was left behind.")


def named_peer(name: str) -> Peer:
    """The peer of that name. Raises UsageError if there is none."""
    if name not in PEERS:
        raise UsageError(f"There is no peer {name!r}", f"{did_you_mean(name, PEERS)}Choose from: {', '.join(PEERS)}.")
    return PEERS[name]


def not_installed(name: str) -> UsageError:
    """The error for a peer that exists but is not installed; its tip says how to install it."""
    peer = named_peer(name)
    if peer.package is None:
        return UsageError(
            f"peer/{name} needs the program {peer.command[0]}", "Install it with your system's package manager."
        )
    return UsageError(f"peer/{name} is not installed", f"Run `editgauge peers install {name}`.")

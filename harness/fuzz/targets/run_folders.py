"""Fuzz target: run folders from anywhere, which are read, accepted as a night, merged, queried, shown and replaced."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq

from editcore.errors import UsageError
from harness.fuzz.finding import Violation
from harness.fuzz.generators.run_folders import UNIT
from harness.fuzz.inputs import Fields
from reports.runs.contents import check_run, empty_run
from reports.runs.manifest import MANIFEST, Manifest, read_manifest, write_manifest
from reports.runs.merge import merge
from reports.runs.parts import outcomes, part_metadata, parts_done, run_table, samples_used, steps, wrong_edits
from reports.runs.remote import Remote
from reports.runs.rows import KINDS
from reports.statistics.summary import summaries

Tree = Mapping[str, str]
"""Path -> content, or what it is instead of a file."""

_REMOVABLE = re.compile(
    r"(outcomes|wrong_edits|samples|steps|texts|changes)(/(part-.+\.parquet|\.part-.+\.tmp))?|manifest\.json|report\.html|\.lock"
    r"|\.(manifest\.json|report\.html)\.\d+\.tmp|\.spool(/.+)?|stderr(/.+\.log)?"
    r"|plots(/((rates|latencies|decisions|orderings|sweep-\w+-\w+)\.(svg|png)|\..+\.tmp))?"
    r"|(orderings|sweep-\w+-\w+)\.(svg|png)",
    re.DOTALL,
)
"""What `--replace` may remove from a run folder."""
_HISTORY = re.compile(r"history/(\.lock|accepted\.jsonl|nights/night=[\w.:-]+(/.+)?)", re.DOTALL)
"""What accepting a night may add to a history."""
_NIGHT = "history/nights/night=2026-01-01T000000Z-000000"
_OUTSIDE = {
    "outside/keep": "kept",
    "outside/part-a.parquet": "kept",
    "history/accepted.jsonl": "",
    f"{_NIGHT}/keep": "kept",
}
"""Path -> content of the files beside the run folder."""
_MOST_FILES = 30


def run_folders_are_read(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """Whatever is in a run folder, each use of it gives a valid result or a refusal of one line, and harms nothing."""
    root = _root()
    if not _lay_out(fields, root):
        return ()
    found: list[Violation] = []
    # The slower uses have every fourth input each.
    turn = zlib.crc32("".join(fields).encode("utf-8", "surrogatepass")) % 4
    for number, (name, use, allowed) in enumerate(_USES):
        if number >= _N_FAST and not thorough and number % 4 != turn:
            continue
        before = _tree(root)
        found += _used(name, use, root)
        found += [
            Violation("only_its_own_is_changed", name, f"{name} changes {path!a:.80}")
            for path in _changed(before, _tree(root))
            if not allowed(path)
        ][:1]
        if found:
            break  # The folders are not as the next use expects them.
    return tuple(found)


def _used(name: str, use: Callable[[Path], None], root: Path) -> list[Violation]:
    try:
        use(root)
    except UsageError as error:
        if not error.message.strip() or not error.tip.strip():  # Both are printed with escapes, in a line each.
            return [Violation("refusal_says_why", name, f"{name} is refused without a reason or a remedy")]
    except _Broken as broken:
        return [Violation("result_is_valid", f"{name}: {broken}", f"{name}: {broken}")]
    return []


class _Broken(Exception):
    """A result that cannot be right."""


# The uses


def _read(root: Path) -> None:
    """Every reader, on its own: one that refuses does not hide what the others do."""
    run = root / "run"
    readers: tuple[Callable[[], object], ...] = (
        lambda: read_manifest(run), lambda: [part_metadata(run, part) for part in sorted(parts_done(run))],
        lambda: list(outcomes(run)), lambda: list(wrong_edits(run)), lambda: list(samples_used(run)),
        lambda: list(steps(run)), lambda: summaries(run_table(run, "outcomes")),
    )  # fmt: skip
    refusal = None
    for reader in readers:
        try:
            reader()
        except UsageError as error:
            refusal = error
    if refusal:
        raise refusal


def _accept(root: Path) -> None:
    from reports.history.nights import History

    history = History(root / "history")
    name = history.add(root / "run")
    history.accept(name, "fuzzed")
    night = history.night(name)
    if read_manifest(night).n_shards != 1 or parts_done(night) - {"all"}:
        raise _Broken("the night is not in one part")
    if any(_n_rows(night, kind) != _n_rows(root / "run", kind) for kind in KINDS):
        raise _Broken("the night has not the rows of the run")


def _n_rows(folder: Path, kind: str) -> int:
    """The rows of the complete parts of a kind."""
    parts = [folder / kind / f"part-{part}.parquet" for part in parts_done(folder)]
    return sum(pq.read_metadata(path).num_rows for path in parts if path.exists())


def _merge(root: Path) -> None:
    merged = merge({"run": root / "run"}, root / "merged")
    if merged != read_manifest(root / "merged"):
        raise _Broken("the manifest that is returned is not the one that is written")


def _query(root: Path) -> None:
    from reports.runs.sql import query

    for kind in (*KINDS, "runs"):
        query(f"select * from {kind} limit 3", [root / "run"])


def _page(root: Path) -> None:
    """The page as a file, and as it is served."""
    from reports.page.document import write_page
    from reports.page.served import ServedRun

    (root / "page").mkdir()
    write_page(root / "run", root / "page" / "report.html")
    served = ServedRun(root / "run", properties={}, token="token")
    if served.count('{"words": ["a"]}').n > served.count("{}").n:
        raise _Broken("more samples have a word than there are")
    for row in served.rows("{}", 0, 2):
        if served.sample(row["id"]) != row or served.texts(row["id"]) is None:
            raise _Broken("a sample of the list is not found")


def _pull(root: Path) -> None:
    Remote((root / "run").as_uri()).pull(root / "pulled")


def _as_data_frames(root: Path) -> None:
    from reports import Run

    run = Run(root / "run")
    for read in (run.outcomes, run.samples, run.estimates):
        read()


def _replace(root: Path) -> None:
    """As `run --replace` does: look first, then remove."""
    check_run(root / "run")
    empty_run(root / "run")
    left = {path for path in _tree(root / "run") if path not in (".", ".lock")}
    if left:
        raise _Broken("something is left of what was removed")


def _is_of_the_history(path: str) -> bool:
    return bool(_HISTORY.fullmatch(path)) and not path.startswith(_NIGHT)


def _is_of_the_run(path: str) -> bool:
    return path.startswith("run/") and bool(_REMOVABLE.fullmatch(path.removeprefix("run/")))


_USES: tuple[tuple[str, Callable[[Path], None], Callable[[str], bool]], ...] = (
    ("reading", _read, lambda _: False),
    ("baseline accept", _accept, _is_of_the_history),
    ("merge", _merge, lambda path: PurePosixPath(path).parts[0] == "merged"),
    ("a DataFrame", _as_data_frames, lambda _: False),
    ("sql", _query, lambda _: False),
    ("the page", _page, lambda path: PurePosixPath(path).parts[0] == "page"),
    ("fetching", _pull, lambda path: PurePosixPath(path).parts[0] == "pulled"),
    ("--replace", _replace, _is_of_the_run),
)
"""What is done with a run folder, and the paths that it may change; the last one is destructive."""
_N_FAST = 3


# The folders


@cache
def _root() -> Path:
    """One folder for all inputs of a process."""
    folder = Path(tempfile.mkdtemp(prefix="editgauge-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _lay_out(fields: Fields, root: Path) -> bool:
    """Make the run folder that the fields say, and the other folders; False where they say none."""
    for folder in os.scandir(root):
        shutil.rmtree(folder.path)
    for name, content in _OUTSIDE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    write_manifest(root / _NIGHT, Manifest(["run"], 0, [], [], 1.0, "000000", "2026-01-01T00:00:00+00:00"))
    run = root / "run"
    run.mkdir()
    for entry in fields[1:_MOST_FILES]:
        kind, _, rest = entry.partition(UNIT)
        name, _, content = rest.partition(UNIT)
        place = run / name
        if ".." in PurePosixPath(name).parts or name.startswith("/") or "\0" in name:
            continue  # A folder holds no such entry.
        with suppress(OSError, ValueError, UnicodeError, pa.ArrowException, TypeError, OverflowError, RecursionError):
            _make(kind, place, content)
    if not os.path.lexists(run / MANIFEST):
        (run / MANIFEST).write_bytes(fields[0].encode("utf-8", "surrogatepass"))
    return True


def _make(kind: str, place: Path, content: str) -> None:
    if kind not in ("rows", "file", "link", "pipe", "torn"):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(place) != (kind == "torn") or place.is_symlink() or place.parent.resolve() != place.parent:
        return  # Nothing is written through a link.
    if kind == "rows":
        _write_rows(place, json.loads(content))
    elif kind == "file":
        place.write_bytes(content.encode("utf-8", "surrogatepass"))
    elif kind == "link":
        place.symlink_to(content)
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        where, _, what = content.partition(" ")
        data, new = bytearray(place.read_bytes()), bytes.fromhex(what)
        at = len(data) - int(where) % (len(data) + 1)
        data[at : at + len(new)] = new
        place.write_bytes(data)


def _write_rows(place: Path, rows: object) -> None:
    """A Parquet file of rows, with the types that a run writes where these fit the values, and else any."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return
    schema = KINDS.get(place.parent.name)
    try:
        table = pa.Table.from_pylist(rows, schema=schema)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        table = pa.Table.from_pylist(rows)
    pq.write_table(table, place, compression="zstd")


def _tree(root: Path) -> Tree:
    """What is in a folder; links are not followed."""
    return dict(_entries(root, ""))


def _entries(folder: Path, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in os.scandir(folder):
        name = f"{prefix}{entry.name}"
        if entry.is_symlink():
            yield name, f"link to {os.readlink(entry.path)}"
        elif entry.is_dir():
            yield name, "folder"
            yield from _entries(Path(entry.path), f"{name}/")
        elif entry.is_file():
            yield name, Path(entry.path).read_bytes().decode("latin-1")
        else:
            yield name, "neither a file nor a folder"


def _changed(before: Tree, after: Tree) -> list[str]:
    """The paths that were added, removed or changed, in order."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))

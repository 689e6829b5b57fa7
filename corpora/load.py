"""Names, files, folders and hub names -> samples."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.sample import Sample
from corpora.segments import HUB, OnBad, Segment, file_segments, hub_segments, read_segment
from editcore.errors import UsageError, did_you_mean
from editcore.quoting import first_line, shown

DATA = Path(__file__).parent / "data"
BUNDLED = {"house": DATA / "house.parquet", "smoke": DATA / "smoke.jsonl"}
"""The bundled corpora, by name."""
DEFAULT = "house"
GENERATED, RECORDED, DEFECTS = "generated", "recorded", "defects"
CORPUS_NAMES = (*BUNDLED, DEFECTS, GENERATED, RECORDED)
"""The bundled corpora, the corpora that are built on demand, and the user's own folder."""
_LARGEST_CARD = 256 << 10
"""The most bytes of a dataset card that are read."""
_LONGEST_PATTERN = 200
_SUFFIXES = (".jsonl", ".parquet")
_HOW_TO_RECORD = "Write some there (editgauge import FORMAT LOGS -o FILE), or set EDITGAUGE_CORPORA."


def load(name: str | Path, *, skip_bad: bool = False, on_bad: OnBad | None = None) -> Iterator[Sample]:
    """The samples of a corpus, streamed in order.

    `name` is a bundled name (`house`, `smoke`), `generated` (built on demand), `recorded` (the user's own folder), a
    JSONL or Parquet file, a folder of such files with or without a dataset card, or `hub:owner/name`. Only the last
    one uses the network.

    A malformed sample raises SampleError with file and line; with `skip_bad` it is skipped and passed to `on_bad`.
    """
    report = (on_bad or (lambda _: None)) if skip_bad else None
    for segment in segments(name):
        for _, sample in read_segment(segment, on_bad=report):
            yield sample


def segments(name: str | Path) -> list[Segment]:
    """The segments of a corpus, in order. Raises UsageError if the corpus does not exist or is empty."""
    text = str(name)
    found = (
        hub_segments(text)
        if text.startswith(HUB)
        else [one for path in corpus_files(text) for one in file_segments(path)]
    )
    if not found:
        raise UsageError(f"{text} holds no samples", "Check that it was written completely, or name another corpus.")
    return found


def corpus_files(name: str) -> list[Path]:
    """The files of a corpus that is a name, a file or a folder. Raises UsageError if there are none."""
    if name in BUNDLED:
        return [BUNDLED[name]]
    if name == DEFECTS:
        from corpora.defects import defects_file

        return [defects_file()]
    if name == GENERATED:
        from corpora.generation.cached_corpus import generated_corpus_file

        return [generated_corpus_file()]
    path = _recorded_folder() if name == RECORDED else Path(name)
    if path.is_dir():
        found = _card_files(path) or sorted(
            file for file in path.iterdir() if file.suffix in _SUFFIXES and file.is_file()
        )
        if not found:
            tip = _HOW_TO_RECORD if name == RECORDED else "Name a folder or a file with samples."
            raise UsageError(f"The folder {path} holds no .jsonl or .parquet file", tip)
    elif path.is_file():
        found = [path]
    else:
        raise UsageError(
            f"There is no corpus {name!r}",
            f"{did_you_mean(name, CORPUS_NAMES)}"
            f"Give a file, a folder, hub:OWNER/NAME or one of: {', '.join(CORPUS_NAMES)}.",
        )
    for file in found:
        if file.suffix not in _SUFFIXES:
            raise UsageError(
                f"{file} is neither .jsonl nor .parquet",
                "Convert it to one JSON object per line, see corpora/README.md.",
            )
    return found


def named_files(names: Iterable[str]) -> list[Path]:
    """The files of named corpora; none for corpora of the hub."""
    return [file for name in names if not name.startswith(HUB) for file in corpus_files(name)]


def _recorded_folder() -> Path:
    """The folder in which the user keeps recorded corpora."""
    folder = Path(os.environ.get("EDITGAUGE_CORPORA") or Path.home() / ".local" / "share" / "editgauge" / "corpora")
    if not folder.is_dir():
        raise UsageError(f"There are no recorded corpora: {folder} does not exist", _HOW_TO_RECORD)
    return folder


def _card_files(folder: Path) -> list[Path]:
    """The files of the default configuration in a folder's dataset card; none without a card."""
    front = _front_matter(folder / "README.md")
    listed = _as_list(front.get("configs")) if isinstance(front, dict) else []
    configs = [config for config in listed if isinstance(config, dict)]
    if not configs:
        return []
    card = folder / "README.md"
    is_default = [config for config in configs if config.get("default") or config.get("config_name") == "default"]
    chosen = (is_default or configs)[0]
    if len(configs) > 1 and not is_default:
        names = ", ".join(name for config in configs if isinstance(name := config.get("config_name"), str))
        raise UsageError(f"{card} names several configurations ({shown(names)}) and no default", "Name a file instead.")
    patterns = [pattern for entry in _as_list(chosen.get("data_files")) for pattern in _patterns(entry)]
    found = sorted({path for pattern in patterns for path in _matching_paths(folder, pattern) if path.is_file()})
    if not found:
        raise UsageError(
            f"{card} names files that do not exist: {shown(', '.join(patterns))}", "Fetch them or fix the card."
        )
    root = folder.resolve()
    for file in found:
        if not file.resolve().is_relative_to(root):
            raise UsageError(
                f"{card} names {shown(file)}, which is not in the folder", "If it is meant, name that file itself."
            )
    return found


def _front_matter(card: Path) -> Any:
    """The YAML at the start of a dataset card; None without a card. Raises UsageError."""
    if not card.is_file():
        return None
    with card.open("rb") as file:
        text = file.read(_LARGEST_CARD).decode("utf-8", "replace").replace("\r\n", "\n")
    if not text.startswith("---\n") or "\n---" not in text[4:]:
        return None
    import yaml

    try:
        return yaml.safe_load(text[4 : text.index("\n---", 4)])
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise UsageError(f"The front matter of {card} is not YAML: {first_line(error)}", "Fix the card.") from None


def _matching_paths(folder: Path, pattern: str) -> Iterator[Path]:
    """The paths that a card's pattern matches; none for a pattern that leads outside, such as a URL."""
    parts = PurePosixPath(pattern).parts
    if ".." in parts or parts.count("**") > 1 or len(pattern) > _LONGEST_PATTERN or "\0" in pattern:
        return
    with suppress(ValueError, NotImplementedError, OSError):
        yield from folder.glob(pattern)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _patterns(entry: Any) -> list[str]:
    listed = _as_list(entry.get("path")) if isinstance(entry, dict) else [entry]
    return [pattern for pattern in listed if isinstance(pattern, str)]

"""The corpus built on first use, and the user's own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.generation import cached_corpus as making
from corpora.generation.build import BuildSettings
from corpora.load import corpus_files, load, segments
from editcore.errors import UsageError
from tests.corpora.mutators.documents import documents
from tests.samples import samples, write_jsonl


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for a small corpus of a small Python installation with one package in another language."""
    texts = documents()
    for name, text in {
        "stdlib/json.py": texts["json/decoder.py"],
        "stdlib/test/test_json.py": texts["json/decoder.py"],
        "stdlib/site-packages/textwrap.py": texts["textwrap.py"],
        "stdlib/site-packages/static/app.js": texts["src/rows.ts"],
        "stdlib/site-packages/static/app.min.js": texts["src/rows.ts"],
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    paths = {"stdlib": "stdlib", "include": "nowhere", "purelib": "stdlib/site-packages"}
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / paths[name]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(making, "N_SAMPLES", 40)
    return tmp_path / "cache" / "editgauge"


def test_it_is_made_once_and_says_so(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = list(load("generated"))
    assert len({one.id for one in found}) == len(found) == 40
    said = capsys.readouterr()
    assert (said.out, said.err.count("making the corpus generated, 40 samples: ")) == ("", 1)
    (path,) = cache.iterdir()
    written = path.stat().st_mtime_ns
    assert list(load("generated")) == found
    assert (path.stat().st_mtime_ns, capsys.readouterr().err) == (written, "")


def test_another_size_or_other_packages_are_another_corpus(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "build_corpus", lambda *_, **__: None)
    names = {making.generated_corpus_file().name}
    monkeypatch.setattr(making, "N_SAMPLES", 41)
    names.add(making.generated_corpus_file().name)
    monkeypatch.setattr(making, "distributions", list)
    names.add(making.generated_corpus_file().name)
    assert {path.name for path in cache.iterdir()} == names
    assert len(names) == 3


def test_what_is_interrupted_leaves_nothing_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_units: object, order: BuildSettings, *_: object, **__: object) -> None:
        assert order.total == 40
        raise KeyboardInterrupt

    monkeypatch.setattr(making, "build_corpus", interrupted)
    with pytest.raises(KeyboardInterrupt):
        making.generated_corpus_file()
    assert list(cache.iterdir()) == []


@pytest.mark.usefixtures("cache")
def test_the_sources_are_pythons_own_and_other_languages_of_packages() -> None:
    # Of patches, some have a second file beside the source.
    paths = {one.before[0].path for one in load("generated") if one.format == "str_replace"}
    assert paths == {"stdlib/json.py", "stdlib/site-packages/static/app.js"}


def test_recorded_corpora_lie_where_the_user_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITGAUGE_CORPORA", str(tmp_path / "mine"))
    with pytest.raises(UsageError, match="no recorded corpora") as caught:
        segments("recorded")
    assert "EDITGAUGE_CORPORA" in caught.value.tip
    (tmp_path / "mine").mkdir()
    with pytest.raises(UsageError, match=f"The folder {tmp_path / 'mine'} holds no") as caught:
        segments("recorded")
    assert "editgauge import" in caught.value.tip
    write_jsonl(tmp_path / "mine" / "a.jsonl", samples(2))
    assert list(load("recorded")) == samples(2)


def test_without_settings_recorded_corpora_lie_in_the_users_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDITGAUGE_CORPORA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".local/share/editgauge/corpora"
    folder.mkdir(parents=True)
    (folder / "mine.jsonl").touch()
    assert corpus_files("recorded") == [folder / "mine.jsonl"]

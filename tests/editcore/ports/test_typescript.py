"""The port to TypeScript: what it says of itself, and, where a compiler is found, what it answers and installs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from docs.specification import numbers
from editcore.cascade import RECOMMENDED
from editcore.text.keys import folded
from harness.conform.kit import VERSIONS, cases
from tests.harness.program import ROOT

PORT = ROOT / "editcore" / "ports" / "typescript"
SOURCES = {
    str(path.relative_to(PORT / "src")): path.read_text(encoding="utf-8")
    for path in sorted((PORT / "src").rglob("*.ts"))
}
README = (PORT / "README.md").read_text(encoding="utf-8")
_CONSTANT = re.compile(r"^(?:export )?const ([A-Z_]+) = ([\d_]+(?:\.\d+)?);", re.MULTILINE)
_OTHER_NAMES = {"MOST_CANDIDATES": "MAX_CANDIDATES", "MOST_DIFFERING": "DIFFERING", "MOST_UNKNOWN": "UNKNOWN"}
_MODULES = {
    "types.ts": "errors", "line_index.ts": "text.line_index", "patches/entities.ts": "patches.other_readings",
    "stale/kept.ts": "stale.kept",
}  # fmt: skip
_ELSEWHERE = {"MAX_CANDIDATES": "types", "LEAST_SCORE": "tiers.advice"}
_OWN = {"MOST_COUNTS"}
"""Numbers of a cache that Python has in another form."""
_RULES = ("cascade/recommended", "begin_patch/lenient", "unified_diff/tolerant", "stale/recommended")


def test_it_depends_on_nothing() -> None:
    package = json.loads((PORT / "package.json").read_text(encoding="utf-8"))
    assert not {"dependencies", "peerDependencies", "optionalDependencies"} & package.keys()
    assert not re.search(r"\} from \"(?!\.{1,2}/)", "".join(SOURCES.values()))


def test_its_versions_and_its_tiers_are_those_of_the_rules() -> None:
    text = SOURCES["recommended.ts"]
    table = text[text.index("export const TIERS") : text.index("export const VERSION")]
    assert tuple(re.findall(r"^  (\w+)[,:]", table, re.MULTILINE)) == RECOMMENDED.order
    assert f'export const VERSION = "{RECOMMENDED.version}";' in text
    assert re.findall(r"`(\w+/\w+)` \| (\d+) \|", README) == [(rule, VERSIONS[rule]) for rule in _RULES]


def test_its_modules_for_patches_and_stale_edits_are_named_as_in_python() -> None:
    mirrored = [name for name in SOURCES if name.startswith(("patches/", "stale/")) and name not in _MODULES]
    assert len(mirrored) > 25
    assert [name for name in mirrored if not (ROOT / "editcore" / name).with_suffix(".py").is_file()] == []
    assert [name for name, text in SOURCES.items() if text.count("\n") > 400] == []


def test_its_numbers_are_those_of_the_rules() -> None:
    known = numbers()
    n_compared = 0
    for file, text in SOURCES.items():
        for name, value in _CONSTANT.findall(text):
            if name not in _OWN:
                n_compared += 1
                assert float(value) == _number(file, name, known), f"{file}: {name}"
    assert n_compared > 80


def _number(file: str, name: str, known: Mapping[str, float]) -> float:
    """The number of a constant, in the module that a file mirrors, or in the specification."""
    is_mirrored = "/" in file or file in _MODULES or file == "diagnosis.ts"
    if not is_mirrored:
        return known[_OTHER_NAMES.get(name, name)]
    module = _ELSEWHERE.get(name) or _MODULES.get(file) or file.removesuffix(".ts").replace("/", ".")
    there = vars(import_module(f"editcore.{module}"))
    return float(there[name] if name in there else there[f"_{name}"])


def test_its_fold_is_that_of_the_rule() -> None:
    text = SOURCES["text.ts"]
    table = text[text.index("const ALIKE") : text.index("const FOLDED")]
    rows = re.findall(r'\["?\'?(.*?)["\']?, "((?:\\u[0-9a-f]{4})+)"\]', table)
    assert len(rows) == 6
    for plain, others in rows:
        for code in re.findall(r"\\u([0-9a-f]{4})", others):
            assert folded(chr(int(code, 16))).strip("'\"") == plain.strip("'\""), code


def test_no_pattern_is_tried_again_within_a_run() -> None:
    """A pattern like `/ +$/` is quadratic in a run of spaces within a text, since it may begin at each of them."""
    lines = [line for text in SOURCES.values() for line in text.split("\n") if re.search(r"[^`][+*]\$[/`|)]", line)]
    assert [line for line in lines if not re.search(r"[/`(]\^", line)] == []


# Where a compiler is found


def _compiler() -> list[str]:
    """The command of a compiler, without a network: `tsc`, or what npx has in its cache. Skips the test without one."""
    if missing := [name for name in ("node", "npm", "npx") if not shutil.which(name)]:
        pytest.skip(f"the port is neither built nor installed: there is no {missing[0]}")
    if shutil.which("tsc"):
        return ["tsc"]
    cached = ["npx", "--offline", "--yes", "-p", "typescript", "tsc"]
    if subprocess.run([*cached, "--version"], capture_output=True, check=False).returncode:
        pytest.skip("the port is neither built nor installed: there is no tsc, and npx has none in its cache")
    return cached


def _done(command: Sequence[str | Path], folder: Path, text: str = "") -> str:
    done = subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True, timeout=300, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with its compiled code."""
    compiler = _compiler()
    folder = tmp_path_factory.mktemp("port") / "package"
    shutil.copytree(PORT, folder, ignore=shutil.ignore_patterns("dist", "node_modules"))
    _done([*compiler, "-p", "."], folder)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path) -> Path:
    """An empty folder into which the packed package was installed."""
    packed = json.loads(_done(["npm", "pack", "--json", "--offline"], built))[0]
    assert {"dist/index.js", "dist/index.d.ts", "dist/port.js", "README.md"} <= {one["path"] for one in packed["files"]}
    folder = built.parent / "empty"
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true, "type": "module"}', encoding="ascii")
    _done(["npm", "install", built / packed["filename"], "--offline", "--no-audit", "--no-fund"], folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("rule", _RULES)
def test_it_answers_the_kit_as_the_rule_does(built: Path, rule: str) -> None:
    asked = [case for case in cases() if case["rule"] == rule]
    fields = ("id", "format", "before", "edits", "patch", "seen")
    requests = "".join(json.dumps({name: case[name] for name in fields if name in case}) + "\n" for case in asked)
    answers = [json.loads(line) for line in _done(["node", "dist/port.js"], built, requests).split("\n")[:-1]]
    assert len(answers) == len(asked) > 250
    for case, answer in zip(asked, answers, strict=True):
        assert _known(answer) == _known(case["expected"]), case["id"]


def _known(answer: dict) -> dict:  # type: ignore[type-arg]
    """The parts of an answer that a port shares, its files by path."""
    found = {name: answer[name] for name in ("status", "reason", "replacer") if name in answer}
    return found | {"after": {one["path"]: one["content"] for one in answer.get("after", ())}}


@pytest.mark.slow
def test_the_examples_of_its_readme_compile_and_print_what_they_say_from_an_installed_package(installed: Path) -> None:
    examples = re.findall(r"```ts\n(.*?)```", README, re.DOTALL)
    assert len(examples) == 4
    names = {"replace", "applyBeginPatch", "applyUnifiedDiff", "seen"}
    assert all(any(name in example for example in examples) for name in names)
    globals_ = "declare const console: { log(...values: unknown[]): void };\n"
    for n, example in enumerate(examples):
        (installed / f"example{n}.ts").write_text(f"{globals_}{example}", encoding="utf-8")
    options = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", ""]
    _done([*_compiler(), *options, *(f"example{n}.ts" for n in range(len(examples)))], installed)
    for n, example in enumerate(examples):
        said = [line.removeprefix("// ") for line in example.split("\n") if line.startswith("// ")]
        printed = [line for line in _done(["node", f"example{n}.js"], installed).split("\n") if line]
        assert printed == said


@pytest.mark.slow
def test_a_wrong_type_does_not_compile_against_an_installed_package(installed: Path) -> None:
    """Types are exported: an option that there is not is an error of the compiler."""
    imported = 'import { type FilesResult, applyEdits, applyBeginPatch } from "editcore-recommended";\n'
    right = 'const found: FilesResult = applyBeginPatch(new Map(), "");\nexport { found };'
    wrong = 'export const found = applyEdits("", [], { sen: "" });'
    options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--types", ""]
    for body, code in ((right, 0), (wrong, 1)):
        (installed / "typed.ts").write_text(imported + body, encoding="utf-8")
        done = subprocess.run([*_compiler(), *options, "typed.ts"], cwd=installed, capture_output=True, check=False)
        assert bool(done.returncode) == bool(code), done.stdout


@pytest.mark.slow
def test_an_installed_program_speaks_the_protocol(installed: Path) -> None:
    request = {
        "id": "1", "format": "str_replace", "before": [{"path": "a", "content": "x\n"}],
        "edits": [{"old_string": "x", "new_string": "y"}],
    }  # fmt: skip
    [answer] = _done(["npx", "--offline", "editcore-port"], installed, json.dumps(request) + "\n").splitlines()
    assert json.loads(answer)["after"] == [{"path": "a", "content": "y\n"}]

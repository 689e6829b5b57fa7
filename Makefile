# Everything runs from here; each target installs what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Bytecode is kept: compiling every module anew in each process takes a fourth of the time of the tests.
unexport PYTHONDONTWRITEBYTECODE
READY := $(VENV)/.ready

.PHONY: run test test-of-harness test-of-the-rest test-slow coverage fuzz oracle interval-coverage finder-bench mutants lint bench docs study wheel lock clean
.DEFAULT_GOAL := run

run: $(READY)  ## score strategies on the corpus that ships and write the page; ALL=1 scores every one
	$(BIN)/editgauge run -o runs/latest --replace $(if $(ALL),--all)
	$(BIN)/editgauge report runs/latest

# Two plain processes, each with about half of the work: xdist's two workers would collect all tests each, and tell each step
# of a test to a third process, which costs a tenth more. What each half prints is shown when it is done.
test: $(READY)  ## the test suite, the same inputs each time
	$(MAKE) --no-print-directory --keep-going --jobs=2 --output-sync test-of-harness test-of-the-rest

# Memory that is freed is kept for the next test: giving it back and asking anew takes a tenth of the time.
test-of-harness test-of-the-rest: export MALLOC_TRIM_THRESHOLD_ := 268435456
test-of-harness test-of-the-rest: export MALLOC_MMAP_THRESHOLD_ := 268435456

test-of-harness:
	$(BIN)/python -m pytest tests/harness

test-of-the-rest:
	$(BIN)/python -m pytest --ignore=tests/harness

test-slow: $(READY)  ## what takes longer: clusters, installations, attacks, many more drawn inputs
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

coverage: $(READY)  ## the tests of editcore with more drawn inputs, and its coverage floor
	HYPOTHESIS_PROFILE=more $(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report=term tests/editcore tests/properties \
		tests/harness/fuzz/test_malformations.py tests/harness/fuzz/test_properties.py tests/corpora/mutators/patch \
		tests/harness/conform

fuzz: $(READY)  ## fuzz all targets for ten minutes; new findings are in fuzz/findings
	$(BIN)/editgauge fuzz nightly --seconds 600 -o fuzz

oracle: $(READY)  ## count what each strategy writes that was not meant; RUNS=N draws that many edits
	$(BIN)/python -m docs.oracle $(RUNS)

interval-coverage: $(READY)  ## how often intervals of rates hold the truth, on the repositories of CORPUS=FILE
	$(BIN)/python -m docs.interval_coverage $(CORPUS)

finder-bench: $(READY)  ## how fast `editgauge fuzz` finds bugs: of programs (ZOO=FOLDER: others), and in our code (BUGS=GLOB)
	$(BIN)/python -m tests.harness.fuzz.finder_bench.zoo.bench $(ZOO)
	$(if $(ZOO),,$(BIN)/python -m tests.harness.fuzz.finder_bench.bench $(BUGS))

mutants: $(READY)  ## changed lines of editcore that the tests let pass; takes half an hour
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mutants]'
	rm -rf mutants
	$(BIN)/mutmut run --max-children 2
	$(BIN)/python tests/mutants.py

lint: $(READY)  ## style, types, direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)  ## the replacers against their literal port, and the worst cases
	$(BIN)/editgauge bench

docs: $(READY)  ## write the generated parts of README.md and docs/, and the picture of the page
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.rule_pages

study: $(READY)  ## write the figures of docs/study.md; CORPUS=FILE adds a corpus of recorded edits
	$(BIN)/python -m docs.study $(CORPUS)
	$(if $(SHELL_EDITS),$(BIN)/python -m docs.shell_edits $(SHELL_EDITS))

wheel: $(READY)  ## build the wheel of editgauge into dist/
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

lock: $(READY)  ## pin the newest versions
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --upgrade --no-header --no-annotate --all-extras pyproject.toml -o constraints.txt

# uv, fetched by pip, installs in seconds; plain pip is the way where uv cannot be had.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv || true
	if [ -x $(BIN)/uv ]; then $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev]'; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'; fi
	touch $@

clean:
	rm -rf $(VENV) runs mutants .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage

# Each target installs what it needs into .venv, and again when pyproject.toml or constraints.txt
# change: .venv/ready is what grading needs, .venv/dev the tests and checks, .venv/docs the site.

PYTHON ?= python3
RUN := .venv/bin/python
SUBMISSION = tests/submissions/half_finished
OUT ?= out
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# This folder comes first on the path, whatever is installed.
export PYTHONSAFEPATH =

.DEFAULT_GOAL := help
.NOTPARALLEL: # two pips must not write into .venv at once
.PHONY: help grade test check lint types sync verify handout site campaign bench clean

help:
	@echo "make help                 this list; PYTHON=python3.12 uses another Python than python3"
	@echo "make grade SUBMISSION=…   grades a folder, zip or tar into OUT=out; by default a half-finished one"
	@echo "make test                 this repository's own tests; TESTS=… some files, LONG=1 every case"
	@echo "make check                lint, format, types, handout in sync"
	@echo "make verify               is the reference correct, are the tests strict? SAMPLE=n tries less"
	@echo "make handout              builds handout/ from solutions/, assignment/ and tests/public/"
	@echo "make site                 builds the write-up as a site and as a PDF, into build/"
	@echo "make campaign NAME=…      what takes long: attacks, fuzzing, mutants; without NAME lists them"
	@echo "make bench                how fast the grader is, compared with plain pytest"
	@echo "make clean                removes the files of other targets, except .venv"

grade: .venv/ready
	@$(RUN) -m grader grade "$(SUBMISSION)" --out "$(OUT)"

# One process more than there are cores: some tests wait. A module mostly stays in one process: each
# module starts judges.
test: PROCESSES = $(shell expr $$(nproc) + 1)
# A thread that waits for others keeps no core busy.
test campaign: export OMP_WAIT_POLICY = passive
test: .venv/dev .venv/docs
	$(RUN) -m pytest -n $(if $(TESTS),0,$(PROCESSES)) --dist worksteal $(if $(LONG),-m "") $(TESTS)

verify: .venv/dev
	@$(RUN) -m grader author verify $(if $(SAMPLE),--sample $(SAMPLE))

handout: .venv/dev
	@$(RUN) -m grader author handout

site: .venv/docs
	@$(RUN) -m grader author site

check: lint types sync

lint: .venv/dev
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: .venv/dev .venv/docs
	$(RUN) -m mypy

sync: .venv/dev
	$(RUN) -m grader author handout --check

bench: .venv/ready
	@$(RUN) tests/benchmarks/bench.py
	@$(RUN) -m tests.benchmarks.watch

campaign: .venv/dev .venv/docs
	@$(RUN) -m tests.campaigns $(NAME) $(ARGS)

clean:
	rm -rf out build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path '*/.venv/*' -prune -exec rm -rf {} +

# `unfinished` becomes `ready` when a setup is complete. A setup that was interrupted starts with a
# new .venv; one whose inputs changed installs only what is new. One with neither file is not ours.
.venv/ready: pyproject.toml constraints.txt
	@command -v "$(PYTHON)" >/dev/null || { \
		echo "$(PYTHON) is not installed. This needs Python 3.11 or newer; name yours: make PYTHON=python3.12 …" >&2; exit 1; }
	@"$(PYTHON)" -c "import sys; sys.exit(sys.version_info < (3, 11) and 'This needs Python 3.11 or newer, and $(PYTHON) is ' + sys.version.split()[0] + '. Name a newer one: make PYTHON=python3.12 …')"
	@if test -L .venv || { test -e .venv && ! test -e .venv/ready && ! test -e .venv/unfinished; }; then \
		echo ".venv was not made by make, which leaves it alone. Rename it: then make makes its own." >&2; exit 1; fi
	@echo "Setting up .venv. The first time this takes some minutes: torch is large."
	@test ! -e .venv/unfinished || rm -rf .venv
	@mkdir -p .venv && touch .venv/unfinished
	@test -x $(RUN) || "$(PYTHON)" -m venv .venv
	@$(RUN) -m pip install --quiet -c constraints.txt -e .
	@mv .venv/unfinished .venv/ready

# The extra of the same name. If pip fails, what was ready stays so; an interrupted pip may leave
# half a package, so then the next setup starts with a new .venv.
.venv/dev .venv/docs: .venv/ready
	@echo "Installing $(if $(filter %dev,$@),the tools for tests and checks,pandoc and typst for the text) into .venv"
	@trap 'exit 130' HUP INT TERM; mv .venv/ready .venv/unfinished; \
		$(RUN) -m pip install --quiet -c constraints.txt -e '.[$(@F)]' || { mv .venv/unfinished .venv/ready; exit 1; }; \
		mv .venv/unfinished .venv/ready; touch $@

# Each target installs what it needs into .venv, and again when pyproject.toml or constraints.txt
# change: .venv/ready is what grading needs, .venv/dev the tests and checks, .venv/docs the site.

PYTHON ?= python3
RUN := .venv/bin/python
SUBMISSION = tests/harness/submissions/half_finished
OUT ?= out
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# This folder comes first on the path, whatever is installed.
export PYTHONSAFEPATH =

.DEFAULT_GOAL := help
.NOTPARALLEL: # two pips must not write into .venv at once
.PHONY: help grade test load matrix attack layers faults endurance hangs verify soak mutate flakes draws teaching fuzz handout site figures pictures check check-coverage lint types sync bench races gpu clean

help:
	@echo "make grade SUBMISSION=…   grades a folder, zip or tar into OUT=out; by default a half-finished one"
	@echo "make test                 this repository's own tests; LONG=1: all cases of those that take long;"
	@echo "                          TESTS=… only some files, which start in seconds"
	@echo "make load RUNS=5 BUSY=0   the same tests RUNS times, beside BUSY busy processes; STOPS=1: on a"
	@echo "                          machine that stops for up to 5 s at any instruction"
	@echo "make matrix PYTHONS=…     the same tests in six environments: processors, threads, Pythons; an hour"
	@echo "make attack               every hostile submission in every tier"
	@echo "make layers               every attack again, each time with one layer of isolation off"
	@echo "make faults FAULTS=20     kills the grader's processes at random points of gradings"
	@echo "make endurance            1,000 gradings by one judge: are all marks right, is nothing left behind?"
	@echo "make hangs                code that hangs in every function: does each grading end in time, with the same states?"
	@echo "make verify               is the reference correct, are the tests strict, is the handout in sync?"
	@echo "make soak                 grades the correct solutions 50 times, with new inputs each time"
	@echo "make mutate SAMPLE=…      makes small changes of the reference, all or SAMPLE of them: do hidden tests notice?"
	@echo "make flakes NONCES=…      runs the hidden tests on every correct solution with random inputs: do all pass?"
	@echo "make draws                grades every wrong submission with ten draws of inputs: are the marks the same?"
	@echo "make teaching             of the wrong submissions, how many fail a public test too?"
	@echo "make fuzz FRAMES=…        sends millions of malformed frames to the judge's protocol decoder, and"
	@echo "                          ANSWERS=… valid answers of extreme shape to the hidden tests"
	@echo "make handout              builds handout/ from solutions/, assignment/ and tests/public/"
	@echo "make site                 builds the write-up as a site and as a PDF, into build/"
	@echo "make figures              redraws the write-up's figures"
	@echo "make pictures             makes the pictures of README.md anew; needs Chromium"
	@echo "make check                lint, format, types, handout in sync"
	@echo "make check-coverage       do hidden tests execute every line and branch of the reference?"
	@echo "make bench                how fast the grader is, compared with plain pytest"
	@echo "make races                how exact races are on this CPU, for programs of known ratio"
	@echo "make gpu                  what a CUDA device shows, in eight minutes; DEVICE=cpu rehearses it"
	@echo "make clean                removes the files of other targets, except .venv"
	@echo
	@echo "To use another Python than python3: make PYTHON=python3.12 …"

grade: .venv/ready
	@$(RUN) -m grader grade "$(SUBMISSION)" --out "$(OUT)"

# One process more than there are cores: some tests wait. A module mostly stays in one process: each
# module starts judges.
test: PROCESSES = $(shell expr $$(nproc) + 1)
# A thread that waits for others keeps no core busy.
test: export OMP_WAIT_POLICY = passive
test: .venv/dev .venv/docs
	$(RUN) -m pytest -n $(if $(TESTS),0,$(PROCESSES)) --dist worksteal $(if $(LONG),-m "") $(TESTS)

load: .venv/dev .venv/docs
	@$(RUN) -m tests.harness.campaigns.gates load --runs $(or $(RUNS),5) --busy $(or $(BUSY),0) \
		--slow $(or $(SLOW),1) $(if $(STOPS),--stops) $(TESTS)

# PYTHONS=… are versions, commands or paths; a virtual environment is used as it is. Writes to
# build/matrix.
matrix: .venv/ready
	@$(RUN) -m tests.harness.campaigns.gates matrix $(if $(PYTHONS),--pythons $(PYTHONS) --) $(TESTS)

# Half an hour on two cores. `make test` runs every tenth of each class in tier A, two in B- and C.
attack: .venv/dev
	ALL_ATTACKS=1 $(RUN) -m pytest -n auto -m "" tests/harness/hostile tests/harness/pack \
		tests/harness/races tests/harness/sandbox tests/harness/worker

# An hour and a half on two cores.
layers: .venv/dev
	@$(RUN) -m tests.harness.hostile.switch_off

faults: .venv/dev
	FAULTS=$(or $(FAULTS),20) $(RUN) -m pytest -n auto -m "" tests/harness/judge/test_faults.py \
		tests/harness/judge/test_faults_in_calls.py tests/harness/test_signals.py

# About a quarter of an hour.
endurance: .venv/ready
	@$(RUN) -m tests.harness.campaigns.endurance --gradings $(or $(GRADINGS),1000)

# Three quarters of an hour on two cores.
hangs: .venv/ready
	@$(RUN) -m tests.harness.campaigns.hangs $(if $(BUDGET),--budget $(BUDGET))

verify: .venv/dev
	@$(RUN) -m grader verify $(if $(SAMPLE),--sample $(SAMPLE))

soak: .venv/dev
	@$(RUN) -m grader verify --kind reference --kind alternative --nonces 50

# All mutants take some twelve minutes on two cores. MODULES=… selects modules.
mutate: .venv/dev
	@$(RUN) -m grader mutate $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(MODULES)

# 1,000 nonces and 100,000 test runs take half an hour on two cores. RUNS=… changes the number:
# REFERENCE=1 RUNS=10000000 runs every test with every nonce on the reference, in some five hours.
# SEED=… FIRST=… continue an interrupted campaign.
flakes: .venv/ready
	@$(RUN) -m grader flakes $(if $(NONCES),--nonces $(NONCES)) $(if $(RUNS),--runs $(RUNS)) \
		$(if $(SEED),--seed $(SEED)) $(if $(FIRST),--first $(FIRST)) $(if $(REFERENCE),--reference)

# About half an hour on two idle cores. NAMES=… selects files, without .py. Each run draws other
# nonces, and prints their SEED.
draws: .venv/ready
	@$(RUN) -m grader draws $(NAMES) $(if $(NONCES),--nonces $(NONCES)) $(if $(SEED),--seed $(SEED))

# Some four minutes on one core.
teaching: .venv/ready
	@$(RUN) -m grader teaching

# Ten million frames take half an hour on one core; findings are written to build/fuzz. 50,000
# answers take half an hour on two cores.
fuzz: .venv/dev
	@$(RUN) -c "import atheris" 2>/dev/null || $(RUN) -m pip install --quiet -c constraints.txt -e '.[fuzz]'
	@$(RUN) -m tests.fuzz.wire $(if $(FRAMES),--frames $(FRAMES)) $(if $(SEED),--seed $(SEED))
	@$(RUN) -m tests.fuzz.answers $(if $(ANSWERS),--answers $(ANSWERS))

handout: .venv/dev
	@$(RUN) -m grader handout

site: .venv/docs
	@$(RUN) -m grader site

figures: .venv/docs
	@$(RUN) -m grader site --figures

pictures: .venv/dev
	@$(RUN) -m grader pictures

check: lint types sync

# Do hidden tests execute every line and branch of the reference? Some two minutes.
check-coverage: .venv/dev
	@mkdir -p build
	$(RUN) -m coverage run -m pytest -q tests/hidden
	$(RUN) -m coverage report

lint: .venv/dev
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: .venv/dev .venv/docs
	$(RUN) -m mypy

sync: .venv/dev
	$(RUN) -m grader handout --check

bench: .venv/ready
	@$(RUN) tests/benchmarks/bench.py
	@$(RUN) -m tests.benchmarks.watch

# About twenty minutes on an idle machine.
races: .venv/ready
	@$(RUN) -m tests.benchmarks.races

gpu: .venv/ready
	@$(RUN) -m tests.benchmarks.gpu $(if $(DEVICE),--device $(DEVICE))

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

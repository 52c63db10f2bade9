# Every target sets itself up; `make demo` and `make test` are all a newcomer needs.
SHELL := /bin/bash
VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help demo test test-fast test-slow check format bench bench-scale golden docs faults sweep fuzz mutate reallab clean
help:
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

$(STAMP): pyproject.toml scripts/setup
	@scripts/setup $(VENV)

demo: $(STAMP)  ## lint, configure, break, catch and prove a simulated fabric
	@scripts/demo

test: $(STAMP)  ## all tests, also the slow ones and those that need system packages
	@scripts/system-packages
	$(BIN)/pytest -n auto --dist loadgroup

test-fast: $(STAMP)  ## tests that take no more than seconds each, under two minutes
	$(BIN)/pytest -n auto --dist loadgroup -m "not slow"

test-slow: $(STAMP)  ## only the slow tests
	$(BIN)/pytest -n auto --dist loadgroup -m slow

check: $(STAMP)  ## format, lint, types, structure, stale generated files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/yamllint -s .
	$(BIN)/pytest -q -p no:cacheprovider tests/structure
	$(BIN)/python -m scripts.generate --check

format: $(STAMP)  ## put the code into form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(STAMP)  ## write the generated pages again
	$(BIN)/python -m scripts.generate

golden: $(STAMP)  ## write the golden configurations again; read every changed line
	for platform in cumulus eos nxos onyx sonic; do $(BIN)/python -m tests.platforms.$$platform.regenerate_golden; done

bench: $(STAMP)  ## figures beside peers, into benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.parts
	$(BIN)/python -m benchmarks.bundles
	$(BIN)/python -m benchmarks.peers

bench-scale: $(STAMP)  ## 6,000 switches linted and rendered, 1,000 verified, 1,000 hosts read, faults located (40 min)
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.snapshot
	$(BIN)/python -m benchmarks.subnet
	$(BIN)/python -m benchmarks.schedules
	$(BIN)/python -m benchmarks.counters
	$(BIN)/python -m benchmarks.located

faults: $(STAMP)  ## verdict and first suspect of each fault of the table (2 to 4 min)
	NETCHECK_FAULTS=all $(BIN)/pytest tests/perf/test_fault_table.py

sweep: $(STAMP)  ## delete and cut every line of every snapshot (30 min on 2 cores)
	NETCHECK_SWEEP=all $(BIN)/pytest -n auto --dist loadgroup tests/chain/test_sweep.py

fuzz: $(STAMP)  ## parsers under mutation of real outputs, ten minutes a platform
	$(BIN)/python -m tests.fuzz.run

mutate: $(STAMP)  ## one knob of a correct fabric changed at a time; what harms traffic must be found
	$(BIN)/python -m tests.mutation.run --put

reallab: export NETCHECK_REAL_LAB ?= yes
reallab: $(STAMP)  ## soft-RoCE in two virtual machines (5 min on 2 cores)
	@scripts/system-packages
	$(BIN)/pytest tests/reallab -v -rs --durations=0 --durations-min=1

clean:  ## remove what was built
	rm -rf $(VENV) dist build .lab .pytest_cache .mypy_cache .ruff_cache .hypothesis

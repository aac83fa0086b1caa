# Two commands on a fresh machine with Python 3.11 or newer and make: `make demo`, `make test`.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-from-lock

.PHONY: demo full ui test fuzz check bench install clean-data help

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(STAMP) ## create .venv with the pinned set

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("enact_assets needs Python 3.11 or newer; set PYTHON=..." if sys.version_info < (3, 11) else 0)'
	@echo "Installing the pinned packages into $(VENV) (about a minute after downloads) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(STAMP) ## materialize a few embedded demonstrations and settings, show the leaderboard
	@$(BIN)/enact-assets demo

full: $(STAMP) ## materialize every demonstration and setting of the registry: an hour or more
	@$(BIN)/enact-assets materialize

ui: $(STAMP) ## open the Dagster UI on what was materialized
	@$(BIN)/enact-assets ui

test: $(STAMP) ## the test suite: no GPU, no network, no key
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

FUZZ_CASES ?= 1000
fuzz: $(STAMP) ## damaged and hostile files; FUZZ_CASES=8000 runs 100,000 of them in half an hour
	@ENACT_FUZZ_CASES=$(FUZZ_CASES) $(BIN)/python -m pytest -m slow tests/fuzz

check: $(STAMP) ## lint, formatting, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP) ## print the figures of BENCHMARKS.md
	$(BIN)/python -m benchmarks

lock: ## resolve requirements.lock anew from pyproject.toml
	uv pip compile --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links \
	  --no-annotate --no-header --extra simulator --extra video --extra ui --extra distributed --extra dev pyproject.toml -o requirements.lock

clean-data: ## remove what was materialized, not the environment
	rm -rf data

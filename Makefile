# Two commands on a fresh machine with Python 3.11 or newer and make: `make demo`, `make test`.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-from-lock
# Slow tests have their own environment, so that quick ones do not install its packages.
VENV_ALL := .venv-all
BIN_ALL := $(VENV_ALL)/bin
STAMP_ALL := $(VENV_ALL)/.installed-from-lock
# Models that run and are trained in this process: PyTorch is gigabytes, so only their tests install it.
VENV_LOCAL := .venv-local
BIN_LOCAL := $(VENV_LOCAL)/bin
STAMP_LOCAL := $(VENV_LOCAL)/.installed-from-lock
LOCAL_TESTS := tests/answers/models/test_local_models.py tests/commands/training/test_trl.py
# Tools that read what is exported: each wants other versions of the same packages.
TOOLS := datasets lmms-eval vlmevalkit verifiers
STAMPS_TOOLS := $(TOOLS:%=.venv-%/.installed-from-lock)
# Without bytecode on disk, every process of a test would compile all packages anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo full ui test test-all test-local install-tools mutants fuzz campaign next-dagster check check-defs bench docs pictures install install-all install-local install-programs install-rest lock clean-data help

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(STAMP) ## create .venv with the pinned set

install-all: $(STAMP_ALL) ## create .venv-all: the same, and what only slow tests and `make docs` need

install-local: $(STAMP_LOCAL) ## create .venv-local: the same as .venv, with PyTorch and Transformers

install-tools: $(STAMPS_TOOLS) ## create .venv-datasets, .venv-lmms-eval, .venv-vlmevalkit, .venv-verifiers, for tests of exports (6 GB)

define new_environment
@rm -f $@
@$(PYTHON) -c 'import sys; sys.exit("enact_assets needs Python 3.11 or newer; set PYTHON=..." if sys.version_info < (3, 11) else 0)'
@$(PYTHON) -m venv $(@D)
endef

$(STAMP): requirements.lock
$(STAMP_ALL): requirements-all.lock
$(STAMP) $(STAMP_ALL): pyproject.toml install.py
	@echo "Installing the pinned packages into $(@D) (half a minute after downloads) ..."
	$(new_environment)
	@$(@D)/bin/python install.py $(filter %.lock,$^)
	@touch $@

$(STAMP_LOCAL): requirements.lock requirements-local.lock pyproject.toml install.py
	@echo "Installing PyTorch, Transformers and TRL into $(@D) (with CUDA: 3 GB of downloads) ..."
	$(new_environment)
	@$(@D)/bin/python install.py requirements.lock
	@$(@D)/bin/python install.py --alone requirements-local.lock
	@touch $@

# Without dependencies, but for PyTorch's own: torchvision does not import beside PyTorch without CUDA.
$(STAMPS_TOOLS): .venv-%/.installed-from-lock: requirements-%.lock requirements.lock install.py
	@echo "Installing $* into $(@D) ..."
	$(new_environment)
	@$(@D)/bin/python install.py --alone $<
	@touch $@

demo: $(STAMP) ## materialize a few embedded demonstrations and settings, show the leaderboard
	@$(BIN)/enact-assets demo

full: $(STAMP) ## materialize every demonstration and setting of the registry: an hour or more
	@$(BIN)/enact-assets materialize --all

ui: $(STAMP) ## open the Dagster UI on what was materialized
	@$(BIN)/enact-assets ui

test: $(STAMP) ## the tests to run before a commit: no GPU, no network, no key
	@$(BIN)/python -m pytest -n 2

test-local: $(STAMP_LOCAL) ## tests of models that run in this process, with PyTorch on the CPU
	@$(BIN_LOCAL)/python -m pytest -n 0 -m "slow or not slow" $(LOCAL_TESTS)

install-programs: ## what tests need beside Python: Chromium, LLVM, LaTeX (as root, Debian's packages), axe-core, OmniGibson's source
	@PYTHON=$(PYTHON) .ci/install_programs

# What could not be installed is skipped, and what is skipped without standing in tests/skipped.toml fails.
install-rest: ## all that only slow tests need, some of it at once: a minute after downloads, 8 GB
	@$(MAKE) --no-print-directory --keep-going -j 3 install-all install-programs install-local $(STAMPS_TOOLS) || echo "Not all could be installed (see above)."

test-all: install-rest $(STAMP_ALL) ## every test, slow ones included, with more examples of each property; SEED=5 tries others
	@$(BIN_ALL)/python tests/all_tests.py --seed $(or $(SEED),0) $(if $(AFTER_QUICK),--after-quick)

mutants: $(STAMP) ## small faults that the tests must notice; MUTANTS=verifier tries those of one area
	@$(BIN)/python tests/mutants/run.py $(MUTANTS)

FUZZ_CASES ?= 1000
fuzz: $(STAMP) ## damaged and hostile files; FUZZ_CASES=8000 runs 100,000 of them in half an hour
	@ENACT_FUZZ_CASES=$(FUZZ_CASES) $(BIN)/python -m pytest -m slow tests/fuzz

# A tenth of the whole. KEEP=folder goes on with what is there, and adds up.
KILLS ?= 100
FAULTS ?= 30
CASES ?= 100000
campaign: $(STAMP_ALL) ## kills at random moments, faults and damaged files; afterwards all is as undisturbed
	@$(BIN_ALL)/python tests/campaign --kills $(KILLS) --faults $(FAULTS) --cases $(CASES) $(if $(KEEP),--keep $(KEEP))

next-dagster: $(STAMP) ## what the newest Dagster would change for us; lists, and never fails
	@$(BIN)/python tests/next_dagster.py

# What ruff has no rule for: modules hold one idea and are named for what they do.
check: $(STAMP) ## lint, formatting, plain words, types, import contracts
	@awk 'FNR == 601 { print FILENAME ": more than 600 lines"; bad = 1 } \
	  FNR == 1 && FILENAME ~ /[_\/](utils|helpers|manager|misc|common)[_.][^\/]*$$/ { print FILENAME ": a name for anything"; bad = 1 } \
	  END { exit bad }' $$(find enact_assets -name '*.py')
	@$(BIN)/python tests/plain_words.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(BIN)/python docs/make_all.py --older

# Makes what it can on the data root of `make demo`; ONLY="report settings" makes some.
pictures: $(STAMP) ## generated pictures and pages of the documentation anew: half an hour; says what it could not make
	@$(BIN)/python docs/make_all.py $(if $(ONLY),--only $(ONLY))

check-defs: $(STAMP_ALL) ## load the code location as `dg` does (ten seconds)
	DAGSTER_DISABLE_TELEMETRY=1 $(BIN_ALL)/dg check defs

docs: $(STAMP_ALL) ## build the documentation as a site; a broken link or reference is an error
	@echo "Building the site (a minute or two) ..."
	@$(BIN_ALL)/python docs/site/build_site.py

bench: $(STAMP) ## print the figures of BENCHMARKS.md
	$(BIN)/python -m benchmarks

RESOLVE := --resolve --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
  --no-annotate --no-header pyproject.toml --extra simulator --extra video --extra ui --extra dev --extra distributed
lock: ## resolve requirements.lock and requirements-all.lock anew from pyproject.toml
	$(BIN)/python install.py requirements.lock $(RESOLVE)
	$(BIN)/python install.py requirements-all.lock $(RESOLVE) --extra all-tests --extra docs --constraint requirements.lock

# By name: answers that were bought or imported, recordings and what a person wrote cannot be made again.
clean-data: ## remove what was materialized; not the environment, answers, recordings and your own files
	rm -rf $(addprefix data/,scope.yaml lake images lake_index report first_looks dagster enact.duckdb enact.duckdb.wal enact.duckdb.seal)

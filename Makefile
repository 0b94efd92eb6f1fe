# `make play` and `make test` are all a newcomer needs; the other targets are what they are made of.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8765
N ?= 2
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

LOCK := uv pip compile --quiet --universal --generate-hashes --python-version 3.11

.DEFAULT_GOAL := help
.PHONY: cluster help setup tools system-packages play test chaos bot-games lint format lock clean

help:
	@echo 'make play    start a server at http://$(HOST):$(PORT)/ and its bots (ARGS=--terminal: and play here)'
	@echo 'make cluster  start Redis, PostgreSQL, two nodes (N=2) and a balancer at http://$(HOST):$(PORT)/'
	@echo 'make test    check and test everything, installing what that needs'
	@echo 'make setup   make $(VENV) with the locked versions of what it takes to play'
	@echo 'make tools   add the locked versions of what the tests and checks need'
	@echo 'make chaos   break servers, workers, logs and networks under games in play for ten minutes; docs/reliability.md'
	@echo 'make bot-games   10,000 games of bots, after which nothing must be left'
	@echo 'make lint    style, types and import rules only'
	@echo 'make format  lay the code out and sort its imports'
	@echo 'make lock    bring the locks up to pyproject.toml (needs uv; ARGS=--upgrade: to the newest)'
	@echo 'make clean   remove what the above made, $(VENV) included'

setup: $(VENV)/.setup
tools: $(VENV)/.tools

# The search core is compiled here, so its source is a reason to set up again.
# A stamp is written last, so an interrupted installation is done again. A $(VENV) that does not start is remade.
$(VENV)/.setup: requirements-run.lock pyproject.toml setup.py $(wildcard bots/solver/*.py)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Euchre needs Python 3.11 or newer. If you have one, name it: make PYTHON=python3.12 …' >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --require-hashes --requirement requirements-run.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.tools: requirements.lock $(VENV)/.setup
	$(PIP) install --require-hashes --requirement requirements.lock
	@touch $@

system-packages:
	@scripts/install-system-packages.sh

play: setup
	@HOST=$(HOST) PORT=$(PORT) scripts/play.sh $(ARGS)

cluster: setup
	@$(BIN)/python scripts/cluster.py --nodes $(N) --host $(HOST) --port $(PORT) $(ARGS)

# Two runs, because a test marked "alone" measures time or kills processes and must not share the machine.
# Pytest's exit status 5, no such test, is fine for the first only.
test: tools system-packages lint
	$(BIN)/python -m pytest -m alone --cov --cov-report= || [ $$? -eq 5 ]
	$(BIN)/python -m pytest -m 'not alone' --numprocesses 2 --dist loadgroup --cov --cov-append --cov-report=term

# Everything that may break, 200 trials each, and what was found into the page.
chaos: tools
	$(BIN)/python -m tests.chaos --report docs/reliability.md $(ARGS)

# N8 of tests/e2e/server_cases.md in full; `make test` plays a part of them.
bot-games: tools
	EUCHRE_BOT_GAMES=10000 $(BIN)/python -m pytest tests/e2e/test_cases_process.py -k test_n8

lint: tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: tools
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

# The first lock is everything; the second the part of it that a player or a server needs.
lock:
	$(LOCK) $(ARGS) --all-extras pyproject.toml --output-file requirements.lock
	$(LOCK) $(ARGS) --extra build --constraints requirements.lock pyproject.toml --output-file requirements-run.lock

clean:
	rm -rf $(VENV) build *.egg-info bots/solver/*.so .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf .cluster .coverage .coverage.* test-results
	find bots clients engine protocol server tests -name __pycache__ -type d -exec rm -rf {} +

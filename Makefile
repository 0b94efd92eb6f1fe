# `make play` and `make test` are all a newcomer needs; the other targets are what they are made of.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8765
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# A lock says exactly what runs, so a resolver's habits are never taken from the machine it runs on.
LOCK := uv pip compile --universal --generate-hashes --python-version 3.11

.DEFAULT_GOAL := help
.PHONY: help setup play test lint system-packages lock clean

help:
	@echo 'make play    start a server on http://$(HOST):$(PORT) (ARGS=--terminal: and play in this terminal)'
	@echo 'make test    run every check and test'
	@echo 'make setup   make $(VENV) with the locked versions'
	@echo 'make lint    style, types and import rules only'
	@echo 'make lock    resolve the dependencies anew (needs uv)'
	@echo 'make clean   remove what the above made, $(VENV) included'

setup: $(STAMP)

# The stamp is written last, so an interrupted installation is done again; a venv whose interpreter is gone is remade.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'euchre needs Python 3.11 or newer; name one with: make PYTHON=python3.12 …' >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# The README's two commands. Both need Python 3.11+ with venv, make and a package index, nothing else.
#   make demo [PORT=4100]   set up, then run the proxy on embedded emulated upstreams
#   make test               set up, then run the tests
# And one that installs other people's programs from PyPI and npm under .clients (see docs/clients.md):
#   make test-clients [CLIENTS="codex opencode"]
# And one that puts a real inference server and a small model under .live, and asks it through toolwire:
#   make test-live
PYTHON ?= python3
VENV ?= .venv
PORT ?= 4100
PYTEST_ARGS ?= -n 2

BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check -q
SOURCES = pyproject.toml constraints.txt

.PHONY: demo test test-clients test-live lint chaos docs clean

demo: $(VENV)/.run
	@$(BIN)/python -m proxy serve --demo --tour --port $(PORT)

test: $(VENV)/.dev
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

test-clients: $(VENV)/.run
	@$(BIN)/python tests/clients/runner.py $(CLIENTS)

test-live: $(VENV)/.dev
	@$(BIN)/python tests/live/llama.py

chaos: $(VENV)/.dev
	@TOOLWIRE_CHAOS=1000 $(BIN)/python -m pytest -s tests/proxy/test_chaos.py

lint: $(VENV)/.dev
	@$(BIN)/ruff check . && $(BIN)/mypy

docs: $(VENV)/.dev
	@$(BIN)/python -m proxy.config.reference > docs/config.md
	@$(BIN)/python -m proxy.reference docs
	@$(BIN)/python -m tests.matrix.cannot_carry > docs/cannot-carry.md
	@$(BIN)/python tests/clients/page.py > docs/clients.md

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "toolwire needs Python 3.11 or newer: set PYTHON=python3.12 or the like")'
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(VENV)/bin/python $(SOURCES)
	@echo "Installing toolwire (half a minute) ..."
	@$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python $(SOURCES)
	@echo "Installing toolwire and its test tools (about a minute) ..."
	@$(PIP) install -c constraints.txt -e '.[dev,httpx]'
	@touch $@ $(VENV)/.run

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

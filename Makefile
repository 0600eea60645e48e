# Needs python3 (3.11 or newer), pip and make, nothing else: neither ensurepip nor a pip inside the
# environment. pip runs outside and is told which interpreter to install for.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two installs into one environment must never run at once, whatever -j says.
.NOTPARALLEL:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
# How many processes run the tests; auto: one a core.
JOBS ?= auto
comma := ,

# What an active environment or a user's pip settings export must not leak into this one.
unexport PIP_PREFIX PIP_TARGET PYTHONHOME PYTHONPATH VIRTUAL_ENV
export PIP_USER := 0
ifeq ($(HOME),)
# Without a home, pip and matplotlib would put their caches in the root folder.
export HOME := $(CURDIR)/$(VENV)
endif

# An environment knows where it stands: scripts hold absolute paths, and an editable install points
# at one tree. A moved or copied tree, or an interpreter that has gone, means a new environment.
define when_moved
$(shell test "`cat $(1)/.place 2>/dev/null`" = '$(CURDIR)' && $(1)/bin/python -c '' 2>/dev/null || echo rebuild)
endef

# $(call environment,FOLDER): an empty environment, without pip.
define environment
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
    echo "Privet needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version 2>/dev/null || echo missing`." \
         "Name another one, say: make setup PYTHON=python3.12" >&2; exit 1; }
@if test -e $(1)/.place || ! $(1)/bin/python -c '' 2>/dev/null; then \
    $(PYTHON) -m venv --clear --without-pip $(1); fi
@printf '%s\n' '$(CURDIR)' >$(1)/.place
endef

# $(call pip,FOLDER,ARGUMENTS): the first pip outside that can install for FOLDER. The active
# environment's python3 may have none, so the interpreter below it and Debian's are asked as well.
define pip
@for outer in $(PYTHON) "`$(PYTHON) -c 'import sys; print(sys._base_executable)'`" /usr/bin/python3; do \
    if "$$outer" -m pip --python $(1)/bin/python --version >/dev/null 2>&1; then \
        exec "$$outer" -m pip --python $(1)/bin/python --disable-pip-version-check --no-input -qq $(2); \
    fi; \
done; \
echo "No pip 22.3 or newer was found for $(PYTHON); on Debian: apt-get install python3-pip" >&2; exit 1
endef

# $(call install,EXTRAS): Privet itself, editable, built by the pinned backend; pyspark comes as
# source alone, which setuptools builds.
define install
@echo "installing privet[$(1)] into $(VENV)"
$(call pip,$(VENV),install -c constraints.txt hatchling editables setuptools)
$(call pip,$(VENV),install -c constraints.txt --no-build-isolation -e '.[$(1)]')
endef

.PHONY: help setup check lint unit test docs reference demo bench tables clean distclean rebuild

help:
	@echo 'make demo       set up what a user needs and run the walk-through'
	@echo 'make setup      the environment for development, nothing else'
	@echo 'make check      lint, types, layers and unit tests: under two minutes'
	@echo 'make test       set up, then everything that can fail'
	@echo 'make docs       the pages as a site, in docs/_build; make reference: its generated pages'
	@echo 'make bench      benchmarks, beside the peer libraries; ARGS=--write: into docs/benchmarks.md'
	@echo 'make tables     mechanisms compared; ARGS=--write: into their pages of docs'
	@echo 'make clean      remove caches and builds; distclean: the environments too'

setup: $(VENV)/.test
	@:

check: lint unit

lint: $(VENV)/.test
	@$(BIN)/ruff check -q
	@$(BIN)/ruff format --check -q
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

unit: $(VENV)/.test
	@$(BIN)/python -m pytest tests/unit

test: lint
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

reference: $(VENV)/.test
	@$(BIN)/python docs/generate.py

docs: $(VENV)/.test
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build
	@echo "docs/_build/index.html"

demo: $(VENV)/.runtime
	@$(BIN)/privet demo

bench: $(VENV)/.bench $(PEERS)/.installed
	@$(BIN)/python benchmarks/run.py --peers $(PEERS)/bin/python $(ARGS)

tables: $(VENV)/.test
	@$(BIN)/python benchmarks/feasible_words.py $(ARGS)
	@$(BIN)/python benchmarks/calibration_table.py $(ARGS)
	@$(BIN)/python benchmarks/flip_bound.py $(ARGS)
	@$(BIN)/python benchmarks/series.py $(ARGS)
	@$(BIN)/python benchmarks/accounting_tables.py $(ARGS)

clean:
	@rm -rf build dist docs/_build .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	@rm -rf $(VENV) $(PEERS)

# The environments. A stamp is as new as the last install that finished.

$(VENV)/.place: $(call when_moved,$(VENV))
	$(call environment,$(VENV))

$(VENV)/.runtime: $(VENV)/.place pyproject.toml constraints.txt
	$(call install,data$(comma)plots)
	@touch $@

# The wheel is read as a data file (sequences that Privet does not ship); its code is not installed.
$(VENV)/.test: $(VENV)/.place pyproject.toml constraints.txt
	$(call install,test)
	@rm -rf $(VENV)/inputs
	$(call pip,$(VENV),download -c constraints.txt -d $(VENV)/inputs --no-deps --only-binary :all: \
	    --python-version 3.11 sequenzo)
	@touch $(VENV)/.runtime $@

$(VENV)/.bench: $(VENV)/.place pyproject.toml constraints.txt
	$(call install,bench)
	@touch $(VENV)/.runtime $@

# The peers hold numpy back, so they live apart and are called as separate processes.
$(PEERS)/.place: $(call when_moved,$(PEERS))
	$(call environment,$(PEERS))

$(PEERS)/.installed: $(PEERS)/.place benchmarks/peers.txt
	@echo "installing the peer libraries into $(PEERS)"
# A peer that cannot be installed is a row of the table that says so; the next run tries again.
	-$(call pip,$(PEERS),install -r benchmarks/peers.txt)
	@if $(PEERS)/bin/python benchmarks/peers.py >/dev/null; then touch $@; fi

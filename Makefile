# Everything runs in .venv, which is made once and remade when the dependencies change.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: setup verify test bench reports lint clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $(READY)

# the main job: the paper's own instance
verify: $(READY)
	@mkdir -p reports
	$(BIN)/boundcheck verify paper --effort standard --output reports/paper-verdicts.md

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

bench: $(READY)
	for bench in benchmarks/bench_*.py; do $(BIN)/python $$bench || exit 1; done

# the committed verdict tables
reports: $(READY)
	@mkdir -p reports
	for name in paper paper-gaussian 5g-4g textbook; do \
	  $(BIN)/boundcheck verify $$name --effort standard --output reports/$$name-verdicts.md || exit 1; \
	done

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf .venv build *.egg-info

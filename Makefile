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

# the main job: cross-validate the paper's own instance and write its report
verify: $(READY)
	$(BIN)/boundcheck report paper --effort standard --output reports/paper

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

bench: $(READY)
	for bench in benchmarks/bench_*.py; do $(BIN)/python $$bench || exit 1; done

# everything in reports/: four instances, the audit, the paper's figures
reports: $(READY)
	$(BIN)/python -m boundcheck.report.rebuild reports

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf .venv build *.egg-info

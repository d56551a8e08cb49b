# Everything runs in .venv, which is made once and remade when the dependencies change.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: setup verify test quick test-browser golden frozen bench reports record slack docs certify lint package clean

QUICK := project/test_engine.py project/test_house.py project/test_public_names.py project/test_wording.py calculator simulation/test_numbers.py \
	theories/shareable_arms/test_formulas.py theories/shareable_arms/test_metamorphic.py language simulation/files/test_loader.py terminal/test_schema.py \
	proof_steps/test_proofs.py product/test_one_truth.py simulation/files/test_messy_data.py

setup: $(READY)

# The new environment is built beside the old one, which stays in use until the last moment: without
# a network, or interrupted, nothing is lost. What names its own place (scripts do) is told the final
# one before the two change places; a change that was cut in the middle is undone first.
$(READY): pyproject.toml constraints.txt
	@if [ -e .venv.old ] && [ ! -e .venv ]; then mv .venv.old .venv; fi
	$(PYTHON) -m venv --clear .venv.new
	.venv.new/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@grep -rlI --exclude-dir=site-packages '\.venv\.new' .venv.new | xargs sed -i.bak 's|\.venv\.new|.venv|g'
	@find .venv.new -name '*.bak' -delete
	@touch .venv.new/.ready
	@rm -rf .venv.old
	@if [ -e .venv ]; then mv .venv .venv.old; fi; mv .venv.new .venv
	@rm -rf .venv.old

# the main job: cross-validate the paper's own instance and write its report
verify: $(READY)
	$(BIN)/boundcheck report paper --effort standard --output reports/paper

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

# two minutes: lint, and the tests that simulate nothing
quick: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal $(addprefix tests/,$(QUICK))

# pages in a real browser: apt-get install chromium chromium-driver gets one
test-browser: $(READY)
	$(BIN)/python -m pytest -m browser -rs tests

# what tests compare with: a report word for word, and the bits of every policy's runs
golden: $(READY)
	PYTHONPATH=.:tests $(BIN)/python tests/pages/test_report.py

frozen: $(READY)
	PYTHONPATH=.:tests $(BIN)/python tests/simulation/policies/test_frozen.py

bench: $(READY)
	for bench in benchmarks/bench_*.py; do $(BIN)/python $$bench || exit 1; done

# everything in reports/: four instances, the audit, the paper's figures, the almanac of well-known results
reports: $(READY)
	$(BIN)/python tools/rebuild_reports.py reports
	cp reports/audit/record.json boundcheck/theories/shareable_arms/record.json
	$(BIN)/boundcheck almanac -o reports/almanac
	$(BIN)/python tools/readme_almanac.py

# what the last audit found, which commands quote, and what steps of proofs state; one claim: make record CLAIM=thm-5.3a
record: $(READY)
	$(BIN)/python tools/record.py $(CLAIM)

# how far each term of each bound could move before evidence refutes it, as `bounds` and `claims` quote it
slack: $(READY)
	$(BIN)/boundcheck selftest --strict --output boundcheck/theories/shareable_arms/slack.json

# the documentation as a site, build/site; a link that leads nowhere is an error
docs: $(READY)
	$(BIN)/python website/build.py build/site

# the formulas of the proof ledger compiled by Coq, where there is one
certify: $(READY)
	$(BIN)/python tools/certify.py reports/certificates boundcheck/theories/shareable_arms/certificates.json

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# a wheel, in an environment of its own and far from here, does its work
package:
	rm -rf build dist
	$(PYTHON) -m venv --clear build/alone
	build/alone/bin/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	build/alone/bin/python -m pip install --quiet -c constraints.txt dist/boundcheck-*.whl
	cd build/alone && bin/boundcheck report paper --effort quick --output report
	cd build/alone && bin/boundcheck --plugin $(CURDIR)/examples/round_robin.py simulate paper --policy round-robin --horizon 1e4 --runs 10

clean:
	rm -rf .venv .venv.new .venv.old build dist *.egg-info

"""docs/schema.json, which every JSON document of a command obeys."""

from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)

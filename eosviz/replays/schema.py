"""The JSON Schema of a replay's lines (docs/replay-format.schema.json). It is generated from the types that
reading enforces."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from eosviz.replays import format


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of one line."""
    lines = format.Header | format.StepLine | format.End
    made: dict[str, Any] = msgspec.json.schema(lines)
    made["$defs"]["Header"]["properties"]["schema"] = {"const": format.SCHEMA}
    # Only OpenAPI has the keyword `discriminator`. The constant `type` of each line says the same.
    del made["discriminator"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of an eosviz replay, version {format.SCHEMA}",
        **made,
    }


def as_text() -> str:
    return json.dumps(schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"

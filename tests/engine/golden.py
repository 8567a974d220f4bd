"""The golden form of a run: the keys, parameters and rules of every step, without its texts. So a change of wording
does not change goldens and cannot hide a change of the protocol.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_INDENT = " " * 15


def golden_lines(step: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines for one step, which is given in the JSON form of docs/frame.md."""
    said = _said(step["key"], step["params"], step["rules"])
    yield f"{step['number']:>5} {step['at']:>7}  {step['actor']:<11} {step['kind']}: {said}"
    for note in step["notes"]:
        yield f"{_INDENT}{_said(note['key'], note['params'], note['rules'])}"
    for row in (step["decision"] or {"rows": []})["rows"]:
        if row["outcome"] != "not_reached":
            yield f"{_INDENT}{row['outcome']:<8} {_said(row['key'], row['params'], [row['rule']])}"
    refusal = step["refusal"]
    if refusal is not None:
        following = f"{refusal['next']} {_shown(refusal['next_params'])}"
        yield f"{_INDENT}refused {refusal['rule']} {refusal['error']} {_shown(refusal['compared'])} {following}"
    last = step["transition"]
    for taken in (*step.get("earlier_transitions", ()), *((last,) if last else ())):
        way = f"{taken['from']} -> {taken['to']} on {taken['on']} (row {taken['row']})"
        yield f"{_INDENT}{taken['of']} {taken['machine']}: {way}"
    for broken in step["broken"]:
        yield f"{_INDENT}broken {_shown(broken)}"


def _said(key: str, params: Any, rules: list[str]) -> str:
    return f"{key} {_shown(params)} [{' '.join(rules)}]"


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)

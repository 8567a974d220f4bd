"""A step of a run as readable text: one line, and its details indented below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.explain.sentences import sentence, shown


def transcript_lines(step: dict[str, Any], language: str = "en") -> Iterator[str]:
    """The lines of one step (JSON form of docs/frame.md)."""
    rules = " ".join(step["rules"])
    text = sentence(step["key"], step["params"], language)
    yield f"{step['number']:>5} {step['at']:>7}  {step['actor']:<11} {text}  [{rules}]".rstrip()
    for note in step["notes"]:
        yield f"{'':15}{sentence(note['key'], note['params'], language)}  [{' '.join(note['rules'])}]"
    decision = step["decision"]
    if decision is not None:
        for row in decision["rows"]:
            if row["outcome"] != "not_reached":
                checked = sentence(row["key"], row["params"], language)
                yield f"{'':15}{row['outcome']:<8} {row['rule']}: {checked}"
    refusal = step["refusal"]
    if refusal is not None:
        compared = ", ".join(f"{name} {shown(value)}" for name, value in refusal["compared"])
        why = f" ({compared})" if compared else ""
        following = sentence(refusal["next"], refusal["next_params"], language)
        yield f"{'':15}refused by {refusal['rule']}: {refusal['error']}{why}; next: {following}"
    change = step["transition"]
    if change is not None:
        states = f"{change['from']} → {change['to']}"
        yield f"{'':15}{change['of']} {change['machine']}: {states} on {change['on']}"
    for broken in step["broken"]:
        proof = ", ".join(str(item) for item in broken.get("nodes", broken["serials"]))
        what = "nodes" if "nodes" in broken else "serials"
        if "transaction" in broken:
            proof += f" of {broken['transaction']}"
        if "producer_id" in broken:
            first = broken["first_offset"]
            proof += f"; PID {broken['producer_id']} holds the last stable offset at {first}"
        yield f"{'':15}BROKEN {broken['guarantee']} in {broken['partition']}: {what} {proof}"

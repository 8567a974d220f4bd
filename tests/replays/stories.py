"""Small replays made by hand, of a world that only counts: these tests are about the file, not about Kafka."""

import gzip
import io
import json
from typing import Any

from engine.scenario.header import ENGINE_VERSION
from eosviz.replays import format, reading, writing
from eosviz.replays.bounds import BOUNDS, Bounds


def counting_step(number: int, **fields: Any) -> dict[str, Any]:
    step = {
        "number": number,
        "at": number * 5,
        "actor": "broker-1",
        "kind": "delivery",
        "key": "test.counted",
        "params": {"count": number},
        "rules": ["LOG-3"],
        "notes": [],
        "decision": None,
        "refusal": None,
        "messages": [],
        "transition": None,
        "interesting": False,
        "broken": [],
        "changes": [{"path": ["time"], "before": (number - 1) * 5, "after": number * 5}],
    }
    return step | fields


def branch(identity: str = "1", newest: int = 3, **fields: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "name": "main",
        "parent": None,
        "leaves_at": 0,
        "newest": newest,
        "finished": "complete",
        "interventions": [],
    } | fields


def header(*branches: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "type": "header",
        "schema": 1,
        "engine": ENGINE_VERSION,
        "title": {"en": "Counting", "zh-Hans": "计数"},
        "scenario": {"id": "T-01"},
        "variant": None,
        "profile": "k28",
        "header": {"scenario": "T-01"},
        "view": {"time": 0},
        "branches": list(branches) or [branch()],
    } | fields


def canonical(value: Any) -> bytes:
    """Return the canonical form as the format's document defines it, without the code under test."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def lines(
    first: dict[str, Any] | None = None, steps: list[tuple[str, dict[str, Any]]] | None = None
) -> list[bytes]:
    """Return the lines of a complete replay; by default three steps on one branch."""
    first = header() if first is None else first
    if steps is None:
        steps = [("1", counting_step(number)) for number in (1, 2, 3)]
    made = writing.content(format.convert(first, format.Header), steps)
    return [line.removesuffix(b"\n") for line in made]


def chained(raw_header: bytes, steps: list[tuple[str, Any]]) -> list[bytes]:
    """Return lines like ``lines``, but from headers and steps that no encoder of ours would make; the chain of
    digests is valid.
    """
    digest = format.header_digest(raw_header)
    made = [raw_header]
    for name, step in steps:
        digest = format.next_digest(digest, name, step)
        made.append(canonical({"type": "step", "branch": name, "step": step, "digest": digest}))
    made.append(canonical({"type": "end", "steps": len(steps), "digest": digest}))
    return made


def packed(made: list[bytes]) -> bytes:
    return gzip.compress(b"".join(line + b"\n" for line in made), mtime=0)


def read(made: list[bytes] | bytes, bounds: Bounds = BOUNDS) -> reading.Recording:
    return reading.read(io.BytesIO(made if isinstance(made, bytes) else packed(made)), bounds)

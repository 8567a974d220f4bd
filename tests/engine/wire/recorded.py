"""Messages that real clients and a real broker sent each other: ``tests/oracles/kafka-logs/*/wire``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LOGS = Path(__file__).parents[2] / "oracles" / "kafka-logs"
NAMES = ("idempotent_sequences", "idempotent_fuzz", "transaction_rules", "transaction_fuzz")
FOLDERS = ("wire_tv0", "wire_tv2")
KEYS = {
    "Produce": 0,
    "Fetch": 1,
    "OffsetFetch": 9,
    "ApiVersions": 18,
    "InitProducerId": 22,
    "AddPartitionsToTxn": 24,
    "AddOffsetsToTxn": 25,
    "EndTxn": 26,
    "TxnOffsetCommit": 28,
}


def recording(folder: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((LOGS / folder / "wire" / f"{name}.json").read_text())
    return found


def exchanges() -> Iterator[tuple[str, int, bytes, bytes | None]]:
    """Yield (api, version, request, response) of every recorded exchange. The response is None for a Fetch, which was
    recorded without it.
    """
    for file in sorted(LOGS.rglob("wire/*.json")):
        document = json.loads(file.read_text())
        if "api_versions" in document:
            steps = [{"api": "ApiVersions", "version": 0, **document}]
        else:
            steps = [*document["steps"], *({"api": "Fetch", **found} for found in document["fetch"])]
        for step in steps:
            answer = step.get("response_hex")
            yield (
                step["api"],
                step["version"],
                bytes.fromhex(step["request_hex"]),
                None if answer is None else bytes.fromhex(answer),
            )

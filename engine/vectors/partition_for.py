"""Where a transactional id or group id belongs (FND-2). Record keys are not hashed: no partitioner is modelled."""

from __future__ import annotations

from typing import Any

from engine.java_hash import absolute, java_string_hash, partition_for
from engine.vectors.outcome import Failure, Skip, first_difference


def run(case: dict[str, Any], version: str) -> Failure | None:
    key = case["input"].get("transactional_id")
    if key is None:
        raise Skip("record keys are not hashed: records name their partition")
    hashed = java_string_hash(key)
    got = {
        "java_hash": hashed,
        "abs": absolute(hashed),
        "mod": {count: partition_for(key, int(count)) for count in case["expected"]["mod"]},
    }
    return first_difference("", case["expected"], got)

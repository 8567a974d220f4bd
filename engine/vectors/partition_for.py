"""Runs the cases about the partition of a transactional id, of a group id (FND-2), and of a record with a key."""

from __future__ import annotations

from typing import Any

from engine.java_hash import absolute, java_string_hash, partition_for
from engine.partitioner import murmur2, partition_of_key
from engine.vectors.outcome import Failure, first_difference


def run(case: dict[str, Any], version: str) -> Failure | None:
    given, expected = case["input"], case["expected"]
    got = (
        _of_id(given["transactional_id"], expected)
        if "transactional_id" in given
        else _of_key(given["key"], expected)
    )
    return first_difference("", expected, got)


def _of_id(identifier: str, expected: dict[str, Any]) -> dict[str, Any]:
    hashed = java_string_hash(identifier)
    return {
        "java_hash": hashed,
        "abs": absolute(hashed),
        "mod": {count: partition_for(identifier, int(count)) for count in expected["mod"]},
    }


def _of_key(key: str, expected: dict[str, Any]) -> dict[str, Any]:
    return {
        "murmur2": murmur2(key.encode()),
        "partition": {count: partition_of_key(key, int(count)) for count in expected["partition"]},
    }

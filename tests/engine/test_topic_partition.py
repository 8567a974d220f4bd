"""Names of topic-partitions are made and parsed in one place of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.topic_partition import TopicPartition, partition_name, topic_partition

ENGINE = Path(__file__).parents[2] / "engine"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("t-0", ("t", 0)),
        ("my-topic-12", ("my-topic", 12)),
        ("__transaction_state-49", ("__transaction_state", 49)),
    ],
)
def test_a_name_is_read_as_it_was_made(name: str, parts: tuple[str, int]) -> None:
    assert topic_partition(name) == parts
    assert partition_name(*parts) == str(TopicPartition(*parts)) == name


@pytest.mark.parametrize("text", ["", "t", "t-", "t-x", "t--"])
def test_a_text_that_names_no_partition_has_none(text: str) -> None:
    assert topic_partition(text).number == -1


def test_no_other_module_reads_or_makes_a_name() -> None:
    splitting = re.compile(r"\w+\.(?:r?partition|r?split)\(\"-\"")
    found = [
        f"{path.relative_to(ENGINE)}: {match.group()}"
        for path in sorted(ENGINE.rglob("*.py"))
        if path.name != "topic_partition.py"
        for match in splitting.finditer(path.read_text(encoding="utf-8"))
        if not match.group().startswith(("peer.", "name."))
    ]
    assert found == [], "take it from engine.topic_partition"

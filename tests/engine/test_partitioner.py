"""A record with a key goes to the partition that Kafka's default partitioner chooses."""

from __future__ import annotations

from typing import Any

import pytest

from engine.scenario.bad_scenario import BadScenario
from engine.scenario.document import load


def document(topics: list[dict[str, Any]], call: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "KEYS",
        "title": {"en": "Keys", "zh-Hans": "键"},
        "topics": topics,
        "producers": [{"name": "p1"}],
        "applications": [{"name": "app-1", "client": "p1", "calls": [{"at": 0, "do": "send", **call}]}],
    }


@pytest.mark.parametrize(("key", "partition"), [("user42", "t-4"), ("é", "t-3"), ("", "t-3")])
def test_a_key_chooses_the_partition_of_a_call_that_names_none(key: str, partition: str) -> None:
    scenario = load(document([{"name": "t", "partitions": 6}], {"key": key}))
    assert scenario["applications"][0]["calls"][0]["partition"] == partition


def test_a_partition_that_is_named_goes_before_the_key() -> None:
    scenario = load(document([{"name": "t", "partitions": 6}], {"key": "user42", "partition": "t-1"}))
    assert scenario["applications"][0]["calls"][0]["partition"] == "t-1"


@pytest.mark.parametrize(
    ("topics", "call"),
    [
        ([{"name": "t", "partitions": 6}], {}),
        ([{"name": "t", "partitions": 6}, {"name": "u", "partitions": 6}], {"key": "user42"}),
    ],
)
def test_without_key_or_with_several_topics_a_partition_is_missing(
    topics: list[Any], call: dict[str, Any]
) -> None:
    with pytest.raises(BadScenario, match=r"calls\.0\.partition: missing"):
        load(document(topics, call))

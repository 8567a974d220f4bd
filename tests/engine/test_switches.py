"""Which switches of a document differ from Kafka's own behaviour (GEN-9)."""

from __future__ import annotations

from engine.switches import altered


def test_a_switch_at_its_default_alters_nothing() -> None:
    given = {"epoch_check": True, "stale_sequence_is_duplicate": False, "drain_stop_scope": "node"}
    assert altered(given) == {}


def test_a_switch_with_another_value_alters_kafka() -> None:
    given = {"sequence_check": False, "duplicate_cache_size": 1, "marker_retry": True}
    assert altered(given) == {"sequence_check": False, "duplicate_cache_size": 1}

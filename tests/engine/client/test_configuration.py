"""Settings: defaults, forced values with their reason, and values that are refused (CFG-1..3, CFG-6)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.client.configuration import SETTINGS, ProducerConfig, check_setting, kafka_name, resolve
from engine.errors import Refused
from engine.explain.sentences import sentence
from engine.messages import INT_MAX
from engine.profile import Profile
from engine.profiles import K010, K20, K28
from engine.switches import Switches


def config(profile: Profile = K28, switches: Switches | None = None, **settings: Any) -> ProducerConfig:
    return resolve(settings, profile, switches or Switches(), "producers.p1.settings")


@pytest.mark.parametrize("setting", SETTINGS)
def test_sentences_call_a_setting_as_kafka_does(setting: str) -> None:
    text = sentence("beat.setting_changed", {"setting": setting})
    assert text.startswith(kafka_name(setting, K28) or "backoff of AddPartitionsToTxn")


def test_defaults_without_idempotence() -> None:
    made = config()
    assert (made.acks, made.retries, made.max_in_flight, made.linger_ms) == (1, 0, 5, 0)
    assert (made.batch_size, made.buffer_memory, made.max_request_size) == (16_384, 33_554_432, 1_048_576)
    assert (made.batch_expiry_ms, made.retry_backoff_ms, made.request_timeout_ms) == (60_000, 100, 30_000)
    assert not made.guarantee_order


def test_idempotence_forces_acks_and_retries_and_says_why() -> None:
    made = config(enable_idempotence=True)
    assert (made.acks, made.retries, made.max_in_flight) == (-1, INT_MAX, 5)
    assert made.explained["acks"] == {
        "value": -1,
        "reason": "forced by enable_idempotence",
        "rule": "CFG-2",
        "default": 1,
    }
    assert made.explained["retries"]["reason"] == "default with enable_idempotence"
    assert made.explained["linger_ms"]["reason"] == "default"


def test_a_transactional_id_implies_idempotence() -> None:
    made = config(transactional_id="tid")
    assert made.enable_idempotence
    assert made.acks == -1
    assert made.explained["enable_idempotence"]["rule"] == "CFG-3"


def test_one_request_in_flight_guarantees_order() -> None:
    made = config(max_in_flight=1)
    assert made.guarantee_order
    assert made.explained["guarantee_order"]["rule"] == "CFG-3"


@pytest.mark.parametrize(
    ("settings", "rule", "place"),
    [
        ({"enable_idempotence": True, "acks": 1}, "CFG-2", "producers.p1.settings.acks"),
        ({"enable_idempotence": True, "acks": 0}, "CFG-2", "producers.p1.settings.acks"),
        ({"enable_idempotence": True, "retries": 0}, "CFG-2", "producers.p1.settings.retries"),
        ({"enable_idempotence": True, "max_in_flight": 6}, "CFG-2", "producers.p1.settings.max_in_flight"),
        (
            {"transactional_id": "tid", "enable_idempotence": False},
            "CFG-3",
            "producers.p1.settings.enable_idempotence",
        ),
        ({"lingerms": 5}, "CFG-1", "producers.p1.settings.lingerms"),
        ({"linger_ms": -1}, "CFG-1", "producers.p1.settings.linger_ms"),
        ({"linger_ms": True}, "CFG-1", "producers.p1.settings.linger_ms"),
        ({"linger_ms": "5"}, "CFG-1", "producers.p1.settings.linger_ms"),
        ({"acks": 2}, "CFG-1", "producers.p1.settings.acks"),
        ({"transactional_id": ""}, "CFG-1", "producers.p1.settings.transactional_id"),
        ({"batch_size": 0}, "CFG-1", "producers.p1.settings.batch_size"),
    ],
)
def test_refused(settings: dict[str, Any], rule: str, place: str) -> None:
    with pytest.raises(Refused) as caught:
        config(**settings)
    assert (caught.value.rule, caught.value.place) == (rule, place)
    assert caught.value.remedy


def test_the_old_client_has_no_idempotence() -> None:
    with pytest.raises(Refused) as caught:
        config(K010, enable_idempotence=True)
    assert caught.value.rule == "CPT-7"


def test_the_lab_switch_lets_six_in_flight_through() -> None:
    made = config(K20, Switches(in_flight_cap=False), enable_idempotence=True, max_in_flight=6)
    assert made.max_in_flight == 6


@pytest.mark.parametrize("name", SETTINGS)
def test_every_default_is_allowed(name: str) -> None:
    assert check_setting(name, SETTINGS[name].default) == SETTINGS[name].default


def test_acks_all_has_two_spellings() -> None:
    assert config(acks="all").acks == config(acks=-1).acks == -1

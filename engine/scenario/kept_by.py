"""The names that exist only in clusters with ZooKeeper, only in clusters with a controller quorum, or only from a
version on.

The loader uses these tables to refuse a name that the scenario's cluster does not have, and forms use them to
leave such names out.
"""

from __future__ import annotations

from typing import Any

from engine import apis
from engine.broker.produce_rules import RECORD_VERSION
from engine.errors import Error
from engine.profile import QUORUM, ZOOKEEPER, age
from engine.profiles import PROFILES
from engine.scenario.bad_scenario import BadScenario
from engine.scenario.phrases import allowed, any_of, wrong

ACTIONS: dict[str, str] = {
    "competing_write": ZOOKEEPER,
    "lose_heartbeats": QUORUM,
    "find_heartbeats": QUORUM,
    "fail_controller": QUORUM,
    "update_features": QUORUM,
}
"""Actions of the fault script that need ZooKeeper, or a quorum."""
APIS: dict[str, str] = {api.name: api.kept_by for api in apis.APIS if api.kept_by}
"""Messages that exist only with ZooKeeper, or only with a quorum."""
SWITCHES: dict[str, str] = {"zookeeper_version_check": ZOOKEEPER}
KINDS: dict[str, str] = {"zookeeper": ZOOKEEPER}
"""Kinds of steps that exist only with ZooKeeper, or only with a quorum."""
SETTINGS: dict[str, str] = {
    "registration_ms": ZOOKEEPER,
    "zookeeper_reply_timeout_ms": ZOOKEEPER,
    "heartbeat_interval_ms": QUORUM,
    "controller_failover_ms": QUORUM,
}
"""Broker settings that have an effect only with ZooKeeper, or only with a quorum."""


def keeper(profile: str) -> str:
    """The kind of controller in a cluster of this version: ``zookeeper`` or ``quorum``."""
    return PROFILES[profile].keeper


def exists(needs: str | None, profile: str) -> bool:
    """Whether a cluster of this version has a name that needs the kind of controller ``needs``. If ``needs`` is None,
    every cluster has it."""
    return needs in (None, keeper(profile))


def absent(profile: str) -> list[str]:
    """The actions, messages, fields of messages, switches, broker settings and errors that a cluster of this
    version does not have."""
    known = PROFILES[profile].errors
    levels = () if PROFILES[profile].transaction_version else ("transaction_version",)
    return [
        *levels,
        *(
            name
            for table in (ACTIONS, APIS, SWITCHES, SETTINGS)
            for name, needs in table.items()
            if not exists(needs, profile)
        ),
        *(error.name for error in Error if error is not Error.NONE and error not in known),
    ]


def check_keeper(document: dict[str, Any]) -> None:
    """Raises BadScenario for a fault, message, error, switch or record format that this cluster does not have.
    Settings are not checked, because a variant with another version may keep them."""
    profile = document["profile"]
    for index, fault in enumerate(document["faults"]):
        place = f"faults.{index}"
        _check(ACTIONS.get(fault["action"]), profile, f"{place}.action", fault["action"])
        api = (fault["match"] or {}).get("api")
        _check(APIS.get(api or ""), profile, f"{place}.match.api", api)
        _check_version(fault, profile, place)
    for name in document["switches"]:
        _check(SWITCHES.get(name), profile, f"switches.{name}", name)
    for topic in document["topics"]:
        _check_format(topic, profile)


def _check_format(topic: dict[str, Any], profile: str) -> None:
    """Raises BadScenario for an older record format in a cluster with a quorum of controllers, which stores new
    batches in format 2 (KIP-724)."""
    known, asked = PROFILES[profile], topic["record_version"]
    if known.quorum_controller and asked < RECORD_VERSION:
        raise BadScenario(
            f"topics.{topic['name']}.record_version",
            wrong("not_in_version", name=f"record_version = {asked}", version=known.version),
            any_of([str(RECORD_VERSION)]),
        )


def _check_version(fault: dict[str, Any], profile: str, place: str) -> None:
    """Check that brokers of this version know the fields of a hand-made request and the injected error."""
    known = PROFILES[profile]
    asked = (fault["message"] or {}).get("transaction_version", 0)
    if asked > known.transaction_version:
        raise BadScenario(
            f"{place}.message.transaction_version",
            wrong("not_in_version", name=f"transaction_version = {asked}", version=known.version),
            allowed("int_between", low=0, high=known.transaction_version),
        )
    if not known.takes_epoch_bumps and (fault["message"] or {}).get("api") == "InitProducerId":
        for field in ("producer_id", "producer_epoch"):
            _check_unnamed(fault["message"], field, place, known.version)
    error = fault["error"]
    if error is not None and age(Error[error].since) > age(known.version):
        raise BadScenario(
            f"{place}.error",
            wrong("not_in_version", name=error, version=known.version),
            any_of(one.name for one in known.errors),
        )


def _check_unnamed(message: dict[str, Any], field: str, place: str, version: str) -> None:
    """Raises BadScenario if an InitProducerId sets this field of an identity, which brokers read since KIP-360."""
    if message.get(field, -1) != -1:
        raise BadScenario(
            f"{place}.message.{field}",
            wrong("not_in_version", name=field, version=version),
            allowed("int_between", low=-1, high=-1),
        )


def _check(needs: str | None, profile: str, place: str, name: Any) -> None:
    if exists(needs, profile):
        return
    if needs == ZOOKEEPER:
        raise BadScenario(place, wrong("not_with_quorum", name=name), allowed("kept_by_zookeeper"))
    raise BadScenario(place, wrong("not_with_zookeeper", name=name), allowed("kept_by_quorum"))

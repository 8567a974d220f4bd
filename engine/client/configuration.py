"""The settings of a producer, its effective configuration, and the reason of each value (CFG-1, CFG-2, CFG-3,
CFG-5, CFG-6).

This module owns the type, the bounds and the default of every client setting. A combination that Kafka
refuses stops the run before its first step.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from engine.errors import Refused
from engine.messages import INT_MAX
from engine.profile import Profile
from engine.shapes.clients import SettingView
from engine.switches import Switches

ACKS_ALL = -1
IDEMPOTENT_IN_FLIGHT_MAX = 5
"""The limit of requests in flight with idempotence: as many batches as the broker caches (CFG-2, CFG-4)."""
DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting: ``kind`` is ``int``, ``bool``, ``acks`` or ``text``; bounds are inclusive."""

    kind: str
    default: Any
    low: int = 0
    high: int = INT_MAX
    changeable: bool = False
    """Whether the setting may be changed while the producer runs."""


def _bytes(default: int) -> Setting:
    return Setting(kind="int", default=default, low=1, high=1 << 40, changeable=True)


def _time(default: int, high: int = 30 * DAY_MS) -> Setting:
    return Setting(kind="int", default=default, high=high, changeable=True)


SETTINGS: dict[str, Setting] = {
    "batch_size": _bytes(16_384),
    "buffer_memory": Setting(kind="int", default=33_554_432, low=1, high=1 << 40),
    "linger_ms": _time(0),
    "retry_backoff_ms": _time(100),
    "max_request_size": _bytes(1_048_576),
    "max_block_ms": _time(60_000),
    "batch_expiry_ms": _time(60_000),
    "request_timeout_ms": _time(30_000),
    "reconnect_backoff_ms": _time(50),
    "reconnect_backoff_max_ms": _time(1_000),
    "max_in_flight": Setting(kind="int", default=5, low=1, high=1_000, changeable=True),
    "acks": Setting(kind="acks", default=1),
    "retries": Setting(kind="int", default=0, changeable=True),
    "enable_idempotence": Setting(kind="bool", default=False),
    "transactional_id": Setting(kind="text", default=None),
    "transaction_timeout_ms": _time(60_000, INT_MAX),
    "add_partitions_backoff_ms": _time(20),
}


KAFKA_NAMES = {
    "max_in_flight": "max.in.flight.requests.per.connection",
    "batch_expiry_ms": "delivery.timeout.ms",
    "add_partitions_backoff_ms": None,
}
"""Dict of setting → its name in Kafka, if this is not the same words with dots; None: Kafka has no such
setting."""


def kafka_name(setting: str, profile: Profile) -> str | None:
    """The name of a producer's setting in Kafka's ``ProducerConfig``; None: this version of Kafka has none.
    Before KIP-91 the request timeout decided when a batch expires (ACC-21)."""
    if setting == "batch_expiry_ms" and not profile.expiry_from_creation:
        return None
    return KAFKA_NAMES.get(setting, setting.replace("_", "."))


def defaults(profile: Profile) -> dict[str, Any]:
    """Dict of setting → its default in this version (CFG-1). Where idempotence is the default, so are
    ``acks=all`` and unlimited retries."""
    found = {name: setting.default for name, setting in SETTINGS.items()}
    if profile.idempotent_by_default:
        found |= {"enable_idempotence": True, "acks": ACKS_ALL, "retries": INT_MAX}
    return found


@dataclass(slots=True, kw_only=True)
class ProducerConfig:
    """The effective configuration. Times in virtual milliseconds, sizes in bytes; ``acks`` −1 is *all*.

    All parts of a producer share this object; only :meth:`adopt` changes it.
    """

    batch_size: int
    buffer_memory: int
    linger_ms: int
    retry_backoff_ms: int
    max_request_size: int
    max_block_ms: int
    batch_expiry_ms: int
    request_timeout_ms: int
    reconnect_backoff_ms: int
    reconnect_backoff_max_ms: int
    max_in_flight: int
    acks: int
    retries: int
    enable_idempotence: bool
    transactional_id: str | None
    transaction_timeout_ms: int
    add_partitions_backoff_ms: int
    guarantee_order: bool
    """Derived: true if and only if ``max_in_flight`` is 1 (CFG-3)."""
    explained: dict[str, SettingView]
    """Dict of setting → its value, default, reason and rule, as the view shows them."""

    def adopt(self, other: ProducerConfig) -> None:
        """Take every value of ``other``: a setting of the running producer changed."""
        for field in fields(self):
            setattr(self, field.name, getattr(other, field.name))


def resolve(
    settings: dict[str, Any],
    profile: Profile,
    switches: Switches,
    place: str = "settings",
    running: ProducerConfig | None = None,
) -> ProducerConfig:
    """The configuration for ``settings`` (dict of name → value; an absent setting has its default). Raises
    :class:`Refused`, with the setting's place, for an unknown name, a value out of bounds (CFG-1), a
    combination that CFG-2 or CFG-3 forbids, and idempotence in a version without it (CPT-7). ``running``: the
    configuration of a running producer of which a setting changes."""
    given = {name: check_setting(name, value, place) for name, value in settings.items()}
    normal = defaults(profile)
    values = normal | given
    reasons = {name: ("set", "CFG-1") if name in given else ("default", "CFG-1") for name in SETTINGS}
    if values["transactional_id"] is not None:
        _transactional(given, values, reasons, place)
    if normal["enable_idempotence"] and "enable_idempotence" not in given:
        if running is not None:
            values["enable_idempotence"] = running.enable_idempotence
        else:
            _idempotent_unless(values, reasons, profile, switches)
    if values["enable_idempotence"]:
        _idempotent(given, values, reasons, profile, switches, place)
    order = values["max_in_flight"] == 1
    explained: dict[str, SettingView] = {
        name: {
            "value": value,
            "reason": reasons[name][0],
            "rule": reasons[name][1],
            "default": normal[name],
        }
        for name, value in values.items()
    }
    explained["guarantee_order"] = {
        "value": order,
        "reason": "derived from max_in_flight",
        "rule": "CFG-3",
        "default": False,
    }
    return ProducerConfig(**values, guarantee_order=order, explained=explained)


def check_setting(name: str, value: Any, place: str = "settings") -> Any:
    """The value, checked; the texts ``all`` and ``-1`` of ``acks`` become −1. Raises :class:`Refused`, with
    the place and the allowed values, if the setting is unknown or the value is not allowed."""
    setting = SETTINGS.get(name)
    if setting is None:
        raise Refused("CFG-1", f"{place}.{name}", "no_setting", setting=name, known=list(SETTINGS))
    if setting.kind == "acks" and value in ("all", "-1"):
        return ACKS_ALL
    right = {
        "int": type(value) is int and setting.low <= value <= setting.high,
        "bool": type(value) is bool,
        "acks": type(value) is int and value in (0, 1, ACKS_ALL),
        "text": value is None or (type(value) is str and 0 < len(value) <= 200),
    }[setting.kind]
    if not right:
        what = f"bad_{setting.kind}"
        raise Refused("CFG-1", f"{place}.{name}", what, value=repr(value), low=setting.low, high=setting.high)
    return value


def _idempotent_unless(
    values: dict[str, Any],
    reasons: dict[str, tuple[str, str]],
    profile: Profile,
    switches: Switches,
) -> None:
    """Turn idempotence off if it is on only by default and another setting contradicts it
    (``ProducerConfig.postProcessAndValidateIdempotenceConfigs``)."""
    against = {
        "retries": values["retries"] == 0,
        "acks": values["acks"] != ACKS_ALL,
        "max_in_flight": values["max_in_flight"] > IDEMPOTENT_IN_FLIGHT_MAX and switches.in_flight_cap,
    }
    if against["max_in_flight"] and profile.refuses_many_in_flight:
        return
    name = next((name for name, stands in against.items() if stands), None)
    if name is not None and values["transactional_id"] is None:
        values["enable_idempotence"] = False
        reasons["enable_idempotence"] = (f"forced by {name}", "CFG-2")


def _transactional(
    given: dict[str, Any], values: dict[str, Any], reasons: dict[str, tuple[str, str]], place: str
) -> None:
    if given.get("enable_idempotence") is False:
        raise Refused("CFG-3", f"{place}.enable_idempotence", "transactional_without_idempotence")
    values["enable_idempotence"] = True
    reasons["enable_idempotence"] = ("forced by transactional_id", "CFG-3")


def _idempotent(
    given: dict[str, Any],
    values: dict[str, Any],
    reasons: dict[str, tuple[str, str]],
    profile: Profile,
    switches: Switches,
    place: str,
) -> None:
    if not profile.idempotence:
        raise Refused(
            "CPT-7",
            f"{place}.enable_idempotence",
            "no_idempotence_yet",
            version=profile.version,
            profile=profile.name,
        )
    if given.get("acks", ACKS_ALL) != ACKS_ALL:
        raise Refused("CFG-2", f"{place}.acks", f"acks_{given['acks']}_with_idempotence")
    if given.get("retries") == 0:
        raise Refused("CFG-2", f"{place}.retries", "no_retries_with_idempotence")
    if values["max_in_flight"] > IDEMPOTENT_IN_FLIGHT_MAX and switches.in_flight_cap:
        raise Refused(
            "CFG-2",
            f"{place}.max_in_flight",
            "too_many_in_flight",
            wanted=values["max_in_flight"],
            most=IDEMPOTENT_IN_FLIGHT_MAX,
        )
    # Of ``retries``, Kafka requires only a value above 0; this is its default with idempotence.
    for name, used, reason in (
        ("acks", ACKS_ALL, "forced by enable_idempotence"),
        ("retries", INT_MAX, "default with enable_idempotence"),
    ):
        if name not in given and values[name] != used:
            values[name] = used
            reasons[name] = (reason, "CFG-2")

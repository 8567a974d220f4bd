"""The name, version and configuration of a broker, which its parts share."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.broker.configuration import BrokerConfiguration
from engine.profile import Profile
from engine.switches import Switches
from engine.watching import Path, Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The values that all parts of a broker share. ``path``: the broker's place in the view."""

    broker_id: int
    profile: Profile
    switches: Switches
    configuration: BrokerConfiguration
    watch: Watch
    understand_abortable: frozenset[str] = frozenset()
    """The names of the clients that know TRANSACTION_ABORTABLE: they send Produce 11 and TxnOffsetCommit 4, or
    newer versions."""
    name: str = field(init=False)
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", f"broker-{self.broker_id}")
        object.__setattr__(self, "path", ("brokers", str(self.broker_id)))

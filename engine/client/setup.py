"""The common setup of a producer process's parts: name, configuration, switches, watch, ledger."""

from __future__ import annotations

from dataclasses import dataclass

from engine.client.configuration import ProducerConfig
from engine.client.ledger import Ledger
from engine.profile import Profile
from engine.switches import Switches
from engine.watching import Watch


@dataclass(frozen=True, slots=True)
class Setup:
    """It never changes; ``config`` is one object, and a setting that changes on the running producer changes in it."""

    name: str
    config: ProducerConfig
    profile: Profile
    switches: Switches
    watch: Watch
    ledger: Ledger

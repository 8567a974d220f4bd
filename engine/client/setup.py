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
    """Never replaced; settings that change while the producer runs change inside ``config``."""

    name: str
    config: ProducerConfig
    profile: Profile
    switches: Switches
    watch: Watch
    ledger: Ledger

"""The values that all parts of a producer process share: name, configuration, switches, watch, ledger."""

from __future__ import annotations

from dataclasses import dataclass

from engine.client.configuration import ProducerConfig
from engine.client.ledger import Ledger
from engine.profile import Profile
from engine.switches import Switches
from engine.watching import Watch


@dataclass(frozen=True, slots=True)
class Setup:
    """The shared values of a process. A setting that changes while the producer runs changes inside
    ``config``."""

    name: str
    config: ProducerConfig
    profile: Profile
    switches: Switches
    watch: Watch
    ledger: Ledger

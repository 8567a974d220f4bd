"""Chooses the controller of a version of Kafka."""

from __future__ import annotations

from engine.broker.quorum_controller import QuorumController
from engine.broker.zookeeper_controller import ZooKeeperController
from engine.profile import Profile


def controller_of(profile: Profile) -> type[QuorumController] | type[ZooKeeperController]:
    """The class of this version's controller."""
    return QuorumController if profile.quorum_controller else ZooKeeperController

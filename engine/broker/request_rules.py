"""The values that the rules of a request may read, and the guards that several kinds of requests share."""

from __future__ import annotations

from typing import Any

from engine.broker.cluster_view import ClusterView
from engine.broker.permissions import Permissions


class Arrived:
    """A request at a broker, with the values that the rules about it read."""

    __slots__ = ("body", "cluster", "permissions")

    def __init__(self, body: Any, permissions: Permissions, cluster: ClusterView) -> None:
        self.body = body
        self.permissions = permissions
        self.cluster = cluster


def transactional_id_denied(arrived: Arrived) -> bool:
    """The client may not write with the request's transactional id (PID-9)."""
    permissions = arrived.permissions
    name = getattr(arrived.body, "transactional_id", None)
    return (
        name is not None
        and bool(permissions.denied)
        and permissions.is_denied("Write", f"transactional_id:{name}")
    )


def group_read_denied(arrived: Arrived) -> bool:
    return arrived.permissions.is_denied("Read", f"group:{arrived.body.group_id}")

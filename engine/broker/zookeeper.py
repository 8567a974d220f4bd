"""The part of a ZooKeeper ensemble that brokers use: nodes with stat versions, and sessions (PID-2, LOG-10).

Owns the data and the versions. A write may depend on the stat version, so that of two writes with the same
expected version only one succeeds. ZooKeeper does not interpret the data.
"""

from __future__ import annotations

from engine.messages import ZooKeeperReply, ZooKeeperWrite
from engine.shapes.brokers import ZooKeeperNode, ZooKeeperSession
from engine.watching import Part, Path, Watch


class Node:
    """One node: its text (None: it is empty), and its stat version, which grows by one with each write. A
    part of the view, once it has a text."""

    __slots__ = ("data", "path", "version")

    def __init__(self, name: str) -> None:
        self.path: Path = ("zookeeper", "nodes", name)
        self.data: str | None = None
        self.version = -1

    def view(self) -> ZooKeeperNode | None:
        return None if self.data is None else {"data": self.data, "version": self.version}


class Session:
    """A broker's session. ``alive``: the broker keeps it open; otherwise it ends at ``expires_at`` (None: it
    has ended). A part of the view."""

    __slots__ = ("alive", "broker_id", "expires_at", "path")

    def __init__(self, broker_id: int) -> None:
        self.broker_id = broker_id
        self.path: Path = ("zookeeper", "sessions", str(broker_id))
        self.alive = True
        self.expires_at: int | None = None

    def view(self) -> ZooKeeperSession:
        return {"alive": self.alive, "expires_at": self.expires_at}


class ZooKeeper:
    """Nodes by name and sessions by broker id."""

    __slots__ = ("nodes", "sessions", "watch")

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.nodes: dict[str, Node] = {}
        self.sessions: dict[int, Session] = {}

    def read(self, name: str) -> ZooKeeperReply:
        """The node's data and stat version; None and -1 when the node does not exist."""
        node = self.nodes.get(name)
        if node is None:
            return ZooKeeperReply(path=name, data=None, version=-1)
        return ZooKeeperReply(path=name, data=node.data, version=node.version)

    def write(self, request: ZooKeeperWrite) -> ZooKeeperReply:
        """Write the node if its stat version is the expected one (-1: the node must not exist; None: any
        version is accepted)."""
        node = self.nodes.get(request.path)
        version = -1 if node is None else node.version
        if request.expected_version is not None and request.expected_version != version:
            return ZooKeeperReply(
                path=request.path, data=None if node is None else node.data, version=version, conflict=True
            )
        self.put(request.path, request.data)
        return ZooKeeperReply(path=request.path, data=request.data, version=version + 1, written=True)

    def create(self, name: str) -> None:
        """Create an empty node, of version 0."""
        node = self.nodes[name] = Node(name)
        node.version = 0

    def put(self, name: str, data: str) -> Node:
        """Write the node, whatever its stat version is."""
        node = self.nodes.get(name)
        if node is None:
            node = self.nodes[name] = Node(name)
        node.data = data
        node.version += 1
        self.touch(node)
        return node

    def touch(self, part: Part) -> None:
        if self.watch.recording:
            self.watch.touch(part)

    def parts(self) -> list[Part]:
        written = [node for node in self.nodes.values() if node.data is not None]
        return [*written, *self.sessions.values()]

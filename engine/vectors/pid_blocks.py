"""Runs the cases about blocks of producer ids on the engine's managers and its ZooKeeper, message by message.

``conflicts`` in a case: the number of times that a competing writer takes the next block right before the manager's
conditional write arrives. In a case the node does not exist before its first write, which creates it with
version 0; in Kafka it exists before.
"""

from __future__ import annotations

from typing import Any

from engine.broker.configuration import BrokerConfiguration
from engine.broker.producer_ids import BLOCK_NODE, ProducerIdManager
from engine.broker.zookeeper_controller import ZooKeeperController
from engine.errors import EngineError
from engine.messages import Effects, Envelope, Send, ZooKeeperReply, ZooKeeperWrite
from engine.vectors.outcome import Failure, first_difference
from engine.watching import Watch

REPLIES_MAX = 1000
"""After this many exchanges a claim counts as stuck."""


class BlockCase:
    """ZooKeeper, the producer id managers of a case, and ``happened``: the results of the current operation's
    writes to ZooKeeper, ``write`` or ``conflict``."""

    def __init__(self, initial: list[int] | None) -> None:
        self.watch = Watch()
        self.controller = ZooKeeperController(watch=self.watch)
        self.controller.zookeeper.nodes.clear()
        self.managers: dict[int, ProducerIdManager] = {}
        self.happened: list[str] = []
        if initial is not None:
            self.controller.preset_block(*initial)

    def do(self, operation: dict[str, Any]) -> dict[str, Any]:
        self.happened = []
        conflicts = operation.get("conflicts", 0)
        broker = operation["broker"]
        if operation["op"] == "start":
            manager = self.managers[broker] = self._manager(broker)
            answer: dict[str, Any] = {"result": self._claim(manager, conflicts)}
        else:
            answer = self._generate(self.managers[broker], operation["n"], conflicts)
        node = self.controller.zookeeper.nodes[BLOCK_NODE]
        return {**answer, "stored": node.data, "znode_version": node.version, "zk": self.happened}

    def _manager(self, broker: int) -> ProducerIdManager:
        configuration = BrokerConfiguration()
        return ProducerIdManager(
            broker,
            block_size=configuration.producer_id_block_size,
            reply_timeout_ms=configuration.zookeeper_reply_timeout_ms,
            check_version=True,
            watch=self.watch,
        )

    def _generate(self, manager: ProducerIdManager, count: int, conflicts: int) -> dict[str, Any]:
        issued = []
        for _ in range(count):
            producer_id = manager.generate()
            if producer_id is None:
                result = self._claim(manager, conflicts)
                if result != "OK":
                    return {"result": result}
                producer_id = manager.generate()
            issued.append(producer_id)
        return {"result": "OK", "first": issued[0], "last": issued[-1]}

    def _claim(self, manager: ProducerIdManager, conflicts: int) -> str:
        effects: Effects = manager.claim(0)
        for _ in range(REPLIES_MAX):
            if not effects:
                return "OK" if manager.claimed else "KafkaException"
            request = _only_send(effects)
            if isinstance(request.body, ZooKeeperWrite) and conflicts:
                self.controller.competing_write(0)
                conflicts -= 1
            envelope = Envelope(
                0,
                f"broker-{manager.broker_id}",
                "zookeeper",
                request.body,
                request.correlation_id,
                False,
                0,
                0,
            )
            reply = _only_send(self.controller.handle(envelope, 0))
            body = reply.body
            if not isinstance(body, ZooKeeperReply):
                raise EngineError(f"ZooKeeper answered {body!r}")
            if isinstance(request.body, ZooKeeperWrite):
                self.happened.append("write" if body.written else "conflict")
            effects = manager.on_reply(body, reply.correlation_id, 0)
        raise EngineError(f"a claim did not end within {REPLIES_MAX} replies")


def _only_send(effects: Effects) -> Send:
    (effect,) = effects
    if not isinstance(effect, Send):
        raise EngineError(f"a claim sends messages and nothing else, not {effect!r}")
    return effect


def run(case: dict[str, Any], version: str) -> Failure | None:
    """Play one case. Returns the first difference from Kafka in an operation's result, in its writes to ZooKeeper's
    node of blocks, or in the data and version of this node after it; None without one."""
    blocks = BlockCase(case["input"].get("initial"))
    for index, (operation, expected) in enumerate(zip(case["input"]["ops"], case["expected"], strict=True)):
        got = blocks.do(operation)
        failure = first_difference(f"op {index} {operation['op']}: ", expected, got)
        if failure is not None:
            return failure
    return None

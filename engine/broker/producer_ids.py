"""How a broker gets the producer ids that it hands out (PID-1 to PID-8).

Owns the broker's block of ids and the loop that claims the next one: read the node, write the following block
on the condition that the node has not changed, and begin again if it has. The condition compares the node's
stat version, not the format version in its JSON (CTR-4). The broker and ZooKeeper exchange only messages;
every step is a row of ``producer_id_states``. Source: Kafka's ``ProducerIdManager`` and
``ProducerIdBlockZNode``.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from engine.broker.producer_id_states import (
    ANSWERS,
    CLAIM,
    CLAIMING,
    CRASH,
    MACHINE,
    NO_REPLY,
    Situation,
)
from engine.errors import EngineError, Refused
from engine.happenings.brokers import BlockMoved, LateZooKeeperReply
from engine.messages import LONG_MAX, Effects, Send, ZooKeeperRead, ZooKeeperReply, ZooKeeperWrite
from engine.shapes.brokers import ProducerIdBlock
from engine.watching import Part, Watch

BLOCK_NODE = "/latest_producer_id_block"
ZOOKEEPER = "zookeeper"
TWO_TO_63 = 2**63


class Block(NamedTuple):
    """Ids ``start`` to ``end``, both included, and the broker that holds them."""

    broker: int
    start: int
    end: int

    def to_json(self) -> str:
        """The node's data. The bounds are strings, and ``version`` is that of the format (PID-2)."""
        return json.dumps(
            {"version": 1, "broker": self.broker, "block_start": str(self.start), "block_end": str(self.end)},
            separators=(",", ":"),
        )


def block_from_json(text: str) -> Block:
    """The block in a node's data. Raises EngineError, which quotes the data, when it is not a block."""
    try:
        data = json.loads(text)
        return Block(int(data["broker"]), int(data["block_start"]), int(data["block_end"]))
    except (ValueError, KeyError, TypeError) as error:
        raise EngineError(f"{BLOCK_NODE}: {text!r} is not a block ({error!r})") from error


def next_block(broker: int, latest: Block | None, size: int) -> Block:
    """The block that follows ``latest``; ids 0 to ``size`` - 1 when there is none (PID-3, CTR-5)."""
    start = 0 if latest is None else latest.end + 1
    return Block(broker, start, start + size - 1)


class _Turn:
    """The values that the effects of one row read and set. ``reply``: the reply of ZooKeeper that caused the
    row, or None. ``block``: the block that the step shows, or None. ``latest_end``: the last id of the node's
    block, if no further block fits after it."""

    __slots__ = ("block", "effects", "latest_end", "now", "reply")

    def __init__(self, now: int, reply: ZooKeeperReply | None) -> None:
        self.now = now
        self.reply = reply
        self.effects: Effects = []
        self.block: Block | None = None
        self.latest_end: int | None = None

    def name_block(self, block: Block | None) -> None:
        if block is not None:
            self.block = block


class ProducerIdManager:
    """One broker's block of ids, and the claim of its next block. ``claimed``: True after a claim succeeded,
    False after it failed, None before the first claim and while a claim runs."""

    __slots__ = (
        "block",
        "block_size",
        "broker_id",
        "check_version",
        "claimed",
        "correlation_id",
        "deadline",
        "next_id",
        "overflowed",
        "part",
        "reply_timeout_ms",
        "state",
        "wanted",
        "watch",
    )

    def __init__(
        self,
        broker_id: int,
        *,
        block_size: int,
        reply_timeout_ms: int,
        check_version: bool,
        watch: Watch,
        part: Part | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.part = part
        """The part of the view that shows the block."""
        self.block_size = block_size
        self.reply_timeout_ms = reply_timeout_ms
        self.check_version = check_version
        self.watch = watch
        self.state = MACHINE.initial
        self.block: Block | None = None
        self.next_id = 0
        self.wanted: Block | None = None
        """The block that the present claim last tried to write; None before, and after the write succeeded."""
        self.correlation_id = 0
        """The correlation id of the newest request to ZooKeeper; replies to older requests are ignored."""
        self.deadline: int | None = None
        self.claimed: bool | None = None
        self.overflowed = False
        """True once the broker has issued a negative id, which follows LONG_MAX (CTR-6)."""

    @property
    def is_claiming(self) -> bool:
        return self.state in CLAIMING

    @property
    def has_id(self) -> bool:
        """True when ``generate`` would return an id now."""
        block = self.block
        return block is not None and not self.is_claiming and self.next_id <= block.end

    def generate(self) -> int | None:
        """Issue and return the next id; None if a block must be claimed first (PID-5). Ids are signed 64-bit
        integers, as in Kafka: after LONG_MAX comes -2^63, which is issued without a claim."""
        block = self.block
        if block is None or self.is_claiming or self.next_id > block.end:
            return None
        issued = self.next_id
        if issued < 0:
            self.overflowed = True
        self.next_id = issued + 1 if issued != LONG_MAX else -TWO_TO_63
        self._touch()
        return issued

    def take(self) -> int:
        """Issue a producer id for a transactional id (PID-5). Raises EngineError unless ``has_id`` is true."""
        issued = self.generate()
        if issued is None:
            raise EngineError(f"{self._name}: no producer id to give to a transactional id (PID-5)")
        return issued

    def preset_next_id(self, next_id: int) -> None:
        """For the initial state of a run (GEN-7): set the id that this broker issues next. Raises Refused if
        the broker has no block, or if ``next_id`` is neither in the block nor the number after it."""
        block = self.block
        place = f"{self._name}.next_id"
        if block is None:
            raise Refused("GEN-7", place, "no_block", broker=self._name, next_id=next_id)
        if not block.start <= next_id <= block.end + 1:
            raise Refused(
                "GEN-7", place, "not_in_block", next_id=next_id, first=block.start, last=block.end + 1
            )
        self.next_id = next_id
        self._touch()

    def _touch(self) -> None:
        if self.part is not None and self.watch.recording:
            self.watch.touch(self.part)

    def claim(self, now: int) -> Effects:
        """Begin the claim loop by reading the node. Nothing happens if the loop runs already."""
        if self.is_claiming:
            return []
        self.claimed = None
        self.wanted = None
        return self._take(CLAIM, now, Situation(), None)

    def on_reply(self, reply: ZooKeeperReply, correlation_id: int, now: int) -> Effects:
        """Continue after a reply; a reply to an older request is ignored, because a later read shows its
        effect (PID-4)."""
        if correlation_id != self.correlation_id or not self.is_claiming:
            self.watch.emit(LateZooKeeperReply, self._name, correlation_id)
            return []
        self.deadline = None
        return self._take(ANSWERS[self.state], now, self._situation(reply), reply)

    def on_timer(self, now: int) -> Effects:
        """No reply came: read the node again, which shows whether the write was done (PID-4)."""
        if self.deadline is None or now < self.deadline or not self.is_claiming:
            return []
        return self._take(NO_REPLY, now, Situation(), None)

    def crash(self) -> None:
        """Drop the ids of the block that were not issued: ids may have gaps, but no id is issued twice
        (PID-6)."""
        self.state = MACHINE.take(self.state, CRASH, Situation()).target or MACHINE.initial
        self.block = None
        self.wanted = None
        self.deadline = None
        self.claimed = None
        self.next_id = 0

    def _situation(self, reply: ZooKeeperReply) -> Situation:
        if reply.written or reply.conflict:
            return Situation(written=reply.written)
        latest = None if reply.data is None else block_from_json(reply.data)
        return Situation(
            empty=latest is None,
            own=latest is not None and latest == self.wanted,
            full=latest is not None and latest.end > LONG_MAX - self.block_size,
        )

    def _take(self, on: str, now: int, situation: Situation, reply: ZooKeeperReply | None) -> Effects:
        row = MACHINE.take(self.state, on, situation)
        self.state = row.target or self.state
        turn = _Turn(now, reply)
        for effect in _EFFECTS[row.number]:
            effect(self, turn)
        block = turn.block
        self.watch.emit(
            BlockMoved,
            self._name,
            BLOCK_NODE,
            None if turn.reply is None else turn.reply.version,
            None if block is None else block.start,
            None if block is None else block.end,
            turn.latest_end,
            LONG_MAX - self.block_size,
            row,
            self.check_version,
        )
        return turn.effects

    # -- effects ---------------------------------------------------------------------------------------

    def _read(self, turn: _Turn) -> None:
        turn.effects.append(self._request(ZooKeeperRead(path=BLOCK_NODE), turn.now))

    def _keep(self, turn: _Turn) -> None:
        turn.name_block(self.wanted)
        if self.wanted is not None:
            self.block, self.next_id = self.wanted, self.wanted.start
            self.wanted = None
            self.claimed = True

    def _fail(self, turn: _Turn) -> None:
        """Note that no further block fits: the claim fails (PID-3)."""
        self.claimed = False
        turn.name_block(self.wanted)
        reply = turn.reply
        if reply is not None and reply.data is not None:
            turn.latest_end = block_from_json(reply.data).end

    def _write(self, turn: _Turn) -> None:
        """Write the block that follows the one that was read (CTR-4)."""
        reply = turn.reply
        if reply is None:
            raise EngineError(f"{self._name}: no block is written before the node was read (PID-3)")
        latest = None if reply.data is None else block_from_json(reply.data)
        self.wanted = next_block(self.broker_id, latest, self.block_size)
        turn.name_block(self.wanted)
        expected = reply.version if self.check_version else None
        write = ZooKeeperWrite(path=BLOCK_NODE, data=self.wanted.to_json(), expected_version=expected)
        turn.effects.append(self._request(write, turn.now))

    def _request(self, body: object, now: int) -> Send:
        self.correlation_id += 1
        self.deadline = now + self.reply_timeout_ms
        return Send(ZOOKEEPER, body, self.correlation_id)

    @property
    def _name(self) -> str:
        return f"broker-{self.broker_id}"

    def view(self) -> ProducerIdBlock | None:
        """The block as ``producer_id_block`` of docs/frame.md; None when there is none."""
        if self.block is None:
            return None
        return {"start": self.block.start, "end": self.block.end, "next": self.next_id}


_EFFECTS = MACHINE.bind(
    {
        "read": ProducerIdManager._read,
        "write": ProducerIdManager._write,
        "keep": ProducerIdManager._keep,
        "fail": ProducerIdManager._fail,
    }
)

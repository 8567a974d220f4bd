"""How a broker gets the producer ids that it hands out (PID-1 to PID-8).

Owns the broker's block of ids and the loop that claims the next one: read the node, write the block behind
it on the condition that nobody wrote since, start again when somebody did. The lock is the node's stat
version, not the format version in its JSON (CTR-4). It talks to ZooKeeper by messages only; every step is a
row of :data:`MACHINE`. After Kafka's ``ProducerIdManager`` and ``ProducerIdBlockZNode``.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from engine.errors import EngineError, Error
from engine.machine import Machine, Row
from engine.messages import LONG_MAX, Effects, Send, ZooKeeperRead, ZooKeeperReply, ZooKeeperWrite
from engine.shapes.brokers import ProducerIdBlock
from engine.watching import Watch

BLOCK_NODE = "/latest_producer_id_block"
ZOOKEEPER = "zookeeper"
TWO_TO_63 = 2**63


class Block(NamedTuple):
    """Ids ``start`` to ``end``, both included, and the broker that holds them."""

    broker: int
    start: int
    end: int

    def to_json(self) -> str:
        """As the node stores it: the bounds are strings, ``version`` is the format's (PID-2)."""
        return json.dumps(
            {"version": 1, "broker": self.broker, "block_start": str(self.start), "block_end": str(self.end)},
            separators=(",", ":"),
        )


def block_from_json(text: str) -> Block:
    """Read a node's data; EngineError names what is wrong with it."""
    try:
        data = json.loads(text)
        return Block(int(data["broker"]), int(data["block_start"]), int(data["block_end"]))
    except (ValueError, KeyError, TypeError) as error:
        raise EngineError(f"{BLOCK_NODE}: {text!r} is not a block ({error!r})") from error


def next_block(broker: int, latest: Block | None, size: int) -> Block:
    """The block behind the latest one; ids 0 to ``size`` - 1 when there is none (PID-3, CTR-5)."""
    start = 0 if latest is None else latest.end + 1
    return Block(broker, start, start + size - 1)


GUARDS = ("node_empty", "own_write", "exhausted", "room", "written", "conflict")
EFFECTS = ("read", "write", "keep", "fail")

_REPLIES = (
    Row(
        source="READING",
        on="data",
        when="own_write",
        target="HOLDING",
        effects=("keep",),
        why="broker.own_block_found",
        spec="PID-4",
    ),
    Row(
        source="READING",
        on="data",
        when="node_empty",
        target="WRITING",
        effects=("write",),
        why="broker.first_block_wanted",
        spec="PID-3",
    ),
    Row(
        source="READING",
        on="data",
        when="exhausted",
        target="EXHAUSTED",
        effects=("fail",),
        why="broker.producer_ids_exhausted",
        spec="PID-3",
    ),
    Row(
        source="READING",
        on="data",
        when="room",
        target="WRITING",
        effects=("write",),
        why="broker.next_block_wanted",
        spec="PID-3",
    ),
    Row(
        source="WRITING",
        on="written_reply",
        when="written",
        target="HOLDING",
        effects=("keep",),
        why="broker.block_claimed",
        spec="PID-3",
    ),
    Row(
        source="WRITING",
        on="written_reply",
        when="conflict",
        target="READING",
        effects=("read",),
        why="broker.block_lost_to_another",
        spec="PID-7",
    ),
)
MACHINE = Machine(
    "producer_id_block",
    "NO_BLOCK",
    (
        *(
            Row(
                source=state,
                on="claim",
                target="READING",
                effects=("read",),
                why="broker.block_node_read",
                spec=spec,
            )
            for state, spec in (("NO_BLOCK", "PID-6"), ("HOLDING", "PID-5"), ("EXHAUSTED", "PID-5"))
        ),
        *_REPLIES,
        *(
            Row(
                source=state,
                on="no_reply",
                target="READING",
                effects=("read",),
                why="broker.block_node_read_again",
                spec="PID-4",
            )
            for state in ("READING", "WRITING")
        ),
        *(
            Row(source=state, on="crash", target="NO_BLOCK", why="broker.block_abandoned", spec="PID-6")
            for state in ("NO_BLOCK", "READING", "WRITING", "HOLDING", "EXHAUSTED")
        ),
    ),
    guards=GUARDS,
    effects=EFFECTS,
)


class ProducerIdManager:
    """One broker's block and its claim.

    ``generate`` gives an id, or None when a claim must come first; ``claim`` starts one, ``on_reply`` and
    ``on_timer`` carry it on. ``claimed``: True after a claim succeeded, False after it failed, None while it
    runs.
    """

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
        "reply_timeout_ms",
        "state",
        "wanted",
        "watch",
    )

    def __init__(
        self, broker_id: int, *, block_size: int, reply_timeout_ms: int, check_version: bool, watch: Watch
    ) -> None:
        self.broker_id = broker_id
        self.block_size = block_size
        self.reply_timeout_ms = reply_timeout_ms
        self.check_version = check_version
        self.watch = watch
        self.state = MACHINE.initial
        self.block: Block | None = None
        self.next_id = 0
        self.wanted: Block | None = None
        """The block just written, until its reply is in."""
        self.correlation_id = 0
        """Of the newest request to ZooKeeper; replies to older ones come too late."""
        self.deadline: int | None = None
        self.claimed: bool | None = None
        self.overflowed = False
        """True once the id after LONG_MAX, a negative one, was issued (CTR-6)."""

    @property
    def is_claiming(self) -> bool:
        return self.state in ("READING", "WRITING")

    @property
    def has_id(self) -> bool:
        """True when ``generate`` would give an id now."""
        block = self.block
        return block is not None and not self.is_claiming and self.next_id <= block.end

    def generate(self) -> int | None:
        """The next id, or None when the block is used up and a claim must come first (PID-5).

        The comparison and the addition are Kafka's 64-bit ones: after LONG_MAX comes -2^63, which is not
        above the block's end and so is issued without a claim.
        """
        block = self.block
        if block is None or self.is_claiming or self.next_id > block.end:
            return None
        issued = self.next_id
        if issued < 0:
            self.overflowed = True
        self.next_id = issued + 1 if issued != LONG_MAX else -TWO_TO_63
        return issued

    def claim(self, now: int) -> Effects:
        """Start the claim loop: read the node first."""
        if self.is_claiming:
            return []
        self.claimed = None
        self.wanted = None
        return self._take(MACHINE.find(self.state, "claim"), now, None)

    def on_reply(self, reply: ZooKeeperReply, correlation_id: int, now: int) -> Effects:
        """Go on with a reply; one to an older request is ignored, a later read tells what it did (PID-4)."""
        if correlation_id != self.correlation_id or not self.is_claiming:
            self.watch.say(
                "broker.late_zookeeper_reply", ("PID-4",), broker=self._name, correlation_id=correlation_id
            )
            return []
        self.deadline = None
        if self.state == "READING":
            return self._take(MACHINE.find("READING", "data", self._read(reply)), now, reply)
        holds = {"written": reply.written, "conflict": not reply.written}
        return self._take(MACHINE.find("WRITING", "written_reply", holds), now, reply)

    def on_timer(self, now: int) -> Effects:
        """No reply came: read the node again to learn whether the write was done (PID-4)."""
        if self.deadline is None or now < self.deadline or not self.is_claiming:
            return []
        return self._take(MACHINE.find(self.state, "no_reply"), now, None)

    def crash(self) -> None:
        """The unissued rest of the block is abandoned: ids may have gaps, never repeats (PID-6)."""
        self.state = MACHINE.find(self.state, "crash").target or MACHINE.initial
        self.block = None
        self.wanted = None
        self.deadline = None
        self.claimed = None
        self.next_id = 0

    def _read(self, reply: ZooKeeperReply) -> dict[str, bool]:
        """Which guard of the READING rows holds; exactly one does."""
        latest = None if reply.data is None else block_from_json(reply.data)
        own = self.wanted is not None and latest == self.wanted
        exhausted = latest is not None and latest.end > LONG_MAX - self.block_size
        return {
            "own_write": own,
            "node_empty": latest is None and not own,
            "exhausted": exhausted and not own,
            "room": latest is not None and not exhausted and not own,
        }

    def _take(self, row: Row, now: int, reply: ZooKeeperReply | None) -> Effects:
        before, self.state = self.state, row.target or self.state
        watch = self.watch
        if watch.recording:
            watch.transition(MACHINE.name, self._name, before, self.state, row.on, MACHINE.number_of(row))
        effects: Effects = []
        wanted = self.wanted
        for effect in row.effects:
            if effect == "read":
                effects.append(self._request(ZooKeeperRead(path=BLOCK_NODE), now))
            elif effect == "write" and reply is not None:
                effects.append(self._write(reply, now))
            elif effect == "keep" and wanted is not None:
                self.block = wanted
                self.next_id = wanted.start
                self.wanted = None
                self.claimed = True
            elif effect == "fail":
                self.claimed = False
        self._say(row, reply, self.wanted or wanted)
        return effects

    def _write(self, reply: ZooKeeperReply, now: int) -> Send:
        latest = None if reply.data is None else block_from_json(reply.data)
        self.wanted = next_block(self.broker_id, latest, self.block_size)
        expected = reply.version if self.check_version else None
        return self._request(
            ZooKeeperWrite(path=BLOCK_NODE, data=self.wanted.to_json(), expected_version=expected), now
        )

    def _request(self, body: object, now: int) -> Send:
        self.correlation_id += 1
        self.deadline = now + self.reply_timeout_ms
        return Send(ZOOKEEPER, body, self.correlation_id)

    def _say(self, row: Row, reply: ZooKeeperReply | None, block: Block | None) -> None:
        watch = self.watch
        if not watch.recording:
            if watch.said is None:
                watch.said = row.why
            return
        params: dict[str, Any] = {"broker": self._name, "path": BLOCK_NODE}
        if reply is not None:
            params["version"] = reply.version
        if block is not None and row.effects != ("read",):
            params |= {"start": block.start, "end": block.end}
        if row.why == "broker.producer_ids_exhausted" and reply is not None and reply.data is not None:
            latest = block_from_json(reply.data)
            params["latest_end"] = latest.end
            watch.refuse(
                "PID-3",
                Error.UNKNOWN_SERVER_ERROR.name,
                [
                    ["latest block's end", latest.end],
                    ["highest end to go on from", LONG_MAX - self.block_size],
                ],
                "refusal.broker_cannot_hand_out",
            )
        watch.say(row.why, (row.spec,), **params)

    @property
    def _name(self) -> str:
        return f"broker-{self.broker_id}"

    def view(self) -> ProducerIdBlock | None:
        """``producer_id_block`` of docs/frame.md."""
        if self.block is None:
            return None
        return {"start": self.block.start, "end": self.block.end, "next": self.next_id}

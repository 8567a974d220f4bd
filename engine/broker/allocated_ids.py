"""A broker's producer ids in versions in which the controller hands out blocks of them (KIP-730; Kafka's
``RPCProducerIdManager``).

Owns the block from which the broker issues ids, and the next block, which the broker requests before the
first one is used up. A broker that starts has no block before the first request for an id. A broker that has
no id left responds with COORDINATOR_LOAD_IN_PROGRESS, and the client sends its request again. Every step of
the allocation is a row of ``allocation_states``.
"""

from __future__ import annotations

from engine.broker.allocation_states import (
    AWAITS,
    BLOCK,
    CRASH,
    MACHINE,
    MAY_WANT,
    NO_REPLY,
    REFUSED,
    WANT,
    Situation,
)
from engine.broker.lifecycle import Lifecycle
from engine.broker.outgoing import Outgoing
from engine.broker.producer_ids import Block
from engine.broker.setup import Setup
from engine.errors import NO_ERROR, EngineError, Refused
from engine.happenings.brokers import AllocationMoved, LateControllerAnswer
from engine.messages import AllocateProducerIdsRequest, AllocateProducerIdsResponse, Effects, Envelope
from engine.shapes.brokers import ProducerIdBlock
from engine.watching import Part

RETRY_BACKOFF_MS = 50
"""Pause in ms after the controller has refused a request for a block
(``ProducerIdManager.RetryBackoffMs``)."""


class AllocatedIds:
    """The blocks of producer ids of one broker, from which it issues ids. ``deadline``: when ``on_timer``
    requests a block, for the first time or again (virtual ms); 0: at once; None: no request is due."""

    __slots__ = (
        "_correlation",
        "_not_before",
        "_refused_with",
        "block",
        "deadline",
        "lifecycle",
        "next_block",
        "next_id",
        "outgoing",
        "part",
        "setup",
        "state",
    )

    def __init__(self, setup: Setup, lifecycle: Lifecycle, outgoing: Outgoing, part: Part) -> None:
        self.setup = setup
        self.lifecycle = lifecycle
        self.outgoing = outgoing
        self.part = part
        self.state = MACHINE.initial
        self.block: Block | None = None
        self.next_id = 0
        self.next_block: Block | None = None
        self.deadline: int | None = None
        self._correlation = 0
        self._not_before = 0
        self._refused_with = NO_ERROR

    @property
    def has_id(self) -> bool:
        """True when ``generate`` would return an id now."""
        block = self.block
        return self.next_block is not None or (block is not None and self.next_id <= block.end)

    def generate(self) -> int | None:
        """Issue and return the next id; None if none is left. When nine tenths of the block are issued,
        ``on_timer`` becomes due and requests the next block."""
        block = self.block
        if block is None or self.next_id > block.end:
            block = self.next_block
            if block is None:
                return None
            self.block, self.next_block, self.next_id = block, None, block.start
        issued = self.next_id
        self.next_id += 1
        if issued == block.start + (block.end - block.start + 1) * 9 // 10 and self.state in MAY_WANT:
            self.deadline = 0
        self._touch()
        return issued

    def take(self) -> int:
        """Issue a producer id for a transactional id (PID-5). Raises EngineError unless ``has_id`` is true."""
        issued = self.generate()
        if issued is None:
            raise EngineError(f"{self.setup.name}: no producer id to give to a transactional id (PID-5)")
        return issued

    def preset_next_id(self, next_id: int) -> None:
        """For the initial state of a run (GEN-7): set the id that this broker issues next. Raises Refused if
        the broker has no block, or if ``next_id`` is neither in the block nor the number after it."""
        if self.block is None:
            self.block, self.next_block = self.next_block, None
        block = self.block
        place = f"{self.setup.name}.next_id"
        if block is None:
            raise Refused("GEN-7", place, "no_block", broker=self.setup.name, next_id=next_id)
        if not block.start <= next_id <= block.end + 1:
            raise Refused(
                "GEN-7", place, "not_in_block", next_id=next_id, first=block.start, last=block.end + 1
            )
        self.next_id = next_id
        self._touch()

    def claim(self, now: int) -> Effects:
        """Request a block, unless such a request is in flight or the pause after a refusal is not over."""
        return self._take(WANT, now, Situation(now < self._not_before)) if self.state in MAY_WANT else []

    def on_timer(self, now: int) -> Effects:
        deadline = self.deadline
        if deadline is None or now < deadline:
            return []
        if self.state in AWAITS:
            return self._take(NO_REPLY, now, Situation())
        self.deadline = None
        return self.claim(now)

    def on_answer(self, envelope: Envelope, now: int) -> Effects:
        answer = envelope.body
        if type(answer) is not AllocateProducerIdsResponse:
            raise EngineError(f"{self.setup.name}: {answer!r} answers no AllocateProducerIds")
        if envelope.correlation_id != self._correlation or self.state not in AWAITS:
            name = self.setup.name
            self.setup.watch.emit(LateControllerAnswer, name, answer.api, envelope.correlation_id)
            return []
        self.deadline = None
        if answer.error is not NO_ERROR:
            self._refused_with = answer.error
            return self._take(REFUSED, now, Situation())
        start = answer.producer_id_start
        self.next_block = Block(self.setup.broker_id, start, start + answer.producer_id_len - 1)
        return self._take(BLOCK, now, Situation())

    def crash(self, now: int = 0) -> None:
        """Drop the ids of both blocks that were not issued: ids may have gaps, but no id is issued twice
        (PID-6)."""
        if self.block is not None or self.next_block is not None or self.state != MACHINE.initial:
            self._take(CRASH, now, Situation())

    def _take(self, on: str, now: int, situation: Situation) -> Effects:
        row = MACHINE.take(self.state, on, situation)
        self.state = row.target or self.state
        effects: Effects = []
        for effect in _EFFECTS[row.number]:
            effect(self, effects, now)
        block, following = self.block, self.next_block
        self.setup.watch.emit(
            AllocationMoved,
            self.setup.name,
            None if block is None else self.next_id,
            None if block is None else block.end,
            None if following is None else following.start,
            None if following is None else following.end,
            self._refused_with,
            self._not_before,
            row,
        )
        self._touch()
        return effects

    # -- effects ---------------------------------------------------------------------------------------

    def _ask(self, effects: Effects, now: int) -> None:
        epoch = self.lifecycle.epoch
        send = self.outgoing.to_controller(
            AllocateProducerIdsRequest(broker=self.setup.broker_id, broker_epoch=epoch)
        )
        self._correlation = send.correlation_id
        self.deadline = now + self.setup.configuration.controller_reply_timeout_ms
        effects.append(send)

    def _keep(self, effects: Effects, now: int) -> None:
        """Does nothing: ``on_answer`` has stored the block already."""

    def _back_off(self, effects: Effects, now: int) -> None:
        self._not_before = now + RETRY_BACKOFF_MS

    def _forget(self, effects: Effects, now: int) -> None:
        self.block = self.next_block = self.deadline = None
        self.next_id = 0

    def _touch(self) -> None:
        if self.setup.watch.recording:
            self.setup.watch.touch(self.part)

    def view(self) -> ProducerIdBlock | None:
        """The block as ``producer_id_block`` of docs/frame.md; None when there is none."""
        if self.block is None:
            return None
        return {"start": self.block.start, "end": self.block.end, "next": self.next_id}

    def view_next(self) -> ProducerIdBlock | None:
        """The block that was received and from which no id was issued yet, as ``next_block`` of the shape
        ``BrokerFields``; None when there is none."""
        if self.next_block is None:
            return None
        return {"start": self.next_block.start, "end": self.next_block.end, "next": self.next_block.start}


_EFFECTS = MACHINE.bind(
    {
        "ask": AllocatedIds._ask,
        "keep": AllocatedIds._keep,
        "back_off": AllocatedIds._back_off,
        "forget": AllocatedIds._forget,
    }
)

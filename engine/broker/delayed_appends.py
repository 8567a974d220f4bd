"""The appends that wait for replication. Decides when an append has ended, and with which result (LOG-2).

An append that waits belongs to a client's Produce request, or to a part of this broker, which ``done`` names:
a coordinator's host, or the handler of WriteTxnMarkers.
"""

from __future__ import annotations

from bisect import insort

from engine.broker.replica import AppendWaiter, DelayedProduce, Replica
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.errors import NO_ERROR, Error
from engine.happenings.logs import AppendNotReplicated, ProduceAnswered, ProduceTimedOut
from engine.messages import Effects, PartitionProduceResponse, ProduceResponse, Send


def _deadline(delayed: DelayedProduce) -> int:
    return delayed.deadline


class DelayedAppends:
    """The waiting appends of one broker, in the order of their deadlines."""

    __slots__ = ("by_deadline", "name", "replicas", "watch")

    def __init__(self, setup: Setup, replicas: Replicas) -> None:
        self.name = setup.name
        self.watch = setup.watch
        self.replicas = replicas
        self.by_deadline: list[DelayedProduce] = []

    def crash(self) -> None:
        self.by_deadline.clear()

    def wait(
        self,
        answers: dict[str, PartitionProduceResponse],
        waits: dict[str, tuple[int, int]],
        deadline: int,
        *,
        client: str,
        correlation_id: int = 0,
        done: tuple[AppendWaiter, object] | None = None,
    ) -> None:
        """Hold back the response to an append until every partition in ``waits`` is replicated, or until the
        deadline (ms). ``waits``: dict of partition → (offset that the high watermark must reach, leader
        epoch)."""
        delayed = DelayedProduce(client, correlation_id, deadline, done)
        delayed.offsets = waits
        delayed.answers = answers
        delayed.waits = len(waits)
        for partition in waits:
            replica = self.replicas[partition]
            replica.waiting.append(delayed)
            replica.touch()
        waiting = self.by_deadline
        if not waiting or waiting[-1].deadline <= deadline:
            waiting.append(delayed)
        else:
            insort(waiting, delayed, key=_deadline)

    def complete(self, replica: Replica, now: int) -> Effects:
        """Note the result of this partition in each append that waits for it, if the result is known now
        (LOG-2): success, NOT_ENOUGH_REPLICAS_AFTER_APPEND if too few replicas are in sync, or
        NOT_LEADER_OR_FOLLOWER if this broker no longer leads under the leader epoch of the append. Neither
        error removes the data from the log. Returns the effects of the appends that have ended."""
        if not replica.waiting:
            return []
        effects: Effects = []
        still: list[DelayedProduce] = []
        ended: list[DelayedProduce] = []
        partition = replica.partition
        high_watermark = replica.log.high_watermark
        leads = replica.is_leader
        for delayed in replica.waiting:
            until, leader_epoch = delayed.offsets[partition]
            if not leads or replica.leader_epoch != leader_epoch:
                self._finish(delayed, partition, Error.NOT_LEADER_OR_FOLLOWER, effects, ended)
            elif high_watermark >= until:
                enough = len(replica.isr) >= replica.min_isr
                error = NO_ERROR if enough else Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND
                self._finish(delayed, partition, error, effects, ended)
            else:
                still.append(delayed)
        if len(still) != len(replica.waiting):
            replica.waiting = still
            replica.touch()
        if ended:
            effects += self._continue_parts(ended, now)
        return effects

    def _continue_parts(self, ended: list[DelayedProduce], now: int) -> Effects:
        """Call the parts of the broker that wait for these appends. They may append again, so this comes
        after the loop over the waiting appends."""
        effects: Effects = []
        for delayed in ended:
            if delayed.done is not None:
                part, argument = delayed.done
                effects.extend(part.appended(argument, delayed.answers, now))
        return effects

    def _finish(
        self,
        delayed: DelayedProduce,
        partition: str,
        error: Error,
        effects: Effects,
        ended: list[DelayedProduce],
    ) -> None:
        until, _ = delayed.offsets.pop(partition)
        answer = delayed.answers[partition]
        watch = self.watch
        if error is not NO_ERROR:
            delayed.answers[partition] = PartitionProduceResponse(
                error=error, log_start_offset=answer.log_start_offset
            )
            replica = self.replicas[partition]
            watch.emit(
                AppendNotReplicated,
                self.name,
                partition,
                base_offset=answer.base_offset,
                until_offset=until,
                high_watermark=replica.log.high_watermark,
                in_sync=len(replica.isr),
                min_isr=replica.min_isr,
                client=delayed.client,
                error=error,
                for_broker=delayed.done is not None,
            )
        delayed.waits -= 1
        if delayed.waits:
            return
        self.by_deadline.remove(delayed)
        if delayed.done is not None:
            ended.append(delayed)
            return
        effects.append(
            Send(delayed.client, ProduceResponse(partitions=delayed.answers), delayed.correlation_id, True)
        )
        if error is Error.NONE:
            watch.emit(ProduceAnswered, self.name, delayed.client, partition, until)

    def time_out(self, now: int) -> Effects:
        """End the appends whose deadline has passed. Their result is REQUEST_TIMED_OUT; their data stays in
        the log."""
        effects: Effects = []
        ended: list[DelayedProduce] = []
        while self.by_deadline and self.by_deadline[0].deadline <= now:
            delayed = self.by_deadline[0]
            self.watch.emit(ProduceTimedOut, self.name, delayed.client, tuple(delayed.offsets))
            for partition in list(delayed.offsets):
                replica = self.replicas[partition]
                replica.waiting.remove(delayed)
                replica.touch()
                self._finish(delayed, partition, Error.REQUEST_TIMED_OUT, effects, ended)
        return effects + self._continue_parts(ended, now)

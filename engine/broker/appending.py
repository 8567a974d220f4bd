"""How a leader appends a batch: it applies the rules in order, appends to the log, and with acks=all waits for
replication (LOG-1, LOG-2).

Clients' batches, markers and coordinators' records are appended in the same way. The broker's rules are in
``produce_rules``, the log's own in ``append_rules``; ``delayed_appends`` holds the appends that wait.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.broker.appended import Appended
from engine.broker.cluster_view import ClusterView
from engine.broker.delayed_appends import DelayedAppends
from engine.broker.permissions import Permissions
from engine.broker.produce_rules import ACKS_ALL, INTERNAL_RULES, Arriving, Rules, refused
from engine.broker.replica import AppendWaiter, Replica
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.broker.validation import Origin
from engine.broker.verification import Verified, unguarded
from engine.errors import NO_ERROR, Error
from engine.happenings.appends import BrokerBatchReached, ClientBatchReached
from engine.happenings.verification import Unsafe, WriteNotAllowed
from engine.messages import Effects, PartitionProduceResponse, ProduceRequest, RecordBatch
from engine.rules import refusal

_CLIENT = Origin.CLIENT


@dataclass(slots=True)
class Appends:
    """The results of one request's batches. ``answers``: dict of partition → result. ``waits``: dict of
    partition → (offset that the high watermark must reach, leader epoch of the append)."""

    answers: dict[str, PartitionProduceResponse] = field(default_factory=dict)
    waits: dict[str, tuple[int, int]] = field(default_factory=dict)
    effects: Effects = field(default_factory=list)


class Appending:
    """How one broker appends to the partitions that it leads."""

    __slots__ = ("cluster", "delayed", "permissions", "replicas", "setup")

    def __init__(
        self,
        setup: Setup,
        replicas: Replicas,
        delayed: DelayedAppends,
        cluster: ClusterView,
        permissions: Permissions,
    ) -> None:
        self.setup = setup
        self.replicas = replicas
        self.delayed = delayed
        self.cluster = cluster
        self.permissions = permissions

    def arriving(self, request: ProduceRequest) -> Arriving:
        """Make the object that the rules read. The caller sets its ``partition``, ``batch`` and ``replica``
        for one batch of the request after the other."""
        return Arriving(self.setup, self.permissions, self.cluster, request)

    def for_broker(
        self,
        batches: dict[str, RecordBatch],
        done: tuple[AppendWaiter, object],
        now: int,
        *,
        timeout_ms: int,
        acks: int = ACKS_ALL,
    ) -> Effects:
        """Append records of this broker itself: a coordinator's record or a marker. ``done``: (part of the
        broker, argument). When the append has ended, the part's method ``appended`` is called with the
        argument and the results: after ``timeout_ms`` at the latest, and possibly before this method
        returns."""
        name = self.setup.name
        request = ProduceRequest(None, acks, timeout_ms, batches)
        made = self.append_all(request, INTERNAL_RULES, Origin.COORDINATOR, name, now)
        if made.waits and acks == ACKS_ALL:
            self.delayed.wait(made.answers, made.waits, now + timeout_ms, client=name, done=done)
            return made.effects
        part, argument = done
        return made.effects + part.appended(argument, made.answers, now)

    def append_all(
        self,
        request: ProduceRequest,
        rules: Rules,
        origin: Origin,
        source: str,
        now: int,
        verified: Verified | None = None,
    ) -> Appends:
        """Check each batch of a request against the rules, and append it if it passes; a refused batch does
        not stop the others. ``source``: the name of the client, or of this broker. ``verified``: the results
        of the verification; None: this append needs none."""
        made = Appends()
        unverified = {} if verified is None else verified.errors
        arriving = self.arriving(request)
        replicas = self.replicas
        for partition, batch in request.batches.items():
            replica = replicas.get(partition)
            arriving.partition, arriving.batch, arriving.replica = partition, batch, replica
            answer = None
            if verified is not None and partition in unverified:
                error = unverified[partition]
                found, seen = verified.responded.get(partition, error), verified.sees.get(error, error)
                self._emit_not_allowed(partition, batch, source, Unsafe.REFUSED, found, seen)
                made.answers[partition] = PartitionProduceResponse(error=seen, underlying=error)
                continue
            rule = refusal(rules, arriving)
            if rule is not None:
                answer = refused(arriving, rule, origin)
            if verified is not None and answer is None and replica is not None:
                answer = self._unverified(replica, batch, verified, source)
            if answer is None and replica is not None:
                answer = self._append(replica, batch, request.acks, source, origin, now, made)
            if answer is not None and verified is not None and partition in verified.stale:
                # Kafka refuses this batch before the append, so the response has no log start.
                answer = PartitionProduceResponse(error=answer.error, underlying=answer.error)
            if answer is not None:
                made.answers[partition] = answer
        return made

    def _unverified(
        self, replica: Replica, batch: RecordBatch, verified: Verified, source: str
    ) -> PartitionProduceResponse | None:
        if replica.partition in verified.stale:
            return None  # The log refuses this batch by its epoch.
        log = replica.log
        epoch_first = self.setup.switches.epoch_before_verification
        guard = verified.guards.get(replica.partition)
        found = unguarded(log.producers, batch, guard, epoch_first=epoch_first)
        if found is None:
            return None
        error, why = found
        self._emit_not_allowed(replica.partition, batch, source, why, error, error)
        return PartitionProduceResponse(error=error, log_start_offset=log.log_start)

    def _emit_not_allowed(
        self, partition: str, batch: RecordBatch, source: str, why: Unsafe, found: Error, error: Error
    ) -> None:
        replica = self.replicas.get(partition)
        awaited = None if replica is None else replica.log.producers.awaited.get(batch.producer_id)
        self.setup.watch.emit(
            WriteNotAllowed,
            self.setup.name,
            source,
            partition,
            why,
            found,
            error,
            batch.producer_id,
            batch.producer_epoch,
            batch.base_sequence,
            batch.last_sequence,
            batch.base_sequence if awaited is None else awaited.lowest_sequence,
        )

    def _append(
        self,
        replica: Replica,
        batch: RecordBatch,
        acks: int,
        source: str,
        origin: Origin,
        now: int,
        made: Appends,
    ) -> PartitionProduceResponse:
        """Append the batch to the log. ``made`` receives the offset to wait for with acks=all."""
        log = replica.log
        appended = log.append_as_leader((batch,), now, leader_epoch=replica.leader_epoch, origin=origin)
        error = appended.error
        if error is not NO_ERROR:
            self._emit(replica, batch, appended, source, acks, origin)
            return PartitionProduceResponse(error=error, log_start_offset=log.log_start)
        if appended.rule is None:
            self.replicas.changed_partitions.add(replica.partition)
            self.replicas.note_append(replica, batch, now)
            if replica.advance_high_watermark():
                made.effects.extend(self.delayed.complete(replica, now))
        until = appended.last_offset + 1
        if acks == ACKS_ALL and log.high_watermark < until:
            made.waits[replica.partition] = (until, replica.leader_epoch)
        self._emit(replica, batch, appended, source, acks, origin)
        return PartitionProduceResponse(error, appended.base_offset, appended.log_append_time, log.log_start)

    def _emit(
        self,
        replica: Replica,
        batch: RecordBatch,
        appended: Appended,
        source: str,
        acks: int,
        origin: Origin,
    ) -> None:
        log, watch, name = replica.log, self.setup.watch, self.setup.name
        rules = log.producers.rules
        if origin is _CLIENT:
            if watch.hears(ClientBatchReached):
                watch.emit(
                    ClientBatchReached,
                    name,
                    replica.partition,
                    source,
                    batch,
                    appended,
                    acks,
                    log.log_end,
                    log.high_watermark,
                    rules.shown_data[appended.level],
                )
        elif watch.hears(BrokerBatchReached):
            shown = rules.shown_data[appended.level]
            if batch.is_control:
                shown = rules.shown_markers[log.marker_levels[Origin.COORDINATOR]]
            watch.emit(
                BrokerBatchReached,
                name,
                replica.partition,
                batch,
                appended,
                acks,
                log.last_stable_offset,
                log.high_watermark,
                shown,
            )

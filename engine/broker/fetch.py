"""How a broker answers a consumer's Fetch (CON-1)."""

from __future__ import annotations

from engine.broker.cluster_view import ClusterView
from engine.broker.partition_log import PartitionLog
from engine.broker.replica import Replica
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.errors import EngineError, Error
from engine.happenings.codes import Compared, Next, Reason
from engine.happenings.logs import FetchAnswered
from engine.happenings.requests import RequestRefused
from engine.messages import (
    Effects,
    Envelope,
    FetchRequest,
    FetchResponse,
    PartitionFetchResponse,
    RecordBatch,
    Send,
)
from engine.rules import Rule, refusal

READ_COMMITTED = "read_committed"


class Asking:
    """The values that the checks of one partition of a Fetch request read. ``replica``: this broker's replica
    of the partition, or None."""

    __slots__ = ("cluster", "fetch_offset", "partition", "replica")

    def __init__(
        self, partition: str, fetch_offset: int, replica: Replica | None, cluster: ClusterView
    ) -> None:
        self.partition = partition
        self.fetch_offset = fetch_offset
        self.replica = replica
        self.cluster = cluster


def partition_unknown(asking: Asking) -> bool:
    return asking.partition not in asking.cluster.metadata


def not_leader(asking: Asking) -> bool:
    return asking.replica is None or not asking.replica.is_leader


def out_of_range(asking: Asking) -> bool:
    """The offset is below the log start, or above the log end."""
    replica = asking.replica
    if replica is None:
        return False
    return not replica.log.log_start <= asking.fetch_offset <= replica.log.log_end


_SAYS = ("broker", "partition", "fetch_offset", "log_start", "log_end")
_COMPARES = (
    (Compared.FETCH_OFFSET, "fetch_offset"),
    (Compared.LOG_START, "log_start"),
    (Compared.LOG_END, "log_end"),
)
FETCH_RULES: tuple[Rule[Asking], ...] = (
    Rule(
        when=partition_unknown,
        answer=Error.UNKNOWN_TOPIC_OR_PARTITION,
        spec="MSG-4",
        why=Reason.PARTITION_UNKNOWN,
        then=Next.CLIENT_REFRESHES_METADATA,
        says=_SAYS,
        compares=_COMPARES,
    ),
    Rule(
        when=not_leader,
        answer=Error.NOT_LEADER_OR_FOLLOWER,
        spec="CON-1",
        why=Reason.FETCH_NOT_LEADER,
        then=Next.CLIENT_REFRESHES_METADATA,
        says=_SAYS,
        compares=_COMPARES,
    ),
    Rule(
        when=out_of_range,
        answer=Error.OFFSET_OUT_OF_RANGE,
        spec="CON-1",
        why=Reason.FETCH_OUT_OF_RANGE,
        then=Next.CONSUMER_RESETS_POSITION,
        says=_SAYS,
        compares=_COMPARES,
    ),
)


class FetchHandler:
    """Handles the Fetch requests of consumers at one broker."""

    __slots__ = ("cluster", "replicas", "setup")

    def __init__(self, setup: Setup, replicas: Replicas, cluster: ClusterView) -> None:
        self.setup = setup
        self.replicas = replicas
        self.cluster = cluster

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Respond with a result for every partition."""
        request = envelope.body
        if type(request) is not FetchRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a Fetch request")
        answers = {
            partition: self._read(envelope.source, partition, offset, request.isolation)
            for partition, offset in request.offsets.items()
        }
        return [Send(envelope.source, FetchResponse(partitions=answers), envelope.correlation_id, True)]

    def _read(
        self, consumer: str, partition: str, fetch_offset: int, isolation: str
    ) -> PartitionFetchResponse:
        """Read whole batches of one segment up to the high watermark, or with read_committed up to the last
        stable offset."""
        asking = Asking(partition, fetch_offset, self.replicas.get(partition), self.cluster)
        rule = refusal(FETCH_RULES, asking)
        if rule is not None:
            return self._refused(asking, rule)
        replica = asking.replica
        if replica is None:
            raise EngineError(f"{self.setup.name}: no replica of {partition} after the rules")
        log = replica.log
        batches, aborted = log.read(
            fetch_offset,
            committed=isolation == READ_COMMITTED,
            batches_max=self.setup.configuration.consumer_fetch_batches_max,
        )
        if self.setup.watch.hears(FetchAnswered):
            self._emit_answered(consumer, asking, isolation, log, batches, aborted)
        return PartitionFetchResponse(
            error=Error.NONE,
            batches=batches,
            high_watermark=log.high_watermark,
            last_stable_offset=log.last_stable_offset,
            log_start_offset=log.log_start,
            aborted=aborted,
        )

    def _emit_answered(
        self,
        consumer: str,
        asking: Asking,
        isolation: str,
        log: PartitionLog,
        batches: tuple[RecordBatch, ...],
        aborted: tuple[tuple[int, int], ...],
    ) -> None:
        stable = log.last_stable_offset
        undecided = stable < log.high_watermark
        committed = isolation == READ_COMMITTED
        self.setup.watch.emit(
            FetchAnswered,
            self.setup.name,
            consumer,
            asking.partition,
            asking.fetch_offset,
            isolation,
            next_offset=batches[-1].last_offset + 1 if batches else asking.fetch_offset,
            batch_count=len(batches),
            high_watermark=log.high_watermark,
            last_stable_offset=stable,
            held=undecided and committed,
            holder=log.producers.open_transactions.get(stable),
            too_early=undecided and not committed and bool(batches) and batches[-1].last_offset >= stable,
            aborted=tuple(aborted),
        )

    def _refused(self, asking: Asking, rule: Rule[Asking]) -> PartitionFetchResponse:
        replica = asking.replica
        log = None if replica is None else replica.log
        log_start = 0 if log is None else log.log_start
        facts = {
            "broker": self.setup.name,
            "partition": asking.partition,
            "fetch_offset": asking.fetch_offset,
            "log_start": log_start,
            "log_end": 0 if log is None else log.log_end,
        }
        self.setup.watch.emit(RequestRefused, rule, facts)
        return PartitionFetchResponse(
            error=rule.answer,
            log_start_offset=log_start,
            high_watermark=0 if log is None else log.high_watermark,
            last_stable_offset=0 if log is None else log.last_stable_offset,
        )

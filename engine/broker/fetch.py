"""How a broker answers a consumer's Fetch (CON-1)."""

from __future__ import annotations

from engine.broker.cluster_view import ClusterView
from engine.broker.partition_log import PartitionLog
from engine.broker.replica import Replica
from engine.broker.replicas import Replicas
from engine.broker.setup import Setup
from engine.errors import EngineError, Error
from engine.happenings.codes import Next, Reason
from engine.happenings.requests import RequestRefused
from engine.messages import Effects, Envelope, FetchRequest, FetchResponse, RecordBatch, Send
from engine.rules import Rule, refusal

READ_COMMITTED = "read_committed"


class Asking:
    """A Fetch at a broker: all that a check may look at."""

    __slots__ = ("cluster", "replica", "request")

    def __init__(self, request: FetchRequest, replica: Replica | None, cluster: ClusterView) -> None:
        self.request = request
        self.replica = replica
        self.cluster = cluster


def partition_unknown(asking: Asking) -> bool:
    return asking.request.partition not in asking.cluster.metadata


def not_leader(asking: Asking) -> bool:
    return asking.replica is None or not asking.replica.is_leader


def out_of_range(asking: Asking) -> bool:
    """Below the log start, or above the log end."""
    replica = asking.replica
    if replica is None:
        return False
    return not replica.log.log_start <= asking.request.fetch_offset <= replica.log.log_end


_SAYS = ("broker", "partition", "fetch_offset", "log_start", "log_end")
_COMPARES = (("fetch offset", "fetch_offset"), ("log start", "log_start"), ("log end", "log_end"))
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
    """Fetch requests of consumers at one broker."""

    __slots__ = ("cluster", "replicas", "setup")

    def __init__(self, setup: Setup, replicas: Replicas, cluster: ClusterView) -> None:
        self.setup = setup
        self.replicas = replicas
        self.cluster = cluster

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Whole batches of one segment up to the high watermark or the LSO, with the aborted list."""
        request = envelope.body
        if type(request) is not FetchRequest:
            raise EngineError(f"{self.setup.name}: {request!r} is not a Fetch request")
        asking = Asking(request, self.replicas.get(request.partition), self.cluster)
        rule = refusal(FETCH_RULES, asking)
        if rule is not None:
            return [Send(envelope.source, self._refused(asking, rule), envelope.correlation_id, True)]
        replica = asking.replica
        if replica is None:
            raise EngineError(f"{self.setup.name}: no replica of {request.partition} after the rules")
        log = replica.log
        batches, aborted = log.read(
            request.fetch_offset,
            committed=request.isolation == READ_COMMITTED,
            batches_max=self.setup.configuration.consumer_fetch_batches_max,
        )
        watch = self.setup.watch
        if watch.recording:
            watch.say(
                "broker.fetch_answered" if batches else "broker.fetch_answered_empty",
                ("CON-1",),
                broker=self.setup.name,
                consumer=envelope.source,
                partition=request.partition,
                fetch_offset=request.fetch_offset,
                isolation=request.isolation,
                next_offset=batches[-1].last_offset + 1 if batches else request.fetch_offset,
                batch_count=len(batches),
                high_watermark=log.high_watermark,
                last_stable_offset=log.last_stable_offset,
            )
            self._note_transactions(asking, log, batches, aborted)
        else:
            watch.said = watch.said or "broker.fetch_answered"
        answer = FetchResponse(
            partition=request.partition,
            error=Error.NONE,
            batches=batches,
            high_watermark=log.high_watermark,
            last_stable_offset=log.last_stable_offset,
            log_start_offset=log.log_start,
            aborted=aborted,
        )
        return [Send(envelope.source, answer, envelope.correlation_id, True)]

    def _note_transactions(
        self,
        asking: Asking,
        log: PartitionLog,
        batches: tuple[RecordBatch, ...],
        aborted: tuple[tuple[int, int], ...],
    ) -> None:
        """What transactions have to do with the answer: who holds a reader back, what it gets too early, and which
        of its records count as aborted (CON-1, CON-2, CON-5)."""
        watch, stable = self.setup.watch, log.last_stable_offset
        known = {"broker": self.setup.name, "partition": asking.request.partition}
        if stable < log.high_watermark:
            open_transactions = log.producers.open_transactions
            if asking.request.isolation == READ_COMMITTED:
                watch.note(
                    "broker.readers_wait_for_transaction",
                    ("CON-5", "LOG-8"),
                    last_stable_offset=stable,
                    high_watermark=log.high_watermark,
                    producer_id=open_transactions.get(stable),
                    partition=asking.request.partition,
                )
            elif batches and batches[-1].last_offset >= stable:
                watch.note("broker.undecided_given", ("CON-2",), last_stable_offset=stable, **known)
        if aborted:
            listed = [f"PID {producer_id} from {first}" for producer_id, first in aborted]
            watch.note("broker.aborted_listed", ("CON-1", "LOG-9"), aborted=listed, **known)

    def _refused(self, asking: Asking, rule: Rule[Asking]) -> FetchResponse:
        request, replica = asking.request, asking.replica
        log = None if replica is None else replica.log
        log_start = 0 if log is None else log.log_start
        facts = {
            "broker": self.setup.name,
            "partition": request.partition,
            "fetch_offset": request.fetch_offset,
            "log_start": log_start,
            "log_end": 0 if log is None else log.log_end,
        }
        self.setup.watch.emit(RequestRefused, rule, facts)
        return FetchResponse(
            partition=request.partition,
            error=rule.answer,
            log_start_offset=log_start,
            high_watermark=0 if log is None else log.high_watermark,
            last_stable_offset=0 if log is None else log.last_stable_offset,
        )

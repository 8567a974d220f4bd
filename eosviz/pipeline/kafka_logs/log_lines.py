"""Lines of a broker's or a client's own log that tell of transactions: which they are, and what each says.

A log tells what happened and never what is the case: that a transaction is open now, only the partition's log
says. So a line is evidence beside a verdict; where there is nothing else, it narrows what remains possible.

Source: the messages of Kafka's `LogManager`, `UnifiedLog`, `LogLoader`, `ProducerStateManager`, `ProducerAppendInfo`,
`TransactionCoordinator`, `TransactionMarkerRequestCompletionHandler` and the clients' `TransactionManager`, of 2.0 to
4.1; of librdkafka, `debug=eos`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from eosviz.pipeline.kafka_logs.text_fields import whole
from eosviz.pipeline.kafka_logs.verdict_kinds import NOT_HEALTHY, VerdictKind
from eosviz.pipeline.kafka_logs.words import Words, words


@dataclass(frozen=True, slots=True)
class LogLine:
    """What one line says. Everything but its place comes from the line."""

    kind: str
    """A key of `KINDS`."""
    place: str
    time: str
    """As printed; the zone is not in it."""
    partition: str | None = None
    producer_id: int | None = None
    epoch: int | None = None
    transactional_id: str | None = None
    params: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kind:
    """A message, and what is still possible of a transaction that it tells of; nothing where it says nothing."""

    message: re.Pattern[str]
    leaves: tuple[VerdictKind, ...] = ()


_HEALTHY, _OWES = VerdictKind.HEALTHY, VerdictKind.COORDINATOR_OWES_MARKER
_ORPHAN, _FENCED, _LATE = VerdictKind.ORPHAN, VerdictKind.FENCED_WRITER, VerdictKind.LATE_WRITE
_PARTITION = r"(?P<partition>[a-zA-Z0-9._-]{1,249}-\d{1,10})"
_ERROR = r"(?:org\.apache\.kafka\.common\.errors\.)?(?P<error>[A-Za-z_]\w{0,99})"
_PRODUCER = r"(?P<producer_id>\d{1,19})"
_EPOCH = r"(?P<epoch>\d{1,5})"
_OFFSET = r"(?P<offset>\d{1,19})"
_CLIENT = r"\[Producer clientId=[^\]]*?transactionalId=(?P<transactional_id>[^\]]+)\] "
_STATES = r"(?P<before>\w{1,60}) (?:->|to) (?P<after>\w{1,60})"
_RDKAFKA = r"\|[A-Z]\w*\|"

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "loaded": Kind(
            re.compile(
                r"Completed load of Log\(dir=.*?topic=(?P<topic>[a-zA-Z0-9._-]{1,249}), partition=(?P<number>\d{1,10})"
                r", highWatermark=(?P<high_watermark>\d{1,19}), lastStableOffset=(?P<last_stable_offset>\d{1,19}), "
                r"logStartOffset=(?P<log_start>\d{1,19}), logEndOffset=(?P<log_end>\d{1,19})\)"
            )
        ),
        "producer_state_loaded": Kind(
            re.compile(rf"partition={_PARTITION}\b.*?Loading producer state till offset {_OFFSET}")
        ),
        "snapshot_written": Kind(
            re.compile(rf"partition={_PARTITION}\].*?Wrote producer snapshot at offset {_OFFSET}")
        ),
        "start_moved": Kind(
            re.compile(rf"partition={_PARTITION}\b.*?Incremented log start offset to {_OFFSET}\b")
        ),
        "initialized": Kind(
            re.compile(
                rf"Initialized transactionalId (?P<transactional_id>.+?) with producerId {_PRODUCER} and producer "
                rf"epoch {_EPOCH} on partition (?P<on>__transaction_state-\d{{1,10}})"
            )
        ),
        "timed_out": Kind(
            re.compile(
                r"Completed rollback of ongoing transaction for transactionalId "
                r"(?P<transactional_id>.+?) due to timeout"
            ),
            (_HEALTHY, _OWES, _FENCED, _LATE),
        ),
        "rollback_failed": Kind(
            re.compile(
                r"Rollback of ongoing transaction for transactionalId (?P<transactional_id>.+?) "
                rf"(?:failed|has been cancelled) due to error {_ERROR}"
            ),
            (_HEALTHY, VerdictKind.SLOW_BUT_ALIVE, _OWES),
        ),
        "marker_tried_again": Kind(
            re.compile(
                rf"Sending (?P<transactional_id>.+?)'s transaction marker for partition {_PARTITION} has failed with "
                rf"error {_ERROR}, retrying with current coordinator epoch (?P<coordinator_epoch>\d{{1,10}})"
            ),
            (_HEALTHY, _OWES),
        ),
        "marker_given_up": Kind(
            re.compile(
                rf"Sending (?P<transactional_id>.+?)'s transaction marker for partition {_PARTITION} has permanently "
                rf"failed with error {_ERROR} with the current coordinator epoch (?P<coordinator_epoch>\d{{1,10}})"
            ),
            (_HEALTHY, _ORPHAN, _FENCED, _LATE),
        ),
        "write_of_old_epoch": Kind(
            re.compile(
                rf"Epoch of producer {_PRODUCER} at offset {_OFFSET} in {_PARTITION} is {_EPOCH}, which is smaller "
                r"than the last seen epoch (?P<newer_epoch>\d{1,5})"
            ),
            (_HEALTHY, _FENCED, _LATE),
        ),
        "sequence_refused": Kind(
            re.compile(
                rf"Out of order sequence number for producer {_PRODUCER} at offset {_OFFSET} in partition {_PARTITION}"
                r": (?P<found>\d{1,10}) \(incoming seq\. number\), (?P<last>-?\d{1,10}) \(current end sequence number\)"
            )
        ),
        "producer_unknown": Kind(
            re.compile(
                rf"Found no record of producerId={_PRODUCER} on the broker at offset {_OFFSET} ?in "
                rf"partition {_PARTITION}\."
            )
        ),
        "old_coordinator": Kind(
            re.compile(
                rf"Invalid coordinator epoch for producerId {_PRODUCER} at offset {_OFFSET} in partition {_PARTITION}: "
                r"(?P<coordinator_epoch>\d{1,10}) \(zombie\), (?P<newer_epoch>\d{1,10}) \(current\)"
            ),
            (_HEALTHY, _OWES),
        ),
        "client_producer": Kind(
            re.compile(rf"{_CLIENT}ProducerId set to {_PRODUCER} with epoch {_EPOCH}")
        ),
        "client_state": Kind(re.compile(rf"{_CLIENT}Transition from state {_STATES}")),
        "client_fatal": Kind(re.compile(rf"{_CLIENT}Transiting to fatal error state due to {_ERROR}")),
        "client_abortable": Kind(re.compile(rf"{_CLIENT}Transiting to abortable error state due to {_ERROR}")),
        "rdkafka_state": Kind(re.compile(rf"{_RDKAFKA}.*?Transaction state change {_STATES}")),
        "rdkafka_idempotence": Kind(re.compile(rf"{_RDKAFKA}.*?Idempotent producer state change {_STATES}")),
        "rdkafka_producer": Kind(
            re.compile(rf"{_RDKAFKA}.*?Acquired .*?PID\{{Id:{_PRODUCER},Epoch:{_EPOCH}\}}")
        ),
        "rdkafka_failed": Kind(
            re.compile(rf"{_RDKAFKA}.*?Current transaction failed in state (?P<before>\w{{1,60}}): .*"
                       r"\((?P<error>\w{1,60})[,)]")
        ),
    }
)  # fmt: skip
"""By the word that stands for the message in `--json` and in the catalogue (`logs.line.<kind>`)."""

OF_A_LOG = re.compile(
    r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) "
    r"|\[(?:Producer|Consumer) clientId="
    r"|%\d\|\d+\.\d+\|[A-Z]\w*\|"
    r"|^(?:Caused by: )?org\.apache\.kafka\.common\.errors\.\w+: "
    r"|^\tat [\w.$]+\("
)
"""Whether a line is one of a log at all. An exception's own line has no time: it belongs to the line above."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3}Z?|%\d\|(?P<seconds>\d+\.\d+)\|")
_WHOLE = ("producer_id", "epoch")
_OWN = ("partition", "transactional_id", "topic", "number", *_WHOLE)


def log_line(line: str, place: str) -> LogLine | None:
    """What a line says that `OF_A_LOG` takes; None where it says nothing about transactions.
    Raises UnreadableError for a number that no file could hold.
    """
    for name, kind in KINDS.items():
        found = kind.message.search(line)
        if found is not None:
            return _said(name, found.groupdict(), place, _time_of(line))
    return None


def _time_of(line: str) -> str:
    found = _TIME.search(line)
    return "" if found is None else found["seconds"] or found[0]


def _said(kind: str, groups: Mapping[str, str], place: str, time: str) -> LogLine:
    partition = groups.get("partition")
    if partition is None and "topic" in groups:
        partition = f"{groups['topic']}-{groups['number']}"
    return LogLine(
        kind=kind,
        place=place,
        time=time,
        partition=partition,
        producer_id=_number(groups.get("producer_id")),
        epoch=_number(groups.get("epoch")),
        transactional_id=groups.get("transactional_id"),
        params={name: whole(text) if text.lstrip("-").isdecimal() else text
                for name, text in groups.items() if name not in _OWN},
    )  # fmt: skip


def _number(text: str | None) -> int | None:
    return None if text is None else whole(text)


def said(line: LogLine) -> Words:
    """The line in a sentence."""
    own = {
        "partition": line.partition,
        "producer_id": line.producer_id,
        "epoch": line.epoch,
        "transactional_id": line.transactional_id,
        "time": line.time or "–",
    }
    return words(
        f"line.{line.kind}",
        **{name: value for name, value in own.items() if value is not None},
        **line.params,
    )


def left_by(line: LogLine) -> tuple[VerdictKind, ...]:
    """What is still possible of the transactions that the line tells of; empty when it does not say."""
    if line.kind != "loaded":
        return KINDS[line.kind].leaves
    # Right after a start the high watermark may still be unknown, and the last stable offset with it.
    stable, watermark = line.params["last_stable_offset"], line.params["high_watermark"]
    return (
        NOT_HEALTHY if isinstance(stable, int) and isinstance(watermark, int) and stable < watermark else ()
    )

"""The lines about transactions in the log output of brokers and clients, and what each line means.

Such a log says what happened, never what is true now: only the partition's log shows that a transaction is
open. So a line is additional evidence for a verdict. If there is no other evidence, a line narrows the
possible verdicts.

Source: the messages of Kafka's `LogManager`, `UnifiedLog`, `LogLoader`, `ProducerStateManager`,
`ProducerAppendInfo`, `TransactionCoordinator`, `TransactionMarkerRequestCompletionHandler` and the clients'
`TransactionManager` in Kafka 2.0 to 4.1, and the messages of librdkafka with `debug=eos`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from eosviz.pipeline.kafka_logs.text_fields import whole
from eosviz.pipeline.kafka_logs.verdict_kinds import NOT_HEALTHY, VerdictKind
from eosviz.pipeline.kafka_logs.words import Words, words


@dataclass(frozen=True, slots=True)
class LogLine:
    """What one line says. All fields except `place` are taken from the line."""

    kind: str
    """A key of `KINDS`."""
    place: str
    time: str
    """The time as it is written in the line. Such lines do not state their time zone."""
    partition: str | None = None
    producer_id: int | None = None
    epoch: int | None = None
    transactional_id: str | None = None
    params: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of message. `begins`: the fixed text with which it begins. `message`: the pattern of the whole
    message, which is tried where `begins` first occurs in a line. `leaves`: the verdicts that the message
    leaves possible for its transaction; empty if it rules out none."""

    begins: str
    message: re.Pattern[str]
    leaves: tuple[VerdictKind, ...] = ()
    before: re.Pattern[str] | None = None
    """The pattern for the text that must come before the message in the line; None: any text may."""

    def groups(self, line: str) -> dict[str, str] | None:
        """The named parts of the message in `line`, such as `producer_id`; None if the line is of another
        kind."""
        at = line.find(self.begins)
        found = self.message.match(line, at) if at >= 0 else None
        if found is None or self.before is None:
            return None if found is None else found.groupdict()
        above = self.before.search(line, 0, at)
        return None if above is None else above.groupdict() | found.groupdict()


_HEALTHY, _OWES = VerdictKind.HEALTHY, VerdictKind.COORDINATOR_OWES_MARKER
_ORPHAN, _FENCED, _LATE = VerdictKind.ORPHAN, VerdictKind.FENCED_WRITER, VerdictKind.LATE_WRITE
_PARTITION = r"(?P<partition>[a-zA-Z0-9._-]{1,249}-\d{1,10})"
_ERROR = r"(?:org\.apache\.kafka\.common\.errors\.)?(?P<error>[A-Za-z_]\w{0,99})"
_PRODUCER = r"(?P<producer_id>\d{1,19})"
_EPOCH = r"(?P<epoch>\d{1,5})"
_OFFSET = r"(?P<offset>\d{1,19})"
_ID = r"(?P<transactional_id>.+?)"
_STATES = r"(?P<before>\w{1,60}) (?:->|to) (?P<after>\w{1,60})"
_OF_LOG = re.compile(rf"partition={_PARTITION}\b")
_OF_CLIENT = re.compile(
    r"\[Producer clientId=(?>[^\[\]]*?transactionalId=)(?P<transactional_id>[^\[\]]++)\] \Z"
)
_OF_RDKAFKA = re.compile(r"\|[A-Z]\w*+\|")


def _kind(
    begins: str, rest: str, leaves: tuple[VerdictKind, ...] = (), before: re.Pattern[str] | None = None
) -> Kind:
    return Kind(begins, re.compile(re.escape(begins) + rest), leaves, before)


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "loaded": _kind(
            "Completed load of Log(dir=",
            r".*?topic=(?P<topic>[a-zA-Z0-9._-]{1,249}), partition=(?P<number>\d{1,10})"
            r", highWatermark=(?P<high_watermark>\d{1,19}), lastStableOffset=(?P<last_stable_offset>\d{1,19}), "
            r"logStartOffset=(?P<log_start>\d{1,19}), logEndOffset=(?P<log_end>\d{1,19})\)",
        ),
        "producer_state_loaded": _kind("Loading producer state till offset ", _OFFSET, before=_OF_LOG),
        "snapshot_written": _kind("Wrote producer snapshot at offset ", _OFFSET, before=_OF_LOG),
        "start_moved": _kind("Incremented log start offset to ", rf"{_OFFSET}\b", before=_OF_LOG),
        "initialized": _kind(
            "Initialized transactionalId ",
            rf"{_ID} with producerId {_PRODUCER} and producer epoch {_EPOCH} "
            r"on partition (?P<on>__transaction_state-\d{1,10})",
        ),
        "timed_out": _kind(
            "Completed rollback of ongoing transaction for transactionalId ",
            rf"{_ID} due to timeout",
            (_HEALTHY, _OWES, _FENCED, _LATE),
        ),
        "rollback_failed": _kind(
            "Rollback of ongoing transaction for transactionalId ",
            rf"{_ID} (?:failed|has been cancelled) due to error {_ERROR}",
            (_HEALTHY, VerdictKind.SLOW_BUT_ALIVE, _OWES),
        ),
        "marker_tried_again": _kind(
            "Sending ",
            rf"{_ID}'s transaction marker for partition {_PARTITION} has failed with error {_ERROR}, "
            r"retrying with current coordinator epoch (?P<coordinator_epoch>\d{1,10})",
            (_HEALTHY, _OWES),
        ),
        "marker_given_up": _kind(
            "Sending ",
            rf"{_ID}'s transaction marker for partition {_PARTITION} has permanently failed with error {_ERROR} "
            r"with the current coordinator epoch (?P<coordinator_epoch>\d{1,10})",
            (_HEALTHY, _ORPHAN, _FENCED, _LATE),
        ),
        "write_of_old_epoch": _kind(
            "Epoch of producer ",
            rf"{_PRODUCER} at offset {_OFFSET} in {_PARTITION} is {_EPOCH}, which is smaller "
            r"than the last seen epoch (?P<newer_epoch>\d{1,5})",
            (_HEALTHY, _FENCED, _LATE),
        ),
        "sequence_refused": _kind(
            "Out of order sequence number for producer ",
            rf"{_PRODUCER} at offset {_OFFSET} in partition {_PARTITION}"
            r": (?P<found>\d{1,10}) \(incoming seq\. number\), (?P<last>-?\d{1,10}) \(current end sequence number\)",
        ),
        "producer_unknown": _kind(
            "Found no record of producerId=",
            rf"{_PRODUCER} on the broker at offset {_OFFSET} ?in partition {_PARTITION}\.",
        ),
        "old_coordinator": _kind(
            "Invalid coordinator epoch for producerId ",
            rf"{_PRODUCER} at offset {_OFFSET} in partition {_PARTITION}: "
            r"(?P<coordinator_epoch>\d{1,10}) \(zombie\), (?P<newer_epoch>\d{1,10}) \(current\)",
            (_HEALTHY, _OWES),
        ),
        "client_producer": _kind("ProducerId set to ", rf"{_PRODUCER} with epoch {_EPOCH}", before=_OF_CLIENT),
        "client_state": _kind("Transition from state ", _STATES, before=_OF_CLIENT),
        "client_fatal": _kind("Transiting to fatal error state due to ", _ERROR, before=_OF_CLIENT),
        "client_abortable": _kind("Transiting to abortable error state due to ", _ERROR, before=_OF_CLIENT),
        "rdkafka_state": _kind("Transaction state change ", _STATES, before=_OF_RDKAFKA),
        "rdkafka_idempotence": _kind("Idempotent producer state change ", _STATES, before=_OF_RDKAFKA),
        "rdkafka_producer": _kind(
            "Acquired ", rf".*?PID\{{Id:{_PRODUCER},Epoch:{_EPOCH}\}}", before=_OF_RDKAFKA
        ),
        "rdkafka_failed": _kind(
            "Current transaction failed in state ",
            r"(?P<before>\w{1,60}): .*\((?P<error>\w{1,60})[,)]",
            before=_OF_RDKAFKA,
        ),
    }
)  # fmt: skip
"""Dict of name → kind of message. The names are used in `--json` and in the catalogue
(`logs.line.<kind>`)."""

OF_A_LOG = re.compile(
    r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) "
    r"|\[(?:Producer|Consumer) clientId="
    r"|%\d\|\d+\.\d+\|[A-Z]\w*\|"
    r"|^(?:Caused by: )?org\.apache\.kafka\.common\.errors\.\w+: "
    r"|^\tat [\w.$]+\("
)
"""Matches the lines of log output: entries; and the lines of an exception, which have no time and belong to
the entry before them."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3}Z?|%\d\|(?P<seconds>\d+\.\d+)\|")
_WHOLE = ("producer_id", "epoch")
_OWN = ("partition", "transactional_id", "topic", "number", *_WHOLE)


def log_line(line: str, place: str) -> LogLine | None:
    """What a line of log output says; None if it is not about transactions. `line`: a line that `OF_A_LOG`
    matches. `place`: where it is. Raises UnreadableError if a number in it needs more than 64 bits."""
    for name, kind in KINDS.items():
        groups = kind.groups(line)
        if groups is not None:
            return _parsed(name, groups, place, _time_of(line))
    return None


def _time_of(line: str) -> str:
    found = _TIME.search(line)
    return "" if found is None else found["seconds"] or found[0]


def _parsed(kind: str, groups: Mapping[str, str], place: str, time: str) -> LogLine:
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


def line_sentence(line: LogLine) -> Words:
    """A sentence that says what the line says."""
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
    """The verdicts that the line leaves possible for its transactions; empty if it rules out none."""
    if line.kind != "loaded":
        return KINDS[line.kind].leaves
    # Right after a start the high watermark may still be unknown, and then the last stable offset is, too.
    stable, watermark = line.params["last_stable_offset"], line.params["high_watermark"]
    return (
        NOT_HEALTHY if isinstance(stable, int) and isinstance(watermark, int) and stable < watermark else ()
    )


_OF_ALL_PARTITIONS = ("marker_tried_again", "marker_given_up")
"""The kinds of messages that name one partition and are about all partitions of the transaction."""


class LoggedLines:
    """Log lines with indexes by partition, producer id and transactional id, so that each of many verdicts
    finds its lines quickly."""

    def __init__(self, lines: Iterable[LogLine] = ()) -> None:
        self._lines = tuple(lines)
        self._of_partition: dict[str, list[int]] = {}
        self._of_partition_alone: dict[str, list[int]] = {}
        self._of_producer: dict[tuple[int, str | None], list[int]] = {}
        self._of_id: dict[tuple[str, str | None], list[int]] = {}
        for number, line in enumerate(self._lines):
            if line.partition is not None:
                self._of_partition.setdefault(line.partition, []).append(number)
                if line.producer_id is None and line.transactional_id is None:
                    self._of_partition_alone.setdefault(line.partition, []).append(number)
            where = None if line.kind in _OF_ALL_PARTITIONS else line.partition
            if line.producer_id is not None:
                self._of_producer.setdefault((line.producer_id, where), []).append(number)
            if line.transactional_id is not None:
                self._of_id.setdefault((line.transactional_id, where), []).append(number)

    def of_partition(self, name: str) -> Sequence[LogLine]:
        """The lines that contain the name of the partition, in order."""
        return [self._lines[number] for number in self._of_partition.get(name, ())]

    def about(
        self, name: str, producer_id: int, transactional_id: str | None, lines_max: int
    ) -> Sequence[LogLine]:
        """The last `lines_max` of these lines: those that name the producer id or the transactional id, and are about
        this partition, no partition or all partitions of the transaction; those that name the partition and neither
        id."""
        found = [self._of_partition_alone.get(name, ())]
        for where in (name, None):
            found.append(self._of_producer.get((producer_id, where), ()))
            if transactional_id is not None:
                found.append(self._of_id.get((transactional_id, where), ()))
        numbers = sorted({number for one in found for number in one[-lines_max:]})
        return [self._lines[number] for number in numbers[-lines_max:]]

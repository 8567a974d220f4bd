"""The statements of the person who copied the files, about facts of the copies that the files do not show."""

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.words import Words, words

TRANSACTION_PARTITIONS_MAX = 10_000
"""At most this many partitions of `__transaction_state` can be stated; Kafka's default is 50."""
_DIGITS_MAX = 15
"""A number has at most this many digits."""
OPTIONS: Mapping[str, str | None] = MappingProxyType(
    {
        "--now": "TIME",
        "--transaction-partitions": "N",
        "--rest-empty": None,
        "--one-cluster": None,
        "--copied-after": "TIME",
    }
)
"""The arguments of `manage.py logs` that state something about the copies, each with the placeholder of its value;
None for a flag. The page for opening a log has a field for each."""
_SHOWN = 40
"""At most this many characters of a wrong time or number are quoted in the refusal."""


class ContradictedError(LogsError):
    """A statement about the copies is wrong, or the copies contradict each other."""

    def __init__(self, sentence: Words) -> None:
        super().__init__(sentence.key, sentence.params)
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Declared:
    """The statements about the copies. Every field but `now` removes doubts of `copy_proofs.py`; none removes damage
    that is visible in the files."""

    now: int | None = None
    """The time against which timeouts are measured, in milliseconds since 1970. None: the newest time of a
    broker in the files, or `copied_after` if it is later."""
    transaction_partitions: int | None = None
    """How many partitions `__transaction_state` has; None if the person does not state it."""
    rest_empty: bool = False
    """Whether the files leave out nothing: those partitions of `__transaction_state` that are not given are
    empty, and printed texts and segments are complete."""
    one_cluster: bool = False
    """Whether all files are from one cluster."""
    copied_after: int | None = None
    """At this moment, in milliseconds since 1970, the readers of every partition with an open transaction
    were already waiting; every file was copied later. None if the person does not state it."""

    def __post_init__(self) -> None:
        count = self.transaction_partitions
        if count is not None and not 1 <= count <= TRANSACTION_PARTITIONS_MAX:
            raise ContradictedError(words("refused.count", count=count, most=TRANSACTION_PARTITIONS_MAX))

    def completed_by(self, other: "Declared") -> "Declared":
        """These statements. Statements that are missing, except `now`, are taken from `other` (a bundle)."""
        return replace(
            self,
            transaction_partitions=self.transaction_partitions or other.transaction_partitions,
            rest_empty=self.rest_empty or other.rest_empty,
            one_cluster=self.one_cluster or other.one_cluster,
            copied_after=self.copied_after if self.copied_after is not None else other.copied_after,
        )


def count_of(text: str) -> int:
    """The number of partitions that `text` states. Raises ContradictedError if `text` is no whole number or
    has more than _DIGITS_MAX digits."""
    text = text.strip()
    if not text.isascii() or not text.isdigit() or len(text) > _DIGITS_MAX:
        raise ContradictedError(words("refused.count", count=text[:_SHOWN], most=TRANSACTION_PARTITIONS_MAX))
    return int(text)


def moment_of(text: str) -> int:
    """The time that `text` states, in milliseconds since 1970: this number or an ISO 8601 time (UTC without a
    zone). Raises ContradictedError."""
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX:
        return int(text)
    try:
        time = datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        raise ContradictedError(words("refused.time", text=text[:_SHOWN])) from None
    return int((time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp() * 1000)


def written(moment: int) -> str:
    """The moment, given in milliseconds since 1970, as a text that `moment_of` reads."""
    try:
        time = datetime.fromtimestamp(moment // 1000, UTC)
    except (OverflowError, ValueError, OSError):  # beyond the year 9999
        return str(moment)
    digits = f".{moment % 1000:03}" if moment % 1000 else ""
    return f"{time:%Y-%m-%dT%H:%M:%S}{digits}Z"


def add_declarations(parser: ArgumentParser) -> None:
    """Add the arguments of the command that state something about the copies (docs/logs.md, Copies)."""
    group = parser.add_argument_group("what you know of the copies")
    group.add_argument(
        "--now",
        metavar=OPTIONS["--now"],
        help="what timeouts are measured against, as milliseconds since 1970 or 2026-11-23T03:05:00Z; default: the"
        " newest broker's time in the files, or --copied-after if that is later",
    )
    group.add_argument(
        "--transaction-partitions",
        metavar=OPTIONS["--transaction-partitions"],
        type=int,
        help="how many partitions __transaction_state has, as kafka-topics.sh --describe prints it",
    )
    group.add_argument(
        "--rest-empty",
        action="store_true",
        help="nothing else is missing: partitions of __transaction_state that are not given are empty, and printed"
        " texts and segments are complete",
    )
    group.add_argument("--one-cluster", action="store_true", help="all files come from one cluster")
    group.add_argument(
        "--copied-after",
        metavar=OPTIONS["--copied-after"],
        help="the readers of every partition with an open transaction were already waiting at this moment, and"
        " every file was copied after it, as milliseconds since 1970 or 2026-11-23T03:05:00Z",
    )


def declared_of(options: Mapping[str, Any]) -> Declared:
    """The statements in the command's arguments, which `add_declarations` defines. Raises ContradictedError."""
    moments = {
        name: None if options[name] is None else moment_of(str(options[name]))
        for name in ("now", "copied_after")
    }
    return Declared(
        transaction_partitions=options["transaction_partitions"],
        rest_empty=options["rest_empty"],
        one_cluster=options["one_cluster"],
        **moments,
    )

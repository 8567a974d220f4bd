"""What the person who copied the files states about the copies and the files themselves do not show."""

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.words import Words, words

TRANSACTION_PARTITIONS_MAX = 10_000
"""The largest number of partitions of `__transaction_state` that can be stated; Kafka's default is 50."""
_DIGITS_MAX = 15
"""A number that is longer than this is refused."""
OPTIONS: Mapping[str, str | None] = MappingProxyType(
    {
        "--now": "TIME",
        "--transaction-partitions": "N",
        "--rest-empty": None,
        "--one-cluster": None,
        "--copied-after": "TIME",
    }
)
"""The options of `manage.py logs` that state something about the copies. Dict of option → the placeholder of
its value, or None for a flag. The page for opening a log has a field for each."""
_SHOWN = 40
"""The refusal of a wrong time or number quotes at most this many characters of it."""


class ContradictedError(LogsError):
    """A statement about the copies is wrong, or the copies contradict each other."""

    def __init__(self, sentence: Words) -> None:
        super().__init__(sentence.key, sentence.params)
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Declared:
    """What the person states about the copies. Every field except `now` can prove something that
    `copy_proofs.py` needs. No field removes damage that the files show."""

    now: int | None = None
    """The time against which timeouts are measured, in milliseconds since 1970. If it is None, that is the
    newest time of a broker in the files, or `copied_after` if it is later."""
    transaction_partitions: int | None = None
    """The number of partitions of `__transaction_state`; None if the person does not state it."""
    rest_empty: bool = False
    """Whether nothing is left out: those partitions of `__transaction_state` that were not given are empty,
    and printed texts and segments are complete."""
    one_cluster: bool = False
    """Whether all files are from one cluster."""
    copied_after: int | None = None
    """A time in milliseconds since 1970: at that time the consumers of every partition with an open
    transaction were already waiting, and every file was copied later. None if the person does not state
    it."""

    def __post_init__(self) -> None:
        count = self.transaction_partitions
        if count is not None and not 1 <= count <= TRANSACTION_PARTITIONS_MAX:
            raise ContradictedError(words("refused.count", count=count, most=TRANSACTION_PARTITIONS_MAX))

    def completed_by(self, other: "Declared") -> "Declared":
        """These statements, completed with those of `other` (a bundle). `now` is not taken from `other`."""
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
    """The time that `text` states, in milliseconds since 1970. `text`: this number, or a time in ISO 8601,
    which is UTC if it has no zone. Raises ContradictedError."""
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX:
        return int(text)
    try:
        time = datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        raise ContradictedError(words("refused.time", text=text[:_SHOWN])) from None
    return int((time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp() * 1000)


def written(moment: int) -> str:
    """The time `moment`, in milliseconds since 1970, as a text that `moment_of` can read."""
    try:
        time = datetime.fromtimestamp(moment // 1000, UTC)
    except (OverflowError, ValueError, OSError):  # The time is after the year 9999.
        return str(moment)
    digits = f".{moment % 1000:03}" if moment % 1000 else ""
    return f"{time:%Y-%m-%dT%H:%M:%S}{digits}Z"


def add_declarations(parser: ArgumentParser) -> None:
    """Add the options of the command that state something about the copies (docs/logs.md, Copies)."""
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
    """What the command's options, as added by `add_declarations`, state. Raises ContradictedError."""
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

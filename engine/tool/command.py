"""One command line of ``kafka-transactions.sh``, made from an entry of a fault script or from an intervention.

Source: ``TransactionsCommand`` of Kafka's tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from engine.apis import BY_NAME
from engine.profile import Profile, holds
from engine.topic_partition import topic_partition
from engine.value import value

TOOL = "kafka-transactions"
"""The name of the role, which is the tool's name without ``.sh``."""
LIST, DESCRIBE, DESCRIBE_PRODUCERS = "list", "describe", "describe-producers"
FIND_HANGING, ABORT = "find-hanging", "abort"
COMMANDS: dict[str, str] = {
    "list_transactions": LIST,
    "describe_transaction": DESCRIBE,
    "describe_producers": DESCRIBE_PRODUCERS,
    "find_hanging": FIND_HANGING,
    "abort_hanging": ABORT,
}
"""Dict of action of a fault script → the tool's command."""
_SENDS = {
    LIST: ("ListTransactions",),
    DESCRIBE: ("DescribeTransactions",),
    DESCRIBE_PRODUCERS: ("DescribeProducers",),
    FIND_HANGING: ("DescribeProducers", "ListTransactions", "DescribeTransactions"),
}
"""Dict of command → the APIs of its requests that some versions of brokers do not know, in the order in which it
sends them."""
MINUTE_MS = 60_000
TIMEOUT_MINUTES = 15
"""The default of ``--max-transaction-timeout`` of find-hanging."""


@value
class Command:
    """A command of the tool. ``name``: the command. The other fields are its options; None: the option is not
    given."""

    name: str
    partition: str | None = None
    topic: str | None = None
    broker: int | None = None
    transactional_id: str | None = None
    duration_ms: int | None = None
    timeout_minutes: int | None = None
    start_offset: int | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None
    coordinator_epoch: int | None = None

    @property
    def timeout_ms(self) -> int:
        """``--max-transaction-timeout`` in ms. find-hanging takes as candidates the open transactions whose
        last write is older than this."""
        minutes = TIMEOUT_MINUTES if self.timeout_minutes is None else self.timeout_minutes
        return minutes * MINUTE_MS

    @property
    def line(self) -> str:
        """The command with its options, as an operator types it."""
        topic, number = (self.topic, None) if self.partition is None else topic_partition(self.partition)
        options = (
            ("duration-filter", self.duration_ms),
            ("transactional-id", self.transactional_id),
            ("broker-id", self.broker),
            ("max-transaction-timeout", self.timeout_minutes),
            ("topic", topic),
            ("partition", number),
            ("start-offset", self.start_offset),
            ("producer-id", self.producer_id),
            ("producer-epoch", self.producer_epoch),
            ("coordinator-epoch", self.coordinator_epoch),
        )
        given = (f"--{name} {option}" for name, option in options if option is not None)
        return " ".join((self.name, *given))


IDENTITY = ("producer_id", "producer_epoch", "coordinator_epoch")
"""The options of abort that replace the start offset; brokers before 2.8 describe no producers and need them."""
NO_COMMAND = Command(name="")
"""The command of the tool before the first one has begun."""
OPTIONS = tuple(field.name for field in fields(Command) if field.name != "name")
"""The names of the options of all commands. Entries of a fault script and interventions have fields of these names."""


def command_of(entry: Mapping[str, Any]) -> Command:
    """The command in an entry of a fault script or an intervention, which was checked before."""
    return Command(name=COMMANDS[entry["action"]], **{name: entry.get(name) for name in OPTIONS})


def lacking(command: Command, brokers: Profile) -> str | None:
    """The first field of the brokers' profile that is False and without which the command fails. None: the brokers
    know all its requests."""
    sends = ("DescribeProducers",) if command.start_offset is not None else _SENDS.get(command.name, ())
    needs = (BY_NAME[api].only_if for api in sends)
    return next((field for field in needs if field is not None and not holds(brokers, field, None)), None)


def missing_option(command: Command) -> str | None:
    """The first option that the tool demands and that is not given. None: no option is missing."""
    if command.name == DESCRIBE and command.transactional_id is None:
        return "transactional_id"
    if command.name in (DESCRIBE_PRODUCERS, ABORT) and command.partition is None:
        return "partition"
    if command.name == FIND_HANGING and command.broker is None and not (command.topic or command.partition):
        return "broker"
    if command.name == ABORT and command.start_offset is None:
        given = [name for name in IDENTITY if getattr(command, name) is not None]
        return next((name for name in IDENTITY if name not in given), None) if given else "start_offset"
    return None

"""Finds the questions that can be asked now about a selected object, the most important first. Without a selection,
the questions about the newest step come first, and then the questions about everything that waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from engine import timers
from engine.client.batch_states import LIVE
from engine.client.reading import DELIVERED, READ_COMMITTED
from engine.view.plumbing import PURPOSE_OF
from engine.why.asking import moment_of, question_of, why
from engine.why.fencing import decision_of
from engine.why.focus import (
    CAME,
    HERE,
    LAG,
    LOST,
    LSO,
    MESSAGE,
    NOTHING,
    REFUSED,
    STATE,
    TIMED_OUT,
    TWICE,
    UNENDED,
    UNSEEN,
    UNSENT,
    Asked,
    of_step,
)
from engine.why.happened import asked_fault
from engine.why.links import Json, NotAsked, Question
from engine.why.moment import Moment
from engine.why.outcomes import OVER
from engine.why.readers import fate_of
from engine.why.records import copies, deltas_of, is_lost
from engine.why.states import known_states
from engine.why.timeouts import timed_out
from engine.why.waiting import RUN

if TYPE_CHECKING:
    from engine.simulation import Simulation

CAME_TO_MAX = 2
QUESTIONS_MAX = 12
"""At most this many questions are offered for one selection. In most cases, the questions about the object itself come
before those about related objects."""


def questions_about(run: Simulation | Moment | Json, selection: Json | None) -> list[Question]:
    """At most QUESTIONS_MAX different questions about a selected object (``kind`` and ``id`` as in the
    player). Without a selection: about the newest step, about what waits, and about the run."""
    moment = moment_of(run)
    found: Iterator[Asked] = iter(())
    if selection is None:
        found = _of_moment(moment)
    elif selection.get("kind") in _OF:
        found = _OF[str(selection["kind"])](moment, str(selection.get("id")))
    unique: dict[Asked, None] = {}
    for one in found:
        unique[one] = None
        if len(unique) == QUESTIONS_MAX:
            break
    return [question_of(moment, question, subject) for question, subject in unique]


def _of_moment(moment: Moment) -> Iterator[Asked]:
    for question, subject in of_step(moment):
        if _has_answer(moment, question, subject):
            yield question, subject
    for partition in moment.part("partitions"):
        replica = moment.leading(partition)
        if replica is not None and replica["last_stable_offset"] < replica["high_watermark"]:
            yield LSO, partition
    for _, transactional_id, entry in moment.coordinated():
        if entry["state"] not in OVER or entry["pending_state"] is not None:
            yield UNENDED, transactional_id
    for consumer, shown in moment.part("consumers").items():
        for partition in shown["positions"]:
            if _lags(moment, consumer, partition):
                yield LAG, f"{consumer}/{partition}"
    if moment.simulation is not None:
        if moment.step is not None and moment.step["number"] > 0:
            yield from _came_to(moment, moment.step)
            if (number := asked_fault(moment)) is not None and number < moment.step["number"]:
                yield CAME, str(number)
            yield HERE, ""
        yield NOTHING, RUN


def _came_to(moment: Moment, step: Json) -> Iterator[Asked]:
    """The questions about transactions that have ended, the newest first, if the step only supports other steps
    (``PURPOSE_OF``)."""
    if step["key"] not in PURPOSE_OF or step["notes"]:
        return
    moved = [
        (moment.lately.transitions[known][0].number, transactional_id)
        for _, transactional_id, entry in moment.coordinated()
        if entry["state"] in OVER
        and (known := ("transaction_states", transactional_id)) in moment.lately.transitions
    ]
    for _, transactional_id in sorted(moved, reverse=True)[:CAME_TO_MAX]:
        timeout = timed_out(moment, transactional_id)
        if timeout is not None and timeout == decision_of(moment, transactional_id):
            yield TIMED_OUT, transactional_id
        yield STATE, transactional_id


def _has_answer(moment: Moment, question: str, subject: str) -> bool:
    try:
        return bool(why(moment, question, subject))
    except NotAsked:
        return False


def _lags(moment: Moment, consumer: str, partition: str) -> bool:
    """Whether the consumer's position or committed offset is below the high watermark."""
    replica = moment.leading(partition)
    position = moment.part("consumers")[consumer]["positions"][partition]
    committed = moment.committed(consumer, partition)
    behind = position if committed is None else min(position, committed)
    return replica is not None and behind < replica["high_watermark"]


def _refused_of(moment: Moment, name: str) -> Iterator[Asked]:
    step = moment.lately.refusals.get(name)
    if step is not None:
        now = moment.step is not None and step.number == moment.step["number"]
        yield REFUSED, "" if now else name


def _of_partition(moment: Moment, partition: str) -> Iterator[Asked]:
    if partition not in moment.part("partitions"):
        return
    yield LSO, partition
    for consumer, shown in moment.part("consumers").items():
        if partition in shown["positions"]:
            yield LAG, f"{consumer}/{partition}"
    yield from _refused_of(moment, partition)


def _of_actor(moment: Moment, actor: str) -> Iterator[Asked]:
    if actor in moment.part("consumers"):
        for partition in moment.part("consumers")[actor]["positions"]:
            yield LAG, f"{actor}/{partition}"
    if actor in moment.actors():
        yield NOTHING, actor
    yield from _state_of(moment, actor)
    for _, of in moment.lately.transitions:
        if of.startswith(f"{actor} ") and of.removeprefix(f"{actor} ").isdecimal():
            yield STATE, of  # This is a transaction of the middleware at this node.
    yield from _refused_of(moment, actor)
    for transactional_id in _ids_of(moment, actor):
        yield from _of_transaction(moment, transactional_id)


def _ids_of(moment: Moment, client: str) -> list[str]:
    manager = moment.part("clients").get(client, {}).get("transaction_manager")
    found = None if manager is None else manager["transactional_id"]
    return [] if found is None else [str(found)]


def _state_of(moment: Moment, name: str) -> Iterator[Asked]:
    if known_states(moment, name):
        yield STATE, name


def _of_transaction(moment: Moment, transactional_id: str) -> Iterator[Asked]:
    if moment.entry_of(transactional_id) is not None or moment.clients_of(transactional_id):
        yield UNENDED, transactional_id
    yield from _state_of(moment, transactional_id)
    yield from _refused_of(moment, transactional_id)


def _of_batch(moment: Moment, place: str) -> Iterator[Asked]:
    """Questions about a batch of a client (``p1/b1``), or about a batch in a log (``t-0/40``)."""
    owner, _, name = place.rpartition("/")
    client = moment.part("clients").get(owner)
    if client is not None:
        batch = client["batches"].get(name)
        if batch is not None:
            if batch["state"] in LIVE:
                yield UNSENT, place
            yield from _refused_of(moment, batch["partition"])
        return
    if owner not in moment.part("partitions") or not name.isdecimal():
        return
    batch = moment.batch_at(owner, int(name))
    if batch is None:
        return
    yield from _readers_of(moment, owner, batch["base_offset"])
    if batch.get("outcome") == "open":
        yield LSO, owner
    if batch["transactional"] and batch["producer_id"] is not None:
        transactional_id = moment.owner_of(batch["producer_id"])
        if transactional_id is not None and batch.get("outcome") == "open":
            yield from _of_transaction(moment, transactional_id)


def _readers_of(moment: Moment, partition: str, offset: int) -> Iterator[Asked]:
    """A question for each consumer of the partition that did not get this offset, read_committed consumers
    first."""
    readers = sorted(
        moment.part("consumers").items(), key=lambda one: (one[1]["isolation"] != READ_COMMITTED, one[0])
    )
    for consumer, shown in readers:
        if (
            partition in (shown.get("lanes") or {})
            and fate_of(moment, consumer, partition, offset) != DELIVERED
        ):
            yield UNSEEN, f"{consumer}/{partition}/{offset}"


def _of_record(moment: Moment, serial: str) -> Iterator[Asked]:
    record = moment.part("records").get(serial)
    if record is None or not serial.isdecimal():
        return
    copied = len(copies(moment, record["partition"], int(serial)))
    if copied > 1:
        yield TWICE, serial
    elif moment.judges is not None and is_lost(moment, int(serial)):
        yield LOST, serial
    client = moment.part("clients").get(record["producer"], {"batches": {}})
    for name, batch in client["batches"].items():
        if int(serial) in batch["serials"] and batch["state"] in LIVE:
            yield UNSENT, f"{record['producer']}/{name}"
    known = record["partition"] in moment.part("partitions")
    for batch in moment.batches(record["partition"]) if known else ():
        if int(serial) in batch["serials"]:
            offset = batch["base_offset"] + list(deltas_of(batch))[batch["serials"].index(int(serial))]
            yield from _readers_of(moment, record["partition"], offset)
    yield from _of_actor(moment, record["producer"])


def _of_message(moment: Moment, message: str) -> Iterator[Asked]:
    shown = (moment.part("network").get("messages") or {}).get(message)
    if shown is not None:
        yield MESSAGE, message
        yield NOTHING, shown["to"]


def _of_timer(moment: Moment, timer: str) -> Iterator[Asked]:
    actor, shown = timers.named(moment.view, timer)
    if shown is None:
        return
    batch = moment.part("clients").get(actor, {}).get("batches", {}).get(shown["subject"])
    if batch is not None and batch["state"] in LIVE:
        yield UNSENT, f"{actor}/{shown['subject']}"
    if moment.entry_of(shown["subject"]) is not None:
        yield UNENDED, shown["subject"]
    if actor in moment.actors():
        yield NOTHING, actor


_OF: dict[str, Callable[[Moment, str], Iterator[Asked]]] = {
    "partition": _of_partition,
    "actor": _of_actor,
    "transaction": _of_transaction,
    "batch": _of_batch,
    "record": _of_record,
    "message": _of_message,
    "timer": _of_timer,
}

"""The questions, one table: how each is answered, and which of them can be asked of a selected thing now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from engine.client.batch import LIVE
from engine.client.reading import DELIVERED, READ_COMMITTED
from engine.why.links import Json, Link, NotAsked, Question, bounded
from engine.why.messages import why_message
from engine.why.moment import Moment
from engine.why.outcomes import OVER, why_unended
from engine.why.readers import fate_of, why_lag, why_unseen
from engine.why.refusals import refusing_step, why_refused
from engine.why.stable_offset import why_stable_offset
from engine.why.states import known_states, why_state
from engine.why.waiting import RUN, why_nothing, why_unsent

if TYPE_CHECKING:
    from engine.simulation import Simulation

QUESTIONS_MAX = 12
"""Questions offered for one thing, the nearest first; those beyond are asked of what they are about."""

LSO, LAG, UNSEEN, REFUSED = "lso", "lag", "unseen", "refused"
NOTHING, UNSENT, STATE, UNENDED, MESSAGE = "nothing", "unsent", "state", "unended", "message"


def _unseen(moment: Moment, subject: str) -> Iterator[Link]:
    consumer, partition, offset = _split(subject, 3, "consumer/partition/offset")
    if not offset.isdecimal():
        raise NotAsked("subject", f"{offset!r} is no offset", "consumer/partition/offset")
    return why_unseen(moment, consumer, partition, int(offset))


def _lag(moment: Moment, subject: str) -> Iterator[Link]:
    consumer, partition = _split(subject, 2, "consumer/partition")
    return why_lag(moment, consumer, partition)


def _unsent(moment: Moment, subject: str) -> Iterator[Link]:
    client, batch = _split(subject, 2, "client/batch")
    return why_unsent(moment, client, batch)


def _split(subject: str, parts: int, shape: str) -> list[str]:
    found = subject.split("/")
    if len(found) != parts:
        raise NotAsked("subject", f"{subject!r} has not the form of this question's subjects", shape)
    return found


_ANSWERS: dict[str, Callable[[Moment, str], Iterator[Link]]] = {
    LSO: why_stable_offset,
    LAG: _lag,
    UNSEEN: _unseen,
    REFUSED: why_refused,
    NOTHING: why_nothing,
    UNSENT: _unsent,
    STATE: why_state,
    UNENDED: why_unended,
    MESSAGE: why_message,
}
QUESTIONS = tuple(_ANSWERS)


def why(run: Simulation | Moment | Json, question: str, subject: str) -> tuple[Link, ...]:
    """The answer as a chain of links, from the thing asked about to what could change it.

    ``run``: a recorded simulation where it stands, or the view of one (docs/frame.md), which knows less. Looks,
    and changes nothing. Raises :class:`engine.why.NotAsked` (a ValueError) when there is no such question or subject.
    """
    answer = _ANSWERS.get(question)
    if answer is None:
        raise NotAsked("question", f"{question!r} is none", f"known: {', '.join(QUESTIONS)}")
    return bounded(list(answer(moment_of(run), subject)))


def moment_of(run: Simulation | Moment | Json) -> Moment:
    if isinstance(run, Moment):
        return run
    return Moment(run) if isinstance(run, dict) else Moment.of(run)


# -- what can be asked ---------------------------------------------------------------------------------------


def questions_about(run: Simulation | Moment | Json, selection: Json | None) -> list[Question]:
    """What can be asked of a selected thing (``kind`` and ``id`` as the player has them), or, without one, of what
    stands out now. The most telling first, at most QUESTIONS_MAX, each once."""
    moment = moment_of(run)
    if selection is None:
        found = _of_moment(moment)
    else:
        asked = _OF.get(str(selection.get("kind")))
        found = iter(()) if asked is None else asked(moment, str(selection.get("id")))
    unique: dict[tuple[str, str], Question] = {}
    for one in found:
        unique.setdefault((one.question, one.subject), one)
        if len(unique) == QUESTIONS_MAX:
            break
    return list(unique.values())


def _ask(question: str, subject: str, **params: Any) -> Question:
    return Question(question=question, subject=subject, key=f"why.ask.{question}", params=params)


def _of_moment(moment: Moment) -> Iterator[Question]:
    if moment.step is not None and moment.step["refusal"] is not None:
        yield _ask_refused(moment, "")
    for partition in moment.part("partitions"):
        replica = moment.leading(partition)
        if replica is not None and replica["last_stable_offset"] < replica["high_watermark"]:
            yield _ask_stable_offset(moment, partition)
    for _, transactional_id, entry in moment.coordinated():
        if entry["state"] not in OVER or entry["pending_state"] is not None:
            yield _ask(UNENDED, transactional_id, transactional_id=transactional_id, state=entry["state"])
    for consumer, shown in moment.part("consumers").items():
        for partition in shown["positions"]:
            if _lags(moment, consumer, partition):
                yield _ask(LAG, f"{consumer}/{partition}", consumer=consumer, partition=partition)
    if moment.simulation is not None:
        yield Question(question=NOTHING, subject=RUN, key="why.ask.run", params={})


def _lags(moment: Moment, consumer: str, partition: str) -> bool:
    """Behind, or with a committed offset that is."""
    replica = moment.leading(partition)
    shown = moment.part("consumers")[consumer]
    committed = ((shown.get("group") or {}).get("committed") or {}).get(partition)
    places = [shown["positions"][partition], *([] if committed is None or committed < 0 else [committed])]
    return replica is not None and min(places) < replica["high_watermark"]


def _ask_stable_offset(moment: Moment, partition: str) -> Question:
    replica = moment.leading(partition)
    offset = None if replica is None else replica["last_stable_offset"]
    return _ask(LSO, partition, partition=partition, offset=offset)


def _ask_refused(moment: Moment, subject: str) -> Question:
    step = refusing_step(moment, subject) or {"number": 0, "actor": subject, "refusal": {"error": "–"}}
    params = {"actor": step["actor"], "error": step["refusal"]["error"], "number": step["number"]}
    key = "why.ask.refused" if subject == "" else "why.ask.refused_earlier"
    return Question(question=REFUSED, subject=subject, key=key, params=params)


def _refused_of(moment: Moment, name: str) -> Iterator[Question]:
    step = moment.lately.refusals.get(name)
    if step is not None:
        now = moment.step is not None and step.number == moment.step["number"]
        yield _ask_refused(moment, "" if now else name)


def _of_partition(moment: Moment, partition: str) -> Iterator[Question]:
    if partition not in moment.part("partitions"):
        return
    yield _ask_stable_offset(moment, partition)
    for consumer, shown in moment.part("consumers").items():
        if partition in shown["positions"]:
            yield _ask(LAG, f"{consumer}/{partition}", consumer=consumer, partition=partition)
    yield from _refused_of(moment, partition)


def _of_actor(moment: Moment, actor: str) -> Iterator[Question]:
    if actor in moment.part("consumers"):
        for partition in moment.part("consumers")[actor]["positions"]:
            yield _ask(LAG, f"{actor}/{partition}", consumer=actor, partition=partition)
    if actor in moment.actors():
        yield _ask(NOTHING, actor, actor=actor)
    yield from _state_of(moment, actor)
    yield from _refused_of(moment, actor)
    for transactional_id in _ids_of(moment, actor):
        yield from _of_transaction(moment, transactional_id)


def _ids_of(moment: Moment, client: str) -> list[str]:
    manager = moment.part("clients").get(client, {}).get("transaction_manager")
    found = None if manager is None else manager["transactional_id"]
    return [] if found is None else [str(found)]


def _state_of(moment: Moment, name: str) -> Iterator[Question]:
    if known_states(moment, name):
        yield _ask(STATE, name, of=name)


def _of_transaction(moment: Moment, transactional_id: str) -> Iterator[Question]:
    if moment.entry_of(transactional_id) is not None or moment.clients_of(transactional_id):
        entry = moment.entry_of(transactional_id)
        state = "–" if entry is None else entry[1]["state"]
        yield _ask(UNENDED, transactional_id, transactional_id=transactional_id, state=state)
    yield from _state_of(moment, transactional_id)
    yield from _refused_of(moment, transactional_id)


def _of_batch(moment: Moment, place: str) -> Iterator[Question]:
    """A client's batch (``p1/b1``), or one in a log (``t-0/40``)."""
    owner, _, name = place.rpartition("/")
    client = moment.part("clients").get(owner)
    if client is not None:
        batch = client["batches"].get(name)
        if batch is not None:
            if batch["state"] in LIVE:
                yield _ask(UNSENT, place, client=owner, batch=name)
            yield from _refused_of(moment, batch["partition"])
        return
    if owner not in moment.part("partitions") or not name.isdecimal():
        return
    batch = moment.batch_at(owner, int(name))
    if batch is None:
        return
    yield from _readers_of(moment, owner, batch["base_offset"])
    if batch.get("outcome") == "open":
        yield _ask_stable_offset(moment, owner)
    if batch["transactional"] and batch["producer_id"] is not None:
        transactional_id = moment.owner_of(batch["producer_id"])
        if transactional_id is not None and batch.get("outcome") == "open":
            yield from _of_transaction(moment, transactional_id)


def _readers_of(moment: Moment, partition: str, offset: int) -> Iterator[Question]:
    """Of every reader that did not get this offset; those of committed data first, as they miss more."""
    readers = sorted(
        moment.part("consumers").items(), key=lambda one: (one[1]["isolation"] != READ_COMMITTED, one[0])
    )
    for consumer, shown in readers:
        if (
            partition in (shown.get("lanes") or {})
            and fate_of(moment, consumer, partition, offset) != DELIVERED
        ):
            yield _ask(
                UNSEEN,
                f"{consumer}/{partition}/{offset}",
                consumer=consumer,
                partition=partition,
                offset=offset,
            )


def _of_record(moment: Moment, serial: str) -> Iterator[Question]:
    record = moment.part("records").get(serial)
    if record is None or not serial.isdecimal():
        return
    client = moment.part("clients").get(record["producer"], {"batches": {}})
    for name, batch in client["batches"].items():
        if int(serial) in batch["serials"] and batch["state"] in LIVE:
            yield _ask(UNSENT, f"{record['producer']}/{name}", client=record["producer"], batch=name)
    for batch in (
        moment.batches(record["partition"]) if record["partition"] in moment.part("partitions") else ()
    ):
        if int(serial) in batch["serials"]:
            deltas = (batch.get("content") or {}).get("offset_deltas") or range(len(batch["serials"]))
            offset = batch["base_offset"] + list(deltas)[batch["serials"].index(int(serial))]
            yield from _readers_of(moment, record["partition"], offset)
    yield from _of_actor(moment, record["producer"])


def _of_message(moment: Moment, message: str) -> Iterator[Question]:
    shown = (moment.part("network").get("messages") or {}).get(message)
    if shown is not None:
        yield _ask(MESSAGE, message, api=shown["api"], source=shown["from"], destination=shown["to"])
        yield _ask(NOTHING, shown["to"], actor=shown["to"])


def _of_timer(moment: Moment, timer: str) -> Iterator[Question]:
    client, _, name = timer.partition("/")
    shown = moment.part("clients").get(client, {}).get("timers", {}).get(name)
    if shown is not None:
        batch = moment.part("clients")[client]["batches"].get(shown["subject"])
        if batch is not None and batch["state"] in LIVE:
            yield _ask(UNSENT, f"{client}/{shown['subject']}", client=client, batch=shown["subject"])
        yield _ask(NOTHING, client, actor=client)


_OF: dict[str, Callable[[Moment, str], Iterator[Question]]] = {
    "partition": _of_partition,
    "actor": _of_actor,
    "transaction": _of_transaction,
    "batch": _of_batch,
    "record": _of_record,
    "message": _of_message,
    "timer": _of_timer,
}

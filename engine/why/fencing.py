"""Answers questions about the fencing of a transactional id: with its current identity, the steps that led to it, and
the clients with an older identity."""

from __future__ import annotations

from collections.abc import Iterator

from engine.lately import Said
from engine.why.links import NAMED_MAX, Json, Link, NotAsked, actor_subject, link, transaction_subject
from engine.why.moment import Moment
from engine.why.outcomes import asks_for_identity, raised_by_end, users
from engine.why.records import quoted

RAISES = (
    "coordinator.fences_open_transaction",
    "coordinator.transaction_timed_out",
    "coordinator.epoch_raised",
    "coordinator.epoch_goes_up",
    "client.transactional_id_ready",
)
"""Keys of the steps that give an id another epoch, or in which a producer gets that epoch."""
DECIDES = (
    "coordinator.decides_commit",
    "coordinator.decides_abort",
    "coordinator.aborts_nothing",
    "coordinator.transaction_timed_out",
    "coordinator.fences_open_transaction",
)
"""Keys of the steps that decide a transaction."""


_RAISED_TO = (
    "coordinator.epoch_goes_up",
    "coordinator.fence_raises_epoch",
    "coordinator.fence_raises_with_decision",
    "coordinator.epoch_rises_with_decision",
)
"""Keys of the sentences by which an id gets a higher epoch. Their parameter ``new_epoch`` is this epoch."""


def raised(moment: Moment, transactional_id: str) -> list[Said]:
    """The newest step of each kind in RAISES for an id, oldest first."""
    found = [moment.lately.said.get((key, transactional_id)) for key in RAISES]
    return sorted((one for one in found if one is not None), key=_number)


def why_fenced(moment: Moment, transactional_id: str) -> Iterator[Link]:
    """Links about the current identity of an id, the clients with a lower epoch, the steps that gave the id an epoch,
    and all clients that use it. Raises NotAsked if no such step is known."""
    found = moment.entry_of(transactional_id)
    steps = raised(moment, transactional_id)
    if found is None or not steps:
        raise NotAsked(
            "subject", f"no identity of {transactional_id!r} is known", "a transactional id in use"
        )
    coordinator, entry = found
    subject = transaction_subject(transactional_id)
    yield link(
        "fence.identity",
        "FEN-2",
        subject=subject,
        transactional_id=transactional_id,
        coordinator=coordinator,
        producer_id=entry["producer_id"],
        producer_epoch=entry["producer_epoch"],
    )
    yield from _behind(moment, transactional_id, coordinator, entry)
    for said in steps[-3:]:
        yield quoted(said, subject)
    yield from users(moment, transactional_id, (entry["producer_id"], entry["producer_epoch"]))


def _behind(moment: Moment, transactional_id: str, coordinator: str, entry: Json) -> Iterator[Link]:
    """Links about clients that still have a lower epoch of the id, at most NAMED_MAX. If there is no such client, one
    link says so."""
    current = entry["producer_epoch"]
    found = 0
    for name, client in moment.clients_of(transactional_id):
        manager = client["transaction_manager"]
        own = manager["producer_epoch"]
        older = manager["producer_id"] == entry["producer_id"] and own is not None and 0 <= own < current
        if older and found < NAMED_MAX and not raised_by_end(moment, transactional_id, own, current):
            found += 1
            yield link(
                "fence.asks" if asks_for_identity(client) and client["alive"] else "fence.behind",
                "FEN-2",
                subject=actor_subject(name),
                client=name,
                own_epoch=own,
                coordinator=coordinator,
                transactional_id=transactional_id,
                producer_epoch=current,
            )
    if not found:
        yield link(
            "fence.nobody_behind",
            "FEN-2",
            subject=transaction_subject(transactional_id),
            transactional_id=transactional_id,
            producer_epoch=current,
        )


FENCES = ("PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH")
"""The errors for a producer whose epoch is too low. Some other refusals have them, too."""


def why_ousted(moment: Moment, name: str) -> Iterator[Link]:
    """Links about the steps that fenced a client. Raises NotAsked for a client that no known step fenced."""
    manager = moment.part("clients").get(name, {}).get("transaction_manager") or {}
    transactional_id = manager.get("transactional_id")
    steps = _ousted_by(moment, name, manager) if manager.get("last_error") in FENCES else []
    if transactional_id is None or not steps:
        raise NotAsked("subject", f"nothing fenced {name!r}", "a client that was fenced")
    subject = transaction_subject(transactional_id)
    call = moment.lately.said.get(("client.call_timed_out", name))
    if call is not None and call.params["call"] == "init_transactions" and call.number < steps[0].number:
        yield quoted(call)
    if steps[0].cause is not None:
        yield quoted(steps[0].cause)
    for said in steps:
        yield quoted(said, subject)
    found = moment.entry_of(transactional_id)
    if found is not None:
        yield link(
            "fence.behind",
            "FEN-2",
            subject=actor_subject(name),
            client=name,
            own_epoch=manager["producer_epoch"],
            coordinator=found[0],
            transactional_id=transactional_id,
            producer_epoch=found[1]["producer_epoch"],
        )
    taken = moment.lately.transitions.get(("client_transactions", name))
    if taken is not None:
        yield quoted(Said.of(taken[0]))


def _ousted_by(moment: Moment, name: str, manager: Json) -> list[Said]:
    """The newest step of each kind in ``_OUSTING``, if it replaced the client; oldest first."""
    own, transactional_id = manager["producer_epoch"], str(manager["transactional_id"])
    ready = moment.lately.said.get(("client.transactional_id_ready", transactional_id))
    since = ready.number if ready is not None and ready.params["client"] == name else 0
    found = [moment.lately.said.get((key, transactional_id)) for key in _OUSTING]
    steps = [said for said in found if said is not None and _raises_above(said, own, since)]
    return sorted(steps, key=_number)


_OUSTING = (
    "coordinator.fences_open_transaction",
    "coordinator.transaction_timed_out",
    "coordinator.epoch_goes_up",
)


def _raises_above(said: Said, own: int, since: int) -> bool:
    """Whether the step replaced the client that has the epoch ``own``. ``since``: the number of the step in which the
    client got its epoch; 0 if another client of the id got an epoch later."""
    if said.key == "coordinator.epoch_goes_up":
        return bool(said.params["new_epoch"] > own)
    return said.number > since and bool(said.params["producer_epoch"] >= own)


def fenced_by(moment: Moment, transactional_id: str | None, carried: int, refusing: int) -> Iterator[Link]:
    """Links about the request that led to the current epoch of an id, and about the step that raised the epoch.
    ``carried``: the epoch of the refused batch or request. ``refusing``: the number of the step that refused it.
    There are no links if ``carried`` is not lower than the current epoch, or if the epoch was not raised before that
    step."""
    found = None if transactional_id is None else moment.entry_of(transactional_id)
    if found is None:
        return
    epoch = found[1]["producer_epoch"]
    known = [moment.lately.said.get((key, str(transactional_id))) for key in _RAISED_TO]
    steps = [one for one in known if one is not None and one.params["new_epoch"] == epoch > carried]
    steps = [one for one in steps if one.number < refusing]
    for said in sorted(steps, key=_number)[-1:]:
        if said.cause is not None:
            yield quoted(said.cause)
        yield quoted(said, transaction_subject(str(transactional_id)))


def decided(moment: Moment, producer_id: int) -> Iterator[Link]:
    """A link about the newest step that decided a transaction of the transactional id that has this producer id."""
    transactional_id = str(moment.owner_of(producer_id))
    if (said := decision_of(moment, transactional_id)) is not None:
        yield quoted(said, transaction_subject(transactional_id))


def decision_of(moment: Moment, transactional_id: str) -> Said | None:
    """The newest step that decided a transaction of this id; None if no such step is known."""
    found = [moment.lately.said.get((key, transactional_id)) for key in DECIDES]
    return max((one for one in found if one is not None), key=_number, default=None)


def _number(said: Said) -> int:
    return said.number

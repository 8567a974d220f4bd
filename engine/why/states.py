"""Answers why an object is in its state: with the row and the step that led to the state, and the rows that lead out
of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.coordinator.transaction_states import COMPLETE_ABORT, COMPLETE_COMMIT
from engine.explain.machines import machines
from engine.explain.sentences import catalogue
from engine.machine import Machine, Row
from engine.telling.rows import row_key
from engine.view.level import level_in_force
from engine.why.fencing import decision_of
from engine.why.links import Json, Link, NotAsked, actor_subject, link, transaction_subject
from engine.why.moment import Moment
from engine.why.outcomes import being_written, in_force, newest_at_coordinator
from engine.why.records import quoted
from engine.why.replication import not_running

_OF_MARKERS = "marker_states"
_OF_TRANSACTIONS = ("transaction_states", _OF_MARKERS)
_INITIAL_OF_CLIENTS = "client_transactions"


def known_states(moment: Moment, subject: str) -> list[str]:
    """The machines that have a state or a transition for this name. The machine with the newest transition comes
    first."""
    taken = [
        (step.number, machine)
        for (machine, of), (step, _) in moment.lately.transitions.items()
        if of == subject
    ]
    found = [machine for _, machine in sorted(taken, key=_newest_first)]
    manager = moment.part("clients").get(subject, {}).get("transaction_manager")
    if manager is not None and _INITIAL_OF_CLIENTS not in found:
        found.append(_INITIAL_OF_CLIENTS)
    return found


def _newest_first(taken: tuple[int, str]) -> tuple[bool, int, str]:
    number, machine = taken
    return machine == _OF_MARKERS, -number, machine


def why_state(moment: Moment, subject: str) -> Iterator[Link]:
    names = known_states(moment, subject)
    if not names:
        known = sorted({of for _, of in moment.lately.transitions}) or ["none"]
        raise NotAsked("subject", f"no state of {subject!r} is known", f"known: {', '.join(known)}")
    yield from not_running(moment, subject)
    manager = moment.part("clients").get(subject, {}).get("transaction_manager") or {}
    over = False
    for name in names:
        if over and name == _OF_MARKERS:
            continue  # The transaction is complete, so its markers are written.
        machine = machines()[name]
        taken = moment.lately.transitions.get((name, subject))
        where = _selection(name, subject)
        shown = manager.get("state") if name == _INITIAL_OF_CLIENTS else None
        if taken is None or shown not in (None, taken[1]["to"]):  # A new process starts without a transition.
            state = shown or machine.initial
            key = "state.initial" if state == machine.initial else "state.given"
            yield link(key, subject=where, of=_holder(name, subject), state=state)
        else:
            state = _state_at_coordinator(moment, name, subject) or taken[1]["to"]
            yield from led_here(moment, name, subject)
            over = state in (COMPLETE_COMMIT, COMPLETE_ABORT)
            if over and (said := decision_of(moment, subject)) is not None:
                yield quoted(said, where)
        yield from _ways_out(moment, machine, subject, state)
    yield from _error(moment, subject)


def _selection(machine: str, subject: str) -> Json:
    if machine in _OF_TRANSACTIONS:
        return transaction_subject(subject)
    return actor_subject(_at_node(subject)[0])


def _at_node(subject: str) -> tuple[str, str]:
    """(node, transaction) of a name such as `participant-1 1`. For any other name, the transaction is empty."""
    node, _, tid = subject.partition(" ")
    return (node, tid) if tid.isdecimal() else (subject, "")


def whose(subject: str, key: str = "at_node") -> str | Json:
    """The name of an object in a sentence. ``key``: ``at_node`` at the beginning of the sentence, ``of_node``
    inside it."""
    node, tid = _at_node(subject)
    return {"key": f"why.{key}", "params": {"node": node, "tid": tid}} if tid else subject


def _holder(machine: str, subject: str) -> str | Json:
    if machine == _OF_MARKERS:  # A marker has no name of its own.
        return {"key": "clause.marker_of", "params": {"transactional_id": subject}}
    return whose(subject)


def newest_transition(moment: Moment, name: str, subject: str) -> Iterator[Link]:
    """Links about the newest transition of an object in the machine ``name``; none if there was no transition. For a
    transactional id, the state in force comes first, because the transition may not be in force yet."""
    taken = moment.lately.transitions.get((name, subject))
    if taken is None:
        return
    if name == _OF_TRANSACTIONS[0]:
        found = moment.entry_of(subject)
        if found is not None:
            yield in_force(moment, subject, *found)
        yield from newest_at_coordinator(moment, subject)
        return
    step, transition = taken
    yield link(
        "state.stayed" if transition["from"] == transition["to"] else "state.since",
        machines()[name].rows[transition["row"]].spec,
        subject=_selection(name, subject),
        step=step.number,
        of=_holder(name, subject),
        source=transition["from"],
        target=transition["to"],
        number=step.number,
        at=step.at,
    )


def led_here(moment: Moment, name: str, subject: str) -> Iterator[Link]:
    """Links about the newest transition, with the sentences about it and, if its state is not in force yet, the reason.
    There are none without a transition."""
    taken = moment.lately.transitions.get((name, subject))
    if taken is None:
        return
    yield from newest_transition(moment, name, subject)
    step, transition = taken
    row = machines()[name].rows[transition["row"]]
    where = _selection(name, subject)
    said = {step.key: step.params, **{note["key"]: note["params"] for note in step.notes}}
    params = said.get(row_key(row))
    plain = row_key(row) in catalogue() and not catalogue()[row_key(row)].slots("en")
    if params is not None or plain:
        yield Link(key=row_key(row), params=params or {}, rules=(row.spec,), subject=where, step=step.number)
    if step.key != row_key(row):
        yield Link(
            key=step.key,
            params=step.params,
            rules=step.rules,
            subject=actor_subject(step.actor),
            step=step.number,
        )
    found = moment.entry_of(subject) if name == _OF_TRANSACTIONS[0] else None
    if found is not None:
        yield from being_written(moment, subject, *found)


def _state_at_coordinator(moment: Moment, machine: str, subject: str) -> str | None:
    """The durable state of an id at its coordinator. None for other machines, and if no coordinator has the
    id."""
    found = moment.entry_of(subject) if machine == _OF_TRANSACTIONS[0] else None
    return None if found is None else str(found[1]["state"])


def _ways_out(moment: Moment, machine: Machine[Any], subject: str, state: str) -> Iterator[Link]:
    where, holder = _selection(machine.name, subject), _holder(machine.name, subject)
    targets = list(dict.fromkeys(row.target for row in rows_out_of(moment, machine, subject, state)))
    if not targets:
        yield link("state.last", subject=where, of=holder, state=state)
        return
    yield link("state.ways_out", subject=where, of=holder, state=state, targets=targets)


def rows_out_of(moment: Moment, machine: Machine[Any], subject: str, state: str) -> list[Row]:
    """The rows that lead out of this state, in the version of the client, or else of the cluster; without the run, in
    any version."""
    profile = moment.profile_of(subject)
    if profile is not None:
        profile = profile.at_level(level_in_force(moment.view))
    return [
        row
        for row in machine.rows
        if row.source == state
        and row.target not in (None, state)
        and (profile is None or row.exists_in(profile))
    ]


def _error(moment: Moment, subject: str) -> Iterator[Link]:
    manager = moment.part("clients").get(subject, {}).get("transaction_manager")
    error = None if manager is None else manager["last_error"]
    if error is not None:
        yield link("state.error", "TXM-3", subject=actor_subject(subject), of=subject, error=error)
        if f"error.{error}.meaning" in catalogue():
            yield Link(key=f"error.{error}.meaning")

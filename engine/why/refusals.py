"""Answers why a request, a batch or a call was refused: with the compared numbers, the rule, the row of the table, and
the error (UIV-3)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import Error
from engine.explain.errors import ERRORS, FIELDS
from engine.explain.machines import machines
from engine.explain.requirements import text_key_in
from engine.happenings.codes import Compared
from engine.machine import Row
from engine.telling.requests import COMPARED
from engine.telling.rows import row_key
from engine.why.fencing import FENCES, fenced_by
from engine.why.links import Json, Link, NotAsked, actor_subject, link, partition_subject, transaction_subject
from engine.why.moment import Moment
from engine.why.states import led_here

_STATE = COMPARED[Compared.STATE]
"""The label of a compared state."""
_CARRIED = ("arrived epoch", "arrived producer epoch", "claimed epoch")
"""The labels under which the epoch of the refused request or batch is compared."""

_LEFT_OUT = ("broker.check_left_out", "broker.lookup_left_out")
"""Keys of the notes about a check that the run switches off and that would have decided."""

_OF_REGISTRATIONS = "broker_registration"


def refusing_step(moment: Moment, subject: str) -> Json | None:
    """The step that refused: the newest step if the subject is empty, otherwise the newest step that refused the
    subject or in which the subject refused. None: no such step refused anything."""
    if subject == "":
        step = moment.step
        return step if step is not None and step["refusal"] is not None else None
    found = moment.lately.refusals.get(subject)
    return None if found is None else found.to_json()


def why_refused(moment: Moment, subject: str) -> Iterator[Link]:
    step = refusing_step(moment, subject)
    if step is None:
        known = ", ".join(sorted(moment.lately.refusals)) or "none"
        raise NotAsked("subject", "nothing was refused here", f"refusals are known of: {known}")
    refusal = step["refusal"]
    decision = step["decision"]
    about = _subject(moment, step)
    yield Link(
        key=step["key"],
        params=step["params"],
        rules=tuple(step["rules"]),
        subject=about,
        step=step["number"],
    )
    left_out = [note for note in step["notes"] if note["key"] in _LEFT_OUT]
    for note in left_out:
        yield Link(key=note["key"], params=note["params"], rules=tuple(note["rules"]))
    yield Link(
        key="why.refused.compared",
        params={"actor": step["actor"], "rule": refusal["rule"], "error": refusal["error"]},
        rules=(refusal["rule"],),
        subject=actor_subject(step["actor"]),
        compared=tuple((what, number) for what, number in refusal["compared"]),
    )
    yield from _fence(moment, step)
    yield Link(key=text_key_in(refusal["rule"], moment.keeper), rules=(refusal["rule"],))
    if decision is not None:
        yield from _deciding_rule(decision)
    yield from _rows(moment, step)
    yield from _error_state(moment, step)
    yield from _entry(refusal["error"])
    yield Link(key=refusal["next"], params=refusal["next_params"])


def _fence(moment: Moment, step: Json) -> Iterator[Link]:
    """Links about the steps that made the request's epoch too old (``fenced_by``), if a fence can cause the error."""
    carried = [number for what, number in step["refusal"]["compared"] if what in _CARRIED]
    if step["refusal"]["error"] not in FENCES or not carried:
        return
    arrived = (step["decision"] or {}).get("arrived") or step["params"]
    transactional_id = step["params"].get("transactional_id")
    if not isinstance(transactional_id, str):
        producer_id = arrived.get("producer_id")
        transactional_id = moment.owner_of(producer_id) if isinstance(producer_id, int) else None
    yield from fenced_by(moment, transactional_id, carried[0], step["number"])


def _subject(moment: Moment, step: Json) -> Json:
    """The subject of the refusal, as a selection: partition, transaction or actor."""
    partition = (step["decision"] or {}).get("subject", step["params"].get("partition"))
    if partition in moment.part("partitions"):
        return partition_subject(partition)
    transactional_id = step["params"].get("transactional_id")
    if isinstance(transactional_id, str):
        return transaction_subject(transactional_id)
    return actor_subject(step["actor"])


def _deciding_rule(decision: Json) -> Iterator[Link]:
    """Links about the check that refused, and its place in the table. Checks that are switched off have a place,
    too."""
    for place, row in enumerate(decision["rows"], start=1):
        if row["outcome"] == "decided":
            yield link(
                "refused.checks", machine=decision["machine"], place=place, count=len(decision["rows"])
            )
            yield Link(key=row["key"], params=row["params"], rules=(row["rule"],))
            return


def _rows(moment: Moment, step: Json) -> Iterator[Link]:
    """A link about the row of a state machine that refused."""
    said = {note["key"]: note["params"] for note in step["notes"]} | {step["key"]: step["params"]}
    for machine in machines().values():
        rows = [row for row in machine.rows if row.refused and row_key(row) in said]
        rows = [row for row in rows if row.source == _state(moment, step, row, said[row_key(row)])]
        if rows:
            first = rows[0]
            yield link(
                "refused.row" if first.reply else "refused.row_silent",
                first.spec,
                machine=machine.name,
                source=first.source,
                on=list(dict.fromkeys(row.on for row in rows)),
                reply=first.reply or "–",
            )


def _state(moment: Moment, step: Json, row: Row, params: Json) -> str:
    """The state in which the state machine of the row refused. ``params``: the parameters of the sentence about the
    row."""
    if "state" in params:
        return str(params["state"])
    compared = dict(step["refusal"]["compared"])
    if "client" in params and _STATE in compared:
        return str(compared[_STATE])
    if row.machine == _OF_REGISTRATIONS:
        return _state_of_registration(moment, step, str(params.get("broker")))
    manager = moment.part("clients").get(str(params.get("client")), {}).get("transaction_manager")
    return row.source if manager is None else str(manager["state"])


def _state_of_registration(moment: Moment, step: Json, broker: str) -> str:
    """The registration state of ``broker`` in which the controller refused; empty if it is no longer known."""
    taken = moment.lately.transitions.get((_OF_REGISTRATIONS, broker))
    shown = (moment.part("quorum").get("brokers") or {}).get(broker.removeprefix("broker-"))
    if shown is None or (taken is not None and taken[0].number > step["number"]):
        return ""
    return str(shown["state"])


def _error_state(moment: Moment, step: Json) -> Iterator[Link]:
    """Links that say how the client entered its error state, if the call was refused because of this state."""
    client = str(step["params"].get("client"))
    manager = moment.part("clients").get(client, {}).get("transaction_manager")
    entered = moment.lately.transitions.get(("client_transactions", client))
    if manager is None or manager["last_error"] is None or entered is None:
        return
    is_compared = [_STATE, manager["state"]] in step["refusal"]["compared"]
    if is_compared and entered[0].number < step["number"]:
        yield from led_here(moment, "client_transactions", client)


def _entry(name: str) -> Iterator[Link]:
    error = Error.__members__.get(name)
    entry = None if error is None else ERRORS.get(error)
    if entry is None:
        return
    yield link("refused.error", "MSG-4", error=name, since=entry.since)
    for field in FIELDS:
        yield Link(key=entry.key(field))

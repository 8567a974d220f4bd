"""The table of the kinds of questions. For each kind it says how a step of this kind is recognised, and makes the
choices, the answer and the reasons."""

from __future__ import annotations

from typing import Any

from engine.database.approaches import APPROACHES
from engine.errors import Error
from engine.explain.machines import machines
from engine.explain.sentences import catalogue
from engine.predict.facts import (
    Asked,
    Choice,
    Kind,
    Reason,
    Step,
    View,
    delivered,
    error_of,
    log_end_of,
    note,
    records_arriving,
    said,
)
from engine.profile import Profile
from engine.record_names import record_names
from engine.telling.rows import row_key

# What will the leader do with this batch? ----------------------------------------------------------------

_APPEND_ROWS: dict[str, tuple[str, ...]] = {
    "stored": ("decision.accepted", "decision.accepted_unnumbered"),
    "duplicate": ("decision.duplicate_lookup",),
    "out_of_order": (
        "decision.new_epoch_starts_at_zero",
        "decision.nothing_cached",
        "decision.stale_sequence",
        "decision.sequence_gap",
    ),
    "stale_epoch": ("decision.epoch",),
}
"""Dict of choice → the keys of the leader's checks that lead to this choice."""
_APPEND_ERRORS = {
    "OUT_OF_ORDER_SEQUENCE_NUMBER": "out_of_order",
    "INVALID_PRODUCER_EPOCH": "stale_epoch",
    "UNKNOWN_PRODUCER_ID": "unknown_producer",
    "DUPLICATE_SEQUENCE_NUMBER": "called_duplicate",
    "INVALID_TXN_STATE": "outside_transaction",
}


_UNDECIDED = ("broker.asks_coordinator", "broker.has_coordinator_add", "fault.error_injected")
"""Keys of the steps in which a leader decides nothing about a batch, because the coordinator first verifies the
partitions or adds them to the transaction (KIP-890), or because the leader responds with an injected error."""


def _is_append(step: Step) -> bool:
    message = delivered(step)
    if message is None or step["key"] in _UNDECIDED:
        return False
    return message["api"] == "Produce" and not message["is_response"]


def _of_batch(step: Step) -> dict[str, Any]:
    """The sentence of the step, its own or a note's, that is about the batch of the question. A request may have
    batches for several partitions; the step keeps the checks of only one of them."""
    if step["decision"] is None:
        return step
    subject, sentences = step["decision"]["subject"], [step, *step["notes"]]
    return next((one for one in sentences if one["params"].get("partition") == subject), step)


def _append_outcome(sentence: dict[str, Any], step: Step) -> str:
    if sentence["key"] == "broker.duplicate_found":
        return "duplicate"
    error = None if sentence["key"].startswith("broker.appended") else error_of(step)
    return "stored" if error is None else _APPEND_ERRORS.get(error, "refused_before")


def _ask_append(step: Step, view: View, _version: Profile) -> Asked:
    sentence = _of_batch(step)
    right = _append_outcome(sentence, step)
    decision = step["decision"]
    rows: list[dict[str, Any]] = [] if decision is None else decision["rows"]
    # A batch without a producer id has no epoch, so *stale epoch* is not a choice.
    known = [name for name in _APPEND_ROWS if decision is not None or name != "stale_epoch"]
    names = known + ([right] if right not in known else [])
    params = {name: sentence["params"].get(name) for name in ("broker", "partition", "client")}
    message = delivered(step) or {}
    params["client"] = params["client"] or message.get("from")
    params["broker"] = step["actor"]
    params["partition"] = params["partition"] or (message.get("partitions") or [None])[0]
    key = "predict.append.ask_plain"
    if decision is not None:
        params |= decision["arrived"]
        key = "predict.append.ask"
    records = records_arriving(step, view).get(params["partition"])
    if records:
        params["records"] = record_names(records)
        key = f"{key}_records"
    reasons = {name: _append_reasons(name, right, rows, sentence) for name in names}
    return Asked(
        key,
        params,
        tuple(Choice(name, f"predict.append.{name}") for name in names),
        right,
        reasons,
    )


def _append_reasons(
    name: str, right: str, rows: list[dict[str, Any]], sentence: dict[str, Any]
) -> tuple[Reason, ...]:
    if name == right:
        rule = sentence["rules"][0] if sentence["rules"] else None
        return (Reason(sentence["key"], sentence["params"], rule),)
    if not rows:
        refused = right != "stored"
        return (Reason("predict.append.refused_first" if refused else "predict.append.no_producer"),)
    wanted = _APPEND_ROWS[name]
    return tuple(
        Reason(row["key"], row["params"], row["rule"], row["outcome"])
        for row in rows
        if row["key"] in wanted and row["outcome"] != "decided"
    ) or (Reason("predict.append.not_asked"),)


# Which state follows? -------------------------------------------------------------------------------------


_MARKERS = "marker_states"
_OF_NODES = ("business_transaction", "middleware_transaction", "participant")
"""The machines of a transaction at a node of the middleware. The ``of`` of their transitions is the node and the id
of the transaction."""
_OFFSETS = "group_pending_offset"
"""The machine of a pending offset. The ``of`` of its transitions is the group and the partition."""


def _is_transition(step: Step) -> bool:
    return step["transition"] is not None


def _state_after(step: Step) -> str:
    """The state of the machine after the step. A fence passes through PrepareEpochFence in one step."""
    change = step["transition"]
    # For a marker, ``of`` is a transactional id. The pending state that this step may give to the id is not the
    # marker's.
    if change["machine"] == _MARKERS:
        return str(change["to"])
    pending = [one for one in step["changes"] if one["path"][-2:] == [change["of"], "pending_state"]]
    states = [one["after"] for one in pending if one.get("after") is not None]
    return str(states[-1] if states else change["to"])


def _event(machine: str, on: str) -> str:
    """The name of an event under `event.` in the catalogue; an event without an entry is its own name."""
    named = f"{machine}.{on.removesuffix('_raising_epoch')}"
    return named if f"event.{named}" in catalogue() else on


def _ask_state(step: Step, _view: View, version: Profile) -> Asked:
    change = step["transition"]
    machine = machines()[change["machine"]]
    before, after = change["from"], _state_after(step)
    happened = _event(machine.name, change["on"])
    ways: dict[str, list[str]] = {after: []}
    for row in machine.rows:
        if (
            row.source == before
            and row.exists_in(version)
            and (row.target != change["to"] or row.target == after)
        ):
            target = row.target if row.target is not None else before
            events = ways.setdefault(target, [])
            if (event := _event(machine.name, row.on)) not in events:
                events.append(event)
    of: Any = change["of"]
    if machine.name == _MARKERS:  # A marker has no name of its own.
        of = {"key": "clause.marker_of", "params": {"transactional_id": of}}
    elif machine.name in _OF_NODES:
        node, tid = of.rsplit(" ", 1)
        of = {"key": "clause.transaction_at", "params": {"node": node, "tid": tid}}
    elif machine.name == _OFFSETS:
        group, partition = of.rsplit(" ", 1)
        of = {"key": "clause.pending_offset_of", "params": {"group": group, "partition": partition}}
    params = {"machine": machine.name, "of": of, "from": before, "on": happened}
    reasons: dict[str, tuple[Reason, ...]] = {}
    for target, events in ways.items():
        if target == after:
            row = machine.rows[change["row"]]
            sentence = note(step, (row_key(row),)) or {"key": step["key"], "params": step["params"]}
            reasons[target] = (Reason(sentence["key"], sentence["params"], row.spec),)
        elif happened in events:
            reasons[target] = (Reason("predict.state.other_case", params),)
        elif target == before:
            reasons[target] = (Reason("predict.state.would_stay", {**params, "events": events}),)
        else:
            reasons[target] = (
                Reason("predict.state.would_need", {**params, "to": target, "events": events}),
            )
    choices = tuple(
        Choice(
            state,
            "predict.state.stays" if state == before else "predict.state.becomes",
            {"of": of, "state": state},
        )
        for state in sorted(ways, key=machine.states.index)
    )
    message = delivered(step)
    if message is None:
        return Asked("predict.state.ask", params, choices, after, reasons)
    params |= {"api": message["api"], "source": message["from"], "actor": step["actor"]}
    answer = "_answer" if message["is_response"] else ""
    return Asked(f"predict.state.ask_message{answer}", params, choices, after, reasons)


# Which identity will be given? ----------------------------------------------------------------------------

_IDENTITY_NOTES = {
    "coordinator.id_is_new": "new",
    "coordinator.epoch_goes_up": "next_epoch",
    "coordinator.epoch_given_again": "same_epoch",
    "coordinator.id_rotated": "new_id",
}
_IDENTITIES = ("new", "next_epoch", "same_epoch", "new_id", "must_wait")
_ASKED_AGAIN = frozenset(
    (
        "CONCURRENT_TRANSACTIONS",
        "COORDINATOR_LOAD_IN_PROGRESS",
        "COORDINATOR_NOT_AVAILABLE",
        "NOT_COORDINATOR",
    )
)
"""The errors after which a client sends InitProducerId again (TXM-13)."""


def _is_identity(step: Step) -> bool:
    message = delivered(step)
    asked = message is not None and message["api"] == "InitProducerId" and not message["is_response"]
    return asked and "transactional_id" in step["params"]


def _identity_outcome(step: Step) -> str:
    given = note(step, tuple(_IDENTITY_NOTES))
    if given is not None:
        return _IDENTITY_NOTES[given["key"]]
    waits = error_of(step) in _ASKED_AGAIN or "coordinator.fences_open_transaction" in said(step)
    return "must_wait" if waits else "refused"


def _ask_identity(step: Step, _view: View, _version: Profile) -> Asked:
    right = _identity_outcome(step)
    names = [*_IDENTITIES, *(["refused"] if right == "refused" else [])]
    message = delivered(step) or {}
    transactional_id = step["params"]["transactional_id"]
    params = {
        "client": message.get("from"),
        "coordinator": step["actor"],
        "transactional_id": transactional_id,
        "state": step["params"].get("state"),
        "producer_id": step["params"].get("producer_id"),
        "producer_epoch": step["params"].get("producer_epoch"),
    }
    sentence = note(step, tuple(_IDENTITY_NOTES)) or {"key": step["key"], "params": step["params"]}
    reasons: dict[str, tuple[Reason, ...]] = {
        name: (
            Reason(sentence["key"], sentence["params"], _identity_rule(step))
            if name == right
            else Reason(_why_not_identity(name, right, transactional_id), params),
        )
        for name in names
    }
    choices = tuple(Choice(name, f"predict.identity.{name}", params) for name in names)
    key = "predict.identity.ask" if transactional_id is not None else "predict.identity.ask_unnamed"
    return Asked(key, params, choices, right, reasons)


def _identity_rule(step: Step) -> str:
    if step["key"] == "coordinator.fences_open_transaction":
        return "TXC-10"
    if step["refusal"] is not None:
        return str(step["refusal"]["rule"])
    return "PID-8" if step["params"]["transactional_id"] is None else "TXC-9"


def _why_not_identity(name: str, right: str, transactional_id: str | None) -> str:
    """The key of the sentence that says why the broker does not give the identity ``name``. ``right``: the right
    choice."""
    if right in ("must_wait", "refused"):
        return f"predict.identity.not_given_{right}"
    if right == "new":
        return "predict.identity.unnamed" if transactional_id is None else "predict.identity.nothing_known"
    return f"predict.identity.not_{name}"


# What will this reader get? -------------------------------------------------------------------------------

_FETCHES = ("given", "aborted", "held_back", "nothing_new")
_WITHOUT_TRANSACTIONS = ("given", "nothing_new")
"""The choices in a run in which no coordinator knows a transaction: others would ask about what the run does not
show."""


def _is_fetch(step: Step) -> bool:
    return step["key"] in ("broker.fetch_answered", "broker.fetch_answered_empty")


def _fetch_outcome(step: Step) -> str:
    params = step["params"]
    if step["key"] == "broker.fetch_answered":
        return "aborted" if note(step, ("broker.aborted_listed",)) is not None else "given"
    committed = params["isolation"] == "read_committed"
    return "held_back" if committed and params["fetch_offset"] < params["high_watermark"] else "nothing_new"


def _ask_fetch(step: Step, view: View, _version: Profile) -> Asked:
    right = _fetch_outcome(step)
    known = any(broker.get("transactions") for broker in view.get("brokers", {}).values())
    names = _FETCHES if known or right not in _WITHOUT_TRANSACTIONS else _WITHOUT_TRANSACTIONS
    params = step["params"]
    committed = params["isolation"] == "read_committed"
    reasons: dict[str, tuple[Reason, ...]] = {}
    for name in names:
        if name == right:
            sentence = note(step, ("broker.aborted_listed",)) if right == "aborted" else None
            sentence = sentence or {"key": step["key"], "params": params}
            reasons[name] = (Reason(sentence["key"], sentence["params"], "CON-1"),)
        elif name in ("aborted", "held_back") and not committed:
            reasons[name] = (Reason("predict.fetch.takes_everything", params, "CON-2"),)
        else:
            reasons[name] = (Reason(f"predict.fetch.not_{name}_{right}", params, "CON-1"),)
    choices = tuple(Choice(name, f"predict.fetch.{name}", params) for name in names)
    return Asked("predict.fetch.ask", params, choices, right, reasons)


# What will the client make of this answer? ----------------------------------------------------------------

_REACTIONS = ("goes_on", "tries_again", "abortable", "fatal")
_TRIES_AGAIN = (
    "client.requeued",
    "client.requeued_refused",
    "client.control_retried",
    "client.control_retried_soon",
    "client.control_lookup",
    "client.control_lost",
    "client.producer_id_retried",
)


def _is_reaction(step: Step) -> bool:
    message = delivered(step)
    return message is not None and message["is_response"] and step["key"].startswith("client.")


def _reaction_outcome(step: Step) -> str:
    change = step["transition"]
    if change is not None and change["machine"] == "client_transactions":
        if change["to"] == "FATAL_ERROR":
            return "fatal"
        if change["to"] == "ABORTABLE_ERROR":
            return "abortable"
    keys = said(step)
    if keys & set(_TRIES_AGAIN):
        return "tries_again"
    return "fails_batch" if "client.batch_failed" in keys else "goes_on"


def _ask_reaction(step: Step, _view: View, _version: Profile) -> Asked:
    right = _reaction_outcome(step)
    message = delivered(step) or {}
    errors = _errors_in(message)
    error = errors[0] if errors else "NONE"
    names = [*_REACTIONS, *(["fails_batch"] if right == "fails_batch" else [])]
    params = {
        "client": step["actor"],
        "api": message.get("api"),
        "error": error,
        "broker": message.get("from"),
    }
    because: tuple[Reason, ...] = (Reason("predict.reaction.no_error", params),)
    if error != "NONE":
        because = (Reason(f"error.{error}.meaning"), Reason(f"error.{error}.asking"))
    chosen: tuple[Reason, ...] = (
        Reason(step["key"], step["params"], step["rules"][0] if step["rules"] else None),
    )
    reasons = {name: chosen if name == right else because for name in names}
    choices = tuple(Choice(name, f"predict.reaction.{name}", params) for name in names)
    key = "predict.reaction.ask" if error != "NONE" else "predict.reaction.ask_no_error"
    return Asked(key, params, choices, right, reasons)


_ERRORS = frozenset(error.name for error in Error if error is not Error.NONE)


def _errors_in(message: dict[str, Any]) -> list[str]:
    """The errors in a response: first the response's own, then those of its partitions."""
    found = [str(message["error"])] if message.get("error") in _ERRORS else []
    left: list[Any] = [message.get("fields")]
    while left:
        value = left.pop(0)
        if isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
        elif isinstance(value, str) and value in _ERRORS:
            found.append(value)
    return found


# Where will the last stable offset be? ----------------------------------------------------------------------


_BOUND_MOVED = {"broker.high_watermark_advanced", "broker.last_stable_offset_advanced"}
"""Keys of the sentences of a leader whose high watermark or last stable offset moves. There is no question about a
follower that learns the new offset."""


def _is_stable_offset(step: Step) -> bool:
    return bool(said(step) & _BOUND_MOVED) and any(_moves_bound(change) for change in step["changes"])


def _moves_bound(change: dict[str, Any]) -> bool:
    path = change["path"]
    return path[0] == "partitions" and path[-1] in ("high_watermark", "last_stable_offset") and len(path) == 5


def _ask_stable_offset(step: Step, view: View, _version: Profile) -> Asked:
    partition, after, before = _bounds(step, view)
    right = after["last_stable_offset"]
    open_since = [
        (int(producer_id), entry["transaction_first_offset"])
        for producer_id, entry in after.get("producers", {}).items()
        if entry["transaction_first_offset"] is not None
    ]
    candidates = {before["last_stable_offset"], before["high_watermark"], after["high_watermark"]}
    candidates |= {after["log_end"], right, *(first for _, first in open_since)}
    params = {
        "partition": partition,
        "before": before["last_stable_offset"],
        "high_watermark": after["high_watermark"],
        "log_end": before["log_end"],
        "right": right,
    }
    holder = next(
        (one for one in open_since if one[1] == right or one[1] < right == after["log_start"]), None
    )
    reasons: dict[str, tuple[Reason, ...]] = {}
    for offset in sorted(candidates):
        known = {**params, "offset": offset, "log_end": after["log_end"]}
        if offset < right:
            key = "predict.offset.decided"
        elif offset > after["high_watermark"]:
            key = "predict.offset.not_replicated"
        elif right == after["high_watermark"]:
            key = "predict.offset.nothing_open"
        elif holder is None:
            key = "predict.offset.marker_not_replicated"
        else:
            key = "predict.offset.held" if offset == right else "predict.offset.undecided"
        if holder is not None:
            known |= {"producer_id": holder[0], "first_offset": holder[1]}
        reasons[str(offset)] = (Reason(key, known, "LOG-8"),)
    choices = tuple(
        Choice(
            str(offset),
            "predict.offset.stays" if offset == params["before"] else "predict.offset.moves",
            {"offset": offset},
        )
        for offset in sorted(candidates)
    )
    fetched = _fetched(step, partition)
    if fetched is None:
        return Asked("predict.offset.ask", params, choices, str(right), reasons)
    return Asked(
        "predict.offset.ask_fetch", {**params, "replica": fetched["replica"]}, choices, str(right), reasons
    )


def _fetched(step: Step, partition: str) -> dict[str, Any] | None:
    """The parameters of the sentence in this step that says that the partition's high watermark advanced; None
    without one."""
    said_here = (each for each in (step, *step["notes"]) if each["key"] == "broker.high_watermark_advanced")
    return next((each["params"] for each in said_here if each["params"]["partition"] == partition), None)


def _bounds(step: Step, view: View) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The partition whose high watermark or last stable offset moved, its replica after the step, and the replica's
    high watermark, last stable offset and log end before the step."""
    moved = [change for change in step["changes"] if _moves_bound(change)]
    leading = [
        change
        for change in moved
        if str(view["partitions"][change["path"][1]]["leader"]) == change["path"][3]
    ]
    chosen = (leading or moved)[0]["path"]
    after = view["partitions"][chosen[1]]["replicas"][chosen[3]]
    before = {name: after[name] for name in ("high_watermark", "last_stable_offset", "log_end")}
    for change in step["changes"]:
        path = change["path"]
        if path[:4] == chosen[:4] and len(path) == 5 and path[4] in before and "before" in change:
            before[path[4]] = change["before"]
    return chosen[1], after, before


# What does a crash leave behind? ----------------------------------------------------------------------------

_LEFT = ("both", "row_only", "record_only", "neither")


def _forgotten(step: Step) -> dict[str, Any] | None:
    return note(step, ("service.forgets",))


def _is_crash(step: Step) -> bool:
    return _forgotten(step) is not None


def _stored_serials(view: View) -> set[int]:
    """The serials in the logs of the partitions' leaders."""
    return {
        serial
        for partition in view["partitions"].values()
        for batch in (partition["replicas"].get(str(partition["leader"])) or {}).get("batches", {}).values()
        for serial in batch["serials"]
    }


def _ask_crash(step: Step, view: View, _version: Profile) -> Asked:
    """The question about a record that a crashed service had in memory: does its row exist, its record, both
    or neither?"""
    forgotten = _forgotten(step) or {"key": step["key"], "params": {"records": ["r0"]}}
    record = forgotten["params"]["records"][0]
    serial = int(record.removeprefix("r"))
    has_row = str(serial) in (view["database"].get("rows") or {})
    has_record = serial in _stored_serials(view)
    right = _LEFT[(0 if has_record else 1) if has_row else (2 if has_record else 3)]
    params = {"service": forgotten["params"].get("service"), "record": record}
    facts = (
        Reason("predict.crash.row" if has_row else "predict.crash.no_row", params, "CPT-4"),
        Reason("predict.crash.record" if has_record else "predict.crash.no_record", params, "CPT-4"),
    )
    choices = tuple(Choice(name, f"predict.crash.{name}", params) for name in _LEFT)
    return Asked("predict.crash.ask", params, choices, right, dict.fromkeys(_LEFT, facts))


# What will the database do with this row? -------------------------------------------------------------------

_INSERTS = ("new", "known", "second")


_INSERTING = ("local_transaction.opens", "local_transaction.inserts", "local_transaction.inserts_no_row")


def _is_insert(step: Step) -> bool:
    key: str = step["key"]
    return key in _INSERTING


def _ask_insert(step: Step, view: View, _version: Profile) -> Asked:
    record = step["params"]["records"][0]
    serial = record.removeprefix("r")
    known = note(step, ("local_transaction.row_exists",))
    # An INSERT that is a transaction of its own commits its row in this step.
    row = ["database", "rows", serial]
    made_now = any(change["path"] == row and "before" not in change for change in step["changes"])
    there = serial in (view["database"].get("rows") or {}) and not made_now
    right = "known" if known is not None else "second" if there else "new"
    params = {"database": step["actor"], "service": step["params"]["service"], "record": record}
    fact = Reason("predict.insert.not_there", params, "CPT-5")
    if known is not None:
        fact = Reason(known["key"], known["params"], "CPT-5")
    elif there:
        fact = Reason("predict.insert.no_key", params, "CPT-5")
    choices = tuple(Choice(name, f"predict.insert.{name}", params) for name in _INSERTS)
    return Asked("predict.insert.ask", params, choices, right, dict.fromkeys(_INSERTS, (fact,)))


# Which offset will the service commit? ----------------------------------------------------------------------

_COMMITS = ("service.commits_offsets", "service.auto_commits")
_NONE = "none"


def _is_commit(step: Step) -> bool:
    return step["key"] in _COMMITS or note(step, ("service.commit_stays",)) is not None


def _ask_commit(step: Step, view: View, _version: Profile) -> Asked:
    """The question which offset the service commits for the first partition, if it commits one."""
    stays = note(step, ("service.commit_stays",))
    if stays is None:
        partition, _, offset = step["params"]["offsets"][0].rpartition(" → ")
        right, near = offset, {int(offset) - 1, int(offset), int(offset) + 1}
    else:
        finished = step["params"]["offset"]
        partition, right, near = stays["params"]["partition"], _NONE, {finished, finished + 1}
    service = view["services"][step["params"]["service"]]
    known = view["consumers"][service["consumer"]]["group"]["committed"].get(partition, -1)
    held = [one["offset"] for one in service.get("workers", ()) if one["partition"] == partition]
    log_end = log_end_of(view, partition)
    near |= {*held[:1], log_end}
    params = {"service": step["params"]["service"], "consumer": service["consumer"], "partition": partition}
    rule = APPROACHES[service["approach"]].commits or "rows"
    choices = (
        Choice(_NONE, "predict.commit.none"),
        *(
            Choice(str(one), "predict.commit.offset", {"offset": one})
            for one in sorted(near)
            if known < one <= log_end
        ),
    )
    reasons = (Reason(f"predict.commit.{rule}", params, "OFS-6"),)
    return Asked(
        "predict.commit.ask", params, choices, right, dict.fromkeys([one.id for one in choices], reasons)
    )


# Where does the group continue? ------------------------------------------------------------------------------


def _is_group_offset(step: Step) -> bool:
    key: str = step["key"]
    return key == "group.offsets_told"


def _ask_group_offset(step: Step, view: View, _version: Profile) -> Asked:
    """The question from which offset the group continues in the first partition of the coordinator's response."""
    response = next(
        change["after"]
        for change in step["changes"]
        if change["path"][:2] == ["network", "messages"] and len(change["path"]) == 3 and "after" in change
    )
    partition, right = next(iter(response["fields"]["offsets"].items()))
    log_end = log_end_of(view, partition)
    near = {one for one in (right - 1, right, right + 1) if 0 <= one <= log_end}
    params = {
        "consumer": response["to"],
        "broker": step["actor"],
        "group": step["params"]["group"],
        "partition": partition,
        "right": right,
    }
    fact = Reason(
        "predict.group_offset.next_to_read" if right >= 0 else "predict.group_offset.none", params, "CON-9"
    )
    choices = tuple(
        Choice(
            str(offset),
            "predict.group_offset.offset" if offset >= 0 else "predict.group_offset.no_offset",
            {"offset": offset},
        )
        for offset in sorted({-1, 0, log_end, right} | near)
    )
    reasons: dict[str, tuple[Reason, ...]] = {choice.id: (fact,) for choice in choices}
    return Asked("predict.group_offset.ask", params, choices, str(right), reasons)


KINDS: dict[str, Kind] = {
    "commit": Kind(_is_commit, _ask_commit),
    "group_offset": Kind(_is_group_offset, _ask_group_offset),
    "crash": Kind(_is_crash, _ask_crash),
    "insert": Kind(_is_insert, _ask_insert),
    "append": Kind(_is_append, _ask_append),
    "state": Kind(_is_transition, _ask_state),
    "identity": Kind(_is_identity, _ask_identity),
    "fetch": Kind(_is_fetch, _ask_fetch),
    "reaction": Kind(_is_reaction, _ask_reaction),
    "stable_offset": Kind(_is_stable_offset, _ask_stable_offset),
}

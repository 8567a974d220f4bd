"""Finds the cost of an intervention, by comparing the end of the run with the end of the scenario's own run.

It is computed from a run's first view and steps (docs/frame.md), like the run's plan.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from engine.coordinator.transaction_states import TRANSACTION_STATES
from engine.counters import RETRIES
from engine.middleware.business_states import DONE
from engine.middleware.middleware_states import MANUAL, RESTING
from engine.shapes.plans import Cost, Hangs, HeldBack, Outcome, Readable, Words
from engine.tool.transactions_tool import FAILED
from engine.transaction_lines import COMPLETE, DECIDED, UNENDED
from engine.view.although import although, words
from engine.view.moral import SIGNS, left_open, left_open_in_kafka, longer_apart, moral_of
from engine.view.openers import POSITIONS_VISIBLE
from engine.view.places import INTERNAL, leaves

_FATES = ("duplicates", "lost", "failed", "reordered")
"""The counts of records in a partition's verdict that a cost compares."""
LATER_LEAST = 500
"""A cost does not mention a smaller difference, in ms, between the times at which records become readable."""
FAILED_MAX = 100
"""At most this many failed records of a hanging transaction are listed."""
_UNDELIVERED = frozenset({"dropped", "lost"})
"""The ends of a message that does not arrive."""
_STOPS = frozenset({"fault.crashed", "fault.client_crashed", "fault.stopped", "fault.stopped_cleanly"})
"""The steps after which an actor is down, until it starts again."""
_JUDGED = ("visible_early", "atomic", "fenced", "mixed", "repeated", "record_missing")
"""The guarantees with a sentence of their own. The other guarantees have none, because the counts of records, the
hanging transactions and the rows of the database say more."""
_SAME_AS = {"lost": "lost", "duplicates": "duplicated", "reordered": "reordered"}
"""Dict of name of a count in the verdicts → the guarantee that counts the same kind of records. The guarantee also
counts records that have left the log since."""
_WORSE = frozenset(
    {f"cost.{name}_more" for name in (*_FATES, *_JUDGED, "hidden", "hanging", "aborted", "readable_later")}
    | {f"cost.{name}_now" for name in _FATES}
    | {"cost.stored_fewer", "cost.committed_fewer", "cost.aborted_instead", "cost.row_gone", "cost.row_twice"}
    | {"cost.left_open", "cost.operator_needed", "cost.reserved_still", "cost.not_reached"}
    | {"cost.not_begun", "cost.not_learned", "cost.apart_still", "cost.apart_longer", "cost.apart_now"}
)
"""The sentences about something that got worse. They come first."""
_BETTER = ("cost.readable_earlier", "cost.readable_earlier_most")
"""The sentences that are left out beside one about something that got worse, because records are readable earlier
if there are fewer of them."""


class RunOutcome:
    """Collects the outcome of a run: pass the run's first view, then its steps in order, as JSON."""

    def __init__(self, view: Mapping[str, Any]) -> None:
        self._time: int = view.get("time", 0)
        self._messages = 0
        self._undelivered = 0
        self._counters: dict[str, int] = dict(view.get("counters") or {})
        self._fates: dict[str, dict[str, int]] = deepcopy(dict(view.get("verdicts") or {}))
        self._leaders: dict[str, Any] = {}
        self._logs: dict[str, dict[str, dict[str, Any]]] = {}
        """Dict of partition → replica → base offset → batch. A batch is never changed in place, so copies share it."""
        self._gates: dict[str, dict[str, tuple[int, int]]] = {}
        """Dict of partition → replica → (last stable offset, high watermark)."""
        self._advances: dict[str, list[tuple[int, int]]] = {}
        """Dict of partition → (last stable offset, time in virtual ms) of each advance of its leader's last stable
        offset."""
        self._completed = Counter[str]()
        """The number of completed transactions, as `committed` and `aborted`."""
        self._counted = set[str]()
        """The transactional ids whose newest decision is counted, because a new coordinator may complete it again."""
        self._open = set[str]()
        """The transactional ids whose newest transaction has begun and has not ended."""
        self._hung: dict[tuple[str, int], tuple[int, int]] = {}
        """Dict of (partition, producer id) of a transaction that hung → (its first offset, virtual ms of that step)."""
        self._consumes = False
        """Whether offsets of a consumer group took effect with a transaction."""
        self._uncounted = 0
        """The number of records that were stored under an old epoch before a producer had the coordinator's new one."""
        self._hung_for: dict[tuple[str, int], int] = {}
        """Dict of (partition, producer id) of a transaction that hung and has ended → how long it hung, in ms."""
        self._by_hand = 0
        """The number of transactions that ``kafka-transactions.sh`` aborted."""
        self._tool: dict[str, Any] = {}
        """The newest command of ``kafka-transactions.sh``, as the view has it."""
        self._failed_commands = Counter[tuple[str, str]]()
        """Dict of (command, error; empty: no sentence names one) → how often the command failed with this error."""
        self._held_since: dict[str, int] = {}
        self._held: tuple[int, str] = (0, "")
        self._down = set[str]()
        self._nodes: dict[str, Any] = {}
        """Dict of the path of a transaction's state below ``participants`` of the view, joined by dots → the state."""
        self._reserved: dict[str, int] = {}
        """Dict of participant → the amount that it holds reserved."""
        self._ends: dict[str, str] = {}
        """Dict of transaction → its state at the middleware."""
        self._awaited: dict[str, str] = {}
        """Dict of transaction → its state at the business system."""
        self._apart: dict[str, dict[str, Any]] = {}
        """Dict of transaction of the middleware → the period in which its nodes differ, as in the view."""
        self._succeeded = set[int]()
        """The serials of the records whose ``send()`` has succeeded."""
        self._failed = set[int]()
        """The serials of the records whose ``send()`` has failed."""
        self._rows: dict[str, int] | None = None
        """Dict of serial → the number of copies of its row; None in a run without a database."""
        self._broken: dict[str, int] = {}
        """Dict of guarantee → its count of violations in the view."""
        self._signs = Counter[str]()
        """Dict of sign of ``SIGNS`` → the number of its occurrences."""
        self._stopped: str | None = None
        """The partition of the first batch that did not pass all checks of a broker."""
        self._broke: str | None = None
        """The partition in which a guarantee broke first."""
        for name, partition in (view.get("partitions") or {}).items():
            self._partition(name, partition)
        for path, value in leaves((), view.get("middleware") or {}):
            self._in_middleware(path, value)
        for path, value in leaves((), view.get("records") or {}):
            self._in_records(path, value)
        if "database" in view:
            self._rows = {}
            self._in_rows((), view["database"].get("rows") or {})

    def take(self, step: Mapping[str, Any]) -> None:
        self._time = step["at"]
        self._messages += sum(fate["event"] == "sent" for fate in step["messages"])
        self._undelivered += sum(fate["event"] in _UNDELIVERED for fate in step["messages"])
        if step["key"] in _STOPS:
            self._down.add(step["actor"])
        elif step["key"] == "fault.restarted":
            self._down.discard(step["actor"])
        for transition in (*(step.get("earlier_transitions") or ()), step["transition"]):
            if transition is not None and transition["machine"] == TRANSACTION_STATES.name:
                self._moves(transition)
        for said in (step, *step["notes"]):
            if (sign := SIGNS.get(said["key"])) is not None:
                self._signs[sign] += 1
            if said["key"] == "tool.abort_done":
                self._by_hand += 1
            elif said["key"] == "broker.epoch_unassigned":
                self._uncounted += step["params"]["record_count"]
            elif said["key"] in POSITIONS_VISIBLE:
                self._consumes = True
        if self._stopped is None and (decision := step.get("decision")) is not None:
            self._at_checks(decision)
        for broken in step["broken"]:
            self._broke = self._broke or broken.get("partition")
            if broken["guarantee"] == "hanging":
                place = broken["partition"], broken["producer_id"]
                self._hung[place] = broken["first_offset"], self._time
        for change in step["changes"]:
            path = change["path"]
            if path[0] == "counters":
                _put(self._counters, path[1:], change)
            elif path[0] == "verdicts":
                _put(self._fates, path[1:], change)
            elif path[0] == "partitions" and not path[1].startswith(INTERNAL):
                self._changed(path, change)
                if len(path) < 5 or path[4] in ("last_stable_offset", "high_watermark"):
                    self._look_at_gates(path[1])
            elif path[0] == "tool":
                self._in_tool(step, change)
            elif path[0] == "middleware":
                for inner, value in leaves(tuple(path[1:]), change.get("after")):
                    self._in_middleware(inner, value)
            elif path[0] == "records":
                for inner, value in leaves(tuple(path[1:]), change.get("after")):
                    self._in_records(inner, value)
            elif path[:2] == ["database", "rows"]:
                self._in_rows(tuple(path[2:]), change.get("after"))
            elif path[0] == "guarantees":
                for inner, value in leaves(tuple(path[1:]), change.get("after")):
                    if inner[1:] == ("count",):
                        self._broken[inner[0]] = value

    def _in_tool(self, step: Mapping[str, Any], change: Mapping[str, Any]) -> None:
        """Note a command that fails, with the error that the step's sentence names."""
        before = self._tool.get("state")
        _put(self._tool, change["path"][1:], change)
        if self._tool.get("state") == FAILED != before:
            said = (one["params"] for one in (step, *step["notes"]) if one["key"].startswith("tool."))
            error = next((str(params["error"]) for params in said if "error" in params), "")
            self._failed_commands[self._tool["command"].split()[0], error] += 1

    def _at_checks(self, decision: Mapping[str, Any]) -> None:
        """Note the partition of the first batch that did not pass all checks of a broker, because it was refused or was
        already stored."""
        subject = decision["subject"]
        if subject in self._leaders and any(row["outcome"] == "not_reached" for row in decision["rows"]):
            self._stopped = subject

    def _moves(self, transition: Mapping[str, Any]) -> None:
        """Count a transaction that completes, once for each decision."""
        name, before, state = transition["of"], transition["from"], transition["to"]
        (self._open.add if state in UNENDED else self._open.discard)(name)
        if state in DECIDED and state != before:
            self._counted.discard(name)
        elif state in COMPLETE and state != before and name not in self._counted:
            self._counted.add(name)
            self._completed[COMPLETE[state]] += 1

    def to_json(self) -> Outcome:
        fates = Counter[str]()
        kept = {name: batches for name in self._logs if (batches := self._kept(name))}
        logs = {name: [list(batch.get("serials", ())) for batch in batches] for name, batches in kept.items()}
        sets = {name: sorted({serial for batch in log for serial in batch}) for name, log in logs.items()}
        every = sorted({serial for held in sets.values() for serial in held})
        whole = {name: log for name in self._logs if (log := self._in_order(name))}
        aborted = [
            serial
            for log in whole.values()
            for batch in log
            if batch.get("outcome") == "aborted"
            for serial in batch.get("serials", ())
        ]
        for verdict in self._fates.values():
            fates.update({name: verdict.get(name, 0) for name in _FATES})
        return {
            "time": self._time,
            "messages": self._messages,
            **{name: self._counters.get(name, 0) for name in RETRIES},  # type: ignore[typeddict-item]
            **{name: fates[name] for name in _FATES},
            "batches": _digest(logs),
            "records": _digest(
                {name: [serial for batch in log for serial in batch] for name, log in logs.items()}
            ),
            "nodes": _digest(self._nodes),
            "undelivered": self._undelivered,
            "reserved": sorted(name for name, held in self._reserved.items() if held),
            "ends": dict(sorted(self._ends.items())),
            **({"open": sorted(self._open)} if self._open else {}),
            **({"awaited": awaited} if (awaited := sorted(self._open_at_business())) else {}),
            **({"apart": apart} if (apart := self._times_apart()) else {}),
            "stored": _digest({name: _serials(log) for name, log in whole.items()}),
            "outcomes": _digest({name: _with_outcomes(log) for name, log in whole.items()}),
            "held": self._longest_held(),
            "markers": sum(batch.get("control") is not None for log in whole.values() for batch in log),
            "committed": self._completed["committed"],
            "aborted": self._completed["aborted"],
            "aborted_records": len(aborted),
            **({"uncounted": self._uncounted} if self._uncounted else {}),
            "undone": len(self._succeeded.intersection(aborted)),
            "readable": {name: self._readable(name, kept[name]) for name in sorted(kept)},
            "hanging": sum(self._hangs(*place) for place in self._hung),
            **({} if (hangs := self._only_hanging()) is None else {"hangs": hangs}),
            **({"hung": max(self._hung_for.values())} if self._hung_for else {}),
            "by_hand": self._by_hand,
            **(
                {"failed_commands": [[*one] for one in sorted(self._failed_commands.elements())]}
                if self._failed_commands
                else {}
            ),
            "down": sorted(self._down),
            "broken": {name: count for name, count in sorted(self._broken.items()) if count},
            "signs": dict(sorted(self._signs.items())),
            "kept": len(every),
            "places": _digest(sets),
            "all": _digest({"": every}) if every else "",
            "participants": dict(sorted(self._nodes.items())),
            **({"consumes": True} if self._consumes and self._rows is None else {}),
            **({} if self._rows is None else {"rows": dict(sorted(self._rows.items()))}),
            **({} if (partition := self._broke or self._stopped) is None else {"partition": partition}),
        }

    def logs(self) -> dict[str, list[tuple[int, str]]]:
        """Dict of partition → (serial, outcome) of each record of its log, in order. Injected records have no serials;
        here they have the serial 0."""
        return {
            name: [
                (serial, batch.get("outcome") or "")
                for batch in log
                if batch.get("control") is None
                for serial in batch["serials"] or [0] * batch["record_count"]
            ]
            for name in self._logs
            if (log := self._in_order(name))
        }

    def numbers(self) -> dict[str, list[tuple[Any, ...]]]:
        """Dict of partition → (producer id, producer epoch, sequence number) of each record of its log, in order."""
        return {
            name: [
                (
                    batch.get("producer_id"),
                    batch.get("producer_epoch"),
                    None if first is None else first + place,
                )
                for batch in self._in_order(name)
                if batch.get("control") is None
                for first in [batch.get("first_sequence")]
                for place in range(batch["record_count"])
            ]
            for name in self._logs
        }

    def _in_records(self, path: Sequence[str], value: Any) -> None:
        if tuple(path[1:]) == ("status",):
            (self._succeeded.add if value == "ok" else self._succeeded.discard)(int(path[0]))
            (self._failed.add if value == "failed" else self._failed.discard)(int(path[0]))

    def _in_rows(self, path: tuple[str, ...], value: Any) -> None:
        if self._rows is None:
            return
        if not path:
            self._rows = {}
        elif value is None:
            self._rows.pop(path[0], None)
        for inner, leaf in leaves(path, value):
            if inner[1:] == ("copies",):
                self._rows[inner[0]] = leaf

    def _readable(self, name: str, kept: list[dict[str, Any]]) -> Readable:
        advances = self._advances.get(name, [])
        stable = advances[-1][0] if advances else 0
        ends = [(batch["base_offset"], batch["last_offset"]) for batch in kept]
        hidden = sum(last + 1 - max(first, stable) for first, last in ends if last >= stable)
        at = next((time for offset, time in advances if offset > ends[-1][1]), None)
        return {"at": at, "hidden": hidden}

    def _hangs(self, name: str, producer_id: int) -> bool:
        """Whether the transaction of ``producer_id`` that hung in the partition still hangs."""
        first, _ = self._hung[name, producer_id]
        stable, _ = self._gates.get(name, {}).get(str(self._leaders.get(name)), (0, 0))
        return stable <= first and any(
            batch["base_offset"] == first and batch.get("producer_id") == producer_id
            for batch in self._in_order(name)
        )

    def _only_hanging(self) -> Hangs | None:
        """The only transaction that hangs. None if none or several have hung in the run, if it no longer hangs, or if
        the partition has no leader, because then no last stable offset is known."""
        if len(self._hung) != 1:
            return None
        (((partition, producer_id), (first, _)),) = self._hung.items()
        gates = self._gates.get(partition, {}).get(str(self._leaders.get(partition)))
        if gates is None or not self._hangs(partition, producer_id):
            return None
        serials = {
            serial
            for batch in self._in_order(partition)
            if batch["base_offset"] >= first and batch.get("producer_id") == producer_id
            for serial in batch["serials"]
        }
        failed = sorted(serials & self._failed)[:FAILED_MAX]
        return {"partition": partition, "last_stable_offset": gates[0], "failed": failed}

    def _open_at_business(self) -> list[str]:
        return [tid for tid, state in self._awaited.items() if state != DONE]

    def _times_apart(self) -> dict[str, int | None]:
        return {
            tid: None if span.get("until") is None else span["until"] - span["since"]
            for tid, span in sorted(self._apart.items())
            if span.get("since") is not None
        }

    def _longest_held(self) -> HeldBack:
        still = max(((self._time - since, name) for name, since in self._held_since.items()), default=(0, ""))
        ms, partition = max(self._held, still)
        return {"ms": ms, "partition": partition if ms else "", "released": still <= self._held}

    def _in_order(self, name: str) -> list[dict[str, Any]]:
        replicas = self._logs.get(name, {})
        log = replicas.get(str(self._leaders.get(name))) or next(iter(replicas.values()), {})
        return sorted(log.values(), key=lambda batch: batch["base_offset"])

    def _kept(self, name: str) -> list[dict[str, Any]]:
        """The batches of records that were not aborted, in order."""
        return [
            batch
            for batch in self._in_order(name)
            if batch.get("control") is None and batch.get("outcome") != "aborted"
        ]

    def _partition(self, name: str, partition: Mapping[str, Any]) -> None:
        if name.startswith(INTERNAL):
            return
        self._leaders[name] = partition.get("leader")
        replicas = partition.get("replicas") or {}
        self._logs[name] = {number: dict(one.get("batches") or {}) for number, one in replicas.items()}
        self._gates[name] = {number: _gates_of(one) for number, one in replicas.items()}
        self._look_at_gates(name)

    def _look_at_gates(self, name: str) -> None:
        """Measure how long the leader's last stable offset has been below its high watermark."""
        stable, replicated = self._gates.get(name, {}).get(str(self._leaders.get(name)), (0, 0))
        for place, (_, since) in self._hung.items():
            if place[0] == name and not self._hangs(*place):
                self._hung_for.setdefault(place, self._time - since)
        advances = self._advances.setdefault(name, [])
        if stable > (advances[-1][0] if advances else 0):
            advances.append((stable, self._time))
        if stable < replicated:
            self._held_since.setdefault(name, self._time)
        elif name in self._held_since:
            self._held = max(self._held, (self._time - self._held_since.pop(name), name))

    def _in_middleware(self, path: tuple[str, ...], value: Any) -> None:
        """Note a value of the middleware's view: a participant's state or reservation, or a transaction's
        state."""
        if path[0] == "participants" and path[-1] == "state":
            self._nodes[".".join(path[1:])] = value
        elif path[0] == "participants" and path[2:] == ("reserved",):
            self._reserved[path[1]] = value
        elif path[0] == "transactions" and path[2:] == ("state",):
            self._ends[path[1]] = value
        elif path[:2] == ("business", "transactions") and path[3:] == ("state",):
            self._awaited[path[2]] = value
        elif path[0] == "differ" and len(path) == 3:
            self._apart.setdefault(path[1], {})[path[2]] = value

    def _changed(self, path: list[str], change: Mapping[str, Any]) -> None:
        if len(path) == 2:
            self._partition(path[1], change.get("after") or {})
        elif path[2] == "leader":
            self._leaders[path[1]] = change.get("after")
        elif len(path) == 4 and path[2] == "replicas":
            after = change.get("after") or {}
            self._logs.setdefault(path[1], {})[path[3]] = dict(after.get("batches") or {})
            self._gates.setdefault(path[1], {})[path[3]] = _gates_of(after)
        elif len(path) == 5 and path[4] in ("last_stable_offset", "high_watermark"):
            gates = self._gates.setdefault(path[1], {})
            stable, replicated = gates.get(path[3], (0, 0))
            after = change.get("after") or 0
            gates[path[3]] = (after, replicated) if path[4] == "last_stable_offset" else (stable, after)
        elif len(path) >= 5 and path[4] == "batches":
            log = self._logs.setdefault(path[1], {}).setdefault(path[3], {})
            if len(path) == 5:
                log.clear()
                log.update(change.get("after") or {})
            elif len(path) == 6:
                _put(log, path[5:], change)
            else:
                log[path[5]] = {**log.get(path[5], {}), path[6]: change.get("after")}


def cost_of(written: Outcome, now: Outcome, done: Iterable[Mapping[str, Any]]) -> Cost:
    """The cost of the interventions. `written`: the end of the scenario's own run. `now`: the end of the run
    with interventions. `done`: the interventions, in order."""
    done = list(done)
    actions = [one["action"] for one in done]
    what = f"cost.{actions[0]}" if len(actions) == 1 and actions[0] in _NAMED else "cost.change"
    by = {name: _difference(written, now, name) for name in ("time", *RETRIES, "messages")}
    is_short = _is_unfinished(written, now) and min(by.values()) < 0
    if is_short:
        by = {name: max(0, more) for name, more in by.items()}
    dearer = any(by.values()) and min(by.values()) >= 0
    later, apart = _readability(written, now), _apart(written, now)
    if any(by[name] for name in (*RETRIES, "messages")) and _is_said((*later[1], *apart), by["time"]):
        by["time"] = 0
    costs = [
        words(f"cost.{name}" if dearer else f"cost.{name}_{'more' if more > 0 else 'fewer'}", by=abs(more))
        for name, more in by.items()
        if more
    ]
    if dearer and by["time"] and actions == ["delay_message"] and by["time"] * 10 < done[0]["by"] * 9:
        ends = {"now": now["time"], "before": written["time"]}
        # A run that ends within the delay has not waited for the message.
        reason = "cut_short" if now["time"] < done[0]["by"] else "within_delay"
        costs[0] = words(f"cost.time_{reason}", by=by["time"], **ends)
    left, ended = _left(written, now), [*_transactions(written, now), *_hanging(written, now)]
    broken, fates, (hidden, readable) = _broken(written, now), _fates(written, now), later
    stored, rows = _stored(written, now), _rows(written, now)
    rest = _kept(written, now, bool(ended))
    is_same = not (left or ended or broken or fates or hidden or stored or rows)
    clause = although(now, done, rest["key"]) if is_same else None
    is_said = bool(fates or stored or rows) or bool(left and not now["batches"])
    if clause is not None:
        pair = (clause["outcome"]["key"], rest["key"])
        is_said = pair in _ALREADY
        rest = {**rest, "key": _BESIDES.get(pair, rest["key"])}
    shown = [*hidden, *readable] or _held(written, now)
    results = [*left, *rows, *fates, *stored, *ended, *broken, *shown, *apart]
    worse = [one for one in results if one["key"] in _WORSE]
    others = [one for one in results if one not in worse and not (worse and one["key"] in _BETTER)]
    kept = [*worse, *others, *_commands(written, now), *([] if is_said else [rest])]
    cost: Cost = {
        "what": words("cost.delay_by", by=done[0]["by"])
        if actions == ["delay_message"]
        else words(what, count=len(actions)),
        "dearer": dearer,
        "costs": costs,
        "kept": [*kept, *([] if costs else _undelivered(written, now, actions.count("drop_message")))],
        "moral": moral_of(written, now, len(actions)),
    }
    if is_short:
        cost["short"] = True
    if clause is not None:
        cost["although"] = clause
    return cost


def _held(written: Outcome, now: Outcome) -> list[Words]:
    """The sentence that says how much sooner a partition released the records that it held back, if it holds the same
    records at the end."""
    if "held" not in written or "held" not in now or written["records"] != now["records"]:
        return []
    before, after = written["held"], now["held"]
    by = before["ms"] - after["ms"]
    if by < LATER_LEAST or not (before["released"] and after["released"]):
        return []
    return [words("cost.held_shorter", partition=before["partition"], by=by)]


def _is_said(delays: Iterable[Words], ms: int) -> bool:
    """Whether one of the sentences gives a time that is about as long as ``ms``, by which the run is longer (it differs
    by less than a tenth). The run's own time is then left out, because it would look like a second delay."""
    stated = (one["params"] for one in delays)
    found = (
        params["by"] if "by" in params else params["now"] - params.get("before", 0)
        for params in stated
        if "by" in params or "now" in params
    )
    return ms > 0 and any(abs(delay - ms) * 10 < ms for delay in found)


def _is_unfinished(written: Outcome, now: Outcome) -> bool:
    """Whether the run leaves something unfinished at its end: an open transaction of Kafka, more hanging transactions
    than in the original run, a transaction that ends in the original run, or an outcome that the business system
    learns there."""
    hangs = now.get("hanging", 0) > written.get("hanging", 0)
    return bool(now.get("open") or hangs or left_open(written, now) or _not_learned(written, now))


_ALREADY = frozenset(
    {("cost.still_log", "cost.log_same"), ("cost.still_end", "cost.end_same")}
    | {("cost.still_outcome", "cost.outcome_same")}
)
"""The pairs (clause, sentence about logs or nodes) in which the sentence only repeats the clause."""
_BESIDES = {
    ("cost.still_log", f"cost.{name}"): f"cost.besides_{name}"
    for name in ("records_same", "markers_more", "markers_fewer")
}
"""Dict of (clause, sentence about logs) in which the clause says the first half of the sentence → the key of a
sentence with only the second half."""


def _commands(written: Outcome, now: Outcome) -> list[Words]:
    """The sentences about commands of ``kafka-transactions.sh`` that fail only now."""
    failed = Counter((name, error) for name, error in now.get("failed_commands", ()))
    failed.subtract((name, error) for name, error in written.get("failed_commands", ()))
    return [
        words("cost.command_fails_with", command=name, error=error)
        if error
        else words("cost.command_fails", command=name)
        for (name, error), more in failed.items()
        if more > 0
    ]


_NAMED = frozenset(
    {"drop_message", "delay_message", "duplicate_message", "reorder_message", "crash", "pause"}
)
"""Actions that have a noun of their own in the catalogue."""


def _transactions(written: Outcome, now: Outcome) -> list[Words]:
    """The sentences that say how many more or fewer transactions are committed and aborted."""
    if "committed" not in written or "committed" not in now:
        return []
    committed, aborted = (_difference(written, now, name) for name in ("committed", "aborted"))
    if aborted <= 0 and committed <= 0 and -committed - aborted == len(left_open_in_kafka(written, now)):
        # The sentence about the transactions that have not ended says it.
        return []
    if committed and committed == -aborted:
        return [
            words("cost.committed_instead" if committed > 0 else "cost.aborted_instead", by=abs(committed))
        ]
    return [
        words(f"cost.{name}_{'more' if more > 0 else 'fewer'}", by=abs(more))
        for name, more in (("committed", committed), ("aborted", aborted))
        if more
    ]


def _broken(written: Outcome, now: Outcome) -> list[Words]:
    """The sentences that say how many more or fewer records or transactions break a guarantee of ``_JUDGED``."""
    if "broken" not in written or "broken" not in now:
        return []
    return [
        words(f"cost.{name}_{'more' if more > 0 else 'fewer'}", by=abs(more))
        for name in _JUDGED
        if (more := now["broken"].get(name, 0) - written["broken"].get(name, 0))
    ]


def _fates(written: Outcome, now: Outcome) -> list[Words]:
    """The sentences that say how many more or fewer records are stored twice, lost, failed or out of order."""
    changed = {name: more for name in _FATES if (more := _fate(written, now, name))}
    aborted = 0
    if "aborted_records" in written and "aborted_records" in now:
        aborted = _difference(written, now, "aborted_records")
    if aborted > 0 and changed == {"failed": -aborted}:
        return [words("cost.aborted_stored_more", by=aborted)]
    order = sorted(changed, key=("lost", "duplicates", "reordered", "failed").index)
    return [
        words(f"cost.{name}_{_degree(written, changed[name], name)}", by=abs(changed[name])) for name in order
    ]


def _degree(written: Outcome, more: int, name: str) -> str:
    if more < 0:
        return "fewer"
    broken = written.get("broken", {}).get(_SAME_AS.get(name, name), 0)
    return "more" if written.get(name) or broken else "now"


def _fate(written: Outcome, now: Outcome, name: str) -> int:
    more = _difference(written, now, name)
    if not more and name in _SAME_AS and "broken" in written and "broken" in now:
        guarantee = _SAME_AS[name]
        more = now["broken"].get(guarantee, 0) - written["broken"].get(guarantee, 0)
    return more


def _stored(written: Outcome, now: Outcome) -> list[Words]:
    """The sentence that says how many more or fewer records consumers may get, if other sentences do not say it."""
    if "kept" not in written or "kept" not in now:
        return []
    more = now["kept"] - written["kept"]
    for name in ("lost", "failed", "aborted_records"):
        more += _difference(written, now, name) if name in written and name in now else 0
    same_way = more * (now["kept"] - written["kept"]) > 0
    return [words(f"cost.stored_{'more' if more > 0 else 'fewer'}", by=abs(more))] if same_way else []


def _rows(written: Outcome, now: Outcome) -> list[Words]:
    before, after = written.get("rows"), now.get("rows")
    if before is None or after is None:
        return []
    serials = sorted({*before, *after}, key=int)
    changes = [
        ("row_gone", [one for one in serials if before.get(one, 0) and not after.get(one, 0)]),
        ("row_twice", [one for one in serials if after.get(one, 0) > max(1, before.get(one, 0))]),
        ("row_there", [one for one in serials if after.get(one, 0) == 1 and not before.get(one, 0)]),
        ("row_once", [one for one in serials if after.get(one, 0) == 1 and before.get(one, 0) > 1]),
    ]
    return [words(f"cost.{name}", records=[f"r{one}" for one in some]) for name, some in changes if some]


def _undelivered(written: Outcome, now: Outcome, drops: int) -> list[Words]:
    """The sentence that says how many more messages did not arrive, if these are more than the dropped messages."""
    if "undelivered" not in written or "undelivered" not in now:
        return []
    more = _difference(written, now, "undelivered")
    return [words("cost.undelivered_more", by=more)] if more > drops else []


def _left(written: Outcome, now: Outcome) -> list[Words]:
    """The sentences about transactions of Kafka that are left open, and about differences at the nodes of the
    middleware: reservations, and ends of transactions."""
    costs = [words("cost.left_open", transaction=tid) for tid in left_open_in_kafka(written, now)]
    if "reserved" not in written or "reserved" not in now:
        return costs
    before, after = written["reserved"], now["reserved"]
    if held := [name for name in after if name not in before]:
        costs.append(words("cost.reserved_still", participants=held))
    if freed := [name for name in before if name not in after]:
        costs.append(words("cost.reserved_no_more", participants=freed))
    is_needed = False
    for tid, end in now.get("ends", {}).items():
        was = written.get("ends", {}).get(tid, end)
        if end == was:
            continue
        if end == MANUAL:
            is_needed = True
        elif end not in RESTING:
            costs.append(words("cost.left_open", transaction=tid))
        elif was in RESTING and was != MANUAL:
            costs.append(words("cost.ends_otherwise", transaction=tid, now=end, before=was))
        else:
            costs.append(words("cost.ends_after_all", transaction=tid, now=end))
    costs += [words("cost.not_learned", transaction=tid) for tid in _not_learned(written, now)]
    costs += [
        words("cost.not_begun", transaction=tid)
        for tid in written.get("ends", {})
        if tid not in now.get("ends", {})
    ]
    return [*costs, words("cost.operator_needed")] if is_needed else costs


def _not_learned(written: Outcome, now: Outcome) -> list[str]:
    """The transactions that have ended and whose outcome the business system has not learned, although it has learned
    it in the original run. A transaction that waits for an operator has no outcome yet."""
    others = {*written.get("awaited", ()), *left_open(written, now)}
    ends = now.get("ends", {})
    return [tid for tid in now.get("awaited", ()) if tid not in others and ends.get(tid) != MANUAL]


def _apart(written: Outcome, now: Outcome) -> list[Words]:
    """The sentences that say how long the nodes of a transaction of the middleware differ, if that is longer than in
    the original run."""
    if now.get("broken", {}).get("mixed", 0) > written.get("broken", {}).get("mixed", 0):
        return []
    costs = []
    for tid in longer_apart(written, now):
        before, after = written.get("apart", {}).get(tid), now["apart"][tid]
        if after is None:
            costs.append(words("cost.apart_still", transaction=tid))
        elif before is None:
            costs.append(words("cost.apart_now", transaction=tid, now=after))
        else:
            costs.append(words("cost.apart_longer", transaction=tid, now=after, before=before))
    return costs


def _hanging(written: Outcome, now: Outcome) -> list[Words]:
    """The sentence that says how many more or fewer transactions hang at the end; without a difference, how many more
    or fewer transactions an operator aborted."""
    for name in ("hanging", "by_hand"):
        if name in written and name in now and (more := _difference(written, now, name)):
            return [words(f"cost.{name}_{'more' if more > 0 else 'fewer'}", by=abs(more))]
    return []


def _readability(written: Outcome, now: Outcome) -> tuple[list[Words], list[Words]]:
    """The sentences that say how many more or fewer records stay hidden, and those that say how much later or earlier
    consumers can get the last record."""
    before, after = written.get("readable"), now.get("readable")
    if before is None or after is None:
        return [], []
    more = sum(one["hidden"] for one in after.values()) - sum(one["hidden"] for one in before.values())
    hidden = [words(f"cost.hidden_{'more' if more > 0 else 'fewer'}", by=abs(more))] if more else []
    costs = []
    later: dict[str, int] = {}
    for name in before.keys() & after.keys():
        earlier, at = before[name]["at"], after[name]["at"]
        if earlier is not None and at is not None:
            later[name] = at - earlier
    for way, sign in (("later", 1), ("earlier", -1)):
        some = {name: sign * ms for name, ms in later.items() if sign * ms >= LATER_LEAST}
        if some:
            most = "_most" if len(set(some.values())) > 1 else ""
            costs.append(words(f"cost.readable_{way}{most}", partitions=sorted(some), by=max(some.values())))
    return hidden, costs


def _kept(written: Outcome, now: Outcome, outcomes_said: bool = False) -> Words:
    """The sentence about the first difference between the logs or nodes at the ends of the two runs, or the sentence
    that there is no difference. ``outcomes_said``: another sentence says which transactions ended differently."""
    if written["nodes"] != now["nodes"]:
        return _participants(written, now)
    if "stored" in written and "stored" in now and written["stored"] != now["stored"]:
        readable = written["records"] == now["records"]
        return words("cost.aborted_other") if readable else _elsewhere(written, now)
    if "outcomes" in written and "outcomes" in now and written["outcomes"] != now["outcomes"]:
        return _skipped(written, now) if outcomes_said else words("cost.outcomes_other")
    if written["records"] != now["records"]:
        return _elsewhere(written, now)
    more = now["markers"] - written["markers"] if "markers" in written and "markers" in now else 0
    if more:
        return words(f"cost.markers_{'more' if more > 0 else 'fewer'}", by=abs(more))
    if written["batches"] != now["batches"]:
        return words("cost.records_same")
    if now["batches"]:
        return words("cost.log_same")
    return words("cost.end_same" if now["nodes"] else "cost.outcome_same")


def _elsewhere(written: Outcome, now: Outcome) -> Words:
    """The sentence about logs that do not hold the same records in the same order."""
    if "places" in written and "places" in now and written["all"] == now["all"]:
        return words("cost.order_other" if written["places"] == now["places"] else "cost.partitions_other")
    return words("cost.log_other")


def _participants(written: Outcome, now: Outcome) -> Words:
    """The sentence about participants that end differently."""
    before, after = written.get("participants"), now.get("participants")
    if before is None or after is None or any(before.get(name) != end for name, end in after.items()):
        return words("cost.end_other")
    away = [name.split(".") for name in before if name not in after]
    transactions = sorted({tid for _, _, tid, _ in away})
    if len(transactions) > 1:
        # Each transaction may lack different participants.
        return words("cost.end_other")
    return words("cost.not_reached", transactions=transactions, participants=[name for name, *_ in away])


def _skipped(written: Outcome, now: Outcome) -> Words:
    """The sentence that says how many more or fewer records read_committed consumers skip; without a difference, the
    sentence that the logs are the same."""
    more = 0
    if "aborted_records" in written and "aborted_records" in now:
        more = _difference(written, now, "aborted_records")
    if not more:
        return words("cost.log_same")
    return words(f"cost.skipped_{'more' if more > 0 else 'fewer'}", by=abs(more))


def _gates_of(replica: Mapping[str, Any]) -> tuple[int, int]:
    return replica.get("last_stable_offset") or 0, replica.get("high_watermark") or 0


def _serials(log: Iterable[Mapping[str, Any]]) -> list[int]:
    return [serial for batch in log for serial in batch.get("serials", ())]


def _with_outcomes(log: Iterable[Mapping[str, Any]]) -> list[tuple[int, str]]:
    return [(serial, batch.get("outcome") or "") for batch in log for serial in batch.get("serials", ())]


def _digest(held: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()[:16] if held else ""


def _difference(written: Outcome, now: Outcome, name: str) -> int:
    """The difference of a number of the outcomes; a counter that is absent counts as 0."""
    return int(now.get(name, 0)) - int(written.get(name, 0))  # type: ignore[call-overload, no-any-return]


def _put(table: dict[str, Any], path: list[str], change: Mapping[str, Any]) -> None:
    """Set or remove the value at a path, as the change says. An empty path means the whole table."""
    if not path:
        table.clear()
        table.update(change.get("after") or {})
        return
    for name in path[:-1]:
        table = table.setdefault(name, {})
    if "after" in change:
        table[path[-1]] = change["after"]
    else:
        table.pop(path[-1], None)

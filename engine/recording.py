"""The two levels of watching that keep something of a run: *judged* and *recorded*.

Owns the present step. A change is found by comparing the view of a touched part with its previous view, so
the cost of a recorded step depends only on the number of its changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from engine.counters import Counters
from engine.lately import Lately
from engine.pending import PendingPart
from engine.record_names import record_names
from engine.register import ENTRIES_AT
from engine.shapes.steps import Broken, Compared, Decision, MessageEvent, StepKind
from engine.step import Step, compare
from engine.telling.tellings import TELLINGS
from engine.watching import ABSENT, Fields, Kind, Part, Path, Watch


class Judges(Protocol):
    """The methods of the judges (engine/judge) that the recorder uses. ``take`` gets one fact. ``broken``
    returns the guarantees that were broken since the last step, ``changed`` the parts of the view that
    changed."""

    def take(self, fact: object) -> None: ...

    def broken(self, step: int) -> list[Broken]: ...

    def changed(self) -> list[Part]: ...

    def parts(self) -> list[Part]: ...


class Judged(Watch):
    """The level *judged*: passes facts to the judges, and keeps no sentences and no changes."""

    __slots__ = ("judges",)

    def __init__(self, judges: Judges, recording: bool = False) -> None:
        super().__init__(judging=True, recording=recording)
        self.judges = judges

    def emit(self, kind: Kind[Fields], /, *fields: Fields.args, **named: Fields.kwargs) -> None:
        if kind.judged:
            self.fact(kind(*fields, **named))
        if kind.makes_step and self.said is None:
            self.said = kind

    def hears(self, kind: Kind[...]) -> bool:
        if kind.makes_step and self.said is None:
            self.said = kind
        return kind.judged

    def fact(self, fact: object) -> None:
        self.judges.take(fact)


FINISHED_MAX = 512
"""The records of at most this many finished batches are kept."""


class Recorded(Judged):
    """The level *recorded*: keeps sentences, decisions and changes, one step at a time."""

    __slots__ = ("_current", "_entries", "_finished", "_known", "_touched", "counters", "lately")

    def __init__(self, judges: Judges) -> None:
        super().__init__(judges, recording=True)
        self._current = Step(0, 0, "", "api_call")
        self._touched: dict[Path, Part] = {}
        self._known: dict[Path, Any] = {}
        self._entries: dict[Path, None] = {}
        """The paths of the transactional ids that coordinators hold."""
        self._finished: dict[Path, list[int]] = {}
        """Dict of path of a finished batch → its serials, for the newest FINISHED_MAX batches, because a late
        response may still name such a batch."""
        self.counters = Counters()
        self.lately = Lately()

    def emit(self, kind: Kind[Fields], /, *fields: Fields.args, **named: Fields.kwargs) -> None:
        happened = kind(*fields, **named)
        if kind.judged:
            self.fact(happened)
        tell = TELLINGS.get(type(happened))
        if tell is not None:
            tell(happened, self)

    def hears(self, kind: Kind[...]) -> bool:
        return True

    def fact(self, fact: object) -> None:
        self.judges.take(fact)
        self.lately.take(fact)

    def know(self, part: Part) -> None:
        """Store a part's view as its previous one, without a change: it belongs to the first view of a run."""
        if type(part) is PendingPart:
            part.known = not part.gone
            return
        view = part.view()
        if view is not None:
            self._known[part.path] = view

    def parts(self) -> list[Part]:
        return [self.counters]

    def forget(self) -> None:
        """Forget all sentences and touched parts so far, because the first view of a run is not a change."""
        self._touched.clear()
        self._current = Step(0, 0, "", "api_call")
        self.said = None
        self.lately = Lately()

    def say(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        if self.said is not None:
            self.note(key, rules, **params)
            return
        step = self._current
        self.said = key
        step.key = key
        step.params = self._with_records(params)
        step.rules = rules + ENTRIES_AT.get(key, ())

    def note(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        rules += ENTRIES_AT.get(key, ())
        self._current.notes.append({"key": key, "params": self._with_records(params), "rules": list(rules)})

    def _with_records(self, params: dict[str, Any]) -> dict[str, Any]:
        """Replace the id of a batch by the names of its records, and keep the id as ``batch_id``."""
        if "batch" in params:
            params["batch_id"] = params["batch"]
            params["batch"] = self.records_of(params["client"], params["batch"])
        return params

    def lead(self, key: str, rules: tuple[str, ...], /, **params: Any) -> None:
        step = self._current
        if step.transition is not None:
            self.note(key, rules, **params)
            return
        if self.said is not None:
            step.notes.insert(0, {"key": step.key, "params": step.params, "rules": list(step.rules)})
            self.said = None
        self.say(key, rules, **params)

    def holders(self, transactional_id: str | None) -> dict[str, tuple[int, int]]:
        found = {}
        for path, view in self._known.items():
            if path[0] != "clients" or path[2:] != ("transaction_manager",) or not self._works(path[1]):
                continue
            if view["transactional_id"] == transactional_id and view["producer_id"] is not None:
                found[path[1]] = (view["producer_id"], view["producer_epoch"])
        return found

    def _works(self, client: str) -> bool:
        known = self._known
        return bool(known.get(("clients", client, "alive"))) and not known.get(("clients", client, "closed"))

    def raised(self, transactional_id: str, epoch: int, cause: str) -> None:
        self.lately.raised(transactional_id, epoch, cause)

    def raised_beyond(self, transactional_id: str, epoch: int) -> str | None:
        return self.lately.raises.get(transactional_id, {}).get(epoch + 1)

    def records_of(self, client: str, batch: str) -> list[str]:
        path = ("clients", client, "batches", batch)
        shown = self.shown(*path) or self._known.get(path)
        serials = self._finished.get(path, []) if shown is None else shown["serials"]
        return record_names(serials) or [batch]

    def shown(self, *path: str) -> Any:
        part = self._touched.get(path)
        return self._known.get(path) if part is None else part.view()

    def coordinated(self, producer_id: int) -> tuple[str, str, Mapping[str, Any]] | None:
        found: tuple[str, str, Mapping[str, Any]] | None = None
        for path in self._entries:
            entry = self.shown(*path)
            if entry is None or entry["producer_id"] != producer_id:
                continue
            if found is None or (entry["coordinator_epoch"] or 0) > (found[2]["coordinator_epoch"] or 0):
                found = f"broker-{path[1]}", path[3], entry
        return found

    def coordinator_of(self, transactional_id: str | None) -> str | None:
        found = {path[1]: self.shown(*path) for path in self._entries if path[3] == transactional_id}
        epochs = {broker: entry["coordinator_epoch"] or 0 for broker, entry in found.items() if entry}
        return f"broker-{max(epochs, key=epochs.__getitem__)}" if epochs else None

    def isolations(self) -> set[str]:
        return {
            view["isolation"]
            for path, view in self._known.items()
            if path[0] == "consumers" and len(path) == 2
        }

    def is_under_way(self, api: str, source: str, destination: str, partition: str) -> bool:
        return any(
            path[0] == "network"
            and message["api"] == api
            and (message["from"], message["to"]) == (source, destination)
            and partition in message["partitions"]
            for path, message in self._known.items()
            if len(path) == 3 and path[1] == "messages"
        )

    def decide(self, decision: Decision) -> None:
        self._current.decision = decision

    def refuse(
        self, rule: str, error: str, compared: list[list[Any]], next_key: str, /, **next_params: Any
    ) -> None:
        self._current.refusal = {
            "rule": rule,
            "error": error,
            "compared": cast("list[Compared]", compared),
            "next": next_key,
            "next_params": next_params,
        }

    def transition(self, machine: str, of: str, source: str, target: str, on: str, row: int) -> None:
        step = self._current
        if step.transition is not None:
            step.earlier_transitions += (step.transition,)
        step.transition = {
            "machine": machine,
            "of": of,
            "from": source,
            "to": target,
            "on": on,
            "row": row,
        }

    def touch(self, part: Part) -> None:
        self._touched[part.path] = part

    def touch_last(self, part: Part) -> None:
        self._touched.pop(part.path, None)
        self._touched[part.path] = part

    def fate(self, message: int, event: MessageEvent) -> None:
        """Add to the present step what happened to the message with this number: it was sent, delivered, dropped,
        delayed, duplicated or lost."""
        self._current.messages.append({"id": message, "event": event})

    def _finish_batch(self, path: Path, serials: list[int]) -> None:
        self._finished.pop(path, None)
        self._finished[path] = serials
        if len(self._finished) > FINISHED_MAX:
            del self._finished[next(iter(self._finished))]

    def finish(self, number: int, at: int, actor: str, kind: StepKind) -> Step:
        """Finish the step and return it. Its changes are found by comparing each touched part with its previous
        view, in the order in which the parts were touched."""
        step = self._current
        step.number, step.at, step.actor, step.kind = number, at, actor, kind
        self._current = Step(0, 0, "", "api_call")
        step.broken = self.judges.broken(number)
        if self.counters.count(step):
            self._touched[self.counters.path] = self.counters
        for part in self.judges.changed():
            self._touched[part.path] = part
        known, lately = self._known, self.lately
        changes = step.changes
        for path, part in self._touched.items():
            if type(part) is PendingPart:
                if part.known is part.gone:
                    changes.append((path, part.shown, ABSENT) if part.gone else (path, ABSENT, part.shown))
                    part.known = not part.gone
                continue
            after = part.view()
            if after is None:
                before = known.pop(path, ABSENT)
                if before is not ABSENT:
                    changes.append((path, before.copy() if type(before) is dict else before, ABSENT))
                    if path[0] == "network":
                        lately.messages[int(path[2])] = before
                    elif path[0] == "clients" and path[2] == "batches":
                        self._finish_batch(path, before["serials"])
                continue
            before = known.get(path, ABSENT)
            if before is after:
                continue
            known[path] = after
            if len(path) == 4 and path[2] == "transactions":
                lately.stands(path[3], None if before is ABSENT else before, after, step)
            if before is ABSENT:
                changes.append((path, ABSENT, after.copy() if type(after) is dict else after))
                if path[0] == "network":
                    lately.messages[int(path[2])] = after
                elif path[0] == "brokers" and path[2:3] == ("transactions",):
                    self._entries[path] = None
            elif type(after) is dict or before != after:
                compare(path, before, after, changes)
        self._touched.clear()
        lately.keep(step)
        return step

"""One run of a random world: chance interferes, and after every step all that must always hold is checked.

What is found names the world, the interventions and the step, as one command that plays it again.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from engine import events
from engine.errors import EngineError, Refused
from engine.judge.outcome_log import ABORTED
from engine.scenario import load
from engine.simulation import Simulation
from tests.engine.search.worlds import UNPROTECTED, below, one_of

MESSAGE_ACTIONS = ("drop_message", "delay_message", "duplicate_message", "reorder_message")
LATER = {"crash": "restart", "pause": "resume"}
"""What an intervention does to an actor, and how it is taken back: nobody stays away for good."""
ALWAYS = ("lost", "visible_early", "atomic", "repeated")
"""Guarantees of the judges that nothing in these worlds may break."""
SETTLED = ("COMMITTED", "ROLLED_BACK", "COMPENSATED")
"""Ends of a middleware transaction that promise the same everywhere; one left to a person promises nothing."""
SOMETIMES = {
    "a duplicate was rejected": "broker.duplicate_found",
    "a gap was refused": "broker.sequence_gap_refused",
    "a zombie's record was refused": "broker.stale_epoch_refused",
    "a zombie was refused by its coordinator": "coordinator.stale_epoch",
    "a twin ended an open transaction": "coordinator.fences_open_transaction",
    "a late transaction was aborted": "coordinator.transaction_timed_out",
    "a coordinator moved": "coordinator.loaded",
    "a leader moved": "controller.leader_moved",
    "a log was cut": "broker.replica_truncated",
    "a loop started again": "loop.restarts",
    "an application raised its epoch": "client.epoch_bumped",
}
"""What must happen in some run, so that what always holds was put to the test: the sentence that says it."""
SOMETIMES_OVER_MIDDLEWARE = {
    "a vote was missing": "middleware.votes_missing",
    "an answer was missing": "middleware.answers_missing",
    "a source was asked": "middleware.asks_source",
    "a commit came twice": "participant.committed_already",
    "a compensation acted": "middleware.compensation_acts",
}
ABORT_HIDDEN = "an abort was hidden"


class Found(AssertionError):
    """Something that must never happen did."""


class Copies:
    """What each replica stores, as its facts tell: the same record at most once under the same identity."""

    def __init__(self) -> None:
        self.logs: dict[tuple[str, int], dict[tuple[int, int, int], int]] = {}
        """(partition, replica) to (serial, producer id, epoch) of a record, to its offset."""
        self.wrong: list[str] = []
        self.epochs: dict[int, int] = {}
        self.leader_epochs: dict[str, int] = {}
        self.delivered: dict[str, set[tuple[str, int]]] = {"read_committed": set(), "read_uncommitted": set()}
        """Isolation level to the (partition, offset) that its readers handed to their applications."""

    def take(self, fact: object) -> None:
        if isinstance(fact, events.LogAppended):
            self._appended(fact)
        elif isinstance(fact, events.LogTruncated):
            log = self.logs.get((fact.partition, fact.replica), {})
            for key in [key for key, offset in log.items() if offset >= fact.to]:
                del log[key]
        elif isinstance(fact, events.RecordsDelivered):
            self.delivered[fact.isolation].update((fact.partition, offset) for offset in fact.offsets)
        elif isinstance(fact, events.IdentityGiven):
            self._not_back(self.epochs, fact.producer_id, fact.producer_epoch, "producer epoch of PID")
        elif isinstance(fact, events.LeaderChanged):
            self._not_back(self.leader_epochs, fact.partition, fact.leader_epoch, "leader epoch of")

    def _appended(self, fact: events.LogAppended) -> None:
        if fact.producer_id < 0 or fact.is_transactional:
            return
        log = self.logs.setdefault((fact.partition, fact.replica), {})
        for offset, serial in zip(fact.offsets(), fact.serials, strict=True):
            key = (serial, fact.producer_id, fact.producer_epoch)
            if log.setdefault(key, offset) != offset:
                self.wrong.append(
                    f"record {serial} is stored twice by broker-{fact.replica} in {fact.partition} under "
                    f"PID {fact.producer_id} epoch {fact.producer_epoch}: at {log[key]} and {offset}"
                )

    def _not_back(self, known: dict[Any, int], of: Any, now: int, what: str) -> None:
        if now < known.get(of, now):
            self.wrong.append(f"{what} {of} went back from {known[of]} to {now}")
        known[of] = now


class Hunt:
    """A world, the interventions so far, and what was seen of those things that must sometimes happen."""

    def __init__(self, document: dict[str, Any], folder: Path) -> None:
        self.document = document
        self.folder = folder
        self.said: Counter[str] = Counter()
        self.copies = Copies()
        self.away: list[tuple[int, dict[str, Any]]] = []
        """(step after which it happens, what takes an intervention back)."""
        self.stable: dict[tuple[str, int, int], int] = {}
        """(partition, leader, leader epoch) to its last stable offset."""
        self.simulation = Simulation(load(document), watching="judged")
        judge = self.simulation.judges.take

        def take(fact: object) -> None:
            self.copies.take(fact)
            judge(fact)

        self.simulation.judges.take = take  # type: ignore[method-assign]

    def run(self, generator: Random, pause: int = 200) -> int:
        """To the end, with an intervention after at most ``pause`` steps, again and again. Returns the steps."""
        simulation = self.simulation
        following = below(generator, pause)
        try:
            while simulation.step() is not None:
                self.said[simulation.watch.said or ""] += 1
                self.check()
                # One at a time: the next is checked against a world in which this one has happened.
                if not self._give_back() and simulation.number >= following:
                    self._intervene(generator)
                    following = simulation.number + 1 + below(generator, pause)
        except EngineError as broken:
            raise self.found(f"the engine broke a rule of its own: {broken}") from broken
        self.said[ABORT_HIDDEN] += self._aborts_hidden()
        return simulation.number

    def _aborts_hidden(self) -> int:
        """Aborted copies that a reader of everything got and no reader of committed data."""
        logs = self.simulation.judges.outcomes.logs
        only = self.copies.delivered["read_uncommitted"] - self.copies.delivered["read_committed"]
        copies = [logs[partition].copies.get(offset) for partition, offset in only]
        return sum(1 for copy in copies if copy is not None and copy.outcome == ABORTED)

    # -- interventions ---------------------------------------------------------------------------------

    def _intervene(self, generator: Random) -> None:
        simulation = self.simulation
        messages = sorted(simulation.world.network.under_way)
        if messages and generator.random() < 0.7:
            action = one_of(generator, MESSAGE_ACTIONS)
            wanted = {"action": action, "message": one_of(generator, messages)}
            body = simulation.world.network.under_way[wanted["message"]].body
            if action == "duplicate_message" and body.api == UNPROTECTED:
                return
            if action == "delay_message":
                wanted["by"] = 1 + below(generator, 300)
            self._do(wanted)
            return
        world = simulation.world
        actors = [*world.clients, *world.consumers, *world.brokers, *world.nodes]
        actor, action = one_of(generator, actors), one_of(generator, tuple(LATER))
        if self._do({"action": action, "actor": actor}):
            back = {"action": LATER[action], "actor": actor}
            self.away.append((simulation.number + 5 + below(generator, 60), back))

    def _do(self, wanted: dict[str, Any]) -> bool:
        try:
            self.simulation.intervene(wanted)
        except Refused:
            return False
        return True

    def _give_back(self) -> bool:
        """Whether somebody who was away long enough came back."""
        for item in self.away:
            if item[0] <= self.simulation.number:
                self.away.remove(item)
                return self._do(item[1])
        return False

    # -- what always holds -----------------------------------------------------------------------------

    def check(self) -> None:
        """Raises :class:`Found` at the first step at which something does not hold."""
        if self.copies.wrong:
            raise self.found(self.copies.wrong[0])
        for name in ALWAYS:
            row = self.simulation.judges.guarantees.get(name)
            if row is not None and row.broken_at is not None:
                raise self.found(f"{name} broken in {row.partition} by records {row.serials}")
        for verdict in self.simulation.judges.transaction_verdicts():
            if verdict.mixed and verdict.state in SETTLED:
                raise self.found(f"transaction {verdict.tid} is {verdict.state} and mixed")
        self._stable_offsets()

    def _stable_offsets(self) -> None:
        """As long as one broker leads, its last stable offset goes forward and stays below the high watermark."""
        world = self.simulation.world
        for name, state in world.controller.partitions.items():
            if state.leader is None or name.startswith("__"):
                continue
            broker = world.brokers[f"broker-{state.leader}"]
            replica = broker.replicas.get(name)
            if not broker.alive or replica is None or replica.leader_epoch != state.leader_epoch:
                continue
            stable = replica.log.last_stable_offset
            key = (name, state.leader, state.leader_epoch)
            if stable < self.stable.get(key, 0):
                raise self.found(f"last stable offset of {name} went back to {stable}")
            if stable > replica.log.high_watermark:
                raise self.found(f"last stable offset of {name} is above the high watermark")
            self.stable[key] = stable

    def found(self, what: str) -> Found:
        """What happened, where, and the command that plays it again; the files it names are written now."""
        self.folder.mkdir(parents=True, exist_ok=True)
        simulation = self.simulation
        world, done = self.folder / "found.toml", self.folder / "found.json"
        world.write_text(toml(self.document), encoding="utf-8")
        done.write_text(json.dumps(simulation.interference.interventions, indent=1), encoding="utf-8")
        return Found(
            f"{what}\n  {self.document['id']} {self.document.get('profile', '')} seed {self.document['seed']}, "
            f"{len(simulation.interference.interventions)} interventions, "
            f"after step {simulation.number} at {simulation.now} ms; play it again:\n"
            f"  python -m engine run {world} --interventions {done} --transcript"
        )


def toml(document: dict[str, Any]) -> str:
    """A document as a file, every section in one line."""
    return "".join(f"{name} = {_value(value)}\n" for name, value in document.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)

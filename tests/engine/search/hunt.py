"""Plays one random world with random interventions, and checks all invariants after every step. A find names the
world, the interventions and the step, and the command that plays it again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from engine import events
from engine.broker.internal_topics import OFFSETS_TOPIC
from engine.client.client_states import SENDING
from engine.errors import EngineError, Refused
from engine.judge.outcome_log import ABORTED
from engine.recording import Recorded
from engine.scenario.document import load
from engine.topic_partition import partition_name
from tests.engine.narrowing import present
from tests.engine.search.at_rest import Reported, at_rest, held
from tests.engine.search.chances import below
from tests.engine.search.exceptions import excused, features
from tests.engine.search.folding import Folded
from tests.engine.search.interventions import LATER, intervention
from tests.engine.search.late_batches import LateBatches
from tests.engine.search.logs import EVERY, Logs
from tests.engine.search.sometimes import ABORT_HIDDEN
from tests.engine.search.storage import Storage
from tests.engine.search.watched import Stuck, Watched
from tests.engine.search.worlds import names_of

GUARANTEES = ("lost", "visible_early", "atomic", "fenced", "hanging", "repeated")
"""Guarantees of the judges that are checked as they are; *duplicated* and *reordered* depend on the producer."""
SETTLED = ("COMMITTED", "ROLLED_BACK", "COMPENSATED")
"""States of a middleware transaction that promise the same outcome everywhere; a transaction that is left to a person
promises nothing.
"""
AWAY_STEPS_MAX = 60


class Found(AssertionError):
    """A property was violated. ``name``: the property."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name


class Hunt:
    """A world, the interventions so far, and how often each event happened that must happen sometimes.

    ``interventions``: make these again, not new ones. ``every``: the number of steps between two checks of whole
    logs.
    """

    def __init__(
        self,
        document: dict[str, Any],
        folder: Path,
        interventions: Iterable[dict[str, Any]] = (),
        watching: str = "judged",
        every: int = EVERY,
    ) -> None:
        self.document = document
        self.folder = folder
        self.names = names_of(document)
        self.honest = document["id"] != "SEARCH-HOSTILE"
        self.said: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        """Action of a fault or intervention → how often it was carried out."""
        self.excused: Counter[str] = Counter()
        self.happened: frozenset[str] = frozenset()
        """Features that the run itself has caused, besides those that its document names."""
        self.away: list[tuple[int, dict[str, Any]]] = []
        """(Step, action that reverses an intervention; it is carried out after the step.)"""
        self.given = list(interventions)
        self.simulation = Watched(load(document), self.given, watching)
        self.facts = self.simulation.listen()
        self.storage = Storage(self.simulation)
        self.logs = Logs(self.simulation, every)
        self.reported = Reported()
        self.late = LateBatches()
        self.pending: set[tuple[str, str, int]] = set()
        """(group, partition, producer id) of offsets whose transaction is not decided yet."""
        self.folded = Folded(self.simulation) if watching == "recorded" else None
        self.hidden: dict[str, set[tuple[str, int]]] = {"read_committed": set(), "read_uncommitted": set()}
        self._features: tuple[int, frozenset[str]] = (-1, frozenset())

    # -- running ---------------------------------------------------------------------------------------

    def run(self, generator: Random, pause: int = 200) -> int:
        """Play to the end, with an intervention after at most ``pause`` steps each time. Returns the number of
        steps.
        """
        simulation = self.simulation
        following = below(generator, pause)
        while self._step() or self._come_back():
            # Interventions are made one at a time, because the next one is checked against a world in which this one
            # has happened.
            if not self._give_back() and simulation.number >= following:
                self._intervene(generator)
                following = simulation.number + 1 + below(generator, pause)
        self._end()
        return simulation.number

    def replay(self) -> int:
        """Play the same run again with the given interventions. Returns the number of steps."""
        while self._step():
            pass
        self._end()
        return self.simulation.number

    def _step(self) -> bool:
        """Make one step and all checks after it. Returns False if no event is left."""
        simulation = self.simulation
        try:
            step = simulation.step()
        except EngineError as broken:
            raise self.found("engine", f"the engine broke a rule of its own: {broken}") from broken
        except Refused as refused:
            raise self.found(
                "refused", f"an intervention that was accepted is refused: {refused}"
            ) from refused
        except Stuck as stuck:
            raise self.found("stuck", str(stuck)) from stuck
        if step is None:
            return False
        self.said[str(simulation.watch.said or "")] += 1
        if simulation.watch.said == "client.sequence_behind":
            self.happened |= {"a resend that cannot help"}
        elif simulation.watch.said == "group.offsets_told":
            if self.pending:
                self.happened |= {"offsets read before their marker"}
            if self._is_former_coordinator(step.actor):
                self.happened |= {"offsets read from a former coordinator"}
        if isinstance(simulation.watch, Recorded):
            self.said.update(note["key"] for note in step.notes)
        if self.folded is not None:
            for what in self.folded.take(step):
                raise self.found("folded", what)
        self.check()
        return True

    def _is_former_coordinator(self, name: str) -> bool:
        """Whether the broker returned offsets of a group that now has another coordinator."""
        world = self.simulation.world
        coordinator = present(world.brokers[name].groups).coordinator
        groups = {consumer.group_id for consumer in world.consumers.values()} - {None}
        partitions = [
            partition_name(OFFSETS_TOPIC, coordinator.partition_of(present(group))) for group in groups
        ]
        # If internal topics are created only when needed, the group's partition may not exist.
        known = [world.controller.partitions.get(partition) for partition in partitions]
        leaders = [state.leader for state in known if state is not None]
        return any(leader is not None and world.broker_of[leader].name != name for leader in leaders)

    def _end(self) -> None:
        """Check the end of the run: either no event is left, or it has reached its limit of steps."""
        if self.simulation.finished == "step_limit":
            self.hold("endless", f"{self.simulation.number} steps and no end")
        for name, what in at_rest(self.simulation, self.reported):
            self.hold(name, what)
        self.said[ABORT_HIDDEN] += self._aborts_hidden()
        for rule in self.simulation.interference.rules:
            if rule.seen:
                self.done[f"fault {rule.action}"] += 1
        for made in self.simulation.interference.interventions:
            self.done[f"intervention {made['action']}"] += 1

    def _aborts_hidden(self) -> int:
        """Return how many aborted copies a read_uncommitted consumer returned but no read_committed one."""
        logs = self.simulation.judges.outcomes.logs
        only = self.hidden["read_uncommitted"] - self.hidden["read_committed"]
        copies = [logs[partition].copies.get(offset) for partition, offset in only]
        return sum(1 for copy in copies if copy is not None and copy.outcome == ABORTED)

    # -- interventions ---------------------------------------------------------------------------------

    def _intervene(self, generator: Random) -> None:
        wanted = intervention(generator, self.simulation, self.names, honest=self.honest)
        if wanted is not None and self._do(wanted) and wanted["action"] in LATER:
            back = {"action": LATER[wanted["action"]], "actor": wanted["actor"]}
            at = self.simulation.number + 5 + below(generator, AWAY_STEPS_MAX)
            self.away.append((at, back))

    def _do(self, wanted: dict[str, Any]) -> bool:
        try:
            self.simulation.intervene(wanted)
        except Refused:
            return False
        return True

    def _give_back(self) -> bool:
        """Reverse the first intervention whose time is over. Returns whether there was one."""
        for item in self.away:
            if item[0] <= self.simulation.number:
                self.away.remove(item)
                return self._do(item[1])
        return False

    def _come_back(self) -> bool:
        """When no event is left, reverse the remaining interventions now. Returns whether the run goes on."""
        if not self.away or self.simulation.finished != "complete":
            return False
        self._make_again()
        while self.away:
            if self._do(self.away.pop(0)[1]):
                return True
        return self._step()  # No intervention was reversed: the run that was made again ends, too.

    def _make_again(self) -> None:
        """Replace the run by itself as it was right after its last step. Looking for one more step let time pass, but
        an intervention has to follow its step at once.
        """
        again = Hunt(
            self.document,
            self.folder,
            self.simulation.interference.interventions,
            self.simulation.watching,
            self.logs.every,
        )
        while again.simulation.number < self.simulation.number:
            again._step()
        for name in (
            "simulation",
            "facts",
            "storage",
            "logs",
            "reported",
            "folded",
            "hidden",
            "happened",
            "late",
            "pending",
        ):
            setattr(self, name, getattr(again, name))

    # -- what always holds -----------------------------------------------------------------------------

    def check(self) -> None:
        """Check everything that must hold after a step. Raises :class:`Found` if something does not."""
        for fact in self.facts:
            self.storage.take(fact)
            self.reported.take(fact)
            self.late.take(fact)
            if isinstance(fact, events.RecordsDelivered):
                self.hidden[fact.isolation].update((fact.partition, offset) for offset in fact.offsets)
            elif isinstance(fact, events.NumbersInDoubt):
                self.happened |= {"a late failure thrown" if fact.thrown else "numbers taken back in doubt"}
            elif isinstance(fact, events.OffsetsPending):
                self.pending.add((fact.group, fact.partition, fact.producer_id))
            elif isinstance(fact, events.OffsetsEnded):
                self.pending.discard((fact.group, fact.partition, fact.producer_id))
            elif isinstance(fact, events.LogAppended) and self._outside_its_transaction(fact):
                self.happened |= {"offsets outside their transaction"}
            elif isinstance(fact, events.CompletionForgotten):
                self.happened |= {"a completion forgotten"}
            elif isinstance(fact, events.OutcomeDecided) and self._before_its_end(fact):
                self.happened |= {"an EndTxn after its transaction"}
        self.facts.clear()
        if self.late.any:
            self.happened |= {"a batch after its marker"}
        for source in (self.storage.after(), self.logs.after(), self._judged()):
            for name, what in source:
                self.hold(name, what)
        if self.simulation.watch.said == "fault.client_crashed":
            for name, client in self.simulation.world.clients.items():
                if not client.alive:
                    self.reported.forget(name)

    def _outside_its_transaction(self, fact: events.LogAppended) -> bool:
        """Whether a leader stored offsets for a producer whose coordinator does not list the partition."""
        if not fact.partition.startswith(OFFSETS_TOPIC) or not fact.is_transactional or fact.control_type:
            return False
        world = self.simulation.world
        is_leader = world.controller.partitions[fact.partition].leader == fact.replica
        return is_leader and not held(world, fact.producer_id, fact.partition)

    def _before_its_end(self, fact: events.OutcomeDecided) -> bool:
        """Whether a producer with this id and epoch still uses the transaction whose outcome is decided: it has not
        called for its end, or it has batches that must be stored before it sends EndTxn.
        """
        return any(
            (manager.producer_id, manager.producer_epoch) == (fact.producer_id, fact.producer_epoch)
            and (manager.state in SENDING or (manager.is_completing and memory.accumulator.incomplete))
            for client in self.simulation.world.clients.values()
            if client.alive and (memory := client.memory) and (manager := memory.transactions)
        )

    def _judged(self) -> Iterable[tuple[str, str]]:
        judges = self.simulation.judges
        for name, row in judges.guarantees.items():
            if row.broken_at is None:
                continue
            if name in GUARANTEES:
                yield name, f"{name} broken in {row.partition} by records {row.serials}"
            elif name in ("duplicated", "reordered"):
                yield from self._by_producer(name)
        if self.simulation.world.nodes:
            for verdict in judges.transaction_verdicts():
                if verdict.mixed and verdict.state in SETTLED:
                    yield "mixed", f"transaction {verdict.tid} is {verdict.state} and mixed"

    def _by_producer(self, name: str) -> Iterable[tuple[str, str]]:
        """Yield the records that break ``name``, each with the kind of its producer in the property's name: only a
        transactional producer promises no copies across epochs, and only an idempotent one promises order.
        """
        world = self.simulation.world
        for partition, record in self.simulation.judges.records.items():
            for serial in sorted(getattr(record, name)):
                config = world.clients[record.producer_of[serial]].config
                of = "plain" if not config.enable_idempotence else "idempotent"
                if config.transactional_id is not None:
                    of = "transactional"
                if name == "reordered" and record.producer_of[serial] in world.loops_of:
                    of = "remade"
                yield f"{name} {of}", f"record {serial} of {partition} ({record.producer_of[serial]})"

    def hold(self, name: str, what: str) -> None:
        """Raise the find, unless Kafka itself does not keep this property in such a world."""
        number = len(self.simulation.interference.interventions)
        if self._features[0] != number:
            self._features = (number, features(self.document, self.simulation.interference.interventions))
        if excused(name, self._features[1] | self.happened) is None:
            raise self.found(name, f"{name}: {what}")
        self.excused[name] += 1

    def found(self, name: str, what: str) -> Found:
        """Return a find with the property, the place and the command that plays it again. Writes the files that the
        command reads.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        simulation = self.simulation
        done = simulation.interference.interventions
        write(self.folder, self.document, done)
        return Found(
            name,
            f"{what}\n  {self.document['id']} {self.document.get('profile', '')} seed {self.document['seed']}, "
            f"{len(done)} interventions, after step {simulation.number} at {simulation.now} ms; "
            f"the steps as text, and then the same with all that is checked:\n"
            f"  python -m engine run {self.folder}/found.toml --interventions {self.folder}/found.json --transcript\n"
            f"  python -m tests.engine.search --again {self.folder}",
        )


def write(folder: Path, document: dict[str, Any], interventions: list[dict[str, Any]]) -> None:
    (folder / "found.toml").write_text(toml(document), encoding="utf-8")
    (folder / "found.json").write_text(json.dumps(interventions, indent=1), encoding="utf-8")


def toml(document: dict[str, Any]) -> str:
    """Return a document as TOML, every section in one line."""
    return "".join(f"{name} = {_value(value)}\n" for name, value in document.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)

"""The newest events of a recorded run, from which `engine/why` answers questions.

It keeps the newest transition of each object with a state machine, the newest refusal that concerns each actor,
partition, transactional id or group, the newest step with each sentence in REMEMBERED, and the events of the newest
records. All of these are limited in number. Roles never read them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from engine import events
from engine.shapes.steps import Transition
from engine.step import Step

_NAMES = ("client", "partition", "transactional_id", "group", "consumer")
"""The parameters of a refusal's sentence by whose values the refusal can be looked up."""

RECORDS_MAX = 2_000
"""The events of at most this many records are kept, the newest ones."""
TURNS_MAX = 32
"""Of one record, at most this many events are kept: the first half of them and the newest half."""
RAISES_MAX = 64
"""Of each transactional id, at most this many epochs are kept with the causes of their raise, the newest ones."""
FLIGHTS_MAX = 256
"""At most this many Produce requests without a response are kept."""

ACCEPTED, SENT, ARRIVED, LOST, ANSWER_LOST = "accepted", "sent", "arrived", "lost", "answer_lost"
STORED, CUT, REPORTED = "stored", "cut", "reported"

REMEMBERED = {
    "client.call_timed_out": "client",
    "client.transactional_id_ready": "transactional_id",
    "client.epoch_bumped": "client",
    "client.epoch_bumped_alone": "client",
    "coordinator.epoch_goes_up": "transactional_id",
    "coordinator.epoch_raised": "transactional_id",
    "coordinator.fences_open_transaction": "transactional_id",
    "coordinator.transaction_timed_out": "transactional_id",
    "coordinator.fence_raises_epoch": "transactional_id",
    "coordinator.fence_raises_with_decision": "transactional_id",
    "coordinator.epoch_rises_with_decision": "transactional_id",
    "coordinator.last_epoch_decided": "transactional_id",
    "coordinator.decides_commit": "transactional_id",
    "coordinator.decides_abort": "transactional_id",
    "coordinator.aborts_nothing": "transactional_id",
    "client.transaction_committed": "client",
    "client.transaction_aborted": "client",
    "fault.crashed": "actor",
    "fault.client_crashed": "actor",
    "fault.message_dropped": "destination",
    "fault.answer_dropped": "destination",
    "fault.answer_dropped_alone": "destination",
    "controller.leader_elected": "partition",
    "controller.leader_moved": "partition",
    "broker.log_loaded_from_snapshot": "partition",
    "broker.log_replayed": "partition",
    "middleware.needs_a_person": "tid",
    "middleware.cannot_all_be_undone": "tid",
    "service.in_doubt": "service",
    "service.inserts_in_doubt": "service",
    "service.connection_lost": "service",
    "service.record_failed": "service",
    "service.commits_past": "service",
}
"""Dict of key of a sentence → one of its parameters. For each value of this parameter, the newest step with the
sentence is kept."""


CAME_OF_FAULTS = frozenset(
    {
        "client.request_timed_out", "client.control_lost", "client.requeued", "client.drained_again",
        "client.drained_plain_again", "client.drained_renumbered", "client.drained_some_renumbered",
        "client.epoch_bumped", "client.epoch_bumped_alone", "client.batch_failed", "client.batch_aborted",
        "client.batch_expired_sent", "client.batch_expired_unsent", "client.call_timed_out", "client.fatal",
        "consumer.disconnected", "broker.duplicate_found", "broker.sequence_gap_refused",
        "broker.stale_sequence_refused", "broker.stale_epoch_refused", "broker.unknown_producer_refused",
        "broker.unknown_producer_accepted", "broker.marker_finds_nothing_open", "markers.timed_out",
        "markers.disconnected", "markers.sent_before", "coordinator.transaction_timed_out",
        "coordinator.fences_open_transaction", "coordinator.begins_loading", "coordinator.resumes_markers",
        "controller.leader_elected", "controller.leader_moved", "controller.no_leader_left",
        "middleware.votes_missing", "middleware.no_votes", "middleware.answers_missing",
        "middleware.compensation_acts", "middleware.needs_a_person", "middleware.finished_forward",
        "middleware.everything_undone", "middleware.asks_source", "service.in_doubt", "service.inserts_in_doubt",
        "service.connection_lost", "broker.appended_outdated", "broker.appended_outside",
        "broker.appended_after_marker", "broker.appended_after_decision",
    }
)  # fmt: skip
"""The keys of the sentences, in steps and notes, that say how a run reacts to a fault."""
REQUESTS = ("client.control_sent", "client.transactional_sent", "client.transactional_sent_others_wait")
"""The sentences by which a transaction manager sends a request. Such a sentence is also a reaction to a fault if the
client sends a request again because the connection ended before the response."""
LOOKUPS = frozenset({"FindCoordinator"})
"""The requests that only find out where to send another one."""
CAME_AND_SENT = CAME_OF_FAULTS | set(REQUESTS)
FAULTS_MAX = 16
"""At most this many faults of a run are kept, the first ones."""
CAME_MAX = 64
"""At most this many sentences of CAME_OF_FAULTS are kept, the first ones after the first fault."""


class Said(NamedTuple):
    """A sentence of a finished step, with the step's number, virtual ms and actor. ``cause``: the sentence about
    sending the message that the step received, or None."""

    number: int
    at: int
    actor: str
    key: str
    params: dict[str, Any]
    rules: tuple[str, ...]
    cause: Said | None = None

    @classmethod
    def of(cls, step: Step) -> Said:
        return cls(step.number, step.at, step.actor, step.key, step.params, step.rules)

    @classmethod
    def among(cls, step: Step, keys: Collection[str]) -> Iterator[Said]:
        """The sentences of a step, its own and those of its notes, whose key is in ``keys``."""
        if step.key in keys:
            yield cls.of(step)
        for note in step.notes:
            if note["key"] in keys:
                rules = tuple(note["rules"])
                yield cls(step.number, step.at, step.actor, note["key"], note["params"], rules)

    @classmethod
    def sending(cls, step: Step, receiver: str) -> Said:
        """The sentence of ``step`` about a message that the step sends: a note that names ``receiver``, or else the
        step's own sentence."""
        for note in step.notes if receiver not in step.params.values() else ():
            if receiver in (note["params"].get("broker"), note["params"].get("destination")):
                rules = tuple(note["rules"])
                return cls(step.number, step.at, step.actor, note["key"], note["params"], rules)
        return cls.of(step)


class Turn(NamedTuple):
    """An event of a record. ``offset`` and ``replica``: where the record was stored or truncated. ``error``:
    the error that the application got, or None."""

    what: str
    said: Said
    partition: str
    offset: int | None = None
    replica: int | None = None
    error: str | None = None


class Standing(NamedTuple):
    """The state of a transactional id that is in force at its coordinator. ``number`` and ``at``: the step since
    which the state is in force, and the step's time. A coordinator that loads the id in the same state changes
    neither."""

    state: str
    coordinator_epoch: int
    number: int
    at: int


_Flight = dict[str, tuple[int, ...]]
"""The serials that a Produce request carries, by partition."""


class LostRequests:
    """The requests of transaction managers whose connection ended before the response came. A request leaves this
    set when its client sends a request of the same API again. Requests in LOOKUPS do not count."""

    def __init__(self, lost: Collection[tuple[Any, Any]] = ()) -> None:
        self._lost = set(lost)
        """(client, API) of each request."""

    def sent_again(self, key: str, params: Mapping[str, Any]) -> bool:
        """Note a sentence. Returns True if it says that a client sends one of these requests again."""
        request = params.get("client"), params.get("api")
        if key == "client.control_lost" and request[1] not in LOOKUPS:
            self._lost.add(request)
        elif key in REQUESTS and request in self._lost:
            self._lost.discard(request)
            return True
        return False

    def fork(self) -> LostRequests:
        return LostRequests(self._lost)


class Lately:
    """The newest events of a run.

    - ``newest``: the last step.
    - ``transitions``: dict of (machine, name of the machine's subject) → the step and the transition that led to
      the present state.
    - ``before``: dict of the same keys → the sentence of the step that made the transition before that one.
    - ``standings``: dict of transactional id → its state in force. It differs from the state in ``transitions``
      while the coordinator still writes the new state to its log.
    - ``refusals``: dict of name of an actor, partition, transactional id or group → the last step in which it
      refused or was refused.
    - ``said``: dict of (key of a sentence in REMEMBERED, value of its parameter) → the last sentence of this kind.
    - ``turns``: dict of serial → the events of the record, oldest first.
    - ``carried``: dict of number of a Produce message that was lost in the newest step → its serials by partition.
    - ``messages``: dict of number of a message → its view, for the messages that were sent, received or lost in
      the present step.
    - ``raises``: dict of transactional id → its newest epochs, each with the key of the sentence about its cause.
    - ``faults``: the faults so far, and ``came``: the sentences of CAME_OF_FAULTS after the first fault, or from
      the step ``came_from`` on, if that is set.
    """

    __slots__ = (
        "_arrived",
        "_facts",
        "_flights",
        "_lost_requests",
        "_sending",
        "_sent",
        "before",
        "came",
        "came_from",
        "carried",
        "faults",
        "messages",
        "newest",
        "raises",
        "refusals",
        "said",
        "standings",
        "transitions",
        "turns",
    )

    def __init__(self) -> None:
        self.newest: Step | None = None
        self.transitions: dict[tuple[str, str], tuple[Step, Transition]] = {}
        self.before: dict[tuple[str, str], Said] = {}
        self.standings: dict[str, Standing] = {}
        self.refusals: dict[str, Step] = {}
        self.said: dict[tuple[str, str], Said] = {}
        self.turns: dict[int, list[Turn]] = {}
        self.carried: dict[int, _Flight] = {}
        self.messages: dict[int, dict[str, Any]] = {}
        self.raises: dict[str, dict[int, str]] = {}
        self.faults: list[Said] = []
        self.came: list[Said] = []
        self.came_from: int | None = None
        self._arrived = False
        """Whether a leader received a Produce request in this step. If so, an append in this step is the leader's;
        otherwise it is a follower's copy."""
        self._facts: list[Any] = []
        self._flights: dict[tuple[str, int], _Flight] = {}
        self._sent: dict[int, tuple[Step, str]] = {}
        """Dict of number of a message in flight → the step that sent it, and its receiver."""
        self._sending: tuple[Step, str] | None = None
        """The entry of ``_sent`` for the message that the last step received; None if it received none."""
        self._lost_requests = LostRequests()

    @property
    def cause(self) -> Said | None:
        """The sentence about sending the message that the last step received; None if it received none."""
        return Said.sending(*self._sending) if self._sending is not None else None

    def take(self, fact: object) -> None:
        """Take a fact (engine/events) of the present step."""
        if type(fact) in _OF_RECORDS:
            self._facts.append(fact)

    def keep(self, step: Step) -> None:
        """Store a finished step."""
        self.newest = step
        self._sending = None
        if self.carried:
            self.carried = {}
        if step.transition is not None:
            for taken in (*step.earlier_transitions, step.transition):
                known = taken["machine"], taken["of"]
                if known in self.transitions and self.transitions[known][0] is not step:
                    self.before[known] = Said.of(self.transitions[known][0])
                self.transitions[known] = (step, taken)
        if step.refusal is not None:
            self._refused(step)
        if step.kind == "fault" and len(self.faults) < FAULTS_MAX:
            self.faults.append(Said.of(step))
        starts = bool(self.faults) if self.came_from is None else step.number >= self.came_from
        if starts and len(self.came) < CAME_MAX:
            self._comes_of_fault(step)
        if step.messages:
            self._follow(step)
        if step.key in REMEMBERED:
            self._remember(step.key, step)
        for note in step.notes:
            if note["key"] in REMEMBERED:
                self._remember(note["key"], step)
        if self.messages:
            self.messages.clear()
        if self._facts:
            for fact in self._facts:
                _OF_RECORDS[type(fact)](self, fact, step)
            self._facts.clear()
        self._arrived = False

    def raised(self, transactional_id: str, epoch: int, cause: str) -> None:
        """Store the cause for which the epoch of an id was raised to ``epoch``. With epoch 0 the id has a new
        producer id, so the earlier epochs are forgotten."""
        known = self.raises.setdefault(transactional_id, {})
        if epoch == 0:
            known.clear()
        known.pop(epoch, None)
        known[epoch] = cause
        if len(known) > RAISES_MAX:
            del known[next(iter(known))]

    def stands(
        self, transactional_id: str, before: Mapping[str, Any] | None, entry: Mapping[str, Any], step: Step
    ) -> None:
        """Take a coordinator's entry of an id that changed in this step, or that is new (``before`` None). An entry
        with an older coordinator epoch is ignored, because another coordinator has replaced it."""
        state = entry["state"]
        epoch = -1 if entry["coordinator_epoch"] is None else entry["coordinator_epoch"]
        known = self.standings.get(transactional_id)
        if known is not None and epoch < known.coordinator_epoch:
            return
        if known is not None and state == known.state:
            self.standings[transactional_id] = known._replace(coordinator_epoch=epoch)
        elif known is not None or before is None or before["state"] != state:
            self.standings[transactional_id] = Standing(state, epoch, step.number, step.at)

    def _refused(self, step: Step) -> None:
        names = {step.actor, *(step.params.get(name) for name in _NAMES)}
        if step.decision is not None:
            names.add(step.decision["subject"])
        self.refusals.update({name: step for name in names if isinstance(name, str)})

    def _remember(self, key: str, step: Step) -> None:
        for said in Said.among(step, (key,)):
            self.said[(key, str(said.params.get(REMEMBERED[key])))] = said._replace(cause=self.cause)

    def _comes_of_fault(self, step: Step) -> None:
        for said in Said.among(step, CAME_AND_SENT):
            if self._lost_requests.sent_again(said.key, said.params) or said.key not in REQUESTS:
                self.came.append(said)

    # -- messages ----------------------------------------------------------------------------------------

    def _follow(self, step: Step) -> None:
        """Link the messages of this step with the steps that sent them."""
        shown = self.messages
        received: dict[str, Any] | None = None
        for fate in step.messages:
            number, event = fate["id"], fate["event"]
            if event == "sent":
                message = shown.get(number)
                if message is None:
                    continue
                self._sent[number] = step, message["to"]
                if message["api"] == "Produce" and not message["is_response"]:
                    self._takes_off(message, Said.sending(step, message["to"]))
            elif event == "delivered":
                self._sending = self._sent.pop(number, None)
                received = shown.get(number)
            elif event in ("dropped", "lost"):
                self._sent.pop(number, None)
                message = shown.get(number)
                if message is not None and message["api"] == "Produce":
                    self._is_lost(number, message, Said.of(step))
        # The message that was received comes last, because the effects of its delivery may lose others.
        if received is not None and received["api"] == "Produce":
            self._arrives(received, Said.of(step))

    def _takes_off(self, message: dict[str, Any], said: Said) -> None:
        flight = self._settled(message, events.CopySent)
        for partition, serials in flight.items():
            for serial in serials:
                self._turn(serial, Turn(SENT, said, partition))
        if flight:
            self._flights[(message["from"], message["correlation_id"])] = flight
            if len(self._flights) > FLIGHTS_MAX:
                del self._flights[next(iter(self._flights))]

    def _settled(self, message: dict[str, Any], kind: type[events.CopySent | events.CopySettled]) -> _Flight:
        """Dict of partition → the serials in its first fact of this kind in this step. These facts are removed."""
        flight: _Flight = {}
        for partition in message["partitions"]:
            for fact in self._facts:
                if isinstance(fact, kind) and fact.partition == partition:
                    flight[partition] = fact.serials
                    self._facts.remove(fact)
                    break
        return flight

    def _is_lost(self, number: int, message: dict[str, Any], said: Said) -> None:
        if message["is_response"]:
            flight = self._flights.get((message["to"], message["correlation_id"]), {})
        else:
            flight = self._settled(message, events.CopySettled)
        self.carried[number] = flight
        for partition, serials in flight.items():
            for serial in serials:
                self._turn(serial, Turn(ANSWER_LOST if message["is_response"] else LOST, said, partition))

    def _arrives(self, message: dict[str, Any], said: Said) -> None:
        if message["is_response"]:
            self._flights.pop((message["to"], message["correlation_id"]), None)
            return
        self._arrived = True
        for partition, serials in self._settled(message, events.CopySettled).items():
            for serial in serials:
                self._turn(serial, Turn(ARRIVED, said, partition))

    # -- records -----------------------------------------------------------------------------------------

    def _turn(self, serial: int, turn: Turn) -> None:
        turns = self.turns.pop(serial, None)
        if turns is None:
            turns = []
            if len(self.turns) >= RECORDS_MAX:
                del self.turns[next(iter(self.turns))]
        if len(turns) >= TURNS_MAX:
            del turns[TURNS_MAX // 2]
        turns.append(turn)
        self.turns[serial] = turns

    def _copy(self, fact: object, step: Step) -> None:
        """Do nothing. ``_settled`` has removed the facts about messages that the view lists (``messages``); those that
        are left are about other copies."""

    def _accepted(self, fact: events.RecordAccepted, step: Step) -> None:
        self._turn(fact.serial, Turn(ACCEPTED, Said.of(step), fact.partition))

    def _stored(self, fact: events.LogAppended, step: Step) -> None:
        if not self._arrived:
            return  # A follower's copy of the leader's batch is left out: the view shows which replicas have the batch.
        said = Said.of(step)
        for serial, offset in zip(fact.serials, fact.offsets(), strict=True):
            self._turn(serial, Turn(STORED, said, fact.partition, offset, fact.replica))

    def _cut(self, fact: events.LogTruncated, step: Step) -> None:
        said = Said.of(step)
        for serial, turns in list(self.turns.items()):
            found = [
                turn.offset
                for turn in turns
                if turn.what == STORED
                and (turn.partition, turn.replica) == (fact.partition, fact.replica)
                and turn.offset is not None
                and turn.offset >= fact.to
            ]
            if found:
                self._turn(serial, Turn(CUT, said, fact.partition, found[-1], fact.replica))

    def _reported(self, fact: events.RecordsFinished, step: Step) -> None:
        said = Said.of(step)
        for serial in fact.serials:
            self._turn(serial, Turn(REPORTED, said, fact.partition, error=fact.error))


_OF_RECORDS: dict[type, Any] = {
    events.RecordAccepted: Lately._accepted,
    events.CopySent: Lately._copy,
    events.CopySettled: Lately._copy,
    events.LogAppended: Lately._stored,
    events.LogTruncated: Lately._cut,
    events.RecordsFinished: Lately._reported,
}

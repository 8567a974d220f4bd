"""Runs a document that is being written, as a trial, in a bounded process (`eosviz/bounded`).

A document may ask for anything: a hundred thousand calls, a million steps. Work beyond the limits ends
together with this process and harms nothing else. The code that runs in the process uses the engine, and does
not use Django.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from eosviz.bounded.tasks import TASKS

if TYPE_CHECKING:
    from engine.scenario.document import BadScenario, Scenario
    from engine.view.plan import RunPlan
    from eosviz.bounded.register import Caller

RUN_SECONDS_MAX = 8
"""The run of a trial may use this many seconds of processor time. The process may use more, so that it can
report how far the run came."""
STEPS_MAX = 20_000
MESSAGES_MAX = 400
TRANSACTIONS_MAX = 100
RECORD_ROWS_MAX = 200

Json = dict[str, Any]


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """The request. `wanted`: the trial of one variant, the outcome of each variant with the digests of its
    steps, or the view at the end."""

    text: str
    variant: str | None = None
    wanted: Literal["trial", "outcomes", "view"] = "trial"


class Mistake(msgspec.Struct):
    """A mistake in the document at `place`, a path with dots. `wrong` and `allowed` are parts of the sentence
    that the page shows: each is a text, or the key and the parameters of a sentence."""

    place: str
    wrong: str | Json
    allowed: str | Json
    line: int | None


def mistake_of(bad: BadScenario) -> Mistake:
    sentences = bad.sentences
    return Mistake(bad.place, sentences["reason"], sentences["allowed"], bad.line)


class Surprise(msgspec.Struct):
    """The first step that breaks a guarantee; if there is none, the first step with a refusal; if there is
    none, the first fault that could not be carried out. `why`: `broken`, `refused` or `impossible`. `at`: the
    virtual time in ms."""

    why: str
    step: int
    at: int
    key: str
    params: Json
    rules: list[str]
    guarantee: str | None = None


class EmptyName(msgspec.Struct):
    """A beat that the author named and that this run does not have. `nth`: which beat of its kind was named.
    `found`: how many beats of this kind the run has."""

    place: str
    kind: str
    nth: int
    found: int
    line: int | None


class Question(msgspec.Struct):
    """A question of the document, at `place`. `step`: the step after which the run stops to ask the question;
    null if this run does not ask it. `said` and `right`: the sentences of the question and of the right
    answer."""

    place: str
    line: int | None
    step: int | None = None
    said: Json | None = None
    right: Json | None = None


class Why(msgspec.Struct):
    """The reason for an outcome: the step in which the coordinator decided it, and the sentence of this
    step."""

    step: int
    key: str
    params: Json


class Transaction(msgspec.Struct):
    """One transaction of the run, with fields of `engine/transaction_lines.py`. `why`: the reason for the
    outcome; null if no coordinator decided it."""

    id: str
    client: str | None
    places: list[str]
    more_places: int
    first_at: int
    last_at: int
    result: str
    state: str
    why: Why | None = None


class Records(msgspec.Struct):
    """What happened to consecutive records of one producer in one partition: the fields of `RecordsFate`
    (`engine/judge/fates.py`)."""

    partition: str
    producer: str
    first: int
    last: int
    count: int
    fate: str
    reported: bool | None
    offsets: tuple[int, int] | None


class Message(msgspec.Struct):
    """A message that a rule can match. `match`: the `match` of a rule that matches this message."""

    at: int
    step: int
    api: str
    response: bool
    source: str
    destination: str
    partitions: list[str]
    match: Json


class Trial(msgspec.Struct, kw_only=True):
    """The result of a trial. `stopped`: why the trial ended before the run did (`steps` or `time`); otherwise
    null. `refused`: the rule that refuses the run, the place in the document, whether the document expects
    the refusal, and the sentences that say why it is refused and what is allowed."""

    mistakes: list[Mistake] = []
    refused: Json | None = None
    variants: list[str] = []
    variant: str | None = None
    steps: int = 0
    at: int = 0
    finished: str | None = None
    stopped: str | None = None
    acts: bool = False
    verdicts: list[Json] = []
    transactions: list[Transaction] = []
    transactions_in_all: int = 0
    records: list[Records] = []
    record_rows_in_all: int = 0
    guarantees: dict[str, int | None] = {}
    unmet: list[Json] = []
    surprise: Surprise | None = None
    messages: list[Message] = []
    messages_in_all: int = 0
    seen_by_rules: list[int] = []
    """How often each entry of the fault script matched, in the order of the script."""
    empty_names: list[EmptyName] = []
    beat_kinds: dict[str, int] = {}
    """If there are `empty_names`, a dict of kind of beat → how many beats of this kind the run has. Otherwise
    empty."""
    questions: list[Question] = []
    """The document's questions, in their order. Empty if the run was stopped, or if finding them would take
    too long."""
    configurations: dict[str, Json] = {}
    broke: str | None = None
    """The engine's message, if the engine broke one of its own rules."""


class Outcome(msgspec.Struct, kw_only=True):
    """What an edition stores about one variant. `refused`: the rule that refuses the run. `digests`: in hex,
    eight bytes for each step."""

    finished: str | None = None
    steps: int = 0
    verdicts: list[Json] = []
    refused: str | None = None
    digests: str = ""


class Played(msgspec.Struct, kw_only=True):
    """The view at the end of a run (`view`, docs/frame.md). `refused`: the sentence that says why there is no
    run."""

    view: Json | None = None
    refused: Json | None = None


def try_out(asked: Asked, caller: Caller | None = None) -> Trial:
    """Returns the trial of one variant. Raises BeyondBounds or Busy."""
    return msgspec.json.decode(_answer("trial", asked, caller), type=Trial)


def outcomes(text: str, caller: Caller | None = None, name: str | None = None) -> dict[str, Outcome]:
    """Returns the outcome of each variant and, if the document can be run without choosing a variant, of the
    document itself (`""`). `name`: see `bounded.runner.run`. Raises what `bounded.runner.run` raises."""
    asked = Asked(text=text, wanted="outcomes")
    if name is None:
        found = _answer("outcomes", asked, caller)
    else:
        from eosviz.bounded import runner
        from eosviz.bounded.register import COMMAND_LINE

        with runner.run(TASKS["outcomes"], asked, caller or COMMAND_LINE, name=name) as done:
            found = done.answer
    return msgspec.json.decode(found, type=dict[str, Outcome])


def played(text: str, caller: Caller | None = None) -> Played:
    """Returns the view at the end of the document's run, or after STEPS_MAX steps. Raises BeyondBounds or
    Busy."""
    return msgspec.json.decode(_answer("trial", Asked(text=text, wanted="view"), caller), type=Played)


def _answer(task: str, asked: Asked, caller: Caller | None) -> bytes:
    from eosviz.bounded import runner  # imports Django, which the bounded process must not do
    from eosviz.bounded.register import COMMAND_LINE

    return runner.answer(TASKS[task], asked, caller or COMMAND_LINE)


# -- in the process ------------------------------------------------------------------------------------------


def tried(text: str, variant: str | None) -> Trial:
    """Runs the trial in this process. If the variant is unknown or None, runs the document itself or, if the
    document cannot be run without a variant (`acts`), its first variant."""
    from engine.errors import EngineError, Refused
    from engine.scenario.document import BadScenario, acts, line_of, load, parse
    from engine.scenario.mistakes import mistakes
    from engine.simulation import Simulation
    from engine.view.plan import RunPlan

    try:
        document = parse(text)
    except BadScenario as bad:
        return Trial(mistakes=[mistake_of(bad)])
    found = [mistake_of(bad) for bad in mistakes(document, text=text)]
    if found:
        return Trial(mistakes=found)
    names = [one["name"] for one in document.get("variants", ())]
    if variant not in names:
        variant = None
    if variant is None and names and not acts(document):
        variant = names[0]
    trial = Trial(variants=names, variant=variant)
    try:
        scenario = load(document, variant, text=text)
        trial.acts = acts(scenario.source)
        simulation = Simulation(scenario)
    except BadScenario as bad:
        bad.line = line_of(text, bad.place)
        trial.mistakes = [mistake_of(bad)]
        return trial
    except Refused as refused:
        expected = scenario.source.get("expect_refused") == refused.rule
        trial.refused = {
            "rule": refused.rule,
            "place": refused.place,
            "expected": expected,
            **refused.sentences,
        }
        return trial
    try:
        # The plan of the run is needed only for named beats.
        plan = RunPlan(simulation.header(), simulation.view()) if scenario["beats"] else None
        until = time.process_time() + RUN_SECONDS_MAX
        _watch(simulation, trial, plan, until)
        if plan is not None and trial.stopped is None:
            _find_empty_names(plan, text, scenario["beats"], trial)
        if trial.stopped is None:
            trial.questions = _questions(scenario, text, until)
    except EngineError as error:
        trial.broke = str(error)[:500]
    return trial


def _find_empty_names(plan: RunPlan, text: str, names: list[Json], trial: Trial) -> None:
    from engine.scenario.toml_lines import line_of

    kinds = plan.kinds()
    trial.empty_names = [
        EmptyName(place, one["kind"], one["nth"], kinds[one["kind"]], line_of(text, place))
        for place, one in ((f"beats.{index}", one) for index, one in enumerate(names))
        if one["nth"] > kinds[one["kind"]]
    ]
    if trial.empty_names:
        trial.beat_kinds = dict(kinds)


def _questions(scenario: Scenario, text: str, until: float) -> list[Question]:
    from engine.predict.finding import questions
    from engine.scenario.toml_lines import line_of

    def check() -> None:
        if time.process_time() > until:
            raise _TakesLong

    try:
        asked = {one.checkpoint: one.to_json() for one in questions(scenario, before_each=check)}
    except _TakesLong:
        return []
    made = []
    for index in range(len(scenario["checkpoints"])):
        place = f"checkpoints.{index}"
        made.append(question := Question(place, line_of(text, place)))
        if index in asked:
            found = asked[index]
            right = next(choice for choice in found["choices"] if choice["id"] == found["right"])
            question.step = found["at"]
            question.said = {"key": found["key"], "params": found["params"]}
            question.right = {"key": right["key"], "params": right["params"]}
    return made


class _TakesLong(Exception):
    """Raised when the questions were not found within the time limit."""


def _watch(simulation: Any, trial: Trial, plan: RunPlan | None, until: float) -> None:
    from engine.scenario.expectations import Shown, unmet
    from engine.scenario.script import listen

    heard, listener = Shown(), listen(simulation)
    transactions = _Transactions(simulation.view())
    sent_at: list[int] = []
    surprises: dict[str, Surprise] = {}
    while simulation.number < STEPS_MAX:
        step = simulation.step()
        if step is None:
            break
        shown_step = step.to_json()
        heard.take(shown_step)
        transactions.take(shown_step)
        if plan is not None:
            plan.take(shown_step)
        _surprised(shown_step, surprises)
        sent_at += [step.number] * (len(listener.heard) - len(sent_at))
        trial.at = step.at
        if step.number % 100 == 0 and time.process_time() > until:
            trial.stopped = "time"
            break
    if simulation.finished is None and trial.stopped is None:
        trial.stopped = "steps"
    trial.steps, trial.finished = simulation.number, simulation.finished
    trial.verdicts = [_counts(verdict) for verdict in simulation.verdicts()]
    trial.transactions, trial.transactions_in_all = transactions.ended()
    rows = simulation.judges.fates()
    trial.records = [Records(**_counts(row)) for row in rows[:RECORD_ROWS_MAX]]
    trial.record_rows_in_all = len(rows)
    judged = simulation.judges.guarantees.items()
    trial.guarantees = {name: part.broken_at for name, part in judged}
    trial.surprise = next(
        (surprises[why] for why in ("broken", "refused", "impossible") if why in surprises), None
    )
    if trial.stopped is None:
        trial.unmet = [
            {"place": one.place, "wanted": one.wanted, "found": one.found} for one in unmet(simulation, heard)
        ]
    trial.messages_in_all = len(listener.heard)
    trial.messages = [
        Message(
            one.at, step, one.api, one.response, one.source, one.destination, list(one.partitions), one.match
        )
        for one, step in zip(listener.heard[:MESSAGES_MAX], sent_at, strict=False)
    ]
    trial.seen_by_rules = [rule.seen for rule in simulation.interference.rules]
    view = simulation.view()
    trial.configurations = {
        name: client["configuration"]
        for name, client in view.get("clients", {}).items()
        if "configuration" in client
    }


class _Transactions:
    """Collects the transactions of a run, and the reason for the outcome of each."""

    def __init__(self, view: Json) -> None:
        from engine.transaction_lines import TransactionLines

        self._lines = TransactionLines(view)
        self._why: dict[tuple[str, int], Why] = {}
        """A dict of (transactional id, first step) → the reason."""

    def take(self, step: Json) -> None:
        self._lines.take(step)
        for transition in (*(step.get("earlier_transitions") or ()), step["transition"]):
            if transition is not None and _chooses(transition):
                newest = [line for line in self._lines.lines if line.identifier == transition["of"]][-1:]
                for line in newest:
                    why = Why(step["number"], step["key"], step["params"])
                    self._why.setdefault((line.identifier, line.first_step), why)

    def ended(self) -> tuple[list[Transaction], int]:
        """Returns at most TRANSACTIONS_MAX transactions, and the number of all transactions."""
        known = self._lines.to_json()
        lines = known["lines"]
        made = [
            Transaction(
                **{name: line[name] for name in _OF_LINE}, why=self._why.get((line["id"], line["first_step"]))
            )
            for line in lines[:TRANSACTIONS_MAX]
        ]
        return made, len(lines) + known["folded"]


_OF_LINE = ("id", "client", "places", "more_places", "first_at", "last_at", "result", "state")


def _chooses(transition: Json) -> bool:
    """Returns whether the coordinator decides the outcome of an ongoing transaction."""
    from engine.coordinator.transaction_states import ONGOING, TRANSACTION_STATES

    is_left = transition["from"] == ONGOING and transition["to"] != ONGOING
    return bool(transition["machine"] == TRANSACTION_STATES.name and is_left)


def _surprised(step: Json, surprises: dict[str, Surprise]) -> None:
    broken = step["broken"][0] if step["broken"] else None
    why = "broken" if broken else "refused" if step["refusal"] else None
    if why is None and step["key"] == "fault.impossible":
        why = "impossible"
    if why is not None and why not in surprises:
        surprises[why] = Surprise(
            why,
            step["number"],
            step["at"],
            step["key"],
            step["params"],
            step["rules"],
            broken["guarantee"] if broken else None,
        )


def _counts(verdict: Any) -> Json:
    from dataclasses import fields

    return {
        field.name: getattr(verdict, field.name)
        for field in fields(verdict)
        if not field.name.startswith("_")
    }


def every_outcome(text: str) -> dict[str, Outcome]:
    """Returns the outcomes of a document without mistakes. Runs it in this process."""
    from engine.errors import Refused
    from engine.scenario.document import acts, load, parse
    from engine.simulation import Simulation

    document = parse(text)
    names: list[str | None] = [one["name"] for one in document.get("variants", ())]
    if acts(document) or not names:
        names.insert(0, None)
    found: dict[str, Outcome] = {}
    for name in names:
        outcome = found[name or ""] = Outcome()
        try:
            simulation = Simulation(load(document, name))
        except Refused as refused:
            outcome.refused = refused.rule
            continue
        digests = []
        while simulation.number < STEPS_MAX and (step := simulation.step()) is not None:
            digests.append(hashlib.blake2b(msgspec.json.encode(step.to_json()), digest_size=8).hexdigest())
        outcome.finished, outcome.steps = simulation.finished, simulation.number
        outcome.verdicts = [_counts(verdict) for verdict in simulation.verdicts()]
        outcome.digests = "".join(digests)
    return found


def to_its_end(text: str) -> Played:
    """Runs the document in this process to its end, or for STEPS_MAX steps."""
    from engine.errors import Refused
    from engine.scenario.document import BadScenario, load, parse
    from engine.simulation import Simulation

    try:
        simulation = Simulation(load(parse(text)), watching="bare")
    except (BadScenario, Refused) as error:
        return Played(refused=error.sentences["reason"])
    simulation.run(steps=STEPS_MAX)
    return Played(view=simulation.view())


_ANSWERS: dict[str, Callable[[Asked], Any]] = {
    "trial": lambda asked: tried(asked.text, asked.variant),
    "outcomes": lambda asked: every_outcome(asked.text),
    "view": lambda asked: to_its_end(asked.text),
}


def answer(question: bytes, folder: Path) -> bytes:
    """The function that the bounded process calls. `question`: `Asked` as JSON. Returns, as JSON, the result
    that its `wanted` names."""
    asked = msgspec.json.decode(question, type=Asked)
    return msgspec.json.encode(_ANSWERS[asked.wanted](asked))

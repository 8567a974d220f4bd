"""Makes the plan of a run: where actors, lanes and ids are drawn, and which beats the run has.

It is computed from the header, the first view and the steps (docs/frame.md). These come from a recording,
from a log case, or from a *run ahead*: a run that is made for its plan only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Protocol, cast

from engine.middleware.configuration import MiddlewareConfiguration
from engine.shapes.headers import NamedBeat
from engine.shapes.plans import Beat, Outdated, Plan, PlannedPlaces
from engine.view.beats import Beats
from engine.view.broken_end import with_broken_end
from engine.view.cost import RunOutcome, cost_of
from engine.view.cut_off import CutOffs
from engine.view.forgotten import Forgotten
from engine.view.losses import ARRIVED, LOST, Losses
from engine.view.passed import Passed
from engine.view.places import Places, extended
from engine.view.same_titles import set_apart
from engine.view.sent_again import SentAgain
from engine.view.stops import with_stops

PLAN_VERSION = 70
"""This number rises whenever the same run may give another plan than before. A stored plan of another version is then
made again."""


_DELAYED = "fault.message_delayed"


class _Field(Protocol):
    """Makes one field of a plan from the steps of a run."""

    def take(self, step: Mapping[str, Any]) -> None:
        """Take the next step, as JSON."""

    def to_json(self) -> Any:
        """The field's value; empty if the run has nothing for this field."""


class RunPlan:
    """Makes the plan of a run: pass the run's header and first view, then its steps in order, as JSON. ``middleware``:
    the settings of the middleware; without them, the plan has no sentences about the loss of the middleware's
    messages."""

    def __init__(
        self,
        header: Mapping[str, Any],
        view: Mapping[str, Any],
        middleware: MiddlewareConfiguration | None = None,
    ) -> None:
        self.steps = 0
        """The number of the last step that was taken."""
        self._places = Places(header, view)
        consumers = [actor["name"] for actor in header.get("actors") or () if actor["role"] == "consumer"]
        self._named: list[NamedBeat] = list(header.get("beats") or ())
        """The author's names of beats: (kind, number, title)."""
        highest: dict[str, int] = {}
        for one in self._named:
            highest[one["kind"]] = max(one["nth"], highest.get(one["kind"], 0))
        self._beats = Beats(consumers, highest)
        self._outcome = RunOutcome(view)
        self._fields: dict[str, _Field] = {
            "passed": Passed(),
            "losses": Losses(view, middleware),
            "again": SentAgain(),
            "forgotten": Forgotten(),
            "cut_off": CutOffs(),
        }
        """Fields of the plan that are absent if the run has nothing for them."""
        self._outdated: list[Outdated] = []
        self._delays: dict[int, int] = {}
        """Dict of message that a fault delayed → the step that delayed it."""
        self._late_until: dict[int, int] = {}
        """Dict of step that delayed a message → the step that ended the message's way; absent while it is in
        transit."""

    def take(self, step: Mapping[str, Any]) -> None:
        self.steps = step["number"]
        self._places.take(step)
        self._beats.take(step)
        self._outcome.take(step)
        for one in self._fields.values():
            one.take(step)
        if step["key"] == _DELAYED:
            self._delays[step["params"]["message"]] = step["number"]
        for message in step["messages"] if self._delays else ():
            if message["event"] in ARRIVED | LOST and message["id"] in self._delays:
                self._late_until[self._delays.pop(message["id"])] = step["number"]
        self._outdated += [
            {
                "step": step["number"],
                "partition": said["params"]["partition"],
                "offset": said["params"]["base_offset"],
                "producer_epoch": said["params"]["producer_epoch"],
            }
            for said in (step, *step["notes"])
            if said["key"] == "broker.appended_outdated"
        ]

    def fork(self) -> RunPlan:
        """A copy for a branch that begins after the last step that was taken."""
        fork = RunPlan({}, {})
        fork.steps = self.steps
        fork._places = deepcopy(self._places)
        fork._beats = self._beats.fork()
        fork._outcome = deepcopy(self._outcome)
        fork._fields = deepcopy(self._fields)
        fork._outdated = list(self._outdated)
        fork._delays = dict(self._delays)
        fork._late_until = dict(self._late_until)
        fork._named = self._named
        return fork

    def to_json(
        self,
        complete: bool = True,
        before: Mapping[str, Any] | None = None,
        done: Sequence[Mapping[str, Any]] = (),
        ended: bool = True,
        same_until: int | None = None,
    ) -> Plan:
        """``Plan`` of docs/frame.md.

        - ``complete``: the run ends with the last step taken.
        - ``before``: an earlier plan. Its places do not change, and its beats keep their numbers and titles as long as
          the steps of its run are the same. Only the beat of a delay may lose its author's title (``named``).
        - ``done``: the interventions, each with the number of the step before it.
        - ``ended``: the run has ended, so its cost is known.
        - ``same_until``: the last step that is the same in the run of ``before``; without it, the step before the
          first intervention.
        """
        places = self._places.to_json()
        touched_after = min((one["after"] for one in done), default=None)
        if same_until is None:
            same_until = touched_after or 0
        past = [] if before is None else before["beats"]
        known = None if before is None else before.get("events")
        by_hand = frozenset(one["after"] + 1 for one in done)
        beats = named(
            self._beats.to_json(past, same_until, by_hand, known),
            self._named,
            touched_after,
            {**dict.fromkeys(self._delays.values(), self.steps + 1), **self._late_until},
        )
        stops = with_stops(set_apart(beats, self._beats.steps, same_until if past else 0))
        content = {
            **(places if before is None else extended(before, places)),
            "steps": self.steps,
            "complete": complete,
            "beats": with_broken_end(stops, self._beats.steps),
            "events": self._beats.events,
            **{name: found for name, one in self._fields.items() if (found := one.to_json())},
        }
        plan = cast("Plan", content)
        if done and before is not None and plan["brokers"]:
            plan["stands"] = before.get("stands") or standing(before)
        if self._outdated:
            plan["outdated"] = list(self._outdated)
        written = None if before is None else before.get("outcome")
        if not done and complete and ended:
            plan["outcome"] = self._outcome.to_json()
        elif done and written is not None:
            plan["outcome"] = written
            if complete and ended:
                plan["end"] = self._outcome.to_json()
                plan["cost"] = cost_of(written, plan["end"], done)
        return plan

    def kinds(self) -> Counter[str]:
        """Dict of kind → the number of beats of that kind, including nested ones."""
        return Counter(beat["kind"] for beat in _read(self._beats.to_json()))


def standing(plan: Mapping[str, Any]) -> PlannedPlaces:
    """The places of a plan, without its other fields."""
    return cast("PlannedPlaces", {name: plan[name] for name in PlannedPlaces.__annotations__ if name in plan})


def named(
    beats: list[Beat],
    names: Sequence[NamedBeat],
    touched_after: int | None = None,
    late_until: Mapping[int, int] | None = None,
) -> list[Beat]:
    """The beats, with the titles that the author gave to some of them. An entry of ``names`` identifies a beat by its
    kind and its number among the beats of that kind, in reading order. Beats after an intervention
    (``touched_after``) keep their own titles. So does the beat of a delay if its message was still in transit at the
    intervention, because the author's title may say what the late message leads to: such a beat loses the title that
    it has from the original run. ``late_until``: dict of step of a delay → the step that ended the message's way."""
    if not names:
        return beats
    until = late_until or {}
    if touched_after is not None:
        beats = [_untitled(beat) if until.get(beat["lands"], 0) > touched_after else beat for beat in beats]
    titles = {(one["kind"], one["nth"]): one["title"] for one in names if any(one["title"].values())}
    seen: Counter[str] = Counter()
    for beat in _read(beats):
        seen[beat["kind"]] += 1
        title = titles.get((beat["kind"], seen[beat["kind"]]))
        ends = max(beat["last"], until.get(beat["lands"], 0))
        if title is not None and (touched_after is None or ends <= touched_after):
            beat["title"] = title
    return beats


def _untitled(beat: Beat) -> Beat:
    """A copy of the beat without an author's title: the beat itself belongs to the original run's plan."""
    copied = beat.copy()
    copied.pop("title", None)
    return copied


def _read(beats: list[Beat]) -> Iterator[Beat]:
    for beat in beats:
        yield beat
        yield from _read(beat.get("beats", []))

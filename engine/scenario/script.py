"""Makes fault scripts, from a selected message of a run or from a learner's interventions (GEN-6).

A rule counts the messages that it sees, and no later rule sees a message to which an earlier one applied. To
write one more rule, a listener after all others counts the messages that the new rule would see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.apis import partitions_of
from engine.messages import Envelope
from engine.scenario.document import Scenario
from engine.simulation import Simulation

Rule = dict[str, Any]

_WORD_OF_MESSAGE = {
    "drop_message": "drop",
    "delay_message": "delay",
    "duplicate_message": "duplicate",
    "reorder_message": "reorder",
    "disconnect_message": "disconnect",
}
"""Dict of intervention on a message → the action of the fault script with the same effect."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that was sent. ``match``: the conditions of a rule that applies to it, if the rule comes
    after all those of the script."""

    id: int
    at: int
    api: str
    response: bool
    source: str
    destination: str
    partitions: tuple[str, ...]
    match: Rule


class Listener:
    """A listener after a script's rules. It notes every message to which no rule applied, and changes none."""

    seen = 0

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self._counts: Counter[tuple[Any, ...]] = Counter()

    def falls_on(self, envelope: Envelope, generator: Random) -> bool:
        api, partitions = str(envelope.body.api), partitions_of(envelope.body)  # type: ignore[attr-defined]
        end = ("to", envelope.destination) if envelope.is_response else ("from", envelope.source)
        kind = (api, envelope.is_response, end)
        for partition in (None, *dict.fromkeys(partitions)):
            self._counts[(*kind, partition)] += 1
        match: Rule = {"api": api}
        if envelope.is_response:
            match["response"] = True
        match[end[0]] = end[1]
        named = partitions[0] if len(partitions) == 1 else None
        if named is not None:
            match["partition"] = named
        count = self._counts[(*kind, named)]
        if count > 1:
            match["nth"] = count
        self.heard.append(
            Heard(
                envelope.id,
                envelope.sent_at,
                api,
                envelope.is_response,
                envelope.source,
                envelope.destination,
                tuple(partitions),
                match,
            )
        )
        return False


def listen(simulation: Simulation) -> Listener:
    """Add a listener for the messages in flight and for those that are sent from now on, except those to
    which a rule of the script applies."""
    listener = Listener()
    simulation.interference.listen(listener)
    return listener


@dataclass(frozen=True, slots=True)
class Written:
    """The interventions as rules. ``rules``: the rules to add at the end of a fault script. ``left_out``: the
    indexes of the interventions that no rule can express."""

    rules: list[Rule]
    left_out: list[int]


def script_of(scenario: Scenario, interventions: list[dict[str, Any]]) -> Written:
    """The interventions as entries of a fault script. An intervention has ``after``, the number of the step that it
    follows. Raises Refused if an intervention is refused."""
    timed: list[Rule] = []
    struck: dict[int, tuple[Heard, Rule]] = {}
    left_out: list[int] = []
    for index, (done, now, by_id) in enumerate(_replayed(scenario, interventions)):
        action = done["action"]
        if action in _WORD_OF_MESSAGE:
            further = {"by_ms": done["by"]} if action == "delay_message" else {}
            if done.get("taken"):
                further["taken"] = done["taken"]
            _strike(struck, left_out, index, by_id.get(done["message"]), _WORD_OF_MESSAGE[action], further)
        elif action == "hold_messages":
            for heard, missing in done["held"]:
                _strike(struck, left_out, index, heard, "delay", {"by_ms": missing})
        else:
            timed.append({"at": now, **{name: value for name, value in done.items() if name != "after"}})
    return Written([*_counted(struck), *timed], sorted(set(left_out)))


def _strike(
    struck: dict[int, tuple[Heard, Rule]],
    left_out: list[int],
    index: int,
    heard: Heard | None,
    word: str,
    further: Rule,
) -> None:
    """Note in ``struck`` the rule for a message. If the message is unknown or has a rule already, the index of the
    intervention is added to ``left_out``."""
    if heard is None or heard.id in struck:
        left_out.append(index)
    else:
        struck[heard.id] = (heard, {"action": word, **further})


def _counted(struck: dict[int, tuple[Heard, Rule]]) -> Iterator[Rule]:
    """The rules in the order of their messages. A rule's ``nth`` does not count messages to which an earlier rule
    applies."""
    before: list[Heard] = []
    for _, (heard, rule) in sorted(struck.items()):
        match = dict(heard.match)
        taken = sum(_would_count(match, other) for other in before)
        nth = match.pop("nth", 1) - taken
        yield {"match": match if nth == 1 else {**match, "nth": nth}, **rule}
        before.append(heard)


def _would_count(match: Rule, other: Heard) -> bool:
    end = "to" if match.get("response") else "from"
    named = match.get("partition")
    return (
        match["api"] == other.api
        and bool(match.get("response")) == other.response
        and match[end] == (other.destination if other.response else other.source)
        and (named is None or named in other.partitions)
    )


def _replayed(
    scenario: Scenario, interventions: list[dict[str, Any]]
) -> Iterator[tuple[Rule, int, dict[int, Heard]]]:
    """For each intervention: a copy of it, its time (virtual ms), and the messages heard before it, by id.
    The copy of a ``hold_messages`` has ``held``: the messages that it delays, each with its delay in ms."""
    simulation = Simulation(scenario, interventions)
    listener = listen(simulation)
    for made in interventions:
        while simulation.number < made["after"] and simulation.step() is not None:
            pass
        by_id = {heard.id: heard for heard in listener.heard}
        done = dict(made)
        if done["action"] == "hold_messages":
            done["held"] = [
                (by_id.get(envelope.id), done["until"] + 1 - envelope.arrives_at)
                for envelope in simulation.world.network.under_way.values()
                if done["actor"] in (envelope.source, envelope.destination)
                and envelope.arrives_at <= done["until"]
            ]
        yield done, simulation.now, by_id


__all__ = ["Heard", "Listener", "Written", "listen", "script_of"]

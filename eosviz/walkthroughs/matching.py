"""Decides whether a condition holds at a step. Reads the step as it is stored (docs/frame.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any, get_args

import msgspec

from engine.errors import Error
from engine.explain.in_force import states_in
from engine.explain.machines import machines
from engine.explain.requirements import GROUPS, REGISTER, REQUIREMENTS
from engine.judge.bench import EVERY_GUARANTEE
from engine.profiles import PROFILES
from engine.scenario.kept_by import KINDS, exists
from eosviz.catalogue import say
from eosviz.refusals import Problem
from eosviz.walkthroughs.conditions import (
    AnyCondition,
    Condition,
    OnBroken,
    OnError,
    OnInteresting,
    OnKind,
    OnRule,
    OnState,
    OnSubject,
    OnText,
    StepKind,
)

Json = dict[str, Any]

BATCHES = "producer_batch"
"""The state machine of batches. The engine reports no transitions for it. The state of a batch is part of the
view, so the changes of a step contain the new state."""

ANY, NAME, BROKER = "*", "@", "#"
NAMES_IN_PATHS: dict[str, tuple[tuple[str, ...], ...]] = {
    "clients": ((NAME,), (ANY, "queues", NAME)),
    "consumers": ((NAME,), (ANY, "positions", NAME)),
    "brokers": ((BROKER,), (ANY, "transactions", NAME), (ANY, "markers", "waiting", NAME)),
    "partitions": ((NAME,), (ANY, "replicas", BROKER)),
    "middleware": ((NAME,), ("participants", NAME)),
}
"""A dict of part of the view → patterns of paths within that part. In a pattern, NAME stands for a name,
BROKER for the number of a broker, and ANY for any key."""
ONLOOKING = frozenset({("consumers", "lanes")})
"""Parts of an actor that other actors change, for example the records that a consumer has not read yet."""


class Facts:
    """One step, and the parts of it that conditions use. Each part is collected when it is first used."""

    def __init__(self, body: bytes) -> None:
        self.step: Json = msgspec.json.decode(body)

    @cached_property
    def sentences(self) -> list[Json]:
        """Returns the step's sentence and its notes."""
        return [self.step, *self.step["notes"]]

    @cached_property
    def entered(self) -> list[tuple[str, str, str]]:
        """Returns (machine, state, owner) for every state that was entered: first those of the step's
        transitions, oldest first, then those of batches."""
        rows = [*self.step.get("earlier_transitions", ()), self.step["transition"]]
        entered = [(row["machine"], row["to"], row["of"]) for row in rows if row is not None]
        return entered + list(self._batches_entered())

    def _batches_entered(self) -> Iterator[tuple[str, str, str]]:
        for change in self.step["changes"]:
            path = change["path"]
            if (
                len(path) not in (4, 5)
                or path[0] != "clients"
                or path[2] != "batches"
                or "after" not in change
            ):
                continue
            whole = len(path) == 4
            state = change["after"].get("state") if whole else change["after"]
            if whole or path[4] == "state":
                yield BATCHES, state, f"{path[1]}/{path[3]}"

    @cached_property
    def messages(self) -> list[Json]:
        """Returns the messages that this step sends or removes from the network, as the view shows them."""
        found = []
        for change in self.step["changes"]:
            path = change["path"]
            if len(path) == 3 and path[:2] == ["network", "messages"]:
                found.append(change.get("after") or change.get("before"))
        return found

    @cached_property
    def errors(self) -> set[str]:
        refusal = self.step["refusal"]
        named = [None if refusal is None else refusal["error"]]
        named += [sentence["params"].get("error") for sentence in self.sentences]
        named += [message["error"] for message in self.messages]
        return {error for error in named if isinstance(error, str)} - {Error.NONE.name}

    @cached_property
    def names(self) -> set[str]:
        """Returns the names in the step: of actors, partitions, transactional ids and other things."""
        found: set[str] = {self.step["actor"]}
        for sentence in self.sentences:
            for value in sentence["params"].values():
                found.update(item for item in _items(value) if isinstance(item, str))
        decision = self.step["decision"]
        if decision is not None:
            found |= {decision["by"], decision["subject"]}
        for _, _, whose in self.entered:
            found |= {whose, *whose.split(" ")[:1], *whose.split("/")[:1]}
        for broken in self.step["broken"]:
            found.add(broken["partition"] or "")
        for message in self.messages:
            found |= {message["from"], message["to"], *message["partitions"]}
        for change in self.step["changes"]:
            found.update(_names_in(change["path"]))
        return found

    def text(self, language: str) -> str:
        """Returns the whole text of the step, in lower case, for searches."""
        step = self.step
        words = [str(step["number"]), step["actor"], *step["rules"], *sorted(self.errors)]
        words += [f"{whose} {machine} {state}" for machine, state, whose in self.entered]
        words += [say(sentence["key"], language, sentence["params"]) for sentence in self.sentences]
        words += [f"BROKEN {broken['guarantee']} {broken['partition']}" for broken in step["broken"]]
        return " ".join(words).lower()

    @cached_property
    def rules(self) -> set[str]:
        found = {rule for sentence in self.sentences for rule in sentence["rules"]}
        if self.step["refusal"] is not None:
            found.add(self.step["refusal"]["rule"])
        if self.step["decision"] is not None:
            found |= {row["rule"] for row in self.step["decision"]["rows"] if row["outcome"] == "decided"}
        return found


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else (value,)


def _names_in(path: list[str]) -> Iterator[str]:
    if tuple(path[0::2][:2]) in ONLOOKING:
        return
    for pattern in NAMES_IN_PATHS.get(path[0], ()):
        place = path[1 : 1 + len(pattern)]
        if len(place) < len(pattern):
            continue
        pairs = list(zip(pattern, place, strict=True))
        if all(wanted in (ANY, NAME, BROKER, found) for wanted, found in pairs):
            yield f"broker-{place[-1]}" if pattern[-1] == BROKER else place[-1]


# -- conditions ----------------------------------------------------------------------------------------------


def _kind(facts: Facts, condition: OnKind) -> bool:
    return bool(facts.step["kind"] == condition.kind)


def _interesting(facts: Facts, condition: OnInteresting) -> bool:
    return bool(facts.step["interesting"])


def _broken(facts: Facts, condition: OnBroken) -> bool:
    return any(condition.guarantee in (None, broken["guarantee"]) for broken in facts.step["broken"])


def _state(facts: Facts, condition: OnState) -> bool:
    return any(
        (machine, state) == (condition.machine, condition.state) and condition.of in (None, whose)
        for machine, state, whose in facts.entered
    )


def _error(facts: Facts, condition: OnError) -> bool:
    return bool(facts.errors) if condition.error is None else condition.error in facts.errors


def _subject(facts: Facts, condition: OnSubject) -> bool:
    if condition.kind == "message":
        return any(str(fate["id"]) == condition.id for fate in facts.step["messages"])
    return condition.id in facts.names


def _rule(facts: Facts, condition: OnRule) -> bool:
    return any(condition.rule in (rule, rule.rpartition("-")[0]) for rule in facts.rules)


def _text(facts: Facts, condition: OnText) -> bool:
    text = facts.text(condition.language)
    return all(word in text for word in condition.text.lower().split())


_HOLDS: dict[type[Condition], Callable[[Facts, Any], bool]] = {
    OnKind: _kind,
    OnInteresting: _interesting,
    OnBroken: _broken,
    OnState: _state,
    OnError: _error,
    OnSubject: _subject,
    OnRule: _rule,
    OnText: _text,
}


def holding(body: bytes, conditions: Sequence[AnyCondition]) -> list[int]:
    """Returns the positions, in `conditions`, of the conditions that hold at a stored step."""
    facts = Facts(body)
    return [
        position for position, condition in enumerate(conditions) if _HOLDS[type(condition)](facts, condition)
    ]


# -- what can be asked for -----------------------------------------------------------------------------------


@cache
def choices() -> dict[str, Any]:
    """Returns the fixed names that a condition may contain: a list of names for each field. `machines` is a
    dict of machine → states. For rules, only the groups are listed."""
    return {
        "kinds": list(get_args(StepKind)),
        "guarantees": guarantees(),
        "machines": {machine.name: list(machine.states) for machine in machines().values()},
        "errors": sorted(error.name for error in Error if error is not Error.NONE),
        "rule_groups": [*GROUPS, "CTR"],
    }


def choices_in(version: str, clients: Sequence[str]) -> dict[str, Any]:
    """Returns `choices`, without the names that cannot occur in a run with a cluster of the Kafka version
    `version` and further clients of the versions `clients`."""
    by_version = {profile.version: profile for profile in PROFILES.values()}
    cluster = by_version.get(version)
    if cluster is None:
        return choices()
    others = [by_version[one] for one in clients if one in by_version]
    states = {name: states_in(machine, cluster, others) for name, machine in machines().items()}
    kinds = [kind for kind in choices()["kinds"] if exists(KINDS.get(kind), cluster.name)]
    return {
        **choices(),
        "kinds": kinds,
        "machines": {name: found for name, found in states.items() if found},
        "errors": sorted(error.name for error in cluster.errors),
    }


def guarantees() -> list[str]:
    return list(EVERY_GUARANTEE)


def check(conditions: Sequence[AnyCondition], place: str) -> None:
    """Checks that each name in a condition can occur at a step; with any other name, a run would never stop
    there. Raises Problem; it names the condition with `place` (the field of the message) and its position."""
    for position, condition in enumerate(conditions):
        for field, allowed in _names_of(condition):
            found = getattr(condition, field)
            if found is not None and found not in allowed:
                where = f"{place}[{position}].{field}"
                raise Problem(
                    "malformed", "not_one_of", field=where, found=repr(found), allowed=list(allowed)
                )


def _names_of(condition: AnyCondition) -> Iterator[tuple[str, Sequence[str]]]:
    known = choices()
    if isinstance(condition, OnBroken):
        yield "guarantee", known["guarantees"]
    elif isinstance(condition, OnError):
        yield "error", known["errors"]
    elif isinstance(condition, OnState):
        yield "machine", tuple(known["machines"])
        yield "state", known["machines"][condition.machine]
    elif isinstance(condition, OnRule) and condition.rule not in (*REQUIREMENTS, *REGISTER):
        yield "rule", known["rule_groups"]

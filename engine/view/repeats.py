"""Finds the stretches of a run in which a client sends a request again and again, and gets the same refusal or no
response."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from operator import attrgetter
from typing import Any

from engine.view.beat_step import BeatStep

ROUND_MOST = 32
"""A round has at most this many steps, so a step repeats another one only if that comes at most this many steps before
it."""
ROUNDS_FROM = 12
"""A stretch of at least this many rounds is one beat."""
FAILURES = ("client.request_timed_out", "client.coordinator_not_reached")
"""The sentences that end a round without a refusal, by priority."""
COUNTING = frozenset({"until", "retries", "tries", "attempts"})
"""The parameters that differ between rounds that are otherwise equal: times and counts of attempts."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A stretch: the steps of the run from index ``at`` (inclusive) to index ``stop`` (exclusive)."""

    at: int
    stop: int
    rounds: int
    ends: str
    """The key of the sentence that ends each round: a refusal, or one of FAILURES."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """The stretches of one run, in order."""

    stretches: Sequence[Repeat]
    within: Sequence[bool]
    """For each index, whether its step belongs to a stretch."""
    lengths: Sequence[int]
    """For each index, the number of steps before it. Of each stretch, only one round is counted."""

    def length(self, start: int, end: int) -> int:
        """The number of steps from index ``start`` up to ``end``, counted as in ``lengths``."""
        return self.lengths[end] - self.lengths[start]


class RecentSentences:
    """Marks the steps that repeat one of the ROUND_MOST steps before them, with the same actor and sentences. Takes the
    steps of a run in order."""

    def __init__(self) -> None:
        self._newest: dict[Hashable, int] = {}
        """Dict of (actor, sentences) → the number of the newest step of this actor with these sentences."""

    def take(self, taken: BeatStep) -> None:
        """Set ``repeats`` of the step: whether one of the ROUND_MOST steps before it has the same actor and
        sentences."""
        sentences = taken.actor, tuple((key, _lasting(params)) for key, params in taken.sentences)
        before = self._newest.get(sentences)
        taken.repeats = before is not None and taken.number - before <= ROUND_MOST
        self._newest[sentences] = taken.number

    def fork(self) -> RecentSentences:
        fork = RecentSentences()
        fork._newest = dict(self._newest)
        return fork


def repeats_in(steps: Sequence[BeatStep]) -> Repeats:
    """The stretches of at least ROUNDS_FROM rounds in which every step repeats another one."""
    found = [repeat for at, stop in _stretches(steps) if (repeat := _repeat(steps, at, stop)) is not None]
    within = [False] * len(steps)
    for repeat in found:
        within[repeat.at : repeat.stop] = [True] * (repeat.stop - repeat.at)
    return Repeats(found, within, lengths_of(len(steps), found))


def lengths_of(steps: int, repeats: Sequence[Repeat]) -> list[int]:
    """For each index from 0 to ``steps``, the number of steps before it, where only one round of each stretch of
    ``repeats`` is counted."""
    each = [1] * steps
    for repeat in repeats:
        once = -(-(repeat.stop - repeat.at) // repeat.rounds)
        each[repeat.at + once : repeat.stop] = [0] * (repeat.stop - repeat.at - once)
    return list(accumulate(each, initial=0))


def title_params(steps: Sequence[BeatStep], repeat: Repeat) -> dict[str, Any]:
    """The parameters of the title of a stretch. If the attempts fail without a refusal: ``clients``, the actors of the
    failed attempts. Otherwise: ``actor`` and ``error`` of the refusal, and ``client`` and ``api`` of the refused
    request, which are None unless the stretch is about one request."""
    within = steps[repeat.at : repeat.stop]
    ends = [step for step in within if step.key == repeat.ends]
    known = {"count": repeat.rounds, "ms": within[-1].time - within[0].time}
    if ends[0].refusal is None:
        return {**known, "clients": sorted({step.actor for step in ends})}
    requests = {
        (step.params["client"], step.params["api"])
        for step in within
        if {"client", "api"} <= set(step.params)
    }
    client, api = requests.pop() if len(requests) == 1 else (None, None)
    return {**known, "client": client, "api": api, "actor": ends[0].actor, "error": ends[0].refusal}


def _stretches(steps: Sequence[BeatStep]) -> Iterator[tuple[int, int]]:
    at = 0
    for repeated, stretch in groupby(steps, attrgetter("repeats")):
        stop = at + sum(1 for _ in stretch)
        if repeated:
            yield at, stop
        at = stop


def _repeat(steps: Sequence[BeatStep], at: int, stop: int) -> Repeat | None:
    within = steps[at:stop]
    refused = Counter(step.key for step in within if step.refusal is not None)
    failed = Counter(step.key for step in within if step.key in FAILURES)
    for ends, rounds in (*refused.most_common(1), *((key, failed[key]) for key in FAILURES)):
        if rounds >= ROUNDS_FROM:
            return Repeat(at, stop, rounds, ends)
    return None


def _lasting(params: Mapping[str, Any]) -> str:
    return repr({name: value for name, value in params.items() if name not in COUNTING})

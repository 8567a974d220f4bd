"""Stretches of a run in which nothing new happens: a client sends a request again and again, and gets the same
refusal each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from engine.view.beat_step import BeatStep

ROUND_MOST = 24
"""A round has at most this many steps: a step repeats another one that comes at most so many steps before it."""
ROUNDS_FROM = 12
"""A stretch of at least this many rounds is one beat."""
COUNTING = frozenset({"until", "retries", "tries"})
"""Parameters that differ from round to round although nothing else does: times and counts of attempts."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Indices ``at`` up to, not including, ``stop`` of the run's steps."""

    at: int
    stop: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Repeats:
    """The stretches of one run, in order."""

    stretches: Sequence[Repeat]
    lengths: Sequence[int]
    """For each index, the number of steps before it, of which each stretch counts as one round."""

    def is_within(self, index: int) -> bool:
        """Whether the step with this index belongs to a stretch."""
        return any(repeat.at <= index < repeat.stop for repeat in self.stretches)

    def length(self, start: int, end: int) -> int:
        """The number of steps from index ``start`` up to ``end``, counted as in ``lengths``."""
        return self.lengths[end] - self.lengths[start]


def repeats_in(steps: Sequence[BeatStep]) -> Repeats:
    """The stretches of at least ROUNDS_FROM rounds whose every step says what another one said shortly before."""
    found = [repeat for at, stop in _stretches(steps) if (repeat := _repeat(steps, at, stop)) is not None]
    return Repeats(found, lengths_of(len(steps), found))


def lengths_of(steps: int, repeats: Sequence[Repeat]) -> list[int]:
    """For each index up to ``steps`` how many steps come before it, if a reader sees each stretch once."""
    each = [1] * steps
    for repeat in repeats:
        once = -(-(repeat.stop - repeat.at) // repeat.rounds)
        each[repeat.at + once : repeat.stop] = [0] * (repeat.stop - repeat.at - once)
    return list(accumulate(each, initial=0))


def told_of(steps: Sequence[BeatStep], repeat: Repeat) -> dict[str, Any]:
    """The parameters of the title. ``client`` and ``api`` are None unless the stretch is about one request."""
    within = steps[repeat.at : repeat.stop]
    refused = next(step for step in within if step.refusal is not None)
    requests = {
        (step.params["client"], step.params["api"])
        for step in within
        if {"client", "api"} <= set(step.params)
    }
    client, api = requests.pop() if len(requests) == 1 else (None, None)
    return {
        "client": client,
        "api": api,
        "actor": refused.actor,
        "error": refused.refusal,
        "count": repeat.rounds,
        "ms": within[-1].time - within[0].time,
    }


def _stretches(steps: Sequence[BeatStep]) -> Iterator[tuple[int, int]]:
    last: dict[Hashable, int] = {}
    at: int | None = None
    for index, step in enumerate(steps):
        said = _said(step)
        before = last.get(said)
        last[said] = index
        if before is not None and index - before <= ROUND_MOST:
            at = index if at is None else at
        elif at is not None:
            yield at, index
            at = None
    if at is not None:
        yield at, len(steps)


def _repeat(steps: Sequence[BeatStep], at: int, stop: int) -> Repeat | None:
    refused = Counter(step.key for step in steps[at:stop] if step.refusal is not None)
    rounds = max(refused.values(), default=0)
    return Repeat(at, stop, rounds) if rounds >= ROUNDS_FROM else None


def _said(step: BeatStep) -> Hashable:
    return step.actor, tuple((key, _lasting(params)) for key, params in step.sentences)


def _lasting(params: Mapping[str, Any]) -> str:
    return repr({name: value for name, value in params.items() if name not in COUNTING})

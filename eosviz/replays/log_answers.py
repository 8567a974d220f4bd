"""Answers the questions of an engineer on call about a log case:

- which transaction blocks which partition, at which offset, and since when;
- which consumers wait;
- whether the coordinator still knows the transaction;
- what to do, in which order, and what it costs.

The answers are computed from a case's document (docs/logs.md) when its page is shown. Sentences in them are
keys with parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.topic_partition import is_internal
from eosviz.pipeline.kafka_logs.case_sentences import group_sentences
from eosviz.pipeline.kafka_logs.remedies import FORCE_TERMINATE_SINCE
from eosviz.pipeline.kafka_logs.verdict_kinds import VerdictKind
from eosviz.pipeline.kafka_logs.words import moment, moment_by
from eosviz.replays.log_drawing import drawn

LISTED_MAX = 20
"""The summary has at most this many rows. Each answer also has a card of its own on the page."""
GROUPS_MAX = 5
TOOL_SINCE = "3.0"
"""The first version of Kafka with `kafka-transactions.sh` (KIP-664)."""
OFFSETS_TOPIC = "__consumer_offsets-"
_BY_THE_COORDINATOR = (VerdictKind.SLOW_BUT_ALIVE, VerdictKind.COORDINATOR_OWES_MARKER)
"""The kinds of verdicts about a transaction that its coordinator knows and has not completed."""
_SECOND = 1000
_VERB = re.compile(r"HOST:PORT (?P<verb>[A-Za-z-]+)")

Json = dict[str, Any]


_LATE = (VerdictKind.LATE_WRITE, VerdictKind.FENCED_WRITER)
"""The kinds of verdicts about records that were written after the coordinator had ended their producer's
transaction."""
_MARKERS = {"committed": "COMMIT", "aborted": "ABORT"}


def sentence(key: str, **params: Any) -> Json:
    """The sentence with the key `logs.<key>`."""
    return {"key": f"logs.{key}", "params": params}


def answered(analysis: Json, problems: Sequence[Json]) -> list[Json]:
    """The answer for each verdict that is not healthy. If the coordinator has one transaction open in several
    partitions, only its first answer has the commands."""
    answers = [_Answer(analysis, verdict).to_json() for verdict in problems]
    first: dict[str, Json] = {}
    for number, (answer, verdict) in enumerate(zip(answers, problems, strict=True), 1):
        if verdict["kind"] not in _BY_THE_COORDINATOR or not verdict["transactional_id"]:
            continue
        earlier = first.setdefault(verdict["transactional_id"], answer | {"number": number})
        if earlier["number"] != number:
            answer["todo_at"] = {"number": earlier["number"], "partition": earlier["partition"]}
            answer["todo"] = []
    leading = next((one for one in answers if one["todo"]), None)
    if leading is not None:
        leading["leads"] = True
    return answers


def summary(analysis: Json, answers: Sequence[Json]) -> Json:
    """The summary at the top of the page. If there are several answers, it has a row for each of the first
    LISTED_MAX."""
    partitions = [one for one in analysis["partitions"] if not is_internal(one["name"])]
    if not answers:
        newest = analysis["now"]
        count = len(partitions) or len(analysis["partitions"])
        then = sentence("answer.nothing.then", at=moment(newest)) if newest >= 0 else None
        return {"headline": sentence("answer.nothing", partitions=count), "then": then, "rows": []}
    if len(answers) == 1:
        return {**_first(answers[0]), "rows": []}
    rows = {"rows": answers[:LISTED_MAX], "left_out": max(0, len(answers) - LISTED_MAX)}
    holding = [one for one in answers if "who" in one]
    held = {one["partition"] for one in holding}
    if not holding:
        headline = sentence("answer.undecided_several", partitions=len(answers))
        return {"headline": headline, "then": answers[0]["then"], **rows}
    if sum("todo_at" in one for one in holding) == len(holding) - 1:
        headline = sentence("answer.one_of_several", who=holding[0]["who"], partitions=len(held))
        return {**_first(holding[0]), "headline": headline, **rows}
    # Producers are counted and not transactions: without the coordinator's log it is unknown whether open
    # data in two partitions belongs to the same transaction.
    open_now = [one["producer_id"] for one in analysis["transactions"] if one["result"] == "open"]
    producers = {*open_now, *(one["who"]["params"]["producer_id"] for one in holding)}
    return {
        "headline": sentence("answer.several", producers=len(producers), partitions=len(held)),
        "then": None,
        **rows,
    }


def _first(answer: Json) -> Json:
    """Those parts of an answer that the summary shows."""
    command = next((one for one in answer["todo"] if one["command"]), None)
    return {name: answer.get(name) for name in ("headline", "late", "then", "lasts")} | {"first": command}


class _Answer:
    """Makes the answer for one verdict."""

    def __init__(self, analysis: Json, verdict: Json) -> None:
        self._analysis, self._verdict = analysis, verdict
        self._kind = VerdictKind(verdict.get("rests_on") or verdict["kind"])
        self._partition = next(
            (one for one in analysis["partitions"] if one["name"] == verdict["partition"]), None
        )
        self._transaction = next(filter(self._is_mine, analysis["transactions"]), None)
        self._known = verdict.get("transactional_id") or self._listed.get("transactional_id")

    def _is_mine(self, transaction: Json) -> bool:
        same = ("partition", "producer_id", "first_offset")
        return transaction["result"] == "open" and all(transaction[key] == self._verdict[key] for key in same)

    @property
    def _listed(self) -> Json:
        """The parameters of the evidence that quotes this producer's row in a printed list of transactions;
        empty if there is no such row."""
        found = (one["says"]["params"] for one in self._verdict["evidence"]
                 if one["says"]["key"] == "logs.evidence.listed")  # fmt: skip
        return next(found, {})

    @property
    def _stable(self) -> int:
        return -1 if self._partition is None else self._partition["last_stable_offset"]

    @property
    def _end(self) -> int:
        return -1 if self._partition is None else self._partition["high_watermark"]

    @property
    def _holds(self) -> bool:
        """Whether consumers stop at this transaction; also true if the last stable offset is unknown."""
        start = -1 if self._partition is None else self._partition["log_start"]
        return self._stable < 0 or max(self._verdict["first_offset"], start) <= self._stable

    def to_json(self) -> Json:
        verdict = self._verdict
        answer: Json = {"partition": verdict["partition"], "todo": [*self._todo()]}
        means = sentence(f"verdict.{verdict['kind']}.means")
        if verdict["producer_id"] is None:
            return answer | {
                "headline": sentence("answer.undecided", partition=verdict["partition"]),
                "then": means,
            }
        return answer | {
            "headline": self._headline(),
            "late": self._late(),
            "then": self._coordinator() if self._kind is VerdictKind.UNDECIDED else means,
            "who": self._who(),
            "since": None if self._since is None else moment(self._since),
            "lasts": None if self._since is None else self._lasts(f"answer.lasts.{self._clock}", self._since),
            "coordinator": self._coordinator(),
            "facts": [*self._facts()],
            "picture": self._picture(),
        }

    def _picture(self) -> Json | None:
        if not self._holds or self._partition is None:
            return None
        name = self._verdict["partition"]
        mine = self._verdict | {"last_offset": (self._transaction or {}).get("last_offset")}
        return drawn(self._partition, self._analysis.get("ends", {}).get(name), mine)

    def _who(self) -> Json:
        verdict = self._verdict
        of = {"producer_id": verdict["producer_id"], "epoch": verdict["epoch"]}
        if self._known is None:
            return sentence("answer.who", **of)
        return sentence("answer.who_id", transactional_id=self._known, **of)

    @property
    def _since(self) -> int | None:
        """A time, in ms since 1970, at which the transaction began or was already open; None if unknown."""
        started = self._verdict.get("started_at") if self._is_the_coordinators else None
        if started is None and self._transaction is not None:
            started = self._transaction["first_timestamp"]
        return started if started is not None and started >= 0 else None

    @property
    def _clock(self) -> str:
        """Whose clock ``_since`` is from: the coordinator's, or that of the transaction's first record in the
        files."""
        is_started = self._is_the_coordinators and self._verdict.get("started_at") == self._since
        return "coordinator" if is_started else "record"

    @property
    def _is_the_coordinators(self) -> bool:
        return self._kind in _BY_THE_COORDINATOR

    def _headline(self) -> Json:
        offset = self._verdict["first_offset"]
        if self._holds and self._stable >= 0:
            # If the transaction's first records were deleted, consumers stop at the log's start.
            offset = self._stable
        of = {"who": self._who(), "partition": self._verdict["partition"], "offset": offset}
        held = "holds" if self._holds else "waits"
        if self._since is None:
            return sentence(f"answer.{held}", **of)
        return sentence(f"answer.{held}_since.{self._clock}", since=moment(self._since), **of)

    def _late(self) -> Json | None:
        """The sentence about records that were written after a marker had ended their producer's previous
        transaction in this partition. None if the files contain no such marker, or if the verdict is of
        another kind."""
        mine = self._transaction
        if mine is None or self._kind not in _LATE or mine["last_offset"] < mine["first_offset"]:
            return None
        first = mine["first_offset"]
        ended = [
            one
            for one in self._analysis["transactions"]
            if all(one[name] == mine[name] for name in ("partition", "producer_id"))
            and one["result"] in _MARKERS
            and one["marker_offset"] is not None
            and one["marker_offset"] < first
        ]
        if not ended:
            return None
        before = max(ended, key=lambda one: one["marker_offset"])
        of = {"partition": mine["partition"], "first": first, "result": _MARKERS[before["result"]],
              "marker": before["marker_offset"]}  # fmt: skip
        if mine["last_offset"] == first:
            return sentence("answer.late_one", **of)
        return sentence("answer.late", last=mine["last_offset"], **of)

    # -- facts -------------------------------------------------------------------------------------------

    def _facts(self) -> Iterator[Json]:
        yield _fact("producer", self._who())
        yield _fact("holds", *self._held())
        if self._since is not None:
            yield _fact("since", *self._time(self._since))
        yield _fact("blocked", *self._blocked())
        yield _fact("coordinator", self._coordinator())

    def _held(self) -> Iterator[Json]:
        verdict, mine = self._verdict, self._transaction
        of = {"partition": verdict["partition"], "first": verdict["first_offset"]}
        if mine is None or mine["last_offset"] < mine["first_offset"]:
            yield sentence("answer.held.open", **of)
        elif mine["last_offset"] == mine["first_offset"]:
            yield sentence("answer.held.wrote_one", **of)
        else:
            yield sentence("answer.held.wrote", last=mine["last_offset"], count=mine["records"], **of)
        if 0 <= self._stable < self._end:
            yield sentence("answer.held.gates", stable=self._stable, end=self._end)

    def _time(self, since: int) -> Iterator[Json]:
        yield sentence(f"answer.since.{self._clock}", at=moment(since))
        if (lasts := self._lasts("answer.since.lasts", since)) is not None:
            yield lasts

    def _lasts(self, key: str, since: int) -> Json | None:
        now = self._analysis["now"]
        return (
            sentence(key, duration=_seconds(now - since), now=moment(now)) if now - since >= _SECOND else None
        )

    def _blocked(self) -> Iterator[Json]:
        verdict = self._verdict
        if not self._holds:
            yield sentence("answer.blocked.next", stable=self._stable, offset=verdict["first_offset"])
        elif 0 <= self._stable < self._end:
            yield sentence("answer.blocked.readers", first=self._stable, last=self._end - 1,
                           count=self._end - self._stable)  # fmt: skip
        else:
            yield sentence("answer.blocked.behind", offset=verdict["first_offset"])
        groups = [one for one in self._analysis["groups"] if one["partition"] == verdict["partition"]]
        sentences = [words._asdict() for row in groups for words in group_sentences(row)]
        yield from sentences[:GROUPS_MAX]
        if len(sentences) > GROUPS_MAX:
            yield sentence("answer.blocked.more", count=len(sentences) - GROUPS_MAX)
        names = (one["name"] for one in self._analysis["partitions"])
        if not sentences and not any(name.startswith(OFFSETS_TOPIC) for name in names):
            yield sentence("answer.blocked.no_groups")

    def _coordinator(self) -> Json:
        """The sentence that says what the coordinator knows about this transaction."""
        verdict, known, state = self._verdict, self._known, self._verdict["coordinator_state"]
        given = self._analysis["coordinator"]
        if listed := self._listed:
            return sentence("answer.coordinator.listed", **listed)
        if known is None:
            key = "unknown" if given["partitions"] or given["records"] else "not_given"
            return sentence(f"answer.coordinator.{key}", producer_id=verdict["producer_id"])
        if state is None:
            return sentence("answer.coordinator.expired", transactional_id=known)
        of = {"transactional_id": known, "state": state, "partition": verdict["partition"]}
        if not self._is_the_coordinators:
            key = "newest" if self._kind is VerdictKind.UNDECIDED else "other"
            return sentence(f"answer.coordinator.{key}", **of)
        until, now = verdict["timeout_at"], self._analysis["now"]
        if state != "Ongoing" or until is None:
            return sentence(
                "answer.coordinator.owes" if state != "Ongoing" else "answer.coordinator.ongoing", **of
            )
        if now >= until:
            return sentence("answer.coordinator.overdue", at=moment(until), **of)
        return sentence("answer.coordinator.until", at=moment_by(until), left=_seconds_up(until - now), **of)

    # -- what to do --------------------------------------------------------------------------------------

    def _todo(self) -> Iterator[Json]:
        """What to do, step by step, according to the verdict's remedy."""
        remedy = self._verdict["remedy"]
        if remedy is None:
            return
        checks = [one["params"]["command"] for one in remedy["preconditions"] if "command" in one["params"]]
        yield from (_run(command, costs=sentence("cost.reads")) for command in checks)
        plain = [one for one in remedy["preconditions"] if "command" not in one["params"]]
        if remedy["action"] == "abort":
            yield _run(remedy["command"], plain, self._cost("cost.abort"), self._then())
        else:
            yield _run(remedy["command"], costs=sentence("cost.reads"))
        if remedy["action"] == "wait":
            yield self._wait(plain)
        for other in remedy.get("others", ()):
            verb = _verb(other["command"])
            cost = self._cost("cost.terminate" if other["since"] else "cost.abort")
            yield _run(
                other["command"], other["preconditions"], cost, self._then(), other["since"] or TOOL_SINCE
            )
            if verb == "forceTerminateTransaction":
                yield self._restart()

    def _cost(self, key: str) -> Json:
        mine = self._transaction
        of = {"partition": self._verdict["partition"], "transactional_id": self._known or "–"}
        if mine is None or mine["last_offset"] < mine["first_offset"]:
            return sentence(f"{key}.unread", **of)
        if mine["last_offset"] == mine["first_offset"]:
            return sentence(f"{key}.one", offset=mine["first_offset"], **of)
        return sentence(key, first=mine["first_offset"], last=mine["last_offset"], **of)

    def _then(self) -> Json | None:
        remedy = self._verdict["remedy"]
        stable = remedy["last_stable_offset"]
        if stable is None or stable < 0 or not self._holds:
            return None
        return sentence(f"then.{remedy.get('ends', 'aborted')}", offset=stable)

    def _wait(self, conditions: Sequence[Json]) -> Json:
        ends = self._verdict["remedy"].get("ends", "aborted")
        ongoing = self._verdict["coordinator_state"] in ("Ongoing", None)
        until, now = self._verdict["timeout_at"], self._analysis["now"]
        title = "todo.wait"
        costs = sentence(f"cost.wait_{ends}")
        if ongoing and until is not None and now < until:
            title = "todo.wait_until"
            costs = sentence("cost.wait_until", left=_seconds_up(until - now))
        return {
            "title": sentence(title, at=moment_by(until)),
            "does": [sentence("todo.wait_ongoing" if ongoing else "todo.wait_decided")],
            "command": None,
            "since": None,
            "only_if": [] if title == "todo.wait_until" else list(conditions),
            "costs": costs,
            "then": self._then(),
        }

    def _restart(self) -> Json:
        """The step in which the producer of an ongoing transaction is initialised again."""
        return {
            "title": sentence("todo.restart", transactional_id=self._known),
            "does": [sentence("todo.restart.does", transactional_id=self._known)],
            "command": None,
            "since": None,
            "only_if": [],
            "costs": sentence("cost.restart", transactional_id=self._known),
            "then": None,
        }


def _fact(name: str, *sentences: Json) -> Json:
    return {"name": f"logs.answer.fact.{name}", "sentences": sentences}


def _verb(command: str) -> str:
    found = _VERB.search(command)
    return "" if found is None else found["verb"]


def _run(
    command: str,
    only_if: Sequence[Json] = (),
    costs: Json | None = None,
    then: Json | None = None,
    since: str = TOOL_SINCE,
) -> Json:
    verb = _verb(command)
    name = verb.replace("-", "_").lower()
    return {
        "title": sentence(f"todo.{name}"),
        "does": [sentence(f"todo.{name}.does")],
        "command": command,
        "since": FORCE_TERMINATE_SINCE if verb == "forceTerminateTransaction" else since,
        "only_if": list(only_if),
        "costs": costs,
        "then": then,
    }


def _seconds(milliseconds: int) -> int:
    """``milliseconds`` rounded down to a whole second, in milliseconds."""
    return milliseconds // _SECOND * _SECOND


def _seconds_up(milliseconds: int) -> int:
    """``milliseconds`` rounded up to a whole second, in milliseconds."""
    return -_seconds(-milliseconds)

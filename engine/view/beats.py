"""Divides a run into named beats: chapters, which are made by rules from the kinds of the run's steps
(``openers.py``).

The beats of a run, or those inside one beat, are a *level*. A level has at most nine beats; long runs have
nested beats, short runs fewer. A changed run has more if it is changed behind many of its beats (``BEHIND_MOST``). Each
beat has the step that a reader sees first, and the lines of its steps: informative steps one by one, the others folded
and counted (``plumbing.py``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter, eq, itemgetter
from typing import Any, TypeVar

from engine.crafter import Crafter
from engine.explain.sentences import sentence
from engine.lately import LOOKUPS, REQUESTS, LostRequests
from engine.shapes.plans import Beat, BeatLine, Event, Passed
from engine.topic_partition import is_internal, topic_of
from engine.transaction_lines import COMPLETE
from engine.view import middleware_titles
from engine.view.beat_step import BeatStep, said_in
from engine.view.lines import lines_of
from engine.view.openers import (
    ACCEPTED,
    BEGINS_EARLY,
    BEHIND,
    BEHIND_HANGING,
    BROKEN,
    BY_KEY,
    CALL_REFUSED,
    COMMIT_KNOWN,
    COMMIT_LATE,
    COMPLETED,
    CYCLES,
    DAMAGE,
    DECIDE,
    DOUBT_ENDS,
    ENDED_BY_CALL,
    GATHERED,
    HANGS,
    HEAVY,
    IDENTITIES,
    IDENTITY_NAMES,
    IGNORED,
    LEFT,
    LET_GO,
    MANY_ROUNDS,
    MARKED,
    MEANWHILE,
    MUST_RETRY,
    NOT_NOW,
    NOT_YET,
    NOTABLE,
    OUTCOME,
    PART,
    RARE,
    READ_AFTER_MARKER,
    REFUSED,
    REGISTERED,
    REPEATS,
    REPORT_SUCCESS,
    REQUEST_AGAIN,
    RETRIED,
    RETRIES,
    ROUNDS,
    START,
    STORED,
    TAKEN_FOR_DUPLICATE,
    TAKEOVER,
    TIMES_OUT,
    TRANSACTION,
    UNTIMELY,
    Opener,
)
from engine.view.repeats import RecentSentences, Repeats, repeats_in, title_params
from engine.view.resends import RESULTS, Resends, drained_partitions
from engine.view.titles import (
    COUNT_RECORDS,
    LEADS,
    NEW,
    RECORDS,
    WHICH,
    also_in,
    held_in,
    marker_in,
    read_in,
    released_in,
    sentence_of,
    title_of,
    which_named,
)

Of = TypeVar("Of")
To = TypeVar("To")

MOST = 9
"""A level has at most this many beats."""
NESTED_FROM = 80
INFORMATIVE_MOST = 30
"""A beat with at least NESTED_FROM steps, or with more informative ones than INFORMATIVE_MOST, has nested beats, if
two further openings are inside it."""
CYCLES_FROM = 4
"""A level with at least this many rounds (``CYCLES``) is divided by rounds."""
LINES_MOST = 60
"""A beat with more lines than this is divided into parts."""
RARE_MOST = 4
"""Among the rounds of one level there are at most this many beats of weight RARE or more."""
WEIGHED_MOST = 300
"""At most this many openings are compared on a level, the heaviest ones. The others are left to the levels below."""
ENOUGH = 6
"""While a level has more beats than this, beats that cost less than LIGHT to merge are merged."""
FEW = 3
"""On a level with at most this many beats, records that are collected and then sent stay two beats."""
VERY_SHORT = 9
"""A level with at most this many steps gets fewer beats than other levels."""
LENGTH_COUNTS = 0.6
LAST_COUNTS = 1.0
LAST_FROM = 2
"""``LENGTH_COUNTS`` is the exponent of the merged beat's length, in ninths of the level, in the cost of merging a beat
into the one before it. For the last beat, if it weighs at least ``LAST_FROM``, it is ``LAST_COUNTS``, because a reader
stops at no later beat."""
STARTS_WITHIN = 3
"""If at most this many steps come before the first opening, they belong to its beat; otherwise they are a
beat of their own."""
FIRST_WRITES = frozenset({"begins", "sends"})
"""The openers of a producer's first records."""
OWN_IDENTITY = frozenset({"identity", "transactional_identity"})
"""The openers of one producer's request for its identity."""
WITH_A_RESEND = frozenset({"waits_for_earlier", "meanwhile"})
"""The openers that open no beat at the moment at which their client resends a batch."""
LIGHT = 4
"""An opener below this weight opens no beat before the present beat has reached the step to which it leads
(``Opener.lands``)."""
FATE = 8.6
"""A beat that shows what becomes of a transaction weighs at least this much, unless the beat before it, whose title
then says the outcome, can hold it (``DECIDE``)."""
NAMED = 8.5
"""A beat to which the author gave a title weighs at least this much."""
WAITED = 5_000
"""If at least so many virtual ms pass before a request times out, this is the cause of the jump of time, and its beat
weighs at least ``WAITED_OUT``."""
WAITED_OUT = 8.5
RESETS = 6
"""After an opening of this weight or more, a row with ``once`` may open a beat with the same parameters again."""
MATTERS = 200
CHANGES = 400
BREAKS = 2_000
"""What is added to the cost of merging a beat of a changed run, in this order: if the run without the intervention has
it, too, or the intervention led to it; if it is an intervention or what comes of one first; and if it breaks a
guarantee. They outweigh all others."""
BEHIND_MOST = 7
"""If the level has no room for all that matters behind the kept beats, it gets room for at least so many beats. A
reader would otherwise find what came of the intervention only inside other beats."""
KEPT_MOST = 2 * MOST
"""Behind so many kept beats, those of the change are inside one."""
PASSED_FROM = 3
PASSED_MOST = 3
PASSED_FIRST = 2
"""Between the steps that a reader sees in two beats, at most ``PASSED_MOST`` openings of weight ``PASSED_FROM`` or more
are named, the heaviest ones. Pages show the first ``PASSED_FIRST`` of these before everything else."""
IMPLIED = frozenset({"beat.begins", "beat.begins_next", "beat.sends_unstored"})
"""Titles that go without saying where the same client's records are stored."""
EVENTS_MAX = 300
"""At most this many events of a run are listed, the first ones."""
BROKEN_TITLE = "beat.broken_"
LAST_WORDS = frozenset({"ends"})
"""The openers of steps in which a transaction of the middleware ends at the node that began it."""
ABOUT = ("client", "transactional_id", "actor", "api", "kind", "group", "consumer", "service", "participant")
"""A beat of a changed run is about the same as one of the run without the change if these parameters are equal, as far
as both have them."""
RELEASED = {
    "beat.released_commit": "COMMIT", "beat.released_commit_of": "COMMIT", "beat.released_part": "COMMIT",
    "beat.released_abort": "ABORT", "beat.released_abort_of": "ABORT",
}  # fmt: skip
"""Title of a beat to the result of the transactions whose records it releases."""
SAME_KIND = {"commit_late": "commit_known"}
"""Name of an opener to the name of another one that opens a beat for the same event."""
ROUND_KINDS = frozenset({"round", TRANSACTION.name, MANY_ROUNDS.name, *(one.name for one in ROUNDS.values())})
"""The kinds of beats into which a run of many rounds is divided."""
RESENDS = frozenset({"sends_again", "renumbered"})
"""The openers of resends."""
ASKED_FOR = frozenset({"commit_decided", "abort_decided", "nothing_aborted"})
"""The openers of decisions that a client asks for with EndTxn."""
IDS_WANTED = frozenset({"client.producer_id_wanted", "client.init_transactions", "client.waits_producer_id"})
"""After the first of these sentences, it matters whether a broker has a block of producer ids."""


WHOSE = ("client", "transactional_id", "coordinator")
"""A beat and a step belong together if they have equal values for these parameters; a parameter that the step
does not have is ignored."""
DELIVERS = "consumer.delivers"
SHARED = {"reads_only": "reads_one", "reads_only_from": "reads_one_from"}
"""A title about the only consumer that gets some records to the title if another one gets them in another beat."""
BOTH = "BOTH"
"""The result of several transactions that held the last stable offset together, some committed and some aborted."""
DECISIONS = {"coordinator.decides_commit": "CompleteCommit", "coordinator.decides_abort": "CompleteAbort"}
"""The sentences about a coordinator's decision to the state to which it leads."""
WAITS = "broker.readers_wait_for_transaction"
FETCHED = ("broker.fetch_answered", "broker.fetch_answered_empty")


@dataclass(slots=True)
class Opened:
    """A beat whose end is not known yet. ``at``: the index of its first step."""

    at: int
    opener: Opener
    params: dict[str, Any]
    weight: float
    round: int = 0
    """The number of this opening among those with the same name, from 1; 0: not counted."""
    size: int = 0
    """Of openings that have a size, such as delays (``Opener.size``): how large it is."""
    lead: int = 0
    """How many steps of the beat come before the step that opens it."""
    origin: Opened | None = None
    """For a beat of several rounds: the opening of the first round. For a beat in which records are collected and
    sent: the opening of the collecting. In a changed run also: the opening whose beat begins earlier to save room."""
    results: frozenset[str] = frozenset()
    """The results of the transactions whose records its step releases to consumers."""
    ends: bool = False
    """Whether it shows what becomes of a transaction: its step, or that of a beat merged into it, releases the
    transaction's records to consumers."""
    by_hand: bool = False
    """Whether its step carries out an intervention."""
    breaks: bool = False
    """Whether its step, in a run with an intervention, breaks a guarantee."""
    new: bool = False
    """Whether the run without the intervention has no such opening behind the intervention."""
    recurs: bool = False
    """Whether the run without the intervention has a beat for it, too."""
    consequence: bool = False
    """Whether it is what comes of an intervention first (:func:`_consequences`)."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A transaction in one partition: its first offset, and the offset and result of its marker. ``again``: the
    marker was there already, so it ends no transaction."""

    first: int
    marker: int
    result: str
    again: bool = False
    records: tuple[tuple[str, int, tuple[int, ...]], ...] = ()
    """(client, number, serials) of the records that it ends; empty if their clients are not known."""
    producer_id: Any = None


class Beats:
    """Takes the steps of a run in order, as JSON (docs/frame.md)."""

    def __init__(self, consumers: Sequence[str] = (), named: Mapping[str, int] | None = None) -> None:
        """``named``: for each kind of beat to which the author of the scenario gave titles, the highest number that
        has one."""
        self._named = named or {}
        self._steps: list[BeatStep] = []
        self._again: dict[tuple[str, str], str] = {}
        """(client, batch) to its partition, for each batch that waits to be sent again, in order."""
        self._doubted: set[tuple[Any, Any]] = set()
        """(client, batch) for each batch of which the client cannot know whether it is stored."""
        self._resends = Resends()
        self._consumers = tuple(consumers)
        self._holders: dict[str, Mapping[str, Any]] = {}
        """Partition to the parameters of the sentence ``WAITS`` on the open transaction that stops read_committed
        consumers there."""
        self._behind: dict[str, list[tuple[int, Any, int]]] = {}
        """Partition to (last offset, client, number of records) of each batch that is stored behind such a transaction,
        and not replicated yet."""
        self._writers: dict[tuple[str, Any], str] = {}
        """(partition, producer id) to the client whose records of this id were stored last."""
        self._hanging: set[str] = set()
        """The partitions in which a transaction hangs."""
        self._readers: dict[str, set[str]] = {}
        """Partition to the read_committed consumers that have fetched from it."""
        self._first: dict[tuple[str, Any], int] = {}
        """(partition, producer id) to the first offset that was stored since the producer id's last marker there."""
        self._unended: dict[tuple[str, Any], dict[str, tuple[int, tuple[int, ...]]]] = {}
        """(partition, producer id) to the number and serials of the records that each client stored since the producer
        id's last marker there."""
        self._marked: dict[tuple[str, Any], tuple[Any, str]] = {}
        """(partition, producer id) to epoch and result of its newest marker there."""
        self._ended: dict[str, list[Ended]] = {}
        """Partition to its transactions that have their marker and whose records are not readable yet."""
        self._read_committed: set[str] = set()
        """The consumers that read with this isolation level."""
        self._unread: dict[str, set[str]] = {}
        """Partition whose last stable offset has advanced, to the consumers that have got records of it since
        then."""
        self._released_at: dict[str, int] = {}
        """Client to the time from which consumers can get the records of the transaction that it commits."""
        self._ids: dict[str, str] = {}
        """Client to its transactional id."""
        self._left: set[tuple[str, str]] = set()
        """(broker, client) of each ended connection whose requests the broker still processes, until it appends one."""
        self._duplicates: dict[tuple[Any, ...], int] = {}
        """(client, partition, base offset) to the index of the step in which a leader recognised the batch there as
        a duplicate."""
        self._lost_requests = LostRequests()
        self._not_now: Counter[str] = Counter()
        """Error to the number of refusals with it that had their own step and that no client has received yet."""
        self._to_retry: set[tuple[Any, Any]] = set()
        """(client, API) of each request of a transaction manager that was refused and that waits to be sent again."""
        self._completing: dict[str, str] = {}
        """Transactional id to the state to which its transaction, which is decided, is completed later."""
        self._begun: set[str] = set()
        """The clients that have begun a transaction."""
        self._early: set[str | None] = set()
        """The transactional ids whose newest transaction began before the previous one was complete."""
        self._refused: set[str | None] = set()
        """Those of them whose partitions the coordinator has refused so far."""
        self._ids_wanted = False
        self._recent = RecentSentences()
        self.events: list[Event] = []
        """The run's openings of weight HEAVY or more and its requests sent again, at most EVENTS_MAX; ``to_json`` sets
        them."""

    def take(self, step: Mapping[str, Any]) -> None:
        notes = step["notes"]
        key = step["key"]
        if key in ("client.drained_plain", "client.drained_plain_again", "client.drained_mixed"):
            drained = set(drained_partitions(step["params"]))
            if self._drains_again(step["params"]["client"], drained):
                key = "client.drained_again"
        settled: list[Any] = []
        for said in (step, *notes):
            params = said["params"]
            batch = (params.get("client"), params.get("batch_id", params.get("batch")))
            if said["key"] == "client.requeued":
                self._again[batch] = params["partition"]
                self._doubted.add(batch)
            elif said["key"] in RESULTS and batch in self._doubted:
                self._again.pop(batch, None)
                self._doubted.discard(batch)
                if said["key"] in REPORT_SUCCESS:
                    settled.append(params["batch"])
        taken = BeatStep(
            number=step["number"],
            time=step["at"],
            actor=step["actor"],
            kind=step["kind"],
            key=key,
            said=frozenset((key, *(note["key"] for note in notes))),
            params=step["params"],
            stands_out=bool(step["interesting"] or step["refusal"] or step["broken"]),
            refusal=None if step["refusal"] is None else step["refusal"]["error"],
            sentences=((key, step["params"]), *((note["key"], note["params"]) for note in notes)),
            broken=tuple(
                (one["guarantee"], one["partition"], tuple(one["serials"])) for one in step["broken"]
            ),
        )
        taken.opener, taken.opener_params = _opening(key, step)
        if key in NEW and any(client == taken.params["client"] for client, _ in self._again):
            taken.opener, taken.opener_params = MEANWHILE, {"client": taken.params["client"]}
        taken.resent = self._resends.take(taken.sentences)
        self._look_for_requests_left(taken)
        self._look_for_requests_again(taken)
        self._look_for_retries(taken)
        self._look_for_early_begins(taken)
        taken.settled = tuple(settled)
        if settled and (taken.opener is None or taken.opener.weight < DOUBT_ENDS.weight):
            taken.opener = DOUBT_ENDS
            taken.opener_params = {name: step["params"].get(name) for name in DOUBT_ENDS.params}
            taken.opener_params["batch"] = settled[0]
        self._look_for_held_records(taken, step)
        taken.stored = _stored_by(taken, step)
        self._look_for_releases(taken)
        self._look_for_late_commits(taken)
        self._look_for_readers(taken)
        self._look_for_hanging(taken, step)
        self._look_for_mistaken_duplicates(taken)
        self._recent.take(taken)
        if taken.opener is OUTCOME:
            taken.opener_params = {"at": taken.time}  # Each time gets a beat of its own.
        self._ids_wanted = self._ids_wanted or not taken.said.isdisjoint(IDS_WANTED)
        if taken.opener is not None and taken.opener.name == "block_claimed" and not self._ids_wanted:
            taken.opener = None  # A broker claims a block at every start, so the claim opens no beat.
        self._steps.append(taken)

    def _drains_again(self, client: str, partitions: set[str]) -> bool:
        """Whether one of the drained batches waited to be sent again."""
        waiting = {
            partition: batch for batch, partition in reversed(self._again.items()) if batch[0] == client
        }
        again = [waiting[partition] for partition in partitions if partition in waiting]
        for batch in again:
            del self._again[batch]
        return bool(again)

    def _look_for_held_records(self, taken: BeatStep, step: Mapping[str, Any]) -> None:
        for said in (step, *step["notes"]):
            params = said["params"]
            if said["key"] == WAITS:
                self._holders[params["partition"]] = params
            elif said["key"] == "broker.last_stable_offset_advanced":
                self._holders.pop(params["partition"], None)
                self._behind.pop(params["partition"], None)
        holder = self._holders.get(taken.params.get("partition", ""))
        if (
            taken.key in STORED
            and holder is not None
            and taken.params.get("producer_id") != holder["producer_id"]
        ):
            last = taken.params["base_offset"] + taken.params["record_count"] - 1
            waiting = self._behind.setdefault(taken.params["partition"], [])
            waiting.append((last, taken.params.get("client"), taken.params["record_count"]))
            hangs = taken.params["partition"] in self._hanging
            taken.opener = BEHIND_HANGING if hangs else BEHIND
            taken.opener_params = {"client": taken.params.get("client")}
        for params in said_in([taken], "broker.high_watermark_advanced", *STORED):
            waiting = self._behind.get(params["partition"], [])
            held = [one for one in waiting if one[0] < params.get("high_watermark", 0)]
            self._behind[params["partition"]] = [one for one in waiting if one not in held]
            taken.held = (*taken.held, *((client, params["partition"], count) for _, client, count in held))
            if held:
                why = self._holders[params["partition"]]
                taken.held_by = {**why, "high_watermark": params["high_watermark"]}
        client = taken.params.get("client")
        if taken.key in STORED and client not in (None, Crafter.name):
            self._writers[taken.params["partition"], taken.params.get("producer_id")] = client

    def _look_for_hanging(self, taken: BeatStep, step: Mapping[str, Any]) -> None:
        """Find the step from which a transaction hangs, and the step that lets its partitions go."""
        hangs = [one for one in step["broken"] if one["guarantee"] == "hanging"]
        partitions = [one["partition"] for one in hangs]
        self._hanging.update(partitions)
        by_its_batch = taken.opener is not None and taken.key in taken.opener.keys and taken.key in UNTIMELY
        if hangs and (by_its_batch or _weight(taken) < (RARE if step["refusal"] is None else RESETS)):
            partition, producer_id = partitions[0], hangs[0]["producer_id"]
            taken.opener = HANGS
            taken.opener_params = {
                "partitions": partitions,
                "offset": hangs[0]["first_offset"],
                "owner": self._writers.get((partition, producer_id), f"PID {producer_id}"),
                "consumers": sorted(self._readers.get(partition, ())),
            }
        let_go = sorted({partition for partition, _ in taken.released} & self._hanging)
        if let_go and _weight(taken) < LET_GO.weight:
            taken.opener, taken.opener_params = LET_GO, {"partitions": let_go}
        self._hanging.difference_update(let_go)

    def _look_for_requests_left(self, taken: BeatStep) -> None:
        """Let a broker's first append from an ended connection open a beat."""
        for params in said_in([taken], "network.requests_left"):
            lost = said_in([taken], "client.disconnected")
            self._left.update((params["broker"], one["client"]) for one in lost)
        for params in said_in([taken], *STORED):
            way = params["broker"], params.get("client")
            if way in self._left:
                self._left.discard(way)
                if taken.opener is None or taken.opener.weight < LEFT.weight:
                    taken.opener = LEFT
                    taken.opener_params = {"broker": way[0], "client": way[1]}

    def _look_for_requests_again(self, taken: BeatStep) -> None:
        for key, params in taken.sentences:
            if self._lost_requests.sent_again(key, params) and _weight(taken) < REQUEST_AGAIN.weight:
                taken.opener = REQUEST_AGAIN
                taken.opener_params = {name: params[name] for name in REQUEST_AGAIN.params}

    def _look_for_retries(self, taken: BeatStep) -> None:
        """Find the request that a client sends again after a refusal. The refusal opens one beat, at the component that
        refuses or, if that has done something else in this step, at the client."""
        if taken.refusal in RETRIED:
            self._not_now[taken.refusal] += 1
        for key, params in taken.sentences:
            request = params.get("client"), params.get("api")
            if key in MUST_RETRY.keys and self._not_now[params["error"]] > 0:
                self._not_now[params["error"]] -= 1
                taken.opener = None if taken.opener is MUST_RETRY else taken.opener
            elif key in MUST_RETRY.keys and request[1] not in LOOKUPS:
                self._to_retry.add(request)
            elif key in REQUESTS and request in self._to_retry:
                self._to_retry.discard(request)
                if _weight(taken) < RETRIES.weight:
                    taken.opener = RETRIES
                    taken.opener_params = {name: params[name] for name in RETRIES.params}

    def _look_for_early_begins(self, taken: BeatStep) -> None:
        """Find a transaction that begins before the client's previous one is complete, the refusal of its partitions,
        and their acceptance."""
        transactional_id = taken.params.get("transactional_id")
        for key, params in taken.sentences:
            if key in DECISIONS:
                self._completing[params["transactional_id"]] = DECISIONS[key]
            elif key == "coordinator.image_durable" and params["state"] in COMPLETE:
                self._completing.pop(params["transactional_id"], None)
            elif key == "client.begin_transaction":
                own = self._ids.get(params["client"])
                self._early.discard(own)
                if params["client"] in self._begun:
                    taken.opener_params = {**taken.opener_params, "next": True}
                self._begun.add(params["client"])
                if own in self._completing:
                    self._early.add(own)
                    taken.opener = BEGINS_EARLY
                    taken.opener_params = {"client": params["client"], "pending": self._completing[own]}
        if taken.opener is NOT_NOW and transactional_id in self._early:
            taken.opener = NOT_YET
            self._refused.add(transactional_id)
        if taken.opener is REGISTERED and transactional_id in self._refused:
            self._refused.discard(transactional_id)
            taken.opener = ACCEPTED
            taken.opener_params = {name: taken.params[name] for name in ACCEPTED.params}

    def _look_for_releases(self, taken: BeatStep) -> None:
        """Set ``released`` of the step: (partition, result) where the last stable offset advanced."""
        for key, params in taken.sentences:
            if key in STORED:
                written = params["partition"], params.get("producer_id")
                self._first.setdefault(written, params["base_offset"])
                if (client := params.get("client")) is not None:
                    known = self._unended.setdefault(written, {})
                    count, serials = known.get(client, (0, ()))
                    added = tuple(serial for name, serial in taken.stored if name == params["partition"])
                    known[client] = count + (params["record_count"] or 0), serials + added
            elif key in MARKED:
                written = params["partition"], params["producer_id"]
                marker = params["producer_epoch"], params["result"]
                again = written not in self._first and self._marked.get(written) == marker
                if again:
                    taken.marked_again = (*taken.marked_again, params["partition"])
                self._marked[written] = marker
                first = self._first.pop(written, params["offset"])
                known = self._unended.pop(written, {})
                records = tuple((client, count, serials) for client, (count, serials) in known.items())
                ended = Ended(first, params["offset"], params["result"], again, records, written[1])
                self._ended.setdefault(params["partition"], []).append(ended)
        for said in said_in([taken], "fault.topic_deleted"):
            self._first = {
                written: first
                for written, first in self._first.items()
                if topic_of(written[0]) != said["topic"]
            }
        advanced = [said for key, said in taken.sentences if key == "broker.last_stable_offset_advanced"]
        found = [(params["partition"], *self._released_by(params)) for params in advanced]
        taken.released = tuple((partition, result) for partition, result, _ in found if result is not None)
        held = [one for _, _, those in found for one in those]
        taken.ended = tuple(of for one in held for of in one.records)
        ids = {one.producer_id for one in held}
        taken.unmarked = tuple(
            sorted(name for name, producer_id in self._first if producer_id in ids and not is_internal(name))
        )
        if taken.opener is OUTCOME and advanced and not taken.released:
            taken.opener = None

    def _released_by(self, params: Mapping[str, Any]) -> tuple[str | None, list[Ended]]:
        """The result of the transactions that held the last stable offset, and these. The result is BOTH if they
        differ, empty if it is not known, and None if the offset passed only repeated markers."""
        ended = self._ended.get(params["partition"], [])
        before, after = params["before"], params["last_stable_offset"]
        passed = [one for one in ended if one.first < after and one.marker < params["high_watermark"]]
        self._ended[params["partition"]] = [one for one in ended if one not in passed]
        if passed and all(one.again for one in passed):
            return None, []
        held = [one for one in passed if one.first >= before and not one.again]
        results = {one.result for one in held}
        return BOTH if len(results) > 1 else "".join(results), held

    def _look_for_late_commits(self, taken: BeatStep) -> None:
        """Find a client that learns of its commit after its records were released."""
        for key, params in taken.sentences:
            if key == "client.init_transactions":
                self._ids[params["client"]] = params["transactional_id"]
            elif key == "coordinator.decides_commit":
                # What was released before belongs to an earlier transaction of this id.
                for client, transactional_id in self._ids.items():
                    if transactional_id == params["transactional_id"]:
                        self._released_at.pop(client, None)
        committed = {partition for partition, result in taken.released if result == "COMMIT"}
        for (partition, _), client in self._writers.items():
            if partition in committed:
                self._released_at.setdefault(client, taken.time)
        if (
            taken.opener is COMMIT_KNOWN
            and self._released_at.get(taken.params["client"], taken.time) < taken.time
        ):
            taken.opener = COMMIT_LATE

    def _look_for_readers(self, taken: BeatStep) -> None:
        """Find the first records that a read_committed consumer gets after the last stable offset advanced."""
        for partition, _ in taken.released:
            self._unread[partition] = set()
        for key, params in taken.sentences:
            if key == "broker.fetch_answered" and params["isolation"] == "read_committed":
                self._read_committed.add(params["consumer"])
            if key in FETCHED and params["isolation"] == "read_committed":
                self._readers.setdefault(params["partition"], set()).add(params["consumer"])
        reader = taken.params.get("consumer")
        if taken.key != "consumer.delivers" or reader not in self._read_committed:
            return
        readers = self._unread.get(taken.params["partition"])
        if readers is not None and reader not in readers:
            readers.add(reader)
            if taken.opener is None or taken.opener.weight < READ_AFTER_MARKER.weight:
                taken.opener, taken.opener_params = READ_AFTER_MARKER, {}

    def _look_for_mistaken_duplicates(self, taken: BeatStep) -> None:
        """Find a lost batch that the leader took for a duplicate, and give the leader's step another opener."""
        for key, params in taken.sentences:
            batch = params.get("client"), params.get("partition"), params.get("base_offset")
            if key == "broker.duplicate_found":
                self._duplicates[batch] = len(self._steps)
            elif key == "client.acknowledged" and batch in self._duplicates:
                at = self._duplicates.pop(batch)
                if any((guarantee, where) == ("lost", batch[1]) for guarantee, where, _ in taken.broken):
                    self._steps[at] = replace(self._steps[at], opener=TAKEN_FOR_DUPLICATE, opener_params={})

    def fork(self) -> Beats:
        """A copy for a branch that begins here. It shares the steps so far, which never change."""
        fork = Beats(self._consumers, self._named)
        fork._steps = list(self._steps)
        fork._again = dict(self._again)
        fork._doubted = set(self._doubted)
        fork._resends = self._resends.fork()
        fork._holders = dict(self._holders)
        fork._behind = {partition: list(waiting) for partition, waiting in self._behind.items()}
        fork._writers = dict(self._writers)
        fork._hanging = set(self._hanging)
        fork._readers = {partition: set(readers) for partition, readers in self._readers.items()}
        fork._first = dict(self._first)
        fork._unended = {written: dict(counts) for written, counts in self._unended.items()}
        fork._marked = dict(self._marked)
        fork._ended = {partition: list(ended) for partition, ended in self._ended.items()}
        fork._read_committed = set(self._read_committed)
        fork._unread = {partition: set(readers) for partition, readers in self._unread.items()}
        fork._released_at = dict(self._released_at)
        fork._ids = dict(self._ids)
        fork._left = set(self._left)
        fork._duplicates = dict(self._duplicates)
        fork._lost_requests = self._lost_requests.fork()
        fork._not_now = Counter(self._not_now)
        fork._to_retry = set(self._to_retry)
        fork._completing = dict(self._completing)
        fork._begun = set(self._begun)
        fork._early = set(self._early)
        fork._refused = set(self._refused)
        fork._ids_wanted = self._ids_wanted
        fork._recent = self._recent.fork()
        return fork

    def to_json(
        self,
        past: Sequence[Beat] = (),
        until: int = 0,
        by_hand: Collection[int] = (),
        known: Sequence[Event] | None = None,
    ) -> list[Beat]:
        """The beats. ``past`` and ``known``: the beats and the events of the run without the interventions,
        whose steps are the same up to number ``until``. ``by_hand``: the numbers of the steps that carry out
        interventions. A past beat that lands by ``until`` keeps its number and its title."""
        if not self._steps:
            return []
        end = len(self._steps)
        repeats = repeats_in(self._steps)
        openings = _openings(self._steps, repeats, self._named, by_hand)
        weighty = [one for one in openings if _is_event(one)]
        self.events = [
            {"step": self._steps[one.at].number, "kind": one.opener.name} for one in weighty[:EVENTS_MAX]
        ]
        if not past:
            return self._level(0, end, openings, repeats)
        until = min(until, self._steps[-1].number)
        kept = self._kept(past, until, repeats)
        start = kept[-1]["last"] if kept else 0
        later = [one for one in openings if one.at >= start]
        if known is not None:
            kinds = [one["kind"] for one in known if one["step"] > until]
            later = _with_new(later, kinds, until - self._steps[0].number + 1)
        later = _recurring(past[len(kept) :], later)
        if not later:
            return [*kept[:-1], self._until(kept[-1], self._steps[-1].number, repeats)] if kept else []
        later = _consequences(later)
        room = max(MOST, len(past)) - len(kept)
        matter = 1 + sum(_stays(one) > 0 for one in later[1:])
        if matter > room and len(later) > 1 and later[1].by_hand and not self._has_led(later[0], until):
            later = later[1:]
        if kept:
            later = _from(start, later)
        most = room if matter <= room else max(room, BEHIND_MOST)
        behind = self._level(start, end, later, repeats, most, nests=True, before=kept)
        beats = _numbered([*kept, *(behind if len(kept) < KEPT_MOST else [_around(behind)])])
        if len(beats) > MOST:
            before: list[Beat] = [{**beat, "kept": True} for beat in beats[: len(kept)]]
            beats = [*before, *beats[len(kept) :]]
        return self._marked_added(beats, later, past, until)

    def _has_led(self, one: Opened, until: int) -> bool:
        """Whether the opening has led by the step with this number to what its title says."""
        steps = self._steps[one.at : until]
        return not one.opener.lands or any(_leads_to(one, step) for step in steps)

    def _marked_added(
        self, beats: list[Beat], openings: Sequence[Opened], past: Sequence[Beat], until: int
    ) -> list[Beat]:
        """The beats, with ``added`` on those that are worth a look after an intervention."""
        titles = {(beat.get("kind"), beat["key"]) for beat in past}
        kinds = {kind for kind, _ in titles}
        came = {(self._steps[one.at].number, one.opener.name) for one in openings if _is_added(one)}

        def is_one(beat: Beat) -> bool:
            kind = beat.get("kind")
            if beat["key"].startswith(BROKEN_TITLE) or any((at, kind) in came for at in _numbers(beat)):
                return True
            return beat["last"] > until and kind in kinds and (kind, beat["key"]) not in titles

        return [{**beat, "added": True} if is_one(beat) else beat for beat in beats]

    def _added(self, beats: list[Beat], openings: Sequence[Opened]) -> list[Beat]:
        """The beats, with ``added`` on those that an intervention caused."""
        heavy = {self._steps[one.at].number for one in openings if _is_added(one)}
        return [{**beat, "added": True} if beat["first"] in heavy else beat for beat in beats]

    def _kept(self, past: Sequence[Beat], until: int, repeats: Repeats) -> list[Beat]:
        return [
            self._until(beat, min(beat["last"], until), repeats) for beat in past if beat["lands"] <= until
        ]

    def _until(self, beat: Beat, last: int, repeats: Repeats) -> Beat:
        if last == beat["last"]:
            return beat
        cut: Beat = {**beat, "last": last, "lines": []}
        steps = self._steps[beat["first"] - 1 : last]
        if inside := self._kept(beat.get("beats", []), last, repeats):
            cut["beats"] = [*inside[:-1], self._until(inside[-1], last, repeats)]
        elif len(lines := self._lines(steps, beat["lands"], repeats)) > LINES_MOST:
            cut["beats"] = self._parts(beat["first"] - 1, last, repeats)
        else:
            cut.pop("beats", None)
            cut["lines"] = lines
        return cut

    # -- levels ----------------------------------------------------------------------------------------

    def _level(
        self,
        start: int,
        end: int,
        openings: list[Opened],
        repeats: Repeats,
        most: int = MOST,
        nests: bool = False,
        before: Sequence[Beat] = (),
    ) -> list[Beat]:
        """At most ``most`` beats of the steps from index ``start`` up to, not including, ``end``. ``nests``:
        what an intervention caused gets beats inside a beat. ``before``: the earlier beats of the level."""
        if not openings or openings[0].at > start + STARTS_WITHIN:
            openings = [Opened(start, START, {}, START.weight), *openings]
        openings = _from(start, openings)
        chosen = _chosen(openings, end, most, repeats.lengths)
        for place in range(1, len(chosen)):
            chosen[place] = self._from_request(chosen[place - 1], chosen[place], openings, repeats)
        ends = [beat.at for beat in chosen[1:]] + [end]
        within = [
            [one for one in openings if beat.at + beat.lead < one.at < stop]
            for beat, stop in zip(chosen, ends, strict=True)
        ]
        beats = [
            self._beat(number, beat, stop, inside, end - start, repeats, nests)
            for number, (beat, stop, inside) in enumerate(zip(chosen, ends, within, strict=True), 1)
        ]
        self._divide_transactions(beats, chosen, ends, within, repeats)
        return _distinguished(before, self._with_passed(beats, start, openings, chosen, repeats))

    def _divide_transactions(
        self,
        beats: list[Beat],
        chosen: Sequence[Opened],
        ends: Sequence[int],
        within: Sequence[list[Opened]],
        repeats: Repeats,
    ) -> None:
        """If a reader would pass, from one beat to the next, over the records of a transaction and over the decision
        about it, divide the beats that hold these. ``within``: the other openings inside each beat."""
        of = self._steps[0].number
        for place in range(1, len(beats)):
            before, after = beats[place - 1], beats[place]
            if "beats" in before or "beats" in after or {before["kind"], after["kind"]} & ROUND_KINDS:
                continue
            wrote = [
                one
                for one in within[place - 1]
                if one.opener.name in FIRST_WRITES and one.at > before["lands"] - of
            ]
            first = next((one for one in wrote if self._is_reached(one, ends[place - 1])), None)
            outcome = next((one for one in within[place] if one.ends), None)
            if first is None or outcome is None or chosen[place].opener.name not in ASKED_FOR:
                continue
            for at, then in ((place - 1, first), (place, outcome)):
                own = [chosen[at], then]
                inside = [one for one in within[at] if one is not then]
                parts = self._parts_of(own, ends[at], inside, repeats)
                lands = beats[at]["lands"]
                beats[at]["beats"] = [
                    part if part["lands"] == lands else {**part, "added": True} for part in parts
                ]
                beats[at]["lines"] = []

    def _is_reached(self, one: Opened, stop: int) -> bool:
        return any(_leads_to(one, step) for step in self._steps[one.at : stop])

    def _parts_of(
        self, parts: Sequence[Opened], end: int, others: Sequence[Opened], repeats: Repeats
    ) -> list[Beat]:
        """The parts of a divided beat. ``others``: the openings inside it that open none of them."""
        stops = [*(one.at for one in parts[1:]), end]
        start = parts[0].at
        beats = [
            self._beat(number, one, stop, [], end - start, repeats)
            for number, (one, stop) in enumerate(zip(parts, stops, strict=True), 1)
        ]
        return self._with_passed(beats, start, [*parts, *others], parts, repeats)

    def _with_passed(
        self,
        beats: list[Beat],
        start: int,
        openings: Sequence[Opened],
        chosen: Sequence[Opened],
        repeats: Repeats,
    ) -> list[Beat]:
        """The beats of a level, each with ``passed``: what happens before its step and opens no beat.
        ``start``: the index of the level's first step. ``chosen``: the openings of the beats."""
        own = {at for one in chosen for at in _opens_at(one)}
        weighed = [
            replace(one, weight=max(one.weight, one.opener.weight))
            if one.opener.name in FIRST_WRITES
            else one
            for one in openings
        ]
        others = [one for one in weighed if one.weight >= PASSED_FROM and own.isdisjoint(_opens_at(one))]
        opens = [replace(one, weight=PASSED_FROM) for one in chosen if one.weight >= HEAVY]
        number = self._steps[0].number
        seen = start - 1
        found: list[Beat] = []
        for beat in beats:
            lands = beat["lands"] - number
            between = [one for one in (*others, *opens) if seen < one.at + one.lead < lands]
            heaviest = sorted(between, key=lambda one: (-one.weight, one.opener is RETRIES))
            passed: dict[int, Passed] = {}
            for one in heaviest:
                if len(passed) == PASSED_MOST:
                    break
                titled = self._passed(one, lands, repeats)
                if (titled["key"] != beat["key"] or one.size) and not _is_implied(titled, beat):
                    passed.setdefault(titled["step"], titled)
            counted = any(one["key"] in COUNT_RECORDS for one in (*found[-1:], *passed.values()))
            if (
                not counted
                and len(passed) < PASSED_MOST
                and (unnamed := self._stored(seen + 1, beat["first"] - number))
            ):
                passed.setdefault(unnamed["step"], unnamed)
            unsaid: list[Passed] = [
                one if place < PASSED_FIRST else {**one, "lesser": True}
                for place, one in enumerate(passed.values())
            ]
            found.append({**beat, "passed": sorted(unsaid, key=itemgetter("step"))} if unsaid else beat)
            seen = max(seen, lands)
        if found[-1]["last"] == self._steps[-1].number and (after := self._completed(seen + 1)):
            found[-1] = {**found[-1], "after": after}
        return found

    def _completed(self, start: int) -> list[Passed]:
        """The transactions that the coordinators complete from the step with index ``start`` on, the last ones."""
        found: dict[str, Passed] = {}
        for step in self._steps[start:]:
            for said in said_in([step], "coordinator.image_durable"):
                if said["state"] in COMPLETE:
                    named = {name: said[name] for name in ("transactional_id", "state")}
                    found[named["transactional_id"]] = {
                        "step": step.number,
                        "key": "beat.completed",
                        "params": named,
                    }
        return list(found.values())[-PASSED_MOST:]

    def _passed(self, one: Opened, stop: int, repeats: Repeats) -> Passed:
        """The opening as an entry of ``passed``. ``stop``: the index of the step before which it has
        happened."""
        opened = replace(one, at=one.at + one.lead, lead=0)
        steps = self._steps[opened.at : stop]
        title, params = title_of(self._kind(opened, steps), one.params, steps, self._consumers)
        step = self._lands(opened, steps, repeats).number
        return {"step": step, "key": f"beat.{title}", "params": which_named(params, is_needed=False)}

    def _stored(self, start: int, stop: int) -> Passed | None:
        """The records that one client stores in these steps; None if no client or several clients store
        records."""
        steps = self._steps[max(start, 0) : stop]
        stored = list(said_in(steps, *STORED))
        clients = {said.get("client") for said in stored}
        if len(clients) != 1 or (client := clients.pop()) in (None, Crafter.name):
            return None
        params = {
            "client": client,
            "count": sum(said["record_count"] or 0 for said in stored),
            "partitions": sorted({said["partition"] for said in stored}),
            WHICH: "",
        }
        last = next(step for step in reversed(steps) if not step.said.isdisjoint(STORED))
        return {"step": last.number, "key": "beat.sends_into", "params": params}

    def _from_request(
        self, before: Opened, one: Opened, openings: Sequence[Opened], repeats: Repeats
    ) -> Opened:
        """The opening ``one``, begun where the client sends its request, if that moves nothing else."""
        if one.opener.name not in ASKED_FOR or one.lead:
            return one
        since = max(opening.at + opening.lead for opening in openings if opening.at < one.at)
        for at in range(one.at - 1, since, -1):
            if any(said["api"] == "EndTxn" for said in said_in([self._steps[at]], *REQUESTS)):
                long, short = (self._steps[before.at : stop] for stop in (one.at, at))
                stays = self._lands(before, short, repeats) is self._lands(before, long, repeats)
                return _begun(one, at) if stays else one
        return one

    def _beat(
        self,
        number: int,
        beat: Opened,
        stop: int,
        inside: list[Opened],
        level: int,
        repeats: Repeats,
        nests: bool = False,
    ) -> Beat:
        steps = self._steps[beat.at : stop]
        opened, beat = beat, _by_first_write(_by_outcome(beat, steps), inside, steps)
        lands = self._lands(beat, steps, repeats)
        kind = self._kind(beat, steps)
        title, params = title_of(kind, beat.params, steps, self._consumers)
        if title in SHARED and self._is_shared(params["consumer"], steps):
            title = SHARED[title]
        shown: Beat = {
            "number": number,
            "first": steps[0].number,
            "last": steps[-1].number,
            "lands": lands.number,
            "key": f"beat.{title}",
            "params": params,
            "kind": kind,
            "lines": [],
        }
        also = also_in(kind, params, steps, lands)
        if title in LEADS or also:
            shown["says"] = sentence_of(title)
        if also:
            shown["also"] = also
        if beat.opener in (BEHIND, BEHIND_HANGING) and lands.held_by is not None:
            shown["because"] = {"key": WAITS, "params": dict(lands.held_by)}
        lines = self._lines(steps, lands.number, repeats)
        is_long = (
            repeats.length(beat.at, stop) >= NESTED_FROM
            or sum(line["key"] is None for line in lines) > INFORMATIVE_MOST
        )
        if not is_long:
            inside = [one for one in inside if _is_added(one) or one.weight >= LIGHT]
        is_changed = nests and any(_is_added(one) and one.opener is not opened.opener for one in inside)
        if is_changed or (is_long and len(inside) >= 2 and len(steps) < level):
            within = sorted([beat.origin or opened, *inside], key=attrgetter("at"))
            within = _from(beat.at, within)
            level_inside = self._level(beat.at, stop, within, repeats)
            if is_long or len(level_inside) > 1:
                shown["beats"] = level_inside
                if is_changed:
                    own = steps[beat.lead].number
                    shown["beats"] = self._added(
                        level_inside, [one for one in within if one.opener is not opened.opener]
                    )
                    if not any(_leads_to(beat, step) for step in steps):
                        shown["lands"] = next(one["lands"] for one in level_inside if one["last"] >= own)
                return shown
        if len(lines) > LINES_MOST:
            shown["beats"] = self._parts(beat.at, stop, repeats)
        else:
            shown["lines"] = lines
        return shown

    def _is_shared(self, reader: str, steps: Sequence[BeatStep]) -> bool:
        """Whether another consumer gets, anywhere in the run, records that the reader gets in these steps."""
        got = [said for said in said_in(steps, DELIVERS) if said["consumer"] == reader]
        return any(
            other["consumer"] != reader
            and any(
                other["partition"] == said["partition"]
                and other["position"] - other["count"] < said["position"]
                and other["position"] > said["position"] - said["count"]
                for said in got
            )
            for other in said_in(self._steps, DELIVERS)
        )

    def _parts(self, start: int, end: int, repeats: Repeats) -> list[Beat]:
        """Divide a beat with too many lines into even parts."""
        size = -(-repeats.length(start, end) // MOST)
        lengths = repeats.lengths
        parts: list[Beat] = []
        at = start
        while at < end:
            stop = min(bisect_right(lengths, lengths[at] + size) - 1, end)
            params = {"first": self._steps[at].number, "last": self._steps[stop - 1].number}
            part = Opened(at, PART, params, 0)
            parts.append(self._beat(len(parts) + 1, part, stop, [], end - start, repeats))
            at = stop
        return parts

    def _lines(self, steps: Sequence[BeatStep], lands: int, repeats: Repeats) -> list[BeatLine]:
        at = steps[0].number - self._steps[0].number
        return lines_of(steps, lands, repeats.within[at : at + len(steps)])

    def _lands(self, beat: Opened, steps: Sequence[BeatStep], repeats: Repeats) -> BeatStep:
        if beat.opener is OUTCOME and (released := released_in(steps)):
            return released[-1]
        if beat.opener is READ_AFTER_MARKER:
            return read_in(steps)[-1]
        if beat.opener in (BEHIND, BEHIND_HANGING):
            who = beat.params["client"], steps[beat.lead].params["partition"]
            return next((step for step in reversed(steps) if held_in(step, *who)), steps[beat.lead])
        if beat.opener.name == "message_lost" and len(dropped := middleware_titles.votes_dropped(steps)) > 1:
            return dropped[-1]
        if (broken := next((step for step in steps if step.broken), None)) is not None:
            return broken
        if beat.opener.name in GATHERED:
            at = steps[beat.lead].time
            return [step for step in steps if step.opener is beat.opener and step.time == at][-1]
        if beat.opener is REPEATS:
            repeat = next(one for one in repeats.stretches if one.at == beat.at + beat.lead)
            within = self._steps[repeat.at : repeat.stop]
            return next(step for step in reversed(within) if step.key == repeat.ends)
        found = [step for step in steps if _leads_to(beat, step)]
        if found:
            return next(step for step in reversed(found) if marker_in(step) == marker_in(found[0]))
        opening = steps[beat.lead]
        if beat.opener.stretch:
            return next((step for step in reversed(steps) if step.stands_out), opening)
        return opening

    @staticmethod
    def _kind(beat: Opened, steps: Sequence[BeatStep]) -> str:
        opener = beat.opener
        if opener.unless and not any(_leads_to(beat, step) for step in steps):
            return opener.unless
        return opener.name


def _is_implied(passed: Passed, beat: Beat) -> bool:
    """Whether the beat's title, which counts the records of a client, implies that this client begins or sends."""
    if beat["key"] not in COUNT_RECORDS or passed["key"] not in IMPLIED:
        return False
    return beat["params"].get("client") == passed["params"].get("client")


def _opens_at(one: Opened) -> set[int]:
    """The indices of the steps that open the beat; two if it joins two openings."""
    joined = one if one.origin is None else one.origin
    return {one.at + one.lead, joined.at + joined.lead}


def _weight(step: BeatStep) -> float:
    return 0 if step.opener is None else step.opener.weight


def _by_outcome(beat: Opened, steps: Sequence[BeatStep]) -> Opened:
    """The beat; one that begins with a decision and contains its outcome gets the title of the outcome."""
    if beat.opener.name in DECIDE and released_in(steps):
        return replace(beat, opener=OUTCOME, params={})
    return beat


def _by_first_write(beat: Opened, inside: Sequence[Opened], steps: Sequence[BeatStep]) -> Opened:
    """The beat; if its producer gets its identity and then stores records, with the title of the records."""
    if beat.opener.name not in OWN_IDENTITY:
        return beat
    for one in inside:
        if one.opener.name in FIRST_WRITES and one.params["client"] == beat.params["client"]:
            lead = one.at - beat.at
            if any(_leads_to(one, step) for step in steps[lead:]):
                return replace(beat, opener=one.opener, params=one.params, lead=lead)
            return beat
    return beat


def _around(beats: list[Beat]) -> Beat:
    return {**beats[0], "last": beats[-1]["last"], "lines": [], "beats": beats}


def _from(start: int, openings: list[Opened]) -> list[Opened]:
    """The openings, the first of which begins its beat at ``start``."""
    return [_begun(openings[0], start), *openings[1:]]


def _begun(one: Opened, start: int) -> Opened:
    """The opening, whose beat begins at ``start``."""
    return replace(one, at=start, lead=one.lead + one.at - start)


def _with_new(openings: list[Opened], known: Sequence[str], since: int) -> list[Opened]:
    """The openings; ``new`` is False for an event that ``known`` has, too. ``known``: the kinds of the events
    in the run without the intervention, in order. ``since``: the index of the first step that may be new."""
    weighty = [
        at for at, one in enumerate(openings) if one.at >= since and _is_event(one) and not one.by_hand
    ]
    kinds = [_event(openings[at].opener.name) for at in weighty]
    again = {weighty[place] for place in _again(list(map(_event, known)), kinds, eq)}
    return [replace(one, new=one.at >= since and at not in again) for at, one in enumerate(openings)]


def _is_event(one: Opened) -> bool:
    return one.opener.weight >= HEAVY or one.opener is REQUEST_AGAIN


def _event(kind: str) -> str:
    return SAME_KIND.get(kind, kind)


def _distinguished(before: Sequence[Beat], beats: list[Beat]) -> list[Beat]:
    """The beats and the parts of divided ones; those of one title that are about different records name these.
    ``before``: earlier beats, which keep their titles."""
    titles = Counter(_title(beat) for beat in (*before, *beats))
    for beat in beats:
        # A part about the same as its whole beat has the same title.
        parts = [part for part in beat.get("beats", ()) if RECORDS in part["params"]]
        titles.update(_title(part) for part in parts if part["lands"] != beat["lands"])

    def named(beat: Beat) -> Beat:
        params = which_named(beat["params"], is_needed=titles[_title(beat)] > 1)
        shown: Beat = {**beat, "params": params}
        return {**shown, "beats": list(map(named, beat["beats"]))} if "beats" in beat else shown

    return list(map(named, beats))


def _title(beat: Beat) -> str:
    """The text of the title, without the names of records."""
    params = {**beat["params"], WHICH: ""} if WHICH in beat["params"] else beat["params"]
    return sentence(beat["key"], which_named(params, is_needed=False))


def _stored_by(taken: BeatStep, step: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """(partition, serial) of each record that a leader appends in this step."""
    if taken.said.isdisjoint(STORED):
        return ()
    return tuple(
        (change["path"][1], serial)
        for change in step["changes"]
        if change["path"][0] == "partitions"
        and change["path"][4:5] == ["batches"]
        and len(change["path"]) == 6
        for serial in change.get("after", {}).get("serials", ())
    )


def _numbers(beat: Beat) -> range:
    return range(beat["first"], beat["last"] + 1)


def _is_added(one: Opened) -> bool:
    """Whether an intervention caused the opening, and it is worth a beat inside another one. An unusual one is, even
    if it is not the first of its kind in the run."""
    if not one.new:
        return one.by_hand
    is_heavy = one.weight >= HEAVY or (one.opener.weight >= RARE and not one.opener.later)
    return one.by_hand or is_heavy or one.opener is REQUEST_AGAIN or one.opener.name in LAST_WORDS


def _consequences(openings: list[Opened]) -> list[Opened]:
    """The openings; ``consequence`` is True for the first one that each intervention caused. If that is a request
    that timed out, it is also True for the next one, for example the retry."""
    found: list[Opened] = []
    awaited = False
    for one in openings:
        first = awaited and not one.by_hand and _is_added(one)
        awaited = one.by_hand or (awaited and (not first or one.opener.name in TIMES_OUT))
        found.append(replace(one, consequence=True) if first else one)
    return found


def _recurring(past: Sequence[Beat], openings: list[Opened]) -> list[Opened]:
    """The openings; ``recurs`` is True for those that past beats are about."""
    if any(beat.get("kind") in ROUND_KINDS for beat in past):
        return openings
    found = _again(past, openings, lambda beat, one: not one.by_hand and _is_again(beat, one))
    return [
        replace(one, recurs=True, weight=max(one.weight, one.opener.weight)) if at in found else one
        for at, one in enumerate(openings)
    ]


def _again(before: Sequence[Of], now: Sequence[To], same: Callable[[Of, To], bool]) -> set[int]:
    """The indices of ``now`` at which something of ``before`` happens again: a longest common sequence of the
    first EVENTS_MAX of each, and then what is left, in any order."""
    first, then = before[:EVENTS_MAX], now[:EVENTS_MAX]
    longest = [[0] * (len(then) + 1) for _ in range(len(first) + 1)]
    for i in reversed(range(len(first))):
        for j in reversed(range(len(then))):
            in_order = longest[i + 1][j + 1] + 1 if same(first[i], then[j]) else 0
            longest[i][j] = max(in_order, longest[i + 1][j], longest[i][j + 1])
    found: dict[int, int] = {}
    i = j = 0
    while longest[i][j]:
        if same(first[i], then[j]) and longest[i][j] == longest[i + 1][j + 1] + 1:
            found[j] = i
            i, j = i + 1, j + 1
        elif longest[i + 1][j] == longest[i][j]:
            i += 1
        else:
            j += 1
    placed = set(found.values())
    for one in (one for i, one in enumerate(before) if i not in placed):
        again = (at for at, other in enumerate(now) if at not in found and same(one, other))
        if (at := next(again, None)) is not None:
            found[at] = -1
    return set(found)


def _is_again(beat: Beat, one: Opened) -> bool:
    kind = beat.get("kind")
    if kind == OUTCOME.name and one.results:
        return RELEASED.get(beat["key"]) in (*one.results, None)
    if kind not in (one.opener.name, one.opener.unless, SAME_KIND.get(one.opener.name)):
        return False
    params = beat["params"]
    return all(params[name] == one.params[name] for name in ABOUT if name in params and name in one.params)


def _numbered(beats: list[Beat]) -> list[Beat]:
    return [{**beat, "number": number} for number, beat in enumerate(beats, 1)]


# -- what opens -----------------------------------------------------------------------------------------


def _opening(key: str, step: Mapping[str, Any]) -> tuple[Opener | None, dict[str, Any]]:
    """The opener of a step and the parameters of its title; (None, {}) if there is none."""
    for broken in step["broken"]:
        opener = BROKEN.get(broken["guarantee"])
        if opener is not None:
            return opener, _params(opener, {**step["params"], "partition": broken["partition"]}, step)
    found: Opener | None = None
    given: Mapping[str, Any] = {}
    for said_key, said in ((key, step), *((note["key"], note) for note in step["notes"])):
        opener = DAMAGE if said_key.startswith("log.damage.") else BY_KEY.get(said_key)
        if opener is None or not _applies(opener, step["kind"], said["params"]):
            continue
        if found is None or opener.weight > found.weight:
            found, given = opener, said["params"]
    refusal = step["refusal"]
    if refusal is not None and (found is None or found.weight < REFUSED.weight):
        found = _refusing(step, refusal["error"])
        given = {**step["params"], "error": refusal["error"], "actor": _refuser(step, refusal["error"])}
    if found is None:
        return None, {}
    return found, _params(found, given, step)


def _applies(opener: Opener, kind: str, params: Mapping[str, Any]) -> bool:
    if opener.step and opener.step != kind:
        return False
    if opener.apis and params.get("api") not in opener.apis:
        return False
    return not opener.when or bool(params.get(opener.when))


def _refuser(step: Mapping[str, Any], error: str) -> str:
    """The component that refuses: the step's actor, or another one that the step names with this error."""
    said = [one["params"] for one in (step, *step["notes"]) if one["params"].get("error") == error]
    named = [one.get("coordinator") or one.get("broker") for one in said]
    refusers = [name for name in named if name is not None]
    actor: str = step["actor"]
    return actor if actor in refusers or not refusers else refusers[0]


def _refusing(step: Mapping[str, Any], error: str) -> Opener:
    if step["kind"] == "api_call":
        return CALL_REFUSED
    if error == "NOT_EXPECTED":
        return IGNORED
    return NOT_NOW if error in RETRIED else REFUSED


def _params(opener: Opener, given: Mapping[str, Any], step: Mapping[str, Any]) -> dict[str, Any]:
    known = {"actor": step["actor"], **given}
    return {name: known.get(name) for name in opener.params}


def _openings(
    steps: Sequence[BeatStep], repeats: Repeats, named: Mapping[str, int], by_hand: Collection[int] = ()
) -> list[Opened]:
    """The steps that could open a beat, with their weights. ``named``: as :class:`Beats` has them.
    ``by_hand``: the numbers of the steps that carry out interventions."""
    found: list[Opened] = []
    counts: dict[str, int] = {}
    seen: set[str] = set()
    """The names of the openings so far, or since the newest intervention."""
    last: dict[str, Any] = {}
    released: set[str] = set()
    """The partitions whose last stable offset has advanced. The first advance of each partition has the full
    weight."""
    first = {repeat.at: repeat for repeat in repeats.stretches}
    repeated: dict[str, Any] | None = None
    """The refusal of the newest repeats. It opens no further beat."""
    for index, step in enumerate(steps):
        if index in first:
            found.append(Opened(index, REPEATS, title_params(steps, first[index]), REPEATS.weight))
        opener = step.opener
        if step.number in by_hand:
            seen.clear()
        if opener is None:
            continue
        if repeats.within[index]:
            repeated = step.opener_params if opener.name == NOT_NOW.name else repeated
            continue
        if opener.name == NOT_NOW.name and step.opener_params == repeated:
            continue
        before = found[-1] if found else None
        data = {name for name, _ in step.released if not is_internal(name)}
        anew = data - released
        if before is not None and before.opener.name == opener.name and before.params == step.opener_params:
            before.ends = before.ends or _is_end(step, opener)
            released |= anew
            continue
        subject = (step.opener_params, step.params.get(opener.subject))
        if opener.once and last.get(opener.name) == subject:
            continue
        if before is not None and _keeps_order(before, opener, steps, index):
            continue
        if before is not None and _stores_again(before, opener, step):
            continue
        if before is not None and (_belongs_to(before, opener) or _at_once(before, opener, steps, index)):
            continue
        if before is not None and _asks_meanwhile(before, opener, steps, index):
            found[-1] = Opened(before.at, IDENTITIES, {}, before.weight)
            continue
        if before is not None and opener.weight < LIGHT and _is_awaited(before, steps, index):
            continue
        if opener.weight >= RESETS:
            last.clear()
        last[opener.name] = subject
        counts[opener.name] = counts.get(opener.name, 0) + 1
        is_first = bool(anew) or (opener.name not in seen and (opener is not OUTCOME or not released))
        released |= anew
        if step.number not in by_hand:
            seen.add(opener.name)
        weight = _weighed(opener, is_first, step, steps[index - 1] if index else step)
        if counts[opener.name] <= named.get(opener.name, 0):
            weight = max(weight, NAMED)
        found.append(_opened(index, opener, step, weight, counts[opener.name], by_hand))
    heaviest = max((one.opener.weight for one in found if one.opener.name not in DECIDE), default=0)
    if heaviest >= RARE:
        return [_amid_unusual(one) if one.opener.amid_unusual else one for one in found]
    if heaviest < NOTABLE and _count(steps, ENDED_BY_CALL) == 1 == _count(steps, COMPLETED):
        return [replace(one, weight=one.opener.single or one.weight) for one in found]
    return found


def _count(steps: Sequence[BeatStep], names: Collection[str]) -> int:
    """How many of the steps could open a beat of these kinds."""
    return sum(step.opener is not None and step.opener.name in names for step in steps)


def _opened(
    index: int, opener: Opener, step: BeatStep, weight: float, count: int, by_hand: Collection[int]
) -> Opened:
    return Opened(
        index,
        opener,
        step.opener_params,
        weight,
        count,
        size=step.params.get(opener.size) or 0,
        results=frozenset(result for name, result in step.released if not is_internal(name)),
        ends=_is_end(step, opener),
        by_hand=step.number in by_hand,
        breaks=bool(by_hand and step.broken),
    )


def _weighed(opener: Opener, is_first: bool, step: BeatStep, previous: BeatStep) -> float:
    """The weight of an opening. ``is_first``: of its kind."""
    weight = opener.weight if is_first else opener.later or opener.weight / 2
    if opener.name in TIMES_OUT and step.time - previous.time >= WAITED:
        weight = max(weight, WAITED_OUT)
    return weight + 9 if step.broken else weight


def _is_end(step: BeatStep, opener: Opener) -> bool:
    """Whether a beat of this opener shows what becomes of a transaction."""
    if opener is not OUTCOME and opener.name not in DECIDE:
        return False
    return any(result and not is_internal(partition) for partition, result in step.released)


def _amid_unusual(one: Opened) -> Opened:
    return replace(one, weight=one.weight * one.opener.amid_unusual / one.opener.weight)


def _belongs_to(before: Opened, opener: Opener) -> bool:
    """Whether the step continues the beat before it and opens none."""
    if opener.name == "identity_given":
        return before.opener.name in IDENTITY_NAMES
    if opener.name == "coordinator_not_reached":
        return before.opener.name == "gives_up_waiting"
    if opener.name == "marker_sent_again":
        return before.opener.name == "markers_resent"
    if opener.name == "readers_wait":
        return before.opener is HANGS
    if opener.name == "tool_aborted":
        return before.opener is LET_GO
    if opener.name == "begins_anew":
        return before.opener.name == "restarts"
    return opener.name == "resumes" and before.opener is TAKEOVER


def _keeps_order(before: Opened, opener: Opener, steps: Sequence[BeatStep], index: int) -> bool:
    """Whether the client holds back or sends other batches at the moment at which it resends one."""
    if before.opener.name != "sends_again" or opener.name not in WITH_A_RESEND:
        return False
    return steps[before.at].time == steps[index].time


def _stores_again(before: Opened, opener: Opener, step: BeatStep) -> bool:
    """Whether the marker that the step stores is the one that the beat before it sends again."""
    if before.opener.name != "markers_resent" or opener.name != "markers":
        return False
    return any(said["partition"] in before.params["partitions"] for said in said_in([step], *MARKED))


def _at_once(before: Opened, opener: Opener, steps: Sequence[BeatStep], index: int) -> bool:
    if before.opener is not opener or opener.name not in GATHERED:
        return False
    return all(step.opener is opener for step in steps[before.at : index])


def _asks_meanwhile(before: Opened, opener: Opener, steps: Sequence[BeatStep], index: int) -> bool:
    """Whether a second producer requests its identity before the first one has its own."""
    if not {before.opener.name, opener.name} <= IDENTITY_NAMES:
        return False
    return not any(_leads_to(before, step) for step in steps[before.at : index])


def _leads_to(beat: Opened, step: BeatStep) -> bool:
    """Whether the beat leads to this step (``Opener.lands``)."""
    if beat.opener.name in RESENDS and beat.params["client"] not in step.resent:
        return False
    return not step.said.isdisjoint(beat.opener.lands) and any(
        key in beat.opener.lands and _is_of_same(beat.params, params) for key, params in step.sentences
    )


def _is_of_same(params: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    return all(said.get(name, params[name]) == params[name] for name in WHOSE if name in params)


def _is_awaited(beat: Opened, steps: Sequence[BeatStep], index: int) -> bool:
    """Whether the beat still waits for the step to which it leads, which comes soon."""
    if not beat.opener.lands or any(_leads_to(beat, step) for step in steps[beat.at + 1 : index]):
        return False
    for step in steps[index : index + NESTED_FROM]:
        if _leads_to(beat, step):
            return True
        if step.opener is not None and step.opener.weight >= LIGHT:
            return False
    return False


# -- which of them are beats ------------------------------------------------------------------------------


def _chosen(openings: list[Opened], end: int, most: int, lengths: Sequence[int]) -> list[Opened]:
    """The openings of one level, up to index ``end``: rounds, or those that are left when the cheapest
    (``_loss``) are merged. ``lengths``: as :class:`Repeats` has them."""
    steps = lengths[end] - lengths[openings[0].at]
    recurring = sum(_stays(one) > 0 for one in openings)
    most = min(most, max(2, recurring, 2 + steps // (3 if steps > VERY_SHORT else 4)))
    rounds = None if recurring else _rounds(openings, most)
    if rounds is not None:
        return rounds
    chosen = _weightiest(openings)
    while len(chosen) > 1:
        # Equal neighbours are merged first, because that drops no other opening.
        losses = [
            0.0 if _is_same(before, one) else _loss(chosen, index, end, lengths)
            for index, (before, one) in enumerate(pairwise(chosen), 1)
        ]
        least = min(losses)
        if least > 0 and len(chosen) <= most and (len(chosen) <= ENOUGH or least >= LIGHT):
            break
        place = losses.index(least) + 1
        if chosen[place].ends and _can_hold_end(chosen[place - 1]):
            chosen[place - 1] = replace(chosen[place - 1], ends=True)
        if _is_larger(chosen[place], chosen[place - 1]):
            weight = max(chosen[place].weight, chosen[place - 1].weight)
            chosen[place - 1] = replace(_begun(chosen[place], chosen[place - 1].at), weight=weight)
        del chosen[place]
    return with_what_was_collected(chosen)


def with_what_was_collected(chosen: list[Opened]) -> list[Opened]:
    """If a beat collects records and the next one sends them, merge the two, as long as there are more than
    FEW beats."""
    merged = list(chosen)
    for place in range(len(merged) - 2, -1, -1):
        first, then = merged[place], merged[place + 1]
        if len(merged) <= FEW or first.opener.name != "collects" or then.opener.name != "sends":
            continue
        if first.params == then.params:
            lead = then.lead + then.at - first.at
            merged[place : place + 2] = [replace(then, at=first.at, lead=lead, origin=first)]
    return merged


def _weightiest(openings: list[Opened]) -> list[Opened]:
    """The first opening and the heaviest others, WEIGHED_MOST at most: comparing more takes too long."""
    if len(openings) <= WEIGHED_MOST:
        return list(openings)
    heaviest = sorted(openings[1:], key=lambda one: -one.weight)[: WEIGHED_MOST - 1]
    return [openings[0], *sorted(heaviest, key=lambda one: one.at)]


def _is_same(before: Opened, one: Opened) -> bool:
    """Whether one beat can hold two neighbours, because they have the same opener and parameters."""
    same = before.opener is one.opener and before.params == one.params
    return same and not (before.ends and one.ends) and not _stays(one)


def _is_larger(one: Opened, before: Opened) -> bool:
    """Whether one beat for both is about the later opening, because that is the larger one of its kind."""
    is_alike = (one.by_hand, one.recurs, one.breaks) == (before.by_hand, before.recurs, before.breaks)
    return is_alike and one.opener is before.opener and one.size > before.size


def _can_hold_end(before: Opened) -> bool:
    return before.opener.name in {*DECIDE, "markers_resent"} and not before.ends


def _loss(chosen: list[Opened], index: int, end: int, lengths: Sequence[int]) -> float:
    """What it costs to merge this beat into the previous one."""
    stop = chosen[index + 1].at if index + 1 < len(chosen) else end
    merged = lengths[stop] - lengths[chosen[index - 1].at]
    share = merged / (lengths[end] - lengths[chosen[0].at]) * MOST
    weight = chosen[index].weight
    is_last = index + 1 == len(chosen) and weight >= LAST_FROM
    longer: float = share ** (LAST_COUNTS if is_last else LENGTH_COUNTS)
    if chosen[index].ends and not _can_hold_end(chosen[index - 1]):
        weight = max(weight, FATE)
    return weight * max(1.0, longer) + _stays(chosen[index])


def _stays(one: Opened) -> float:
    """What is added to the cost of merging an opening in a changed run."""
    if one.breaks:
        return BREAKS
    if one.by_hand or one.consequence:
        return CHANGES
    return MATTERS if one.recurs or _is_added(one) else 0


def _rounds(openings: list[Opened], most: int) -> list[Opened] | None:
    """The openings of rounds, each for one round or several, with heavier openings between them. None: the
    run has no rounds that a level could show."""
    names = {one.opener.name for one in openings}
    name = next((name for name in CYCLES if name in names), None)
    cycles = [one for one in openings if one.opener.name == name]
    unusual = sum(one.opener.weight >= RARE for one in openings)
    if len(cycles) < CYCLES_FROM or unusual >= len(cycles):
        return None
    rare = sorted((one for one in openings if one.weight >= RARE), key=lambda one: -one.weight)[:RARE_MOST]
    intro = [openings[0]] if openings[0] is not cycles[0] else []
    fixed = {one.at: one for one in (*intro, *rare)}
    at_once = -(-len(cycles) // max(1, most - len(fixed)))
    chosen = list(fixed.values())
    for first in range(0, len(cycles), at_once):
        # Behind a heavier opening, the rounds belong to its beat.
        stop = min((at for at in fixed if at > cycles[first].at), default=cycles[-1].at + 1)
        chosen.append(_group([one for one in cycles[first : first + at_once] if one.at < stop]))
    return sorted(chosen, key=lambda one: one.at)


def _group(group: list[Opened]) -> Opened:
    """One beat for one round or several."""
    if len(group) == 1 and group[0].opener.name != "round":
        return replace(group[0], opener=TRANSACTION, params={"first": group[0].round})
    if len(group) == 1:
        return group[0]
    first, last = (one.params.get("round", one.round) for one in (group[0], group[-1]))
    if last > first:
        return Opened(
            group[0].at, ROUNDS[group[0].opener.name], {"first": first, "last": last}, 0, origin=group[0]
        )
    return Opened(group[0].at, MANY_ROUNDS, {"count": len(group)}, 0, origin=group[0])

"""Finds the opener of each step of a run: the one in ``openers.py`` whose sentence the step has, or another one if
earlier steps give the step another meaning. For example, an append opens another beat if the transaction of another
producer holds back its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.crafter import Crafter
from engine.lately import LOOKUPS, REQUESTS, LostRequests
from engine.topic_partition import is_internal, topic_of
from engine.transaction_lines import COMPLETE
from engine.view.beat_step import BeatStep, said_in
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
    DAMAGE,
    DOUBT_ENDS,
    FENCING_MARKER,
    HANGS,
    IGNORED,
    LEFT,
    LET_GO,
    MARKED,
    MEANWHILE,
    MUST_RETRY,
    NOT_NOW,
    NOT_YET,
    OUTCOME,
    RARE,
    READ_AFTER_MARKER,
    REFUSED,
    REGISTERED,
    REPORT_SUCCESS,
    REQUEST_AGAIN,
    RESETS,
    RETRIED,
    RETRIES,
    STORED,
    TAKEN_FOR_DUPLICATE,
    UNTIMELY,
    Opener,
)
from engine.view.repeats import RecentSentences
from engine.view.resends import RESULTS, Resends
from engine.view.titles import NEW

IDS_WANTED = frozenset({"client.producer_id_wanted", "client.init_transactions", "client.waits_producer_id"})
"""The sentences that say that a client wants a producer id. Only after the first of them does it matter to a reader
whether a broker has a block of ids."""
BOTH = "BOTH"
"""The result of several transactions that held the last stable offset back together, some committed and some
aborted."""
DECISIONS = {"coordinator.decides_commit": "CompleteCommit", "coordinator.decides_abort": "CompleteAbort"}
"""Dict of key of the sentence about a coordinator's decision → the state in which the transaction will be complete."""
WAITS = "broker.readers_wait_for_transaction"


@dataclass(frozen=True, slots=True)
class Ended:
    """A transaction in one partition that has its marker. ``first``: its first offset. ``marker`` and ``result``: the
    offset and the result of the marker. ``again``: the same marker was already stored, so this one ends no
    transaction."""

    first: int
    marker: int
    result: str
    again: bool = False
    records: tuple[tuple[str, int, tuple[int, ...]], ...] = ()
    """(client, number of records, serials) for the records of the transaction; empty if their clients are not known."""
    producer_id: Any = None


class StepOpeners:
    """Takes the steps of a run in order, as JSON (docs/frame.md)."""

    def __init__(self) -> None:
        self.steps: list[BeatStep] = []
        """The steps that were taken."""
        self._doubted: set[tuple[Any, Any]] = set()
        """(client, batch) for each batch of which the client cannot know whether it is stored. A batch leaves this set
        when its resend is appended, because the doubt is then no longer of interest."""
        self._resends = Resends()
        self._holders: dict[str, Mapping[str, Any]] = {}
        """Dict of partition → the parameters of the sentence ``WAITS`` about the open transaction that holds back
        read_committed consumers there."""
        self._behind: dict[str, list[tuple[int, Any, int]]] = {}
        """Dict of partition → (last offset, client, number of records) of each batch that is stored behind such a
        transaction and is not replicated yet."""
        self._outside: dict[str, list[tuple[int, Any, int]]] = {}
        """Dict of partition → (last offset, client, number of records) of each batch that is outside every transaction
        and is stored behind such a transaction."""
        self._writers: dict[tuple[str, Any], str] = {}
        """Dict of (partition, producer id) → the client whose records of this id were stored last."""
        self._hanging: set[str] = set()
        """The partitions in which a transaction hangs."""
        self._first: dict[tuple[str, Any], int] = {}
        """Dict of (partition, producer id) → the first offset that was stored since the newest marker of the producer
        id in the partition."""
        self._unended: dict[tuple[str, Any], dict[str, tuple[int, tuple[int, ...]]]] = {}
        """Dict of (partition, producer id) → dict of client → (number, serials) of the records that the client stored
        since the producer id's last marker there."""
        self._marked: dict[tuple[str, Any], tuple[Any, str]] = {}
        """Dict of (partition, producer id) → epoch and result of the newest marker of the producer id in the
        partition."""
        self._ended: dict[str, list[Ended]] = {}
        """Dict of partition → its transactions that have their marker and whose records are not readable yet."""
        self._read_committed: set[str] = set()
        """The consumers that fetch with this isolation level."""
        self._unread: dict[str, set[str]] = {}
        """Dict of partition whose last stable offset has advanced → the consumers that have got records of it since
        then."""
        self._released_at: dict[str, int] = {}
        """Dict of client → the virtual ms from which on consumers can get the records of the transaction that it
        commits."""
        self._ids: dict[str, str] = {}
        """Dict of client → its transactional id."""
        self._left: set[tuple[str, str]] = set()
        """(broker, client) of each ended connection whose requests the broker still handles, until it appends a
        batch of one of them."""
        self._duplicates: dict[tuple[Any, ...], int] = {}
        """Dict of (client, partition, base offset) → the index of the step in which a leader took a batch for a
        duplicate of the one at this offset."""
        self._lost_requests = LostRequests()
        self._not_now: Counter[str] = Counter()
        """Dict of error → the number of refusals with it that had a step of their own and that no client has received
        yet."""
        self._fencing: dict[str, Any] = {}
        """Dict of text ``<transactional id> ABORT`` → (transactional id, epoch of the marker), for each transaction
        that a coordinator aborts to fence a producer. The sentence ``markers.sent`` lists markers by such texts. An
        entry is removed when the marker is sent."""
        self._to_retry: set[tuple[Any, Any]] = set()
        """(client, API) of each request of a transaction manager that was refused and that waits to be sent again."""
        self._completing: dict[str, str] = {}
        """Dict of transactional id with a decided transaction → the state to which the transaction will be
        completed."""
        self._begun: set[str] = set()
        """The clients that have begun a transaction."""
        self._early: set[str | None] = set()
        """The transactional ids whose newest transaction began before the previous one was complete."""
        self._refused: set[str | None] = set()
        """The ids in ``_early`` whose partitions the coordinator has refused so far."""
        self._ids_wanted = False
        self._recent = RecentSentences()

    def take(self, step: Mapping[str, Any]) -> None:
        notes = step["notes"]
        key = step["key"]
        may_be_again = key in ("client.drained_plain", "client.drained_plain_again", "client.drained_mixed")
        if may_be_again and self._resends.drained(step["params"]):
            key = "client.drained_again"
        settled: list[Any] = []
        for said in (step, *notes):
            params = said["params"]
            batch = (params.get("client"), params.get("batch_id", params.get("batch")))
            if said["key"] == "client.requeued":
                self._doubted.add(batch)
            elif said["key"] in RESULTS:
                if batch in self._doubted and said["key"] in REPORT_SUCCESS:
                    settled.append(params["batch"])
                self._doubted.discard(batch)
        taken = BeatStep(
            number=step["number"],
            time=step["at"],
            actor=step["actor"],
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
        if key in NEW and not self._doubted.isdisjoint(self._resends.waiting(taken.params["client"])):
            taken.opener, taken.opener_params = MEANWHILE, {"client": taken.params["client"]}
        resent = self._resends.take(taken.sentences)
        taken.resent = tuple(client for client, _ in resent)
        self._doubted.difference_update(resent)
        self._look_for_requests_left(taken)
        self._look_for_requests_again(taken)
        self._look_for_retries(taken)
        self._look_for_early_begins(taken)
        self._look_for_fencing_markers(taken)
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
        self.steps.append(taken)

    def _look_for_held_records(self, taken: BeatStep, step: Mapping[str, Any]) -> None:
        for said in (step, *step["notes"]):
            params = said["params"]
            if said["key"] == WAITS:
                self._holders[params["partition"]] = params
            elif said["key"] == "broker.last_stable_offset_advanced":
                self._holders.pop(params["partition"], None)
                self._behind.pop(params["partition"], None)
                outside = self._outside.pop(params["partition"], [])
                passed = [one for one in outside if one[0] < params["last_stable_offset"]]
                self._outside[params["partition"]] = [one for one in outside if one not in passed]
                taken.freed += tuple((client, count) for _, client, count in passed)
        holder = self._holders.get(taken.params.get("partition", ""))
        if (
            taken.key in STORED
            and holder is not None
            and taken.params.get("producer_id") != holder["producer_id"]
        ):
            last = taken.params["base_offset"] + taken.params["record_count"] - 1
            waiting = self._behind.setdefault(taken.params["partition"], [])
            waiting.append((last, taken.params.get("client"), taken.params["record_count"]))
            if (client := taken.params.get("client")) not in (None, *self._ids):
                outside = self._outside.setdefault(taken.params["partition"], [])
                outside.append((last, client, taken.params["record_count"]))
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
        """Set the opener of a step from which on a transaction hangs, and of a step after which its partitions are
        readable again."""
        hangs = [one for one in step["broken"] if one["guarantee"] == "hanging"]
        partitions = [one["partition"] for one in hangs]
        self._hanging.update(partitions)
        by_its_batch = taken.opener is not None and taken.key in taken.opener.keys and taken.key in UNTIMELY
        if hangs and (by_its_batch or _weight(taken) < (RARE if step["refusal"] is None else RESETS)):
            partition, producer_id = partitions[0], hangs[0]["producer_id"]
            taken.opener = HANGS
            taken.opener_params = {
                "partitions": partitions,
                "owner": self._writers.get((partition, producer_id), f"PID {producer_id}"),
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
        """Set the opener of a request that a client sends again after a refusal. The refusal itself opens only one
        beat: in the step of the component that refuses, or, if this step has another sentence, in the step of the
        client."""
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
        """Set the openers of a transaction that begins before the client's previous one is complete, of the refusal of
        its partitions, and of their acceptance."""
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

    def _look_for_fencing_markers(self, taken: BeatStep) -> None:
        """Set the opener of the first request with the marker that fences a producer."""
        for said in said_in([taken], "coordinator.fence_stands"):
            fence = said["transactional_id"], said["producer_epoch"]
            self._fencing[f"{fence[0]} ABORT"] = fence
        for said in said_in([taken], "markers.sent"):
            found = [self._fencing.pop(one) for one in said["transactions"] if one in self._fencing]
            if found and _weight(taken) < FENCING_MARKER.weight:
                taken.opener = FENCING_MARKER
                taken.opener_params = dict(zip(FENCING_MARKER.params, found[0], strict=True))

    def _look_for_releases(self, taken: BeatStep) -> None:
        """Set ``released`` of the step: (partition, result) for each partition whose last stable offset advanced."""
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
        """The result of the transactions that held the last stable offset back, and these transactions. The result is
        BOTH if their results differ, empty if it is not known, and None if the offset passed only repeated markers."""
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
        """Set the opener of a step in which a client learns of its commit after its records became readable."""
        for key, params in taken.sentences:
            if key == "client.init_transactions":
                self._ids[params["client"]] = params["transactional_id"]
            elif key == "coordinator.decides_commit":
                # Records that became readable before belong to an earlier transaction of this id.
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
        """Set the opener of the first records that a read_committed consumer gets after the last stable offset
        advanced."""
        for partition, _ in taken.released:
            self._unread[partition] = set()
        for key, params in taken.sentences:
            if key == "broker.fetch_answered" and params["isolation"] == "read_committed":
                self._read_committed.add(params["consumer"])
        reader = taken.params.get("consumer")
        if taken.key != "consumer.delivers" or reader not in self._read_committed:
            return
        readers = self._unread.get(taken.params["partition"])
        if readers is not None and reader not in readers:
            readers.add(reader)
            if taken.opener is None or taken.opener.weight < READ_AFTER_MARKER.weight:
                taken.opener, taken.opener_params = READ_AFTER_MARKER, {}

    def _look_for_mistaken_duplicates(self, taken: BeatStep) -> None:
        """Find a lost batch that the leader took for a duplicate, and replace the opener of the leader's step."""
        for key, params in taken.sentences:
            batch = params.get("client"), params.get("partition"), params.get("base_offset")
            if key == "broker.duplicate_found":
                self._duplicates[batch] = len(self.steps)
            elif key == "client.acknowledged" and batch in self._duplicates:
                at = self._duplicates.pop(batch)
                if any((guarantee, where) == ("lost", batch[1]) for guarantee, where, _ in taken.broken):
                    self.steps[at] = replace(self.steps[at], opener=TAKEN_FOR_DUPLICATE, opener_params={})

    def fork(self) -> StepOpeners:
        """A copy for a branch that begins after the last step that was taken. It shares the steps so far, which never
        change."""
        fork = StepOpeners()
        fork.steps = list(self.steps)
        fork._doubted = set(self._doubted)
        fork._resends = self._resends.fork()
        fork._holders = dict(self._holders)
        fork._behind = {partition: list(waiting) for partition, waiting in self._behind.items()}
        fork._outside = {partition: list(stored) for partition, stored in self._outside.items()}
        fork._writers = dict(self._writers)
        fork._hanging = set(self._hanging)
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
        fork._fencing = dict(self._fencing)
        fork._to_retry = set(self._to_retry)
        fork._completing = dict(self._completing)
        fork._begun = set(self._begun)
        fork._early = set(self._early)
        fork._refused = set(self._refused)
        fork._ids_wanted = self._ids_wanted
        fork._recent = self._recent.fork()
        return fork


def _weight(step: BeatStep) -> float:
    return 0 if step.opener is None else step.opener.weight


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
    """The component that refuses: the step's actor, or another component that the step's sentences name with this
    error."""
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

"""Finds the questions that the newest step raises, the most important first.

The table ``_FINDERS`` gives their order: first a broken guarantee, then a fenced client, a refusal, a
duplicate, a loss, and so on. An empty subject means the newest step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.client.batch_states import LIVE
from engine.client.reading import READ_COMMITTED
from engine.coordinator.transaction_states import ONGOING
from engine.reader_lanes import NOT_REPLICATED, UNDECIDED
from engine.topic_partition import is_internal
from engine.view.openers import DROPPED
from engine.why.fencing import FENCES, RAISES
from engine.why.happened import APPENDS, asked_fault, is_repeat, lost_messages
from engine.why.links import Json
from engine.why.moment import Moment
from engine.why.outcomes import OVER
from engine.why.unanswered import sender_of

LSO, LAG, UNSEEN, REFUSED = "lso", "lag", "unseen", "refused"
NOTHING, UNSENT, STATE, UNENDED, MESSAGE = "nothing", "unsent", "state", "unended", "message"
LOST, TWICE, REORDERED = "lost", "twice", "reordered"
EARLY, TORN, UNFENCED, HANGING, MIXED = "early", "torn", "unfenced", "hanging", "mixed"
APART = "apart"
GONE, STORED, AGAIN, FAULT, HERE = "gone", "stored", "again", "fault", "here"
FENCED, TIMED_OUT, OUSTED = "fenced", "timed_out", "ousted"
CAME, UNANSWERED = "came", "unanswered"

Asked = tuple[str, str]
"""A question and its subject."""

_OF_GUARANTEES = {
    "lost": LOST,
    "duplicated": TWICE,
    "reordered": REORDERED,
    "visible_early": EARLY,
    "atomic": TORN,
    "fenced": UNFENCED,
    "mixed": MIXED,
    "repeated": MIXED,
    "row_missing": APART,
    "record_missing": APART,
    "row_repeated": APART,
}


def of_step(moment: Moment) -> Iterator[Asked]:
    """The questions that the newest step raises. Each function in ``_FINDERS`` finds the questions about one kind of
    event."""
    step = moment.step
    if step is None or step["number"] == 0:
        return
    for find in _FINDERS:
        yield from find(moment, step)


def _broken(_moment: Moment, step: Json) -> Iterator[Asked]:
    for one in step["broken"]:
        yield from _of_guarantee(one["guarantee"], one)


def _broken_before(moment: Moment, step: Json) -> Iterator[Asked]:
    """Questions about guarantees that were broken in earlier steps, the newest violation first."""
    before = [
        (shown["broken_at"], guarantee, shown)
        for guarantee, shown in moment.part("guarantees").items()
        if shown["count"] and shown["broken_at"] not in (None, step["number"])
    ]
    for _, guarantee, shown in sorted(before, key=_broken_at, reverse=True):
        yield from _of_guarantee(guarantee, shown)


def _broken_at(broken: tuple[int, str, Json]) -> int:
    return broken[0]


def _of_guarantee(guarantee: str, broken: Json) -> Iterator[Asked]:
    if guarantee == "hanging" and broken["partition"] is not None:
        yield HANGING, broken["partition"]
    elif broken["serials"] and guarantee in _OF_GUARANTEES:
        yield _OF_GUARANTEES[guarantee], str(broken["serials"][0])


def _ousted(moment: Moment, step: Json) -> Iterator[Asked]:
    """The question about a fenced client, if it learns in this step that it is fenced, or if its request is refused."""
    application = moment.part("applications").get(step["actor"])
    name = step["actor"] if application is None else application["client"]
    manager = moment.part("clients").get(name, {}).get("transaction_manager")
    if manager is None or manager["last_error"] not in FENCES:
        return
    learns = step["transition"] is not None and step["transition"]["of"] == name
    if learns or step["refusal"] is not None:
        yield OUSTED, name


def _refused(_moment: Moment, step: Json) -> Iterator[Asked]:
    if step["refusal"] is not None:
        yield REFUSED, ""


def _repeat(_moment: Moment, step: Json) -> Iterator[Asked]:
    if step["decision"] is not None and is_repeat(step):
        yield AGAIN, ""


def _lost(moment: Moment, step: Json) -> Iterator[Asked]:
    """The question about lost messages, if the step is about their loss. For faults of actors see ``_fault``."""
    if step["key"] in _LOSING and lost_messages(step):
        yield GONE, ""


_LOSING = (*DROPPED, "fault.disconnected", "network.lost")


def _fault(moment: Moment, step: Json) -> Iterator[Asked]:
    actor = step["params"].get("actor", step["actor"])
    message = step["params"].get("message")
    if step["kind"] == "fault" and message is not None:
        if str(message) in (moment.part("network").get("messages") or {}):
            yield MESSAGE, str(message)
    elif step["kind"] == "fault" and isinstance(actor, str) and moment.actor(actor) is not None:
        yield FAULT, actor
    elif step["key"] in ("controller.session_ended", "quorum.broker_fenced"):
        yield FAULT, step["params"]["broker"]


def _fence(moment: Moment, step: Json) -> Iterator[Asked]:
    sentences = [(step["key"], step["params"]), *((note["key"], note["params"]) for note in step["notes"])]
    for key, params in sentences:
        found = moment.entry_of(str(params.get("transactional_id"))) if key in RAISES else None
        if found is not None and (found[1]["producer_epoch"] or 0) > 0:
            yield FENCED, str(params["transactional_id"])
            return


def _timed_out(_moment: Moment, step: Json) -> Iterator[Asked]:
    if step["key"] == "coordinator.transaction_timed_out":
        yield TIMED_OUT, str(step["params"]["transactional_id"])


def _unanswered(_moment: Moment, step: Json) -> Iterator[Asked]:
    if (sender := sender_of(step)) is not None:
        yield UNANSWERED, sender


def _stored(moment: Moment, step: Json) -> Iterator[Asked]:
    if step["key"].startswith(APPENDS) and step["params"].get("partition") in moment.part("partitions"):
        yield STORED, ""


def _gates(moment: Moment, step: Json) -> Iterator[Asked]:
    """The question about the last stable offset, for partitions whose leader moved it or the high watermark. If a
    marker frees the partition, partitions in which the same transaction has no marker yet come before it."""
    for change in step["changes"]:
        path = change["path"]
        if len(path) != 5 or path[0] != "partitions" or is_internal(path[1]):
            continue
        moved = path[4] in ("last_stable_offset", "high_watermark")
        if moved and str(moment.named("partitions", path[1])["leader"]) == path[3]:
            yield from ((LSO, other) for other in _open_elsewhere(moment, path[1]))
            yield LSO, path[1]


def _open_elsewhere(moment: Moment, partition: str) -> Iterator[str]:
    """If the last batch below the last stable offset of a partition is a marker: the other partitions whose last stable
    offset stands at a record of the marker's producer."""
    replica = moment.leading(partition)
    marker = None if replica is None else moment.batch_at(partition, replica["last_stable_offset"] - 1)
    if marker is None or marker["control"] is None:
        return
    for other in moment.part("partitions"):
        held = moment.leading(other)
        first = None if held is None else moment.batch_at(other, held["last_stable_offset"])
        if first is not None and first["control"] is None and first["producer_id"] == marker["producer_id"]:
            yield other


def _reader(moment: Moment, step: Json) -> Iterator[Asked]:
    """The question about the consumer that acts: about a hidden record, or else about its lag."""
    consumer = step["actor"]
    shown = moment.part("consumers").get(consumer)
    if shown is None:
        return
    for partition, lane in shown["lanes"].items():
        for first, _last, fate in lane["ahead"]:
            if fate in (UNDECIDED, NOT_REPLICATED) and lane["position"] is not None:
                yield UNSEEN, f"{consumer}/{partition}/{first}"
                return
    partition = step["params"].get("partition")
    replica = moment.leading(partition) if partition in shown["positions"] else None
    if replica is not None and shown["positions"][partition] < replica["high_watermark"]:
        yield LAG, f"{consumer}/{partition}"


def _held_readers(moment: Moment, step: Json) -> Iterator[Asked]:
    """The question about a read_committed consumer that waits, if a note of the step says that consumers wait."""
    if not any(note["key"] == "broker.readers_wait_for_transaction" for note in step["notes"]):
        return
    for consumer, shown in moment.part("consumers").items():
        for partition, lane in shown["lanes"].items():
            ahead = [first for first, _last, fate in lane["ahead"] if fate == UNDECIDED]
            if shown["isolation"] == READ_COMMITTED and ahead and lane["position"] is not None:
                yield UNSEEN, f"{consumer}/{partition}/{ahead[0]}"
                return


def _coordinator(moment: Moment, step: Json) -> Iterator[Asked]:
    """The questions about a transactional id whose entry the step changes or names."""
    transition = step["transition"]
    name = (
        transition["of"] if transition is not None and transition["machine"] == "transaction_states" else None
    )
    name = name or step["params"].get("transactional_id")
    found = None if not isinstance(name, str) else moment.entry_of(name)
    if found is None or step["kind"] == "api_call" or step["actor"] in moment.part("clients"):
        return
    known = ("transaction_states", str(name)) in moment.lately.transitions
    if known and (found[1]["state"] in OVER or found[1]["pending_state"] == ONGOING):
        yield STATE, str(name)
    yield UNENDED, str(name)


def _client(moment: Moment, step: Json) -> Iterator[Asked]:
    """The questions about a client: about its new state, and about an unfinished batch."""
    application = moment.part("applications").get(step["actor"])
    name = step["actor"] if application is None else application["client"]
    client = moment.part("clients").get(name)
    if client is None:
        return
    transition = step["transition"]
    if transition is not None and transition["of"] == name:
        yield STATE, name
    if application is not None and application["blocked_by"] is not None:
        return  # The step's sentence is about the cause, so the batch needs no question.
    touched = [
        change["path"][3]
        for change in step["changes"]
        if change["path"][:3] == ["clients", name, "batches"] and len(change["path"]) > 3
    ]
    if "batch_id" in step["params"]:
        touched = [step["params"]["batch_id"]]
    for batch in dict.fromkeys(touched):
        if client["batches"].get(batch, {}).get("state") in LIVE:
            yield UNSENT, f"{name}/{batch}"
            return


def _anything(moment: Moment, step: Json) -> Iterator[Asked]:
    if moment.simulation is not None and step["interesting"]:
        yield HERE, ""


def _came_of_fault(moment: Moment, _step: Json) -> Iterator[Asked]:
    if (number := asked_fault(moment)) is not None and moment.is_over:
        yield CAME, str(number)


_FINDERS: tuple[Callable[[Moment, Json], Iterator[Asked]], ...] = (
    _broken,
    _ousted,
    _refused,
    _repeat,
    _lost,
    _fault,
    _timed_out,
    _unanswered,
    _fence,
    _stored,
    _broken_before,
    _came_of_fault,
    _held_readers,
    _gates,
    _reader,
    _coordinator,
    _client,
    _anything,
)

"""Makes the title of a beat: its outcome with the deciding numbers, read from the steps of the beat.

``openers.py`` determines the kind of the beat. The function for that kind reads the beat's steps and returns the
title's key and parameters, or None if the opener's own title stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from engine.record_names import record_names
from engine.shapes.plans import AlsoDone
from engine.topic_partition import is_internal
from engine.view import middleware_titles
from engine.view.beat_step import BeatStep, said_in
from engine.view.openers import BY_NAME, DROPPED, GATHERED, MARKED, POSITIONS_VISIBLE, STORED

NAMED_MOST = 3
"""A title names at most this many records, and counts the others. It names at most this many partitions or clients; if
there are more, it names none of them."""
NEW = ("client.drained", "client.drained_plain", "client.drained_mixed")
"""The sentences of a step that drains batches which were not sent before."""
UNANSWERED = ("broker.appended_unanswered", "broker.appended_plain_unanswered")
"""The sentences of an append with acks=0, whose success the producer has already reported."""
IDS_GOT = ("client.producer_id_received", "client.producer_id_negative", "client.transactional_id_ready")
"""The sentences by which a client gets its identity."""
BY_PARTITION = {
    "outcome_shows": ("broker.last_stable_offset_advanced",), "markers": MARKED, "sends": STORED,
    "registered": ("client.partitions_added",), "readers_wait": ("broker.readers_wait_for_transaction",),
    "reads": ("consumer.delivers",), "read_after_marker": ("consumer.delivers",),
}  # fmt: skip
"""Dict of kind of a beat whose title names several partitions → the sentences that say the same of one partition."""
LEADS = frozenset(
    {
        "behind", "behind_stores", "request_unanswered", "request_again", "commit_returns", "commit_late",
        "resends_stored", "renumbered_stored", "left_stores", "released_commit_of", "released_abort_of",
        "released_part", "released_abort_before", "released_commit_before", "fencing_marker", "repeats",
        "gets_and_skips",
    }
)  # fmt: skip
"""The titles that tell a reader something that the sentences of the step in which the beat lands do not."""
COUNT_RECORDS = frozenset(
    f"beat.{name}"
    for name in (
        "sends", "sends_into", "meanwhile", "begins_stores", "round_stores", "behind_stores", "resends_stored",
        "renumbered_stored", "muted_stores", "waited_stores", "left_stores", "success_first",
    )
)  # fmt: skip
"""The keys of titles with the number of records that the beat's steps append."""
SAID = frozenset(
    {
        "behind", "behind_stores", "released_commit", "released_abort", "released", "released_commit_of",
        "released_abort_of", "released_part", "released_abort_before", "released_commit_before", "hidden", "sends_into",
        "markers_in", "fencing_marker",
    }
)  # fmt: skip
"""The titles that are no sentences. The sentence that says the same has the key `beat.<title>.said`."""
NAMES = frozenset(
    {
        "begins_stores", "answer_lost", "answer_lost_many", "released_commit", "released_abort", "released",
        "released_commit_of", "released_abort_of", "released_part", "released_abort_before",
        "released_commit_before", "markers_in", "skips", "gets_and_skips", "fatal_by", "only_abort_by",
        "markers_wait_for", "markers_unanswered_by", "markers_dropped_for", "write_not_allowed_by", "marker_idle",
        "reads_one", "reads_only", "reads_each", "reads_one_from", "reads_only_from", "reads_each_from",
        "hidden", "offsets_wait", "joined", "joined_now", "registered_now",
        "begins_early", "begins_next", "let_go_abort", "let_go_commit", "resends",
        "takes_over_finds", "identity_raised",
        "resends_stored", "renumbered_stored", "muted_stores", "waited_stores", "pauses_many", "resumes_moving_many",
        "crashes_many", "restarts_many", "marker_again", "marker_stored_late", "commit_returns", "success_first",
        "left_stores", "round_begins", "round_stores", "behind_stores", "repeats_refused", "repeats_failed",
        "sends_into", "crafted_api", "request_unanswered", "call_fails", "call_fails_by_name", *middleware_titles.NAMES,
    }
)  # fmt: skip
"""The titles that belong to no opener."""

Params = dict[str, Any]
Title = tuple[str, Params]


WHICH, RECORDS = "which", "of_records"
"""Parameters of titles about records. ``RECORDS``: the serials of the records, while titles are made. ``WHICH``
replaces it in the text: the names of the records if another beat has the same title, else empty."""


def which_named(params: Params, *, is_needed: bool) -> Params:
    """The parameters of a title, with the names of its records in place of their serials; without the names unless
    ``is_needed``."""
    if RECORDS not in params:
        return params
    named = {name: value for name, value in params.items() if name != RECORDS}
    records = record_names(params[RECORDS]) if is_needed else []
    return {
        **named,
        WHICH: {"key": "clause.which_records", "params": {"records": records}} if records else "",
    }


def title_of(name: str, params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title:
    """The title of a beat with these steps. ``name`` and ``params``: name and parameters of the opener. ``consumers``:
    all consumers of the run."""
    tell = TELLS.get(name)
    titled = None if tell is None else tell(params, steps, consumers)
    return (name, params) if titled is None else titled


def sentence_of(title: str) -> str:
    """The catalogue key of the title as a sentence."""
    return f"beat.{title}.said" if title in SAID else f"beat.{title}"


def also_in(kind: str, params: Params, steps: Sequence[BeatStep], lands: BeatStep) -> list[AlsoDone]:
    """The steps of a beat that its title is about, except the step in which the beat lands. ``names``: the
    partitions or actors in the title that no earlier step was about."""
    named = params.get("partitions") or params.get("actors") or ()
    left = set(named) - _about(lands, kind, params)
    found: list[AlsoDone] = []
    for step in steps:
        if here := sorted(_about(step, kind, params) & left):
            found.append({"step": step.number, "names": here})
            left.difference_update(here)
    return found


def _about(step: BeatStep, kind: str, params: Params) -> set[str]:
    """The partitions or actors in the title that the step is about."""
    if kind in GATHERED and step.opener is not None and step.opener.name == kind:
        return {step.opener_params["actor"]}
    said = said_in([step], *BY_PARTITION.get(kind, ()))
    ours = [one for one in said if params.get("client") in (None, one.get("client"))]
    return {name for one in ours for name in one.get("partitions", [one.get("partition")])}


def released_in(steps: Sequence[BeatStep]) -> list[BeatStep]:
    """The first step at which records become readable, and all further such steps at the same virtual time."""
    found: list[BeatStep] = []
    for step in steps:
        if found and step.time != found[0].time:
            break
        if any(not is_internal(partition) for partition, _ in step.released):
            found.append(step)
    return found


def read_in(steps: Sequence[BeatStep]) -> list[BeatStep]:
    """The first step at which a consumer gets records after a marker, and all further such steps at the same virtual
    time."""
    found: list[BeatStep] = []
    for step in steps:
        if found and step.time != found[0].time:
            break
        if step.opener is not None and step.opener.name == "read_after_marker":
            found.append(step)
    return found


def marker_in(step: BeatStep) -> tuple[Any, ...] | None:
    """The producer id, epoch and result of the marker that the step writes; None if it writes none."""
    params = next(said_in([step], *MARKED), None)
    return None if params is None else (params["producer_id"], params["producer_epoch"], params["result"])


def _partitions(found: Iterator[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(params["partition"] for params in found)
    return sorted(name for name in names if not is_internal(name))


def _stores(name: str, stored: Sequence[str] = STORED) -> Tell:
    """A function that makes a title with the number of records that the beat's steps append. ``stored``: the
    keys of the sentences about appended records."""

    def tell(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
        clients = [params["client"]] if "client" in params else None
        count = 0
        serials: list[int] = []
        for step in steps:
            for said in said_in([step], *stored):
                if clients is None or said.get("client") in clients:
                    count += said.get("record_count") or 0
                    serials += [serial for partition, serial in step.stored if partition == said["partition"]]
        return (name, {**params, "count": count, RECORDS: sorted(serials)}) if count else None

    return tell


def _sends(params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    title = _stores("sends")(params, steps, consumers)
    stored = said_in(steps, *STORED)
    partitions = _partitions(one for one in stored if one.get("client") == params["client"])
    if title is None or not 1 < len(partitions) <= NAMED_MOST:
        return title
    return "sends_into", {**title[1], "partitions": partitions}


def _round(params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    """The title of a round with the number of records stored, or without it if none is stored. None if several
    producers store records."""
    clients = {said.get("client") for said in said_in(steps, *STORED)}
    if not clients:
        return "round_begins", params
    return _stores("round_stores")(params, steps, consumers) if len(clients) == 1 else None


def _behind(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
    """The title of records that wait behind a transaction, with their number; None if the beat's first step stores no
    records."""
    first = next(said_in(steps[:1], *STORED), None)
    if first is None:
        return None
    count = sum(held_in(step, params["client"], first["partition"]) for step in steps)
    return "behind_stores", {**params, "count": count or first["record_count"]}


def held_in(step: BeatStep, client: Any, partition: str) -> int:
    """The number of records of the client that wait in the partition from this step on."""
    return sum(count for *who, count in step.held if who == [client, partition])


def _meanwhile(params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    title = _sends(params, steps, consumers)
    partitions = _partitions(one for one in said_in(steps, *STORED) if one.get("client") == params["client"])
    return None if title is None else ("meanwhile", {**title[1], "partitions": partitions})


def _resends(name: str) -> Tell:
    by_stores = _stores(name)

    def tell(params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
        return by_stores(params, [step for step in steps if params["client"] in step.resent], consumers)

    return tell


def _call_refused(params: Params, _: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    if params["client"] is None:
        return None
    return ("call_fails" if params["call"] is None else "call_fails_by_name"), params


def _many(opener: str) -> Tell:
    def tell(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
        same = [step for step in steps if step.opener is not None and step.opener.name == opener]
        actors = list(dict.fromkeys(step.opener_params["actor"] for step in same))
        if len(actors) > 1:
            return f"{opener}_many", {"actors": actors}
        return middleware_titles.restarted(params, steps) if opener == "restarts" else None

    return tell


def _identity(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
    """The title with the newest identity that a client gets in the beat; None if none gets one. If ``params`` has a
    client, only this client counts."""
    ids = [
        said for said in said_in(steps, *IDS_GOT) if params.get("client", said["client"]) == said["client"]
    ]
    if not ids:
        return None
    got = ids[-1]
    return "identity", {
        "client": got["client"], "producer_id": got["producer_id"], "producer_epoch": got["producer_epoch"],
    }  # fmt: skip


def _identities(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    """The title of a beat in which not all producers get the id that they requested; None if all get one."""
    asked = {
        said["client"] for said in said_in(steps, "client.producer_id_wanted", "client.init_transactions")
    }
    got = {said["client"] for said in said_in(steps, *IDS_GOT)}
    return None if asked <= got else ("identities_asked", {})


def _epoch_up(params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    """The title with the identity that a client gets; None if none gets one. If the identity has the new epoch, the
    title says that the epoch was raised for this client."""
    got = _identity({}, steps, consumers)
    if got is None or got[1]["producer_epoch"] != params["new_epoch"]:
        return got
    return "identity_raised", got[1]


def _released(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    """The title with the partitions that read_committed consumers can continue to read, or else with the group whose
    offsets took effect; None without either."""
    found = [one for step in released_in(steps) for one in step.released if not is_internal(one[0])]
    if not found:
        offsets = next(said_in(steps, *POSITIONS_VISIBLE), None)
        return None if offsets is None else ("positions_visible", {"group": offsets["group"]})
    partitions = sorted({partition for partition, _ in found})
    results = {result for _, result in found}
    name = {frozenset({"COMMIT"}): "released_commit", frozenset({"ABORT"}): "released_abort"}.get(
        frozenset(results), "released"
    )
    waiting = released_in(steps)[-1].unmarked
    if waiting and name == "released_commit":
        return "released_part", {"partitions": partitions, "waiting": list(waiting)}
    records = [of for step in released_in(steps) for of in step.ended]
    clients = sorted({client for client, _, _ in records})
    count = sum(number for _, number, _ in records)
    if name == "released" or not 0 < len(clients) <= NAMED_MOST or not count:
        return name, {"partitions": partitions}
    freed = [of for step in released_in(steps) for of in step.freed]
    behind = sorted({client for client, _ in freed})
    if 0 < len(behind) <= NAMED_MOST:
        others = {"behind": behind, "freed": sum(number for _, number in freed)}
        return f"{name}_before", {"partitions": partitions, "clients": clients, "count": count, **others}
    serials = sorted(serial for _, _, serials in records for serial in serials)
    return f"{name}_of", {"partitions": partitions, "clients": clients, "count": count, RECORDS: serials}


def _hidden(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title:
    """The title with the partitions whose records are hidden; ``offsets_wait`` if only offsets in internal topics are
    hidden."""
    partitions = _partitions(said_in(steps, "broker.readers_wait_for_transaction"))
    return ("hidden", {"partitions": partitions}) if partitions else ("offsets_wait", {})


def _let_go(params: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title:
    results = {result for step in steps[:1] for name, result in step.released if name in params["partitions"]}
    return {frozenset({"ABORT"}): "let_go_abort", frozenset({"COMMIT"}): "let_go_commit"}.get(
        frozenset(results), "let_go"
    ), params


def _joined(params: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    """The title with the partitions that the coordinator adds. ``params`` has ``transactional_id`` if the coordinator
    refused them before. None if it adds them at once, and the client does not learn of it in the beat."""
    at_once = "transactional_id" not in params
    added = said_in(steps, "client.partitions_added")
    partitions = sorted({name for params in added for name in params["partitions"]})
    if not partitions:
        return None if at_once else ("registered_now", params)
    return ("joined" if at_once else "joined_now"), {"partitions": partitions}


def _begins(params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    if "pending" in params:
        return "begins_early", params
    known = {name: value for name, value in params.items() if name != "next"}
    begins = ("begins_next", known) if "next" in params else None
    return _stores("begins_stores")(known, steps, consumers) or begins


def _markers(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    written = list(said_in(steps, *MARKED))
    partitions = _partitions(iter(written))
    results = {params["result"] for params in written}
    if len(results) != 1:
        return None
    partitions = partitions or sorted({params["partition"] for params in written})
    return "markers_in", {"result": results.pop(), "partitions": partitions}


def _marker_again(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    """The title of a marker that arrives once more after its transaction has ended; None without such a marker."""
    partitions = sorted({partition for step in steps for partition in step.marked_again})
    return ("marker_again", {"partitions": partitions}) if partitions else None


def _marker_resent(params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    """The title of a marker that a coordinator sends again: it is stored now, or it ends no transaction."""
    stored = {said["partition"] for said in said_in(steps, *MARKED)}
    found = ("marker_stored_late", params) if stored.issuperset(params["partitions"]) else None
    return _marker_again(params, steps, consumers) or found


def _marker_idle(params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    """The title of a marker that ends no transaction: it is stored again, or no transaction was open."""
    idle = sorted({said["partition"] for said in said_in(steps, "broker.marker_finds_nothing_open")})
    found = ("marker_idle", {"partitions": idle}) if idle else None
    return _marker_again(params, steps, consumers) or found


def _message_lost(params: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    lost = next(said_in(steps, *DROPPED), None)
    if lost is None or (lost["api"], lost["kind"]) != ("Produce", "response"):
        return middleware_titles.dropped(steps)
    client = lost["destination"]
    at = next(step for step in steps if not step.said.isdisjoint(DROPPED))
    broken = next((said for said in said_in([at], "client.disconnected") if said["client"] == client), None)
    if broken is not None and broken["count"] > 1:
        # Other requests of the connection are in doubt, too: they or their responses were lost.
        return "answer_lost_many", {"client": client, "count": broken["count"]}
    return "answer_lost", {"client": client}


def _doubt_ends(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
    ended = (step for step in steps if step.settled and step.opener_params == params)
    return "doubt_ends", {**params, "batch": next(ended).settled[0]}


def _gives_up(params: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    """The title that says what timed out: batches that the client sends again, or a request of the transaction
    manager."""
    again = any(said["client"] == params["client"] for said in said_in(steps, "client.requeued"))
    if again:
        return "resends", params
    at = next(step for step in steps if "client.request_timed_out" in step.said)
    # If other requests were in flight on the connection, they fail, too.
    alone = next(said_in([at], "client.request_timed_out"))["count"] == 1
    lost = next(said_in([at], "client.control_lost"), None)
    return ("request_unanswered", {**params, "api": lost["api"]}) if alone and lost is not None else None


def _refused_epoch(name: str, key: str, known: str) -> Tell:
    """A function that makes the title ``name`` of a refusal with the sentence ``key``. ``known``: the parameter of
    the sentence with the higher epoch."""

    def tell(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
        said = next(said_in(steps, key), None)
        return None if said is None else (name, {"arrived": said["arrived"], "known": said[known]})

    return tell


def _takes_over(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
    """The title with the state that the new coordinator finds; None if it finds no state, or different states."""
    states = {found["state"] for found in said_in(steps, "coordinator.resumes_markers")}
    return ("takes_over_finds", {**params, "state": states.pop()}) if len(states) == 1 else None


def _reads(_: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    return _read(steps, consumers, "reads_only")


def _read(steps: Sequence[BeatStep], consumers: Sequence[str], by_one: str) -> Title | None:
    """The title about the records that consumers read in the steps; None if they read none. ``by_one``: the title if
    only one of several consumers reads."""
    given: dict[str, int] = {}
    for said in said_in(steps, "consumer.delivers"):
        given[said["consumer"]] = given.get(said["consumer"], 0) + said["count"]
    if not given:
        return None
    count = next(iter(given.values()))
    if len(given) == 1:
        name = "reads_one" if len(consumers) == 1 else by_one
        return _from(name, {"consumer": next(iter(given)), "count": count}, steps)
    if len(given) == len(consumers) and len(set(given.values())) == 1:
        return _from("reads_each", {"count": count}, steps)
    return "reads", {"consumers": list(given)}


def _from(name: str, params: Params, steps: Sequence[BeatStep]) -> Title:
    """The title ``name``; if the records come from several partitions, the title ``NAME_from`` with the partitions."""
    partitions = _partitions(said_in(steps, "consumer.delivers"))
    return (f"{name}_from", {**params, "partitions": partitions}) if len(partitions) > 1 else (name, params)


def _read_after_marker(_: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    # The other consumers did not have to wait for the marker.
    return _read(read_in(steps), consumers, "reads_one")


def _as_said(name: str, opener: str, *names: str) -> Tell:
    """A function that makes the title ``name`` with these parameters of the first sentence of the opener; None if the
    sentence lacks one of them."""

    def tell(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
        said = next(said_in(steps, *BY_NAME[opener].keys), {})
        return (name, {one: said[one] for one in names}) if said.keys() >= set(names) else None

    return tell


def _skips(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    """The title with the consumer that skips aborted records, and with the records that it gets in the same step. None
    if several consumers skip records."""
    skipping = [step for step in steps if "consumer.skips_aborted" in step.said]
    consumers = {said["consumer"] for said in said_in(skipping, "consumer.skips_aborted")}
    if len(consumers) != 1:
        return None
    first = skipping[0]
    skipped = sum(said["count"] for said in said_in([first], "consumer.skips_aborted"))
    given = sum(said["count"] for said in said_in([first], "consumer.delivers"))
    params = {"consumer": consumers.pop(), "skipped": skipped}
    return ("gets_and_skips", {**params, "count": given}) if given else ("skips", params)


def _commit_known(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
    """The title if the application's call returns in the step in which the client learns of the commit; None if it
    does not."""
    calls = {said["call"] for said in said_in(steps[:1], "client.call_returns")}
    return ("commit_returns", params) if "commit_transaction" in calls else None


def _commit_late(params: Params, steps: Sequence[BeatStep], consumers: Sequence[str]) -> Title | None:
    return ("commit_known", params) if _commit_known(params, steps, consumers) is None else None


def _repeats(params: Params, _: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    if "clients" in params:
        return "repeats_failed", params
    return None if params["client"] and params["api"] else ("repeats_refused", params)


def _broken(guarantee: str) -> Tell:
    def tell(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title:
        serials = dict.fromkeys(
            serial
            for step in steps
            for broken, partition, found in step.broken
            if broken == guarantee and partition == params.get("partition", partition)
            for serial in found
        )
        named = [f"r{serial}" for serial in list(serials)[:NAMED_MOST]]
        if len(serials) > NAMED_MOST:
            named.append(f"+{len(serials) - NAMED_MOST}")
        return f"broken_{guarantee}", {**params, "records": named}

    return tell


def _crafted(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
    """The title with the request's API; None if the request goes to a node of the middleware."""
    said = next(said_in(steps, "fault.request_crafted", "fault.crafted_request"), None)
    return None if said is None else ("crafted_api", {**params, "api": said.get("api", "Produce")})


def _coordinator(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title:
    states = [
        said["state"]
        for step in steps
        for key, said in step.sentences
        if key.startswith("log.coordinator.")
        and said.get("transactional_id") == params["transactional_id"]
        and "state" in said
    ]
    return "log_coordinator", {**params, "state": (states or [params["state"]])[-1]}


Tell = Callable[[Params, Sequence[BeatStep], Sequence[str]], Title | None]
TELLS: dict[str, Tell] = {
    **middleware_titles.TELLS,
    "sends": _sends,
    "meanwhile": _meanwhile,
    "left": _stores("left_stores"),
    "sends_again": _resends("resends_stored"),
    "call_refused": _call_refused,
    "renumbered": _resends("renumbered_stored"),
    "success_at_once": _stores("success_first", UNANSWERED),
    "muted": _stores("muted_stores"),
    "round": _round,
    "waits_for_earlier": _stores("waited_stores"),
    "behind": _behind,
    "begins": _begins,
    **{name: _many(name) for name in sorted(GATHERED)},
    "identities": _identities,
    "identity": _identity,
    "identity_given": _identity,
    "transactional_identity": _identity,
    "epoch_up": _epoch_up,
    "log_coordinator": _coordinator,
    "outcome_shows": _released,
    "readers_wait": _hidden,
    "let_go": _let_go,
    "registered": _joined,
    "markers": _markers,
    "markers_resent": _marker_resent,
    "marker_sent_again": _marker_idle,
    "commit_known": _commit_known,
    "crafted": _crafted,
    "commit_late": _commit_late,
    "message_lost": _message_lost,
    "doubt_ends": _doubt_ends,
    "gives_up_waiting": _gives_up,
    "old_epoch_refused": _refused_epoch("old_epoch_refused", "broker.stale_epoch_refused", "stored"),
    "coordinator_refuses_epoch": _refused_epoch(
        "coordinator_refuses_epoch", "coordinator.stale_epoch", "current"
    ),
    "takes_over": _takes_over,
    "reads": _reads,
    "read_after_marker": _read_after_marker,
    "aborted_skipped": _skips,
    "fatal": _as_said("fatal_by", "fatal", "client", "error"),
    "only_abort": _as_said("only_abort_by", "only_abort", "client", "error"),
    "markers_wait": _as_said("markers_wait_for", "markers_wait", "partitions"),
    "markers_unanswered": _as_said("markers_unanswered_by", "markers_unanswered", "broker"),
    "markers_dropped": _as_said("markers_dropped_for", "markers_dropped", "coordinator", "partitions"),
    "write_not_allowed": _as_said("write_not_allowed_by", "write_not_allowed", "client", "error"),
    "repeats": _repeats,
    **{
        f"broken_{name}": _broken(name)
        for name in (
            "lost",
            "duplicated",
            "reordered",
            "visible_early",
            "atomic",
            "fenced",
            "row_missing",
            "record_missing",
            "row_repeated",
        )
    },
}
"""Dict of name of an opener → the function that makes its title."""

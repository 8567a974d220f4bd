"""Makes the part of a view that pages get: everything but the old entries of the three tables that grow with a run.

Records and batches, in logs and in the queues of clients, stay in a view as long as they exist, but a page
draws only a few dozen of them. A *near view* is a view that lists the entries of the last steps, those that the
next steps may change, and those to which another part of the view refers. For the other entries its field `folded`
(docs/websocket.md) holds their places and numbers. So the size of a page's data, and the cost of a step, do
not grow with the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from engine.watching import ABSENT

View = dict[str, Any]
Entries = dict[str, dict[str, Any]]
Change = tuple[list[str], Any, Any]
"""(path, value before, value after); ABSENT when there is no value."""

REACH = 250
"""A page may step back this many steps from a near view and still have every entry that it draws."""
NEWEST_RECORDS = 100
NEWEST_BATCHES = 24
"""Of each log, this many of the newest batches are always listed, which are more than a panel draws."""
NEWEST_FINISHED = 400
"""At most this many finished records are listed, because one response may finish thousands."""
NEXT_BATCHES = 6
"""This many batches at the head of each queue of a client are listed. A panel draws fewer (DRAWN_BATCHES), but the
queue changes while the page steps on."""
DRAWN_BATCHES = 2
"""A panel may draw this many batches at the head of each queue of a client."""
GAP = 44
"""If a gap between two listed records has at most this many records (one page of the panel), these are
listed, too."""
NEWEST_BROKEN = 10
"""For each guarantee, at most this many records are listed because they broke it: the first ones of its first
violation."""


class FoldedAway(Exception):
    """A step changed an entry that the near view does not list, so the result of the change is missing."""


def cut(view: View, number: int, since: int) -> View:
    """The near view of the view after step `number`. `since`: the virtual time in ms of the step that is
    `REACH` steps earlier. The view is not changed; the near view shares the listed entries with it."""
    records = view.get("records", {})
    listed = _listed_records(view, since)
    folded: dict[str, Any] = {"at": number, "reaches": REACH}
    near = {**view, "folded": folded}
    if len(listed) < len(records):
        near["records"] = {serial: record for serial, record in records.items() if serial in listed}
        folded["records"] = _folded_records(records, listed)
    serials = frozenset(int(serial) for serial in listed)
    partitions, logs = dict(view.get("partitions", {})), {}
    for name, partition in partitions.items():
        cut_partition, of_replicas = _cut_partition(partition, serials, since)
        if of_replicas:
            partitions[name], logs[name] = cut_partition, of_replicas
    if logs:
        near["partitions"], folded["logs"] = partitions, logs
    clients, waiting = dict(view.get("clients", {})), {}
    for name, client in clients.items():
        cut_client, of_queues = _cut_client(client)
        if of_queues:
            clients[name], waiting[name] = cut_client, of_queues
    if waiting:
        near["clients"], folded["batches"] = clients, waiting
    if "derived" in view:
        near["derived"] = _cut_derived(view["derived"], listed)
    return near


def whole(view: View, number: int) -> View:
    """The whole view, with a field `folded` that says that no entry is left out."""
    return {**view, "folded": {"at": number, "reaches": REACH}}


def walk(view: View, steps: Sequence[Iterable[Change]]) -> View:
    """Apply the changes of these steps to the view, in place. Returns the view. Raises FoldedAway for a change that
    the view cannot take. A change of a record that is not listed is only counted, except in the last step, where it
    raises FoldedAway."""
    folded = view.get("folded", {})
    owners = _owners(view) if "records" in folded else {}
    for place, changes in enumerate(steps, 1):
        for change in changes:
            path, _, after = change
            if not is_folded(folded, path) and not _brings_near(view, path, after):
                _place(view, path, after)
            elif place == len(steps) or not _count(folded, owners, change):
                raise FoldedAway
    return view


def is_folded(folded: dict[str, Any], path: list[str]) -> bool:
    """Whether the view cannot take a change of this path, because a record or a batch of a log is not listed."""
    if path[0] == "records" and "records" in folded:
        return len(path) == 1 or _lies_in(folded["records"]["stretches"], int(path[1]))
    if path[0] != "partitions" or "logs" not in folded:
        return False
    if len(path) == 1 or path[1] not in folded["logs"]:
        return len(path) == 1
    if len(path) == 2 or path[2] != "replicas":
        # More batches of the leader's log are listed than of the followers' logs, so a new leader needs another view.
        return len(path) == 2 or path[2] == "leader"
    if len(path) == 3 or path[3] not in folded["logs"][path[1]]:
        return len(path) == 3
    if len(path) == 4 or path[4] != "batches":
        return len(path) == 4
    return len(path) == 5 or _lies_in(folded["logs"][path[1]][path[3]], int(path[5]))


# -- what is listed ----------------------------------------------------------------------------------------------


def _listed_records(view: View, since: int) -> set[str]:
    records: Entries = view.get("records", {})
    serials = _in_order(records)
    listed = set(serials[-NEWEST_RECORDS:])
    # A step sends at most one record, but many records may have been sent in the same millisecond.
    within_reach = set(serials[-REACH:])
    later = _in_bulk(view.get("clients", {}))
    finished: list[tuple[int, int]] = []
    for serial, record in records.items():
        is_next = record["status"] == "pending" and int(serial) not in later
        is_new = record["sent_at"] >= since and serial in within_reach
        if is_next or is_new:
            listed.add(serial)
        elif (record["finished_at"] or 0) >= max(since, 1):
            finished.append((-record["finished_at"], int(serial)))
    listed.update(str(serial) for _, serial in sorted(finished)[:NEWEST_FINISHED])
    for guarantee in view.get("guarantees", {}).values():
        named = (str(serial) for serial in guarantee.get("serials", ())[:NEWEST_BROKEN])
        listed.update(serial for serial in named if serial in records)
    return _without_small_gaps(serials, listed)


def _in_bulk(clients: dict[str, View]) -> set[int]:
    """The serials of pending records that may be too many to list: those in unsent batches behind the head of a
    queue, and those in large batches that were sent at most once."""
    later: set[int] = set()
    for client in clients.values():
        waiting = {
            name for queue in client.get("queues", {}).values() for name in queue.get("batches", ())[1:]
        }
        for name, batch in client.get("batches", {}).items():
            is_behind = name in waiting and batch["attempts"] == 0
            if is_behind or (len(batch["serials"]) > GAP and batch["attempts"] <= 1):
                later.update(batch["serials"])
    return later


def _without_small_gaps(serials: list[str], listed: set[str]) -> set[str]:
    """Add to ``listed`` the records in gaps of at most GAP between listed ones, and return it."""
    gap: list[str] = []
    for serial in serials:
        if serial not in listed:
            gap.append(serial)
            continue
        if gap and len(gap) <= GAP and gap[0] != serials[0]:
            listed.update(gap)
        gap = []
    return listed


def _folded_records(records: Entries, listed: set[str]) -> dict[str, Any]:
    counts: dict[str, dict[str, int]] = {}
    for serial, record in records.items():
        if serial not in listed:
            by_status = counts.setdefault(record["producer"], {})
            by_status[record["status"]] = by_status.get(record["status"], 0) + 1
    stretches = _stretches(records, lambda serial, _: serial in listed)
    return {
        "stretches": [[int(run[0][0]), int(run[-1][0]), len(run)] for run in stretches],
        "counts": counts,
    }


def _cut_derived(derived: View, listed: set[str]) -> View:
    broken = {
        name: {serial: True for serial in serials if serial in listed}
        for name, serials in derived["broken"].items()
    }
    return {**derived, "broken": broken}


def _cut_client(client: View) -> tuple[View, dict[str, list[Any]]]:
    """The client without the batches in the middle of each queue; and, for each partition with such batches, their
    first and last name, their number and the number of their records."""
    batches: Entries = client.get("batches", {})
    timed = {timer["subject"] for timer in client.get("timers", {}).values()}
    folded: dict[str, list[Any]] = {}
    hidden: set[str] = set()
    for partition, queue in client.get("queues", {}).items():
        waiting = [
            name
            for name in queue.get("batches", ())[NEXT_BATCHES:-1]
            if batches[name]["attempts"] == 0 and name not in timed
        ]
        if waiting:
            records = sum(batches[name]["record_count"] for name in waiting)
            folded[partition] = [waiting[0], waiting[-1], len(waiting), records]
            hidden.update(waiting)
    if not folded:
        return client, folded
    return {
        **client,
        "batches": {name: batch for name, batch in batches.items() if name not in hidden},
    }, folded


def _cut_partition(partition: View, serials: frozenset[int], since: int) -> tuple[View, dict[str, Any]]:
    replicas, folded = dict(partition.get("replicas", {})), {}
    leader = str(partition.get("leader"))
    for broker, replica in replicas.items():
        # A page reads a record's result from the leader's log; without a leader, from any replica's.
        asked = serials if broker == leader or leader not in replicas else frozenset[int]()
        batches = replica.get("batches", {})
        newest = set(_in_order(batches)[-NEWEST_BATCHES:])
        cached = {
            str(first) for known in replica.get("producers", {}).values() for first in _offsets_of(known)
        }

        def is_listed(
            offset: str,
            batch: dict[str, Any],
            newest: set[str] = newest,
            cached: set[str] = cached,
            asked: frozenset[int] = asked,
        ) -> bool:
            return (
                offset in newest
                or offset in cached
                or batch.get("appended_at", 0) >= since
                or batch.get("outcome") == "open"
                or not asked.isdisjoint(batch["serials"])
            )

        stretches = list(_stretches(batches, is_listed))
        if not stretches:
            continue
        hidden = {offset for run in stretches for offset, _ in run}
        listed = {offset: batch for offset, batch in batches.items() if offset not in hidden}
        replicas[broker] = {**replica, "batches": listed}
        folded[broker] = [
            [
                run[0][1]["base_offset"],
                run[-1][1]["last_offset"],
                len(run),
                sum(_records_in(batch) for _, batch in run),
            ]
            for run in stretches
        ]
    return {**partition, "replicas": replicas}, folded


def _offsets_of(known: View) -> Iterator[int]:
    """The base offsets of a producer's cached batches (docs/frame.md: a cached batch)."""
    return (cached[2] for cached in known.get("batches", ()))


def _records_in(batch: dict[str, Any]) -> int:
    content = batch.get("content")
    return len(content["keys"]) if content is not None else batch["record_count"]


def _in_order(entries: Entries) -> list[str]:
    return sorted(entries, key=int)


def _stretches(
    entries: Entries, is_listed: Callable[[str, dict[str, Any]], bool]
) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """The entries that are not listed, in the order of their numbers, as one list for each group of neighbours."""
    run: list[tuple[str, dict[str, Any]]] = []
    for name in _in_order(entries):
        entry = entries[name]
        if not is_listed(name, entry):
            run.append((name, entry))
        elif run:
            yield run
            run = []
    if run:
        yield run


# -- changes -----------------------------------------------------------------------------------------------------


def _lies_in(stretches: list[list[int]], number: int) -> bool:
    return any(first <= number <= last for first, last, *_ in stretches)


def _brings_near(view: View, path: list[str], after: Any) -> bool:
    """Whether the view cannot take this change of a client, because a batch is not listed."""
    waiting = view.get("folded", {}).get("batches")
    if waiting is None or path[0] != "clients":
        return False
    if len(path) == 1 or path[1] not in waiting:
        return len(path) == 1
    if len(path) < 4:
        return len(path) == 2 or path[2] in ("batches", "queues")
    listed = view["clients"][path[1]].get("batches", {})
    if path[2] == "batches":
        is_made = len(path) == 4 and after is not ABSENT
        return not is_made and path[3] not in listed
    if path[2] != "queues" or path[3] not in waiting[path[1]] or path[4:] not in ([], ["batches"]):
        return False
    if after is ABSENT:
        return True
    queue = after if len(path) == 5 else after.get("batches", ())
    return any(name not in listed for name in queue[:DRAWN_BATCHES])


def _owners(view: View) -> dict[int, str]:
    """Dict of serial → the name of the producer whose batches contain the record."""
    return {
        serial: name
        for name, client in view.get("clients", {}).items()
        for batch in client.get("batches", {}).values()
        for serial in batch["serials"]
    }


def _count(folded: dict[str, Any], owners: dict[int, str], change: Change) -> bool:
    """Count the new status of a record that is not listed. Returns False for a change of anything else."""
    path, before, after = change
    if path[0] != "records" or len(path) != 3 or int(path[1]) not in owners:
        return False
    if path[2] == "status":
        counts = folded["records"]["counts"][owners[int(path[1])]]
        counts[before] -= 1
        counts[after] = counts.get(after, 0) + 1
        if counts[before] == 0:
            del counts[before]
    return True


def _place(view: View, path: list[str], after: Any) -> None:
    """Set the value of a path (docs/frame.md). Removing a key leaves its parent."""
    *parents, name = path
    place = view
    for parent in parents:
        below = place.get(parent)
        if not isinstance(below, dict):
            if after is ABSENT:
                return
            below = place[parent] = {}
        place = below
    if after is ABSENT:
        place.pop(name, None)
    else:
        place[name] = after

"""Collects the running timers of all roles from a view.

The name of a timer is `<actor>/<kind> <subject>`. Clients list their timers in the view. The timers of all other
roles are made here from the entries of the view that have a deadline. Pages get the timers from view/derived.py.

Two kinds of timers are left out: those for waits that the engine does not have (a replica leaves the ISR only by a
fault, LOG-7), and those of background scans, which take place in any case (LOG-12, TXC-21).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

Json = Mapping[str, Any]
Timer = dict[str, Any]
"""One timer, with the keys `kind`, `subject`, `since` (virtual ms; None when unknown) and `until` (virtual ms)."""


class Kind(NamedTuple):
    """One kind of timers."""

    ends_wait: bool = False
    """Whether its end may end a wait for a message."""
    settings: tuple[str, ...] = ()
    """The client setting that determines its length, with all the names that the setting has in the profiles."""


KINDS = {
    "linger": Kind(settings=("linger_ms",)),
    "retry_backoff": Kind(settings=("retry_backoff_ms",)),
    "request_timeout": Kind(ends_wait=True, settings=("request_timeout_ms",)),
    "expiry": Kind(ends_wait=True, settings=("batch_expiry_ms", "delivery_timeout_ms")),
    "max_block": Kind(ends_wait=True, settings=("max_block_ms",)),
    "transaction_timeout": Kind(ends_wait=True, settings=("transaction_timeout_ms",)),
    "replication_wait": Kind(settings=("request_timeout_ms",)),
    "session": Kind(),
    "prepare_timeout": Kind(ends_wait=True),
    "answer_timeout": Kind(ends_wait=True),
    "check_due": Kind(),
    "compensation_due": Kind(),
    "local_work": Kind(),
    "ask_again": Kind(),
    "database_response": Kind(ends_wait=True),
    "work": Kind(),
}
"""Dict of name → kind of timers."""


def first_to_end_wait(view: Json, actors: Collection[str], since: int) -> Timer | None:
    """Of the timers of these actors that may end a wait for a message, the one that ends first at ``since`` (virtual
    ms) or later; None if there is none."""
    found = (
        timer
        for actor, _, timer in running(view)
        if actor in actors and KINDS[timer["kind"]].ends_wait and timer["until"] >= since
    )
    return min(found, key=lambda timer: (timer["until"], timer["kind"]), default=None)


def running(view: Json) -> Iterator[tuple[str, str, Timer]]:
    """(Actor, name, timer) of every timer in a view, role after role."""
    for client, shown in view.get("clients", {}).items():
        for name, timer in shown.get("timers", {}).items():
            yield client, name, timer
    yield from beside_clients(view)


def beside_clients(view: Json) -> Iterator[tuple[str, str, Timer]]:
    """(Actor, name, timer) of every timer of a role other than a client."""
    for gather in (_coordinators, _waiting_appends, _sessions, _middleware, _due, _services):
        for actor, kind, subject, since, until in gather(view):
            timer = {"kind": kind, "subject": subject, "since": since, "until": until}
            yield actor, f"{kind} {subject}", timer


def named(view: Json, selection: str) -> tuple[str, Timer | None]:
    """(actor, timer) for a timer that `selection` names as `<actor>/<name>`. The timer is None when it is not
    running."""
    wanted, _, wanted_name = selection.partition("/")
    for actor, name, timer in running(view):
        if actor == wanted and name == wanted_name:
            return actor, timer
    return wanted, None


_Found = Iterator[tuple[str, str, str, int | None, int]]


def _coordinators(view: Json) -> _Found:
    """The timers of open transactions (TXC-20)."""
    for number, broker in view.get("brokers", {}).items():
        for transactional_id, entry in broker.get("transactions", {}).items():
            if entry["times_out_at"] is not None:
                since, until = entry["started_at"], entry["times_out_at"]
                yield f"broker-{number}", "transaction_timeout", transactional_id, since, until


def _waiting_appends(view: Json) -> _Found:
    """The timers of appends that wait for replication (LOG-2)."""
    for partition in view.get("partitions", {}).values():
        for number, replica in partition.get("replicas", {}).items():
            for one in replica.get("waiting", ()):
                subject = f"{one['partition']}@{one['until_offset']}"
                yield f"broker-{number}", "replication_wait", subject, None, one["deadline"]


def _sessions(view: Json) -> _Found:
    """The timers of brokers' sessions (LOG-10)."""
    for number, session in view.get("zookeeper", {}).get("sessions", {}).items():
        if session["expires_at"] is not None and not session["alive"]:
            yield f"broker-{number}", "session", "ZooKeeper", None, session["expires_at"]
    for number, registration in view.get("quorum", {}).get("brokers", {}).items():
        if registration["expires_at"] is not None:
            yield f"broker-{number}", "session", "controller", None, registration["expires_at"]


def _middleware(view: Json) -> _Found:
    for tid, transaction in view.get("middleware", {}).get("transactions", {}).items():
        timer = transaction["timer"]
        if timer is not None:
            yield "middleware", timer["kind"], tid, timer["since"], timer["until"]


def _due(view: Json) -> _Found:
    """The timers of the business system and of the manager (MW-6, MW-11)."""
    for node, kind in (("business", "local_work"), ("manager", "ask_again")):
        for tid, one in view.get("middleware", {}).get(node, {}).get("transactions", {}).items():
            if one.get("due") is not None:
                yield node, kind, tid, None, one["due"]


def _services(view: Json) -> _Found:
    """The timers of services and of their worker threads."""
    for name, service in view.get("services", {}).items():
        if service["timeout_at"] is not None:
            yield name, "database_response", "database", service["asked_at"], service["timeout_at"]
        for one in service.get("workers", ()):
            if one["until"] is not None and not one["inserts"]:
                yield name, "work", f"{one['partition']} {one['offset']}", one["since"], one["until"]

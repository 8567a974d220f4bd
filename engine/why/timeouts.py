"""Answers why a transaction was aborted by its timeout, and why at this time."""

from __future__ import annotations

from collections.abc import Iterator

from engine.lately import Said
from engine.why.links import Link, NotAsked, actor_subject, link, transaction_subject
from engine.why.moment import Moment
from engine.why.outcomes import users
from engine.why.records import quoted

TIMED_OUT = "coordinator.transaction_timed_out"


def timed_out(moment: Moment, transactional_id: str) -> Said | None:
    """The newest step that aborted a transaction of this id because of its timeout; None without one."""
    return moment.lately.said.get((TIMED_OUT, transactional_id))


def why_timed_out(moment: Moment, transactional_id: str) -> Iterator[Link]:
    """Links that say when the timeout began and ended and how often the coordinator looks for transactions that timed
    out, and links about the id's clients (``users``). Raises NotAsked if no transaction of the id has timed out."""
    found, said = moment.entry_of(transactional_id), timed_out(moment, transactional_id)
    if found is None or said is None:
        raise NotAsked(
            "subject", f"no transaction of {transactional_id!r} has timed out", "an id whose transaction has"
        )
    coordinator, entry = found
    subject = transaction_subject(transactional_id)
    started, timeout = entry["started_at"], entry["timeout_ms"]
    if started is not None and started <= said.at:
        yield link(
            "timeout.clock",
            "TXC-20",
            subject=subject,
            transactional_id=transactional_id,
            started_at=started,
            timeout=timeout,
            until=started + timeout,
        )
    if moment.step is not None and moment.step["number"] != said.number:
        yield quoted(said, subject)
    interval = moment.transaction_scan_interval(coordinator)
    if interval is not None:
        yield link(
            "timeout.scan",
            "TXC-20",
            subject=actor_subject(coordinator),
            coordinator=coordinator,
            interval=interval,
            at=said.at,
        )
    # Without an identity, ``users`` names no client with another epoch: here, the abort itself has raised the epoch.
    yield from users(moment, transactional_id, None)

"""Answers why a row and its record do not match: with the stored copies, and the steps that ended a service's work
between the commit of the row and that of the record."""

from __future__ import annotations

from collections.abc import Iterator

from engine.why.guarantees import was_found
from engine.why.happened import own_words
from engine.why.links import Link, NotAsked, actor_subject, link, partition_subject
from engine.why.moment import Moment
from engine.why.records import quoted, record_subject

_ENDINGS = (
    "fault.client_crashed",
    "service.in_doubt",
    "service.inserts_in_doubt",
    "service.connection_lost",
    "service.record_failed",
)
"""Keys of the steps that end the work of a service between the commit of the row and that of the record."""
_SKIPS = "service.commits_past"


def why_apart(moment: Moment, subject: str) -> Iterator[Link]:
    """Links about the stored row and record of one serial, and about the steps that ended the work of the services.
    Raises NotAsked for a subject that is no serial, for a run without a database, and for a serial whose row and
    record match according to the judges."""
    database = moment.part("database")
    if not subject.isdecimal() or not database:
        raise NotAsked("subject", f"{subject!r} is no record of a run with a database", "a serial")
    if not was_found(moment, int(subject), "row_missing", "record_missing", "row_repeated"):
        raise NotAsked("subject", f"no judge found record {subject} apart from its row", "a record that was")
    row = (database.get("rows") or {}).get(subject)
    copies = 0 if row is None else row["copies"]
    about = actor_subject("database")
    if copies == 0:
        yield link("apart.no_row", "CPT-4", subject=about, serial=int(subject))
    else:
        yield link("apart.rows", "CPT-5", subject=about, serial=int(subject), count=copies)
    yield _record(moment, int(subject))
    step = moment.step
    if step is not None and any(one["partition"] == "database" for one in step["broken"]):
        yield own_words(step)
    keys = _ENDINGS if copies else (_SKIPS, *_ENDINGS)
    for service in moment.part("services"):
        for key in keys:
            said = moment.lately.said.get((key, service))
            if said is not None and (step is None or said.number != step["number"]):
                yield quoted(said, actor_subject(service))
    yield link("apart.two_commits", "CPT-4")


def _record(moment: Moment, serial: int) -> Link:
    for partition in moment.part("partitions"):
        if any(serial in batch["serials"] for batch in moment.batches(partition)):
            where = partition_subject(partition)
            return link("apart.record", "CPT-4", subject=where, serial=serial, partition=partition)
    return link("apart.no_record", "CPT-4", subject=record_subject(serial), serial=serial)

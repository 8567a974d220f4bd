"""Sentences for a database beside Kafka and for the services that write to both systems."""

from __future__ import annotations

from typing import Any

from engine.database.messages import DATABASE
from engine.happenings import database as happened
from engine.happenings.base import Happening
from engine.telling.rows import row_key
from engine.telling.telling import Tell, Teller, notes, says

EMPTY = "–"


def _records(serials: tuple[int, ...]) -> list[str]:
    return [f"r{serial}" for serial in serials] or [EMPTY]


def _places(records: tuple[tuple[str, int], ...]) -> list[str]:
    return [f"{partition} {offset}" for partition, offset in records]


def _offsets(offsets: tuple[tuple[str, int], ...]) -> list[str]:
    return [f"{partition} → {offset}" for partition, offset in offsets] or [EMPTY]


def _also(
    h: happened.RowsHeld | happened.RowsStored | happened.RowsWritten, section: str, teller: Teller
) -> None:
    """Add notes on the outbox entries and the offsets that a local transaction holds besides rows."""
    named: dict[str, Any] = {"service": h.service, "database": DATABASE}
    if h.outbox:
        teller.note(f"{section}.with_outbox", ("CPT-4",), records=_records(h.outbox), **named)
    if h.removed:
        teller.note(f"{section}.without_entries", ("CPT-4",), records=_records(h.removed), **named)
    if h.offsets:
        teller.note(f"{section}.with_offsets", ("OFS-6",), offsets=_offsets(h.offsets), **named)


def _held(h: happened.RowsHeld, teller: Teller) -> None:
    key = row_key(h.row) if h.rows else "local_transaction.opens_to_delete"
    records = _records(h.rows or h.removed)
    teller.say(key, (h.row.spec,), database=h.database, service=h.service, records=records)
    if h.repeated:
        key = "local_transaction.row_exists"
        teller.note(key, ("CPT-5", "CPT-6"), database=h.database, records=_records(h.repeated))


def _stored(h: happened.RowsStored, teller: Teller) -> None:
    key = row_key(h.row) if h.rows else "local_transaction.commits_no_row"
    teller.say(key, (h.row.spec,), database=h.database, service=h.service, records=_records(h.rows))
    _also(h, "local_transaction", teller)


def _inserted(h: happened.RowInserted, teller: Teller) -> None:
    key = "local_transaction.inserts_no_row" if h.repeated else row_key(h.row)
    records = _records((h.serial,))
    teller.say(key, (h.row.spec,), database=h.database, service=h.service, records=records)
    if h.repeated:
        key = "local_transaction.row_exists"
        teller.note(key, ("CPT-5", "CPT-6"), database=h.database, records=records)


def _undone(h: happened.RowsUndone | happened.LocalTransactionUndone, teller: Teller) -> None:
    tell = teller.say if h.makes_step else teller.note
    tell(row_key(h.row), (h.row.spec,), database=h.database, service=h.service, records=_records(h.rows))


def _offsets_returned(h: happened.KeptOffsetsReturned, teller: Teller) -> None:
    key = "database.tells_offsets" if h.offsets else "database.has_no_offsets"
    teller.say(key, ("OFS-6",), database=h.database, service=h.service, offsets=_offsets(h.offsets))


def _outbox_returned(h: happened.OutboxReturned, teller: Teller) -> None:
    key = "database.tells_outbox" if h.entries else "database.outbox_is_empty"
    teller.say(key, ("CPT-4",), database=h.database, service=h.service, records=_records(h.entries))


def _offsets_taken(h: happened.KeptOffsetsTaken, teller: Teller) -> None:
    teller.say(
        "service.restores_offsets",
        ("CON-8", "OFS-6"),
        service=h.service,
        consumer=h.consumer,
        offsets=_offsets(h.offsets),
    )


def _order_taken(h: happened.OrderTaken, teller: Teller) -> None:
    teller.say("service.takes_order", ("GEN-4",), service=h.service, record=f"r{h.serial}", round=h.round)


def _records_taken(h: happened.RecordsTaken, teller: Teller) -> None:
    teller.say(
        "service.polls",
        ("CON-8",),
        service=h.service,
        consumer=h.consumer,
        round=h.round,
        count=len(h.records),
        records=_places(h.records),
    )


def _outbox_taken(h: happened.OutboxTaken, teller: Teller) -> None:
    key = "service.takes_entries" if h.entries else "service.finds_nothing"
    teller.say(key, ("CPT-4",), service=h.service, records=_records(h.entries))


def _written(h: happened.RowsWritten, teller: Teller) -> None:
    named = {"service": h.service, "database": h.database}
    if h.rows:
        teller.say("service.writes_rows", ("CPT-4",), count=len(h.rows), records=_records(h.rows), **named)
    else:
        teller.say("service.deletes_entries", ("CPT-4",), records=_records(h.removed), **named)
    if h.outbox:
        teller.note("service.writes_outbox", ("CPT-4",), records=_records(h.outbox), **named)
    if h.offsets:
        teller.note("service.writes_offsets", ("OFS-6",), offsets=_offsets(h.offsets), **named)


def _confirmed(h: happened.WriteConfirmed, teller: Teller) -> None:
    key, rule = ("service.row_existed", "CPT-5") if h.repeated else ("service.rows_held", "CPT-4")
    teller.say(key, (rule,), service=h.service, database=h.database, records=_records(h.repeated))


def _failed(h: happened.RecordsFailed, teller: Teller) -> None:
    key = "service.record_failed_open" if h.open else "service.record_failed"
    teller.say(key, ("CPT-4",), service=h.service, producer=h.producer, records=_records(h.serials))


def _hands(key: str) -> Tell:
    def tell(h: happened.OffsetsHanded | happened.OffsetsHandedAtPoll, teller: Teller) -> None:
        named = {"service": h.service, "consumer": h.consumer, "group": h.group}
        teller.say(key, ("OFS-6", "CON-8"), offsets=_offsets(h.offsets), **named)

    return tell


def _worker_inserts(h: happened.WorkerInserts, teller: Teller) -> None:
    named: dict[str, Any] = {"service": h.service, "partition": h.partition, "offset": h.offset}
    record = f"r{h.serial}"
    teller.say("service.worker_inserts", ("CPT-4",), database=h.database, record=record, **named)


def _in_doubt(h: happened.InsertsInDoubt, teller: Teller) -> None:
    named = {"service": h.service, "database": h.database}
    teller.say("service.inserts_in_doubt", ("GEN-5",), records=_records(h.serials), **named)
    if h.timed_out:
        teller.note("service.timed_out", ("GEN-5",), **named)


def _worker_done(h: happened.WorkerDone, teller: Teller) -> None:
    named: dict[str, Any] = {"service": h.service, "partition": h.partition, "offset": h.offset}
    key, rule = ("service.worker_found_row", "CPT-5") if h.repeated else ("service.worker_done", "CPT-4")
    teller.say(key, (rule,), database=h.database, record=f"r{h.serial}", **named)


def _skips(h: happened.CommitSkips, teller: Teller) -> None:
    records = _places(h.records)
    teller.note("service.commits_past", ("CON-9",), service=h.service, group=h.group, records=records)


def _round_over(h: happened.RoundOver, teller: Teller) -> None:
    # A round may have polled a record twice: its duplicate is stored, too.
    records = _records(tuple(dict.fromkeys(h.serials)))
    teller.say("service.round_over", ("CPT-4",), service=h.service, round=h.number, records=records)


def _lost(h: happened.ConnectionLost, teller: Teller) -> None:
    key = "service.in_doubt" if h.in_doubt else "service.connection_lost"
    teller.say(key, ("GEN-5",), service=h.service, database=h.database)
    if h.timed_out:
        teller.note("service.timed_out", ("GEN-5",), service=h.service, database=h.database)


def _ended(h: happened.ServiceEnded, teller: Teller) -> None:
    key = "service.forgets" if h.serials else "service.had_nothing"
    teller.note(key, ("GEN-6",), service=h.service, state=h.state, records=_records(h.serials))


TELLINGS: dict[type[Happening], Tell] = {
    happened.RowsHeld: _held,
    happened.RowsStored: _stored,
    happened.RowInserted: _inserted,
    happened.RowsUndone: _undone,
    happened.LocalTransactionUndone: _undone,
    happened.KeptOffsetsReturned: _offsets_returned,
    happened.OutboxReturned: _outbox_returned,
    happened.ServiceStarted: says("service.starts", "GEN-4"),
    happened.KeptOffsetsAsked: says("service.asks_offsets", "OFS-6", "CON-9"),
    happened.KeptOffsetsTaken: _offsets_taken,
    happened.OrderTaken: _order_taken,
    happened.RecordsTaken: _records_taken,
    happened.OutboxAsked: says("service.asks_outbox", "CPT-4"),
    happened.OutboxTaken: _outbox_taken,
    happened.RowsWritten: _written,
    happened.WriteConfirmed: _confirmed,
    happened.CommitAsked: says("service.commits", "CPT-4"),
    happened.CommitConfirmed: says("service.committed_rows", "CPT-4"),
    happened.RollBackAsked: says("service.rolls_back", "CPT-4"),
    happened.RollBackConfirmed: says("service.rolled_back_rows", "CPT-4"),
    happened.RecordsFailed: _failed,
    happened.OffsetsHanded: _hands("service.commits_offsets"),
    happened.WorkerBegins: notes("service.worker_begins", "CON-8"),
    happened.WorkerInserts: _worker_inserts,
    happened.InsertsInDoubt: _in_doubt,
    happened.WorkerDone: _worker_done,
    happened.CommitStays: notes("service.commit_stays", "CON-9"),
    happened.OffsetsHandedAtPoll: _hands("service.auto_commits"),
    happened.CommitSkips: _skips,
    happened.RoundOver: _round_over,
    happened.ConnectionLost: _lost,
    happened.ServiceEnded: _ended,
    happened.ServiceBack: notes("service.is_back", "GEN-6"),
}

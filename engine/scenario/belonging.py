"""The table of the fields that an entry of the fault script, a call or an override may have. One field of it
decides which others it may have: ``action`` in an entry of the fault script, ``do`` in a call, ``set`` in an
override.

The loader uses this table to refuse a field without a meaning, and forms use it to leave such fields out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.scenario import schema
from engine.scenario.bad_scenario import BadScenario
from engine.scenario.phrases import any_of, wrong


@dataclass(frozen=True, slots=True)
class Belonging:
    """The fields that the entries of one section may have. ``word``: the field that decides which others an entry may
    have. ``always``: the fields that every entry may have besides. ``fields``: dict of value of ``word`` → the
    further fields that it allows."""

    word: str
    always: tuple[str, ...]
    fields: dict[str, tuple[str, ...]]


BELONGING: dict[str, Belonging] = {
    "fault": Belonging(
        "action",
        ("at", "match", "after_ms"),
        {
            "drop": ("taken",),
            "drop_alone": (),
            "delay": ("by_ms",),
            "duplicate": (),
            "reorder": (),
            "disconnect": ("taken",),
            "inject_error": ("error", "stored", "message"),
            "crash": ("actor", "for_ms", "clean"),
            "restart": ("actor",),
            "pause": ("actor", "for_ms"),
            "resume": ("actor",),
            "change_leader": ("partition", "broker"),
            "shrink_isr": ("partition", "broker"),
            "restore_isr": ("partition", "broker"),
            "deny": ("operation", "resource"),
            "allow": ("operation", "resource"),
            "delete_head": ("partition", "to"),
            "compact": ("partition", "to"),
            "seek": ("actor", "partition", "to"),
            "close_consumer": ("actor",),
            "expire_producers": ("partition",),
            "competing_write": (),
            "lose_heartbeats": ("actor", "for_ms"),
            "find_heartbeats": ("actor",),
            "fail_controller": (),
            "craft_produce": ("partition", "message"),
            "craft_request": ("actor", "message"),
            "make_unavailable": ("actor", "for_ms"),
            "make_available": ("actor",),
            "delete_topic": ("topic",),
            "advance_clock": (),
            "set": ("path", "value"),
            "connect_slowly": ("actor", "by_ms"),
            "update_features": ("to",),
            "list_transactions": ("duration_ms",),
            "describe_transaction": ("transactional_id",),
            "describe_producers": ("partition", "broker"),
            "find_hanging": ("broker", "topic", "partition", "timeout_minutes"),
            "abort_hanging": (
                "partition",
                "start_offset",
                "producer_id",
                "producer_epoch",
                "coordinator_epoch",
            ),
        },
    ),
    "call": Belonging(
        "do",
        ("at",),
        {
            "send": ("partition", "records", "size", "every", "again", "if_failed", "key"),
            "flush": (),
            "close": (),
            "force_close": (),
            "init_transactions": (),
            "begin_transaction": (),
            "send_offsets": ("group", "offsets", "member"),
            "commit_transaction": (),
            "abort_transaction": (),
            "transact": ("records", "every"),
            "roll_back": ("tid", "nodes"),
        },
    ),
    "override": Belonging(
        "set",
        (),
        {
            "client": ("client", "partition", "next_sequence", "producer_id", "producer_epoch"),
            "broker_entry": (
                "partition",
                "producer_id",
                "producer_epoch",
                "last_sequence",
                "last_offset",
            ),
            "zookeeper": ("block_start", "block_end", "broker", "next_id"),
            "log_start": ("partition", "offset"),
            "leader": ("partition", "broker", "no_leader"),
            "transaction": (
                "transactional_id",
                "state",
                "producer_id",
                "producer_epoch",
                "partitions",
                "timeout_ms",
            ),
            "group": ("group", "generation", "members"),
        },
    ),
}


def check_belonging(document: dict[str, Any]) -> None:
    """Raises BadScenario for a field that is meaningless beside the ``action``, ``do`` or ``set`` of its entry.
    The types were checked before."""
    for section, place, row in _rows(document):
        may = _may(section, row)
        for name in row:
            if name not in may:
                word = row[BELONGING[section].word]
                raise BadScenario(f"{place}.{name}", wrong("means_nothing", word=word), any_of(may))


def leave_out_meaningless(document: dict[str, Any]) -> None:
    """Remove the fields that have no meaning since a variant changed the ``action``, ``do`` or ``set`` of their
    entry. The loader reports wrong types."""
    for section, _, row in _rows(document):
        may = _may(section, row)
        for name in [name for name in row if may and name not in may]:
            del row[name]


def _rows(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """For each entry of a section in BELONGING: (name of the section, dotted place in the document, entry)."""
    for section, rows in (("fault", "faults"), ("override", "overrides")):
        for index, row in _tables(document, rows):
            yield section, f"{rows}.{index}", row
    for _, application in _tables(document, "applications"):
        for index, call in _tables(application, "calls"):
            yield "call", f"applications.{application.get('name')}.calls.{index}", call


def _tables(table: dict[str, Any], rows: str) -> list[tuple[int, dict[str, Any]]]:
    found = table.get(rows)
    return [
        (at, row) for at, row in enumerate(found if isinstance(found, list) else ()) if isinstance(row, dict)
    ]


def _may(section: str, row: dict[str, Any]) -> tuple[str, ...]:
    """The fields that an entry may have; empty if its ``action``, ``do`` or ``set`` is unknown."""
    belonging = BELONGING[section]
    word = row.get(belonging.word)
    fields = belonging.fields.get(word) if isinstance(word, str) else None
    return () if fields is None else (belonging.word, *belonging.always, *fields)


def _complete() -> None:
    """Raises ValueError unless the table has exactly the values and fields of the schema."""
    for section, belonging in BELONGING.items():
        known = schema.SECTIONS[section]
        words = set(known[belonging.word].choices)
        named = {name for names in belonging.fields.values() for name in names}
        if words != belonging.fields.keys() or named | {belonging.word, *belonging.always} != known.keys():
            raise ValueError(f"{section}: the table of what belongs to what is not that of the schema")


_complete()

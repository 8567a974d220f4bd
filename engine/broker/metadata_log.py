"""The log in which the controllers of a quorum keep every decision, and which brokers read (KIP-500, KIP-631).

A record is committed as soon as the active controller has written it: the replication to the other
controllers is not simulated. Each record has the controller epoch under which it was written. No record is
ever lost.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter

from engine.broker.controller import Announcement
from engine.shapes.brokers import MetadataRecordView
from engine.shapes.words import JsonObject
from engine.watching import Path

_offset = attrgetter("offset")


class MetadataRecord:
    """One record, or ``count`` records of one kind that were written together. A part of the view.

    ``count`` 0: an entry that takes no offset. ``kind``: Kafka's name of the record. ``about``: the
    partition, topic, broker or feature that the record changes. ``word``: the decision that brokers apply
    when they read the record; None: they apply nothing.
    """

    __slots__ = ("about", "count", "epoch", "fields", "kind", "offset", "path", "word")

    def __init__(
        self,
        offset: int,
        epoch: int,
        kind: str,
        about: str,
        fields: JsonObject,
        word: Announcement | None,
        count: int,
    ) -> None:
        self.path: Path = ("quorum", "log", str(offset))
        self.offset = offset
        self.epoch = epoch
        self.kind = kind
        self.about = about
        self.fields = fields
        self.word = word
        self.count = count

    def view(self) -> MetadataRecordView:
        shown: MetadataRecordView = {
            "epoch": self.epoch,
            "kind": self.kind,
            "about": self.about,
            "fields": dict(self.fields),
        }
        if self.count > 1:
            shown["count"] = self.count
        return shown


class MetadataLog:
    """The log of the controllers' decisions: all its records, in the order of their offsets."""

    __slots__ = ("end", "records")

    def __init__(self) -> None:
        self.records: list[MetadataRecord] = []
        self.end = 0
        """The offset after the last record."""

    def append(
        self,
        epoch: int,
        kind: str,
        about: str,
        fields: JsonObject,
        word: Announcement | None = None,
        count: int = 1,
    ) -> MetadataRecord:
        record = MetadataRecord(self.end, epoch, kind, about, fields, word, count)
        self.records.append(record)
        self.end += count
        return record

    def behind(self, offset: int) -> list[MetadataRecord]:
        """The records from ``offset`` on."""
        return self.records[bisect_left(self.records, offset, key=_offset) :]

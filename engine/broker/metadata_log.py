"""The log in which the controllers of a quorum keep every decision (KIP-500, KIP-631), and brokers read them.

A record is in the log from the moment on that the active controller wrote it: the vote of the other controllers is not
played. Each record belongs to the controller epoch under which it was written, and none is ever lost.
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
    """One record, or ``count`` of a kind that were written together. A part of the view.

    ``kind``: Kafka's name of the record; ``about``: the partition, topic or broker; ``word``: what brokers do about it.
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
    """All records, by offset."""

    __slots__ = ("end", "records")

    def __init__(self) -> None:
        self.records: list[MetadataRecord] = []
        self.end = 0
        """The offset behind the last record."""

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

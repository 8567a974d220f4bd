"""Sends a part of a page to open pages whenever it changes.

Each open socket renders the part after each message to the part's group, and also every LOOK_SECONDS,
because some changes send no message. `static/classroom/results.ts` shows the
part.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import uuid
from contextlib import suppress
from typing import Any, ClassVar

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import translation

from eosviz.accounts.models import User
from eosviz.accounts.person_right import rights_of_person
from eosviz.in_thread import in_thread
from eosviz.rights import Ending, Right
from eosviz.sockets import RightfulConsumer

LOOK_SECONDS = 2.0


class LivePart(RightfulConsumer):
    """A WebSocket at `…/?lang=en`. It sends `{"table": "…"}`, where the string is the part's HTML, whenever
    this has changed since it was sent last."""

    def group(self) -> str:
        """The name of the channel-layer group of all pages that show the same part."""
        raise NotImplementedError

    def right(self) -> Right:
        """The right to see the part. This method is called in a thread."""
        raise NotImplementedError

    def part(self) -> str | None:
        """The part's HTML; None if the part no longer exists. This method is called in a thread, and only
        while the right lasts."""
        raise NotImplementedError

    async def connect(self) -> None:
        self.language = "zh-hans" if b"lang=zh" in self.scope.get("query_string", b"") else "en"
        self.changed = asyncio.Event()
        self.shown = ""
        self.looking: asyncio.Task[None] | None = None
        await self.accept()
        if await self.hold(await in_thread(self._rights)()) is not None:
            await self.close(Ending.GONE)
            return
        await self.channel_layer.group_add(self.group(), self.channel_name)
        self.looking = asyncio.create_task(self._look())

    def _rights(self) -> tuple[Right, ...]:
        return (*rights_of_person(self.scope), self.right())

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(self.group(), self.channel_name)
        if self.looking is not None and self.looking is not asyncio.current_task():
            self.looking.cancel()
            with suppress(asyncio.CancelledError):
                await self.looking

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Ignores messages: the page has nothing to send here."""

    async def part_changed(self, event: dict[str, Any]) -> None:
        self.changed.set()

    async def _look(self) -> None:
        while await self.is_allowed():
            self.changed.clear()
            with suppress(DatabaseError):  # the next round tries again
                part = await in_thread(self._rendered)()
                if part is None:
                    await self.close(Ending.GONE)
                    return
                digest = hashlib.sha256(part.encode()).hexdigest()
                if digest != self.shown:
                    self.shown = digest
                    await self.send(text_data=json.dumps({"table": part}))
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), LOOK_SECONDS)

    def _rendered(self) -> str | None:
        with translation.override(self.language):
            return self.part()


class PartOfRow(LivePart):
    """A part about one row, for example a class. Only accounts that `rows` lets see this row may see the
    part."""

    parameter: ClassVar[str]
    """The name of the parameter in the address that contains the row's id."""

    def rows(self, seen_by: User | None = None) -> QuerySet[Any]:
        """The rows of this kind that `seen_by` may see; all rows if it is None."""
        raise NotImplementedError

    def topic(self) -> str:
        """The topic under which changes of the right are announced (`eosviz/rights.py`)."""
        raise NotImplementedError

    @property
    def wanted(self) -> uuid.UUID:
        named: uuid.UUID = self.scope["url_route"]["kwargs"][self.parameter]
        return named

    def row(self) -> Any:
        return self.rows().filter(id=self.wanted).first()

    def right(self) -> Right:
        wanted, person, rows = self.wanted, getattr(self.scope["user"], "pk", None), self.rows

        def ask() -> Ending | None:
            user = User.objects.filter(pk=person, is_active=True).first()
            if user is not None and rows(user).filter(id=wanted).exists():
                return None
            return Ending.TAKEN if rows().filter(id=wanted).exists() else Ending.GONE

        return Right(f"{self.parameter} {wanted} {person}", frozenset({self.topic()}), ask)

"""A part of a page that moves while somebody looks at it.

Who looks gets the part again whenever it changed: at once when its group was told, and otherwise looked at every two
seconds, because not everything that changes it knows who looks. Nothing is looked at while nobody looks.
`static/classroom/results.ts` shows it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from contextlib import suppress
from typing import Any

from django.db import DatabaseError
from django.utils import translation

from eosviz.sockets import PromptConsumer
from eosviz.walkthroughs.consumer import NOT_FOUND_CODE, in_thread

LOOK_SECONDS = 2.0


class LivePart(PromptConsumer):
    """`…/?lang=en`: `{"table": "<table …>"}` whenever it is another one. It reads nothing."""

    def group(self) -> str:
        """The channel-layer group of everybody who looks at the same."""
        raise NotImplementedError

    def part(self) -> str | None:
        """The part's HTML; None for whoever may not look, or may not any more. Asked each time, in a thread."""
        raise NotImplementedError

    async def connect(self) -> None:
        self.language = "zh-hans" if b"lang=zh" in self.scope.get("query_string", b"") else "en"
        self.changed = asyncio.Event()
        self.shown = ""
        self.looking: asyncio.Task[None] | None = None
        await self.accept()
        await self.channel_layer.group_add(self.group(), self.channel_name)
        self.looking = asyncio.create_task(self._look())

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(self.group(), self.channel_name)
        if self.looking is not None and self.looking is not asyncio.current_task():
            self.looking.cancel()
            with suppress(asyncio.CancelledError):
                await self.looking

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing is asked for here."""

    async def part_changed(self, event: dict[str, Any]) -> None:
        self.changed.set()

    async def _look(self) -> None:
        while True:
            self.changed.clear()
            with suppress(DatabaseError):  # the next look will do
                part = await in_thread(self._told)()
                if part is None:
                    await self.close(NOT_FOUND_CODE)
                    return
                digest = hashlib.sha256(part.encode()).hexdigest()
                if digest != self.shown:
                    self.shown = digest
                    await self.send(text_data=json.dumps({"table": part}))
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), LOOK_SECONDS)

    def _told(self) -> str | None:
        with translation.override(self.language):
            return self.part()

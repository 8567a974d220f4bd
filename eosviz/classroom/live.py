"""Results that move while an instructor looks at them.

A page that is open gets its table again whenever it changed: at once after something was begun or handed in, and
otherwise looked at every two seconds, because learners step without the class knowing. Nothing is looked at while
no instructor looks.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import uuid
from contextlib import suppress
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError
from django.template.loader import render_to_string
from django.utils import translation

from eosviz.accounts.models import User
from eosviz.walkthroughs.consumer import NOT_FOUND_CODE, in_thread
from eosviz.walkthroughs.streaming import send_to_group

LOOK_SECONDS = 2.0


def group_of_class(classroom_id: uuid.UUID) -> str:
    """The channel-layer group of everybody who looks at a class's results."""
    return f"class.{classroom_id.hex}"


def tell_instructors(classroom_id: uuid.UUID) -> None:
    """Something was begun, handed in or read. Never raises: a page that is not told looks by itself."""
    send_to_group(group_of_class(classroom_id), {"type": "class.changed"})


class ResultsConsumer(AsyncWebsocketConsumer):
    """`/ws/classes/<id>/?lang=en`: `{"table": "<table …>"}` whenever it is another one. It reads nothing."""

    async def connect(self) -> None:
        self.classroom_id: uuid.UUID = self.scope["url_route"]["kwargs"]["classroom_id"]
        self.language = "zh-hans" if b"lang=zh" in self.scope.get("query_string", b"") else "en"
        self.changed = asyncio.Event()
        self.shown = ""
        self.looking: asyncio.Task[None] | None = None
        await self.accept()
        await self.channel_layer.group_add(group_of_class(self.classroom_id), self.channel_name)
        self.looking = asyncio.create_task(self._look())

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(group_of_class(self.classroom_id), self.channel_name)
        if self.looking is not None and self.looking is not asyncio.current_task():
            self.looking.cancel()
            with suppress(asyncio.CancelledError):
                await self.looking

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Nothing is asked for here."""

    async def class_changed(self, event: dict[str, Any]) -> None:
        self.changed.set()

    async def _look(self) -> None:
        while True:
            self.changed.clear()
            with suppress(DatabaseError):  # the next look will do
                table = await in_thread(self._table)()
                if table is None:
                    await self.close(NOT_FOUND_CODE)
                    return
                digest = hashlib.sha256(table.encode()).hexdigest()
                if digest != self.shown:
                    self.shown = digest
                    await self.send(text_data=json.dumps({"table": table}))
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), LOOK_SECONDS)

    def _table(self) -> str | None:
        """None for whoever may not look, or may not any more: it is asked each time."""
        from eosviz.classroom.models import Classroom
        from eosviz.classroom.results import results_of

        user = User.objects.filter(pk=getattr(self.scope["user"], "pk", None), is_active=True).first()
        classroom = user and Classroom.objects.judged_by(user).filter(id=self.classroom_id).first()
        if not classroom:
            return None
        with translation.override(self.language):
            return render_to_string("classroom/results_table.html", {"results": results_of(classroom)})

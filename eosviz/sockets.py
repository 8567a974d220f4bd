"""What all sockets of the site share."""

from __future__ import annotations

from typing import Any

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer


class PromptConsumer(AsyncWebsocketConsumer):
    """Hands each message on at once.

    The library first looks in a thread whether a database connection has grown old: twice with each click, for a
    thread that reads no database here. Whoever reads one does so in a thread that looks by itself (`in_thread`).
    """

    async def dispatch(self, message: dict[str, Any]) -> None:
        handler = getattr(self, get_handler_name(message), None)
        if handler is None:
            raise ValueError(f"no handler for messages of the type {message['type']}")
        await handler(message)

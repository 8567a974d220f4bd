"""The floor's only task. Like the product's worker, it keeps one event loop in a thread, which sends the messages."""

import asyncio
import json
import threading
from functools import cache

from channels.layers import get_channel_layer

from benchmarks.floor.celery import app
from benchmarks.floor.models import Row
from benchmarks.floor.settings import PAYLOADS

SEND_SECONDS_MAX = 2.0


@cache
def sending_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


@cache
def payloads() -> list[str]:
    return list(json.loads(PAYLOADS.read_text()))


@app.task(name="floor.click", ignore_result=True, acks_late=True)
def click(group: str, number: int) -> None:
    """Commit one row and send one message, which is as large as the product's message for the same click."""
    body = payloads()[number % len(payloads())]
    Row(number=number, body=body.encode()).save(force_insert=True)
    event = {"type": "clicked", "number": number, "body": body}
    sent = asyncio.run_coroutine_threadsafe(get_channel_layer().group_send(group, event), sending_loop())
    sent.result(SEND_SECONDS_MAX)

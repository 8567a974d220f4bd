"""The floor's one task. Like the product's worker it keeps one event loop in a thread for what it sends."""

import asyncio
import json
import threading
from functools import cache

from channels.layers import get_channel_layer
from django.conf import settings

from benchmarks.floor.celery import app
from benchmarks.floor.models import Row

SEND_SECONDS_MAX = 2.0


@cache
def sending_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


@cache
def payloads() -> list[str]:
    return list(json.loads(settings.PAYLOADS.read_text()))


@app.task(name="floor.click", ignore_result=True, acks_late=True)
def click(group: str, number: int) -> None:
    """Commit one row and send one message of the product's size."""
    body = payloads()[number % len(payloads())]
    Row.objects.create(number=number, body=body.encode())
    event = {"type": "clicked", "number": number, "body": body}
    sent = asyncio.run_coroutine_threadsafe(get_channel_layer().group_send(group, event), sending_loop())
    sent.result(SEND_SECONDS_MAX)

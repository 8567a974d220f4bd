"""Finds the requests of a run that their senders have sent before, without a response that reports success.

They are read from the messages and changes of the run's steps (docs/frame.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engine.view.arrivals import message_in

Json = Mapping[str, Any]
_SUCCESS = (None, "NONE")
MOST = 1000
"""At most this many messages are listed, the first ones."""


class SentAgain:
    """Counts how often each request was sent before: pass the run's steps in order, as JSON."""

    def __init__(self) -> None:
        self._tried: dict[str, int] = {}
        """Dict of content of a request (``_asks``) → how often it was sent since its last success."""
        self._asked: dict[tuple[str, str, int], list[str]] = {}
        """Dict of (sender, receiver, correlation id) of a request → its contents."""
        self._resends: dict[str, int] = {}

    def take(self, step: Json) -> None:
        for message in step["messages"]:
            if message["event"] == "sent":
                self._send(step, message["id"])
            elif message["event"] == "delivered":
                self._deliver(step, message["id"])

    def _send(self, step: Json, number: int) -> None:
        made = message_in(step, number, "after")
        if made is None or made["is_response"]:
            return
        asks = list(_asks(step, made))
        before = max((self._tried.get(one, 0) for one in asks), default=0)
        for one in asks:
            self._tried[one] = self._tried.get(one, 0) + 1
        self._asked[made["from"], made["to"], made["correlation_id"]] = asks
        if before > 0 and len(self._resends) < MOST:
            self._resends[str(number)] = before

    def _deliver(self, step: Json, number: int) -> None:
        made = message_in(step, number, "before")
        if made is None or not made["is_response"]:
            return
        asks = self._asked.pop((made["to"], made["from"], made["correlation_id"]), ())
        if made["error"] in _SUCCESS:
            for one in asks:
                self._tried.pop(one, None)

    def to_json(self) -> dict[str, int]:
        """Dict of id of a message that repeats an earlier request → the number of resends up to this message."""
        return dict(self._resends)


def _asks(step: Json, request: Json) -> Iterator[str]:
    """The contents of a request, as texts that are equal if a request is sent again. A Produce request has one for each
    of its batches. Equal requests of the middleware to different participants have different contents."""
    client, fields = request["from"], request["fields"]
    if request["api"] == "Produce":
        path = ["clients", client, "requests", str(request["correlation_id"])]
        batches = next((one["after"]["batches"] for one in _set(step, path)), ())
        yield from (f"{client} {batch}" for batch in batches)
        return
    receiver = request["to"] if "tid" in fields else ""
    yield json.dumps([client, receiver, request["api"], request["partitions"], fields], sort_keys=True)


def _set(step: Json, path: list[str]) -> Iterator[Json]:
    return (one for one in step["changes"] if one["path"] == path and isinstance(one.get("after"), dict))

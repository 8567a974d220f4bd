"""Messages as JSON (``describe``)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from engine import messages
from engine.messages import ProducerDescription, describe


def test_two_threads_describe_the_first_message_of_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    described: list[Any] = []
    message = ProducerDescription(producer_id=1000, producer_epoch=0)

    def fields_while_another_thread_describes(made: type) -> tuple[dataclasses.Field[Any], ...]:
        monkeypatch.setattr(messages, "fields", dataclasses.fields)
        described.append(describe(message))
        return dataclasses.fields(made)

    monkeypatch.setattr(messages, "_SHOWN", {})
    monkeypatch.setattr(messages, "fields", fields_while_another_thread_describes)
    described.append(describe(message))
    assert [one["producer_id"] for one in described] == [1000, 1000]

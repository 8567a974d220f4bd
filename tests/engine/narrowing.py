"""Type assertions for facts that a test knows about a value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from engine.messages import Effect, Send

T = TypeVar("T")


def present(value: T | None) -> T:
    assert value is not None
    return value


def of(kind: type[T], value: object) -> T:
    assert isinstance(value, kind), value
    return value


def sends(effects: Iterable[Effect]) -> list[Send]:
    """Return the effects; fail unless all of them are requests or responses."""
    return [of(Send, effect) for effect in effects]


@runtime_checkable
class Message(Protocol):
    """A request or response of `engine.messages`."""

    api: ClassVar[str]


def api_of(body: object) -> str:
    assert isinstance(body, Message), body
    return body.api

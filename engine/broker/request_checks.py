"""Checks that a broker makes of a request before anything else looks at it, as rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.errors import Error

if TYPE_CHECKING:
    from engine.broker.broker import Broker


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCheck:
    """One row: when the guard holds the request is answered ``answer`` and nothing is done."""

    when: Callable[[Broker, Any], bool]
    answer: Error
    spec: str
    why: str
    next_key: str


def first_refusal(checks: tuple[RequestCheck, ...], broker: Broker, request: Any) -> RequestCheck | None:
    """The first row whose guard holds."""
    for check in checks:
        if check.when(broker, request):
            return check
    return None


def say_refused(broker: Broker, check: RequestCheck, compared: list[list[Any]], /, **params: Any) -> None:
    """The step of a refused request."""
    broker.watch.say(check.why, (check.spec,), broker=broker.name, **params)
    if broker.watch.recording:
        broker.watch.refuse(check.spec, check.answer.name, compared, check.next_key)


def write_denied(broker: Broker, transactional_id: str | None) -> bool:
    """No right to write under this transactional id (PID-9)."""
    if transactional_id is None or not broker.denied:
        return False
    return broker.is_denied("Write", f"transactional_id:{transactional_id}")

"""A scripted application, which makes timed calls on one client, in order (GEN-4).

A blocking call postpones the later calls. While the client is down, all calls wait. A call with ``again`` sends an
earlier record once more, like an application that has restarted. With ``if_failed`` the call is made only if the
future of that record failed, like an application that handles the exception.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine.client.ledger import Ledger
from engine.messages import NO_MEMBER, Membership
from engine.shapes.clients import ApplicationView


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """One API call. ``again``: the serial of an earlier record. ``if_failed``: the call is made only if that record
    failed. An operator's ``roll_back`` has a transaction's ``tid`` and ``nodes``."""

    at: int
    do: str
    partition: str | None
    size: int
    again: int | None
    tid: int = 1
    nodes: tuple[str, ...] = ()
    group: str | None = None
    offsets: tuple[tuple[str, int], ...] = ()
    """For ``send_offsets``: (topic-partition, offset of the next record to read) for each partition."""
    key: str | None = None
    """For ``send``: the record's key, which compaction reads. If the document's call names no partition, the
    loader has filled in the partition that the key chooses."""
    member: Membership = NO_MEMBER
    """For ``send_offsets``: the group member that commits."""
    if_failed: bool = False


def membership(table: dict[str, Any]) -> Membership:
    """The group membership in the field ``member`` of a call or a consumer."""
    return Membership(
        member_id=table["id"] or "", generation_id=table["generation"], group_instance_id=table["instance"]
    )


class Application:
    """One script, and the position that it has reached."""

    __slots__ = (
        "_failures",
        "blocked_by",
        "call",
        "calls",
        "client",
        "last_result",
        "name",
        "path",
        "position",
        "serials",
    )

    def __init__(self, name: str, client: str, calls: list[dict[str, Any]], ledger: Ledger) -> None:
        self.name = name
        self.client = client
        self.calls = tuple(
            ScriptedCall(
                call["at"] + index * call["every"],
                call["do"],
                call["partition"],
                call["size"],
                call["again"],
                call["tid"],
                tuple(call["nodes"]),
                call["group"],
                tuple((call["offsets"] or {}).items()),
                call["key"],
                membership(call["member"]),
                call["if_failed"],
            )
            for call in calls
            for index in range(call["records"])
        )
        asks = any(call.if_failed for call in self.calls)
        self._failures = ledger.failures_of(client) if asks else set[int]()
        """The serials of the records that failed so far; always empty if no call has ``if_failed``."""
        self.serials: dict[int, int] = {}
        """Dict of place of a ``send()`` in ``calls`` → the serial of its record (``number_records``)."""
        self.position = 0
        self.call: Any = None
        """The newest call, as the client's own object; None before the first call."""
        self.blocked_by: str | None = None
        self.last_result: str | None = None
        self.path = ("applications", name)

    @property
    def next_call(self) -> ScriptedCall | None:
        return self.calls[self.position] if self.position < len(self.calls) else None

    def leaves_out(self, call: ScriptedCall) -> bool:
        """Whether the call is left out, because the record that it would send again has not failed."""
        return call.if_failed and call.again not in self._failures

    def view(self) -> ApplicationView:
        coming = self.next_call
        return {
            "client": self.client,
            "next_call": self.position,
            "calls": len(self.calls),
            "next_at": None if coming is None else coming.at,
            "blocked_by": self.blocked_by,
            "finished": coming is None and self.blocked_by is None,
            "last_result": self.last_result,
        }


def number_records(applications: Iterable[Application]) -> int:
    """Give the record of each scripted ``send()`` its hidden serial (GEN-8), and return the number of these records.
    The serials follow the times of the calls in the scripts. So a record has the same serial in each run of the
    scenario, even if faults or interventions change the order in which the records are sent."""
    sends: list[tuple[int, Application, int]] = []
    for application in applications:
        at = 0
        for place, call in enumerate(application.calls):
            at = max(at, call.at)
            if call.do == "send":
                sends.append((at, application, place))
    records = 0
    for _, application, place in sorted(sends, key=lambda send: send[0]):
        again = application.calls[place].again
        if again is None:
            records += 1
        application.serials[place] = records if again is None else again
    return records

"""A consumer's requests to its group coordinator: fetch and commit offsets (CON-9, OFS-6), leave the group.

The session owns the coordinator's address, the queue of requests to it, and the reactions to their responses
(the table :data:`REACTIONS`). One request is in flight at a time. Offsets of a transaction do not come here:
a producer commits them.

The session also has Kafka's heartbeat thread, as far as it watches the application: if the application has
not called ``poll()`` for ``max.poll.interval.ms``, the thread leaves the group
(``AbstractCoordinator.HeartbeatThread``). Watching needs no requests, so heartbeats are not simulated as
messages; LeaveGroup is.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.client.connections import CONNECTING, Connections, InFlightRequest
from engine.client.control_reactions import RETRIABLE
from engine.errors import EngineError, Error
from engine.happenings.readers import (
    AfterAnswer,
    CommitAfterClose,
    CommitOutsideGroup,
    ConsumerClosed,
    GroupCoordinatorFound,
    GroupRequestRefused,
    GroupRequestSent,
    PollTimedOut,
)
from engine.messages import (
    CommittedOffset,
    Connect,
    Effects,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    LeaveGroupRequest,
    LeaveGroupResponse,
    Membership,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    Send,
)
from engine.profile import Profile
from engine.shapes.readers import GroupSessionView
from engine.watching import Path, Watch

GROUP = "GROUP"
RETRY_BACKOFF_MS = 100
REQUEST_TIMEOUT_MS = 30_000

REACTIONS: dict[str, dict[Error, AfterAnswer]] = {
    "FindCoordinator": {
        **{Error[name]: AfterAnswer.RETRY for name in RETRIABLE},
        Error.NONE: AfterAnswer.DONE,
        Error.GROUP_AUTHORIZATION_FAILED: AfterAnswer.GIVE_UP,
    },
    "OffsetFetch": {
        Error.NONE: AfterAnswer.DONE,
        Error.COORDINATOR_LOAD_IN_PROGRESS: AfterAnswer.RETRY,
        Error.UNSTABLE_OFFSET_COMMIT: AfterAnswer.RETRY,
        Error.COORDINATOR_NOT_AVAILABLE: AfterAnswer.LOOK_UP,
        Error.NOT_COORDINATOR: AfterAnswer.LOOK_UP,
        Error.GROUP_AUTHORIZATION_FAILED: AfterAnswer.GIVE_UP,
    },
    "OffsetCommit": {
        Error.NONE: AfterAnswer.DONE,
        Error.COORDINATOR_LOAD_IN_PROGRESS: AfterAnswer.RETRY,
        Error.UNKNOWN_TOPIC_OR_PARTITION: AfterAnswer.RETRY,
        Error.COORDINATOR_NOT_AVAILABLE: AfterAnswer.LOOK_UP,
        Error.NOT_COORDINATOR: AfterAnswer.LOOK_UP,
        Error.REQUEST_TIMED_OUT: AfterAnswer.LOOK_UP,
        Error.GROUP_AUTHORIZATION_FAILED: AfterAnswer.GIVE_UP,
        Error.ILLEGAL_GENERATION: AfterAnswer.GIVE_UP,
        Error.UNKNOWN_MEMBER_ID: AfterAnswer.GIVE_UP,
        Error.FENCED_INSTANCE_ID: AfterAnswer.GIVE_UP,
    },
    "LeaveGroup": {Error.NONE: AfterAnswer.DONE},
}
"""The reactions of the response handlers of ``ConsumerCoordinator`` and ``AbstractCoordinator``. After an error
without an entry the request fails."""

Request = OffsetFetchRequest | OffsetCommitRequest | LeaveGroupRequest
OfCoordinator = OffsetFetchResponse | OffsetCommitResponse | LeaveGroupResponse
Response = FindCoordinatorResponse | OfCoordinator


class GroupSession:
    """The requests of one consumer to its group coordinator. ``owner``: the consumer's path in the view.
    ``last_error``: the error of the newest request that failed, or None."""

    __slots__ = (
        "closed",
        "committed",
        "connections",
        "consumer",
        "coordinator",
        "group_id",
        "in_flight",
        "last_error",
        "left",
        "max_poll_interval_ms",
        "member",
        "not_before",
        "own",
        "path",
        "polled_at",
        "waits_for_stable_offsets",
        "wanted",
        "watch",
    )

    def __init__(
        self,
        owner: Path,
        consumer: str,
        group_id: str,
        member: Membership,
        connections: Connections,
        own: Connections,
        profile: Profile,
        watch: Watch,
        max_poll_interval_ms: int | None = None,
    ) -> None:
        self.path: Path = (*owner, "group")
        self.consumer = consumer
        self.group_id = group_id
        self.member = member
        self.connections = connections
        """The connections to the leaders; the coordinator is looked up on one of them."""
        self.own = own
        """The connections to coordinators, for this group alone, so that a Fetch in progress does not delay a
        commit (GEN-11)."""
        self.waits_for_stable_offsets = profile.waits_for_stable_offsets
        """Whether OffsetFetch is repeated until the transactions with pending offsets are decided
        (KIP-447)."""
        self.watch = watch
        self.coordinator: int | None = None
        self.wanted: list[Request] = []
        self.in_flight: InFlightRequest | None = None
        self.not_before = 0
        self.committed: dict[str, int] = {}
        """Dict of topic-partition → the offset that the coordinator last returned or stored; -1: it has none."""
        self.last_error: Error | None = None
        self.max_poll_interval_ms = max_poll_interval_ms
        """The longest time in ms between two polls; None: it is not limited."""
        self.polled_at: int | None = None
        """When the application got the records that it is processing (virtual ms); None: it is in ``poll()``, or has
        not polled yet."""
        self.left = False
        self.closed = False

    def view(self) -> GroupSessionView:
        view: GroupSessionView = {
            "group_id": self.group_id,
            "coordinator": self.coordinator,
            "committed": dict(self.committed),
            "waiting": [request.api for request in self.wanted],
            "in_flight": None if self.in_flight is None else self.in_flight.api,
            "last_error": None if self.last_error is None else self.last_error.name,
        }
        if self.max_poll_interval_ms is not None:
            view["polled_at"], view["leaves_at"], view["left"] = self.polled_at, self.leaves_at(), self.left
        if self.closed:
            view["closed"] = True
        return view

    # -- queued requests -------------------------------------------------------------------------------

    def ask_committed(self, partitions: tuple[str, ...], now: int) -> None:
        """Request the committed offsets. Since KIP-447 (2.5) the response is UNSTABLE_OFFSET_COMMIT while
        offsets of a transaction are pending, and the request is repeated."""
        stable = self.waits_for_stable_offsets
        self._want(
            OffsetFetchRequest(group_id=self.group_id, partitions=partitions, require_stable=stable), now
        )

    def commit(self, offsets: Mapping[str, CommittedOffset], now: int) -> None:
        """Commit offsets outside any transaction. A consumer that is closed or has left its group sends nothing."""
        if self.closed:
            self.watch.emit(CommitAfterClose, self.consumer)
            return
        if self.left:
            self.watch.emit(CommitOutsideGroup, self.consumer, self.group_id)
            return
        member = self.member
        self._want(
            OffsetCommitRequest(
                group_id=self.group_id,
                offsets=dict(offsets),
                generation_id=member.generation_id,
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
            ),
            now,
        )

    def _want(self, request: Request, now: int) -> None:
        self.wanted.append(request)
        self.not_before = max(self.not_before, now)
        self.watch.touch(self)

    @property
    def busy(self) -> bool:
        """Whether a request to the coordinator is queued or in flight."""
        return bool(self.wanted)

    @property
    def asks_committed(self) -> bool:
        return any(isinstance(request, OffsetFetchRequest) for request in self.wanted)

    def due_at(self) -> int | None:
        """When the next request can be sent (virtual ms). None: there is no request, or the session waits for
        a response or a connection."""
        if not self.wanted or self.in_flight is not None:
            return None
        if self.coordinator is not None and self.own.to(self.coordinator).state == CONNECTING:
            return None
        return self.not_before

    # -- the time between two polls ----------------------------------------------------------------------

    def processes(self, now: int) -> None:
        """Note that ``poll()`` has returned records, which the application processes from ``now`` on."""
        self.polled_at = now
        self.watch.touch(self)

    def polls(self) -> None:
        """Note that the application is in ``poll()`` again, or has ended."""
        self.polled_at = None
        self.watch.touch(self)

    def leaves_at(self) -> int | None:
        """When the consumer leaves its group unless the application polls before (virtual ms), or None."""
        if self.left or self.closed or self.polled_at is None or self.max_poll_interval_ms is None:
            return None
        return self.polled_at + self.max_poll_interval_ms

    def leave(self, now: int) -> None:
        """Leave the group, because the application took too long between two polls."""
        self.left = True
        sends = self._sends_leave
        self.watch.emit(
            PollTimedOut, self.consumer, self.group_id, self.max_poll_interval_ms, self._is_static, sends
        )
        if sends:
            self._send_leave(now)
        self.watch.touch(self)

    def close(self, now: int) -> None:
        """Close the session, because the application closes the consumer."""
        self.closed = True
        sends = self._sends_leave and not self.left
        self.watch.emit(ConsumerClosed, self.consumer, self.group_id, self._is_static, sends)
        if sends:
            self._send_leave(now)
        self.watch.touch(self)

    @property
    def _is_static(self) -> bool:
        return self.member.group_instance_id is not None

    @property
    def _sends_leave(self) -> bool:
        """Whether the member requests to leave its group. A static member stays until its session times out
        (KIP-345, ``AbstractCoordinator.maybeLeaveGroup``)."""
        return not self._is_static and self.coordinator is not None and bool(self.member.member_id)

    def _send_leave(self, now: int) -> None:
        """Queue LeaveGroup, which is sent only once."""
        self._want(LeaveGroupRequest(group_id=self.group_id, member_id=self.member.member_id), now)

    # -- sending ---------------------------------------------------------------------------------------

    def send(self, brokers: tuple[int, ...], now: int) -> Effects:
        """Send the oldest request if it is due, or a lookup when the coordinator is unknown (FND-6). Without a
        connection, only starts one."""
        due = self.due_at()
        if due is None or due > now:
            return []
        body: Request | FindCoordinatorRequest = self.wanted[0]
        node, connections = self.coordinator, self.own
        if node is None:
            connections = self.connections
            body = FindCoordinatorRequest(key=self.group_id, key_type=GROUP)
            node = connections.least_loaded(brokers, now)
            if node is None:
                self.not_before = now + RETRY_BACKOFF_MS
                return []
        connection = connections.to(node)
        if not connection.usable:
            delay = connections.connect_delay(node, now)
            self.not_before = now + (delay or RETRY_BACKOFF_MS)
            return [Connect(connections.connecting(node, now), connections.purpose)] if delay == 0 else []
        self.in_flight = connections.sent(node, body.api, body, now, REQUEST_TIMEOUT_MS)
        self.watch.touch(self)
        self.watch.emit(
            GroupRequestSent, self.consumer, self.group_id, connection.peer, body.api, _partitions(body)
        )
        return [Send(connection.peer, body, self.in_flight.correlation_id)]

    def connected(self, node: int, now: int) -> None:
        """The connection to the coordinator is open: the request that waited for it can be sent now."""
        self.own.connected(node)
        self.not_before = min(self.not_before, now)

    # -- answers ---------------------------------------------------------------------------------------

    def answered(self, response: Response, now: int) -> Request | None:
        """Handle a response. Returns the request if it succeeded; None if it failed or will be repeated, and
        for a lookup."""
        self.in_flight = None
        self.watch.touch(self)
        error = _worst(response)
        reaction = REACTIONS[response.api].get(error, AfterAnswer.GIVE_UP)
        if reaction == AfterAnswer.DONE:
            return self._done(response)
        if reaction == AfterAnswer.LOOK_UP:
            self.coordinator = None
        if reaction == AfterAnswer.GIVE_UP:
            self.last_error = error
            del self.wanted[0]
        self.not_before = now + (0 if reaction == AfterAnswer.GIVE_UP else RETRY_BACKOFF_MS)
        self.watch.emit(
            GroupRequestRefused, self.consumer, self.group_id, response.api, error, RETRY_BACKOFF_MS, reaction
        )
        return None

    def _done(self, response: Response) -> Request | None:
        if isinstance(response, FindCoordinatorResponse):
            self.coordinator = response.node
            self.watch.emit(GroupCoordinatorFound, self.consumer, self.group_id, f"broker-{response.node}")
            return None
        request = self.wanted.pop(0)
        if isinstance(response, OffsetFetchResponse):
            self.committed.update(response.offsets)
        elif isinstance(request, OffsetCommitRequest):
            self.committed.update({name: offset.offset for name, offset in request.offsets.items()})
        return request

    def lost(self, request: InFlightRequest, now: int) -> None:
        """The connection ended before the response: look the coordinator up again, then repeat the request
        (FND-6). LeaveGroup is not repeated."""
        if request is not self.in_flight:
            raise EngineError(f"{self.consumer}: {request.api} was lost that the group did not send")
        self.in_flight = None
        self.coordinator = None
        if isinstance(request.body, LeaveGroupRequest):
            del self.wanted[0]
        self.not_before = now + RETRY_BACKOFF_MS
        self.watch.touch(self)


def _partitions(body: Request | FindCoordinatorRequest) -> tuple[str, ...]:
    if isinstance(body, OffsetFetchRequest):
        return body.partitions
    return tuple(body.offsets) if isinstance(body, OffsetCommitRequest) else ()


def _worst(response: Response) -> Error:
    """The first error of the response that is not NONE; it decides the reaction."""
    errors = [] if isinstance(response, OffsetCommitResponse) else [response.error]
    if not isinstance(response, FindCoordinatorResponse | LeaveGroupResponse):
        errors += (response.errors or {}).values()
    return next((error for error in errors if error is not Error.NONE), Error.NONE)

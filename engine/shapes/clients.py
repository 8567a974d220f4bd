"""Applications, records and producer clients in a view; docs/frame.md, *View*."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

_PassTable = TypedDict("_PassTable", {"pass": int})


Taken = tuple[str, int]
"""A record, as topic-partition and offset."""


class LoopView(TypedDict):
    """The state of an application loop in the table `application_loop`, the number of its round, and the records of
    this round."""

    consumer: str
    state: str
    round: int
    hand: list[Taken]
    """The records that the loop has taken and has not finished."""
    sent: int
    in_transaction: bool


class ApplicationView(TypedDict):
    """An application and its one client."""

    client: str
    next_call: int
    calls: int
    next_at: int | None
    blocked_by: str | None
    finished: bool
    last_result: str | None
    loop: NotRequired[LoopView]
    """Only for an application loop; then `next_call` and `calls` count rounds."""


class RecordView(TypedDict):
    """A record that an application sent, and its result."""

    partition: str
    producer: str
    size: int
    sent_at: int
    status: str
    offset: int | None
    error: str | None
    finished_at: int | None


class SettingView(TypedDict):
    """The effective value of a setting, and where the value comes from (CFG-6)."""

    value: Any
    reason: str | None
    rule: str | None
    default: Any


class MetadataView(TypedDict):
    """A client's metadata of the cluster."""

    updated_at: int | None
    update_requested: bool
    leaders: dict[str, int | None]


class QueueView(TypedDict):
    """A partition's queue of batches, the head first."""

    batches: list[str]
    muted: bool


class ClientBatchView(TypedDict):
    """A batch in a producer."""

    partition: str
    state: str
    serials: list[int]
    record_count: int
    bytes: int
    capacity: int
    full: bool
    created_at: int
    last_append_at: int
    last_attempt_at: int
    drained_at: int | None
    attempts: int
    producer_id: int | None
    producer_epoch: int | None
    first_sequence: int | None
    last_sequence: int | None
    resequenced: bool
    error: str | None


class WaiterView(TypedDict):
    """A `send()` that waits for memory."""

    serial: int | None
    size: int
    since: int
    until: int


class PoolView(TypedDict):
    """A producer's memory."""

    total: int
    free: int
    waiters: list[WaiterView]


ReadyFor = tuple[str, str]
"""A topic-partition, and the reason why the first batch of its queue may be sent."""


class ReadyView(TypedDict):
    """The result of the accumulator's last `ready()` (ACC-23)."""

    nodes: dict[str, list[ReadyFor]]
    """Dict of broker id → the first partition that is ready there, once for each reason."""
    unknown_leader_topics: list[str]
    next_check_delay: int | None


class SenderView(_PassTable):
    """The state of the Sender's thread."""

    phase: str
    drain_index: int
    poll_timeout: int | None
    poll_source: str | None
    waiting_for: str | None


class ConnectionView(TypedDict):
    """A client's connection to a broker. `in_flight`: the correlation ids of the requests without a response.
    `limit`: the highest number of such requests."""

    state: str
    in_flight: list[int]
    limit: int


class RequestView(TypedDict):
    """A request without a response. `deadline`: the virtual time in ms at which it times out."""

    api: str
    to: str
    batches: list[str]
    sent_at: int
    deadline: int


class SequencesView(TypedDict):
    """A producer's sequence numbers for one partition."""

    next_sequence: int
    last_acked_sequence: int | None
    last_acked_offset: int | None
    in_flight: list[str]
    unresolved: int | None
    """The sequence after the newest batch whose fate is unknown; null if there is no such batch."""


class QueuedRequestView(TypedDict):
    """A request of the transaction manager that is still queued."""

    api: str
    priority: int


class ClientTransactionView(TypedDict):
    """A transactional producer's open transaction, as the client sees it."""

    started: bool
    new_partitions: list[str]
    pending_partitions: list[str]
    added_partitions: list[str]
    pending_offsets: dict[str, int]
    coordinator: int | None
    group_coordinator: int | None
    transaction_version: NotRequired[int]
    """2 if each transaction has an epoch of its own and leaders add its partitions (KIP-890); absent for
    lower versions."""


Edge = tuple[str, str, str]
"""The newest transition of the client's state machine: (state before, state after, event)."""


class TransactionManagerView(TypedDict):
    """An idempotent producer's identity, state and sequence numbers."""

    state: str
    last_edge: Edge | None
    last_error: str | None
    transactional_id: str | None
    producer_id: int | None
    producer_epoch: int | None
    bump_required: bool
    partitions: NotRequired[dict[str, SequencesView]]
    requests: list[QueuedRequestView]
    in_flight_request: str | None
    transaction: ClientTransactionView | None


class TimerView(TypedDict):
    """A wait of a client that is limited in time; it may be over. `since` and `until` are virtual milliseconds."""

    kind: str
    subject: str
    since: int
    until: int


class ClientView(TypedDict):
    """A producer client."""

    alive: bool
    paused: bool
    incarnation: int
    closed: bool
    flush_in_progress: bool
    configuration: dict[str, SettingView]
    metadata: MetadataView
    queues: NotRequired[dict[str, QueueView]]
    batches: NotRequired[dict[str, ClientBatchView]]
    pool: PoolView
    ready: ReadyView
    sender: SenderView
    connections: NotRequired[dict[str, ConnectionView]]
    requests: NotRequired[dict[str, RequestView]]
    transaction_manager: NotRequired[TransactionManagerView | None]
    """Absent without idempotence."""
    timers: dict[str, TimerView]

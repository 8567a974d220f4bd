"""When a client asks for new metadata, and whom (SND-2, SND-6): in the poll that ends a pass."""

from __future__ import annotations

from engine.client.sender_pass import SenderPass
from engine.happenings.sender import MetadataAsked
from engine.messages import Send


def ask_for_metadata(sender: SenderPass, now: int) -> None:
    """Send a wanted Metadata request to the least-loaded node (SND-2, SND-6), at most one per backoff."""
    memory = sender.memory
    if not memory.metadata.update_requested:
        return
    due = memory.metadata.update_due_at(memory.config.retry_backoff_ms)
    if due is None or due > now:
        return
    node = memory.connections.least_loaded(memory.metadata.brokers, now)
    if node is None:
        return
    connection = memory.connections.to(node)
    if not connection.usable:
        sender.unreachable.append((node, "not_connected"))
        sender.connect(node, now)
        return
    body = memory.metadata.request(now)
    request = memory.connections.sent(node, "Metadata", body, now, memory.config.request_timeout_ms)
    memory.outbox.append(Send(connection.peer, body, request.correlation_id))
    memory.watch.emit(MetadataAsked, memory.name, connection.peer, body.topics)


def metadata_due(sender: SenderPass, now: int) -> int | None:
    """When a wanted request for metadata may be tried, later than now; None: none is wanted, or it waits for a
    connection that is being made or for an answer on a full one."""
    memory = sender.memory
    if not memory.metadata.update_requested:
        return None
    due = memory.metadata.update_due_at(memory.config.retry_backoff_ms)
    if due is None or due > now:
        return due
    connections = memory.connections
    node = connections.least_loaded(memory.metadata.brokers, now)
    if node is not None:
        return None if connections.to(node).state == "connecting" else now + 1
    delays = [connections.connect_delay(broker, now) for broker in memory.metadata.brokers]
    return min((now + delay for delay in delays if delay is not None), default=None)

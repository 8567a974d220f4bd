"""A broker's own lifecycle in a cluster without ZooKeeper, as rows (KIP-631; Kafka's
``BrokerLifecycleManager``).

A broker that starts registers, reads the metadata log and asks by heartbeats to be unfenced; only then does
it serve clients. For an orderly stop, a broker first sends the request to stop, continues to serve while the
controller moves its leaderships, and stops when the controller's response allows it. The first heartbeats of
Kafka's broker, which still ask to stay fenced, are left out.
"""

from __future__ import annotations

from engine.machine import Machine, Row

NOT_RUNNING, STARTING, RECOVERY, RUNNING = "NOT_RUNNING", "STARTING", "RECOVERY", "RUNNING"
STOPPING = "PENDING_CONTROLLED_SHUTDOWN"
START, REGISTERED, REFUSED = "start", "registered", "refused"
STILL_FENCED, NOT_FENCED, LET_GO = "still_fenced", "not_fenced", "let_go"
STOP, WAKE, DUE, CRASH = "stop", "wake", "due", "crash"


def _row(source: str, on: str, target: str, effect: str, why: str, spec: str = "FEN-6") -> Row:
    return Row(source=source, on=on, target=target, effects=tuple(effect.split()), why=why, spec=spec)


MACHINE: Machine[None] = Machine(
    "broker_lifecycle",
    NOT_RUNNING,
    (
        _row(NOT_RUNNING, START, STARTING, "register", "asks_to_register"),
        _row(STARTING, REGISTERED, RECOVERY, "follow beat", "has_broker_epoch"),
        _row(STARTING, REFUSED, STARTING, "wait_longer", "registers_later"),
        _row(STARTING, DUE, STARTING, "register", "asks_to_register_again"),
        _row(RECOVERY, STILL_FENCED, RECOVERY, "beat_soon", "not_unfenced_yet"),
        _row(RECOVERY, NOT_FENCED, RUNNING, "serve", "begins_to_serve"),
        _row(RECOVERY, DUE, RECOVERY, "beat", "sends_heartbeat"),
        _row(RUNNING, NOT_FENCED, RUNNING, "rest", "heartbeat_answered"),
        _row(RUNNING, WAKE, RUNNING, "beat", "heartbeats_again"),
        _row(RUNNING, DUE, RUNNING, "beat", "sends_heartbeat"),
        _row(RUNNING, STOP, STOPPING, "beat", "asks_to_stop", "LOG-10"),
        _row(
            STOPPING,
            NOT_FENCED,
            STOPPING,
            "wait",
            "may_not_stop_yet",
            "LOG-10",
        ),
        _row(STOPPING, WAKE, STOPPING, "beat", "heartbeats_again"),
        _row(STOPPING, DUE, STOPPING, "beat", "sends_heartbeat"),
        _row(STOPPING, LET_GO, NOT_RUNNING, "shut_down", "stops_as_asked", "LOG-10"),
        *(
            _row(state, CRASH, NOT_RUNNING, "forget", "leaves_at_once", "GEN-6")
            for state in (STARTING, RECOVERY, RUNNING, STOPPING)
        ),
    ),
    effects=(
        "register",
        "follow",
        "beat",
        "beat_soon",
        "wait",
        "wait_longer",
        "serve",
        "rest",
        "shut_down",
        "forget",
    ),
    only_if="quorum_controller",
)

SERVING = MACHINE.target_of(RECOVERY, NOT_FENCED)
"""The state in which a broker serves clients."""
MAY_CRASH = MACHINE.sources(CRASH)
MAY_WAKE = MACHINE.sources(WAKE)
"""States in which a broker whose pause ends sends a heartbeat at once."""
MAY_ASK_TO_STOP = MACHINE.sources(STOP)
ASKS_TO_STOP = MACHINE.sources(LET_GO)
"""States whose heartbeats carry the request to stop (``want_shut_down``)."""
REGISTERS = MACHINE.sources(REGISTERED)
"""States in which the broker waits for the response to its registration; in all other states it can only wait
for the response to a heartbeat."""

"""One broker's requests to the active controller about its own lifecycle: registration, heartbeats, shutdown
(KIP-631).

Owns the broker epoch. Most heartbeats change nothing, and are not simulated as messages
(``quorum_controller``). A heartbeat is a message if the broker is not unfenced yet, if it is the first one
after a pause or after lost heartbeats, or if it carries the request to stop. Every step is a row of
``lifecycle_states``.
"""

from __future__ import annotations

from engine.broker.cluster_view import ClusterView
from engine.broker.lifecycle_states import (
    ASKS_TO_STOP,
    CRASH,
    DUE,
    LET_GO,
    MACHINE,
    MAY_ASK_TO_STOP,
    MAY_CRASH,
    MAY_WAKE,
    NOT_FENCED,
    REFUSED,
    REGISTERED,
    REGISTERS,
    SERVING,
    START,
    STILL_FENCED,
    STOP,
    WAKE,
)
from engine.broker.outgoing import Outgoing
from engine.broker.setup import Setup
from engine.errors import NO_ERROR, EngineError
from engine.happenings.brokers import LateControllerAnswer, LifecycleMoved
from engine.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    Effects,
    Envelope,
    FollowLog,
    ShutDown,
)

RESEND_MS = 100
"""The pause in ms after the first refused registration. Each later pause is twice as long, up to the session
timeout (``BrokerLifecycleManager``)."""
CATCH_UP_MS = 10
"""Pause in ms between the heartbeats of a broker that is not unfenced yet."""
SHUTDOWN_MS = 50
"""Pause in ms before a broker repeats its request to stop for the first time; later pauses are heartbeat
intervals."""


class Lifecycle:
    """The lifecycle of one broker. ``broker_epoch``: None until the controller has accepted the registration.
    ``deadline``: when ``on_timer`` sends the next request (virtual ms), or None."""

    __slots__ = (
        "_answered_stop",
        "_correlation",
        "_refusals",
        "broker_epoch",
        "cluster",
        "deadline",
        "incarnation",
        "outgoing",
        "serves",
        "setup",
        "state",
    )

    def __init__(self, setup: Setup, cluster: ClusterView, outgoing: Outgoing) -> None:
        self.setup = setup
        self.cluster = cluster
        self.outgoing = outgoing
        self.state = MACHINE.initial
        self.broker_epoch: int | None = None
        self.incarnation = 0
        self.deadline: int | None = None
        self.serves = False
        """True from the moment at which the broker is unfenced until it stops."""
        self._correlation = 0
        self._refusals = 0
        self._answered_stop = False

    @property
    def epoch(self) -> int:
        """The broker epoch for requests; -1 before the broker has one."""
        return -1 if self.broker_epoch is None else self.broker_epoch

    def be_registered(self, broker_epoch: int) -> None:
        """For the initial state of a run: the broker is registered already, with this broker epoch."""
        self.broker_epoch = broker_epoch
        self.state = SERVING
        self.serves = True

    def start(self, now: int) -> Effects:
        self.incarnation += 1
        return self._take(START, now)

    def wake(self, now: int) -> Effects:
        """A pause is over: send a heartbeat at once, if the broker is unfenced."""
        return self._take(WAKE, now) if self.state in MAY_WAKE else []

    @property
    def may_ask_to_stop(self) -> bool:
        return self.state in MAY_ASK_TO_STOP

    def ask_to_stop(self, now: int) -> Effects:
        """Begin a controlled shutdown."""
        return self._take(STOP, now)

    def crash(self, now: int) -> None:
        if self.state in MAY_CRASH:
            self._take(CRASH, now)

    def on_timer(self, now: int) -> Effects:
        if self.deadline is None or now < self.deadline:
            return []
        return self._take(DUE, now)

    def on_registration(self, envelope: Envelope, now: int) -> Effects:
        answer = envelope.body
        if type(answer) is not BrokerRegistrationResponse:
            raise EngineError(f"{self.setup.name}: {answer!r} answers no registration")
        if envelope.correlation_id != self._correlation or self.state not in REGISTERS:
            self._too_late(envelope)
            return []
        if answer.error is not NO_ERROR:
            return self._take(REFUSED, now)
        self.broker_epoch = answer.broker_epoch
        return self._take(REGISTERED, now)

    def on_heartbeat(self, envelope: Envelope, now: int) -> Effects:
        answer = envelope.body
        if type(answer) is not BrokerHeartbeatResponse:
            raise EngineError(f"{self.setup.name}: {answer!r} answers no heartbeat")
        if envelope.correlation_id != self._correlation or answer.error is not NO_ERROR:
            self._too_late(envelope)
            return []
        if answer.should_shut_down:
            return self._take(LET_GO, now)
        return self._take(STILL_FENCED if answer.is_fenced else NOT_FENCED, now)

    def _too_late(self, envelope: Envelope) -> None:
        api: str = envelope.body.api  # type: ignore[attr-defined]
        self.setup.watch.emit(LateControllerAnswer, self.setup.name, api, envelope.correlation_id)

    def _take(self, on: str, now: int) -> Effects:
        row = MACHINE.take(self.state, on, None)
        self.state = row.target or self.state
        effects: Effects = []
        for effect in _EFFECTS[row.number]:
            effect(self, effects, now)
        self.setup.watch.emit(
            LifecycleMoved,
            self.setup.name,
            self.broker_epoch,
            self.cluster.metadata_offset,
            self.deadline,
            row,
        )
        return effects

    # -- effects ---------------------------------------------------------------------------------------

    def _register(self, effects: Effects, now: int) -> None:
        request = BrokerRegistrationRequest(broker=self.setup.broker_id, incarnation=self.incarnation)
        self._ask(request, effects, now)

    def _beat(self, effects: Effects, now: int) -> None:
        request = BrokerHeartbeatRequest(
            broker=self.setup.broker_id,
            broker_epoch=self.epoch,
            metadata_offset=self.cluster.metadata_offset,
            want_shut_down=self.state in ASKS_TO_STOP,
        )
        self._ask(request, effects, now)

    def _ask(self, request: object, effects: Effects, now: int) -> None:
        send = self.outgoing.to_controller(request)
        self._correlation = send.correlation_id
        self.deadline = now + self.setup.configuration.controller_reply_timeout_ms
        effects.append(send)

    def _follow(self, effects: Effects, now: int) -> None:
        effects.append(FollowLog())

    def _beat_soon(self, effects: Effects, now: int) -> None:
        self.deadline = now + CATCH_UP_MS

    def _wait(self, effects: Effects, now: int) -> None:
        """Set the time at which the request to stop is repeated: first after 50 ms, then at the interval of
        heartbeats, as in Kafka."""
        self.deadline = now + (
            self.setup.configuration.heartbeat_interval_ms if self._answered_stop else SHUTDOWN_MS
        )
        self._answered_stop = True

    def _wait_longer(self, effects: Effects, now: int) -> None:
        pause = RESEND_MS << self._refusals
        self._refusals += 1
        self.deadline = now + min(pause, self.setup.configuration.session_timeout_ms)

    def _serve(self, effects: Effects, now: int) -> None:
        self.serves = True
        self._rest(effects, now)

    def _rest(self, effects: Effects, now: int) -> None:
        self.deadline = None

    def _shut_down(self, effects: Effects, now: int) -> None:
        self._forget(effects, now)
        effects.append(ShutDown())

    def _forget(self, effects: Effects, now: int) -> None:
        self.broker_epoch = None
        self.deadline = None
        self.serves = False
        self._refusals = 0
        self._answered_stop = False


_EFFECTS = MACHINE.bind(
    {
        "register": Lifecycle._register,
        "follow": Lifecycle._follow,
        "beat": Lifecycle._beat,
        "beat_soon": Lifecycle._beat_soon,
        "wait": Lifecycle._wait,
        "wait_longer": Lifecycle._wait_longer,
        "serve": Lifecycle._serve,
        "rest": Lifecycle._rest,
        "shut_down": Lifecycle._shut_down,
        "forget": Lifecycle._forget,
    }
)

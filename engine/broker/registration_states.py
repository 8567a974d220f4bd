"""A broker's registration at the active controller, as rows (KIP-631; Kafka's ``BrokerHeartbeatManager`` and
``ClusterControlManager``).

A broker that registers is *fenced* at first: it cannot lead a partition or join an ISR, and clients do not
learn of it. A heartbeat unfences the broker once it has read the metadata log up to its own registration. The
broker stays unfenced while its heartbeats arrive; after ``broker.session.timeout.ms`` without a heartbeat it
is fenced again. A heartbeat can carry the request to stop. The controller grants this request at once to a
broker that leads no partition. Otherwise the controller first moves the leaderships, and waits until the
other live brokers have read these changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.errors import Error
from engine.machine import Machine, Row

FENCED, UNFENCED = "FENCED", "UNFENCED"
CONTROLLED_SHUTDOWN = "CONTROLLED_SHUTDOWN"
REGISTER, HEARTBEAT, SESSION_OVER = "register", "heartbeat", "session_over"


class Situation(NamedTuple):
    """The values that the guards read:

    - ``wants_to_stop``: whether the heartbeat carries the request to stop.
    - ``caught_up``: whether the broker has read its own registration.
    - ``leads``: whether the broker leads a partition.
    - ``known``: whether all other live brokers have read that this broker leads no partition.
    - ``same_incarnation``: whether the request comes from the start of the broker that is registered already.
    """

    wants_to_stop: bool = False
    caught_up: bool = False
    leads: bool = False
    known: bool = False
    same_incarnation: bool = False


def _same_incarnation(situation: Situation) -> bool:
    return situation.same_incarnation


def _new_incarnation(situation: Situation) -> bool:
    return not situation.same_incarnation


def _stops(situation: Situation) -> bool:
    return situation.wants_to_stop


def _caught_up(situation: Situation) -> bool:
    return situation.caught_up and not situation.wants_to_stop


def _behind(situation: Situation) -> bool:
    return not situation.caught_up and not situation.wants_to_stop


def _stops_leading(situation: Situation) -> bool:
    return situation.wants_to_stop and situation.leads


def _stops_idle(situation: Situation) -> bool:
    return situation.wants_to_stop and not situation.leads


def _goes_on(situation: Situation) -> bool:
    return not situation.wants_to_stop


def _may_go(situation: Situation) -> bool:
    return situation.known and not situation.leads


GUARDS: dict[str, Callable[[Situation], bool]] = {
    "same_incarnation": _same_incarnation,
    "new_incarnation": _new_incarnation,
    "stops": _stops,
    "caught_up": _caught_up,
    "behind": _behind,
    "stops_leading": _stops_leading,
    "stops_idle": _stops_idle,
    "goes_on": _goes_on,
    "may_go": _may_go,
}

MACHINE: Machine[Situation] = Machine(
    "broker_registration",
    FENCED,
    (
        Row(
            source=FENCED,
            on=REGISTER,
            when="new_incarnation",
            target=FENCED,
            effects=("register",),
            why="broker_registered",
            spec="FEN-6",
        ),
        *(
            Row(
                source=state,
                on=REGISTER,
                target=None,
                reply=Error.DUPLICATE_BROKER_REGISTRATION.name,
                why="registration_refused",
                spec="FEN-6",
            )
            for state in (UNFENCED, CONTROLLED_SHUTDOWN)
        ),
        Row(
            source=FENCED,
            on=HEARTBEAT,
            when="stops",
            target=FENCED,
            effects=("let_go",),
            why="fenced_broker_may_stop",
            spec="LOG-10",
        ),
        Row(
            source=FENCED,
            on=HEARTBEAT,
            when="caught_up",
            target=UNFENCED,
            effects=("unfence",),
            why="broker_unfenced",
            spec="FEN-6",
        ),
        Row(
            source=FENCED,
            on=HEARTBEAT,
            when="behind",
            target=FENCED,
            why="broker_not_caught_up",
            spec="FEN-6",
        ),
        Row(
            source=UNFENCED,
            on=HEARTBEAT,
            when="stops_leading",
            target=CONTROLLED_SHUTDOWN,
            effects=("move_leaderships",),
            why="shutdown_begins",
            spec="LOG-10",
        ),
        Row(
            source=UNFENCED,
            on=HEARTBEAT,
            when="stops_idle",
            target=FENCED,
            effects=("fence", "let_go"),
            why="idle_broker_may_stop",
            spec="LOG-10",
        ),
        Row(
            source=UNFENCED,
            on=HEARTBEAT,
            when="goes_on",
            target=UNFENCED,
            why="heartbeat_noted",
            spec="FEN-6",
        ),
        Row(
            source=CONTROLLED_SHUTDOWN,
            on=HEARTBEAT,
            when="may_go",
            target=FENCED,
            effects=("fence", "let_go"),
            why="shutdown_granted",
            spec="LOG-10",
        ),
        Row(
            source=CONTROLLED_SHUTDOWN,
            on=HEARTBEAT,
            target=CONTROLLED_SHUTDOWN,
            why="shutdown_waits",
            spec="LOG-10",
        ),
        *(
            Row(
                source=state,
                on=SESSION_OVER,
                target=FENCED,
                effects=("fence",),
                why="broker_fenced",
                spec="LOG-10",
            )
            for state in (UNFENCED, CONTROLLED_SHUTDOWN)
        ),
        # The broker repeats its registration. It sends no heartbeat before it has the response to a
        # registration, so it is still fenced.
        Row(
            source=FENCED,
            on=REGISTER,
            when="same_incarnation",
            target=FENCED,
            effects=("amend",),
            why="registration_amended",
            spec="FEN-6",
        ),
    ),
    guards=GUARDS,
    effects=("register", "amend", "unfence", "fence", "move_leaderships", "let_go"),
    only_if="quorum_controller",
)

HELD_ALIVE = MACHINE.sources(SESSION_OVER)
"""States in which a broker has a session. Without heartbeats the session ends."""

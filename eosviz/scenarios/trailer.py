"""The animation of the front page: a few scenes of one real run. Each scene is a step, and is drawn from the
engine's view at this step.

Each process makes the run once. Every drawn object has a position and a look in each scene, and the page
moves it from one position to the next (static/pages/trailer.ts). Everything is read from the view and the
step; no decision of a broker is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.step import Step

Json = dict[str, Any]

SHOWN = "SC-03"
"""The scenario of the lost response, which is the site's main example."""
PARTITION = "t-0"
CLIENT, BROKER, READER = "p1", "broker-1", "c1"
RECORDS = 3
"""The picture shows only the first records of the partition: those that the producer sends before the
connection breaks."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene, a step of the run. The key of its sentence is `front.scene.<name>`; `params` fill the
    sentence."""

    name: str
    step: int
    params: Json
    stored: tuple[tuple[int, int, int], ...]
    """The batches of the leader's log, each as (base offset, first sequence, last sequence)."""
    believed: tuple[bool, ...]
    """For each record that has a sequence, in the order of sequences: whether the producer knows that it is
    stored."""
    read: int
    """The offset that the consumer reads next."""
    travels: dict[str, str]
    """Dict of key of a message → where it is, for messages about a shown batch that are under way or that the
    step moves: `out` (sent), `home` (a response that has reached the producer), `lost`, `taken` (its batch is
    appended to the log), `compared` (its batch is in the log already)."""
    numbers: dict[str, tuple[int, int]]
    """Dict of key of a message → the first and the last sequence number of its batch, for all messages that
    steps have moved up to this scene."""


CHOSEN = (
    ("sent", "client.sent", 1),
    ("stored", "broker.appended_and_waits", 1),
    ("next_sent", "client.sent", 2),
    ("answer_lost", "fault.answer_dropped", 1),
    ("goes_on", "consumer.delivers", 1),
    ("sent_again", "client.sent", 4),
    ("recognised", "broker.duplicate_found", 1),
    ("answered", "client.acknowledged", 1),
    ("next_resent", "client.sent", 5),
    ("others_stored", "broker.appended_and_waits", 2),
    ("read_once", "consumer.delivers", 3),
)
"""The scenes, as (name, key of the step's sentence, number of the step among those with this key). Steps
about another partition are not counted."""
STILL = "recognised"
"""The name of the scene that is shown while nothing moves."""


@cache
def scenes() -> tuple[Scene, ...]:
    simulation = Simulation(entry(SHOWN).scenario())
    wanted = {(key, number): name for name, key, number in CHOSEN}
    counted: dict[str, int] = {}
    about: dict[int, str] = {}
    numbers: dict[str, tuple[int, int]] = {}
    before = simulation.view()
    found: list[Scene] = []
    while (step := simulation.step()) is not None:
        if not step.messages and not any(step.key == key for key, _ in wanted):
            continue
        view = simulation.view()
        _find_messages(view, about, numbers)
        if step.params.get("partition", PARTITION) == PARTITION:
            number = counted[step.key] = counted.get(step.key, 0) + 1
            if (name := wanted.get((step.key, number))) is not None:
                found.append(_scene(name, step, before, view, about, numbers))
        before = view
    return tuple(found)


def _find_messages(view: Json, about: dict[int, str], numbers: dict[str, tuple[int, int]]) -> None:
    """For each message about a shown batch, add its id → key to `about`, and key → (first, last sequence
    number of its batch) to `numbers`."""
    for message in view["network"]["messages"].values():
        if message["api"] != "Produce" or PARTITION not in message["partitions"]:
            continue
        key = f"{'answer' if message['is_response'] else 'request'}-{message['correlation_id']}"
        batch = message["fields"].get("batches", {}).get(PARTITION)
        if batch is not None and batch["last_sequence"] < RECORDS:
            numbers[key] = batch["base_sequence"], batch["last_sequence"]
        elif f"request-{message['correlation_id']}" in numbers:
            numbers[key] = numbers[f"request-{message['correlation_id']}"]
        else:
            continue
        about[message["id"]] = key


def _scene(
    name: str,
    step: Step,
    before: Json,
    view: Json,
    about: dict[int, str],
    numbers: dict[str, tuple[int, int]],
) -> Scene:
    return Scene(
        name=name,
        step=step.number,
        params={key: value for key, value in step.params.items() if isinstance(value, str | int)},
        stored=_stored(view),
        believed=_believed(view),
        read=view["consumers"][READER]["positions"][PARTITION],
        travels=_under_way(before, view, about) | _travels(step, _stored(before), about, numbers),
        numbers=dict(numbers),
    )


def _stored(view: Json) -> tuple[tuple[int, int, int], ...]:
    """The shown batches of the leader's log, as (base offset, first sequence, last sequence)."""
    replica = view["partitions"][PARTITION]["replicas"][BROKER.removeprefix("broker-")]
    return tuple(
        (batch["base_offset"], batch["first_sequence"], batch["last_sequence"])
        for batch in replica.get("batches", {}).values()
        if batch["last_sequence"] < RECORDS
    )


def _believed(view: Json) -> tuple[bool, ...]:
    """For each shown record that has a sequence, whether the producer knows that it is stored."""
    statuses = [record["status"] for record in view["records"].values() if record["partition"] == PARTITION]
    numbered = view["clients"][CLIENT]["transaction_manager"]["partitions"].get(PARTITION, {})
    return tuple(status == "ok" for status in statuses[: min(RECORDS, numbered.get("next_sequence", 0))])


def _under_way(before: Json, view: Json, about: dict[int, str]) -> dict[str, str]:
    """The messages that were sent before this step and are still under way, as key → `out`."""
    found = before["network"]["messages"].keys() & view["network"]["messages"].keys()
    return {about[id_]: "out" for id_ in sorted(map(int, found)) if id_ in about}


def _travels(
    step: Step,
    stored: tuple[tuple[int, int, int], ...],
    about: dict[int, str],
    numbers: dict[str, tuple[int, int]],
) -> dict[str, str]:
    events = {about[message["id"]]: message["event"] for message in step.messages if message["id"] in about}
    if lost := {key: "lost" for key, event in events.items() if event in ("dropped", "lost")}:
        return lost
    for key, event in events.items():
        if event == "delivered":
            if key.startswith("answer"):
                return {key: "home"}
            return {key: "compared" if any(first == numbers[key][0] for _, first, _ in stored) else "taken"}
    return dict.fromkeys(list(events)[:1], "out")

"""The animation of the front page: a few scenes of one real run, each drawn from the engine's view at its
step.

A process makes the run once. Every drawn object has a place and a look for each scene; the page moves the
object from one place to the next (static/pages/trailer.ts). A scene is a step. It is read from the view and the
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
"""The lost response, the site's main example."""
PARTITION = "t-0"
CLIENT, BROKER, READER = "p1", "broker-1", "c1"


@dataclass(frozen=True, slots=True)
class Scene:
    """One step of the run. Its sentence has the key `front.scene.<name>`, and `params` fill it."""

    name: str
    step: int
    params: Json
    stored: tuple[tuple[int, int, int], ...]
    """The batches of the leader's log, each as (base offset, first sequence, last sequence)."""
    believed: tuple[bool, ...]
    """For each record with a sequence, in the order of sequences: whether the producer knows that the record
    is stored."""
    read: int
    """The reader's next offset."""
    travels: tuple[str, str] | None
    """(Key, place) of the message about the first batch, if the step moves it. Places: `out` (sent), `home`
    (a response that has reached the producer), `lost`, `taken` (appended to the log), and `compared` (a batch
    that the log already contains). None if no such message moves."""


CHOSEN = (
    ("sent", "client.sent", 1),
    ("stored", "broker.appended_and_waits", 1),
    ("answer_lost", "fault.answer_dropped", 1),
    ("goes_on", "consumer.delivers", 1),
    ("sent_again", "client.sent", 4),
    ("recognised", "broker.duplicate_found", 1),
    ("answered", "client.acknowledged", 1),
    ("read_once", "consumer.delivers", 5),
)
"""The scenes as (name, key of the step's sentence, which of the steps with this key). Steps about another
partition are not counted."""
STILL = "recognised"
"""The scene that is shown while nothing moves."""


@cache
def scenes() -> tuple[Scene, ...]:
    simulation = Simulation(entry(SHOWN).scenario())
    wanted = {(key, number): name for name, key, number in CHOSEN}
    counted: dict[str, int] = {}
    about_first: dict[int, str] = {}
    before = simulation.view()
    found: list[Scene] = []
    while (step := simulation.step()) is not None:
        if not step.messages and not any(step.key == key for key, _ in wanted):
            continue
        view = simulation.view()
        about_first.update(_about_first(view, set(about_first.values())))
        if step.params.get("partition", PARTITION) == PARTITION:
            number = counted[step.key] = counted.get(step.key, 0) + 1
            if (name := wanted.get((step.key, number))) is not None:
                found.append(_scene(name, step, before, view, about_first))
        before = view
    return tuple(found)


def _about_first(view: Json, known: set[str]) -> dict[int, str]:
    """Message id → key of the drawn message, for requests that carry the first batch and for their
    responses."""
    found = {}
    for message in view["network"]["messages"].values():
        if message["api"] != "Produce" or PARTITION not in message["partitions"]:
            continue
        key = f"{'answer' if message['is_response'] else 'request'}-{message['correlation_id']}"
        batch = message["fields"].get("batches", {}).get(PARTITION, {})
        if batch.get("base_sequence") == 0 or f"request-{message['correlation_id']}" in known:
            found[message["id"]] = key
    return found


def _scene(name: str, step: Step, before: Json, view: Json, about_first: dict[int, str]) -> Scene:
    replica = view["partitions"][PARTITION]["replicas"][BROKER.removeprefix("broker-")]
    return Scene(
        name=name,
        step=step.number,
        params={key: value for key, value in step.params.items() if isinstance(value, str | int)},
        stored=tuple(
            (batch["base_offset"], batch["first_sequence"], batch["last_sequence"])
            for batch in replica.get("batches", {}).values()
        ),
        believed=_believed(view),
        read=view["consumers"][READER]["positions"][PARTITION],
        travels=_travels(step, before, about_first),
    )


def _believed(view: Json) -> tuple[bool, ...]:
    """For each record with a sequence, in the order of sequences: whether the producer knows that the record
    is stored."""
    statuses = [record["status"] for record in view["records"].values() if record["partition"] == PARTITION]
    numbered = view["clients"][CLIENT]["transaction_manager"]["partitions"].get(PARTITION, {})
    return tuple(status == "ok" for status in statuses[: numbered.get("next_sequence", 0)])


def _travels(step: Step, before: Json, about_first: dict[int, str]) -> tuple[str, str] | None:
    events = {
        about_first[message["id"]]: message["event"]
        for message in step.messages
        if message["id"] in about_first
    }
    for key, event in events.items():
        if event == "dropped":
            return key, "lost"
        if event == "delivered":
            if key.startswith("answer"):
                return key, "home"
            stored = before["partitions"][PARTITION]["replicas"][BROKER.removeprefix("broker-")].get(
                "batches", {}
            )
            return key, "compared" if any(
                batch["first_sequence"] == 0 for batch in stored.values()
            ) else "taken"
    sent = next(iter(events), None)
    return None if sent is None else (sent, "out")

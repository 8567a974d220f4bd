"""*A scenario like this case*: the engine writes a real log again, with the same offsets, or says why it cannot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from engine.scenario.document import load, parse
from engine.simulation import Simulation
from eosviz.pipeline.kafka_logs.case_scenario import (
    NoScenarioError,
    Stored,
    differs_at,
    lanes_of,
    scenario_of,
)
from eosviz.replays.models import Replay
from eosviz.workshop import from_case
from eosviz.workshop.from_case import text_of_case
from eosviz.workshop.models import Draft
from eosviz.workshop.trial import Played
from tests.accounts.conftest import person, signed_in
from tests.replays.opened import open_log

LOGS = Path(__file__).parents[1] / "oracles" / "kafka-logs"
COMMIT, ABORT = "COMMIT", "ABORT"


def opened(name: str, *partitions: str, owner: str = "") -> Replay:
    """Open the folder of a fixture, or some of its partitions, as a case."""
    folder = LOGS / name
    files = {
        f"{path.parent.name}/{path.name}": path.read_bytes()
        for path in sorted(folder.glob("*/*"))
        if path.is_file() and path.suffix not in (".txt", ".json")
        if not partitions or path.parent.name in partitions
    }
    return open_log(files, owner)


def by_offset(folder: Path) -> dict[int, str]:
    """Return offset → what Kafka's own dump says: `data`, or the kind of the marker."""
    kinds: dict[int, str] = {}
    dump = next(folder.glob("*.log.dump.txt")).read_text()
    for line in dump.splitlines():
        if line.startswith("baseOffset: "):
            first, last = (
                int(line.split(f"{name}: ")[1].split()[0]) for name in ("baseOffset", "lastOffset")
            )
            kinds |= dict.fromkeys(range(first, last + 1), "data")
        elif "endTxnMarker: " in line:
            kinds[int(line.split("offset: ")[1].split()[0])] = line.split("endTxnMarker: ")[1].split()[0]
    return kinds


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", ["h2_open", "c_commit", "d_abort", "e_interleave", "g_zombie", "a_plain", "b_idem"]
)
def test_the_run_holds_what_kafka_says_of_the_files(name: str) -> None:
    run = Simulation(load(parse(text_of_case(opened(name)))), watching="bare")
    run.run()
    played = lanes_of(run.view())
    folders = [folder for folder in sorted((LOGS / name).iterdir()) if any(folder.glob("*.log.dump.txt"))]
    found = {folder.name: by_offset(folder) for folder in folders}
    assert {partition for partition in found if found[partition]} == set(played)
    for partition, batches in played.items():
        held = {
            offset: batch.control or "data"
            for batch in batches
            for offset in range(batch.first_offset, batch.last_offset + 1)
        }
        assert held == found[partition], partition


@pytest.mark.django_db
def test_the_open_transaction_of_a_case_holds_the_reader_back_in_the_scenario_too() -> None:
    run = Simulation(load(parse(text_of_case(opened("h2_open")))), watching="judged")
    run.run()
    view = run.view()
    lane = view["partitions"]["hangopen-0"]
    assert lane["replicas"][str(lane["leader"])]["last_stable_offset"] == 2
    assert run.finished == "time_limit"


@pytest.mark.django_db
def test_the_page_makes_a_draft_of_it_in_the_builder() -> None:
    learner = person("mai@example.org")
    client = signed_in(learner)
    replay = opened("h2_open", owner=learner.owner_key)
    page = client.get(reverse("replays:log_case", args=[replay.id])).content.decode()
    address = reverse("workshop:from_case", args=[replay.id])
    assert f'action="{address}"' in page
    answer = client.post(address)
    draft = Draft.objects.get(owner=learner)
    assert (answer.status_code, answer["Location"]) == (302, reverse("workshop:build", args=[draft.id]))
    assert parse(draft.text)["title"]["en"].startswith("Modelled on a real log: hangopen-0")
    assert client.get(answer["Location"]).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "sentence"), [("en", "Records are missing before"), ("zh-hans", "之前缺少记录")]
)
def test_the_page_says_why_there_is_none(language: str, sentence: str) -> None:
    learner = person("mai@example.org")
    client = signed_in(learner)
    replay = opened("l_compact", "compacted-0", owner=learner.owner_key)
    answer = client.post(
        reverse("workshop:from_case", args=[replay.id]), headers={"accept-language": language}
    )
    assert answer.status_code == 422 and sentence in answer.content.decode()
    assert not Draft.objects.exists()


def batch(at: int, partition: str = "t-0", producer: int = 7, **changed: Any) -> Stored:
    """Return a batch with one record of a transaction."""
    return Stored(partition, at, at, producer, 0, True, None)._replace(**changed)


def marker(at: int, kind: str = COMMIT, partition: str = "t-0", producer: int = 7) -> Stored:
    return batch(at, partition, producer, control=kind)


@pytest.mark.parametrize(
    ("reason", "batches"),
    [
        ("nothing", [marker(0)]),
        ("hole", [batch(0), batch(2)]),
        ("ended", [batch(0), marker(1, "?")]),
        ("marker_alone", [batch(0), marker(1), marker(2)]),
        ("two_results", [batch(0), batch(0, "t-1"), marker(1), marker(1, ABORT, "t-1")]),
        ("half_ended", [batch(0), batch(0, "t-1"), marker(1)]),
        ("earlier_open", [batch(0), batch(1, epoch=1)]),
        ("foreign", [batch(0), marker(1), batch(2, transactional=False)]),
        ("foreign", [batch(0, transactional=False), batch(1), marker(2)]),
        ("named", [batch(0, "log 1"), marker(1, partition="log 1")]),
        ("records", [batch(0, last_offset=5_000)]),
        ("batches", [batch(at) for at in range(201)]),
        ("topics", [batch(0, f"t{number}-0") for number in range(17)]),
        ("producers", [batch(at, producer=at) for at in range(17)]),
        (
            "order",
            [
                *(batch(0, "t-0"), batch(0, "t-1"), batch(1, "t-1", 9), marker(1, COMMIT, "t-0")),
                *(batch(2, "t-0", 9), marker(3, COMMIT, "t-0", 9)),
                *(marker(2, COMMIT, "t-1", 9), marker(3, COMMIT, "t-1")),
            ],
        ),
    ],
)
def test_what_no_call_of_a_client_writes_is_reported(reason: str, batches: Sequence[Stored]) -> None:
    with pytest.raises(NoScenarioError) as none:
        scenario_of(batches, "MY-CASE-1", {"en": "x", "zh-Hans": "x"}, {})
    assert none.value.says.key == f"logs.scenario.not.{reason}"


@pytest.mark.django_db
def test_a_refusal_of_the_engine_is_given_as_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    reason = {"key": "refused.x", "params": {}}
    monkeypatch.setattr(from_case, "played", lambda text, author: Played(refused=reason))
    with pytest.raises(NoScenarioError) as none:
        text_of_case(opened("a_plain"))
    assert none.value.says.key == "logs.scenario.not.refused"
    assert none.value.says.params == {"reason": reason}


def test_markers_with_other_batches_between_them_are_joined() -> None:
    """In t-1, the marker of one transaction comes after batches that another one wrote later than the first one's
    marker in t-0.
    """
    batches = [
        *(batch(0), batch(0, "t-1"), marker(1), batch(1, "t-1", 8), marker(2, partition="t-1")),
        *(marker(3, ABORT, "t-1", 8), batch(2, producer=-1, transactional=False)),
    ]
    document = scenario_of(batches, "MY-CASE-1", {"en": "x", "zh-Hans": "x"}, {8: "orders"})
    run = Simulation(load(document), watching="bare")
    run.run()
    assert differs_at(batches, lanes_of(run.view())) is None
    assert {one["settings"].get("transactional_id") for one in document["producers"]} == {
        "txn-7",
        "orders",
        None,
    }
    otherwise = [*batches[:2], marker(1, ABORT), *batches[3:]]
    assert differs_at(otherwise, lanes_of(run.view())) == ("t-0", 1)


def test_partitions_below_the_only_one_of_a_case_hold_nothing() -> None:
    batches = [batch(0, "t-3"), marker(1, partition="t-3")]
    run = Simulation(
        load(scenario_of(batches, "MY-CASE-1", {"en": "x", "zh-Hans": "x"}, {})), watching="bare"
    )
    run.run()
    assert differs_at(batches, lanes_of(run.view())) is None


def test_a_log_that_starts_late_starts_late_in_the_scenario() -> None:
    batches = [batch(40), batch(41), marker(42)]
    document = scenario_of(batches, "MY-CASE-1", {"en": "x", "zh-Hans": "x"}, {})
    run = Simulation(load(document), watching="bare")
    run.run()
    assert differs_at(batches, lanes_of(run.view())) is None

"""The answers at the top of a log case: which transaction holds which partition since when, which consumers wait, and
what to do in which order.
"""

from pathlib import Path
from typing import Any

from eosviz.catalogue import say
from eosviz.pipeline.kafka_logs import case as kafka_case
from eosviz.pipeline.kafka_logs.case import read_case
from eosviz.pipeline.kafka_logs.declared import Declared
from eosviz.pipeline.kafka_logs.words import as_kept
from eosviz.pipeline.templatetags.log_places import say_log
from eosviz.replays.log_page import log_case_page
from eosviz.replays.sample_log import SAMPLE_OPTIONS, sample_log

LOGS = Path(__file__).parents[1] / "oracles" / "kafka-logs"
OPEN, INTERNAL = LOGS / "h2_open" / "hangopen-0", LOGS / "_internal"
INCIDENTS = LOGS / "incidents"


def page_of(*paths: Path, declared: Declared | None = None) -> dict[str, Any]:
    document = kafka_case.document(read_case(paths, declared), as_kept)
    document["counts"] = {}
    return log_case_page(document)


def english(sentence: dict[str, Any]) -> str:
    return say(sentence["key"], "en", sentence["params"])


def commands(answer: dict[str, Any]) -> list[str]:
    return [one["command"].split()[3] if one["command"] else "–" for one in answer["todo"]]


def test_nothing_stuck_is_said_with_the_time_until_which_it_is_known() -> None:
    page = page_of(LOGS / "c_commit")
    assert english(page["summary"]["headline"]).startswith("No transaction is stuck: in 3 partitions")
    assert "2026-11-21" in english(page["summary"]["then"])


def test_without_the_coordinators_log_the_page_says_what_cannot_be_said() -> None:
    page = page_of(OPEN)
    assert "producer 1022 (epoch 0), open since" in english(page["summary"]["headline"])
    assert "no partition of __transaction_state was opened" in english(page["summary"]["then"])
    (problem,) = page["problems"]
    assert commands(problem["answer"]) == ["find-hanging"]


def test_a_late_write_is_named_by_its_partition_and_offset(tmp_path: Path) -> None:
    for path, segment in sample_log():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(segment)
    page = page_of(*tmp_path.iterdir(), declared=SAMPLE_OPTIONS.declared())
    late = "The late record is at offset 2 of orders-0: it was written after the ABORT marker at offset 1 had"
    assert english(page["summary"]["late"]).startswith(late)


def test_a_marker_that_may_be_missing_leaves_the_transaction_with_its_coordinator(tmp_path: Path) -> None:
    damaged = tmp_path / OPEN.name
    damaged.mkdir()
    (segment,) = OPEN.glob("*.log")
    (damaged / segment.name).write_bytes(segment.read_bytes() + b"\xff" * 100)
    (problem,) = page_of(damaged, INTERNAL, declared=Declared(now=2_000_000_000_000))["problems"]
    assert problem["kind"] == "undecided"
    assert (
        english(problem["answer"]["coordinator"])
        == "The coordinator's newest record of tx-open-public in these files has state Ongoing."
    )


def test_a_partition_that_may_be_held_up_is_not_counted_as_held_up(tmp_path: Path) -> None:
    found = sorted(path for path in (LOGS / "c_commit").iterdir() if path.is_dir())
    for whole in found[:2]:
        damaged = tmp_path / whole.name
        damaged.mkdir()
        (segment,) = whole.glob("*.log")
        (damaged / segment.name).write_bytes(segment.read_bytes() + b"\xff" * 100)
    both = page_of(tmp_path)["summary"]["headline"]
    assert english(both).endswith("holds up consumers in 2 partitions.")
    assert english(page_of(OPEN, tmp_path)["summary"]["headline"]).endswith("consumers in 1 partition.")


def test_one_transaction_in_two_partitions_is_one_and_its_remedies_stand_once() -> None:
    page = page_of(INCIDENTS / "live_copy_open")
    summary = english(page["summary"]["headline"])
    assert summary.startswith("One open transaction, of checkout-7 (producer 1, epoch 0)")
    assert [row["partition"] for row in page["summary"]["rows"]] == ["orders-0", "orders-1"]
    first, other = (one["answer"] for one in page["problems"])
    assert commands(first) == ["describe", "–", "forceTerminateTransaction", "–"]
    assert (other["todo"], other["todo_at"]) == ([], {"number": 1, "partition": "orders-0"})
    waits = next(fact for fact in first["facts"] if fact["name"].endswith("blocked"))
    assert "group invoicer is held up at orders-0" in " ".join(map(english, waits["sentences"]))


def test_a_producer_in_two_partitions_counts_once_among_several() -> None:
    summary = page_of(*(INCIDENTS / name for name in ("live_copy_open", "retention_open")))["summary"]
    assert english(summary["headline"]).startswith("Open transactions of 2 producers hold up")
    assert english(summary["headline"]).endswith("consumers in 3 partitions.")


def test_each_command_says_what_it_does_what_it_costs_and_since_when_it_is_there() -> None:
    (problem,) = page_of(OPEN, INTERNAL)["problems"]
    for one in problem["answer"]["todo"]:
        for language in ("en", "zh-Hans"):
            for sentence in (one["title"], *one["does"], one["costs"], *one["only_if"]):
                assert "[" not in say(sentence["key"], language, sentence["params"])
    assert [one["since"] for one in problem["answer"]["todo"]] == ["3.0", None, "4.1", None]


def test_the_page_begins_with_how_long_it_lasts_and_the_first_command() -> None:
    page = page_of(OPEN, declared=Declared(now=2_000_000_000_000))
    first = page["summary"]["first"]
    assert first == page["problems"][0]["answer"]["todo"][0]
    assert english(page["summary"]["lasts"]).startswith("Open for at least 2369 d")
    assert page["problems"][0]["answer"]["leads"]


def test_the_page_names_its_field_where_the_command_names_its_argument() -> None:
    said = say_log("logs.given.of_unknown", {"count": 1})
    field = "“Number of partitions of __transaction_state”"
    assert f'state it: <a href="/replays/log#transaction-partitions">{field}</a>' in said
    assert "--" not in said

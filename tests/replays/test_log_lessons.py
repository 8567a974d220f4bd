"""A verdict on a log leads to the lesson that shows the same fault, and the lesson leads back to the log."""

from __future__ import annotations

import gzip

import msgspec
import pytest
from django.test import Client
from django.urls import reverse

from engine.codec.log_case import log_case
from engine.view.leading import following, leading
from eosviz.pipeline.kafka_logs.verdict_kinds import NOT_HEALTHY, VerdictKind
from eosviz.reference.signatures import ON_CALL, fitting, lesson_of
from eosviz.replays.models import Replay
from eosviz.replays.sample_case import sample_case
from eosviz.replays.sample_log import sample_log
from eosviz.walkthroughs.models import Session


@pytest.mark.parametrize("kind", [one for one in NOT_HEALTHY if one is not VerdictKind.EVIDENCE_DELETED])
def test_every_verdict_on_an_open_transaction_has_a_lesson_for_the_engineer_on_call(
    kind: VerdictKind,
) -> None:
    lesson = lesson_of(fitting(kind))
    assert lesson is not None
    assert lesson.track.name in ON_CALL


def test_a_fault_that_waiting_never_ends_comes_early_in_its_track() -> None:
    lesson = lesson_of(fitting(VerdictKind.LATE_WRITE))
    assert lesson is not None
    assert (lesson.track.name, lesson.scenario) == ("a-transaction-is-stuck", "SC-101")
    assert lesson.position <= 5


@pytest.mark.django_db
def test_the_sample_log_leads_to_the_run_that_it_was_made_from_and_back(client: Client) -> None:
    case = reverse("replays:log_case", args=[sample_case().id])
    page = client.get(case).content.decode()
    lesson = lesson_of(fitting(VerdictKind.FENCED_WRITER))
    assert lesson is not None
    begin = reverse("tracks:begin", args=[lesson.track.name, lesson.position])
    assert f'action="{begin}"' in page
    assert "See the same fault: SC-101 Hanging transaction" in page
    opened = client.post(begin, {"log": str(sample_case().id)}, follow=True)
    assert Session.objects.get().version.identifier == "SC-101"
    player = opened.content.decode()
    assert f'log="{case}"' in player
    assert f'track-place="{lesson.position}/' in player


@pytest.mark.django_db
def test_what_is_no_log_s_id_leads_nowhere(client: Client) -> None:
    begin = reverse("tracks:begin", args=["a-transaction-is-stuck", 1])
    assert "log=" not in client.post(begin, {"log": "https://elsewhere.example"})["Location"]


@pytest.mark.django_db
def test_the_sample_states_what_no_file_of_it_shows(client: Client) -> None:
    page = client.get(reverse("replays:log_case", args=[sample_case().id])).content.decode()
    assert "as the sample states (no file shows it)" in page
    assert "as you stated" not in page


@pytest.mark.django_db
def test_the_beats_of_the_sample_log_stop_at_the_new_epoch_and_name_the_last_state() -> None:
    plan = msgspec.json.decode(gzip.decompress(bytes(Replay.objects.get(id=sample_case().id).player)))[
        "plans"
    ]["1"]
    beats = [(beat["lands"], beat["key"], beat["params"]) for beat in plan["beats"]]
    assert beats[0] == (4, "beat.log_coordinator", {"transactional_id": "billing-3", "state": "PrepareAbort"})
    assert (8, "beat.log_epoch_raised", {"transactional_id": "billing-3", "producer_epoch": 1}) in beats
    assert [lands for lands, *_ in beats] == [4, 5, 7, 8, 10]


def test_step_end_and_answer_say_that_the_batch_came_after_the_marker() -> None:
    said = {
        "offset": 2, "marker_offset": 1, "result": "ABORT", "transactional_id": "billing-3", "state": "Empty",
    }  # fmt: skip
    case = log_case(dict(sample_log()))
    late = {
        step["number"]: note["params"]
        for step in case.steps
        for note in step["notes"]
        if note["key"] == "log.after_marker_late"
    }
    assert late == {case.steps[-1]["number"]: said}, "the step of the batch says nothing about later records"
    step = case.steps[6]
    assert [
        None if place is None else step["notes"][place]["key"]
        for place in (leading(step), following(step), leading(case.steps[-1]))
    ] == ["log.after_marker", "log.never_ends_by", None]
    *_, newest = case.why
    (link,) = (link for link in newest["links"] if link["answers"])
    assert (link["key"], link["params"], link["step"]) == ("log.after_marker_late", said, 7)


def test_without_the_coordinators_log_the_marker_alone_is_named() -> None:
    files = {path: content for path, content in sample_log() if path.startswith("orders-")}
    notes = [note["key"] for step in log_case(files).steps for note in step["notes"]]
    assert "log.after_marker" in notes and "log.after_marker_late" not in notes

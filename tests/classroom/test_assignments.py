"""The verdicts of the engine decide whether an attempt at an assignment is passed."""

from __future__ import annotations

import csv
import io
import re
import uuid
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django import forms
from django.utils import timezone
from django.utils.html import escape

from engine.scenario.tracks import tracks
from eosviz.bounded import runner
from eosviz.bounded.refusing import BeyondBounds
from eosviz.bounded.register import caller
from eosviz.bounded.tasks import TASKS
from eosviz.classroom import actions
from eosviz.classroom.actions import ClassRefused
from eosviz.classroom.judging import Judgement, broken_by_itself
from eosviz.classroom.kinds.hold import SettingsForm
from eosviz.classroom.kinds.watch import Watch
from eosviz.classroom.models import Assignment, Attempt, Outcome
from eosviz.classroom.results import csv_of
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.models import Visit
from eosviz.walkthroughs.messages import Done
from eosviz.walkthroughs.models import Branch, Session, Step
from eosviz.workshop.models import Draft, Edition
from tests.answers import Answer
from tests.bounded.work import never_in_time
from tests.classroom.conftest import School, run_to_the_end, session_of
from tests.walkthroughs.conftest import carry_out, root

pytestmark = pytest.mark.django_db


def retrying() -> ScenarioVersion:
    """Return a scenario with a producer that retries without idempotence, and without faults."""
    document = ScenarioVersion.objects.library().get(identifier="SC-02").document
    document["faults"] = []
    del document["expect"]
    document.pop("checkpoints", None)
    return ScenarioVersion.objects.of_document("RETRYING", document)


def holding(profile: str, settings: dict[str, Any]) -> Assignment:
    """Return a *Keep the guarantees* assignment, whose producer follows the version ``profile`` and has these
    settings.
    """
    document = retrying().document
    document["profile"] = profile
    document["producers"][0]["settings"] = settings
    version = ScenarioVersion.objects.of_document("RETRYING", document)
    return Assignment(
        kind="hold", version=version, settings=["enable_idempotence", "acks", "batch_expiry_ms"]
    )


def shown(given: Assignment) -> dict[str, Any]:
    return {str(field.label): field.initial for field in SettingsForm(given).fields.values()}


def chosen(given: Assignment, **other: str) -> dict[str, Any]:
    """Return the settings that are stored if the learner changes only the fields in ``other``."""
    as_shown = {path: field.initial for path, field in SettingsForm(given).fields.items()}
    form = SettingsForm(given, as_shown | other)
    assert form.is_valid()
    return form.chosen


def intervene(attempt: Attempt, branch: Branch, after: int, **intervention: object) -> Branch:
    done = carry_out(session_of(attempt), "intervene", branch, after=after, intervention=intervention)
    assert isinstance(done, Done)
    return Branch.objects.get(id=int(done.created)) if done.created else branch


def to_the_end(attempt: Attempt, branch: Branch) -> None:
    branch.refresh_from_db()
    carry_out(session_of(attempt), "run_until", branch, after=branch.newest, until="end")


def first_produce_response(branch: Branch) -> tuple[int, int]:
    """Return the number of the step that sends the first Produce response, and the id of the response."""
    branch.refresh_from_db()
    for body in Step.objects.of_line(Branch.objects.line(branch), 1, branch.newest).bodies():
        step = msgspec.json.decode(body)
        for change in step["changes"]:
            sent = change.get("after") if change["path"][:2] == ["network", "messages"] else None
            if sent and "before" not in change and sent["api"] == "Produce" and sent["is_response"]:
                return step["number"], sent["id"]
    raise AssertionError("no answer was sent")


class TestWatching:
    def test_a_run_that_goes_on_is_not_watched(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        carry_out(session_of(attempt), "advance", root(session_of(attempt)), after=0, count=5)
        handed = actions.hand_in(attempt)
        assert handed.outcome == Outcome.FAILED
        assert handed.evidence == {"reason": "not_at_the_end", "step": 5}

    def test_its_end_is(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        run_to_the_end(attempt)
        assert actions.hand_in(attempt).outcome == Outcome.PASSED

    def test_a_run_that_an_intervention_ended_is_not(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        intervene(attempt, root(session_of(attempt)), 0, action="crash", actor="p1")
        run_to_the_end(attempt)
        assert actions.hand_in(attempt).evidence["reason"] == "changed_run"

    def test_a_track_is_watched_when_all_its_places_are_done(self, school: School) -> None:
        track = tracks()[0]
        learner = school.people["learner"]
        given = school.assign("watch", None, track=track.name)
        page = school.browser("learner").get(f"/assignments/{given.id}/").content.decode()
        assert "Finish every scenario of the track, then submit." in page
        assert re.search(rf'href="/tracks/{track.name}/">{re.escape(escape(track.title["en"]))}</a>', page)
        assert "without interventions in the original run" not in page
        attempt = actions.begin(learner, given)
        assert attempt.session is None
        back, browser = f'href="/assignments/{given.id}/"', school.browser("learner")
        assert back in browser.get(f"/tracks/{track.name}/").content.decode()
        assert actions.hand_in(attempt).evidence["done"] == 0
        assert back not in browser.get(f"/tracks/{track.name}/").content.decode()
        for position in range(1, len(track.items) + 1):
            Visit.objects.create(owner=learner.owner_key, track=track.name, position=position, done=True)
        assert actions.hand_in(actions.begin(learner, given)).outcome == Outcome.PASSED


class TestPredicting:
    def questions(self, school: School, attempt: Attempt) -> list[dict[str, Any]]:
        address = f"/sessions/{attempt.session_id}/questions?branch={root(session_of(attempt)).id}"
        questions: list[dict[str, Any]] = school.browser("learner").get(address).json()["questions"]
        return questions

    def answer(
        self, school: School, attempt: Attempt, wrong_at: int | None = None, all_wrong: bool = False
    ) -> None:
        client = school.browser("learner")
        branch = root(session_of(attempt))
        address = f"/sessions/{attempt.session_id}"
        for question in self.questions(school, attempt):
            choices = [one["id"] for one in question["choices"] if one["id"] != question["right"]]
            choice = choices[0] if all_wrong or question["at"] == wrong_at else question["right"]
            fields = {"branch": branch.id, "at": question["at"], "choice": choice}
            assert client.post(f"{address}/predictions", fields).status_code == 204

    def test_right_answers_are_counted(self, school: School) -> None:
        attempt = school.attempt(school.assign("predict"))
        self.answer(school, attempt)
        handed = actions.hand_in(attempt)
        assert handed.outcome == Outcome.PASSED
        assert handed.score == handed.score_max == 3

    def test_where_it_went_wrong_is_kept(self, school: School) -> None:
        attempt = school.attempt(school.assign("predict"))
        at = self.questions(school, attempt)[1]["at"]
        self.answer(school, attempt, wrong_at=at)
        handed = actions.hand_in(attempt)
        assert (handed.outcome, handed.score, handed.score_max) == (Outcome.FAILED, 2, 3)
        assert (handed.evidence["reason"], handed.evidence["needed"]) == ("mispredicted", 3)
        assert [one["at"] for one in handed.evidence["wrong"]] == [at]
        page = school.browser("instructor").get(f"/attempts/{attempt.id}/").content.decode()
        assert "2 of 3 right; the minimum is 3." in page and "Answered: " in page

    def test_as_many_answers_may_be_wrong_as_the_assignment_says(self, school: School) -> None:
        attempt = school.attempt(school.assign("predict", wrong_max=1))
        at = self.questions(school, attempt)[1]["at"]
        self.answer(school, attempt, wrong_at=at)
        assert actions.hand_in(attempt).outcome == Outcome.PASSED

    def test_without_a_right_answer_it_is_never_done(self, school: School) -> None:
        attempt = school.attempt(school.assign("predict", wrong_max=20))
        self.answer(school, attempt, wrong_at=None, all_wrong=True)
        handed = actions.hand_in(attempt)
        assert (handed.outcome, handed.score) == (Outcome.FAILED, 0)

    def test_unanswered_questions_leave_it_undone(self, school: School) -> None:
        handed = actions.hand_in(school.attempt(school.assign("predict")))
        assert (handed.outcome, handed.evidence["unanswered"]) == (Outcome.FAILED, 3)

    def test_no_questions_can_be_got_rid_of_by_crashing_who_would_be_asked(self, school: School) -> None:
        attempt = school.attempt(school.assign("predict"))
        intervene(attempt, root(session_of(attempt)), 0, action="crash", actor="p1")
        run_to_the_end(attempt)
        assert actions.hand_in(attempt).evidence["reason"] == "changed_run"


class TestBreaking:
    @pytest.fixture
    def given(self, school: School) -> Assignment:
        assignment = school.assign("break", None, guarantee="duplicated", budget=1)
        Assignment.objects.filter(id=assignment.id).update(version=retrying())
        return Assignment.objects.get(id=assignment.id)

    def break_it(self, attempt: Attempt, wasted: int = 0) -> Branch:
        """Drop the response to the first write. Before that, a setting is changed ``wasted`` times to no effect."""
        branch = root(session_of(attempt))
        to_the_end(attempt, branch)
        for value in range(wasted):
            branch = intervene(attempt, branch, 3, action="set", path="clients.p1.retries", value=4 + value)
            to_the_end(attempt, branch)
        step, answer = first_produce_response(branch)
        return intervene(attempt, branch, step, action="drop_message", message=answer)

    def test_nothing_broken_yet(self, school: School, given: Assignment) -> None:
        attempt = school.attempt(given)
        run_to_the_end(attempt)
        assert actions.hand_in(attempt).evidence["reason"] == "nothing_broken"

    def test_one_dropped_answer_breaks_it(self, school: School, given: Assignment) -> None:
        attempt = school.attempt(given)
        branch = self.break_it(attempt)
        to_the_end(attempt, branch)
        handed = actions.hand_in(attempt)
        assert handed.outcome == Outcome.PASSED
        assert (handed.evidence["used"], handed.evidence["branch"]) == (1, branch.name)

    def test_more_interventions_than_the_budget_do_not(self, school: School, given: Assignment) -> None:
        attempt = school.attempt(given)
        branch = self.break_it(attempt, wasted=1)
        to_the_end(attempt, branch)
        handed = actions.hand_in(attempt)
        assert (handed.outcome, handed.evidence["reason"]) == (Outcome.FAILED, "over_budget")
        assert handed.evidence["used"] == 2


class TestHolding:
    PATH = "producers.p1.settings.enable_idempotence"
    RETRIES = "producers.p1.settings.retries"

    def test_other_settings_hold_what_the_scenario_breaks(self, school: School) -> None:
        given = school.assign("hold", "SC-02", settings=["enable_idempotence"])
        attempt = school.attempt(given, **{self.PATH: True})
        version = session_of(attempt).version
        assert version is not None and given.version is not None
        assert version.document != given.version.document
        handed = actions.hand_in(attempt)
        assert (handed.outcome, handed.evidence) == (Outcome.PASSED, {"reason": "held"})

    def test_records_that_failed_instead_are_counted(self, school: School) -> None:
        attempt = school.attempt(school.assign("hold", "SC-02", settings=["retries"]), **{self.RETRIES: 0})
        evidence = {"reason": "held_some_failed", "failed": 2}
        assert actions.hand_in(attempt).evidence == evidence
        page = school.browser("learner").get(f"/assignments/{attempt.assignment_id}/").content.decode()
        assert "Failed and not stored: 2 records." in page

    def test_the_page_names_the_scenario_and_says_of_which_settings_it_speaks(self, school: School) -> None:
        given = school.assign("hold", "SC-02", settings=["retries"])
        school.attempt(given)
        page = school.browser("learner").get(f"/assignments/{given.id}/").content.decode()
        assert given.version is not None
        title = given.version.document["title"]["en"]
        assert re.search(rf'href="/sessions/new\?scenario=SC-02">.*{re.escape(escape(title))}</a>', page)
        assert re.search(r"With these settings: Broken at step \d+", page)

    def test_the_scenario_s_own_do_not(self, school: School) -> None:
        attempt = school.attempt(school.assign("hold", "SC-02", settings=["enable_idempotence"]))
        handed = actions.hand_in(attempt)
        assert handed.outcome == Outcome.FAILED
        assert handed.evidence["broken"] == "duplicated"

    def test_a_run_that_the_engine_refuses_does_not_hold(self, school: School) -> None:
        attempt = school.attempt(school.assign("hold", "SC-02", settings=["retries"]), **{self.RETRIES: 4})
        session = session_of(attempt)
        version = session.version
        unknown = ScenarioVersion.objects.of_document("SC-02", {**version.document, "profile": "kafka-0.7"})
        Session.objects.filter(pk=session.pk).update(version=unknown)
        session.refresh_from_db()
        handed = actions.hand_in(attempt)
        assert (handed.outcome, handed.evidence) == (Outcome.FAILED, {"reason": "run_refused"})

    def test_what_is_done_inside_the_run_does_not_count(self, school: School) -> None:
        attempt = school.attempt(school.assign("hold", "SC-02", settings=["enable_idempotence"]))
        intervene(attempt, root(session_of(attempt)), 0, action="crash", actor="p1")
        run_to_the_end(attempt)
        assert actions.hand_in(attempt).evidence["broken"] == "duplicated"

    def test_a_run_with_a_learner_s_settings_is_bounded_and_waits_for_its_turn(
        self, school: School, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        given = school.assign("hold", "SC-02", settings=["enable_idempotence", "retries"])
        attempt = school.attempt(given, **{self.PATH: True, "producers.p1.settings.retries": 4})
        learner, hand_in = school.browser("learner"), f"/attempts/{attempt.id}/hand-in"
        with monkeypatch.context() as patch:
            patch.setitem(TASKS, "alone", never_in_time(TASKS["alone"]))
            for answer in (learner.get(f"/assignments/{given.id}/"), learner.post(hand_in)):
                assert "takes too much time or memory" in answer.content.decode()
            patch.setattr(runner, "WAIT_SECONDS_MAX", 0)
            usual, settings.BOUNDED_MEMORY_BYTES = settings.BOUNDED_MEMORY_BYTES, 0
            for answer in (learner.get(f"/assignments/{given.id}/"), learner.post(hand_in)):
                assert (answer.status_code, answer["Retry-After"]) == (503, str(runner.BUSY_SECONDS))
                assert "Nothing was lost" in answer.content.decode()
            settings.BOUNDED_MEMORY_BYTES = usual
        assert Attempt.objects.get().outcome == Outcome.OPEN
        learner.post(hand_in)
        assert Attempt.objects.get().outcome == Outcome.PASSED

    def test_a_built_scenario_is_tried_in_a_bounded_process_before_it_is_given(
        self, school: School, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(TASKS, "alone", never_in_time(TASKS["alone"]))
        document = {**retrying().document, "seed": 4711}
        version = ScenarioVersion.objects.of_document("RETRYING", document)
        with pytest.raises(BeyondBounds):
            broken_by_itself(version, None, caller(school.people["instructor"].owner_key))

    def test_the_form_offers_the_given_settings_alone(self, school: School) -> None:
        given = school.assign("hold", "SC-02", settings=["enable_idempotence", "acks"])
        client = school.browser("learner")
        page = client.get(f"/assignments/{given.id}/").content.decode()
        assert "p1: enable.idempotence" in page and "p1: acks" in page and "p1: retries" not in page
        fields = {
            self.PATH: "true",
            "producers.p1.settings.acks": "all",
            "producers.p1.settings.retries": "0",
        }
        response = client.post(f"/assignments/{given.id}/begin", fields)
        assert response["Location"].startswith("/sessions/")
        assert Attempt.objects.get().chosen == {self.PATH: True}
        page = client.get(f"/assignments/{given.id}/").content.decode()
        assert "p1: enable.idempotence = true" in page and "True" not in page
        assert f"{self.PATH}=true" in "".join(csv_of(school.classroom))

    def test_the_form_shows_the_settings_in_force_by_their_names_in_this_version(self, db: None) -> None:
        given = holding("k41", {})
        assert shown(given) == {
            "p1: enable.idempotence": "true",
            "p1: acks": "all",
            "p1: delivery.timeout.ms": 60_000,
        }
        assert chosen(given) == {}
        assert "p1: batch_expiry_ms" in shown(holding("k20", {}))

    def test_a_setting_that_another_one_forced_stays_as_it_was_shown(self, db: None) -> None:
        """Idempotence forces acks=all. The learner sees acks=all, and switches only idempotence off."""
        given = holding("k28", {"enable_idempotence": True})
        assert shown(given)["p1: acks"] == "all"
        acks = "producers.p1.settings.acks"
        assert chosen(given, **{self.PATH: "false"}) == {self.PATH: False, acks: "all"}
        assert chosen(given, **{acks: "1"}) == {acks: 1}

    def test_settings_that_a_rule_refuses_are_refused_with_it(self, school: School) -> None:
        given = school.assign("hold", "SC-02", settings=["enable_idempotence", "acks"])
        fields = {self.PATH: "true", "producers.p1.settings.acks": "0"}
        response = school.browser("learner").post(f"/assignments/{given.id}/begin", fields)
        assert response.status_code == 422
        assert "CFG-2" in response.content.decode()
        assert not Attempt.objects.exists()


class TestExplaining:
    def test_a_person_reads_it_and_answers(self, school: School) -> None:
        given = school.assign("explain", None, text="Why?")
        learner, instructor = school.browser("learner"), school.browser("instructor")
        learner.post(f"/assignments/{given.id}/begin")
        attempt = Attempt.objects.get()
        assert learner.post(f"/attempts/{attempt.id}/hand-in", {"text": " "}).status_code == 422
        learner.post(f"/attempts/{attempt.id}/hand-in", {"text": "<i>Because</i>"})
        page = instructor.get(f"/attempts/{attempt.id}/").content.decode()
        assert "&lt;i&gt;Because&lt;/i&gt;" in page
        instructor.post(f"/attempts/{attempt.id}/", {"passed": "yes", "comment": "Quite so."})
        attempt.refresh_from_db()
        assert attempt.outcome == Outcome.PASSED
        seen = learner.get(f"/assignments/{given.id}/").content.decode()
        assert "Quite so." in seen and "An instructor accepted it." in seen
        instructor.post(f"/attempts/{attempt.id}/", {"passed": "no"})
        seen = learner.get(f"/assignments/{given.id}/").content.decode()
        assert "An instructor returned it." in seen and "An instructor reads it." not in seen


class TestAnswering:
    """Some kinds of assignment ask for an answer when an attempt is submitted."""

    @pytest.fixture
    def attempt(self, school: School, monkeypatch: pytest.MonkeyPatch) -> Attempt:
        """An attempt at *Watch*, changed so that it also asks for a step; it is passed if the answer is 7."""

        def judge(kind: Watch, attempt: Attempt) -> Judgement:
            outcome = Outcome.PASSED if attempt.chosen["step"] == 7 else Outcome.FAILED
            return Judgement(outcome, "watched", evidence={"step": attempt.chosen["step"]})

        fields = {"step": forms.IntegerField(label="The step")}
        monkeypatch.setattr(Watch, "answer_fields", lambda kind: fields)
        monkeypatch.setattr(Watch, "judge", judge)
        return school.attempt(school.assign("watch"))

    def submit(self, school: School, attempt: Attempt, **answer: str) -> Answer:
        return school.browser("learner").post(f"/attempts/{attempt.id}/hand-in", answer)

    def test_its_page_asks_and_says_nothing_about_the_answer(self, school: School, attempt: Attempt) -> None:
        page = school.browser("learner").get(f"/assignments/{attempt.assignment_id}/").content.decode()
        assert "The step" in page and 'name="step"' in page and "So far:" not in page

    def test_without_a_valid_answer_it_stays_open(self, school: School, attempt: Attempt) -> None:
        for answer in ({}, {"step": "soon"}):
            assert self.submit(school, attempt, **answer).status_code == 422
        with pytest.raises(ClassRefused, match="not_answered"):
            actions.hand_in(attempt)
        assert Attempt.objects.get().outcome == Outcome.OPEN

    @pytest.mark.parametrize(("step", "outcome"), [("7", "passed"), ("8", "failed")])
    def test_it_is_judged_kept_and_shown(
        self, school: School, attempt: Attempt, step: str, outcome: str
    ) -> None:
        self.submit(school, attempt, step=step)
        attempt.refresh_from_db()
        assert (attempt.outcome, attempt.chosen) == (outcome, {"step": int(step)})
        for who, page in (
            ("learner", f"assignments/{attempt.assignment_id}"),
            ("instructor", f"attempts/{attempt.id}"),
        ):
            assert f"The step = {step}" in school.browser(who).get(f"/{page}/").content.decode()
        rows = csv.DictReader(io.StringIO("".join(csv_of(school.classroom)).removeprefix("\ufeff")))
        assert (f"step={step}", step, outcome) in {
            (row["chosen"], row["step"], row["outcome"]) for row in rows
        }


class TestAttempts:
    def test_one_at_a_time_and_no_more_than_are_allowed(self, school: School) -> None:
        given = school.assign("watch", attempts_max=2)
        first = school.attempt(given)
        assert school.attempt(given) == first
        actions.hand_in(first)
        second = school.attempt(given)
        assert second.number == 2
        actions.hand_in(second)
        with pytest.raises(ClassRefused, match="no_attempts_left"):
            school.attempt(given)
        assert Session.objects.count() == 2

    def test_handing_in_twice_changes_nothing(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        first = actions.hand_in(attempt)
        run_to_the_end(attempt)
        again = actions.hand_in(Attempt.objects.get())
        assert (again.outcome, again.handed_in) == (Outcome.FAILED, first.handed_in)

    def test_late_work_is_taken_and_marked(self, school: School) -> None:
        given = school.assign("watch", due=timezone.now() - timedelta(hours=1))
        attempt = school.attempt(given)
        run_to_the_end(attempt)
        handed = actions.hand_in(attempt)
        assert handed.outcome == Outcome.PASSED and handed.is_late

    def test_a_deleted_run_cannot_pass(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        run_to_the_end(attempt)
        session_of(attempt).delete()
        assert actions.hand_in(Attempt.objects.get()).evidence == {"reason": "run_deleted"}

    def test_an_archived_class_takes_nothing(self, school: School) -> None:
        given = school.assign("watch")
        attempt = school.attempt(given)
        actions.set_archived(school.classroom, school.people["instructor"], True)
        given.refresh_from_db()
        client = school.browser("learner")
        assert client.post(f"/assignments/{given.id}/begin").status_code == 409
        assert client.post(f"/attempts/{attempt.id}/hand-in").status_code == 409


class TestGiving:
    def give(self, school: School, kind: str, **fields: object) -> tuple[int, str]:
        form = {"title": "T", "material": "SC-03", "attempts_max": 3, **fields}
        response = school.browser("instructor").post(f"/classes/{school.classroom.id}/assign/{kind}/", form)
        return response.status_code, response.content.decode()

    @pytest.mark.parametrize(
        ("kind", "fields"),
        [
            ("watch", {}),
            ("watch", {"material": f"track:{tracks()[0].name}"}),
            ("predict", {"due": "2030-01-31T12:00", "wrong_max": 0}),
            ("break", {"guarantee": "lost", "budget": 3}),
            ("break", {"material": "SC-169/k28", "guarantee": "atomic", "budget": 3}),
            ("hold", {"material": "SC-02", "guarantee": "", "settings": ["acks", "retries"]}),
            ("explain", {"material": "", "text": "Why?"}),
        ],
    )
    def test_every_kind_is_given_and_shows_what_it_asks(
        self, school: School, kind: str, fields: dict[str, Any]
    ) -> None:
        status, _ = self.give(school, kind, **fields)
        assert status == 302
        given = Assignment.objects.get()
        for language in ("en", "zh-hans"):
            page = school.browser("learner").get(
                f"/assignments/{given.id}/", headers={"accept-language": language}
            )
            assert page.status_code == 200
            assert "[classroom." not in page.content.decode()

    @pytest.mark.parametrize(
        ("kind", "fields", "refused"),
        [
            (
                "break",
                {"material": "SC-02", "guarantee": "duplicated", "budget": 1},
                "breaks without any intervention",
            ),
            ("break", {"guarantee": "row_repeated", "budget": 2}, "a database outside Kafka"),
            ("break", {"guarantee": "mixed", "budget": 2}, "no middleware"),
            ("break", {"guarantee": "atomic", "budget": 2}, "no producer of the scenario uses them"),
            (
                "hold",
                {"material": "SC-02", "guarantee": "hanging", "settings": ["acks"]},
                "no producer of the scenario uses them",
            ),
            (
                "break",
                {"material": "SC-83/manual-a", "guarantee": "lost", "budget": 2},
                "has no partition",
            ),
            ("hold", {"settings": ["acks"]}, "holds without any change"),
            ("predict", {"material": "SC-09/linger-20"}, "Select a valid choice"),
            ("watch", {"material": "SC-999"}, "Select a valid choice"),
            ("watch", {"title": ""}, "required"),
            ("break", {"guarantee": "lost", "budget": 999}, "less than or equal"),
            ("explain", {"material": "", "text": ""}, "required"),
        ],
    )
    def test_what_makes_no_sense_is_refused_at_its_field(
        self, school: School, kind: str, fields: dict[str, Any], refused: str
    ) -> None:
        status, page = self.give(school, kind, **fields)
        assert (status, refused in page) == (422, True)
        assert not Assignment.objects.exists()

    def test_a_run_that_reaches_none_of_its_questions_is_no_task_of_predicting(self, school: School) -> None:
        """The only question of the document is about a row of a database, and the run has no database."""
        document = {**retrying().document, "checkpoints": [{"ask": "insert"}]}
        version = ScenarioVersion.objects.of_document("RETRYING", document)
        draft = Draft.objects.create(owner=school.people["instructor"], text="", identifier="RETRYING")
        Edition.objects.create(
            draft=draft, version=version, number=1, text="", steps=b"", outcome={}, engine="0"
        )
        page = school.browser("instructor").get(f"/classes/{school.classroom.id}/assign/predict/")
        own = re.search(r'value="(edition:[^"]+)"', page.content.decode())
        assert own is not None
        for kind, fields, status in (("predict", {"wrong_max": 0}, 422), ("watch", {}, 302)):
            found, refused = self.give(school, kind, material=own[1], **fields)
            assert (found, "This run asks no question." in refused) == (status, status == 422)

    def test_an_unknown_kind_does_not_exist(self, school: School) -> None:
        assert self.give(school, "sing")[0] == 404

    def test_another_s_attempt_cannot_be_handed_in(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        other = school.browser("other learner")
        assert other.post(f"/attempts/{attempt.id}/hand-in").status_code == 404
        assert other.post(f"/attempts/{uuid.uuid4()}/hand-in").status_code == 404

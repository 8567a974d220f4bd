"""An instructor reads a submission: the task, the run, the text, and then the next submission."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from eosviz.classroom import actions
from eosviz.classroom.judging import counting
from eosviz.classroom.models import Assignment, Attempt, Membership, Outcome
from eosviz.classroom.results import csv_of, results_of
from eosviz.scenarios.models import ScenarioVersion
from eosviz.workshop.models import Draft, Edition, Visibility
from tests.answers import Answer
from tests.classroom.conftest import School, run_to_the_end, session_of
from tests.walkthroughs.conftest import carry_out, root

pytestmark = pytest.mark.django_db


def explained(school: School, given: Assignment, who: str, text: str) -> Attempt:
    attempt = actions.begin(school.people[who], given)
    return actions.hand_in(attempt, text)


class TestReading:
    def test_question_run_and_text_are_on_one_page(self, school: School) -> None:
        given = school.assign("explain", text="Why is nothing stored twice?")
        attempt = explained(school, given, "learner", "Because of the sequence numbers.")
        page = school.browser("instructor").get(f"/attempts/{attempt.id}/").content.decode()
        assert "Why is nothing stored twice?" in page and "Because of the sequence numbers." in page
        frame = f"/attempts/{attempt.id}/run/{root(session_of(attempt)).id}/"
        assert f'src="{frame}?frame=1"' in page
        assert "<eos-player" in school.browser("instructor").get(frame).content.decode()

    def test_the_run_offers_to_submit_while_the_attempt_is_open(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        run = f"/sessions/{attempt.session_id}/"
        submits = f'assignment="/assignments/{attempt.assignment_id}/" submits'
        assert submits in school.browser("learner").get(run).content.decode()
        actions.hand_in(attempt)
        assert submits not in school.browser("learner").get(run).content.decode()

    def test_the_run_may_be_in_a_frame_of_this_site_alone(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        response = school.browser("instructor").get(
            f"/attempts/{attempt.id}/run/{root(session_of(attempt)).id}/"
        )
        assert "frame-ancestors 'self'" in response["Content-Security-Policy"]
        assert response["X-Frame-Options"] == "SAMEORIGIN"

    def test_a_branch_of_another_run_is_not_shown(self, school: School) -> None:
        given = school.assign("watch")
        mine, other = school.attempt(given), actions.begin(school.people["other learner"], given)
        instructor = school.browser("instructor")
        assert instructor.get(f"/attempts/{mine.id}/run/{root(session_of(other)).id}/").status_code == 404

    def test_the_run_opens_where_the_guarantee_broke(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        carry_out(session_of(attempt), "advance", root(session_of(attempt)), after=0, count=7)
        attempt.evidence = {"branch": root(session_of(attempt)).name, "step": 4}
        attempt.save()
        page = school.browser("instructor").get(f"/attempts/{attempt.id}/run/{root(session_of(attempt)).id}/")
        assert 'step="4"' in page.content.decode()

    def test_its_file_is_read_by_the_instructor_of_a_scenario_that_others_do_not_see(
        self, school: School, settings: Any
    ) -> None:
        document = {**ScenarioVersion.objects.library().get(identifier="SC-01").document, "id": "OWN-1"}
        version = ScenarioVersion.objects.of_document("OWN-1", document)
        draft = Draft.objects.create(
            owner=school.people["other instructor"],
            text="",
            identifier="OWN-1",
            visibility=Visibility.PRIVATE,
        )
        Edition.objects.create(
            draft=draft, version=version, number=1, text="", steps=b"", outcome={}, engine="0"
        )
        given = school.assign("watch", None, version_id=version.pk)
        attempt = school.attempt(given)
        frame = f"/attempts/{attempt.id}/run/{root(session_of(attempt)).id}/"
        page = school.browser("instructor").get(frame).content.decode()
        file = page.partition('file="')[2].partition('"')[0].replace("&amp;", "&")
        assert school.browser("instructor").get(file).status_code == 200
        assert school.browser("stranger").get(file).status_code == 404

    def test_one_text_leads_to_the_next_and_the_last_to_the_results(self, school: School) -> None:
        given = school.assign("explain", None, text="Why?")
        first = explained(school, given, "learner", "A")
        second = explained(school, given, "other learner", "B")
        instructor = school.browser("instructor")
        results = instructor.get(f"/classes/{school.classroom.id}/results/").content.decode()
        assert "Review 2 explanations" in results and f"/attempts/{first.id}/" in results
        page = instructor.get(f"/attempts/{first.id}/").content.decode()
        assert "2 explanations wait for review." in page and f'href="/attempts/{second.id}/"' in page
        answer = instructor.post(f"/attempts/{first.id}/", {"passed": "yes", "comment": ""})
        assert answer["Location"] == f"/attempts/{second.id}/"
        answer = instructor.post(
            f"/attempts/{second.id}/", {"passed": "no", "comment": "Say more."}, follow=True
        )
        assert answer.redirect_chain[-1][0] == f"/classes/{school.classroom.id}/results/"
        assert "No other explanation waits for review." in answer.content.decode()

    def test_a_skipped_text_comes_after_the_others(self, school: School) -> None:
        given = school.assign("explain", None, text="Why?")
        first = explained(school, given, "learner", "A")
        second = explained(school, given, "other learner", "B")
        answer = school.browser("instructor").post(
            f"/attempts/{second.id}/", {"passed": "yes", "comment": ""}
        )
        assert answer["Location"] == f"/attempts/{first.id}/"


class TestWriting:
    def begun(self, school: School) -> Attempt:
        given = school.assign("explain", text="Why?")
        answer = school.browser("learner").post(f"/assignments/{given.id}/begin")
        assert answer["Location"] == f"/assignments/{given.id}/", "where the text is written"
        return Attempt.objects.get()

    def save_and_run(self, school: School, attempt: Attempt, text: str) -> Answer:
        return school.browser("learner").post(f"/attempts/{attempt.id}/hand-in", {"text": text, "run": "yes"})

    def test_the_run_opens_from_the_text_which_is_kept(self, school: School) -> None:
        attempt = self.begun(school)
        assert (
            self.save_and_run(school, attempt, "Half a sent")["Location"]
            == f"/sessions/{attempt.session_id}/"
        )
        attempt.refresh_from_db()
        assert attempt.outcome == Outcome.OPEN
        page = school.browser("learner").get(f"/assignments/{attempt.assignment_id}/").content.decode()
        assert "Half a sent</textarea>" in page

    def test_an_instructor_sees_no_draft(self, school: School) -> None:
        attempt = self.begun(school)
        self.save_and_run(school, attempt, "Half a sent")
        page = school.browser("instructor").get(f"/attempts/{attempt.id}/").content.decode()
        assert "Half a sent" not in page and "Not submitted yet." in page
        assert "Half a sent" not in "".join(csv_of(school.classroom))

    def test_a_text_that_was_handed_in_is_no_draft_any_more(self, school: School) -> None:
        attempt = self.begun(school)
        actions.hand_in(attempt, "Whole.")
        self.save_and_run(school, attempt, "Another")
        attempt.refresh_from_db()
        assert attempt.text == "Whole."


class TestCounting:
    def attempts(self, *outcomes: tuple[Outcome, int | None]) -> list[Attempt]:
        return [
            Attempt(number=number, outcome=outcome, score=score)
            for number, (outcome, score) in enumerate(outcomes, 1)
        ]

    @pytest.mark.parametrize(
        ("outcomes", "number"),
        [
            ([(Outcome.OPEN, None)], None),
            ([(Outcome.FAILED, 1), (Outcome.OPEN, None)], 1),
            ([(Outcome.FAILED, 2), (Outcome.FAILED, 1)], 1),
            ([(Outcome.FAILED, 1), (Outcome.FAILED, 1)], 2),
            ([(Outcome.PASSED, 2), (Outcome.FAILED, 1)], 1),
            ([(Outcome.PASSED, 2), (Outcome.PASSED, 3), (Outcome.FAILED, 0)], 2),
            ([(Outcome.FAILED, None), (Outcome.WAITING, None)], 2),
            ([(Outcome.PASSED, None), (Outcome.WAITING, None)], 1),
        ],
    )
    def test_the_best_attempt_counts(
        self, outcomes: list[tuple[Outcome, int | None]], number: int | None
    ) -> None:
        counted = counting(self.attempts(*outcomes))
        assert (None if counted is None else counted.number) == number

    def test_the_pages_say_which_one_counts(self, school: School) -> None:
        given = school.assign("watch")
        first = school.attempt(given)
        run_to_the_end(first)
        actions.hand_in(first)
        second = school.attempt(given)
        carry_out(session_of(second), "advance", root(session_of(second)), after=0, count=5)
        mine = school.browser("learner").get(f"/assignments/{given.id}/").content.decode()
        assert "the best one counts" in mine and mine.count(">counts<") == 1
        assert "<details><summary>Try again" not in mine
        table = school.browser("instructor").get(f"/classes/{school.classroom.id}/results/").content.decode()
        assert "the best one counts" in table
        assert "attempt 1 of 2" in table and "Attempt 2: in progress" in table and "at step 5" in table
        rows = csv.DictReader(io.StringIO("".join(csv_of(school.classroom)).removeprefix("\ufeff")))
        counted = [(row["scenario"], row["attempt"], row["counts"]) for row in rows if row["attempt"]]
        assert counted == [("SC-03", "1", "yes"), ("SC-03", "2", "no")]

    def test_no_step_stands_where_none_counts(self, school: School) -> None:
        given = school.assign("hold", "SC-02", settings=["enable_idempotence"])
        school.attempt(given)
        school.attempt(school.assign("explain", text="Why?"))
        school.attempt(school.assign("watch"))
        table = school.browser("instructor").get(f"/classes/{school.classroom.id}/results/").content.decode()
        assert "at step" not in table
        assert all(cell.step is None for row in results_of(school.classroom).rows for cell in row.cells)


class TestPlaces:
    def test_who_may_teach_is_first_asked_for_a_class(self, school: School) -> None:
        page = school.browser("instructor").get("/classes/").content.decode()
        assert page.index('action="/classes/make"') < page.index('action="/classes/join"')

    def test_the_only_instructor_is_not_offered_to_go(self, school: School) -> None:
        address = f"/classes/{school.classroom.id}/"
        mine = Membership.objects.get(classroom=school.classroom, user=school.people["instructor"])
        page = school.browser("instructor").get(address).content.decode()
        assert "the only instructor" in page and f"members/{mine.id}" not in page
        other = Membership.objects.get(user=school.people["other learner"])
        school.browser("instructor").post(f"{address}members/{other.id}", {"part": "instructor"})
        assert f"members/{mine.id}" in school.browser("instructor").get(address).content.decode()

    def test_one_s_own_scenarios_come_before_tracks_and_library(self, school: School) -> None:
        version = ScenarioVersion.objects.library().get(identifier="SC-01")
        draft = Draft.objects.create(owner=school.people["instructor"], text="", identifier="OWN-1")
        Edition.objects.create(
            draft=draft, version=version, number=1, text="", steps=b"", outcome={}, engine="0"
        )
        page = (
            school.browser("instructor").get(f"/classes/{school.classroom.id}/assign/watch/").content.decode()
        )
        assert page.index('value="edition:') < page.index('value="track:') < page.index('value="SC-01"')

    @pytest.mark.parametrize("kind", ["watch", "predict"])
    def test_the_label_names_tracks_where_they_can_be_chosen(self, school: School, kind: str) -> None:
        address = f"/classes/{school.classroom.id}/assign/{kind}/"
        page = school.browser("instructor").get(address).content.decode()
        assert ("Scenario or track" in page) == ('value="track:' in page) == (kind == "watch")

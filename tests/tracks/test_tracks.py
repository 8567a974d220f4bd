"""Tracks store how far a browser got, and the questions of a scenario are computed only once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from engine.scenario.tracks import tracks
from eosviz.bounded import runner
from eosviz.bounded.tasks import TASKS
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks import asking
from eosviz.tracks.models import Prediction, Visit
from eosviz.walkthroughs.actions import create_session
from eosviz.walkthroughs.models import Branch, Session
from tests.bounded.work import never_in_time
from tests.walkthroughs.conftest import carry_out, created, root, stranger

pytestmark = pytest.mark.django_db
FIRST = tracks()[0]


def begin(client: Client, name: str = FIRST.name, position: int = 1) -> Session:
    response = client.post(f"/tracks/{name}/{position}/begin")
    assert response.status_code == 302, response.content
    return Session.objects.get(id=response["Location"].split("/")[2])


def asked(client: Client, session: Session, branch: Branch) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/sessions/{session.id}/questions", {"branch": branch.id}).json()
    return found


def answer(client: Client, session: Session, branch: Branch, at: int, choice: str) -> int:
    fields = {"branch": branch.id, "at": at, "choice": choice}
    return client.post(f"/sessions/{session.id}/predictions", fields).status_code


class TestTheFirstPage:
    def test_a_newcomer_is_one_click_from_the_first_scenario(self, client: Client) -> None:
        page = client.get("/").content.decode()
        assert f'action="/tracks/{FIRST.name}/1/begin"' in page
        assert f"Start: {len(FIRST.items)} scenarios" in page

    def test_a_reader_on_a_track_continues_with_its_next_scenario(self, client: Client) -> None:
        client.post(f"/tracks/{FIRST.name}/1/finish")
        page = client.get("/").content.decode()
        assert f'action="/tracks/{FIRST.name}/2/begin"' in page
        assert f"{FIRST.items[1].scenario}, 2 of {len(FIRST.items)}" in page


class TestTracks:
    @pytest.mark.parametrize("language", ["en", "zh-hans"])
    def test_every_track_has_its_page_in_both_languages(self, client: Client, language: str) -> None:
        code = "zh-Hans" if language == "zh-hans" else "en"
        index = client.get("/tracks/", headers={"accept-language": language}).content.decode()
        for track in tracks():
            page = client.get(
                f"/tracks/{track.name}/", headers={"accept-language": language}
            ).content.decode()
            assert track.title[code] in index
            assert all(item.why[code] in page.replace("&#x27;", "'") for item in track.items)
            assert "[tracks." not in index + page and "[predict." not in page

    def test_one_click_leads_from_a_new_browser_into_a_run_and_back_to_the_same_one(
        self, client: Client
    ) -> None:
        session = begin(client)
        assert session.version.identifier == FIRST.items[0].scenario
        assert begin(client) == session
        assert Session.objects.count() == 1

    def test_finishing_leads_to_the_next_one_and_is_kept(self, client: Client) -> None:
        begin(client)
        response = client.post(f"/tracks/{FIRST.name}/1/finish")
        following = Session.objects.get(id=response["Location"].split("/")[2])
        assert following.version.identifier == FIRST.items[1].scenario
        page = client.get(f"/tracks/{FIRST.name}/").content.decode()
        assert f"1 of {len(FIRST.items)} done" in page
        assert page.count('data-state="done"') == page.count('data-state="begun"') == 1

    def test_a_run_outside_the_track_counts_when_it_has_reached_its_end(self, client: Client) -> None:
        scenario = FIRST.items[0].scenario
        response = client.post("/sessions/new", {"scenario": scenario})
        session = Session.objects.get(id=response["Location"].split("/")[2])
        assert 'data-state="done"' not in client.get(f"/tracks/{FIRST.name}/").content.decode()
        session.branches.update(finished="complete")
        page = client.get(f"/tracks/{FIRST.name}/").content.decode()
        assert f"1 of {len(FIRST.items)} done" in page
        assert f"Continue with {FIRST.items[1].scenario}" in client.get("/tracks/").content.decode()

    def test_the_last_one_leads_back_to_the_track(self, client: Client) -> None:
        last = len(FIRST.items)
        response = client.post(f"/tracks/{FIRST.name}/{last}/finish")
        assert response["Location"] == f"/tracks/{FIRST.name}/"

    def test_a_deleted_run_leaves_what_was_done(self, client: Client) -> None:
        session = begin(client)
        client.post(f"/tracks/{FIRST.name}/1/finish")
        client.post(f"/sessions/{session.id}/delete")
        assert Visit.objects.get(position=1).done
        assert begin(client) != session

    def test_a_run_of_what_was_in_this_position_before_is_no_progress(self, client: Client) -> None:
        begin(client)
        client.post(f"/tracks/{FIRST.name}/1/finish")
        other = ScenarioVersion.objects.library().get(identifier="SC-09")
        old = Visit.objects.get(position=1).session
        assert old is not None
        Session.objects.filter(id=old.id).update(version=other)
        page = client.get(f"/tracks/{FIRST.name}/").content.decode()
        assert 'data-state="done"' not in page
        assert begin(client) != old
        assert not Visit.objects.get(position=1).done

    def test_another_browser_begins_at_the_beginning(self, client: Client) -> None:
        client.post(f"/tracks/{FIRST.name}/1/finish")
        page = Client().get(f"/tracks/{FIRST.name}/").content.decode()
        assert 'data-state="done"' not in page

    @pytest.mark.parametrize(
        "path", ["/tracks/none/", f"/tracks/{FIRST.name}/0/begin", f"/tracks/{FIRST.name}/99/finish"]
    )
    def test_what_does_not_exist_is_not_found(self, client: Client, path: str) -> None:
        get = path.endswith("none/")
        assert (client.get(path) if get else client.post(path)).status_code == 404


class TestQuestions:
    def test_the_page_receives_the_address_of_questions_and_of_the_next_item(self, client: Client) -> None:
        session = begin(client)
        page = client.get(f"/sessions/{session.id}/").content.decode()
        assert f'questions="/sessions/{session.id}/questions"' in page
        assert f'track-finish="/tracks/{FIRST.name}/1/finish"' in page
        assert f'track-place="1/{len(FIRST.items)}"' in page

    def test_a_scenario_without_checkpoints_has_no_questions(self, client: Client) -> None:
        response = client.post("/sessions/new", {"scenario": "SC-09", "variant": "linger-20"})
        session = Session.objects.get(id=response["Location"].split("/")[2])
        assert "questions=" not in client.get(f"/sessions/{session.id}/").content.decode()
        assert asked(client, session, root(session)) == {"questions": [], "answers": {}}

    def test_the_first_answer_counts(self, client: Client) -> None:
        session = begin(client, position=3)
        branch = root(session)
        second = asked(client, session, branch)["questions"][1]
        assert second["right"] == "duplicate"
        assert answer(client, session, branch, second["at"], "stored") == 204
        assert answer(client, session, branch, second["at"], "duplicate") == 204
        kept = Prediction.objects.get()
        assert (kept.choice, kept.right, kept.ask) == ("stored", False, "append")
        assert asked(client, session, branch)["answers"] == {str(second["at"]): "stored"}

    def test_a_question_can_be_skipped(self, client: Client) -> None:
        session = begin(client, position=3)
        branch = root(session)
        first = asked(client, session, branch)["questions"][0]
        assert answer(client, session, branch, first["at"], "") == 204
        assert Prediction.objects.get().right is None

    def test_what_a_learner_does_changes_what_is_asked_on_the_new_branch(self, client: Client) -> None:
        session = begin(client, position=3)
        branch = root(session)
        carry_out(session, "advance", branch, after=0, count=20)
        crash = {"action": "crash", "actor": "p1"}
        other = created(carry_out(session, "intervene", branch, after=10, intervention=crash))
        before, after = (asked(client, session, one)["questions"] for one in (branch, other))
        assert [question["right"] for question in before] == ["stored", "duplicate", "goes_on"]
        assert len(after) < len(before)

    def test_an_answer_before_the_fork_is_an_answer_on_both_branches(self, client: Client) -> None:
        session = begin(client, position=3)
        branch = root(session)
        first = asked(client, session, branch)["questions"][0]
        carry_out(session, "advance", branch, after=0, count=60)
        made = carry_out(session, "branch", branch, at=50)
        answer(client, session, branch, first["at"], "stored")
        other = created(made)
        assert asked(client, session, other)["answers"] == {str(first["at"]): "stored"}
        assert answer(client, session, other, first["at"], "duplicate") == 204
        assert Prediction.objects.count() == 1

    def test_no_other_person_may_ask_or_answer(self, client: Client) -> None:
        session = begin(client, position=3)
        branch = root(session)
        stranger = Client()
        assert stranger.get(f"/sessions/{session.id}/questions", {"branch": branch.id}).status_code == 404
        assert answer(stranger, session, branch, 15, "stored") == 404
        assert not Prediction.objects.exists()

    @pytest.mark.parametrize(
        ("at", "choice"), [("15", "nonsense"), ("14", "stored"), ("x", "stored"), ("9" * 30, "")]
    )
    def test_a_bad_answer_is_not_found(self, client: Client, at: str, choice: str) -> None:
        session = begin(client, position=3)
        fields = {"branch": root(session).id, "at": at, "choice": choice}
        assert client.post(f"/sessions/{session.id}/predictions", fields).status_code == 404

    def test_a_branch_of_another_session_is_not_found(self, client: Client) -> None:
        session = begin(client, position=3)
        other = begin(client, position=1)
        response = client.get(f"/sessions/{session.id}/questions", {"branch": root(other).id})
        assert response.status_code == 404


class TestStrangers:
    """The questions of a scenario that is not in the library are computed in a bounded process if they take longer
    than a moment.
    """

    @pytest.fixture(autouse=True)
    def _no_moment_and_nothing_kept(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        monkeypatch.setattr(asking, "HERE_SECONDS_MAX", -1)
        asking._made.cache_clear()
        yield
        asking._made.cache_clear()

    @pytest.fixture
    def theirs(self, client: Client) -> Session:
        begin(client, position=3)
        return create_session(Session.objects.get().owner, stranger("SC-03"))

    def test_it_asks_what_the_run_asks(self, client: Client, theirs: Session) -> None:
        ours = Session.objects.exclude(id=theirs.id).get()
        expected = asked(client, ours, root(ours))
        assert asked(client, theirs, root(theirs)) == expected
        at = expected["questions"][0]["at"]
        assert answer(client, theirs, root(theirs), at, expected["questions"][0]["right"]) == 204

    def test_a_run_that_takes_too_much_says_so_and_is_not_tried_again(
        self, client: Client, theirs: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(TASKS, "questions", never_in_time(TASKS["questions"]))
        refused = self.questions(client, theirs)
        assert (refused.status_code, refused.json()["key"]) == (422, "problem.run_too_much")
        monkeypatch.setattr(asking, "runner", None)
        assert answer(client, theirs, root(theirs), 15, "stored") == 422
        assert not Prediction.objects.exists()

    def test_who_finds_no_room_is_asked_to_come_again_and_gets_the_questions(
        self, client: Client, theirs: Session, monkeypatch: pytest.MonkeyPatch, settings: Any
    ) -> None:
        usual, settings.BOUNDED_MEMORY_BYTES = settings.BOUNDED_MEMORY_BYTES, 0
        with monkeypatch.context() as patch:
            patch.setattr(runner, "WAIT_SECONDS_MAX", 0)
            refused = self.questions(client, theirs)
        assert (refused.status_code, refused.json()["key"]) == (429, "problem.runs_full")
        assert refused["Retry-After"] == str(runner.BUSY_SECONDS)
        settings.BOUNDED_MEMORY_BYTES = usual
        assert len(self.questions(client, theirs).json()["questions"]) == 3

    def questions(self, client: Client, session: Session) -> Any:
        return client.get(f"/sessions/{session.id}/questions", {"branch": root(session).id})

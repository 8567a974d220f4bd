"""Joining a class, teaching it together, archiving it, its results, and what happens to it when an account is
deleted.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from eosviz.accounts.actions import delete_account
from eosviz.accounts.belongings import holdings
from eosviz.accounts.models import User
from eosviz.classroom import actions
from eosviz.classroom.actions import ClassRefused
from eosviz.classroom.models import Assignment, AuditEntry, Classroom, Membership, Part
from eosviz.classroom.results import COLUMNS, csv_of, results_of
from eosviz.replays.models import Publication
from eosviz.workshop.actions import delete_draft, set_visibility
from eosviz.workshop.models import Draft, Visibility
from tests.accounts.conftest import person
from tests.classroom.conftest import School, answer_question, run_to_the_end, session_of
from tests.walkthroughs.conftest import root

pytestmark = pytest.mark.django_db
FOLDED = re.compile(r'<details class="twice">.*?</details>', re.DOTALL)
"""The part of a page that hides an action behind a second press."""
PATIENCE_SECONDS = 60
"""How long a test waits for an answer over a socket; far more than needed, because the machine may be busy."""


class TestJoining:
    def test_by_code_as_it_is_read_from_a_board(self, school: School) -> None:
        client = school.browser("stranger")
        response = client.post("/classes/join", {"code": f" {school.classroom.code.upper()} "})
        assert response["Location"] == f"/classes/{school.classroom.id}/"
        assert client.get(response["Location"]).status_code == 200

    def test_by_link_only_after_saying_yes(self, school: School) -> None:
        client = school.browser("stranger")
        page = client.get(f"/classes/join/{school.classroom.code}/").content.decode()
        assert "Stan" in page and "Streams 1" not in page
        assert not Membership.objects.filter(user=school.people["stranger"]).exists()

    def test_a_stranger_who_follows_the_link_signs_in_first_and_comes_back(self, school: School) -> None:
        response = Client().get(f"/classes/join/{school.classroom.code}/")
        assert response["Location"].endswith(f"?next=/classes/join/{school.classroom.code}/")

    def test_a_wrong_code_is_reported_and_guessing_is_bounded(self, school: School) -> None:
        client = school.browser("stranger")
        answers = [client.post("/classes/join", {"code": f"wrong{number}"}) for number in range(21)]
        assert "No class has this code" in answers[0].content.decode()
        assert [answer.status_code for answer in answers[-2:]] == [422, 429]

    def test_an_old_code_leads_nowhere(self, school: School) -> None:
        old = school.classroom.code
        school.browser("instructor").post(f"/classes/{school.classroom.id}/code")
        with pytest.raises(ClassRefused, match="no_such_code"):
            actions.join(school.people["stranger"], old)

    def test_an_archived_class_accepts_no_member_until_it_is_opened_again(self, school: School) -> None:
        teacher = school.browser("instructor")
        teacher.post(f"/classes/{school.classroom.id}/archive", {"archived": "yes"})
        assert school.classroom.code not in teacher.get(f"/classes/{school.classroom.id}/").content.decode()
        stranger = school.people["stranger"]
        with pytest.raises(ClassRefused, match="archived"):
            actions.join(stranger, school.classroom.code)
        teacher.post(f"/classes/{school.classroom.id}/archive", {"archived": "no"})
        actions.join(stranger, school.classroom.code)
        assert Membership.objects.filter(user=stranger).count() == 1


class TestTeaching:
    def member(self, school: School, who: str) -> Membership:
        return Membership.objects.get(classroom=school.classroom, user=school.people[who])

    def test_a_member_becomes_an_instructor_and_may_assign(self, school: School) -> None:
        other = self.member(school, "other learner")
        school.browser("instructor").post(
            f"/classes/{school.classroom.id}/members/{other.id}", {"part": "instructor"}
        )
        page = school.browser("other learner").get(f"/classes/{school.classroom.id}/assign/watch/")
        assert page.status_code == 200

    def test_the_last_instructor_stays(self, school: School) -> None:
        mine = self.member(school, "instructor")
        client = school.browser("instructor")
        for part in ("learner", "out"):
            client.post(f"/classes/{school.classroom.id}/members/{mine.id}", {"part": part})
        page = client.get(f"/classes/{school.classroom.id}/").content.decode()
        assert "You are the only instructor" in page and "/leave" not in page
        client.post(f"/classes/{school.classroom.id}/leave")
        mine.refresh_from_db()
        assert mine.part == Part.INSTRUCTOR
        assert (
            "A class needs an instructor" in client.get(f"/classes/{school.classroom.id}/").content.decode()
        )

    def test_who_is_removed_takes_what_was_handed_in_along_but_keeps_the_runs(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        member = self.member(school, "learner")
        school.browser("instructor").post(
            f"/classes/{school.classroom.id}/members/{member.id}", {"part": "out"}
        )
        assert not school.people["learner"].attempts.exists()
        session = school.browser("learner").get(f"/sessions/{attempt.session_id}/")
        assert session.status_code == 200

    def test_a_learner_may_leave(self, school: School) -> None:
        client = school.browser("learner")
        client.post(f"/classes/{school.classroom.id}/leave")
        assert client.get(f"/classes/{school.classroom.id}/").status_code == 404

    def test_what_deletes_submissions_asks_for_a_second_press(self, school: School) -> None:
        address, teacher = f"/classes/{school.classroom.id}/", school.browser("instructor")
        page = teacher.get(address).content.decode()
        folded = "".join(FOLDED.findall(page))
        assert page.count('value="out"') == folded.count('value="out"') > 0
        teacher.post(f"{address}archive", {"archived": "yes"})
        assert "Yes, delete this class" in "".join(FOLDED.findall(teacher.get(address).content.decode()))
        page = school.browser("learner").get(address).content.decode()
        assert "Leave and delete my submissions" in "".join(FOLDED.findall(page))

    def test_what_instructors_do_is_written_down(self, school: School) -> None:
        client = school.browser("instructor")
        client.post(f"/classes/{school.classroom.id}/rename", {"name": "Streams 2"})
        given = school.assign("watch")
        client.post(f"/assignments/{given.id}/withdraw")
        entries = list(AuditEntry.objects.values_list("deed", flat=True))
        assert entries == ["withdrew", "assigned", "renamed", "made"]
        page = client.get(f"/classes/{school.classroom.id}/").content.decode()
        assert "renamed the class from Streams 1 to Streams 2" in page and "[classroom." not in page

    def test_an_assignment_that_learners_began_is_withdrawn_only_with_their_attempts(
        self, school: School
    ) -> None:
        attempt = school.attempt(school.assign("watch"))
        client, address = school.browser("instructor"), f"/assignments/{attempt.assignment_id}/"
        assert "Also delete 1 learner attempt" in client.get(address).content.decode()
        answer = client.post(f"{address}withdraw", follow=True).content.decode()
        assert "Learners have begun 1 attempt" in answer and Assignment.objects.exists()
        client.post(f"{address}withdraw", {"with_attempts": "yes"})
        assert not Assignment.objects.exists()
        assert school.browser("learner").get(f"/sessions/{attempt.session_id}/").status_code == 200

    def test_a_class_is_deleted_only_when_it_is_archived(self, school: School) -> None:
        attempt = school.attempt(school.assign("watch"))
        client, address = school.browser("instructor"), f"/classes/{school.classroom.id}/"
        answer = client.post(f"{address}delete", follow=True).content.decode()
        assert "Only an archived class can be deleted" in answer
        client.post(f"{address}archive", {"archived": "yes"})
        assert "Delete the class" in client.get(address).content.decode()
        assert (
            "The class Streams 1 has been deleted"
            in client.post(f"{address}delete", follow=True).content.decode()
        )
        assert client.get(address).status_code == 404 and not Classroom.objects.exists()
        assert school.browser("learner").get(f"/sessions/{attempt.session_id}/").status_code == 200
        noted = AuditEntry.objects.get()
        assert (noted.deed, noted.classroom) == ("deleted_class", None)

    def test_learners_do_not_see_who_else_is_there(self, school: School) -> None:
        page = school.browser("learner").get(f"/classes/{school.classroom.id}/").content.decode()
        assert "leo@example.org" not in page and school.classroom.code not in page

    def test_a_class_has_a_name_of_one_plain_line(self, school: School) -> None:
        answer = school.browser("instructor").post("/classes/make", {"name": "Room\u202e12"})
        assert "change the reading direction" in answer.content.decode()
        assert not Classroom.objects.filter(name__startswith="Room").exists()

    def test_one_person_makes_so_many_classes_and_no_more(self, school: School, settings: Any) -> None:
        assert school.browser("instructor").post("/classes/make", {"name": "Second"}).status_code == 302
        settings.QUOTAS = {**settings.QUOTAS, "classes": 1}  # an operator lowers the limit
        answer = school.browser("instructor").post("/classes/make", {"name": "Another"})
        assert answer.status_code == 422
        assert "You already teach 2 classes; the limit for each person is 1." in answer.content.decode()

    def test_a_full_class_accepts_no_member(self, school: School, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(actions, "MEMBERS_MAX", 3)
        with pytest.raises(ClassRefused, match="class_full"):
            actions.join(school.people["stranger"], school.classroom.code)


class TestDeeds:
    def test_what_an_instructor_shows_is_recorded_and_its_class_learns_of_it(self, school: School) -> None:
        teacher, learner = school.people["instructor"], school.people["learner"]
        draft, other = (
            Draft.objects.create(owner=one, text="", identifier="MY-1") for one in (teacher, learner)
        )
        set_visibility(draft, teacher, Visibility.CLASS, school.classroom)
        set_visibility(draft, teacher, Visibility.PUBLIC, None)
        set_visibility(other, learner, Visibility.LINK, None)
        delete_draft(draft, teacher)
        delete_draft(other, learner)
        made = (
            AuditEntry.objects.exclude(deed="made").order_by("id").values_list("deed", "classroom", "actor")
        )
        room = school.classroom.id
        assert sorted(made, key=str) == sorted(
            [
                ("visible_class", room, teacher.id),
                ("visible_public", room, teacher.id),
                ("deleted_scenario", None, teacher.id),
            ],
            key=str,
        )
        page = school.browser("instructor").get(f"/classes/{room}/").content.decode()
        assert "made the scenario MY-1 public" in page and "[classroom." not in page
        listed = school.browser("administrator").get("/administration/classroom/auditentry/").content.decode()
        assert "deleted_scenario" in listed and "visible_link" not in listed

    def test_an_administrator_who_takes_a_replay_down_is_noted(self, school: School) -> None:
        made = Publication.objects.create(
            owner=school.people["learner"].owner_key, digest="a" * 64, title={}, scenario="SC-03", engine="2",
            steps=1, bytes=1,
        )  # fmt: skip
        chosen = {"action": "delete_selected", "_selected_action": [str(made.id)], "post": "yes"}
        school.browser("administrator").post("/administration/replays/publication/", chosen)
        assert not Publication.objects.exists()
        noted = AuditEntry.objects.get(deed="withdrew_replay")
        assert (noted.actor, noted.params) == (
            school.people["administrator"],
            {"scenario": "SC-03", "digest": "a" * 12},
        )


class TestResults:
    def test_who_is_where_and_what_they_mispredicted(self, school: School) -> None:
        attempt = school.attempt(school.assign("predict"))
        branch = root(session_of(attempt))
        answer_question(session_of(attempt), 15, ask="append", choice="x")
        run_to_the_end(attempt)
        branch.refresh_from_db()
        row = next(row for row in results_of(school.classroom).rows if row.membership.user.name == "Lea")
        assert (row.cells[0].step, row.cells[0].wrong) == (branch.newest, [15])
        page = school.browser("instructor").get(f"/classes/{school.classroom.id}/results/").content.decode()
        assert f"at step {branch.newest}" in page and "wrong at step 15" in page

    def test_as_many_queries_for_thirty_learners_as_for_two(
        self, school: School, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        given = school.assign("watch")
        school.attempt(given)
        for number in range(30):
            user = person(f"many{number}@example.org")
            actions.join(user, school.classroom.code)
            if number < 3:
                actions.begin(user, given)
        with django_assert_num_queries(5):
            assert len(results_of(school.classroom).rows) == 32

    def test_the_csv_file_holds_every_attempt_and_no_formula(self, school: School) -> None:
        school.people["learner"].name = "=HYPERLINK(1)"
        school.people["learner"].save()
        given = school.assign("watch")
        actions.hand_in(school.attempt(given))
        second = school.attempt(given)
        run_to_the_end(second)
        actions.hand_in(second)
        text = "".join(csv_of(school.classroom)).removeprefix("\ufeff")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert tuple(rows[0]) == COLUMNS
        mine = [row for row in rows if row["email"] == "lea@example.org"]
        assert [(row["attempt"], row["outcome"]) for row in mine] == [("1", "failed"), ("2", "passed")]
        assert mine[0]["learner"] == "'=HYPERLINK(1)"
        answer = school.browser("instructor").get(f"/classes/{school.classroom.id}/results.csv")
        assert answer["Content-Disposition"] == 'attachment; filename="streams-1-results.csv"'


@pytest.mark.django_db(transaction=True)
class TestLive:
    async def connect(self, school: School, who: str) -> WebsocketCommunicator:
        from asgiref.sync import sync_to_async

        from eosviz.asgi import application

        browser = await sync_to_async(school.browser)(who)
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
        headers = [(b"cookie", cookie.encode()), (b"origin", b"http://testserver"), (b"host", b"testserver")]
        socket = WebsocketCommunicator(application, f"/ws/classes/{school.classroom.id}/?lang=en", headers)
        assert (await socket.connect(PATIENCE_SECONDS))[0]
        return socket

    async def test_the_table_is_sent_again_when_a_learner_begins(self, school: School) -> None:
        from asgiref.sync import sync_to_async

        socket = await self.connect(school, "instructor")
        first = await socket.receive_json_from(PATIENCE_SECONDS)
        assert "not started" not in first["table"] and "Lea" in first["table"]
        given = await sync_to_async(school.assign)("watch")
        second = await socket.receive_json_from(PATIENCE_SECONDS)
        assert "not started" in second["table"]
        await sync_to_async(school.attempt)(given)
        assert "in progress" in (await socket.receive_json_from(PATIENCE_SECONDS))["table"]
        await socket.disconnect(timeout=PATIENCE_SECONDS)

    @pytest.mark.parametrize("who", ["anonymous", "learner", "stranger", "other instructor"])
    async def test_no_other_person_may_look(self, school: School, who: str) -> None:
        socket = await self.connect(school, who)
        closed = await socket.receive_output(PATIENCE_SECONDS)
        assert (closed["type"], closed["code"]) == ("websocket.close", 4404)

    async def test_who_teaches_no_more_is_shown_no_more(self, school: School) -> None:
        from asgiref.sync import sync_to_async

        socket = await self.connect(school, "instructor")
        await socket.receive_json_from(PATIENCE_SECONDS)
        await Membership.objects.filter(part=Part.INSTRUCTOR).aupdate(part=Part.LEARNER)
        from eosviz.classroom.live import notify_instructors

        await sync_to_async(notify_instructors)(school.classroom.id)
        closed = await socket.receive_output(PATIENCE_SECONDS)
        assert closed["type"] == "websocket.close"


class TestDeletingAnAccount:
    def test_a_class_that_only_they_teach_goes_and_the_page_says_so(self, school: School) -> None:
        teacher = school.people["instructor"]
        counted = {holding.kind: holding.count for holding in holdings(teacher)}
        assert counted["classes_alone"] == 1
        delete_account(teacher)
        assert not Classroom.objects.exists()

    def test_a_class_with_another_instructor_stays_and_forgets_the_name(self, school: School) -> None:
        other = Membership.objects.get(user=school.people["other learner"])
        actions.set_part(other, school.people["instructor"], Part.INSTRUCTOR)
        delete_account(school.people["instructor"])
        assert Classroom.objects.count() == 1
        assert set(AuditEntry.objects.values_list("actor", flat=True)) == {None}
        page = school.browser("other learner").get(f"/classes/{school.classroom.id}/").content.decode()
        assert "a deleted account" in page and "ina@example.org" not in page

    def test_a_learner_s_attempts_go_with_them(self, school: School) -> None:
        school.attempt(school.assign("watch"))
        delete_account(school.people["learner"])
        assert not User.objects.filter(email="lea@example.org").exists()
        assert results_of(school.classroom).rows[0].cells[0].attempts == []

"""When assignments open, are due and close; these times are read and shown in the reader's time zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from eosviz.classroom import actions
from eosviz.classroom.actions import ClassRefused
from eosviz.classroom.models import Assignment, Outcome
from eosviz.scenarios.templatetags.words import minute
from eosviz.time_zone import zone_named
from tests.classroom.conftest import School

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def give(school: School, client: Client | None = None, **fields: object) -> Any:
    form = {"title": "T", "material": "SC-03", "attempts_max": 3, **fields}
    client = client or school.browser("instructor")
    return client.post(f"/classes/{school.classroom.id}/assign/watch/", form)


def in_shanghai(client: Client) -> Client:
    client.cookies["time_zone"] = "Asia/Shanghai"
    return client


class TestLocalTime:
    def test_a_time_is_read_and_shown_in_the_zone_of_the_reader(self, school: School) -> None:
        response = give(school, in_shanghai(school.browser("instructor")), due="2030-01-31T12:00")
        given = Assignment.objects.get()
        assert given.due == datetime(2030, 1, 31, 4, 0, tzinfo=UTC)
        seen = in_shanghai(school.browser("learner")).get(response["Location"]).content.decode()
        assert "2030-01-31 12:00 UTC+8" in seen
        elsewhere = school.browser("learner").get(response["Location"]).content.decode()
        assert "2030-01-31 04:00 UTC" in elsewhere

    def test_a_form_keeps_the_zone_of_the_page_on_which_it_was_typed(self, school: School) -> None:
        """The first page that a browser gets is made before the browser has named its time zone, so the form names
        the zone of its page.
        """
        give(school, in_shanghai(school.browser("instructor")), due="2030-01-31T12:00", zone="UTC")
        assert Assignment.objects.get().due == datetime(2030, 1, 31, 12, 0, tzinfo=UTC)

    def test_a_time_that_the_zone_skips_is_refused_at_its_field(self, school: School) -> None:
        answer = give(school, due="2030-03-31T02:30", zone="Europe/Berlin")
        assert answer.status_code == 422
        assert "couldn’t be interpreted" in answer.content.decode()

    def test_the_form_names_the_zone(self, school: School) -> None:
        address = f"/classes/{school.classroom.id}/assign/watch/"
        assert "Times are UTC." in school.browser("instructor").get(address).content.decode()
        page = in_shanghai(school.browser("instructor")).get(address).content.decode()
        assert "Asia/Shanghai (now UTC+8)" in page

    @pytest.mark.parametrize("name", ["", "../../etc/passwd", "Mars/Base", "UTC\n", "a" * 500, "Europe"])
    def test_what_is_no_zone_is_ignored(self, name: str) -> None:
        assert zone_named(name) is None

    def test_a_mail_says_utc_in_every_zone(self) -> None:
        at = datetime(2030, 1, 31, 4, 0, tzinfo=UTC)
        with timezone.override("Asia/Shanghai"):
            mail = render_to_string("account/email/password_changed_message.txt", {"timestamp": at})
        assert "2030-01-31 04:00 UTC" in mail


class TestWarning:
    PAST = "2020-01-31T12:00"

    def test_a_past_time_is_taken_only_when_it_is_meant(self, school: School) -> None:
        warned = give(school, due=self.PAST)
        assert warned.status_code == 422
        page = warned.content.decode()
        assert "This time is past." in page and 'name="past"' in page
        focused = re.findall(r'<\w+ [^>]*name="(\w+)"[^>]* autofocus', page)
        assert focused == ["due"], "the page scrolls to the first field with an error"
        assert not Assignment.objects.exists()
        assert give(school, due=self.PAST, past="on").status_code == 302

    def test_nothing_is_asked_about_times_ahead(self, school: School) -> None:
        page = give(school, title="", due="2030-01-31T12:00").content.decode()
        assert 'name="past"' not in page

    @pytest.mark.parametrize(
        ("times", "refused"),
        [
            (
                {"opens": "2030-01-02T00:00", "due": "2030-01-01T00:00"},
                "due time must be after the opening time",
            ),
            (
                {"opens": "2030-01-02T00:00", "closes": "2030-01-02T00:00"},
                "closing time must be after the opening",
            ),
            ({"due": "2030-01-02T00:00", "closes": "2030-01-01T00:00"}, "cannot be before the due time"),
        ],
    )
    def test_times_out_of_order_are_refused(
        self, school: School, times: dict[str, str], refused: str
    ) -> None:
        answer = give(school, None, **times)
        assert (answer.status_code, refused in answer.content.decode()) == (422, True)


class TestOpening:
    def test_before_it_opens_a_learner_sees_only_that_it_will(self, school: School) -> None:
        given = school.assign(
            "watch", opens=datetime(2099, 1, 31, 4, 0, tzinfo=UTC), text="The task in words"
        )
        learner = in_shanghai(school.browser("learner"))
        room = learner.get(f"/classes/{school.classroom.id}/").content.decode()
        assert "opens 2099-01-31 12:00 UTC+8" in room
        page = learner.get(f"/assignments/{given.id}/").content.decode()
        assert "not open yet" in page
        assert "The task in words" not in page and "SC-03" not in page
        assert learner.post(f"/assignments/{given.id}/begin").status_code == 409
        with pytest.raises(ClassRefused, match="not_open_yet"):
            school.attempt(given)

    def test_its_instructor_may_try_it_out_before(self, school: School) -> None:
        given = school.assign("watch", opens=timezone.now() + HOUR, text="The task in words")
        instructor = school.browser("instructor")
        assert "The task in words" in instructor.get(f"/assignments/{given.id}/").content.decode()
        assert instructor.post(f"/assignments/{given.id}/begin").status_code == 302

    def test_after_it_has_closed_nothing_is_begun_or_handed_in(self, school: School) -> None:
        given = school.assign("watch", closes=timezone.now() + HOUR)
        attempt = school.attempt(given)
        Assignment.objects.update(closes=timezone.now() - HOUR)
        learner = school.browser("learner")
        assert learner.post(f"/attempts/{attempt.id}/hand-in").status_code == 409
        attempt.refresh_from_db()
        assert attempt.outcome == Outcome.OPEN
        page = learner.get(f"/assignments/{given.id}/").content.decode()
        assert "closed" in page and "Attempt 1 was not submitted." in page and "/hand-in" not in page
        assert school.browser("other learner").post(f"/assignments/{given.id}/begin").status_code == 409
        table = school.browser("instructor").get(f"/classes/{school.classroom.id}/results/").content.decode()
        assert "not submitted" in table and "in progress" not in table


def last_deed(school: School) -> str:
    noted = school.classroom.audit.first()
    assert noted is not None
    return noted.deed


class TestChanging:
    def change(self, school: School, given: Assignment, **fields: object) -> Any:
        form = {"title": given.title, "attempts_max": 3, "material": "kept", **fields}
        return school.browser("instructor").post(f"/assignments/{given.id}/change", form)

    def test_all_of_it_while_no_learner_has_begun(self, school: School) -> None:
        given = school.assign("watch")
        actions.begin(school.people["instructor"], given)
        page = school.browser("instructor").get(f"/assignments/{given.id}/change").content.decode()
        assert 'value="kept" selected' in page
        answer = self.change(school, given, title="New", material="SC-01", due="2030-01-31T12:00")
        assert answer.status_code == 302
        given.refresh_from_db()
        assert given.version is not None and given.due is not None
        assert (given.title, given.version.identifier, given.due.year) == ("New", "SC-01", 2030)
        assert not given.attempts.exists(), "the instructor's own was made at another task"
        assert last_deed(school) == "changed"

    def test_then_only_its_words_times_and_number_of_attempts(self, school: School) -> None:
        given = school.assign("watch")
        attempt = school.attempt(given)
        page = school.browser("instructor").get(f"/assignments/{given.id}/change").content.decode()
        assert "A learner has started it" in page and 'name="material"' not in page
        self.change(school, given, title="New", material="SC-01", attempts_max=1)
        given.refresh_from_db()
        assert given.version is not None
        assert (given.title, given.version.identifier, given.attempts_max) == ("New", "SC-03", 1)
        assert given.attempts.get() == attempt

    def test_a_learner_who_begins_meanwhile_keeps_the_task(self, school: School) -> None:
        given = school.assign("break", guarantee="lost", budget=2)
        school.attempt(given)
        with pytest.raises(ClassRefused, match="already_begun"):
            actions.change_assignment(given, school.people["instructor"], {"budget": 1})

    def test_an_attempt_begun_at_the_old_task_is_not_made(self, school: School) -> None:
        old = school.assign("break", guarantee="lost", budget=2)
        new = Assignment.objects.get(id=old.id)
        actions.change_assignment(new, school.people["instructor"], {"budget": 1})
        with pytest.raises(ClassRefused, match="changed_meanwhile"):
            school.attempt(old)
        assert not old.attempts.exists()

    def test_a_past_due_time_that_stays_is_not_warned_of(self, school: School) -> None:
        due = timezone.now().replace(second=0, microsecond=0) - 24 * HOUR
        given = school.assign("watch", due=due)
        answer = self.change(school, given, title="New", due=f"{due:%Y-%m-%dT%H:%M}")
        assert answer.status_code == 302

    def test_saving_without_a_change_notes_nothing(self, school: School) -> None:
        given = school.assign("watch")
        self.change(school, given)
        assert last_deed(school) == "assigned"


def test_a_list_shows_when_in_the_zone_of_the_reader() -> None:
    with timezone.override("Asia/Shanghai"):
        assert minute(datetime(2030, 1, 31, 20, 30, tzinfo=UTC)) == "2030-02-01 04:30 UTC+8"

"""A learner asks to become an instructor; the administration lists the request and grants it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from eosviz.accounts.models import User
from eosviz.accounts.roles import Role, give_role, role_of
from tests.accounts.conftest import person, signed_in

pytestmark = pytest.mark.django_db
LIST = "admin:accounts_user_changelist"


@pytest.fixture
def learner() -> User:
    return person("lea@example.org")


def test_a_request_is_made_once_and_its_page_says_when(learner: User) -> None:
    browser = signed_in(learner)
    assert "Ask to become an instructor" in browser.get("/classes/").content.decode()
    browser.post("/account/ask-to-teach")
    learner.refresh_from_db()
    first = learner.asked_to_teach
    page = browser.get("/classes/").content.decode()
    assert f"You asked at {first:%Y-%m-%d %H:%M} UTC." in page and "/account/ask-to-teach" not in page
    browser.post("/account/ask-to-teach")
    learner.refresh_from_db()
    assert learner.asked_to_teach == first


def test_the_administration_lists_requests_and_grants_them(learner: User) -> None:
    signed_in(learner).post("/account/ask-to-teach")
    person("leo@example.org")
    administrator = signed_in(person("adam@example.org", Role.ADMINISTRATOR))
    account = administrator.get("/account/").content.decode()
    asked = f"{reverse(LIST)}?asked_to_teach__isempty=0"
    assert "1 request to become an instructor" in account and f'href="{asked}"' in account
    listed = administrator.get(asked).content.decode()
    assert "lea@example.org" in listed and "leo@example.org" not in listed
    administrator.post(reverse(LIST), {"action": "make_instructors", "_selected_action": [str(learner.pk)]})
    learner.refresh_from_db()
    assert (role_of(learner), learner.asked_to_teach) == (Role.INSTRUCTOR, None)
    assert "asks to become" not in administrator.get("/account/").content.decode()
    assert 'action="/classes/make"' in signed_in(learner).get("/classes/").content.decode()


def test_an_instructor_asks_for_nothing_and_an_administrator_stays_one(learner: User) -> None:
    give_role(learner, Role.INSTRUCTOR)
    signed_in(learner).post("/account/ask-to-teach")
    learner.refresh_from_db()
    assert learner.asked_to_teach is None
    adam = person("adam@example.org", Role.ADMINISTRATOR)
    signed_in(adam).post(reverse(LIST), {"action": "make_instructors", "_selected_action": [str(adam.pk)]})
    assert role_of(adam) is Role.ADMINISTRATOR


def test_what_the_account_holds_of_the_request_is_in_its_file(learner: User) -> None:
    from eosviz.accounts.belongings import account_file

    signed_in(learner).post("/account/ask-to-teach")
    learner.refresh_from_db()
    assert learner.asked_to_teach is not None
    assert account_file(learner)["asked_to_teach"] == learner.asked_to_teach.isoformat()

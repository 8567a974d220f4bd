"""Rates for signing up, for signing in and for guessing passwords; and responses that do not reveal who has an
account.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core import mail
from django.test import Client

from eosviz import buckets, rates
from eosviz.accounts import known_browsers
from eosviz.accounts.models import User
from tests.accounts.conftest import PASSWORD
from tests.accounts.test_signing_in import NEW, link_in
from tests.answers import Answer

pytestmark = pytest.mark.django_db

LECTURE = 250
HERE, ELSEWHERE = "192.0.2.1", "198.51.100.9"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [1_700_000_000.0]
    monkeypatch.setattr(buckets, "now", lambda: at[0])
    return at


def sign_in(client: Client, email: str, password: str, address: str = HERE) -> Answer:
    return client.post("/accounts/login/", {"login": email, "password": password}, REMOTE_ADDR=address)


def guess(email: str, times: int, address: str = ELSEWHERE) -> list[int]:
    """Sign in with a wrong password ``times`` times, each time from a new browser at the address. Returns the
    statuses.
    """
    return [sign_in(Client(), email, f"wrong {number}", address).status_code for number in range(times)]


def test_the_rates_let_a_lecture_behind_one_address_in_within_five_minutes(clock: list[float]) -> None:
    """Each of the people sends the form for signing up twice and the form for signing in twice; every fourth person
    mistypes the password once.
    """
    for number in range(LECTURE):
        clock[0] += 300 / LECTURE
        for form in ("sign_up", "sign_up", "sign_in", "sign_in"):
            rates.take("forms.address", f"address {HERE}")
            rates.take(f"{form}.address", f"address {HERE}")
        if number % 4 == 0:
            rates.take("wrong_password.address", f"address {HERE}")


def test_they_may_all_come_at_once(clock: list[float]) -> None:
    for _ in range(LECTURE):
        for form in ("forms", "sign_up", "forms", "sign_in"):
            rates.take(f"{form}.address", f"address {HERE}")


@pytest.mark.slow
def test_a_lecture_behind_one_address_signs_up_and_in_within_five_minutes(clock: list[float]) -> None:
    refused = []
    for number in range(LECTURE):
        clock[0] += 300 / LECTURE
        client, email = Client(), f"learner{number}@example.org"
        wrong = client.post(
            "/accounts/signup/", NEW | {"email": email, "password1": "short"}, REMOTE_ADDR=HERE
        )
        right = client.post("/accounts/signup/", NEW | {"email": email}, REMOTE_ADDR=HERE)
        mistyped = sign_in(client, email, "mistyped") if number % 4 == 0 else None
        inside = sign_in(client, email, PASSWORD)
        refused += [
            answer for answer in (wrong, right, mistyped, inside) if answer and answer.status_code == 429
        ]
        assert inside.status_code == 302, number
    assert (refused, User.objects.count()) == ([], LECTURE)


class TestGuesses:
    def test_from_one_address_they_are_bounded_and_the_log_says_for_whom_and_until_when(
        self, ada: User, clock: list[float], settings: Any
    ) -> None:
        assert guess(ada.email, 6) == [200] * 5 + [429]
        refused = sign_in(Client(), ada.email, PASSWORD, ELSEWHERE)
        assert (refused.status_code, refused["Retry-After"]) == (429, "60")
        page = refused.content.decode()
        assert (
            "from an earlier sign-in to this account have sent too many wrong passwords for it (5 in 5 minutes)"
            in page
        )
        assert "Try again in 60 seconds" in page and "by mail" not in page
        settings.EMAIL_URL = "smtp://mail.example.org"
        page = sign_in(Client(), ada.email, PASSWORD, ELSEWHERE).content.decode()
        assert 'href="/accounts/password/reset/"' in page
        chinese = Client().post(
            "/accounts/login/",
            {"login": ada.email, "password": "x"},
            REMOTE_ADDR=ELSEWHERE,
            headers={"accept-language": "zh-hans"},
        )
        assert "没有此账户登录 cookie 的浏览器，对它输错密码的次数过多" in chinese.content.decode()

    def test_they_do_not_stop_the_owner_at_another_address_nor_for_long_at_the_same(
        self, ada: User, clock: list[float]
    ) -> None:
        guess(ada.email, 20)
        assert sign_in(Client(), ada.email, PASSWORD, HERE).status_code == 302
        clock[0] += 60
        assert sign_in(Client(), ada.email, PASSWORD, ELSEWHERE).status_code == 302

    def test_from_many_addresses_they_are_bounded_for_the_account_and_its_known_browser_comes_in(
        self, ada: User, clock: list[float], settings: Any
    ) -> None:
        settings.RATES = {**settings.RATES, "wrong_password.account": (10, 3600)}
        known = Client()
        sign_in(known, ada.email, PASSWORD)
        known.post("/accounts/logout/")
        tried = [guess(ada.email, 1, f"203.0.113.{number}")[0] for number in range(12)]
        assert tried == [200] * 10 + [429] * 2
        assert sign_in(Client(), ada.email, PASSWORD).status_code == 429
        assert sign_in(known, ada.email, PASSWORD, "203.0.113.99").status_code == 302

    def test_a_new_password_by_mail_makes_the_browser_known(
        self, ada: User, clock: list[float], settings: Any
    ) -> None:
        settings.RATES = {**settings.RATES, "wrong_password.account": (1, 3600)}
        guess(ada.email, 2)
        new, password = Client(), "another long one"
        assert sign_in(new, ada.email, PASSWORD).status_code == 429
        new.post("/accounts/password/reset/", {"email": ada.email})
        form = new.get(link_in(mail.outbox[-1]))["Location"]
        assert new.post(form, {"password1": password, "password2": password}).status_code == 302
        assert sign_in(new, ada.email, password).status_code == 302

    def test_a_known_browser_has_a_bound_too_and_knows_no_other_account(
        self, ada: User, clock: list[float], settings: Any
    ) -> None:
        settings.RATES = {**settings.RATES, "wrong_password.known_browser": (3, 300)}
        User.objects.create_user("bob@example.org", PASSWORD)
        known = Client()
        sign_in(known, ada.email, PASSWORD)
        known.post("/accounts/logout/")
        assert [sign_in(known, ada.email, "wrong").status_code for _ in range(4)] == [200] * 3 + [429]
        assert "came from this browser" in sign_in(known, ada.email, PASSWORD).content.decode()
        guess("bob@example.org", 6, HERE)
        assert sign_in(known, "bob@example.org", PASSWORD).status_code == 429

    def test_a_cookie_that_was_made_up_is_none(self, ada: User, clock: list[float]) -> None:
        mine = Client()
        sign_in(mine, ada.email, PASSWORD)
        value = mine.cookies[known_browsers.COOKIE].value
        assert ada.email not in value and "ada" not in value
        guess(ada.email, 6, HERE)
        for forged in (value[:-1] + ("a" if value[-1] != "a" else "b"), "x", ""):
            client = Client()
            client.cookies[known_browsers.COOKIE] = forged
            assert sign_in(client, ada.email, PASSWORD).status_code == 429

    def test_right_passwords_never_count(self, ada: User, clock: list[float]) -> None:
        assert {sign_in(Client(), ada.email, PASSWORD).status_code for _ in range(20)} == {302}

    def test_other_accounts_at_the_address_are_bounded_together(
        self, ada: User, clock: list[float], settings: Any
    ) -> None:
        settings.RATES = {**settings.RATES, "wrong_password.address": (8, 600)}
        tried = [guess(f"person{number}@example.org", 1)[0] for number in range(9)]
        assert tried == [200] * 8 + [429]


def _seen(answer: Answer, email: str) -> tuple[Any, ...]:
    """Return everything of a response that a stranger can see, without its random values and without the stranger's
    own input.
    """
    cookies = {
        name: (morsel["max-age"], morsel["path"], len(morsel.value))
        for name, morsel in answer.cookies.items()
    }
    body = answer.content.decode().replace(email, "EMAIL")
    token = body.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    headers = {name: value for name, value in answer.headers.items() if name != "Expires"}  # the time of day
    return answer.status_code, headers, cookies, body.replace(token, "TOKEN") if token else body


class TestNoAnswerSaysWhoHasAnAccount:
    @pytest.fixture(params=["none", "mandatory"], ids=["without mail", "with mail"])
    def verification(self, request: pytest.FixtureRequest, settings: Any) -> str:
        settings.ACCOUNT_EMAIL_VERIFICATION = request.param
        return str(request.param)

    @pytest.mark.parametrize(
        ("address", "fields"),
        [
            ("/accounts/signup/", {"password1": PASSWORD, "name": "N", "@": "email"}),
            ("/accounts/signup/", {"password1": "short", "@": "email"}),
            ("/accounts/login/", {"password": "a wrong one", "@": "login"}),
            ("/accounts/password/reset/", {"@": "email"}),
        ],
        ids=["sign up", "sign up wrongly", "sign in", "reset"],
    )
    def test_every_answer_is_the_same_and_so_is_the_page_that_it_leads_to(
        self, ada: User, verification: str, address: str, fields: dict[str, str]
    ) -> None:
        fields = dict(fields)
        field, seen, sent = fields.pop("@"), [], []
        # has as many letters, because a response repeats what was typed
        for email in (ada.email, "ida@example.org"):
            client = Client()
            client.get(address)
            answer = client.post(address, {**fields, field: email})
            after = client.get(answer["Location"]) if answer.status_code == 302 else None
            seen.append((_seen(answer, email), after and _seen(after, email)))
            sent.append(len(mail.outbox))
        assert seen[0] == seen[1]
        assert sent[0] * 2 == sent[1], "and so is the number of mails"

    def test_a_taken_address_takes_as_long(
        self, ada: User, settings: Any, verification: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The test counts how often a password is hashed, which takes nearly all of the time."""
        settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
        hashed: list[str] = []
        encode = PBKDF2PasswordHasher.encode

        def counted(hasher: Any, *arguments: Any, **options: Any) -> str:
            hashed.append("once")
            return encode(hasher, *arguments, **{**options, "iterations": 1})

        monkeypatch.setattr(PBKDF2PasswordHasher, "encode", counted)
        counts = []
        for email in (ada.email, "free@example.org"):
            hashed.clear()
            Client().post("/accounts/signup/", NEW | {"email": email})
            counts.append(len(hashed))
        assert counts == [1, 1]

    def test_a_taken_address_changes_nothing_of_its_account(self, client: Client, ada: User) -> None:
        client.post("/accounts/signup/", NEW | {"email": ada.email.upper(), "password1": "another long one"})
        assert User.objects.count() == 1
        assert sign_in(client, ada.email, "another long one").status_code == 200
        assert sign_in(client, ada.email, PASSWORD).status_code == 302

    def test_two_sign_ups_at_once_make_one_account(
        self, client: Client, ada: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("eosviz.accounts.sign_up.filter_users_by_email", lambda email: [])
        assert client.post("/accounts/signup/", NEW | {"email": ada.email}).status_code == 302
        assert User.objects.count() == 1

    def test_a_mailbox_is_sent_so_many_mails_and_the_refusal_is_the_same(
        self, ada: User, clock: list[float]
    ) -> None:
        for email in (ada.email, "free@example.org"):
            asked = [Client().post("/accounts/password/reset/", {"email": email}) for _ in range(4)]
            assert [answer.status_code for answer in asked] == [302] * 3 + [429]
            assert asked[-1]["Retry-After"] == "200"

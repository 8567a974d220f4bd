"""Signing up, signing in and out, and choosing a new password after the old one was forgotten, in both languages."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from eosviz.accounts.models import User
from eosviz.security import CONTENT_SECURITY_POLICY
from tests.accounts.conftest import PASSWORD, signed_in

pytestmark = pytest.mark.django_db
NEW = {"email": "New@Example.org", "password1": PASSWORD, "name": " Nadia "}
PAGES = (
    "login/",
    "signup/",
    "logout/",
    "password/reset/",
    "password/reset/done/",
    "password/reset/key/done/",
)
OWN_PAGES = ("/accounts/password/change/", "/accounts/email/", "/account/", "/account/delete")


def link_in(message: mail.EmailMessage) -> str:
    found = re.search(r"https?://testserver(/\S+)", str(message.body))
    assert found is not None, message.body
    return found[1]


HEADER_SCRIPT = '<script type="module" src="/static/dist/menu.js"></script>'
"""The script of the menus, the only one that runs on a page with a password."""


class TestPages:
    @pytest.mark.parametrize("language", ["en", "zh-hans"])
    def test_every_page_is_ours_and_complete(self, client: Client, ada: User, language: str) -> None:
        own = signed_in(ada)
        for asking, address in [
            *((client, f"/accounts/{page}") for page in PAGES if page != "logout/"),
            (own, "/accounts/logout/"),
            *((own, page) for page in OWN_PAGES),
        ]:
            response = asking.get(address, headers={"accept-language": language})
            page = response.content.decode()
            assert response.status_code == 200, address
            assert '<main id="content"' in page and "[accounts." not in page, address
            assert f'lang="{"zh-Hans" if language == "zh-hans" else "en"}"' in page
            assert response["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
            assert re.findall(r"<script.*?</script>", page, re.DOTALL) == [HEADER_SCRIPT]
            assert " onclick" not in page
            if language == "zh-hans":
                english = [label for label in re.findall(r"<label[^>]*>([^<]+)", page) if label.isascii()]
                assert english == [], address

    def test_the_header_leads_to_signing_in_and_then_to_the_account(self, client: Client, ada: User) -> None:
        assert 'href="/accounts/login/"' in client.get("/").content.decode()
        assert 'href="/account/"' in signed_in(ada).get("/").content.decode()

    @pytest.mark.parametrize("address", OWN_PAGES)
    def test_the_account_s_pages_lead_strangers_to_signing_in(self, client: Client, address: str) -> None:
        response = client.get(address)
        assert response.status_code == 302
        assert response["Location"].startswith("/accounts/login/?next=")


class TestSigningUp:
    def test_a_new_person_has_a_name_and_signs_in_with_what_they_typed(self, client: Client) -> None:
        response = client.post("/accounts/signup/", NEW | {"next": "/tracks/"})
        assert (response.status_code, response["Location"]) == (302, "/accounts/login/?next=%2Ftracks%2F")
        page = client.get(response["Location"]).content.decode()
        assert 'value="new@example.org"' in page and "has one now" in page
        assert 'value="new@example.org"' not in client.get("/accounts/login/").content.decode(), "shown once"
        fields = {"login": "new@example.org", "password": PASSWORD, "next": "/tracks/"}
        assert client.post("/accounts/login/", fields)["Location"] == "/tracks/"
        user = User.objects.get()
        assert (user.email, user.name) == ("new@example.org", "Nadia")
        assert user.has_usable_password() and not user.is_staff
        assert "Nadia" in client.get("/account/").content.decode()

    @pytest.mark.parametrize(
        ("wrong", "sentence"),
        [
            ({"password1": "short"}, "at least 10 characters"),
            ({"password1": "password1234"}, "too common"),
            ({"password1": "new@example.org"}, "similar"),
            ({"email": "nowhere"}, "valid email"),
            ({"name": "x" * 81}, "80 characters"),
            ({"name": "Ada\u202e"}, "change the reading direction"),
        ],
    )
    def test_an_error_is_shown_at_its_field(
        self, client: Client, wrong: dict[str, str], sentence: str
    ) -> None:
        response = client.post("/accounts/signup/", NEW | wrong)
        assert response.status_code == 200
        assert sentence in response.content.decode()
        assert not User.objects.exists()

    def test_a_closed_site_accepts_no_new_account(self, client: Client, settings: object) -> None:
        settings.SIGN_UP_OPEN = False  # type: ignore[attr-defined]
        page = client.post("/accounts/signup/", NEW).content.decode()
        assert "accepts no new accounts" in page
        assert not User.objects.exists()

    def test_where_mail_is_sent_the_address_must_be_proved_first(
        self, client: Client, settings: object, sign_in: Callable[..., int]
    ) -> None:
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"  # type: ignore[attr-defined]
        client.post("/accounts/signup/", NEW)
        assert client.get("/account/").status_code == 302
        address = link_in(mail.outbox[0])
        assert "Confirm" in client.get(address).content.decode()
        client.post(address)
        assert sign_in(client, "new@example.org") == 302
        assert client.get("/account/").status_code == 200

    def test_the_owner_of_a_taken_address_gets_a_mail(
        self, client: Client, ada: User, settings: object
    ) -> None:
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"  # type: ignore[attr-defined]
        client.post("/accounts/signup/", NEW | {"email": ada.email})
        assert "already has an account" in mail.outbox[-1].body

    @pytest.mark.parametrize("adds", [False, True])
    def test_nothing_is_stored_if_the_address_gets_no_more_mails(
        self, client: Client, ada: User, settings: object, adds: bool
    ) -> None:
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"  # type: ignore[attr-defined]
        settings.RATES = {**settings.RATES, "mail.recipient": (1, 600)}  # type: ignore[attr-defined]
        client.post("/accounts/password/reset/", {"email": NEW["email"]})
        if adds:
            fields = {"action_add": "", "email": NEW["email"]}
            response = signed_in(ada).post("/accounts/email/", fields)
        else:
            response = client.post("/accounts/signup/", NEW)
        assert response.status_code == 429 and "Nothing was done" in response.content.decode()
        assert [user.email for user in User.objects.all()] == [ada.email]
        assert not EmailAddress.objects.filter(email__iexact=NEW["email"]).exists()


class TestSigningIn:
    def test_in_and_out(self, client: Client, ada: User, sign_in: Callable[..., int]) -> None:
        assert sign_in(client, " ADA@example.org ") == 302
        assert client.get("/account/").status_code == 200
        client.post("/accounts/logout/")
        assert client.get("/account/").status_code == 302

    def test_a_visit_alone_ends_no_session(self, ada: User) -> None:
        client = signed_in(ada)
        client.get("/accounts/logout/")
        assert client.get("/account/").status_code == 200

    def test_an_unknown_address_and_a_wrong_password_are_refused_in_the_same_words(
        self, client: Client, ada: User
    ) -> None:
        pages = [
            client.post("/accounts/login/", {"login": email, "password": "wrong password"}).content.decode()
            for email in (ada.email, "nobody@example.org")
        ]
        assert all("are not correct" in page for page in pages)

    def test_the_browser_forgets_unless_asked_to_remember(self, client: Client, ada: User) -> None:
        client.post("/accounts/login/", {"login": ada.email, "password": PASSWORD})
        assert client.session.get_expire_at_browser_close()
        client.post("/accounts/logout/")
        client.post("/accounts/login/", {"login": ada.email, "password": PASSWORD, "remember": "on"})
        assert not client.session.get_expire_at_browser_close()

    def test_it_leads_on_within_the_site_only(self, client: Client, ada: User) -> None:
        for there, expected in (("/tracks/", "/tracks/"), ("https://elsewhere.example/", "/account/")):
            fields = {"login": ada.email, "password": PASSWORD, "next": there}
            assert Client().post("/accounts/login/", fields)["Location"] == expected


class TestPasswords:
    def test_a_link_by_mail_sets_a_new_one_once(
        self, client: Client, ada: User, sign_in: Callable[..., int]
    ) -> None:
        client.post("/accounts/password/reset/", {"email": ada.email})
        address = link_in(mail.outbox[0])
        form = client.get(address)["Location"]
        wanted = {"password1": "another long one", "password2": "another long one"}
        assert client.post(form, wanted).status_code == 302
        assert sign_in(client, ada.email, "another long one") == 302
        assert "no longer valid" in Client().get(address, follow=True).content.decode()

    def test_an_unknown_address_is_answered_the_same(self, client: Client, ada: User) -> None:
        answers = [
            client.post("/accounts/password/reset/", {"email": email})
            for email in (ada.email, "nobody@example.org")
        ]
        assert len({(answer.status_code, answer["Location"]) for answer in answers}) == 1
        assert "no account" in mail.outbox[1].body

    def test_mail_is_written_in_the_reader_s_language(self, client: Client, ada: User) -> None:
        client.post("/accounts/password/reset/", {"email": ada.email}, headers={"accept-language": "zh-hans"})
        assert mail.outbox[0].subject == "[eosviz] 重设密码"
        form = client.get(link_in(mail.outbox[0]), headers={"accept-language": "zh-hans"})["Location"]
        unequal = {"password1": "another long one", "password2": "yet another one"}
        page = client.post(form, unequal, headers={"accept-language": "zh-hans"}).content.decode()
        assert not [
            one for one in re.findall(r'<ul class="errorlist"[^>]*><li>([^<]+)', page) if one.isascii()
        ]
        for sent in ("nobody@example.org", ada.email):
            client.post("/accounts/password/reset/", {"email": sent}, headers={"accept-language": "zh-hans"})
        own = signed_in(ada)
        wanted = {"oldpassword": PASSWORD, "password1": "another long one", "password2": "another long one"}
        own.post("/accounts/password/change/", wanted, headers={"accept-language": "zh-hans"})
        own.post(
            "/accounts/email/",
            {"email": "other@example.org", "action_add": ""},
            headers={"accept-language": "zh-hans"},
        )
        assert len(mail.outbox) >= 4
        for message in mail.outbox:
            own_words = re.sub(
                r"\S*(?:https?://|@|testserver|eosviz)\S*", "", f"{message.subject} {message.body}"
            )
            assert re.findall(r"[A-Za-z]{4,}", own_words) == [], message.body

    def test_changing_it_asks_for_the_old_one_and_signs_other_browsers_out(self, ada: User) -> None:
        here, there = signed_in(ada), signed_in(ada)
        wanted = {"password1": "another long one", "password2": "another long one"}
        here.post("/accounts/password/change/", {"oldpassword": "wrong", **wanted})
        assert there.get("/account/").status_code == 200
        here.post("/accounts/password/change/", {"oldpassword": PASSWORD, **wanted})
        assert here.get("/account/").status_code == 200
        assert there.get("/account/").status_code == 302
        assert "was changed" in mail.outbox[-1].body

"""What a browser has created belongs to the account that signs in there, and to no other account."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable

import pytest
from django.apps import apps
from django.contrib.auth.hashers import make_password
from django.core.management import CommandError, call_command
from django.db.models import Model, UniqueConstraint
from django.test import Client
from django.utils.translation import override
from pytest_django import DjangoAssertNumQueries

from engine.scenario.tracks import tracks
from eosviz.accounts.models import User
from eosviz.accounts.owning import OwnedByKey, everything
from eosviz.accounts.roles import LOOKED_AT, MAY, Role, give_role, role_of
from eosviz.analytics.models import Analysis
from eosviz.replays.actions import import_replay
from eosviz.replays.models import Replay
from eosviz.tracks.models import Prediction, Visit
from eosviz.walkthroughs import presenting
from eosviz.walkthroughs.models import Presentation, Session
from eosviz.workshop.models import Draft
from tests.accounts.conftest import PASSWORD, person, signed_in
from tests.answers import streamed

pytestmark = pytest.mark.django_db
TRACK = tracks()[0].name


def begin(client: Client, position: int = 1) -> Session:
    response = client.post(f"/tracks/{TRACK}/{position}/begin")
    return Session.objects.get(id=response["Location"].split("/")[2])


def shown(client: Client, session: Session) -> int:
    return client.get(f"/sessions/{session.id}/").status_code


class TestTakingOver:
    def test_work_is_kept_when_its_owner_signs_up(self, client: Client) -> None:
        session = begin(client)
        client.post(f"/tracks/{TRACK}/1/finish")
        wanted = {"email": "new@example.org", "password1": PASSWORD}
        client.post("/accounts/signup/", wanted)
        client.post("/accounts/login/", {"login": "new@example.org", "password": PASSWORD})
        assert shown(client, session) == 200
        assert Session.objects.of_browser(User.objects.get().owner_key).count() == 2
        assert "1 of " in client.get(f"/tracks/{TRACK}/").content.decode()

    def test_it_follows_the_person_to_another_browser_and_leaves_the_first(
        self, client: Client, ada: User, sign_in: Callable[..., int]
    ) -> None:
        session = begin(client)
        sign_in(client, ada.email)
        client.post("/accounts/logout/")
        assert shown(client, session) == 404
        elsewhere = Client()
        sign_in(elsewhere, ada.email)
        assert shown(elsewhere, session) == 200

    def test_progress_of_both_is_joined(self, client: Client, ada: User, sign_in: Callable[..., int]) -> None:
        mine = signed_in(ada)
        kept = begin(mine)
        mine.post(f"/tracks/{TRACK}/2/finish")
        other = begin(client)
        client.post(f"/tracks/{TRACK}/1/finish")
        sign_in(client, ada.email)
        visits = {visit.position: visit for visit in Visit.objects.of_browser(ada.owner_key)}
        assert {position: visit.done for position, visit in visits.items()} == {
            1: True,
            2: True,
            3: False,
        } | {position: visits[position].done for position in visits if position > 2}
        assert visits[1].session == kept
        assert Session.objects.filter(id=other.id, owner=ada.owner_key).exists()
        assert Visit.objects.exclude(owner=ada.owner_key).count() == 0

    def test_opened_replays_come_along(self, client: Client, ada: User, sign_in: Callable[..., int]) -> None:
        session = begin(client)
        file = io.BytesIO(streamed(client.get(f"/sessions/{session.id}/export")))
        replay = import_replay(file, client.session["browser"])
        sign_in(client, ada.email)
        replay.refresh_from_db()
        assert replay.owner == ada.owner_key

    def test_the_next_person_at_the_same_browser_gets_nothing_of_the_one_before(
        self, client: Client, ada: User, sign_in: Callable[..., int]
    ) -> None:
        sign_in(client, ada.email)
        session = begin(client)
        client.post("/accounts/logout/")
        person("bob@example.org")
        sign_in(client, "bob@example.org")
        assert shown(client, session) == 404
        assert Session.objects.get().owner == ada.owner_key

    def test_a_signed_in_browser_that_signs_in_to_another_account_takes_nothing_along(
        self, client: Client, ada: User
    ) -> None:
        bob = person("bob@example.org")
        client.force_login(ada, "allauth.account.auth_backends.AuthenticationBackend")
        session = begin(client)
        client.force_login(bob, "allauth.account.auth_backends.AuthenticationBackend")
        assert shown(client, session) == 404
        assert client.session["browser"] == bob.owner_key


class TestLosingAccess:
    def test_a_barred_account_owns_nothing_at_once(self, ada: User) -> None:
        client = signed_in(ada)
        session = begin(client)
        User.objects.filter(pk=ada.pk).update(is_active=False)
        assert shown(client, session) == 404

    def test_a_new_password_takes_the_work_from_every_other_browser(self, ada: User) -> None:
        """The pages of a session check only the owner's key that a browser has, not the account. So a browser that
        has the key from the old password must lose it.
        """
        client = signed_in(ada)
        session = begin(client)
        User.objects.filter(pk=ada.pk).update(password=make_password("another long one"))
        assert shown(client, session) == 404


class TestTheAccountPage:
    def test_it_counts_what_one_made(self, ada: User) -> None:
        client = signed_in(ada)
        begin(client)
        page = client.get("/account/").content.decode()
        assert "Sessions with their runs and steps" in page and '<td class="num">1</td>' in page

    def test_the_name_can_be_changed_and_is_escaped(self, ada: User) -> None:
        client = signed_in(ada)
        client.post("/account/", {"name": "<b>Ada</b>"})
        ada.refresh_from_db()
        assert ada.name == "<b>Ada</b>"
        assert "<b>Ada</b>" not in client.get("/account/").content.decode()
        # A name must not contain a character that makes browsers show the following text in the other direction.
        page = client.post("/account/", {"name": "Ada\u202e"}).content.decode()
        ada.refresh_from_db()
        assert "change the reading direction" in page and ada.name == "<b>Ada</b>"

    def test_everything_can_be_taken_away(self, ada: User) -> None:
        client = signed_in(ada)
        session = begin(client, 3)
        question = client.get(f"/sessions/{session.id}/questions?branch={session.branches.get().id}").json()
        first = question["questions"][0]
        answer = {"branch": session.branches.get().id, "at": first["at"], "choice": first["right"]}
        client.post(f"/sessions/{session.id}/predictions", answer)
        begin(Client())
        response = client.post("/account/download")
        archive = zipfile.ZipFile(io.BytesIO(streamed(response)))
        assert archive.testzip() is None
        account = json.loads(archive.read("account.json"))
        assert (account["email"], account["role"]) == (ada.email, "learner")
        assert account["predictions"][0]["right"] is True
        assert [entry["track"] for entry in account["progress"]] == [TRACK]
        files = [name for name in archive.namelist() if name.startswith("sessions/")]
        assert len(files) == 1
        assert import_replay(io.BytesIO(archive.read(files[0])), "").state in ("verified", "recorded")
        brought = import_replay(io.BytesIO(archive.read(files[0])), ada.owner_key)
        again = client.post("/account/download")
        archive = zipfile.ZipFile(io.BytesIO(streamed(again)))
        assert archive.read(f"replays/{brought.id}.eosviz.jsonl.gz") == archive.read(files[0])

    def test_a_download_is_not_made_all_day_long(self, ada: User) -> None:
        client = signed_in(ada)
        statuses = [client.post("/account/download").status_code for _ in range(7)]
        assert statuses == [200] * 6 + [429]


class TestDeleting:
    def test_the_page_says_beforehand_what_goes(self, ada: User) -> None:
        client = signed_in(ada)
        begin(client)
        page = client.get("/account/delete").content.decode()
        assert "cannot be undone" in page and "deleted" in page

    def test_a_wrong_password_deletes_nothing(self, ada: User) -> None:
        client = signed_in(ada)
        begin(client)
        response = client.post("/account/delete", {"proof": "wrong"})
        assert response.status_code == 422
        assert User.objects.exists() and Session.objects.exists()

    def test_everything_goes_and_nothing_of_others(self, ada: User, client: Client) -> None:
        stays = begin(client)
        own = signed_in(ada)
        session = begin(own, 3)
        presenting.start(session)
        file = io.BytesIO(streamed(own.get(f"/sessions/{session.id}/export")))
        import_replay(file, ada.owner_key)
        assert own.post("/account/delete", {"proof": PASSWORD}).status_code == 302
        assert not User.objects.exists() and not Replay.objects.exists()
        assert list(Session.objects.all()) == [stays]
        assert not Presentation.objects.exists() and not Prediction.objects.exists()
        assert Visit.objects.count() == 1
        assert "The account has been deleted" in own.get("/").content.decode()
        assert own.get("/account/").status_code == 302

    def test_without_a_password_the_address_is_the_proof(self, ada: User) -> None:
        client = signed_in(ada)
        ada.set_unusable_password()
        ada.save()
        client = signed_in(ada)
        assert client.post("/account/delete", {"proof": "x@example.org"}).status_code == 422
        assert client.post("/account/delete", {"proof": "ADA@example.org"}).status_code == 302


class TestRoles:
    def test_a_command_gives_exactly_one_role(self, ada: User) -> None:
        for role in ("instructor", "administrator", "learner"):
            call_command("give_role", "ADA@example.org", role)
            assert role_of(User.objects.get()) == role
            assert ada.groups.count() == (role != "learner")

    def test_a_command_for_an_unknown_account_says_so(self, db: None) -> None:
        with pytest.raises(CommandError, match="must sign up first"):
            call_command("give_role", "nobody@example.org", "instructor")

    def test_groups_hold_what_the_table_says(self, ada: User) -> None:
        for role, names in MAY.items():
            give_role(ada, role)
            held = User.objects.get().get_all_permissions()
            looks = {one for one in held if one.partition(".")[2].startswith("view_")}
            assert held - looks == {one for one in names if one not in looks}, role
            rooms = {one.partition(".")[0] for one in looks}
            assert rooms == (set(LOOKED_AT) if role == "administrator" else set()), role

    @pytest.mark.parametrize(
        ("role", "status"), [("learner", 302), ("instructor", 302), ("administrator", 200)]
    )
    def test_only_administrators_enter_the_administration(self, ada: User, role: str, status: int) -> None:
        give_role(ada, Role(role))
        assert signed_in(ada).get("/administration/accounts/user/").status_code == status

    def test_a_list_of_people_takes_as_many_queries_for_many_as_for_few(
        self, ada: User, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        give_role(ada, Role.ADMINISTRATOR)
        client = signed_in(ada)
        for number in range(30):
            User.objects.create_user(f"p{number}@example.org")
        with django_assert_max_num_queries(12):
            page = client.get("/administration/accounts/user/?q=p2").content.decode()
        assert "p29@example.org" in page and "p19@example.org" not in page


def owners_of(model: type[Model]) -> set[str]:
    """Return the names of the fields that say who owns a row: a key or an account."""
    keys = {"owner"} & {field.name for field in model._meta.local_fields}
    return keys | {field.name for field in model._meta.local_fields if field.related_model is User}


NOT_OWNED = {
    *("admin.LogEntry", "account.EmailAddress", "socialaccount.SocialAccount"),  # go with the account
    "audience.Follower",  # goes with the presentation
    "analytics.Analysis",  # identifies no person
}


def test_every_model_that_names_its_owner_says_what_becomes_of_its_rows() -> None:
    owned = {model._meta.label for model in apps.get_models() if owners_of(model)} - NOT_OWNED
    assert owned <= {one.model._meta.label for one in everything()}
    assert {"walkthroughs.Session", "pipeline.Shrink", "workshop.Draft", "classroom.Attempt"} <= owned


def test_every_model_that_a_browser_owns_goes_to_the_account() -> None:
    keyed = {one.model for one in everything() if isinstance(one, OwnedByKey)}
    by_key = {model for model in apps.get_models() if "owner" in owners_of(model)} - {Draft, Analysis}
    assert keyed == by_key


def test_what_an_account_can_have_once_is_merged_at_sign_in() -> None:
    """Otherwise, the row of the browser, which the account takes over, would violate the unique constraint."""
    for owned in everything():
        constraints = [one for one in owned.model._meta.constraints if isinstance(one, UniqueConstraint)]
        if isinstance(owned, OwnedByKey) and any("owner" in one.fields for one in constraints):
            assert type(owned).claim is not OwnedByKey.claim, owned.model


@pytest.mark.parametrize(
    ("language", "progress"), [("en", "Progress in tracks"), ("zh-hans", "学习路线进度")]
)
def test_each_kind_has_a_name_of_its_own(language: str, progress: str) -> None:
    with override(language):
        listed = {owned.kind: owned.name for owned in everything() if owned.kind}
    assert len(set(listed.values())) == len([owned for owned in everything() if owned.kind])
    assert listed["progress"] == progress

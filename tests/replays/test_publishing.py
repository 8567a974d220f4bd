"""Published replays: an address that is the digest of the content, files that are served alone, and an owner who may
withdraw them.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from engine.simulation import Simulation
from eosviz.accounts.actions import delete_account
from eosviz.accounts.models import User
from eosviz.browser import BROWSER_KEY
from eosviz.launch.places import ROOT
from eosviz.replays import bounded_check, exporting, publishing
from eosviz.replays.card_picture import draw_card
from eosviz.replays.checking import check
from eosviz.replays.models import Export, Publication
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.stores import published
from eosviz.walkthroughs.models import Session
from eosviz.walkthroughs.simulations import simulate_to
from tests.replays.conftest import BROWSER, exported, root, walk_to_end

Callbacks = Callable[..., object]


@pytest.fixture
def whole(start: Callable[..., Session]) -> Session:
    session = start("SC-03")
    walk_to_end(session, root(session))
    return session


def publish(session: Session, owner: str = BROWSER) -> Publication:
    export = exporting.begin(owner, session, None, exporting.PUBLISH, "en")
    exporting.carry_out(export.id)
    export.refresh_from_db()
    assert export.state == "done", export.refusal
    return Publication.objects.get(owner=owner, digest=export.result.split("/")[2])


def published_file(file: bytes, owner: str) -> Publication:
    checked = check(io.BytesIO(file))
    packed = bounded_check.player_of(checked, bounded_check.identity_of(checked))
    return publishing.publish(bounded_check.own_of(checked), packed, io.BytesIO(file), owner)


def test_the_address_is_the_digest_of_what_is_played(whole: Session, client: Client) -> None:
    digest = publish(whole).digest
    response = client.get(f"/published/{digest}/player.json", HTTP_ACCEPT_ENCODING="gzip")
    assert response["ETag"] == f'"{digest}"'
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    content = gzip.decompress(response.getvalue())
    assert hashlib.sha256(content).hexdigest() == digest
    assert json.loads(content)["verified"]["state"] == "verified"
    again = client.get(f"/published/{digest}/player.json", HTTP_IF_NONE_MATCH=f'"{digest}"')
    assert (again.status_code, again.content) == (304, b"")


def test_a_viewer_costs_no_query_and_no_engine(
    whole: Session,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: Callable[[int], object],
) -> None:
    digest = publish(whole).digest

    def asked(*words: object, **named: object) -> None:
        raise AssertionError("the engine was asked")

    monkeypatch.setattr(Simulation, "step", asked)
    # A visitor with a session cookie, such as earlier visitors have.
    session = client.session
    session[BROWSER_KEY] = "d" * 48
    session.save()
    with django_assert_num_queries(0):  # type: ignore[attr-defined]
        page = client.get(f"/published/{digest}/")
        assert client.get(f"/published/{digest}/player.json").status_code == 200
        replay = client.get(f"/published/{digest}/replay")
    assert page.status_code == 200 and "max-age=300" in page["Cache-Control"]
    assert "Set-Cookie" not in page and not page.cookies
    assert "frame-ancestors *" in page["Content-Security-Policy"]
    assert replay.getvalue() == exported(whole)


def test_a_link_to_it_has_a_picture_of_its_end(whole: Session, client: Client) -> None:
    digest = publish(whole).digest
    page = client.get(f"/published/{digest}/").content.decode()
    assert f'property="og:image" content="http://testserver/published/{digest}/card.png"' in page
    answer = client.get(f"/published/{digest}/card.png")
    assert (answer["Content-Type"], "immutable" in answer["Cache-Control"]) == ("image/png", True)
    branch = root(whole)
    end = simulate_to([branch], branch.newest)
    assert answer.getvalue() == draw_card(end.header(), end.view(), branch.newest, {"0": 0})
    published.delete(digest, "card.png")
    assert "/preview.png" in client.get(f"/published/{digest}/").content.decode()
    assert client.get(f"/published/{digest}/card.png").status_code == 404


def test_what_serves_them_knows_no_engine_and_no_tables() -> None:
    asked = (
        "import django; from django.conf import settings; settings.configure(DATA_DIR='.'); "
        "import sys; import eosviz.replays.published_files; "
        "print([name for name in sys.modules if name.split('.')[0] == 'engine' or name.endswith('.models')])"
    )
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_published_replay_file_is_the_one_of_the_export(whole: Session, client: Client) -> None:
    digest = publish(whole).digest
    response = client.get(f"/published/{digest}/replay")
    assert response.getvalue() == exported(whole)
    assert response["Content-Disposition"].startswith("attachment")


def test_equal_runs_have_one_address(start: Callable[..., Session], client: Client) -> None:
    """The file contains nothing of the server but the branches' ids, which the replay names."""
    session = start("SC-01")
    file = exported(session)
    made = [published_file(file, owner) for owner in "ab"]
    assert made[0].digest == made[1].digest and made[0].id != made[1].id
    again = published_file(file, "a")
    assert again.id == made[0].id


class TestTakingBack:
    def test_the_owner_takes_it_back_and_it_is_gone(
        self, whole: Session, client: Client, django_capture_on_commit_callbacks: Callbacks
    ) -> None:
        publication = publish(whole)
        session = client.session
        session[BROWSER_KEY] = BROWSER
        session.save()
        with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
            client.post(f"/publications/{publication.id}/withdraw")
        for tail in ("", "player.json", "replay"):
            assert client.get(f"/published/{publication.digest}/{tail}").status_code == 404
        assert not published.path(publication.digest).exists()

    def test_no_other_person_does(self, whole: Session, client: Client) -> None:
        publication = publish(whole)
        assert client.post(f"/publications/{publication.id}/withdraw").status_code == 404
        assert client.get(f"/published/{publication.digest}/").status_code == 200

    def test_it_stays_while_another_person_has_published_the_same(
        self, whole: Session, django_capture_on_commit_callbacks: Callbacks
    ) -> None:
        file = exported(whole)
        mine, other = (published_file(file, owner) for owner in (BROWSER, "o"))
        with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
            mine.delete()
        assert published.path(other.digest).exists()
        with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
            other.delete()
        assert not published.path(other.digest).exists()

    def test_a_deleted_session_stays_published(self, whole: Session, client: Client) -> None:
        digest = publish(whole).digest
        whole.delete()
        assert client.get(f"/published/{digest}/player.json").status_code == 200

    def test_a_deleted_account_takes_back_what_it_published(
        self, start: Callable[..., Session], django_capture_on_commit_callbacks: Callbacks
    ) -> None:
        user = User.objects.create_user(email="p@example.org", password="a good long password")
        publication = publish(start("SC-01", browser=user.owner_key), user.owner_key)
        with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
            delete_account(user)
        assert not published.path(publication.digest).exists()
        assert not Export.objects.exists()


def test_what_is_not_published_is_not_there(client: Client, db: None) -> None:
    for digest in ("0" * 64, "..", "a" * 63, "A" * 64, "about"):
        for tail in ("", "player.json", "replay"):
            assert client.get(f"/published/{digest}/{tail}").status_code == 404


def test_one_person_publishes_so_many(whole: Session, settings: Any) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "published_bytes": 1000}
    export = exporting.begin(BROWSER, whole, None, exporting.PUBLISH, "en")
    exporting.carry_out(export.id)
    export.refresh_from_db()
    assert export.refusal is not None
    assert export.refusal["key"] == "replays.refused.too_many_published_bytes"
    assert not Publication.objects.exists()
    settings.QUOTAS = {**settings.QUOTAS, "published_bytes": 2**30, "published": 1}
    publish(whole)
    with pytest.raises(ReplayRefused) as caught:
        exporting.begin(BROWSER, whole, None, exporting.PUBLISH, "en")
    assert caught.value.key == "replays.refused.too_many_published"

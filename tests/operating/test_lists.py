"""Pages that list what a person owns make as many database queries for many things as for few."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from eosviz.accounts.models import User
from eosviz.accounts.roles import Role
from eosviz.classroom.actions import create_class
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.replays.models import Publication, Replay
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.models import Branch, Session
from eosviz.workshop.models import Draft, Edition, Visibility
from tests.accounts.conftest import person, signed_in

PAGES = (
    "/",
    "/sessions/",
    "/sessions/?sessions=all",
    "/compare/",
    "/tracks/",
    "/replays/import",
    "/replays/log",
    "/account/",
    "/account/used",
    "/workshop/",
    "/workshop/?own=all",
    "/pipeline/",
    "/classes/",
)
TITLE = {"en": "T", "zh-Hans": "T"}


def make_some(user: User, version: ScenarioVersion, count: int, begin: int) -> None:
    """Create `count` more of each thing that a list shows."""
    key = user.owner_key
    for number in range(begin, begin + count):
        session = Session.objects.create(
            owner=key, version=version, header=b'{"title":{"en":"T","zh-Hans":"T"}}'
        )
        Branch.objects.bulk_create(Branch(session=session, name=name) for name in ("a", "b"))
        about: dict[str, Any] = {"title": TITLE, "scenario": "SC-03", "engine": "2", "steps": 1}
        for kind in ("session", "log"):
            Replay.objects.create(
                owner=key, kind=kind, digest="0" * 64, state="verified", player=b"x", **about
            )
        Publication.objects.create(owner=key, digest=f"{number:064}", bytes=1, **about)
        sweep = Sweep.objects.create(
            owner=key, title=TITLE, scenario="SC-03", document="", axes=[], seeds=1, runs=1, engine="2", folder="x"
        )  # fmt: skip
        Shrink.objects.create(owner=key, sweep=sweep, scenario="SC-03", guarantee="lost", document={}, seed=0)
        draft = Draft.objects.create(
            owner=user, text="", identifier=f"MY-{number}", title=TITLE, visibility=Visibility.PUBLIC
        )
        draft.editions.create(
            number=1, version=version, text="", engine="2", outcome={}, steps=Edition.pack([]),
            differs={"engine": "3", "variant": "", "step": 1},
        )  # fmt: skip
        create_class(user, f"Class {number}")


def asked(client: Client) -> dict[str, int]:
    found = {}
    for page in PAGES:
        client.get(page)  # This request fills the caches.
        with CaptureQueriesContext(connection) as queries:
            assert client.get(page).status_code == 200, page
        found[page] = len(queries)
    return found


@pytest.mark.django_db
def test_lists_ask_as_often_for_many_as_for_few() -> None:
    user = person("ina@example.org", Role.INSTRUCTOR)
    client, version = signed_in(user), ScenarioVersion.objects.library().get(identifier="SC-03")
    make_some(user, version, 2, begin=0)
    few = asked(client)
    make_some(user, version, 6, begin=2)
    assert asked(client) == few
    assert max(few.values()) < 40

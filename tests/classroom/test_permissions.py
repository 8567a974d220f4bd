"""Every address of the site × every kind of person who may request it. An address without a row in the table fails.

The people are those of `conftest.py`: the learner owns the session, the replay and the attempt; both learners are in
the class; the instructor teaches it. After each request, the test rolls its changes back before the next person asks.
So all requests use the same objects, which take longer to create than most pages take to answer. `make test` requests
an address that is open to all people only as the people in FEW, `make test-all` as every person.
"""

from __future__ import annotations

import dataclasses
import io
import uuid
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from channels.testing import WebsocketCommunicator
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import DjangoDbBlocker

from engine.scenario.document import parse
from engine.scenario.header import ENGINE_VERSION
from engine.scenario.shelf import entry
from eosviz import health
from eosviz.analytics.models import Analysis
from eosviz.analytics.routing import websocket_urlpatterns as analysis_sockets
from eosviz.audience.routing import websocket_urlpatterns
from eosviz.buckets import buckets
from eosviz.celery import app
from eosviz.classroom.models import Membership
from eosviz.classroom.routing import websocket_urlpatterns as class_sockets
from eosviz.pipeline import tasks as pipeline_tasks
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.pipeline.routing import websocket_urlpatterns as job_sockets
from eosviz.replays import exporting
from eosviz.replays.actions import import_replay
from eosviz.replays.forms import FORMS
from eosviz.replays.models import Export, Publication, Upload
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import presenting
from eosviz.walkthroughs.models import Session
from eosviz.workshop.models import Draft, Edition, Visibility
from tests.answers import streamed
from tests.classroom.addresses import (
    CLASS,
    OWNER,
    PEOPLE,
    READERS,
    ROWS,
    TASKS,
    Row,
    Things,
)
from tests.classroom.conftest import School, make_school, session_of
from tests.classroom.markup import refused_in
from tests.walkthroughs.conftest import carry_out, root

PATIENCE_SECONDS = 60
"""How long a test waits for an answer over a socket; far more than needed, because the machine may be busy."""

FEW = ("anonymous", "learner", "administrator")
"""In `make test`, these people stand for all people at an address that is open to all."""

SWEPT = {
    "cell": 0, "settings": "{}", "runs": 1, "refused": 0, "rule": None, "unfinished": 0, "first_seed": 0,
    "runs_duplicated": 1, "example_duplicated": {"seed": 0, "step": 3}, "distributions": {"steps": [[149, 1]]},
}  # fmt: skip
"""A row of a sweep's table."""

OTHERS_OWN = ("account_", "admin:", "api:api-root")
"""Addresses that the table leaves out. Those of django-allauth name no thing of a person, but act on the person who
asks; `tests/accounts` tests them. One rule below covers those of the administration. The API's root is only a prefix.
"""


@pytest.fixture
def things(school: School, monkeypatch: pytest.MonkeyPatch) -> Things:
    return make_things(school, monkeypatch)


class InOneTransaction:
    """A class of tests that roll back what they do, so that all of them can share one fixture. The fixture is named
    `db` because pytest-django gives a database to tests that use this name; pytest-django's own `db` ends with each
    test and closes the connection.
    """

    @pytest.fixture(scope="class")
    def db(self, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
        with django_db_blocker.unblock(), transaction.atomic():
            yield
            transaction.set_rollback(True)


@pytest.fixture(scope="class")
def kept_things(db: None) -> Iterator[Things]:
    with pytest.MonkeyPatch.context() as patch:
        yield make_things(make_school(), patch)


def make_things(school: School, monkeypatch: pytest.MonkeyPatch) -> Things:
    monkeypatch.setattr(pipeline_tasks, "start_process", lambda: None)
    # There is no worker, and each request for this page would wait for one to answer.
    monkeypatch.setitem(health.CHECKS, "worker", lambda: None)
    attempt = school.attempt(school.assign("predict"))
    session = session_of(attempt)
    branch = root(session)
    carry_out(session, "advance", branch, after=0, count=1)
    owner = school.browser("learner")
    file = streamed(owner.get(f"/sessions/{session.id}/export"))
    mine, public = (import_replay(io.BytesIO(file), key) for key in (session.owner, ""))
    link = owner.get(f"/sessions/{session.id}/link?branch={branch.id}&step=0").json()["address"]
    split = urlsplit(link)
    sweep = Sweep.objects.create(
        title={"en": "S", "zh-Hans": "S"}, scenario="SC-02", document="", axes=[], seeds=1, runs=1, engine="2",
        folder="x", table=[],
    )  # fmt: skip
    own_sweep = Sweep.objects.create(
        title={"en": "S", "zh-Hans": "S"}, scenario="SC-02", document='scenario = "SC-02"', axes=[], seeds=1,
        runs=1, engine=ENGINE_VERSION, folder="x", owner=session.owner, state="cancelled", table=[SWEPT],
    )  # fmt: skip
    shrink = Shrink.objects.create(
        scenario="SC-02", guarantee="duplicated", document=entry("SC-02").document, seed=0, after=[], step=3,
        owner=session.owner, state="cancelled",
    )  # fmt: skip
    return Things(
        school=school,
        session=session,
        branch=branch,
        attempt=attempt,
        replay=mine,
        public_replay=public,
        export=made(session, "jsonl"),
        upload=Upload.objects.create(owner=session.owner, kind="log", bytes=1, state="cancelled"),
        published=Publication.objects.get(digest=made(session, exporting.PUBLISH).result.split("/")[2]),
        sweep=sweep,
        own_sweep=own_sweep,
        shrink=shrink,
        analysis=Analysis.objects.create(classroom=school.classroom),
        follow=presenting.start(session).token,
        link=f"{split.path}?{split.query}",
        member=Membership.objects.get(user=school.people["other learner"]),
        drafts={visibility: built(school, visibility) for visibility in Visibility.values},
    )


def made(session: Session, form: str) -> Export:
    export = exporting.begin(session.owner, session, None, form, "en")
    exporting.carry_out(export.id)
    export.refresh_from_db()
    return export


def built(school: School, visibility: str) -> Draft:
    """Create a published scenario of the learner."""
    text = f'id = "MY-{visibility}"\n[title]\nen = "T"\nzh-Hans = "T"\n[[producers]]\nname = "p1"\n'
    draft = Draft.objects.create(
        owner=school.people["learner"], text=text, identifier=f"MY-{visibility}", visibility=visibility,
        classroom=school.classroom if visibility == Visibility.CLASS else None,
    )  # fmt: skip
    version = ScenarioVersion.objects.of_document(draft.identifier, parse(text))
    draft.editions.create(
        number=1, version=version, text=text, engine="2", outcome={"": {"steps": 0}}, steps=Edition.pack([])
    )
    return draft


SEEN_BY: dict[str, tuple[str, ...]] = {
    "private": ("learner", "administrator"),
    "class": (*CLASS, "administrator"),
    "link": PEOPLE,
    "public": PEOPLE,
}
"""Visibility → the people who may open, start, export and copy the published scenario. Without an edition, only the
author may.
"""


def ask(browser: Client, row: Row, things: Things) -> int:
    """Send the request as the person of this browser and return the status. Everything that the request changed is
    rolled back.
    """
    address, sent = row.address(things), row.sent(things)
    with transaction.atomic():
        if row.method == "json":
            response = browser.post(address, sent, content_type="application/json")
        else:
            response = getattr(browser, row.method)(address, sent or None)
        if getattr(response, "streaming", False):
            streamed(response)
        elif response.headers.get("Content-Type", "").startswith("text/html"):
            assert refused_in(response.content.decode()) == [], address
        transaction.set_rollback(True)
    if response.status_code == 302 and response["Location"].startswith("/accounts/login/"):
        return 302 if row.strangers == 302 else 401
    return 200 if response.status_code == 302 else response.status_code


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list to which the name of each task is added when it is begun."""
    names: list[str] = []
    begin = app.Task.apply_async

    def noted(task: Any, *arguments: Any, **options: Any) -> Any:
        names.append(task.name)
        return begin(task, *arguments, **options)

    monkeypatch.setattr(app.Task, "apply_async", noted)
    return names


def test_every_task_has_a_row() -> None:
    app.loader.import_default_modules()
    assert {name for name in app.tasks if not name.startswith("celery.")} == TASKS.keys()
    assert {name for addresses in TASKS.values() for name in addresses} <= ROWS.keys()


def faults_of(
    name: str, row: Row, things: Things, begun: list[str], if_open: tuple[str, ...] = PEOPLE
) -> list[str]:
    """Return a description of each fault at one address: a wrong status, or a wrong task that was begun. An address
    that is open to all is requested only as the people in ``if_open``, others as every person.
    """
    tasks = {task for task, addresses in TASKS.items() if name in addresses}
    got, faults = {}, []
    for who in if_open if row.may is None else PEOPLE:
        begun.clear()
        got[who] = ask(things.school.browser(who), row, things)
        may = tasks if row.may is None or who in row.may else set()
        if set(begun) != may:
            faults.append(f"{name}: {who} began {begun} instead of {sorted(may)}")
    if row.may is None:
        same = len(set(got.values())) == 1 and got["anonymous"] not in (401, 403, 404, 429, 500)
        return faults if same else [*faults, f"{name}: not the same for everybody: {got}"]
    for who, status in got.items():
        if who in row.may:
            if status in (302, 401, 403, 404, 429) or status >= 500:
                faults.append(f"{name}: {who} was let in nowhere: {status}")
        elif status != (row.strangers if who == "anonymous" else row.others):
            faults.append(f"{name}: {who} got {status}")
    return faults


def whole_budgets() -> None:
    """Reset the budgets, so that requests to one address do not use up those of the next."""
    cache.clear()
    buckets.forget()


class TestEverybody(InOneTransaction):
    @pytest.mark.parametrize(
        "visibility",
        [
            pytest.param(name, marks=[pytest.mark.slow] if name in ("class", "link") else [])
            for name in sorted(SEEN_BY)
        ],
    )
    def test_a_scenario_is_seen_by_those_whom_its_author_chose(
        self, kept_things: Things, visibility: str
    ) -> None:
        things = kept_things
        draft = things.drafts[visibility]
        for tail, method in (("", "get"), ("versions/1.toml", "get"), ("versions/1/start", "post")):
            row = Row(lambda things, tail=tail: f"/workshop/{draft.id}/{tail}", None, method)  # type: ignore[misc]
            got = {who: ask(things.school.browser(who), row, things) for who in PEOPLE}
            assert got == {who: 200 if who in SEEN_BY[visibility] else 404 for who in PEOPLE}, tail
        version = draft.editions.get().version
        for address in (f"/open/{draft.identifier}/{{}}/", f"/embed/{draft.identifier}/{{}}/player.json"):
            row = Row(lambda things, address=address: address.format(version.digest[:16]))  # type: ignore[misc]
            got = {who: ask(things.school.browser(who), row, things) for who in PEOPLE}
            assert got == {who: 200 if who in SEEN_BY[visibility] else 404 for who in PEOPLE}, address
        framed = Client().get(f"/embed/{draft.identifier}/{version.digest[:16]}/").status_code
        assert framed == (200 if "anonymous" in SEEN_BY[visibility] else 404)
        copied = Row(lambda things: f"/workshop/{draft.id}/versions/1/fork", None, "post", strangers=302)
        got = {who: ask(things.school.browser(who), copied, things) for who in PEOPLE[1:]}
        assert got == {who: 200 if who in SEEN_BY[visibility] else 404 for who in PEOPLE[1:]}
        page = Row(lambda things: f"/workshop/{draft.id}/")
        with transaction.atomic():
            draft.editions.all().delete()
            got = {who: ask(things.school.browser(who), page, things) for who in PEOPLE}
            transaction.set_rollback(True)
        assert {who for who, status in got.items() if status == 200} == {"learner", "administrator"}

    @pytest.mark.parametrize("room", sorted({name.partition(":")[0] for name in ROWS}))
    def test_each_person_gets_what_is_theirs_and_no_more(
        self, kept_things: Things, begun: list[str], room: str, takes_a_part: bool
    ) -> None:
        things = kept_things
        if_open = FEW if takes_a_part else PEOPLE
        faults = []
        for name in sorted(ROWS):
            if name.partition(":")[0] == room:
                whole_budgets()
                faults += faults_of(name, ROWS[name], things, begun, if_open)
        assert faults == []

    @pytest.mark.slow
    def test_every_form_is_exported_for_its_owner_alone(self, kept_things: Things, begun: list[str]) -> None:
        things = kept_things
        faults = []
        for form in (*FORMS, exporting.PUBLISH):
            for name in ("replays:export_begin", "replays:replay_export"):
                whole_budgets()
                row = dataclasses.replace(ROWS[name], sent=_chosen(form))
                faults += [f"{form}: {fault}" for fault in faults_of(name, row, things, begun)]
        assert faults == []


def _chosen(form: str) -> Callable[[Things], dict[str, str]]:
    return lambda things: {"form": form}


def _names(patterns: list[Any], space: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from _names(pattern.url_patterns, inner)
        else:
            yield f"{space}{pattern.name}", pattern


def test_every_address_has_a_row_and_every_row_an_address() -> None:
    names = {name for name, _ in _names(get_resolver().url_patterns)}
    ours = {name for name in names if not name.startswith(OTHERS_OWN)}
    assert len(ours) > 70
    assert ours - ROWS.keys() == set()
    assert ROWS.keys() - names == set()


@pytest.mark.django_db
def test_the_administration_opens_to_administrators_alone(school: School) -> None:
    pages = {
        f"/administration/{name.removeprefix('admin:').replace('_', '/', 2).removesuffix('changelist')}"
        for name, _ in _names(get_resolver().url_patterns)
        if name.startswith("admin:") and name.endswith("_changelist")
    } | {"/administration/"}
    assert len(pages) > 5
    for who in PEOPLE:
        browser = school.browser(who)
        statuses = {page: browser.get(page).status_code for page in pages}
        if who != "administrator":
            assert set(statuses.values()) == {302}, who
            continue
        assert statuses["/administration/"] == statuses["/administration/accounts/user/"] == 200
        assert statuses["/administration/classroom/classroom/"] == 200
        assert statuses["/administration/auth/group/"] == 403  # roles are a table, not a form


SOCKETS: dict[str, tuple[Callable[[Things], str], tuple[str, ...]]] = {
    "ws/sessions/<uuid:session_id>/": (lambda things: f"/ws/sessions/{things.session.id}/", OWNER),
    "ws/follow/<uuid:token>/": (lambda things: f"/ws/follow/{things.follow}/", PEOPLE),
    "ws/classes/<uuid:classroom_id>/": (lambda things: f"/ws/classes/{things.room}/", READERS),
    "ws/analytics/<uuid:job_id>/": (
        lambda things: f"/ws/analytics/{things.analysis.id}/",
        READERS,
    ),
    "ws/sweeps/<uuid:job_id>/": (lambda things: f"/ws/sweeps/{things.own_sweep.id}/", OWNER),
    "ws/shrinks/<uuid:job_id>/": (lambda things: f"/ws/shrinks/{things.shrink.id}/", OWNER),
}


def test_every_socket_has_a_row() -> None:
    assert {
        str(route.pattern)
        for route in [*websocket_urlpatterns, *class_sockets, *job_sockets, *analysis_sockets]
    } == SOCKETS.keys()


@pytest.mark.django_db(transaction=True)
async def test_every_socket_opens_to_whom_it_should(things: Things) -> None:
    opened = {
        route: await who_opens(address(things), things.school) for route, (address, _) in SOCKETS.items()
    }
    assert opened == {route: set(may) for route, (_, may) in SOCKETS.items()}


async def who_opens(address: str, school: School) -> set[str]:
    from asgiref.sync import sync_to_async

    from eosviz.asgi import application

    opened = set()
    for who in PEOPLE:
        browser = await sync_to_async(school.browser)(who)
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
        headers = [(b"cookie", cookie.encode()), (b"origin", b"http://testserver"), (b"host", b"testserver")]
        socket = WebsocketCommunicator(application, address, headers)
        await socket.connect(PATIENCE_SECONDS)
        hello = {"v": 1, "id": str(uuid.uuid4()), "type": "hello"}
        await socket.send_json_to(hello)
        outputs = [await socket.receive_output(PATIENCE_SECONDS)]
        if outputs[0]["type"] == "websocket.send" and '"not_found"' in outputs[0].get("text", ""):
            outputs.append(await socket.receive_output(PATIENCE_SECONDS))
        if outputs[-1]["type"] == "websocket.send":
            opened.add(who)
            await socket.disconnect(timeout=PATIENCE_SECONDS)
        else:
            assert outputs[-1]["code"] == 4404
    return opened

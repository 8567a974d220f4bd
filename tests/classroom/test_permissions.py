"""Every address of the site × everybody who may ask for it. An address without a row fails.

The people are those of `conftest.py`: the learner owns the session, the replay and the attempt; both learners are
in the class; the instructor teaches it. Each answer is thrown away with what it did before the next person asks.
"""

from __future__ import annotations

import io
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from channels.testing import WebsocketCommunicator
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from engine.scenario import entry, parse
from engine.scenario.header import ENGINE_VERSION
from engine.scenario.tracks import tracks
from eosviz import health
from eosviz.analytics.models import Analysis
from eosviz.analytics.routing import websocket_urlpatterns as analysis_sockets
from eosviz.audience.routing import websocket_urlpatterns
from eosviz.classroom.models import Attempt, Kind, Membership
from eosviz.classroom.routing import websocket_urlpatterns as class_sockets
from eosviz.pipeline import tasks as pipeline_tasks
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.pipeline.routing import websocket_urlpatterns as job_sockets
from eosviz.reference.tables import machines
from eosviz.replays import exporting
from eosviz.replays.actions import import_replay
from eosviz.replays.models import Export, Publication, Replay
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import presenting
from eosviz.walkthroughs.budget import api_throttle, form_buckets
from eosviz.walkthroughs.models import Branch, Session
from eosviz.workshop.building import edits, trials
from eosviz.workshop.models import Draft, Edition, Visibility
from tests.classroom.conftest import School
from tests.classroom.markup import refused_in
from tests.walkthroughs.conftest import carry_out, root

PATIENCE_SECONDS = 60
"""For an answer over a socket; far more than is needed, as the machine may be busy."""

PEOPLE = (
    "anonymous",
    "learner",
    "other learner",
    "stranger",
    "instructor",
    "other instructor",
    "administrator",
)
OWNER = ("learner",)
CLASS = ("learner", "other learner", "instructor")
READERS = ("instructor", "administrator")
TEACHER = ("instructor",)
TEACHERS = ("instructor", "other instructor", "administrator")
TRACK = tracks()[0].name


@dataclass
class Things:
    """What the addresses lead to."""

    school: School
    session: Session
    branch: Branch
    attempt: Attempt
    replay: Replay
    public_replay: Replay
    export: Export
    published: Publication
    sweep: Sweep
    own_sweep: Sweep
    shrink: Shrink
    analysis: Analysis
    follow: uuid.UUID
    link: str
    member: Membership
    drafts: dict[str, Draft]
    """By their visibility; the learner's own. The one of a class is that of `school`."""

    @property
    def given(self) -> uuid.UUID:
        return self.attempt.assignment_id

    @property
    def room(self) -> uuid.UUID:
        return self.school.classroom.id


@dataclass(frozen=True)
class Row:
    """`may`: who is let in, None for everybody. Others find nothing; `strangers` is what the anonymous get."""

    address: Callable[[Things], str]
    may: tuple[str, ...] | None = None
    method: str = "get"
    told: Callable[[Things], Any] = field(default=lambda things: {})
    strangers: int = 404
    others: int = 404


def _everybody(address: str, method: str = "get", **told: Any) -> Row:
    return Row(lambda things: address, None, method, lambda things: told)


def _owned(tail: str, method: str = "get", **told: Any) -> Row:
    return Row(lambda things: f"/sessions/{things.session.id}/{tail}", OWNER, method, lambda things: told)


def _api(tail: str, method: str = "get", type: str | None = None, **told: Any) -> Row:
    """Of the learner's session; `{branch}` stands for its branch."""

    def content(things: Things) -> Any:
        if type is None:
            return None
        named = {"branch": str(things.branch.id)} if type != "search_all" else {}
        return {"v": 1, "id": str(uuid.uuid4()), "type": type, **named, **told}

    def address(things: Things) -> str:
        return f"/api/sessions/{things.session.id}{tail}".replace("{branch}", str(things.branch.id))

    return Row(address, OWNER, method, content)


def _class(tail: str, may: tuple[str, ...], method: str = "get", **told: Any) -> Row:
    return Row(
        lambda things: f"/classes/{things.room}/{tail}", may, method, lambda things: told, strangers=302
    )


def _signed_in(address: str, method: str = "get", **told: Any) -> Row:
    return Row(lambda things: address, PEOPLE[1:], method, lambda things: told, strangers=302)


def _linked(instead: str, suffix: str = "") -> Row:
    def address(things: Things) -> str:
        split = urlsplit(things.link)
        path = split.path.replace("/open/", f"/{instead}/")
        path = f"{path.rstrip('/')}{suffix}" if suffix.startswith(".") else f"{path}{suffix}"
        return f"{path}?{split.query}"

    return Row(address)


def _sweep(tail: str, method: str = "get", **told: Any) -> Row:
    """Of one's own; those of nobody are everybody's to see (`tests/pipeline/test_sweep_pages.py`)."""
    address = "/pipeline/sweeps/{}/" + tail
    return Row(lambda things: address.format(things.own_sweep.id), OWNER, method, lambda things: told)


def _shrink(tail: str, method: str = "get") -> Row:
    return Row(lambda things: f"/pipeline/shrinks/{things.shrink.id}/{tail}", OWNER, method)


ROWS: dict[str, Row] = {
    "healthz": _everybody("/healthz"),
    "readyz": _everybody("/readyz"),
    "livez": _everybody("/livez"),
    "metrics": Row(lambda things: "/metrics", ()),
    "set_language": _everybody("/i18n/setlang/", "post", language="en"),
    "scenarios:library": _everybody("/"),
    "scenarios:catalogue": _everybody("/catalogue/en.json"),
    "scenarios:theme": _everybody("/theme", "post", theme="dark"),
    "walkthroughs:new": _everybody("/sessions/new", "post", scenario="SC-03"),
    "walkthroughs:player": _owned(""),
    "walkthroughs:delete": _owned("delete", "post"),
    "walkthroughs:present": _owned("present", "post"),
    "walkthroughs:end_presenting": _owned("present/end", "post"),
    "walkthroughs:follow": Row(lambda things: f"/follow/{things.follow}/"),
    "walkthroughs:open": _linked("open"),
    "walkthroughs:compare": Row(
        lambda things: f"/compare/?left={things.branch.id}&right={things.branch.id}", OWNER
    ),
    "walkthroughs:differences": Row(
        lambda things: f"/compare/differences.json?branch={things.branch.id}", OWNER
    ),
    "walkthroughs:compare_new": _everybody("/compare/new", "post", choice="SC-03", difference="idempotence"),
    "replays:export": _owned("export"),
    "replays:export_limits": _owned("exports/limits"),
    "replays:export_begin": _owned("exports", "post", form="jsonl"),
    "replays:replay_limits": Row(lambda things: f"/replays/{things.replay.id}/exports/limits", OWNER),
    "replays:replay_export": Row(
        lambda things: f"/replays/{things.replay.id}/exports", OWNER, "post", lambda things: {"form": "jsonl"}
    ),
    "replays:export_state": Row(lambda things: f"/exports/{things.export.id}/", OWNER),
    "replays:export_cancel": Row(lambda things: f"/exports/{things.export.id}/cancel", OWNER, "post"),
    "replays:export_file": Row(lambda things: f"/exports/{things.export.id}/file", OWNER),
    "replays:published": Row(lambda things: f"/published/{things.published.digest}/"),
    "replays:published_player": Row(lambda things: f"/published/{things.published.digest}/player.json"),
    "replays:published_replay": Row(lambda things: f"/published/{things.published.digest}/replay"),
    "replays:withdraw": Row(lambda things: f"/publications/{things.published.id}/withdraw", OWNER, "post"),
    "replays:link": Row(
        lambda things: f"/sessions/{things.session.id}/link?branch={things.branch.id}&step=0", OWNER
    ),
    "replays:import": _everybody("/replays/import"),
    "replays:open_log": _everybody("/replays/log"),
    "replays:play": Row(lambda things: f"/replays/{things.replay.id}/", OWNER),
    "replays:player": Row(lambda things: f"/replays/{things.replay.id}/player.json", OWNER),
    "replays:log_case": Row(lambda things: f"/replays/{things.replay.id}/case", OWNER),
    "replays:log_bundle": Row(lambda things: f"/replays/{things.replay.id}/bundle", OWNER),
    "replays:delete": Row(lambda things: f"/replays/{things.replay.id}/delete", OWNER, "post"),
    "replays:embed": _linked("embed"),
    "replays:linked_player": _linked("embed", "player.json"),
    "replays:card": _linked("cards", ".png"),
    "replays:embed_replay": Row(lambda things: f"/embed-replay/{things.public_replay.id}/"),
    "replays:public_player": Row(lambda things: f"/embed-replay/{things.public_replay.id}/player.json"),
    "replays:oembed": Row(lambda things: f"/oembed?url=http://testserver{things.link}"),
    "pipeline:index": _everybody("/pipeline/"),
    "pipeline:build": _everybody("/pipeline/new?scenario=SC-02"),
    "pipeline:sweep": _sweep(""),
    "pipeline:csv": _sweep("table.csv"),
    "pipeline:png": _sweep("map.png"),
    "pipeline:cell": _sweep("cells/0/"),
    "pipeline:cancel": _sweep("cancel", "post"),
    "pipeline:resume": _sweep("resume", "post"),
    "pipeline:delete": _sweep("delete", "post"),
    "pipeline:open": _sweep("cells/0/open", "post", guarantee="duplicated"),
    "pipeline:shrink_new": _sweep("cells/0/shrink", "post", guarantee="duplicated"),
    "pipeline:shrink": _shrink(""),
    "pipeline:shrink_cancel": _shrink("cancel", "post"),
    "pipeline:shrink_resume": _shrink("resume", "post"),
    "pipeline:shrink_open": _shrink("open", "post"),
    "pipeline:shrink_scenario": Row(
        lambda things: f"/pipeline/shrinks/{things.shrink.id}/scenario", OWNER, "post", strangers=302
    ),
    "pipeline:shrink_toml": _shrink("scenario.toml"),
    "reference:index": _everybody("/reference/"),
    "reference:machines": _everybody("/reference/machines/"),
    "reference:machine": _everybody(f"/reference/machines/{next(iter(machines()))}.json"),
    "reference:code": _everybody("/reference/code/"),
    "reference:code_json": _everybody("/reference/code.json"),
    "reference:errors": _everybody("/reference/errors/"),
    "reference:versions": _everybody("/reference/versions/"),
    "reference:requirements": _everybody("/reference/requirements/"),
    "reference:requirement": _everybody("/reference/requirements/SEQ-11"),
    "reference:contradictions": _everybody("/reference/contradictions/"),
    "reference:terms": _everybody("/reference/terms/"),
    "reference:limits": _everybody("/reference/limits/"),
    "reference:search": _everybody("/reference/search/?q=marker"),
    "analytics:everybody": Row(lambda things: "/analytics/", TEACHERS, strangers=302),
    "analytics:ask_everybody": Row(lambda things: "/analytics/ask", TEACHERS, "post", strangers=302),
    "analytics:of_class": _class("analytics/", READERS),
    "analytics:ask_of_class": _class("analytics/ask", READERS, "post"),
    "analytics:trail": Row(
        lambda things: f"/sessions/{things.session.id}/trail",
        OWNER,
        "json",
        lambda things: {"branch": str(things.branch.id), "last": 0, "furthest": 0, "backs": []},
    ),
    "tracks:index": _everybody("/tracks/"),
    "tracks:detail": _everybody(f"/tracks/{TRACK}/"),
    "tracks:begin": _everybody(f"/tracks/{TRACK}/1/begin", "post"),
    "tracks:finish": _everybody(f"/tracks/{TRACK}/1/finish", "post"),
    "tracks:questions": Row(
        lambda things: f"/sessions/{things.session.id}/questions?branch={things.branch.id}", OWNER
    ),
    "tracks:predict": Row(
        lambda things: f"/sessions/{things.session.id}/predictions",
        OWNER,
        "post",
        lambda things: {"branch": things.branch.id, "at": _question(things.session)["at"], "choice": ""},
    ),
    "api:openapi-json": _everybody("/api/openapi.json"),
    "api:openapi-view": _everybody("/api/docs"),
    "api:token": _everybody("/api/token"),
    "api:limits": _everybody("/api/limits"),
    "api:scenarios": _everybody("/api/scenarios"),
    "api:conditions": _everybody("/api/conditions"),
    "api:list_sessions": _everybody("/api/sessions"),
    "api:create_session": Row(
        lambda things: "/api/sessions", None, "json", lambda things: {"scenario": "SC-03"}
    ),
    "api:read_session": _api(""),
    "api:delete_session": _api("", "delete"),
    "api:carry_out": _api("/commands", "json", "advance", after=1, count=1),
    "api:read_command": Row(
        lambda things: (
            f"/api/sessions/{things.session.id}/commands/{things.session.commands.get().identifier}"
        ),
        OWNER,
    ),
    "api:pause": _api("/branches/{branch}/pause", "json"),
    "api:window": _api("/branches/{branch}/steps?from=1&to=1"),
    "api:keyframe": _api("/branches/{branch}/keyframe?number=0"),
    "api:search": _api("/search", "json", "search", first=1, last=1, conditions=[]),
    "api:transactions": _api("/branches/{branch}/transactions"),
    "api:rename": _api("/rename", "json", "rename", name="other"),
    "api:offered": _api("/branches/{branch}/actions?number=1&kind=actor&id=p1"),
    "api:explained": _api("/branches/{branch}/why?number=1&kind=actor&id=p1"),
    "account_login": _everybody("/accounts/password/reset/done/"),
    "accounts:account": _signed_in("/account/"),
    "accounts:used": _everybody("/account/used"),
    "accounts:download": _signed_in("/account/download", "post"),
    "accounts:delete": _signed_in("/account/delete"),
    "classroom:index": _signed_in("/classes/"),
    "classroom:make": Row(
        lambda things: "/classes/make",
        ("instructor", "other instructor", "administrator"),
        "post",
        lambda things: {"name": "New"},
        strangers=302,
        others=403,
    ),
    "classroom:join": Row(
        lambda things: "/classes/join",
        PEOPLE[1:],
        "post",
        lambda things: {"code": things.school.classroom.code},
        strangers=302,
    ),
    "classroom:join_link": _signed_in("/classes/join/whatever/"),
    "classroom:detail": _class("", (*CLASS, "administrator")),
    "classroom:leave": _class("leave", CLASS, "post"),
    "classroom:rename": _class("rename", TEACHER, "post", name="Other"),
    "classroom:change_code": _class("code", TEACHER, "post"),
    "classroom:archive": _class("archive", TEACHER, "post", archived="yes"),
    "classroom:change_member": Row(
        lambda things: f"/classes/{things.room}/members/{things.member.id}",
        TEACHER,
        "post",
        lambda things: {"part": "instructor"},
        strangers=302,
    ),
    "classroom:assign": _class("assign/watch/", TEACHER),
    "classroom:results": _class("results/", READERS),
    "classroom:results_csv": _class("results.csv", READERS),
    "classroom:assignment": Row(
        lambda things: f"/assignments/{things.given}/", (*CLASS, "administrator"), strangers=302
    ),
    "classroom:begin": Row(lambda things: f"/assignments/{things.given}/begin", CLASS, "post", strangers=302),
    "classroom:withdraw": Row(
        lambda things: f"/assignments/{things.given}/withdraw", TEACHER, "post", strangers=302
    ),
    "classroom:attempt": Row(lambda things: f"/attempts/{things.attempt.id}/", TEACHER, strangers=302),
    "classroom:hand_in": Row(
        lambda things: f"/attempts/{things.attempt.id}/hand-in", OWNER, "post", strangers=302
    ),
}


def _own_draft(tail: str, method: str = "get", **told: Any) -> Row:
    """Of what only its author may open, whatever its visibility is."""
    return Row(
        lambda things: f"/workshop/{things.drafts['public'].id}/{tail}",
        OWNER, method, lambda things: told, strangers=302,
    )  # fmt: skip


def _asked_of_draft(tail: str, **told: Any) -> Row:
    return Row(
        lambda things: f"/workshop/{things.drafts['public'].id}/{tail}",
        OWNER, "json", lambda things: {"text": things.drafts["public"].text, **told}, strangers=302,
    )  # fmt: skip


WORKSHOP: dict[str, Row] = {
    "workshop:gallery": _everybody("/workshop/"),
    "workshop:form": _everybody("/workshop/form.json"),
    "workshop:make": _signed_in("/workshop/make", "post", scenario="SC-03"),
    "workshop:import": _signed_in("/workshop/import", "post"),
    "workshop:from_branch": Row(
        lambda things: f"/workshop/from-branch/{things.branch.id}", OWNER, "post", strangers=302
    ),
    "workshop:detail": Row(lambda things: f"/workshop/{things.drafts['public'].id}/"),
    "workshop:start": Row(
        lambda things: f"/workshop/{things.drafts['public'].id}/versions/1/start", None, "post"
    ),
    "workshop:export": Row(lambda things: f"/workshop/{things.drafts['public'].id}/versions/1.toml"),
    "workshop:fork": Row(
        lambda things: f"/workshop/{things.drafts['public'].id}/versions/1/fork",
        PEOPLE[1:], "post", strangers=302,
    ),
    "workshop:export_draft": _own_draft("scenario.toml"),
    "workshop:build": _own_draft("build/"),
    "workshop:edit": _asked_of_draft("edit"),
    "workshop:preview": _asked_of_draft("preview"),
    "workshop:save": _asked_of_draft("save", revision=1),
    "workshop:try_out": _own_draft("try", "post"),
    "workshop:publish": _own_draft("publish", "post"),
    "workshop:set_visibility": _own_draft("visibility", "post", visibility="link"),
    "workshop:seen": _own_draft("seen", "post"),
    "workshop:delete": _own_draft("delete", "post"),
}  # fmt: skip
ROWS |= WORKSHOP

SWEPT = {
    "cell": 0, "settings": "{}", "runs": 1, "refused": 0, "rule": None, "unfinished": 0, "first_seed": 0,
    "runs_duplicated": 1, "example_duplicated": {"seed": 0, "step": 3}, "distributions": {"steps": [[149, 1]]},
}  # fmt: skip
"""A row of a sweep's table."""

OTHERS_OWN = ("account_", "admin:", "api:api-root")
"""django-allauth's addresses name no thing of anybody, they act on who asks: `tests/accounts` walks them. Those of
the administration have one rule, below. The API's root is a prefix."""


def _question(session: Session) -> dict[str, Any]:
    from eosviz.tracks.asking import asked_on

    return asked_on([root(session)])[0]


@pytest.fixture
def things(school: School, monkeypatch: pytest.MonkeyPatch) -> Things:
    monkeypatch.setattr(pipeline_tasks, "start_process", lambda: None)
    monkeypatch.setattr(
        health, "ANSWER_SECONDS_MAX", 0.1
    )  # there is no worker, and everybody would wait for it
    attempt = school.attempt(school.assign(Kind.PREDICT))
    session = attempt.session
    branch = root(session)
    carry_out(session, "advance", branch, after=0, count=1)
    owner = school.browser("learner")
    file = b"".join(owner.get(f"/sessions/{session.id}/export").streaming_content)
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
    """A published scenario of the learner."""
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
"""What is published is looked at, started, exported and copied by these; without an edition by the author alone."""


@pytest.mark.django_db
@pytest.mark.parametrize("visibility", sorted(SEEN_BY))
def test_a_scenario_is_seen_by_those_whom_its_author_chose(things: Things, visibility: str) -> None:
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
    draft.editions.all().delete()
    page = Row(lambda things: f"/workshop/{draft.id}/")
    got = {who: ask(things.school.browser(who), page, things) for who in PEOPLE}
    assert {who for who, status in got.items() if status == 200} == {"learner", "administrator"}


def ask(browser: Client, row: Row, things: Things) -> int:
    """The status, with everything that the request did undone."""
    address, told = row.address(things), row.told(things)
    with transaction.atomic():
        if row.method == "json":
            response = browser.post(address, told, content_type="application/json")
        else:
            response = getattr(browser, row.method)(address, told or None)
        if getattr(response, "streaming", False):
            b"".join(response.streaming_content)
        elif response.headers.get("Content-Type", "").startswith("text/html"):
            assert refused_in(response.content.decode()) == [], address
        transaction.set_rollback(True)
    if response.status_code == 302 and response["Location"].startswith("/accounts/login/"):
        return 302 if row.strangers == 302 else 401
    return 200 if response.status_code == 302 else response.status_code


def faults_of(name: str, things: Things) -> list[str]:
    """What is wrong at one address, for each person."""
    row = ROWS[name]
    got = {who: ask(things.school.browser(who), row, things) for who in PEOPLE}
    if row.may is None:
        same = len(set(got.values())) == 1 and got["anonymous"] not in (401, 403, 404, 429, 500)
        return [] if same else [f"{name}: not the same for everybody: {got}"]
    faults = []
    for who, status in got.items():
        if who in row.may:
            if status in (302, 401, 403, 404, 429) or status >= 500:
                faults.append(f"{name}: {who} was let in nowhere: {status}")
        elif status != (row.strangers if who == "anonymous" else row.others):
            faults.append(f"{name}: {who} got {status}")
    return faults


@pytest.mark.django_db
@pytest.mark.parametrize("room", sorted({name.partition(":")[0] for name in ROWS}))
def test_everybody_gets_what_is_theirs_and_no_more(things: Things, room: str) -> None:
    faults = []
    for name in sorted(ROWS):
        if name.partition(":")[0] == room:
            whole_budgets()
            faults += faults_of(name, things)
    assert faults == []


def whole_budgets() -> None:
    """What one address used up is not taken from the next."""
    cache.clear()
    api_throttle.buckets.forget()
    form_buckets.forget()
    trials.forget()
    edits.forget()


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
@pytest.mark.parametrize("route", sorted(SOCKETS))
async def test_a_socket_opens_to_whom_it_should(things: Things, route: str) -> None:
    from asgiref.sync import sync_to_async

    from eosviz.asgi import application

    address, may = SOCKETS[route]
    opened = set()
    for who in PEOPLE:
        browser = await sync_to_async(things.school.browser)(who)
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
        headers = [(b"cookie", cookie.encode()), (b"origin", b"http://testserver"), (b"host", b"testserver")]
        socket = WebsocketCommunicator(application, address(things), headers)
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
    assert opened == set(may)

"""The table of `test_permissions.py`: every address of the site, and who may request it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from engine.explain.machines import machines
from engine.scenario.tracks import tracks
from engine.shapes.questions import Question
from eosviz.analytics.models import Analysis
from eosviz.classroom.models import Attempt, Membership
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.replays.models import Export, Publication, Replay, Upload
from eosviz.walkthroughs.models import Branch, Session
from eosviz.workshop.models import Draft
from tests.classroom.conftest import School, session_of
from tests.walkthroughs.conftest import root

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
    """The objects to which the addresses in the table lead."""

    school: School
    session: Session
    branch: Branch
    attempt: Attempt
    replay: Replay
    public_replay: Replay
    export: Export
    upload: Upload
    published: Publication
    sweep: Sweep
    own_sweep: Sweep
    shrink: Shrink
    analysis: Analysis
    follow: uuid.UUID
    link: str
    member: Membership
    drafts: dict[str, Draft]
    """Drafts of the learner by their visibility. The draft for a class belongs to the class in `school`."""

    @property
    def given(self) -> uuid.UUID:
        return self.attempt.assignment_id

    @property
    def room(self) -> uuid.UUID:
        return self.school.classroom.id


@dataclass(frozen=True)
class Row:
    """One address: `may` lists the people who may open it, None means all. Other people get a 404.

    `strangers` is the status that anonymous visitors get.
    """

    address: Callable[[Things], str]
    may: tuple[str, ...] | None = None
    method: str = "get"
    sent: Callable[[Things], Any] = field(default=lambda things: {})
    strangers: int = 404
    others: int = 404


def _for_all(address: str, method: str = "get", **sent: Any) -> Row:
    return Row(lambda things: address, None, method, lambda things: sent)


def _owned(tail: str, method: str = "get", **sent: Any) -> Row:
    return Row(lambda things: f"/sessions/{things.session.id}/{tail}", OWNER, method, lambda things: sent)


def _api(tail: str, method: str = "get", type: str | None = None, **sent: Any) -> Row:
    """Return a row for an address of the API below the learner's session. `{branch}` in ``tail`` stands for its
    branch.
    """

    def content(things: Things) -> Any:
        if type is None:
            return None
        named = {"branch": str(things.branch.id)} if type != "search_all" else {}
        return {"v": 1, "id": str(uuid.uuid4()), "type": type, **named, **sent}

    def address(things: Things) -> str:
        return f"/api/sessions/{things.session.id}{tail}".replace("{branch}", str(things.branch.id))

    return Row(address, OWNER, method, content)


def _class(tail: str, may: tuple[str, ...], method: str = "get", **sent: Any) -> Row:
    return Row(
        lambda things: f"/classes/{things.room}/{tail}", may, method, lambda things: sent, strangers=302
    )


def _signed_in(address: str, method: str = "get", **sent: Any) -> Row:
    return Row(lambda things: address, PEOPLE[1:], method, lambda things: sent, strangers=302)


def _linked(instead: str, suffix: str = "") -> Row:
    def address(things: Things) -> str:
        split = urlsplit(things.link)
        path = split.path.replace("/open/", f"/{instead}/")
        path = f"{path.rstrip('/')}{suffix}" if suffix.startswith(".") else f"{path}{suffix}"
        return f"{path}?{split.query}"

    return Row(address)


def _sweep(tail: str, method: str = "get", **sent: Any) -> Row:
    """Return a row for an address of a sweep that the learner owns. Sweeps without an owner are open to all people
    (`tests/pipeline/test_sweep_pages.py`).
    """
    address = "/pipeline/sweeps/{}/" + tail
    return Row(lambda things: address.format(things.own_sweep.id), OWNER, method, lambda things: sent)


def _shrink(tail: str, method: str = "get") -> Row:
    return Row(lambda things: f"/pipeline/shrinks/{things.shrink.id}/{tail}", OWNER, method)


def _question(session: Session) -> Question:
    from eosviz.tracks.asking import asked_on

    return asked_on([root(session)])[0]


ROWS: dict[str, Row] = {
    "healthz": _for_all("/healthz"),
    "readyz": _for_all("/readyz"),
    "livez": _for_all("/livez"),
    "metrics": Row(lambda things: "/metrics", ()),
    "set_language": _for_all("/i18n/setlang/", "post", language="en"),
    "scenarios:front": _for_all("/"),
    "scenarios:library": _for_all("/library/"),
    "scenarios:sessions": _for_all("/sessions/"),
    "scenarios:catalogue": _for_all("/catalogue/en.json"),
    "scenarios:theme": _for_all("/theme", "post", theme="dark"),
    "walkthroughs:new": _for_all("/sessions/new", "post", scenario="SC-03"),
    "walkthroughs:player": _owned(""),
    "walkthroughs:delete": _owned("delete", "post"),
    "walkthroughs:rerun": Row(
        lambda things: f"/sessions/{things.session.id}/rerun?branch={things.branch.id}&step=0", OWNER
    ),
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
    "walkthroughs:moments": Row(
        lambda things: f"/compare/moments.json?left={things.branch.id}&right={things.branch.id}", OWNER
    ),
    "walkthroughs:compare_new": _for_all("/compare/new", "post", choice="SC-03", difference="idempotence"),
    "walkthroughs:generations": _for_all("/generations/?scenario=SC-47"),
    "walkthroughs:generation_new": _for_all("/generations/new", "post", scenario="SC-47", generation="k41"),
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
    "replays:published_card": Row(lambda things: f"/published/{things.published.digest}/card.png"),
    "replays:published_replay": Row(lambda things: f"/published/{things.published.digest}/replay"),
    "replays:withdraw": Row(lambda things: f"/publications/{things.published.id}/withdraw", OWNER, "post"),
    "replays:link": Row(
        lambda things: f"/sessions/{things.session.id}/link?branch={things.branch.id}&step=0", OWNER
    ),
    "replays:import": _for_all("/replays/import"),
    "replays:open_log": _for_all("/replays/log"),
    "replays:upload": Row(lambda things: f"/replays/uploads/{things.upload.id}/", OWNER),
    "replays:upload_cancel": Row(lambda things: f"/replays/uploads/{things.upload.id}/cancel", OWNER, "post"),
    "replays:play": Row(lambda things: f"/replays/{things.replay.id}/", OWNER),
    "replays:player": Row(lambda things: f"/replays/{things.replay.id}/player.json", OWNER),
    "replays:log_case": Row(lambda things: f"/replays/{things.replay.id}/case", OWNER),
    "replays:log_bundle": Row(lambda things: f"/replays/{things.replay.id}/bundle", OWNER),
    "replays:log_report": Row(lambda things: f"/replays/{things.replay.id}/report", OWNER),
    "replays:delete": Row(lambda things: f"/replays/{things.replay.id}/delete", OWNER, "post"),
    "replays:embed": _linked("embed"),
    "replays:text": _linked("text"),
    "replays:session_text": _owned("text"),
    "replays:follow_link": Row(
        lambda things: f"/follow/{things.follow}/link?branch={things.branch.id}&step=0"
    ),
    "replays:linked_player": _linked("embed", "player.json"),
    "replays:card": _linked("cards", ".png"),
    "replays:embed_replay": Row(lambda things: f"/embed-replay/{things.public_replay.id}/"),
    "replays:public_player": Row(lambda things: f"/embed-replay/{things.public_replay.id}/player.json"),
    "replays:oembed": Row(lambda things: f"/oembed?url=http://testserver{things.link}"),
    "pipeline:index": _for_all("/pipeline/"),
    "pipeline:build": _for_all("/pipeline/new?scenario=SC-02"),
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
    "pipeline:shrink_toml": _shrink("scenario.toml"),
    "reference:index": _for_all("/reference/"),
    "reference:machines": _for_all("/reference/machines/"),
    "reference:machine": _for_all(f"/reference/machines/{next(iter(machines()))}.json"),
    "reference:code": _for_all("/reference/code/"),
    "reference:code_json": _for_all("/reference/code.json"),
    "reference:errors": _for_all("/reference/errors/"),
    "reference:libraries": _for_all("/reference/libraries/"),
    "reference:signatures": _for_all("/reference/signatures/"),
    "reference:versions": _for_all("/reference/versions/"),
    "reference:requirements": _for_all("/reference/requirements/"),
    "reference:requirement": _for_all("/reference/requirements/SEQ-11"),
    "reference:contradictions": _for_all("/reference/contradictions/"),
    "reference:middleware": _for_all("/reference/middleware/"),
    "reference:logs_document": _for_all("/reference/logs.md"),
    "reference:terms": _for_all("/reference/terms/"),
    "reference:limits": _for_all("/reference/limits/"),
    "reference:player": _for_all("/reference/player/"),
    "reference:search": _for_all("/search/?q=marker"),
    "reference:suggested": _for_all("/search/suggested?q=marker"),
    "reference:search_of_before": _for_all("/reference/search/?q=marker"),
    "analytics:of_all": Row(lambda things: "/analytics/", TEACHERS, strangers=302),
    "analytics:ask_of_all": Row(lambda things: "/analytics/ask", TEACHERS, "post", strangers=302),
    "analytics:of_class": _class("analytics/", READERS),
    "analytics:ask_of_class": _class("analytics/ask", READERS, "post"),
    "analytics:trail": Row(
        lambda things: f"/sessions/{things.session.id}/trail",
        OWNER,
        "json",
        lambda things: {"branch": str(things.branch.id), "last": 0, "furthest": 0, "backs": []},
    ),
    "tracks:index": _for_all("/tracks/"),
    "tracks:detail": _for_all(f"/tracks/{TRACK}/"),
    "tracks:begin": _for_all(f"/tracks/{TRACK}/1/begin", "post"),
    "tracks:finish": _for_all(f"/tracks/{TRACK}/1/finish", "post"),
    "tracks:questions": Row(
        lambda things: f"/sessions/{things.session.id}/questions?branch={things.branch.id}", OWNER
    ),
    "tracks:predict": Row(
        lambda things: f"/sessions/{things.session.id}/predictions",
        OWNER,
        "post",
        lambda things: {"branch": things.branch.id, "at": _question(things.session)["at"], "choice": ""},
    ),
    "api:openapi-json": _for_all("/api/openapi.json"),
    "api:openapi-view": _for_all("/api/docs"),
    "api:token": _for_all("/api/token"),
    "api:limits": _for_all("/api/limits"),
    "api:scenarios": _for_all("/api/scenarios"),
    "api:conditions": _for_all("/api/conditions"),
    "api:list_sessions": _for_all("/api/sessions"),
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
    "account_login": _for_all("/accounts/password/reset/done/"),
    "accounts:account": _signed_in("/account/"),
    "accounts:ask_to_teach": _signed_in("/account/ask-to-teach", "post"),
    "accounts:used": _for_all("/account/used"),
    "accounts:download": _signed_in("/account/download", "post"),
    "accounts:delete": _signed_in("/account/delete"),
    "classroom:index": _for_all("/classes/"),
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
    "classroom:delete": _class("delete", TEACHER, "post"),
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
    "classroom:change": Row(lambda things: f"/assignments/{things.given}/change", TEACHER, strangers=302),
    "classroom:withdraw": Row(
        lambda things: f"/assignments/{things.given}/withdraw", TEACHER, "post", strangers=302
    ),
    "classroom:attempt": Row(lambda things: f"/attempts/{things.attempt.id}/", TEACHER, strangers=302),
    "classroom:attempt_run": Row(
        lambda things: f"/attempts/{things.attempt.id}/run/{root(session_of(things.attempt)).id}/",
        TEACHER,
        strangers=302,
    ),
    "classroom:hand_in": Row(
        lambda things: f"/attempts/{things.attempt.id}/hand-in", OWNER, "post", strangers=302
    ),
}


def _own_draft(tail: str, method: str = "get", **sent: Any) -> Row:
    """Return a row for an address that only the author may open, although the draft is public."""
    return Row(
        lambda things: f"/workshop/{things.drafts['public'].id}/{tail}",
        OWNER, method, lambda things: sent, strangers=302,
    )  # fmt: skip


def _asked_of_draft(tail: str, **sent: Any) -> Row:
    return Row(
        lambda things: f"/workshop/{things.drafts['public'].id}/{tail}",
        OWNER, "json", lambda things: {"text": things.drafts["public"].text, **sent}, strangers=302,
    )  # fmt: skip


WORKSHOP: dict[str, Row] = {
    "workshop:gallery": _for_all("/workshop/"),
    "workshop:form": _for_all("/workshop/form.json"),
    "workshop:make": _signed_in("/workshop/make", "post", scenario="SC-03"),
    "workshop:import": _signed_in("/workshop/import", "post"),
    "workshop:from_branch": Row(
        lambda things: f"/workshop/from-branch/{things.branch.id}", OWNER, "post", strangers=302
    ),
    "workshop:from_case": Row(
        lambda things: f"/workshop/from-case/{things.replay.id}", OWNER, "post", strangers=302
    ),
    "workshop:from_shrink": Row(
        lambda things: f"/workshop/from-shrink/{things.shrink.id}", OWNER, "post", strangers=302
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
    "workshop:publishing": _own_draft("publishing"),
    "workshop:publishing_cancel": _own_draft("publishing/cancel", "post"),
    "workshop:set_visibility": _own_draft("visibility", "post", visibility="link"),
    "workshop:seen": _own_draft("seen", "post"),
    "workshop:delete": _own_draft("delete", "post"),
}  # fmt: skip
ROWS |= WORKSHOP

TASKS: dict[str, set[str]] = {
    "replays.make_export": {"replays:export_begin", "replays:replay_export"},
    # A form with files begins it (tests/replays/test_uploads.py).
    "replays.take_upload": set(),
    # It begins if the text differs from that of the newest version (tests/workshop/test_drafts.py).
    "workshop.publish": set(),
    "pipeline.start_jobs": {
        "pipeline:resume", "pipeline:shrink_new", "pipeline:shrink_resume",
        "analytics:ask_of_all", "analytics:ask_of_class",
    },
    "walkthroughs.carry_out": {"api:carry_out"},
    # It begins for a run that this person has just started.
    "walkthroughs.make_plan": set(),
    # The messages of a session's socket begin these; `tests/audience` has a table of these messages.
    "walkthroughs.find_actions": set(),
    "walkthroughs.find_ahead": set(),
    "walkthroughs.find_plan": set(),
    "walkthroughs.find_why": set(),
    "walkthroughs.go_on": set(),
    # The clock or a starting worker begins these.
    "workshop.check_editions": set(),
    "pipeline.start_what_waits": set(),
    "operating.apply_retention": set(),
    "analytics.ask_for_all": set(),
}  # fmt: skip
"""Task → the addresses that begin it. It must begin for the people who may open the address, and for no others."""

"""Players in frames on other sites work without a cookie and change nothing, and no other page may be shown in a
frame.
"""

from __future__ import annotations

import gzip
import html
import json
import re
from typing import Any

import pytest
from django.test import Client

from eosviz.bounded import runner
from eosviz.bounded.tasks import TASKS
from eosviz.rates import take
from eosviz.replays import embed_views, linked
from eosviz.replays.models import LinkedFile, Replay
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.links import VERSION_CHARACTERS, Link
from eosviz.walkthroughs.messages import Done
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.presenting import start as start_presenting
from tests.bounded.work import never_in_time
from tests.replays.conftest import exported, imported
from tests.walkthroughs.conftest import carry_out, line_bodies, root, stranger
from tests.walkthroughs.test_pages import attributes, start

pytestmark = pytest.mark.django_db

CRASH = {"action": "crash", "actor": "broker-1"}


def link(scenario: str = "SC-03", **fields: Any) -> Link:
    version = ScenarioVersion.objects.library().get(identifier=scenario)
    return Link(**{"scenario": scenario, "version": version.digest[:VERSION_CHARACTERS], **fields})


def played(client: Client, address: str) -> dict[str, Any]:
    answer = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = json.loads(gzip.decompress(answer.content))
    return found


def test_a_frame_plays_the_steps_that_the_session_made_and_needs_no_cookie(client: Client) -> None:
    session = start(client)
    carry_out(session, "advance", root(session), after=0, count=20)
    answer = carry_out(session, "intervene", root(session), after=12, intervention=CRASH)
    assert isinstance(answer, Done) and answer.created
    branch = Branch.objects.get(id=answer.created)
    carry_out(session, "run_until", branch, after=13, until="end")

    shared = client.get(f"/sessions/{session.id}/link", {"branch": branch.id, "step": 13}).json()
    frame = re.search(r'src="([^"]*)"', shared["frame"])
    assert frame is not None
    visitor = Client()
    page = visitor.get(html.unescape(frame.group(1)))
    assert page.status_code == 200
    assert "X-Frame-Options" not in page.headers
    assert "frame-ancestors *" in page["Content-Security-Policy"]
    assert "script-src 'self'" in page["Content-Security-Policy"]
    given = attributes(page.content.decode(), "eos-player")
    assert given["step"] == "13"
    assert "session" not in given and "share" not in given
    assert html.unescape(given["open"]) == shared["address"]
    file = played(visitor, html.unescape(given["file"]))
    steps = file["steps"]["1"]
    assert [json.dumps(step) for step in steps] == [
        json.dumps(json.loads(body)) for body in line_bodies(branch)
    ]
    assert file["branches"][0]["first_broken"] == branch.first_broken
    assert file["branches"][0]["finished"] == branch.finished
    assert not visitor.cookies
    assert Session.objects.count() == 1


def test_a_frame_of_a_variant_has_the_texts_of_that_variant(client: Client) -> None:
    page = client.get(link("SC-61", variant="epoch-check-off").address("replays:embed"))
    lesson = json.loads(html.unescape(attributes(page.content.decode(), "eos-player")["lesson"]))
    assert lesson["watch_for"]["en"].startswith("Leaders do not compare epochs.")
    assert lesson["written"] == {"broken": {}} and "next" not in lesson


def test_the_language_of_a_frame_is_in_its_address_and_leaves_no_cookie() -> None:
    visitor = Client()
    page = visitor.get(link().address("replays:embed", lang="zh-Hans"))
    assert '<html lang="zh-Hans">' in page.content.decode()
    assert not visitor.cookies


@pytest.mark.parametrize("path", ["/", "/sessions/new?scenario=SC-03", "/open/SC-03/0/", "/reference/"])
def test_nothing_else_may_stand_in_a_frame(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]


def test_a_file_is_made_once_and_then_only_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    address = link().address("replays:linked_player")
    first = client.get(address)
    monkeypatch.setattr(linked, "_made", None)
    again = client.get(link(step=40).address("replays:linked_player"))
    assert again["ETag"] == first["ETag"]
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert "Cookie" not in first["Vary"]
    assert LinkedFile.objects.count() == 1


def test_what_is_made_for_one_address_is_bounded(client: Client, settings: Any) -> None:
    settings.RATES = {**settings.RATES, "embed.address": (20, 20)}
    take("embed.address", "address 127.0.0.1", 20)
    answer = client.get(link().address("replays:linked_player"))
    assert (answer.status_code, answer["Retry-After"]) == (429, "1")
    assert answer.json()["key"] == "problem.too_often.embed.address"
    assert not LinkedFile.objects.exists()


def test_a_strangers_scenario_runs_in_a_bounded_process_and_makes_the_same_steps(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = played(client, link("SC-03").address("replays:linked_player"))
    monkeypatch.setattr(linked, "made", None)
    version = stranger("SC-03")
    theirs = played(
        client, link("SC-03", version=version.digest[:VERSION_CHARACTERS]).address("replays:linked_player")
    )
    assert theirs["steps"] == ours["steps"]
    assert theirs["header"]["title"]["en"] == "Of a stranger"


def test_what_a_stranger_did_to_a_run_of_the_library_runs_in_a_bounded_process_too(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linked, "made", None)
    crashed = link("SC-03", done=[{"after": 3, "intervention": CRASH}])
    steps = played(client, crashed.address("replays:linked_player"))["steps"]["1"]
    assert steps[3]["key"] == "fault.crashed"


@pytest.mark.parametrize(("memory", "status", "key"), [
    (10**10, 422, "problem.link_too_much"), (0, 429, "problem.runs_full"),
])  # fmt: skip
def test_a_strangers_run_that_takes_too_much_or_finds_no_room_says_so(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
    memory: int,
    status: int,
    key: str,
) -> None:
    monkeypatch.setitem(TASKS, "linked", never_in_time(TASKS["linked"]))
    monkeypatch.setattr(runner, "WAIT_SECONDS_MAX", 0)
    settings.BOUNDED_MEMORY_BYTES = memory
    version = stranger("SC-03")
    answer = client.get(link("SC-03", version=version.digest[:VERSION_CHARACTERS]).address("replays:card"))
    assert (answer.status_code, answer.json()["key"]) == (status, key)
    assert answer.headers.get("Retry-After") == (str(runner.BUSY_SECONDS) if status == 429 else None)


def test_the_files_that_are_kept_are_bounded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linked, "LINKED_FILES_MAX", 2)
    for scenario in ("SC-01", "SC-02", "SC-03"):
        assert client.get(link(scenario).address("replays:linked_player")).status_code == 200
    assert LinkedFile.objects.count() == 2
    assert client.get(link("SC-01").address("replays:linked_player")).status_code == 200


@pytest.mark.parametrize(
    ("address", "status", "key"),
    [
        ("/embed/SC-99/0/player.json", 404, "no_scenario"),
        ("/embed/SC-03/0/player.json?step=5001", 429, "link_too_far"),
        ("/embed/SC-03/0/player.json?done=x", 400, "link_broken"),
        ("/embed/SC-07/0/player.json?variant=acks-one", 422, "link_refused"),
        ("/embed/SC-03/0/player.json?variant=none", 422, "bad_scenario"),
        (
            Link(scenario="SC-03", version="0", done=[{"after": 3, "intervention": CRASH | {"actor": "x"}}])
            .address()
            .replace("/open/", "/embed/")
            .replace("?", "player.json?"),
            422,
            "link_refused",
        ),
    ],
)
def test_what_cannot_be_played_says_why(client: Client, address: str, status: int, key: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.json()["key"]) == (status, f"problem.{key}")
    assert not LinkedFile.objects.exists()


def replay(owner: str) -> Replay:
    return Replay.objects.create(
        owner=owner,
        kind="session",
        title={"en": "A replay", "zh-Hans": "回放"},
        digest="0" * 64,
        steps=0,
        state="verified",
        player=gzip.compress(b'{"v": 1}'),
    )


def test_a_replay_without_an_owner_may_be_framed_and_another_persons_may_not(client: Client) -> None:
    public, private = replay(""), replay("a" * 48)
    page = client.get(f"/embed-replay/{public.id}/?step=7")
    given = attributes(page.content.decode(), "eos-player")
    assert (given["step"], played(client, given["file"])) == ("7", {"v": 1})
    assert "frame-ancestors *" in page["Content-Security-Policy"]
    assert client.get(f"/embed-replay/{private.id}/").status_code == 404
    assert client.get(f"/embed-replay/{private.id}/player.json").status_code == 404


def test_a_recording_in_another_version_has_the_lesson_of_the_original(client: Client) -> None:
    def lesson_of(generation: str) -> dict[str, Any]:
        client.post("/generations/new", {"scenario": "SC-61/k28", "generation": generation})
        session = Session.objects.latest("created")
        page = client.get(f"/embed-replay/{imported(exported(session), '').id}/").content.decode()
        lesson: dict[str, Any] = json.loads(html.unescape(attributes(page, "eos-player")["lesson"]))
        return lesson

    assert "watch_for" in lesson_of("k28")
    altered = lesson_of("k41")
    assert altered["of_original"] and "lesson" in altered
    assert "watch_for" not in altered and "written" not in altered


class TestOEmbed:
    def ask(self, client: Client, url: str, **query: Any) -> Any:
        return client.get("/oembed", {"url": f"http://testserver{url}", **query})

    @pytest.mark.parametrize("path", ["/sessions/new?scenario=sc-03", None])
    def test_an_address_of_a_run_is_answered_with_a_frame(self, client: Client, path: str | None) -> None:
        answer = self.ask(client, path or link(step=40).address(), maxwidth="600").json()
        assert (answer["version"], answer["type"], answer["width"], answer["height"]) == (
            "1.0",
            "rich",
            600,
            embed_views.FRAME_HEIGHT,
        )
        assert answer["title"].startswith("SC-03 The acknowledgement is lost")
        frame = re.search(r'src="([^"]*)"', answer["html"])
        assert frame is not None
        assert client.get(html.unescape(frame.group(1))).status_code == 200

    def test_a_link_page_says_where_its_answer_is(self, client: Client) -> None:
        page = client.get(link(step=40).address()).content.decode()
        found = re.search(r'application/json\+oembed" href="([^"]*)"', page)
        assert found is not None
        assert client.get(html.unescape(found.group(1))).json()["type"] == "rich"
        assert 'property="og:title" content="SC-03 The acknowledgement' in page

    def test_a_replay_without_an_owner(self, client: Client) -> None:
        assert self.ask(client, f"/replays/{replay('').id}/").json()["title"] == "A replay"
        assert self.ask(client, f"/replays/{replay('a' * 48).id}/").status_code == 404

    @pytest.mark.parametrize(
        "url", ["/", "/nowhere", "/sessions/new?scenario=SC-99", "/open/SC-99/0/", "/open/SC-03/0/?step=x"]
    )
    def test_what_has_no_frame_is_not_found(self, client: Client, url: str) -> None:
        assert self.ask(client, url).status_code == 404

    def test_another_site_and_another_format(self, client: Client) -> None:
        assert client.get("/oembed", {"url": "https://example.org/open/SC-03/0/"}).status_code == 404
        assert client.get("/oembed", {"format": "xml"}).status_code == 501
        assert client.get("/oembed").status_code == 404


def test_who_follows_gets_the_address_of_a_copy_and_after_the_end_nothing(client: Client) -> None:
    session = start(client)
    branch = root(session)
    carry_out(session, "advance", branch, after=0, count=20)
    presentation = start_presenting(session)
    follower = Client()
    page = follower.get(f"/follow/{presentation.token}/").content.decode()
    address = attributes(page, "eos-player")["share"]
    asked = {"branch": branch.id, "step": 12}
    shared = follower.get(address, asked).json()
    assert shared == client.get(f"/sessions/{session.id}/link", asked).json()
    opened = follower.post(shared["address"])
    assert opened.status_code == 302
    assert str(session.id) not in opened["Location"]
    client.post(f"/sessions/{session.id}/present/end")
    assert follower.get(address, asked).status_code == 404

"""Links: an address leads every person to the same step of the same run."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import QueryDict
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from eosviz.bounded import runner
from eosviz.bounded.tasks import TASKS
from eosviz.catalogue import say
from eosviz.refusals import Problem
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import linking
from eosviz.walkthroughs.links import VERSION_CHARACTERS, Link, link_to, pack_done, read_link
from eosviz.walkthroughs.messages import Done
from eosviz.walkthroughs.models import Branch, Intervention, Session
from tests.walkthroughs.conftest import carry_out, line_bodies, root, stranger
from tests.walkthroughs.test_pages import attributes, start

CRASH = {"action": "crash", "actor": "broker-1"}
KEYFRAME = ("number", "digest", "packed", "near")
SELECTED = {"view": "spacetime", "select": "batch:p1/0", "in": "t-0", "serials": "1.2"}


def below(address: str) -> str:
    """Return the path and the query of an address."""
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}"


def linked(client: Client, branch: Branch, step: int, **shown: str) -> str:
    """Return the link that *copy link* of the page gets."""
    query: dict[str, str | int] = {"branch": branch.id, "step": step, **shown}
    answer = client.get(f"/sessions/{branch.session_id}/link", query)
    assert answer.status_code == 200, answer.content
    return below(answer.json()["address"])


def with_intervention(client: Client) -> Branch:
    """Return a branch of SC-03 that begins at step 12, where a broker is crashed, and ends at step 30."""
    session = start(client)
    carry_out(session, "advance", root(session), after=0, count=20)
    answer = carry_out(session, "intervene", root(session), after=12, intervention=CRASH)
    assert isinstance(answer, Done) and answer.created
    branch = Branch.objects.get(id=answer.created)
    carry_out(session, "advance", branch, after=13, count=17)
    branch.refresh_from_db()
    return branch


@pytest.mark.django_db
class TestOpening:
    def test_a_link_leads_another_browser_to_the_same_steps(self, client: Client) -> None:
        branch = with_intervention(client)
        address = linked(client, branch, 27, **SELECTED)
        query = parse_qs(urlsplit(address).query)
        assert query.pop("step") == ["27"]
        assert str(branch.id) not in chain.from_iterable(query.values())

        visitor = Client()
        page = visitor.get(address)
        assert page.status_code == 200
        assert "leads to step 27 of a run with 1 intervention" in page.content.decode()
        assert Session.objects.count() == 1
        answer = visitor.post(address)
        own = Session.objects.exclude(id=branch.session_id).get()
        opened = root(own)
        assert answer["Location"].startswith(f"/sessions/{own.id}/?branch={opened.id}&step=27&view=spacetime")
        assert line_bodies(opened) == line_bodies(branch)[:27]
        assert Intervention.objects.on(opened) == Intervention.objects.on(branch) != []
        assert opened.first_broken == {name: step for name, step in branch.first_broken.items() if step <= 27}
        given = attributes(visitor.get(answer["Location"]).content.decode(), "eos-player")
        assert (given["step"], given["view"], given["select"]) == ("27", "spacetime", "batch:p1/0")
        assert (given["select-in"], given["select-serials"]) == ("t-0", "1.2")
        # The new session is like any other: it continues as the first one does.
        carry_out(own, "advance", opened, after=27, count=3)
        assert line_bodies(opened) == line_bodies(branch)

    def test_opening_it_again_finds_the_same_session(self, client: Client) -> None:
        branch = with_intervention(client)
        address = linked(client, branch, 27)
        visitor = Client()
        first = visitor.post(address)["Location"]
        assert visitor.get(address)["Location"] == first
        assert visitor.get(linked(client, branch, 20))["Location"] == first.replace("step=27", "step=20")
        assert Session.objects.count() == 2
        Session.objects.exclude(id=branch.session_id).delete()
        assert visitor.get(address).status_code == 200

    def test_a_scenario_that_has_changed_since_is_said(self, client: Client) -> None:
        address = linked(client, root(start(client)), 0).replace("/SC-03/", "/SC-03/0000")
        assert "has changed since" in client.get(address).content.decode()
        where = client.post(address)["Location"]
        assert "changed=1" in where
        assert "changed" in client.get(where).content.decode().split("<eos-player")[1].split(">")[0]

    def test_an_older_version_that_is_stored_is_the_one_that_is_opened(self, client: Client) -> None:
        document = ScenarioVersion.objects.library().get(identifier="SC-03").document
        document["seed"] = 77
        older = ScenarioVersion.objects.of_document("SC-03", document)
        link = Link(scenario="SC-03", version=older.digest[:VERSION_CHARACTERS])
        client.post(link.address())
        assert Session.objects.get().version == older

    def test_a_strangers_scenario_runs_in_a_bounded_process_and_makes_the_same_steps(
        self, client: Client, monkeypatch: pytest.MonkeyPatch, long_session: Session
    ) -> None:
        branch = root(long_session)
        for after in (0, 400):
            carry_out(long_session, "advance", branch, after=after, count=400)
        carry_out(long_session, "intervene", branch, after=800, intervention=CRASH)
        branch.refresh_from_db()
        address = link_to(branch, 801, None, None).address()
        monkeypatch.setattr(linking, "stretches", None)
        assert client.post(address).status_code == 302
        opened = root(Session.objects.exclude(id=long_session.id).get())
        assert line_bodies(opened) == line_bodies(branch)
        views = [list(one.keyframes.order_by("number").values_list(*KEYFRAME)) for one in (opened, branch)]
        assert views[0] == views[1] and [number for number, *_ in views[0]] == [0, 500]
        assert Intervention.objects.on(opened) == Intervention.objects.on(branch) != []
        assert opened.first_broken == branch.first_broken

    @pytest.mark.parametrize(("clock_seconds", "memory", "status", "key"), [
        (0, 10**10, 422, "problem.run_too_much"), (60, 0, 429, "problem.runs_full"),
    ])  # fmt: skip
    def test_a_strangers_run_that_takes_too_much_or_finds_no_room_leaves_nothing(
        self,
        client: Client,
        monkeypatch: pytest.MonkeyPatch,
        settings: Any,
        clock_seconds: int,
        memory: int,
        status: int,
        key: str,
    ) -> None:
        monkeypatch.setitem(TASKS, "reached", replace(TASKS["reached"], clock_seconds=clock_seconds))
        monkeypatch.setattr(runner, "WAIT_SECONDS_MAX", 0)
        settings.BOUNDED_MEMORY_BYTES = memory
        theirs = stranger("SC-03")
        link = Link(scenario="SC-03", version=theirs.digest[:VERSION_CHARACTERS], step=9)
        answer = client.post(link.address())
        assert (answer.status_code, say(key, "en") in answer.content.decode()) == (status, True)
        assert answer.headers.get("Retry-After") == (str(runner.BUSY_SECONDS) if status == 429 else None)
        assert not Session.objects.exists()

    @pytest.mark.parametrize(
        ("address", "status", "sentence"),
        [
            ("/open/SC-03/0/?step=x", 400, "truncated or altered"),
            ("/open/SC-03/0/?done=abc", 400, "truncated or altered"),
            ("/open/SC-03/0/?done=" + "A" * 7000, 400, "truncated or altered"),
            ("/open/SC-99/0/", 404, "no scenario SC-99"),
            ("/open/SC-03/0/?step=20001", 429, "not among the first 20000 steps"),
            (
                "/open/SC-03/0/?step=9&done="
                + pack_done([{"after": 3, "intervention": {"action": "crash", "actor": "nobody"}}]),
                422,
                "After step 3 the engine refuses the link",
            ),
            ("/open/SC-07/0/?variant=acks-one", 422, "CFG-2"),
        ],
    )
    def test_what_cannot_be_opened_says_why_and_leaves_nothing(
        self, client: Client, address: str, status: int, sentence: str
    ) -> None:
        answer = client.post(address)
        assert (answer.status_code, sentence in answer.content.decode()) == (status, True), answer.content
        assert not Session.objects.exists()

    def test_who_opens_too_many_is_asked_to_wait(self, client: Client, settings: Any) -> None:
        settings.RATES = {**settings.RATES, "open_link.address": (1, 600)}
        address = linked(client, root(start(client)), 0)
        assert Client().post(address).status_code == 302
        answer = Client().post(address)
        assert (answer.status_code, 590 < int(answer["Retry-After"]) <= 600) == (429, True)
        page = answer.content.decode()
        assert "Too many links to runs were opened from your network address" in page
        assert "Try again in 10 minutes" in page

    @pytest.mark.parametrize("name", ["open", "embed", "text"])
    def test_a_version_of_any_length_leads_to_the_one_of_today(self, client: Client, name: str) -> None:
        assert client.get(f"/{name}/SC-03/{'a' * 60_000}/").status_code == 200

    def test_of_those_with_interventions_one_runs_at_a_time(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(runner, "WAIT_SECONDS_MAX", 0.01)
        crash = {"after": 3, "intervention": CRASH}
        version = ScenarioVersion.objects.library().get(identifier="SC-03").digest[:VERSION_CHARACTERS]
        address = Link(scenario="SC-03", version=version, done=[crash], step=10).address()
        with linking._one_run:
            answer = Client().post(address)
        assert (answer.status_code, answer["Retry-After"]) == (429, str(runner.BUSY_SECONDS))
        assert Client().post(address).status_code == 302

    def test_one_that_runs_far_counts_as_several(self, client: Client, settings: Any) -> None:
        settings.RATES = {**settings.RATES, "open_link.address": (3, 600)}
        session = start(client)
        near, far = (linked(client, root(session), step) for step in (0, 1000))
        far = far.replace(f"step={root(session).newest}", "step=1000")
        assert Client().post(far).status_code == 302
        assert Client().post(near).status_code == 429

    def test_only_the_owner_gets_the_link_of_a_session(self, client: Client) -> None:
        branch = root(start(client))
        queries: list[dict[str, str | int]] = [
            {"branch": branch.id, "step": 0},
            {"branch": "x", "step": 0},
            {},
        ]
        for query in queries:
            assert Client().get(f"/sessions/{branch.session_id}/link", query).status_code == 404
        assert client.get(f"/sessions/{branch.session_id}/link", {"branch": "1" * 30}).status_code == 404

    def test_too_far_a_link_is_refused_when_it_is_made(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        branch = with_intervention(client)
        monkeypatch.setattr(linking, "LINK_STEPS_MAX", 20)
        answer = client.get(f"/sessions/{branch.session_id}/link", {"branch": branch.id, "step": 25})
        assert (answer.status_code, answer.json()["key"]) == (429, "problem.link_too_far")

    def test_the_language_of_the_address_is_kept(self, client: Client) -> None:
        address = linked(client, root(start(client)), 0)
        visitor = Client()
        assert "打开" in visitor.get(f"{address}&lang=zh-Hans").content.decode()
        assert visitor.cookies["django_language"].value == "zh-hans"
        assert "打开" in visitor.get(address).content.decode()
        assert "打开" not in visitor.get(f"{address}&lang=en").content.decode()
        assert visitor.get(f"{address}&lang=tlh").status_code == 200


INTERVENTIONS = st.sampled_from(
    [
        CRASH,
        {"action": "drop_message", "message": 7},
        {"action": "delay_message", "message": 7, "by": 100},
        {"action": "set", "path": "clients.p1.retries", "value": -(2**63)},
    ]
)


@given(
    st.lists(st.tuples(st.integers(0, 9999), INTERVENTIONS), max_size=60),
    st.integers(0, 9_999_999),
    st.sampled_from([None, "lanes", "spacetime", "spacetime:time"]),
    st.sampled_from([None, "kafka 中文 & more"]),
)
def test_what_is_written_into_an_address_is_read_from_it(
    done: list[tuple[int, dict[str, Any]]], step: int, view: str | None, variant: str | None
) -> None:
    made = [{"after": after, "intervention": one} for after, one in sorted(done, key=lambda pair: pair[0])]
    link = Link(
        scenario="SC-03", version="0123456789abcdef", variant=variant, done=made, step=step, view=view
    )
    parts = urlsplit(link.address())
    assert parts.path == "/open/SC-03/0123456789abcdef/"
    assert len(parts.query) < 7_000
    assert read_link(link.scenario, link.version, QueryDict(parts.query)) == link


@given(
    st.dictionaries(
        st.sampled_from(["done", "step", "select", "in", "serials", "view"]), st.text(max_size=80)
    )
)
def test_any_address_is_read_or_refused(query: dict[str, str]) -> None:
    given_query = QueryDict(mutable=True)
    given_query.update(query)
    try:
        read_link("SC-03", "0", given_query)
    except Problem as problem:
        assert problem.key == "problem.link_broken"

"""The HTTP API has the same operations as the socket, with the same answers."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from eosviz.walkthroughs import api, tasks
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.models import Session, Step

pytestmark = pytest.mark.django_db

Json = dict[str, Any]


class Caller:
    """A program that uses the API according to its description."""

    def __init__(self) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.token = self.get("/token").json()["token"]

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/api{path}", query)

    def post(self, path: str, content: Any = None, **headers: str) -> Any:
        body = content if isinstance(content, str | bytes) else json.dumps(content)
        return self.client.post(
            f"/api{path}",
            body,
            content_type="application/json",
            headers={"X-CSRFToken": self.token, **headers},
        )

    def delete(self, path: str) -> Any:
        return self.client.delete(f"/api{path}", headers={"X-CSRFToken": self.token})

    def start(self, scenario: str = "SC-03") -> tuple[str, str]:
        """Create a session. Returns its address and its branch."""
        welcome = self.post("/sessions", {"scenario": scenario}).json()
        return f"/sessions/{welcome['session']['id']}", welcome["branches"][0]["id"]


@pytest.fixture
def caller() -> Caller:
    return Caller()


def advance(branch: str, after: int, count: int, id: str | None = None) -> Json:
    return {
        "v": 1,
        "id": id or str(uuid.uuid4()),
        "type": "advance",
        "branch": branch,
        "after": after,
        "count": count,
    }


def test_a_program_steps_and_reads(caller: Caller) -> None:
    session, branch = caller.start()
    answer = caller.post(f"{session}/commands", advance(branch, 0, 20))
    assert answer.status_code == 200
    assert (answer.json()["type"], answer.json()["reached"]) == ("done", 20)
    steps = caller.get(f"{session}/branches/{branch}/steps", **{"from": 3, "to": 5}).json()
    assert [step["number"] for step in steps["steps"]] == [3, 4, 5]
    assert caller.get(f"{session}/branches/{branch}/keyframe", number=20).json()["number"] == 0
    offers = caller.get(
        f"{session}/branches/{branch}/actions", number=20, kind="actor", id="broker-1"
    ).json()["actions"]
    assert "crash" in [offer["action"] for offer in offers if offer["enabled"]]
    explained = caller.get(f"{session}/branches/{branch}/why", number=20, kind="partition", id="t-0").json()
    assert (explained["question"], explained["links"][0]["key"]) == ("lso", "why.lso.at")
    listed = caller.get(f"{session}/branches/{branch}/transactions").json()
    assert (listed["through"], listed["folded"], listed["lines"]) == (20, 0, [])
    held = caller.get(session).json()
    assert (held["branches"][0]["newest"], held["header"]["scenario"]) == (20, "SC-03")
    assert [item["id"] for item in caller.get("/sessions").json()["sessions"]] == [session.split("/")[-1]]
    assert caller.post(f"{session}/branches/{branch}/pause").json() == {"branch": branch, "pauses": 1}
    assert caller.delete(session).status_code == 204
    assert caller.get(session).status_code == 404


def test_a_program_searches_and_renames(caller: Caller) -> None:
    session, branch = caller.start()
    caller.post(f"{session}/commands", advance(branch, 0, 40))
    known = caller.get("/conditions").json()
    assert "CompleteCommit" in known["machines"]["transaction_states"]
    of_run = caller.get("/conditions?version=4.1&client=2.8&client=2.0").json()
    assert ("zookeeper" in known["kinds"], "zookeeper" in of_run["kinds"]) == (True, False)
    asked = {"v": 1, "id": str(uuid.uuid4()), "type": "search", "branch": branch, "from": 1, "to": 500}
    found = caller.post(
        f"{session}/search", {**asked, "conditions": [{"on": "kind", "kind": "delivery"}]}
    ).json()
    assert found["numbers"] == [hit["number"] for hit in found["hits"]] != []
    assert (found["from"], found["to"]) == (1, 40)
    renamed = {"v": 1, "id": str(uuid.uuid4()), "type": "rename", "branch": branch, "name": "first"}
    assert caller.post(f"{session}/rename", renamed).json()["name"] == "first"
    assert caller.get(session).json()["branches"][0]["name"] == "first"
    assert caller.post(f"{session}/search", renamed).json()["key"] == "problem.not_a_search"
    assert caller.post(f"{session}/rename", asked).json()["code"] == "malformed"
    wide = {**asked, "to": LIMITS.search_steps + 1, "conditions": [{"on": "interesting"}]}
    assert caller.post(f"{session}/search", wide).json()["key"] == "problem.search_too_wide"


def test_a_command_is_carried_out_once_and_its_answer_kept(caller: Caller) -> None:
    session, branch = caller.start()
    command = advance(branch, 0, 3)
    first = caller.post(f"{session}/commands", command).json()
    caller.post(f"{session}/commands", advance(branch, 3, 1))
    assert caller.post(f"{session}/commands", command).json() == first
    assert caller.get(f"{session}/commands/{command['id']}").json() == first
    assert Step.objects.count() == 4


def test_a_long_command_can_be_paused_and_a_click_reads_nothing_for_it(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(tasks.carry_out, "apply_async", lambda arguments: sent.append(arguments[2]))
    monkeypatch.setattr(api, "ANSWER_SECONDS_MAX", 0.0)
    session, branch = caller.start()
    for _ in range(2):
        caller.post(f"{session}/branches/{branch}/pause")
    click = advance(branch, 0, 1)
    long = {**advance(branch, 0, 1), "type": "run_until", "until": "end"}
    del long["count"]
    for command in (long, click):
        assert caller.post(f"{session}/commands", command).status_code == 202
    assert sent == [2, None]


def test_an_intervention_at_an_earlier_step_starts_a_branch(caller: Caller) -> None:
    session, branch = caller.start()
    caller.post(f"{session}/commands", advance(branch, 0, 12))
    asked = {"v": 1, "id": str(uuid.uuid4()), "type": "intervene", "branch": branch, "after": 5}
    asked["intervention"] = {"action": "pause", "actor": "p1"}
    answer = caller.post(f"{session}/commands", asked).json()
    assert answer["created"] in [item["id"] for item in caller.get(session).json()["branches"]]


def test_what_takes_longer_is_under_way_and_can_be_read_later(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, branch = caller.start()
    monkeypatch.setattr(api, "ANSWER_SECONDS_MAX", 0.05)
    asked: list[Any] = []
    monkeypatch.setattr(tasks.carry_out, "apply_async", asked.append)
    command = advance(branch, 0, 3)
    answer = caller.post(f"{session}/commands", command)
    assert (answer.status_code, answer.json()) == (202, {"command": command["id"]})
    assert caller.client.get(answer["Location"]).status_code == 404
    tasks.carry_out(*asked[0])
    assert caller.client.get(answer["Location"]).json()["reached"] == 3


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("{", 400, "malformed"),
        (b"\xff", 400, "malformed"),
        ("[" * 50_000, 400, "malformed"),
        ({"v": 1}, 400, "unknown_type"),
        ({"v": 2, "type": "advance"}, 400, "unsupported_version"),
        ({"v": 1, "id": "2b2c7a4e-6d5a-4b4f-9a61-0a6c3f0c9a11", "type": "ping"}, 400, "unknown_type"),
        ({"x": "y" * LIMITS.message_bytes}, 413, "too_large"),
        (advance("999", 0, 1), 404, "not_found"),
    ],
    ids=["cut", "binary", "nested", "no type", "version", "a question", "large", "no branch"],
)
def test_what_is_wrong_has_its_code(caller: Caller, body: Any, status: int, code: str) -> None:
    session, _ = caller.start()
    answer = caller.post(f"{session}/commands", body)
    assert (answer.status_code, answer.json()["type"], answer.json()["code"]) == (status, "error", code)


@pytest.mark.parametrize(
    ("path", "query", "status", "code"),
    [
        ("/branches/{branch}/steps", {"from": 0, "to": 500}, 422, "limit"),
        ("/branches/{branch}/steps", {"from": -1, "to": 5}, 400, "malformed"),
        ("/branches/{branch}/steps", {"from": "x", "to": 5}, 400, "malformed"),
        ("/branches/{branch}/steps", {}, 400, "malformed"),
        ("/branches/999/steps", {"from": 0, "to": 5}, 404, "not_found"),
        ("/branches/x/steps", {"from": 0, "to": 5}, 400, "malformed"),
        ("/branches/{branch}/actions", {"number": 0, "kind": "planet", "id": "x"}, 400, "malformed"),
        ("/branches/{branch}/actions", {"number": 9, "kind": "actor", "id": "p1"}, 409, "conflict"),
        ("/branches/{branch}/why", {"number": 0, "kind": "planet", "id": "x"}, 400, "malformed"),
        ("/branches/{branch}/why", {"number": 0, "question": "lso", "subject": "x"}, 404, "not_found"),
        ("/commands/2b2c7a4e-6d5a-4b4f-9a61-0a6c3f0c9a11", {}, 404, "not_found"),
    ],
)
def test_a_question_that_is_wrong_has_its_code(
    caller: Caller, path: str, query: Json, status: int, code: str
) -> None:
    session, branch = caller.start()
    answer = caller.get(session + path.format(branch=branch), **query)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("query", "key", "params"),
    [
        ({"from": -1, "to": 5}, "too_small", {"field": "from", "least": 0}),
        ({"from": 0, "to": 10**8}, "too_great", {"field": "to", "most": 10_000_000}),
        ({"from": "x", "to": 5}, "wrong_type", {"field": "from", "allowed": "int", "found": "str"}),
        ({"to": 5}, "missing_field", {"field": "from"}),
    ],
)
def test_a_parameter_that_is_wrong_is_named(caller: Caller, query: Json, key: str, params: Json) -> None:
    session, branch = caller.start()
    answer = caller.get(f"{session}/branches/{branch}/steps", **query).json()
    assert (answer["key"], answer["params"]) == (f"problem.{key}", params)


def test_a_scenario_that_a_rule_refuses(caller: Caller) -> None:
    answer = caller.post("/sessions", {"scenario": "SC-07", "variant": "acks-one"})
    assert (answer.status_code, answer.json()["code"], answer.json()["params"]["rule"]) == (
        422,
        "refused",
        "CFG-2",
    )
    assert caller.post("/sessions", {"scenario": "SC-99"}).status_code == 404
    assert caller.post("/sessions", {"scenario": "SC-07", "variant": "none"}).json()["code"] == "refused"
    assert caller.post("/sessions", {"scenario": 5}).json()["code"] == "malformed"
    assert not Session.objects.exists()


def test_another_caller_finds_nothing(caller: Caller) -> None:
    session, branch = caller.start()
    other = Caller()
    other.start()
    for answer in (
        other.get(session),
        other.post(f"{session}/commands", advance(branch, 0, 1)),
        other.get(f"{session}/branches/{branch}/steps", **{"from": 0, "to": 5}),
        other.post(f"{session}/branches/{branch}/pause"),
        other.delete(session),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert caller.get(session).status_code == 200


def test_nothing_is_changed_without_the_token(caller: Caller) -> None:
    session, branch = caller.start()
    stranger = Client(enforce_csrf_checks=True)
    stranger.cookies = caller.client.cookies
    for answer in (
        stranger.post("/api/sessions", '{"scenario": "SC-03"}', content_type="application/json"),
        stranger.post(
            f"/api{session}/commands", json.dumps(advance(branch, 0, 1)), content_type="text/plain"
        ),
        stranger.post(f"/api{session}/branches/{branch}/pause"),
        stranger.delete(f"/api{session}"),
    ):
        assert answer.status_code == 403
        assert answer.json()["key"] == "problem.no_token"
    assert Session.objects.count() == 1
    assert not Step.objects.exists()


def test_the_lists(caller: Caller) -> None:
    assert caller.get("/limits").json()["advance_steps"] == LIMITS.advance_steps
    found = {card["identifier"]: card for card in caller.get("/scenarios").json()["scenarios"]}
    assert found["SC-03"]["title"]["en"]
    assert {variant["name"] for variant in found["SC-07"]["variants"]} >= {"acks-one"}


def test_the_description_and_its_page(caller: Caller) -> None:
    document = caller.get("/openapi.json").json()
    assert "/api/sessions/{session_id}/commands" in document["paths"]
    text = json.dumps(document)
    for reference in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert reference in document["components"]["schemas"], reference
    page = caller.get("/docs")
    assert page.status_code == 200
    # The page's scripts come from this site, because the policy allows no others.
    assert "https://" not in page.content.decode().replace("https://github.com", "")


def test_a_session_holds_its_limit_of_sessions(caller: Caller, settings: Any) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "sessions": 1}
    caller.start()
    answer = caller.post("/sessions", {"scenario": "SC-03"})
    assert (answer.status_code, answer.json()["code"]) == (422, "limit")


def test_too_many_requests_are_refused_with_the_time_to_wait(caller: Caller, settings: Any) -> None:
    cache.clear()  # The caller has requested its token, which counted.
    settings.RATES = {**settings.RATES, "calls.address": (2, 3600)}
    assert [caller.get("/limits").status_code for _ in range(3)] == [200, 200, 429]
    refused = caller.get("/scenarios")
    assert (refused.status_code, refused["Retry-After"]) == (429, "1800")
    assert (refused.json()["code"], refused.json()["key"]) == (
        "too_frequent",
        "problem.too_often.calls.address",
    )
    assert (refused.json()["params"]["most"], refused.json()["params"]["wait"]) == (2, 1800)
    # A browser that has created something has a budget of its own, whichever other browsers share its address.
    cache.clear()
    caller.start()
    cache.clear()
    settings.RATES = {**settings.RATES, "calls.address": (1, 3600)}
    assert Caller().client.get("/api/limits").status_code == 429, "asking for a token was the one call"
    assert caller.get("/limits").status_code == 200
    document = caller.client.get("/api/openapi.json").json()
    for path, operations in document["paths"].items():
        for name, operation in operations.items():
            assert "Retry-After" in operation["responses"]["429"]["headers"], (path, name)

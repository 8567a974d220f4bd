"""The quotas and rates of a person: each has one table in the code, one page shows them, and a refusal names the
remedy.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from eosviz import buckets, quotas, rates
from eosviz.accounts.models import User
from eosviz.accounts.roles import Role
from eosviz.browser import browser_of
from eosviz.catalogue import interface_words
from eosviz.classroom.actions import create_class
from eosviz.pipeline.actions import JobRefused
from eosviz.refusals import Problem
from eosviz.server_message import ErrorMessage
from eosviz.walkthroughs.messages import Done
from eosviz.walkthroughs.models import Session
from tests.accounts.conftest import person, signed_in


def start(client: Client, scenario: str = "SC-03") -> Any:
    return client.post("/sessions/new", {"scenario": scenario})


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [6_000_300.0]
    monkeypatch.setattr(buckets, "now", lambda: at[0])
    return at


def names(patterns: list[Any], space: str = "") -> set[str]:
    found: set[str] = set()
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            found |= names(pattern.url_patterns, inner)
        elif isinstance(pattern, URLPattern):
            found.add(f"{space}{pattern.name}")
    return found


def test_the_tables_name_what_there_is() -> None:
    assert {quota.name for quota in quotas.TABLE} == site.QUOTAS.keys()
    assert rates.RATED.keys() <= names(get_resolver().url_patterns)
    for rated in rates.RATED.values():
        whom = (rated.whom,) if rated.whom else ("person", "address")
        assert {f"{rated.what}.{one}" for one in whom} <= site.RATES.keys(), rated
    assert {f"problem.too_often.{name}" for name in site.RATES} <= interface_words().keys()


@pytest.mark.django_db
def test_the_page_tells_what_a_browser_without_an_account_has_and_who_has_an_account(
    client: Client, django_assert_num_queries: Any
) -> None:
    def row(page: str, name: str) -> str:
        return page.partition(f">{name}</a>")[2].partition("</tr>")[0]

    assert '<td class="num">0</td><td class="num">200</td>' in row(_used(client), "Sessions")
    start(client)
    start(client)
    assert "Usage of this browser" in _used(client)
    assert '<td class="num">2</td><td class="num">200</td>' in row(_used(client), "Sessions")
    user = User.objects.create_user("ina@example.org", "a long password")
    client.force_login(user)
    assert '<td class="num">2</td>' in row(_used(client), "Sessions"), (
        "what the browser held is the account's now"
    )
    assert "Usage of your account" in _used(client)
    assert '<td class="num">0 MiB</td><td class="num">512 MiB</td>' in row(
        _used(client), "Space for replays and logs"
    )
    assert "你的用量" in client.get("/account/used", headers={"accept-language": "zh-hans"}).content.decode()


@pytest.mark.django_db
def test_sessions_and_their_steps_lead_to_the_page_that_deletes_sessions(client: Client) -> None:
    start(client)
    for name in ("sessions", "steps"):
        assert 'form="delete-session"' in client.get(reverse(quotas.BY_NAME[name].page)).content.decode()


def _used(client: Client) -> str:
    answer = client.get("/account/used")
    assert answer.status_code == 200
    return str(answer.content.decode())


@pytest.mark.django_db
def test_a_person_who_begins_too_much_learns_when_to_continue_and_another_is_not_held_up(
    client: Client, settings: Any, clock: list[float]
) -> None:
    settings.RATES = {**settings.RATES, "create.person": (2, 600), "create.address": (3, 600)}
    # The first request gives the browser its key, so it was counted for the address and not for the person.
    assert [start(client).status_code for _ in range(4)] == [302, 302, 302, 429]
    refused = start(client)
    page = refused.content.decode()
    assert refused["Retry-After"] == "300"
    assert (
        "You have created too many new items; the limit is 2 in 10 minutes. "
        "Nothing was done. Try again in 5 minutes." in page
    )
    assert 'href="/account/used"' in page
    assert Session.objects.count() == 3
    assert client.get("/sessions/new?scenario=SC-03").status_code == 200, "looking is not counted"
    message = client.post("/api/sessions", {"scenario": "SC-03"}, content_type="application/json")
    assert (message.status_code, message["Retry-After"]) == (429, "300")
    assert message.json()["code"] == "too_frequent"
    assert (message.json()["params"]["most"], message.json()["params"]["wait"]) == (2, 300)
    assert client.get("/api/sessions").status_code == 200
    # Programs that do not keep cookies are counted together, by their address.
    assert [start(Client()).status_code for _ in range(3)] == [302, 302, 429]
    clock[0] += 299
    assert start(client).status_code == 429
    clock[0] += 1
    assert [start(client).status_code for _ in range(2)] == [302, 429], "one has come back, not all"
    assert start(Client()).status_code == 302


@pytest.mark.django_db
def test_exports_imports_and_codes_have_rates_of_their_own(
    client: Client, settings: Any, clock: list[float]
) -> None:
    counted = {"export.person", "import.person", "join_class.person", "download_everything.person"}
    settings.RATES = {**settings.RATES, **dict.fromkeys(counted, (1, 300))}
    session = start(client).url.split("/")[2]
    assert client.get(f"/sessions/{session}/export").status_code == 200
    export = client.post(f"/sessions/{session}/exports", {"form": "jsonl"})
    assert (export.status_code, export["Retry-After"]) == (429, "300")
    assert export.json()["key"] == "problem.too_often.export.person"
    assert [client.post("/replays/import").status_code for _ in range(2)] == [422, 429]
    user = User.objects.create_user("ina@example.org", "a long password")
    client.force_login(user)
    assert [client.post("/classes/join", {"code": "none"}).status_code for _ in range(2)] == [422, 429]
    downloads = [client.post("/account/download") for _ in range(2)]
    assert [answer.status_code for answer in downloads] == [200, 429]
    assert "You have downloaded your content too often" in downloads[1].content.decode()


@pytest.mark.django_db
def test_the_table_of_a_class_counts_as_an_export_and_its_page_does_not(
    settings: Any, clock: list[float]
) -> None:
    settings.RATES = {**settings.RATES, "export.person": (2, 600)}
    ina = person("ina@example.org", Role.INSTRUCTOR)
    client, address = signed_in(ina), f"/classes/{create_class(ina, 'A').id}/results"
    assert [client.get(f"{address}.csv").status_code for _ in range(2)] == [200, 200]
    refused = client.get(f"{address}.csv", headers={"accept-language": "zh-hans"})
    assert (refused.status_code, refused["Retry-After"]) == (429, "300")
    page = refused.content.decode()
    assert "你请求导出的次数超过了每人的上限（10 分钟内 2 次）。 请在 5 分钟后再试" in page
    assert client.get(f"{address}/").status_code == 200
    clock[0] += 300
    assert client.get(f"{address}.csv").status_code == 200


@pytest.mark.django_db
def test_without_redis_each_process_counts_for_itself(client: Client, settings: Any) -> None:
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere/redis.sock"}}
    settings.RATES = {**settings.RATES, "create.address": (1, 600), "create.person": (2, 600)}
    assert [start(client).status_code for _ in range(4)] == [302, 302, 302, 429]


@pytest.mark.django_db
def test_steps_are_counted_over_all_sessions_of_a_person(client: Client, settings: Any) -> None:
    from eosviz.bounded.register import COMMAND_LINE
    from eosviz.walkthroughs.linking import open_link
    from eosviz.walkthroughs.links import Link
    from tests.walkthroughs.conftest import carry_out, root

    start(client)
    session = Session.objects.get()
    carry_out(session, "advance", root(session), after=0, count=20)
    assert quotas.BY_NAME["steps"].used(session.owner) == 20
    settings.QUOTAS = {**settings.QUOTAS, "steps": 25}
    start(client)
    other = Session.objects.exclude(id=session.id).get()
    done = carry_out(other, "advance", root(other), after=0, count=20)
    assert isinstance(done, Done)
    assert (done.newest, done.stopped) == (5, "limit")
    full = carry_out(other, "advance", root(other), after=5, count=1)
    assert isinstance(full, ErrorMessage)
    assert (full.key, full.params) == ("problem.too_many_steps", {"most": 25, "used": 25})
    link = Link(scenario="SC-03", version=session.version.digest[:16], step=3)
    with pytest.raises(Problem) as caught:
        open_link(session.owner, link, COMMAND_LINE)
    assert caught.value.key == "problem.too_many_steps"
    assert Session.objects.count() == 2
    assert browser_of(client.session) == session.owner


@pytest.mark.django_db
def test_a_refusal_rounds_a_begun_mebibyte_up_as_the_page_does(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "replay_bytes": 2 * quotas.MEBIBYTE}
    monkeypatch.setattr(quotas.Quota, "used", lambda quota, owner: quotas.MEBIBYTE + 1)
    with pytest.raises(JobRefused) as caught:
        quotas.check("someone", "replay_bytes", quotas.MEBIBYTE, refused=JobRefused)
    assert caught.value.params == {"most": 2, "used": 2}


def test_quotas_are_set_by_name(tmp_path: Any) -> None:
    import os
    import subprocess
    import sys

    def settings_with(value: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from eosviz.settings.quotas import QUOTAS; print(QUOTAS['sessions'])"],
            env={**os.environ, "EOSVIZ_QUOTAS": value}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    assert settings_with("sessions=7,steps=9").stdout == "7\n"
    assert "EOSVIZ_QUOTAS: sesions=7" in settings_with("sesions=7").stderr

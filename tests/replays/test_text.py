"""A run as a page of text: the same sentences as in the player, without scripts."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from eosviz.catalogue import say
from eosviz.replays.text_view import STEPS_SHOWN
from eosviz.scenarios.cards import card_of
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.messages import Done
from tests.replays.test_embed import CRASH, link
from tests.walkthroughs.conftest import carry_out, root
from tests.walkthroughs.test_pages import start

pytestmark = pytest.mark.django_db


def version(identifier: str) -> ScenarioVersion:
    return ScenarioVersion.objects.library().get(identifier=identifier)


def rows(page: str) -> list[str]:
    """Return the steps of a page, each as its text."""
    found = re.findall(r"<tr id=\"step-.*?</tr>", page, re.DOTALL)
    return [html.unescape(re.sub(r"<[^>]*>", "", row)) for row in found]


def test_every_step_says_what_the_engine_says(client: Client) -> None:
    simulation = Simulation(entry("SC-03").scenario())
    steps = list(iter(simulation.step, None))
    page = client.get(link(step=116).address("replays:text")).content.decode()
    shown = rows(page)
    assert len(shown) == len(steps)
    for step, words in zip(steps, shown, strict=True):
        assert words.startswith(f"{step.number}{step.at} ms{say(step.key, 'en', step.params)}")
    assert '<tr id="step-116" class="here">' in page
    chinese = client.get(link().address("replays:text", lang="zh-Hans")).content.decode()
    assert say(steps[0].key, "zh-Hans", steps[0].params) in html.unescape(chinese)


def test_a_long_run_is_shown_in_pages_and_says_so(client: Client) -> None:
    first = client.get(link("SC-08").address("replays:text")).content.decode()
    assert len(rows(first)) == STEPS_SHOWN
    further = re.findall(r'href="(/text/SC-08/[^"]*from=[^"]*)"', first)
    assert further
    last = client.get(html.unescape(further[-1])).content.decode()
    assert 0 < len(rows(last)) <= STEPS_SHOWN
    assert rows(last)[0].startswith(f"{STEPS_SHOWN * (len(further) // 2) + 1}")


def test_a_run_without_brokers_has_no_version_of_kafka(client: Client) -> None:
    page = client.get(link("SC-80", variant="two-nodes").address("replays:text")).content.decode()
    assert say("player.no_kafka", "en") in page
    assert "Kafka 2.8" not in page


def test_what_is_broken_is_named_first(client: Client) -> None:
    page = client.get(link("SC-02").address("replays:text")).content.decode()
    assert say("text.broken", "en") in page
    assert say("player.guarantee.duplicated", "en") in page


def test_a_session_leads_to_the_text_of_what_was_done_in_it(client: Client) -> None:
    session = start(client)
    carry_out(session, "advance", root(session), after=0, count=20)
    answer = carry_out(session, "intervene", root(session), after=12, intervention=CRASH)
    assert isinstance(answer, Done) and answer.created
    page = client.get(f"/sessions/{session.id}/").content.decode()
    assert f'href="/sessions/{session.id}/text"' in page
    address = f"/sessions/{session.id}/text"
    plain = client.get(address, follow=True).content.decode()
    crashed = client.get(f"{address}?branch={answer.created}&step=13", follow=True).content.decode()
    assert rows(plain)[:12] == rows(crashed)[:12]
    assert rows(plain) != rows(crashed)
    assert Client().get(address).status_code == 404


def test_a_broken_address_is_refused_with_a_reason(client: Client) -> None:
    answer = client.get(link().address("replays:text").replace("step=0", "step=x"))
    assert answer.status_code == 400
    assert say("link.refused", "en") in answer.content.decode()


def test_a_scenario_shows_its_end_beside_its_link(client: Client) -> None:
    page = client.get("/sessions/new?scenario=SC-02").content.decode()
    picture = re.search(r'property="og:image" content="http://testserver(/cards/SC-02/[^"]*)"', page)
    assert picture is not None
    assert client.get(html.unescape(picture[1]))["Content-Type"] == "image/png"
    assert 'property="og:title" content="SC-02 ' in page
    refusing = next(one.name for one in card_of(version("SC-07")).variants if one.expect_refused)
    refused = client.get(f"/sessions/new?scenario=SC-07&variant={refusing}").content.decode()
    assert "og:image" not in refused

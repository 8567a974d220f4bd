"""The pages around the player."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.test import Client

from eosviz.walkthroughs.models import Branch, Intervention, KeptPlan, Session
from eosviz.walkthroughs.plans import kept_plan
from tests.walkthroughs.conftest import carry_out, root

pytestmark = pytest.mark.django_db


def start(client: Client, scenario: str = "SC-03", variant: str = "") -> Session:
    response = client.post("/sessions/new", {"scenario": scenario, "variant": variant})
    assert response.status_code == 302, response.content
    return Session.objects.get(id=response["Location"].split("/")[2])


def attributes(page: str, element: str) -> dict[str, str]:
    found = re.search(rf"<{element}\s([^>]*)>", page)
    assert found, page
    return dict(re.findall(r'([a-z-]+)="([^"]*)"', found.group(1)))


class TestStarting:
    def test_the_button_of_a_card_makes_a_session_and_opens_it(self, client: Client) -> None:
        session = start(client)
        page = client.get(f"/sessions/{session.id}/").content.decode()
        given = attributes(page, "eos-player")
        assert given["session"] == str(session.id)
        assert (given["branch"], given["step"]) == (str(root(session).id), "0")
        assert given["language"] == "en"
        assert client.get(given["catalogue-en"].replace("&amp;", "&")).status_code == 200
        assert client.get(given["catalogue-zh-hans"]).status_code == 200
        assert given["export"] == f"/sessions/{session.id}/exports"

    def test_the_address_of_a_scenario_can_be_sent_and_makes_nothing_by_itself(self, client: Client) -> None:
        page = client.get("/sessions/new?scenario=sc-07&variant=acks-one")
        assert page.status_code == 200
        assert "refused by CFG-2" in page.content.decode()
        assert not Session.objects.exists()

    def test_a_scenario_shows_the_beats_that_the_player_counts(self, client: Client) -> None:
        page = client.get("/sessions/new?scenario=SC-61").content.decode()
        assert "The run in 12 beats" in page
        assert "<li>txn-1: commit is decided</li><li>LSO passes 1 committed record of p2</li>" in page

    def test_a_scenario_shows_the_beats_of_its_run_whose_plan_a_session_uses(self, client: Client) -> None:
        page = client.get("/sessions/new?scenario=SC-44").content.decode()
        assert "The run in 9 beats" in page and "<li>commitTransaction() of p1 returns</li>" in page
        assert KeptPlan.objects.count() == 1
        assert kept_plan(root(start(client, "SC-44"))) is not None
        client.get("/sessions/new?scenario=SC-44")
        assert KeptPlan.objects.count() == 1
        assert (
            "beats-heading"
            not in client.get("/sessions/new?scenario=SC-07&variant=acks-one").content.decode()
        )

    def test_a_search_leads_to_the_open_lesson(self, client: Client) -> None:
        found = client.get("/reference/search/", {"q": "purged in queue"}, follow=True).content.decode()
        assert 'href="/sessions/new?scenario=SC-46&amp;lesson=open"' in found
        opened, folded = (
            '<details class="lesson-ahead" data-kept="lesson" open>',
            '<details class="lesson-ahead" data-kept="lesson">',
        )
        assert opened in client.get("/sessions/new?scenario=SC-46&lesson=open").content.decode()
        page = client.get("/sessions/new?scenario=SC-46").content.decode()
        assert folded in page and opened not in page

    def test_a_scenario_that_a_lesson_names_is_one_press_away(self, client: Client) -> None:
        page = client.get("/sessions/new?scenario=SC-119").content.decode()
        assert '(<a href="/sessions/new?scenario=SC-152">SC-152</a>)' in page

    @pytest.mark.parametrize(
        ("scenario", "query"), [("SC-152", "?topic=sequences"), ("SC-61", "")], ids=["shown", "not shown"]
    )
    def test_the_way_back_leads_to_the_scenario(self, client: Client, scenario: str, query: str) -> None:
        """The library's filters are kept if the scenario is shown with them."""
        client.cookies["library"] = "topic=sequences"
        page = client.get(f"/sessions/new?scenario={scenario}").content.decode()
        assert f'href="/library/{query}#{scenario}"' in page

    def test_a_variant_that_is_meant_to_be_refused_is_the_lesson(self, client: Client) -> None:
        response = client.post("/sessions/new", {"scenario": "SC-07", "variant": "acks-one"})
        assert response.status_code == 200
        assert "This is what the variant shows: CFG-2" in response.content.decode()
        assert not Session.objects.exists()

    def test_forms_that_are_sent_too_fast_are_refused_and_make_nothing(
        self, client: Client, settings: Any
    ) -> None:
        settings.RATES = {**settings.RATES, "forms.person": (2, 40)}
        answers = [client.post("/sessions/new", {"scenario": "SC-07"}) for _ in range(4)]
        # The first request counts for the address, and gives the browser a budget of its own.
        assert [answer.status_code for answer in answers] == [302, 302, 302, 429]
        assert 15 < int(answers[-1]["Retry-After"]) <= 20
        assert (
            "You have submitted too many forms; the limit is 2 in 40 seconds." in answers[-1].content.decode()
        )
        assert Session.objects.count() == 3
        assert client.get("/sessions/new?scenario=SC-07").status_code == 200

    @pytest.mark.parametrize(
        "query", ["", "scenario=", "scenario=SC-99", "scenario=SC-03&variant=none", "scenario=" + "x" * 5000]
    )
    def test_what_does_not_exist_is_not_found(self, client: Client, query: str) -> None:
        assert client.get(f"/sessions/new?{query}").status_code == 404

    def test_one_session_too_many_says_so(self, client: Client, settings: Any) -> None:
        settings.QUOTAS = {**settings.QUOTAS, "sessions": 1}
        start(client)
        response = client.post("/sessions/new", {"scenario": "SC-03"})
        assert response.status_code == 429
        assert "You have 1 session; the limit for each person is 1" in response.content.decode()
        assert 'href="/account/used"' in response.content.decode()

    def test_a_form_of_another_site_makes_nothing(self) -> None:
        strict = Client(enforce_csrf_checks=True)
        response = strict.post("/sessions/new", {"scenario": "SC-03"})
        assert response.status_code == 403
        assert "The request was not accepted" in response.content.decode()
        assert not Session.objects.exists()


class TestPlayer:
    def test_the_permalink_opens_branch_and_step(self, client: Client) -> None:
        session = start(client)
        carry_out(session, "advance", root(session), after=0, count=20)
        carry_out(session, "branch", root(session), at=8)
        child = Branch.objects.of_session(session.id)[1]
        address = f"/sessions/{session.id}/?branch={child.id}&step="
        assert attributes(client.get(address + "5").content.decode(), "eos-player")["step"] == "5"
        given = attributes(client.get(address + "99").content.decode(), "eos-player")
        assert (given["branch"], given["step"]) == (str(child.id), "99"), "the page makes what is missing"

    @pytest.mark.parametrize(
        "query", ["branch=x&step=y", "branch=999999", "branch=²&step=²", f"step={'9' * 400}"]
    )
    def test_a_permalink_that_is_wrong_opens_the_start(self, client: Client, query: str) -> None:
        session = start(client)
        opened = attributes(client.get(f"/sessions/{session.id}/?{query}").content.decode(), "eos-player")
        assert (opened["branch"], opened["step"]) == (str(root(session).id), "0")

    def test_another_persons_session_is_not_found(self, client: Client) -> None:
        session = start(client)
        other = Client()
        start(other)
        assert other.get(f"/sessions/{session.id}/").status_code == 404
        assert other.post(f"/sessions/{session.id}/delete").status_code == 404
        assert Client().get(f"/sessions/{session.id}/").status_code == 404
        assert client.get(f"/sessions/{uuid.uuid4()}/").status_code == 404
        assert client.get(f"/sessions/{session.id}/").status_code == 200

    def test_the_library_lists_what_this_browser_has_and_deletes_it(self, client: Client) -> None:
        session = start(client)
        page = client.get("/sessions/").content.decode()
        assert f'href="/sessions/{session.id}/"' in page
        # All buttons of the list send the page's only form, each to an address of its own.
        assert f'form="delete-session" formaction="/sessions/{session.id}/delete"' in page
        assert re.search(r'<form id="delete-session" method="post"><input[^>]*csrfmiddlewaretoken', page)
        assert f"/sessions/{session.id}/" not in Client().get("/sessions/").content.decode()
        client.post(f"/sessions/{session.id}/delete")
        assert not Session.objects.exists()

    def test_the_library_tells_how_many_sessions_it_does_not_show(self, client: Client) -> None:
        for _ in range(14):
            start(client)
        assert "Show 2 further sessions" in client.get("/sessions/").content.decode()
        assert client.get("/sessions/?sessions=all").content.decode().count('class="session"') == 14

    def test_a_title_is_text_and_never_markup(self, client: Client) -> None:
        session = start(client)
        header = session.decoded_header
        header["title"] = {"en": '"><script>alert(1)</script>', "zh-Hans": "x"}
        import msgspec

        session.header = msgspec.json.encode(header)
        session.save()
        for address in (f"/sessions/{session.id}/", "/"):
            assert "<script>alert" not in client.get(address).content.decode()


class TestCompare:
    def test_without_a_choice_it_offers_both_forms(self, client: Client) -> None:
        start(client)
        page = client.get("/compare/").content.decode()
        assert "Idempotence on or off" in page
        assert "SC-03 · the original run · 0 steps" in page

    def test_branches_are_called_original_and_changed_runs(self, client: Client) -> None:
        session = start(client)
        first = root(session)
        changed = Branch.objects.create(session=session, name="b", parent=first)
        Intervention.objects.add(changed, [{"after": 0, "intervention": {"action": "crash", "actor": "p1"}}])
        Branch.objects.create(session=session, name="c", parent=changed)
        Branch.objects.create(session=session, name="mine", parent=first)
        page = client.get("/compare/").content.decode()
        for name in ("the original run", "changed run b", "new run c", "new run “mine”"):
            assert f"SC-03 · {name} · 0 steps" in page, name
        Branch.objects.filter(name="c").update(leaves_at=1)
        assert "SC-03 · changed run c" in client.get("/compare/").content.decode()

    def test_sessions_that_are_not_listed_are_counted(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        start(client, "SC-02")
        start(client)
        assert "not listed" not in client.get("/compare/").content.decode()
        monkeypatch.setattr("eosviz.walkthroughs.views.SESSIONS_OFFERED", 1)
        page = client.get("/compare/").content.decode()
        assert "newest 1 session; 1 older session is not listed" in " ".join(page.split())
        assert "SC-03 · the original run" in page
        assert "SC-02 · the original run" not in page

    def test_two_branches(self, client: Client) -> None:
        one, other = root(start(client)), root(start(client, "SC-02"))
        given = attributes(
            client.get(f"/compare/?left={one.id}&right={other.id}").content.decode(), "eos-compare"
        )
        assert (given["left-session"], given["left-branch"]) == (str(one.session_id), str(one.id))
        assert (given["right-session"], given["right-branch"]) == (str(other.session_id), str(other.id))

    def test_of_one_session_the_run_with_fewer_changes_stands_on_the_left(self, client: Client) -> None:
        changed = root(start(client))
        original = Branch.objects.create(session=changed.session, name="b", parent=changed)
        crash = {"after": 3, "intervention": {"action": "crash", "actor": "p1"}}
        Intervention.objects.add(changed, [crash])
        for left, right in ((changed, original), (original, changed)):
            page = client.get(f"/compare/?left={left.id}&right={right.id}").content.decode()
            given = attributes(page, "eos-compare")
            assert (given["left-branch"], given["right-branch"]) == (str(original.id), str(changed.id))

    def test_one_scenario_with_one_difference_makes_two_sessions(self, client: Client) -> None:
        response = client.post("/compare/new", {"choice": "SC-03", "difference": "idempotence"}, follow=True)
        sides = Session.objects.order_by("created")
        wanted = dict(zip(("left", "right"), (root(one).id for one in sides), strict=True))
        aligned = client.get("/compare/moments.json", wanted).json()
        assert aligned["moments"][-1] == aligned["ends"], "whole runs, although no step is made"
        compared = attributes(response.content.decode(), "eos-compare")
        assert compared["difference"] == "Idempotence on or off"
        left, right = (Session.objects.get(id=compared[f"{side}-session"]) for side in ("left", "right"))
        for session in (left, right):
            carry_out(session, "run_until", root(session), after=0, until="end")
        assert "duplicated" not in root(left).first_broken
        assert root(right).first_broken["duplicated"] > 0

    def test_a_switch_that_is_turned_off_shows_in_the_header(self, client: Client) -> None:
        client.post("/compare/new", {"choice": "SC-07/plain", "difference": "duplicate_lookup"})
        switches = [session.decoded_header["switches"] for session in Session.objects.order_by("created")]
        assert sorted(switches, key=len) == [{}, {"duplicate_lookup": False}]

    def test_a_branch_as_it_is_beside_another_version(self, client: Client) -> None:
        mine = root(start(client))
        carry_out(mine.session, "advance", mine, after=0, count=12)
        offered = client.get(f"/compare/differences.json?branch={mine.id}").json()
        names = offered["differences"]
        assert offered["generations"] == "/generations/?scenario=SC-03"
        assert {"version_k010", "version_k20", "duplicate_lookup"} <= set(names)
        assert "version_k28" not in names, "that is what it is"
        response = client.post("/compare/new", {"branch": mine.id, "difference": "version_k20"}, follow=True)
        offered = attributes(response.content.decode(), "eos-compare")
        assert (offered["left-branch"], offered["difference"]) == (str(mine.id), "Kafka 2.0")
        other = Session.objects.get(id=offered["right-session"])
        assert other.decoded_header["profile"] == "k20"
        assert Session.objects.count() == 2

    def test_the_differences_without_effect_on_the_run_are_named(self, client: Client) -> None:
        mine = root(start(client, "SC-61"))
        offered = client.get(f"/compare/differences.json?branch={mine.id}").json()
        idle = set(offered["without_effect"])
        assert idle < set(offered["differences"])
        assert {"sequence_check", "in_flight_cap"} <= idle
        assert not {"epoch_check", "abort_sent", "isolation", "version_k41"} & idle
        assert "idempotence" not in idle, "a rule that refuses it is a lesson"

    def test_a_branch_beside_another_run_of_its_scenario(self, client: Client) -> None:
        mine = root(start(client, "SC-61"))
        runs = client.get(f"/compare/differences.json?branch={mine.id}").json()["runs"]
        name = runs[0]["name"]
        assert name and runs[0]["title"]["zh-Hans"]
        response = client.post("/compare/new", {"branch": mine.id, "run": name}, follow=True)
        compared = attributes(response.content.decode(), "eos-compare")
        other = Session.objects.get(id=compared["right-session"])
        assert (compared["left-branch"], other.variant) == (str(mine.id), name)
        back = client.get(f"/compare/differences.json?branch={root(other).id}").json()["runs"]
        assert back[0]["name"] == "" and name not in [run["name"] for run in back]
        assert "k28" not in [run["name"] for run in (*runs, *back)], "that is the plain run once more"
        assert client.post("/compare/new", {"branch": mine.id, "run": "none"}).status_code == 404
        # The original run is on the left, and the way back leads to the run that was on show.
        asked = {"branch": root(other).id, "run": "", "from_step": "7"}
        address = client.post("/compare/new", asked)["Location"]
        assert f"right={root(other).id}&from={root(other).id}&from_step=7" in address

    def test_the_way_back_to_a_log_case_is_kept(self, client: Client) -> None:
        mine = root(start(client))
        log = "00000000-0000-0000-0000-000000000000"
        asked = {"branch": mine.id, "difference": "version_k20"}
        addresses = [client.post("/compare/new", {**asked, "log": one})["Location"] for one in (log, "x")]
        assert [f"log={log}" in address for address in addresses] == [True, False]
        assert "log=" not in addresses[1]

    def test_the_version_without_idempotence_gets_none(self, client: Client) -> None:
        mine = root(start(client))
        client.post("/compare/new", {"branch": mine.id, "difference": "version_k010"})
        other = Session.objects.exclude(id=mine.session_id).get()
        assert other.decoded_header["version"] == "0.10"
        carry_out(other, "run_until", root(other), after=0, until="end")
        assert root(other).first_broken["duplicated"] > 0

    def test_a_version_that_has_no_transactions_says_so(self, client: Client) -> None:
        mine = root(start(client, "SC-44"))
        response = client.post("/compare/new", {"branch": mine.id, "difference": "version_k010"})
        assert response.status_code == 422
        assert "0.10" in response.content.decode()

    def test_a_branch_of_another_person_cannot_be_compared(self, client: Client) -> None:
        theirs = root(start(Client()))
        assert client.get(f"/compare/differences.json?branch={theirs.id}").status_code == 404
        assert client.get("/compare/differences.json").status_code == 404
        asked = {"branch": theirs.id, "difference": "version_k20"}
        assert client.post("/compare/new", asked).status_code == 404

    def test_a_difference_that_a_rule_refuses_says_so_and_makes_nothing(self, client: Client) -> None:
        response = client.post("/compare/new", {"choice": "SC-01", "difference": "idempotence"})
        assert response.status_code == 422
        assert "CFG-2" in response.content.decode()
        assert not Session.objects.exists()

    @pytest.mark.parametrize(
        "fields",
        [
            {"choice": "SC-99", "difference": "idempotence"},
            {"choice": "SC-03", "difference": "none"},
            {"choice": "SC-03/none", "difference": "idempotence"},
            {},
        ],
    )
    def test_what_does_not_exist_is_not_found(self, client: Client, fields: dict[str, str]) -> None:
        assert client.post("/compare/new", fields).status_code == 404

    @pytest.mark.parametrize("left", ["0", "x", "9" * 30])
    def test_a_branch_that_does_not_exist_is_not_found(self, client: Client, left: str) -> None:
        mine = root(start(client))
        assert client.get(f"/compare/?left={left}&right={mine.id}").status_code == 404

    def test_a_branch_of_another_person_is_not_found(self, client: Client) -> None:
        mine, other = root(start(client)), root(start(Client()))
        assert client.get(f"/compare/?left={mine.id}&right={other.id}").status_code == 404


@pytest.mark.parametrize("address", ["/", "/compare/", "/sessions/new?scenario=SC-03", "/nothing"])
def test_no_page_holds_a_script_or_style_of_its_own(client: Client, address: str) -> None:
    """The Content-Security-Policy allows only files of this site to run."""
    page = client.get(address).content.decode()
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)
    assert "<style" not in page
    assert not re.search(r"\son[a-z]+=", page)

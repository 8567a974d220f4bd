"""The reference page of differences is compared with what is publicly known about versions of Kafka: 2.0, 2.8, 3.x,
and 4.x with transaction version 2. Each aspect is read from the page, or follows from what a row of the page decides,
cell by cell.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from engine.broker.append_rules import Level, rules_in_force
from engine.client.client_states import edge_is_legal
from engine.coordinator.transaction_states import TRANSACTION_STATES
from engine.profile import Profile
from engine.profiles import K20, K28, K39, K41, PROFILES
from engine.scenario.document import load
from engine.simulation import Simulation
from engine.switches import Switches
from eosviz.catalogue import say

GENERATIONS = (K20, K28, K39, K41)
YES, NO = "yes", "no"
OLD = (NO, YES, YES, YES)
"""The four cells of a behaviour that exists since 2.8."""
ONLY_2_0 = (YES, NO, NO, NO)
SINCE_3 = (NO, NO, YES, YES)

ROWS: dict[str, dict[str, tuple[str, str, str, str]]] = {
    "idempotence by default": {"idempotent_by_default": SINCE_3},
    "first append without state, sequence not 0": {"accepts_unknown_producer": OLD},
    "known epoch without batches, sequence not 0": {"unknown_when_cache_empty": ONLY_2_0},
    "older epoch in produce ends the client": {"stale_epoch_is_fatal": ONLY_2_0},
    "state removed by log-start advance": {"retention_drops_producers": ONLY_2_0},
    "producer state expires after a day of its own": {"producers_expire_in_a_day": SINCE_3},
    "marker timestamp counts for expiry": {"marker_counts_as_activity": OLD},
    "ABORT marker without data is indexed": {"indexes_empty_abort": ONLY_2_0},
    "lower coordinator epoch fenced on the leader alone": {"validates_by_origin": OLD},
    "verification before a transaction opens in a partition": {"verifies_partitions": SINCE_3},
    "partitions are added by the broker": {"transaction_version": ("0", "0", "0", "2")},
    "InitProducerId names id and epoch": {"takes_epoch_bumps": OLD},
    "a failed fence append bumps once": {"failed_fence_keeps_epoch": OLD},
    "fenced answer is PRODUCER_FENCED": {"coordinator_answers_fenced": OLD},
    "EndTxn with a newer epoch writes Prepare": {"end_txn_accepts_newer_epoch": ONLY_2_0},
    "transactional client recovers by a bump": {"recovers_by_epoch": OLD},
    "idempotent client renumbers under a bump": {"recovers_by_epoch": OLD},
    "KAFKA_STORAGE_ERROR for a marker is retried": {"marker_storage_error_retries": OLD},
    "offset fetch waits for stable offsets": {"waits_for_stable_offsets": OLD},
    "delivery.timeout.ms": {"expiry_from_creation": OLD},
    "producer ids come from the controller": {"quorum_controller": SINCE_3},
    "TRANSACTION_ABORTABLE": {"knows_transaction_abortable": SINCE_3},
    "INITIALIZING leads to ABORTABLE_ERROR in the client": {"outlives_denied_identity": SINCE_3},
    "ABORTING leads to INITIALIZING in the client": {"recovers_by_epoch": OLD},
}
"""Aspect → the rows of the page that state it, with the cells of the four versions. *3.x* is 3.9."""


@pytest.fixture(scope="module")
def page() -> dict[str, list[str]]:
    """Return each row of the page → its cells as a reader sees them, oldest version first."""
    text = Client(headers={"accept-language": "en"}).get(reverse("reference:versions")).content.decode()
    rows = re.findall(r'<tr id="(\w+)">.*?</th>(.*?)</tr>', text, re.DOTALL)
    return {
        name: [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", cells)] for name, cells in rows
    }


@pytest.mark.django_db
@pytest.mark.parametrize("aspect", ROWS)
def test_the_page_says_what_is_known(page: dict[str, list[str]], aspect: str) -> None:
    columns = [list(PROFILES.values()).index(profile) for profile in GENERATIONS]
    for name, known in ROWS[aspect].items():
        texts = {"yes": say("reference.yes", "en"), "no": say("reference.no", "en")}
        assert [page[name][column] for column in columns] == [texts.get(cell, cell) for cell in known]


@pytest.mark.django_db
def test_the_page_says_how_many_batches_are_remembered(client: Client) -> None:
    """Five batches in every version, and five requests in flight. This is no difference, so it is no row, but a
    default of the switches.
    """
    text = client.get(reverse("reference:versions")).content.decode()
    assert re.search(r"duplicate_cache_size</code></th><td><code>5<", text)
    assert re.search(r"in_flight_cap</code></th><td><code>true<", text)


# What rows of the coordinator's table decide
# -------------------------------------------------------------------------

WRONG = "INVALID_TXN_STATE"
Ends = dict[str, str]


def end(profile: Profile, state: str, result: str) -> Ends:
    """For an EndTxn of the version's own protocol when no other change is being written: return guard → the reply, or
    the state that it leads to.
    """
    raising = "_raising_epoch" if profile.epoch_for_each_transaction else ""
    return {
        row.when: row.reply or row.target or ""
        for row in TRANSACTION_STATES.rows
        if (row.source, row.on) == (state, f"end_{result}{raising}")
        and row.exists_in(profile)
        and row.reply not in ("CONCURRENT_TRANSACTIONS", "PRODUCER_FENCED")
    }


THIS, LAST = "settled_and_of_this_transaction", "settled_and_repeated"


@pytest.mark.parametrize(
    ("state", "result", "before", "level_2"),
    [
        ("Empty", "abort", WRONG, {THIS: "PrepareAbort"}),
        ("Empty", "commit", WRONG, {THIS: WRONG}),
        ("CompleteAbort", "abort", "NONE", {LAST: "NONE", THIS: "PrepareAbort"}),
        ("CompleteCommit", "commit", "NONE", {LAST: "NONE", THIS: WRONG}),
        ("CompleteCommit", "abort", WRONG, {LAST: WRONG, THIS: "PrepareAbort"}),
        ("CompleteAbort", "commit", WRONG, {LAST: WRONG, THIS: WRONG}),
    ],
)
def test_an_end_of_nothing_and_a_repeated_one(state: str, result: str, before: str, level_2: Ends) -> None:
    for profile in (K20, K28, K39, K41.at_level(0)):
        assert end(profile, state, result) == {"settled": before}
    assert end(K41, state, result) == level_2


@pytest.mark.parametrize("profile", GENERATIONS)
def test_a_new_epoch_begins_at_0_in_every_generation(profile: Profile) -> None:
    rules = rules_in_force(profile, Switches())
    assert "new_epoch_starts_at_zero" in {rule.asks for rule, _ in rules.shown_data[Level.FULL]}
    assert "marker_epoch" in {rule.asks for rule, _ in rules.shown_markers[Level.FULL]}


@pytest.mark.parametrize(("profile", "legal"), [(K20, True), (K28, False), (K39, True), (K41, True)])
def test_a_client_in_an_abortable_error_may_begin_anew(profile: Profile, legal: bool) -> None:
    """2.0 allows this from any state; since 3.6, a denied identity leads there."""
    again = edge_is_legal(
        "ABORTABLE_ERROR", "UNINITIALIZED", profile.recovers_by_epoch, profile.outlives_denied_identity
    )
    assert again == legal


# What a run shows ----------------------------------------------------------------------------------------------------

SETTINGS = {"transactional_id": "txn-1", "transaction_timeout_ms": 5_000}
OPENS = [{"at": 0, "do": "init_transactions"}, {"at": 200, "do": "begin_transaction"}]
SENDS = {"at": 200, "do": "send", "partition": "t-0"}
OTHER = [{"at": 600, "do": "init_transactions"}]


@cache
def played(profile: str, level: int | None, *, fenced: bool, ends: str = "") -> Simulation:
    """Play a transaction that is left open, fenced by a second instance, or ended."""
    calls: dict[str, list[dict[str, Any]]] = {"p1": [*OPENS, SENDS]}
    if ends:
        calls["p1"].append({"at": 400, "do": f"{ends}_transaction"})
    if fenced:
        calls["p2"] = OTHER
    document = {
        "id": "KNOWN",
        "title": {"en": "Known", "zh-Hans": "已知"},
        "profile": profile,
        "cluster": {} if level is None else {"transaction_version": level},
        "producers": [{"name": name, "settings": SETTINGS} for name in calls],
        "applications": [
            {"name": f"of-{name}", "client": name, "calls": made} for name, made in calls.items()
        ],
    }
    simulation = Simulation(load(document))
    simulation.run()
    return simulation


def epochs(simulation: Simulation) -> Iterator[int]:
    """Yield the epoch of the transactional id at its coordinator."""
    for broker in simulation.view()["brokers"].values():
        yield from (one["producer_epoch"] for one in (broker.get("transactions") or {}).values())


CLUSTERS = [("k20", None), ("k28", None), ("k39", None), ("k41", 0), ("k41", 2)]


@pytest.mark.parametrize(("profile", "level"), CLUSTERS)
def test_a_fence_and_a_timeout_raise_the_epoch(profile: str, level: int | None) -> None:
    """A fence raises the epoch by 2 and a timeout by 1, in every version. The snapshot before 4.0 raised it by one
    more under transaction version 2 (until KAFKA-19367); the recorded cases of that snapshot use a coordinator of
    their own.
    """
    assert list(epochs(played(profile, level, fenced=True))) == [2]
    assert list(epochs(played(profile, level, fenced=False))) == [1]


@pytest.mark.parametrize(("profile", "level"), CLUSTERS)
@pytest.mark.parametrize("ends", ["commit", "abort"])
def test_only_version_2_raises_the_epoch_at_the_end(profile: str, level: int | None, ends: str) -> None:
    assert list(epochs(played(profile, level, fenced=False, ends=ends))) == [1 if level == 2 else 0]


# What is known and not modelled --------------------------------------------------------------------------------------

WITHOUT_A_ROW = {
    "A marker of version 2 above the stored epoch, since 4.2 (KIP-1228, KAFKA-19999)": (
        "limit.next",
        "KIP-1228",
    ),
    "A response names the new leader (KIP-951)": ("limit.newest", "KIP-951"),
}
"""What no version here has → the sentence of the page *what is not modelled* that says so, and the KIP."""


@pytest.mark.django_db
@pytest.mark.parametrize("what", WITHOUT_A_ROW)
def test_what_is_not_modelled_is_said(client: Client, what: str) -> None:
    key, word = WITHOUT_A_ROW[what]
    for language in ("en", "zh-hans"):
        text = client.get(reverse("reference:limits"), headers={"accept-language": language}).content.decode()
        sentence = say(key, "zh-Hans" if language != "en" else "en")
        assert word in sentence and sentence in html.unescape(text)

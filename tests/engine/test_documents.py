"""Scenario documents: a mistake is reported with its place, its line and what is allowed there."""

from __future__ import annotations

import pytest

from engine.building import build
from engine.scenario.document import BadScenario, line_of, load, parse, put
from engine.scenario.shelf import in_order, library
from engine.watching import Watch

GOOD = """\
id = "X-1"
profile = "k28"

[title]
en = "A test"
zh-Hans = "测试"

[[producers]]
name = "p1"
settings = { acks = 1 }

[[applications]]
name = "app-1"
client = "p1"
calls = [{ at = 3, do = "send", partition = "t-0" }]

[[faults]]
match = { api = "Produce", nth = 2 }
action = "drop"
"""


def wrong(change: str, by: str) -> BadScenario:
    text = GOOD.replace(change, by)
    assert text != GOOD
    with pytest.raises(BadScenario) as caught:
        load(parse(text, "x.toml"), text=text, source="x.toml")
    return caught.value


def test_a_good_document_gets_its_defaults() -> None:
    scenario = load(parse(GOOD))
    assert scenario["limits"]["steps"] == 20_000
    assert scenario["topics"][0]["partitions"] == 2
    assert scenario["faults"][0]["match"]["response"] is False


@pytest.mark.parametrize(
    ("change", "by", "place", "line"),
    [
        ('profile = "k28"', 'profile = "k99"', "profile", 2),
        ("nth = 2", "nth = 0", "faults.0.match.nth", 17),
        ("nth = 2", "nht = 2", "faults.0.match.nht", 17),
        ('action = "drop"', 'action = "explode"', "faults.0.action", 19),
        ('action = "drop"', 'action = "delay"', "faults.0.by_ms", 17),
        ('client = "p1"', 'client = "p2"', "applications.app-1.client", 14),
        ('partition = "t-0"', 'partition = "t-9"', "applications.app-1.calls.0.partition", 15),
        ("at = 3", "at = -3", "applications.app-1.calls.0.at", 15),
        ("at = 3", "at = 3.5", "applications.app-1.calls.0.at", 15),
        ('zh-Hans = "测试"', 'zh = "测试"', "title", 4),
        ('name = "p1"', 'name = "P 1"', "producers.P 1.name", 9),
        ('id = "X-1"', "", "id", None),
    ],
)
def test_a_mistake_is_named_with_its_line(change: str, by: str, place: str, line: int | None) -> None:
    error = wrong(change, by)
    assert error.place.startswith(place) or place.startswith(error.place), error.place
    assert error.allowed
    if line is not None:
        assert error.line is not None and abs(error.line - line) <= 2, str(error)
    assert str(error).startswith("x.toml")


@pytest.mark.parametrize(
    ("change", "by", "place"),
    [
        ('en = "A test"', 'en = "A \\u202etset"', "title.en"),
        ('zh-Hans = "测试"', 'zh-Hans = "测\\u0007试"', "title.zh-Hans"),
        ('en = "A test"', 'en = "A\\ntest"', "title.en"),
        ('id = "X-1"', 'id = "X-\\u200f1"', "id"),
        ("[[producers]]", '[lesson]\nen = "x\\u2066y"\nzh-Hans = "x"\n\n[[producers]]', "lesson.en"),
    ],
)
def test_what_turns_or_breaks_a_line_unseen_is_refused_with_its_place_and_the_remedy(
    change: str, by: str, place: str
) -> None:
    error = wrong(change, by)
    assert error.place == place
    assert "U+" in str(error) and "delete the character" in str(error.allowed)


def test_a_lesson_has_lines_and_tabs() -> None:
    text = GOOD.replace("[[producers]]", '[lesson]\nen = "a\\n\\tb"\nzh-Hans = "a"\n\n[[producers]]')
    assert load(parse(text))["lesson"]["en"] == "a\n\tb"


def test_a_syntax_error_names_its_line() -> None:
    with pytest.raises(BadScenario) as caught:
        parse("id = 'x'\nprofile = \n", "x.toml")
    assert caught.value.line == 2


@pytest.mark.parametrize("value", [0, 2**53 + 1])
def test_a_setting_of_the_brokers_is_refused_with_both_limits(value: int) -> None:
    document = parse(GOOD)
    document["cluster"] = {"broker": {"segment_bytes": value}}
    with pytest.raises(BadScenario, match="from 1 to 9007199254740992"):
        build(load(document), Watch())


def test_lists_have_bounds() -> None:
    text = GOOD + 'covers = ["a"]\n'
    document = parse(GOOD)
    document["faults"] = document["faults"] * 201
    with pytest.raises(BadScenario, match="at most 200"):
        load(document)
    assert text


def test_all_calls_together_have_a_bound() -> None:
    document = parse(GOOD)
    calls = [{"at": number, "do": "send", "partition": "t-0", "records": 10_000} for number in range(11)]
    document["applications"][0]["calls"] = calls
    with pytest.raises(BadScenario, match="110000 calls in all"):
        load(document)
    document["applications"][0]["calls"] = calls[:10]
    assert load(document)


def test_settings_and_variants_address_named_tables() -> None:
    document = parse(GOOD)
    put(document, "producers.p1.settings.retries", 7)
    assert document["producers"][0]["settings"] == {"acks": 1, "retries": 7}
    for name in ("p9", "²", "٠", "9" * 5_000):
        with pytest.raises(BadScenario, match=f"no '{name[:10]}"):
            put(document, f"producers.{name}.settings.retries", 7)
    with pytest.raises(BadScenario, match="no variant"):
        load(parse(GOOD), "nothing")


def test_lines_are_found_in_tables_of_tables() -> None:
    assert line_of(GOOD, "producers.p1.settings") == 10
    assert line_of(GOOD, "title.en") == 5
    assert line_of(GOOD, "faults.0.action") == 19


def test_loading_leaves_the_document_alone() -> None:
    document = parse(GOOD)
    before = repr(document)
    load(document, settings={"producers.p1.settings.acks": 0})
    assert repr(document) == before


def test_every_library_document_is_good_in_every_variant() -> None:
    ids = [entry.id for entry in library()]
    assert ids == sorted(set(ids), key=in_order)
    assert ids.index("SC-101") > ids.index("SC-94")
    for entry in library():
        for variant in entry.variants or (None,):
            entry.scenario(variant)

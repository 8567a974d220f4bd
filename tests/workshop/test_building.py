"""The requests of the builder: edits, trial runs and saving; lessons without unsafe markup; bounds and refusals."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from typing import Any

import pytest
import tomlkit
from django.test import Client

from engine.scenario.form import form
from engine.scenario.shelf import entry
from eosviz.accounts.models import User
from eosviz.bounded import runner
from eosviz.bounded.refusing import BeyondBounds
from eosviz.bounded.tasks import TASKS
from eosviz.catalogue import say, words
from eosviz.scenarios.editing import EDITS_MAX
from eosviz.workshop import trial
from eosviz.workshop.lesson import lesson_html
from eosviz.workshop.models import Draft
from eosviz.workshop.trial import Asked, outcomes, tried
from tests.accounts.conftest import signed_in
from tests.bounded.work import never_in_time
from tests.workshop.conftest import TEXT


@pytest.fixture
def browser(ina: User) -> Client:
    return signed_in(ina)


def post(browser: Client, draft: Draft, what: str, **asked: Any) -> Any:
    return browser.post(f"/workshop/{draft.id}/{what}", asked, content_type="application/json")


def test_an_edit_answers_with_text_document_names_and_every_mistake(browser: Client, draft: Draft) -> None:
    edit = {"do": "set", "path": ["applications", 0, "calls", 0, "partition"], "value": "x-1"}
    other = {"do": "set", "path": ["profile"], "value": "k99"}
    answered = post(browser, draft, "edit", text=TEXT, edits=[edit, other]).json()
    assert "# The acknowledgement is lost." in answered["text"]
    assert {one["place"] for one in answered["mistakes"]} == {
        "profile",
        "applications.app-1.calls.0.partition",
    }
    assert all(one["line"] for one in answered["mistakes"])
    assert answered["names"]["partitions"] == ["t-0", "t-1"]
    draft.refresh_from_db()
    assert draft.text == TEXT  # answering stores nothing


def test_a_mistake_is_reported_in_the_language_of_the_page(browser: Client, draft: Draft) -> None:
    edit = {"do": "set", "path": ["profile"], "value": "k99"}
    (mistake,) = post(browser, draft, "edit", text=TEXT, edits=[edit]).json()["mistakes"]
    assert mistake["wrong"] == "'k99'"
    assert mistake["allowed"]["params"]["names"] == ["k010", "k20", "k28", "k39", "k41"]
    sentences = [say("builder.mistake", language, mistake) for language in ("en", "zh-Hans")]
    assert (
        "one of k010, k20, k28, k39, k41" in sentences[0] and "k010、k20、k28、k39、k41 之一" in sentences[1]
    )


def test_a_trial_tells_what_the_world_cannot_be_built_from_with_its_line() -> None:
    (mistake,) = tried(TEXT + "\n[cluster.broker]\nno_such_setting = 3\n", None).mistakes
    assert (mistake.place, mistake.line) == ("cluster.broker.no_such_setting", TEXT.count("\n") + 3)
    assert mistake.wrong == {"key": "scenario.wrong.unknown_setting", "params": {}}


def test_a_text_that_is_no_toml_is_reported_with_its_line_and_the_form_waits(
    browser: Client, draft: Draft
) -> None:
    answered = post(browser, draft, "edit", text='id = "x"\nprofile = \n', edits=[]).json()
    assert answered["document"] is None and answered["mistakes"][0]["line"] == 2
    edit = {"do": "set", "path": ["id"], "value": "y"}
    assert "cannot be read" in post(browser, draft, "edit", text="id = [", edits=[edit]).json()["refused"]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"text": 3},
        {"text": "x" * 200_000},
        {"text": "", "edits": [{"do": "eval", "path": []}]},
        {"text": "", "more": 1},
    ],
)
def test_what_is_malformed_is_refused(browser: Client, draft: Draft, asked: Any) -> None:
    assert post(browser, draft, "edit", **asked).status_code == 400


def test_a_trial_says_verdicts_the_first_surprise_and_the_messages(browser: Client, draft: Draft) -> None:
    answered = post(browser, draft, "preview", text=TEXT).json()
    assert answered["verdicts"][0] == {
        "partition": "t-0", "stored": 2, "duplicates": 1, "lost": 0, "failed": 0, "reordered": 0,
    }  # fmt: skip
    assert (answered["surprise"]["why"], answered["surprise"]["guarantee"]) == ("broken", "duplicated")
    assert answered["surprise"]["said"] and "[" not in answered["surprise"]["said"][:1]
    assert answered["seen_by_rules"] == [1]
    assert answered["configurations"]["p1"]["acks"]["value"] == -1
    assert answered["messages"][0]["match"] == {"api": "Produce", "from": "p1", "partition": "t-0"}


def test_a_trial_says_what_became_of_each_record_and_what_was_reported(browser: Client, draft: Draft) -> None:
    answered = post(browser, draft, "preview", text=TEXT).json()
    assert answered["record_rows_in_all"] == len(answered["records"])
    repeated = [row for row in answered["records"] if row["fate"] == "repeated"]
    assert [(row["partition"], row["producer"], row["count"]) for row in repeated] == [("t-0", "p1", 1)]
    assert repeated[0]["reported"] is True and repeated[0]["offsets"] == [0, 1]


def test_a_trial_says_what_became_of_a_transaction_and_why(browser: Client, draft: Draft) -> None:
    text = entry("SC-128").text
    (aborted,) = post(browser, draft, "preview", text=text).json()["transactions"]
    assert (aborted["id"], aborted["client"], aborted["result"]) == ("txn-1", "p1", "aborted")
    assert aborted["places"] == ["t-0"]
    assert "exceeded transaction.timeout.ms" in aborted["why"]["said"]
    assert tried(text, None).records[0].fate == "aborted"


def test_an_added_partition_is_no_reason_of_an_outcome() -> None:
    committed, _ = tried(entry("SC-106").text, None).transactions
    assert len(committed.places) == 2
    assert committed.why is not None and committed.why.key == "coordinator.decides_commit"


def test_a_transaction_that_is_still_open_has_no_reason() -> None:
    text = entry("SC-128").text + "\n[limits]\nsteps = 25\n"
    (still,) = tried(text, None).transactions
    assert (still.result, still.why) == ("open", None)


def test_a_long_trial_tells_the_first_rows_and_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    text = entry("SC-02").text
    whole = tried(text, None)
    assert whole.record_rows_in_all > 1
    monkeypatch.setattr(trial, "RECORD_ROWS_MAX", 1)
    cut = tried(text, None)
    assert (cut.records, cut.record_rows_in_all) == (whole.records[:1], whole.record_rows_in_all)


def test_an_unknown_beat_is_reported_with_its_line_and_the_known_ones() -> None:
    title = 'title = { en = "Mine", "zh-Hans" = "我的" }'
    rows = [("sends", 1), ("sends", 2), ("fenced", 1)]
    beats = "".join(f'\n[[beats]]\nkind = "{kind}"\nnth = {nth}\n{title}\n' for kind, nth in rows)
    trial = tried(TEXT + beats, None)
    lines = (TEXT + beats).split("\n")
    assert [(one.place, one.kind, one.nth, one.found) for one in trial.empty_names] == [
        ("beats.1", "sends", 2, 1),
        ("beats.2", "fenced", 1, 0),
    ]
    assert [lines[one.line - 1] for one in trial.empty_names if one.line] == ["[[beats]]"] * 2
    assert trial.beat_kinds["sends"] == 1 and "fenced" not in trial.beat_kinds
    assert tried(TEXT, None).empty_names == []


def test_a_crafted_request_without_its_kind_is_not_filled_in_yet() -> None:
    fault = '\n[[faults]]\nat = 5\naction = "craft_request"\nactor = "broker-1"\n'
    (mistake,) = tried(TEXT + fault, None).mistakes
    assert mistake.place == "faults.1.message.api"
    assert isinstance(mistake.wrong, dict) and mistake.wrong["key"] == "scenario.wrong.missing"


def test_a_trial_says_where_the_run_asks_and_which_questions_it_does_not_ask() -> None:
    text = TEXT + '\n[[checkpoints]]\nask = "append"\n\n[[checkpoints]]\nask = "insert"\n'
    trial = tried(text, None)
    asked, never = trial.questions
    assert asked.step is not None and never.step is None and (never.said, never.right) == (None, None)
    assert asked.said is not None and asked.right is not None
    assert asked.right["key"].endswith(".stored"), asked.right
    lines = text.split("\n")
    assert never.line is not None and lines[never.line - 1] == "[[checkpoints]]"
    assert tried(TEXT, None).questions == []


def test_trials_of_one_person_are_bounded(
    browser: Client, draft: Draft, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr("eosviz.workshop.building.trial_of", lambda asked, caller: tried(asked.text, None))
    settings.RATES = {**settings.RATES, "try_out.person": (20, 3600)}
    broken = {"text": "id = ["}
    statuses = [post(browser, draft, "preview", **broken).status_code for _ in range(22)]
    assert statuses[:20] == [200] * 20 and 429 in statuses


def test_a_refused_configuration_and_a_long_run_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = tried(TEXT.replace('acks = "all"', "acks = 1, enable_idempotence = true"), None)
    assert refused.refused is not None and refused.refused["rule"] == "CFG-2"
    monkeypatch.setattr(trial, "STEPS_MAX", 10)
    answered = tried(TEXT, None)
    assert (answered.stopped, answered.steps, answered.unmet) == ("steps", 10, [])


def test_a_trial_shows_whether_its_variant_expects_the_refusal() -> None:
    text = entry("SC-07").text
    for shown, expected in ((text, True), (text.replace('expect_refused = "CFG-2"', ""), False)):
        refused = tried(shown, "acks-one").refused
        assert refused is not None and refused["expected"] is expected


def test_a_run_that_grows_without_end_is_ended_with_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TASKS, "trial", never_in_time(TASKS["trial"]))
    with pytest.raises(BeyondBounds):
        trial.try_out(Asked(text=TEXT))


def test_outcomes_are_those_of_every_variant_and_the_same_each_time() -> None:
    text = entry("SC-44").text
    made = outcomes(text)
    assert list(made) == ["", "k28", "k20"]
    assert made["k28"].digests != made["k20"].digests
    assert outcomes(text) == made


def test_saving_answers_with_the_next_revision_and_a_conflict_with_its_own_status(
    browser: Client, draft: Draft
) -> None:
    assert post(browser, draft, "save", text=TEXT + "#\n", revision=1).json() == {"revision": 2}
    answer = post(browser, draft, "save", text=TEXT, revision=1)
    assert (answer.status_code, answer.json()["revision"]) == (409, 2)


def test_a_draft_is_played_in_the_player_and_one_that_cannot_be_is_refused(
    browser: Client, draft: Draft
) -> None:
    assert browser.post(f"/workshop/{draft.id}/try")["Location"].startswith("/sessions/")
    Draft.objects.filter(pk=draft.pk).update(text="id = [")
    assert browser.post(f"/workshop/{draft.id}/try").status_code == 422


def test_every_field_word_and_group_has_its_words() -> None:
    made, known = form(), words()
    wanted = [f"form.field.{section}.{name}" for section, table in made["sections"].items() for name in table]
    tables = {"settings": "setting", "broker": "broker", "switches": "switch"}
    wanted += [f"form.{tables[name]}.{key}" for name, table in made["tables"].items() for key in table]
    wanted += [
        f"form.crafted.{key}"
        for requests in made["messages"].values()
        for fields in requests.values()
        for key in fields
    ]
    prefixes = {
        "fault": "action",
        "call": "call_word",
        "override": "override_word",
        "service": "approach_word",
    }
    wanted += [
        f"form.{prefixes[name]}.{word}" for name, one in made["belonging"].items() for word in one["fields"]
    ]
    wanted += [f"form.ask.{word}" for word in made["sections"]["checkpoint"]["ask"]["choices"]]
    rows = {
        field["rows"]
        for table in made["sections"].values()
        for field in table.values()
        if field["kind"] == "tables"
    }
    wanted += [f"builder.add.{section}" for section in rows]
    assert [key for key in wanted if key not in known] == []


# -- lessons -------------------------------------------------------------------------------------------------


def no_picture(variant: str | None, step: int) -> str | None:
    return None


def some_picture(variant: str | None, step: int) -> str | None:
    return f"/cards/x.png?step={step}&variant={variant or ''}"


def test_a_lesson_s_markdown_becomes_plain_html_with_pictures_of_steps() -> None:
    shown = lesson_html(
        "# A\n\n*b* `c`\n\n- d\n\n![e](step:41) ![f](step:k28/7)\n\n[g](https://example.org)", some_picture
    )
    assert "<h3>A</h3>" in shown and "<em>b</em>" in shown and "<li>d</li>" in shown
    assert (
        'src="/cards/x.png?step=41&amp;variant="' in shown and "variant=k28" in shown and 'alt="e"' in shown
    )
    assert 'rel="noopener noreferrer nofollow ugc"' in shown
    assert "<img" not in lesson_html("![e](step:41)", no_picture)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](https://example.org/track.png)",
        "![x](//example.org/track.png)",
        "<iframe src=/></iframe>",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "<a href='/x' onclick=alert(1)>x</a>",
        '![x](step:1" onerror="alert(1))',
        "[x](//example.org)",
    ],
)
def test_nothing_of_an_author_s_html_or_addresses_elsewhere_passes(text: str) -> None:
    found = Tags()
    found.feed(lesson_html(text, some_picture))
    for tag, attributes in found.seen:
        assert tag in ("p", "a", "img"), tag
        assert attributes.keys() <= {"href", "rel", "src", "alt", "loading", "width", "height"}
        assert attributes.get("src", "/cards/").startswith("/cards/")
        assert (
            attributes.get("href", "/").startswith(("/", "https:"))
            and attributes.get("href", "/")[:2] != "//"
        )


class Tags(HTMLParser):
    """Collects every tag with its attributes, as a browser would read them."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, {name: value or "" for name, value in attributes}))


DOTS = TEXT.replace('id = "MY-LOST"', 'id = "MY-LOST"\n' + "a." * 40_000 + "a = 1")
VARIANT = (
    TEXT
    + """
[[variants]]
name = "v"
title = { en = "v", zh-Hans = "v" }
set = { "__class__.__init__" = 1 }
"""
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (DOTS, 3),
        (TEXT.replace("id =", "seed = " + "9" * 4_301 + "\nid ="), 2),
        (TEXT.replace("id =", "seed = 0xffff_ffff_ffff_ffff_f\nid ="), 2),
        (TEXT.replace("id =", "seed = 1e999\nid ="), 2),
        (TEXT.replace("id =", "seed = 2020-01-01\nid ="), 2),
        (VARIANT, TEXT.count("\n") + 5),
    ],
)
def test_a_hostile_text_is_a_mistake_with_its_line_wherever_it_is_read(
    browser: Client, draft: Draft, text: str, line: int
) -> None:
    (mistake,) = post(browser, draft, "edit", text=text, edits=[]).json()["mistakes"]
    assert mistake["line"] == line and mistake["wrong"] and mistake["allowed"]
    edit = {"do": "set", "path": ["id"], "value": "MY-X"}
    assert post(browser, draft, "edit", text=text, edits=[edit]).status_code == 200
    saved = post(browser, draft, "save", text=text, revision=draft.revision)
    assert saved.status_code == 200
    for door in ("try", "publish"):
        assert browser.post(f"/workshop/{draft.id}/{door}").status_code == 422
    taken = browser.post("/workshop/import", {"file": io.BytesIO(text.encode())})
    assert taken.status_code == (302 if text is VARIANT else 422)


@pytest.mark.parametrize(
    "body",
    [
        b'{"text": "", "edits": [{"do": "set", "path": ["id"], "value": ' + b"[" * 60_000,
        b'{"text": "\xff"}',
        b'{"text": "\xed\xa0\x80"}',
        b'{"text": "\\ud800"}',
        b'{"text": ' + b"9" * 5_000 + b"}",
        b'{"text": "", "revision": 1e400}',
        b"[" * 90_000,
        b"",
    ],
)
def test_a_body_that_is_no_request_is_refused(browser: Client, draft: Draft, body: bytes) -> None:
    for what in ("edit", "preview", "save"):
        answer = browser.post(f"/workshop/{draft.id}/{what}", body, content_type="application/json")
        assert answer.status_code == 400


@pytest.mark.parametrize(
    "value", [10**30, 0.5, "\u0000", "\ud7ff", {"": {"": 1}}, {"a" * 300: 1}, None, [[[]]]]
)
def test_an_edit_with_an_odd_value_answers(browser: Client, draft: Draft, value: Any) -> None:
    for path in (["id"], ["x", "y"], ["faults", 0], ["faults", 9], ["", ""], ["title", 0], []):
        edit = {"do": "set", "path": path, "value": value}
        assert post(browser, draft, "edit", text=TEXT, edits=[edit]).status_code == 200


def test_an_edit_with_a_deep_value_is_refused(browser: Client, draft: Draft) -> None:
    value: Any = 1
    for _ in range(400):
        value = {"a": value}
    edit = {"do": "set", "path": ["x"], "value": value}
    answered = post(browser, draft, "edit", text=TEXT, edits=[edit])
    assert answered.status_code == 200 and answered.json()["refused"] and answered.json()["text"] == TEXT


def test_too_many_edits_are_refused_as_such(browser: Client, draft: Draft) -> None:
    edits = [{"do": "set", "path": ["seed"], "value": 7}] * EDITS_MAX
    assert post(browser, draft, "edit", text=TEXT, edits=edits).status_code == 200
    answered = post(browser, draft, "edit", text=TEXT, edits=[*edits, edits[0]])
    assert answered.status_code == 400 and f"at most {EDITS_MAX} edits" in answered.json()["refused"]


LONG = TEXT + "# a remark\n" * 6_000
"""A text just below the bound. If it contained values and not remarks, an edit would take seconds of processor time."""


def test_a_long_text_is_edited_in_a_process_of_its_own(
    browser: Client, draft: Draft, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    edit = {"do": "set", "path": ["seed"], "value": 7}
    with monkeypatch.context() as patch:
        patch.setattr(tomlkit, "parse", lambda text: pytest.fail("parsed in the web process"))
        answered = post(browser, draft, "edit", text=LONG, edits=[edit]).json()
        assert answered["refused"] is None and "seed = 7" in answered["text"]
        cannot = post(
            browser, draft, "edit", text=LONG, edits=[{**edit, "path": ["title", "en", "x"]}]
        ).json()
        assert "form cannot make this change" in cannot["refused"] and cannot["text"] == LONG
    monkeypatch.setitem(TASKS, "edit", never_in_time(TASKS["edit"]))
    beyond = post(browser, draft, "edit", text=LONG, edits=[edit]).json()
    assert "too long or too deep" in beyond["refused"] and beyond["text"] == LONG
    monkeypatch.setattr(runner, "WAIT_SECONDS_MAX", 0)
    settings.BOUNDED_MEMORY_BYTES = 0
    busy = post(browser, draft, "edit", text=LONG, edits=[edit])
    assert (busy.status_code, busy["Retry-After"]) == (503, str(runner.BUSY_SECONDS))


def test_edits_of_a_long_text_are_fewer(browser: Client, draft: Draft, settings: Any) -> None:
    settings.RATES = {**settings.RATES, "edit_draft.person": (60, 36_000)}
    text = TEXT + "#" * 90_000
    answers = [post(browser, draft, "edit", text=text, edits=[]).status_code for _ in range(16)]
    assert answers == [200] * 15 + [429]

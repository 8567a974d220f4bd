"""Which questions can be asked, what an answer is about, and that asking does not change a run."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from engine.__main__ import main
from engine.explain.requirements import REGISTER, REQUIREMENTS
from engine.explain.sentences import LANGUAGES, catalogue
from engine.scenario.document import load, parse
from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.step import canonical
from engine.why.asking import why
from engine.why.links import LINKS_MAX, NAMED_MAX, NotAsked, bounded, link, named
from engine.why.moment import Moment
from engine.why.offering import QUESTIONS_MAX, questions_about

Json = dict[str, Any]
RUNS = (
    "SC-03",
    "SC-11/waits",
    "SC-17",
    "SC-50",
    "SC-58/every-answer",
    "SC-61/k28",
    "SC-77/compact",
    "SC-83/silence",
)
HELD = 82
"""A step of SC-75 at which the partition is held back and nothing happens for a long time."""


def run_of(name: str, steps: int | None = None) -> Simulation:
    scenario, _, variant = name.partition("/")
    found = entry(scenario)
    simulation = Simulation(found.scenario(variant if variant in found.variants else None))
    if steps is not None:
        simulation.run(steps=steps)
    return simulation


def held() -> Simulation:
    return run_of("SC-75/wall", HELD)


def keys(run: Any, question: str, subject: str) -> list[str]:
    return [one.key.removeprefix("why.") for one in why(run, question, subject)]


def selections(view: Json) -> Iterator[Json | None]:
    yield None
    for partition, shown in view.get("partitions", {}).items():
        yield {"kind": "partition", "id": partition}
        for base in shown.get("replicas", {}).get(str(shown["leader"]), {}).get("batches", {}):
            yield {"kind": "batch", "id": f"{partition}/{base}"}
    for part in ("clients", "consumers", "applications"):
        yield from ({"kind": "actor", "id": name} for name in view.get(part, {}))
    yield from ({"kind": "actor", "id": f"broker-{name}"} for name in view.get("brokers", {}))
    for name, client in view.get("clients", {}).items():
        yield from ({"kind": "batch", "id": f"{name}/{batch}"} for batch in client.get("batches", {}))
        yield from ({"kind": "timer", "id": f"{name}/{timer}"} for timer in client.get("timers", {}))
        identity = (client.get("transaction_manager") or {}).get("transactional_id")
        if identity is not None:
            yield {"kind": "transaction", "id": identity}
    yield from ({"kind": "record", "id": serial} for serial in view.get("records", {}))
    yield from ({"kind": "message", "id": number} for number in view.get("network", {}).get("messages", {}))


# -- everything that can be asked ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", RUNS)
def test_whatever_can_be_asked_is_answered_in_words(name: str) -> None:
    known = catalogue()
    rules = {*REQUIREMENTS, *REGISTER}
    simulation = run_of(name)
    while simulation.number < 150 and simulation.step() is not None:
        if simulation.number % 13:
            continue
        moment = Moment.of(simulation)
        for selection in selections(moment.view):
            asked = questions_about(moment, selection)
            assert len(asked) == len({(one.question, one.subject) for one in asked}) <= QUESTIONS_MAX
            for one in asked:
                assert known[one.key].slots("en") <= set(one.params)
                chain = why(moment, one.question, one.subject)
                assert 0 < len(chain) <= LINKS_MAX
                for found in chain:
                    assert set(found.rules) <= rules
                    for language in LANGUAGES:
                        assert known[found.key].slots(language) <= set(found.params), found.key
                    left = found.params.get("left")
                    assert left is None or left >= 0, found


@pytest.mark.parametrize("name", ["SC-58/leader-moves", "SC-61/k28", "SC-83/silence"])
def test_a_run_does_not_notice_that_it_is_asked(name: str) -> None:
    asked, left_alone = run_of(name), run_of(name)
    while asked.number < 120:
        one, other = asked.step(), left_alone.step()
        if one is None or other is None:
            break
        assert canonical(one.to_json()) == canonical(other.to_json())
        moment = Moment.of(asked)
        for selection in [None, *selections(moment.view)][::5]:
            for question in questions_about(moment, selection):
                why(asked, question.question, question.subject)
    assert asked.digest() == left_alone.digest()


def test_asking_a_view_leaves_it_as_it_is() -> None:
    view = held().view()
    before = deepcopy(view)
    for question, subject in (
        ("lso", "t-0"),
        ("lag", "c-committed/t-0"),
        ("unended", "txn-1"),
        ("nothing", "p1"),
    ):
        why(view, question, subject)
    assert view == before


# -- the shape of an answer ------------------------------------------------------------------------------------


def test_the_most_telling_question_comes_first() -> None:
    assert [one.question for one in questions_about(held(), None)] == [
        "lso",
        "unended",
        "lag",
        "here",
        "nothing",
    ]
    refused = run_of("SC-28")
    while (step := refused.step()) is not None and step.refusal is None:
        pass
    assert questions_about(refused, None)[0].question == "refused"


def test_a_chain_leads_from_the_offset_to_the_producer_and_those_who_wait() -> None:
    chain = why(held(), "lso", "t-0")
    subjects = [(one.subject or {}).get("id") for one in chain]
    assert subjects[:5] == ["t-0", "t-0/1", "txn-1", "app-1", "p1"]
    assert subjects[-1] == "c-committed"
    batch = chain[1].subject
    assert batch == {"kind": "batch", "id": "t-0/1", "partition": "t-0", "serials": [2, 3]}


def test_a_refusal_has_its_numbers_side_by_side() -> None:
    refused = run_of("SC-28")
    while (step := refused.step()) is not None and step.refusal is None:
        pass
    assert step is not None and step.refusal is not None
    compared = next(one for one in why(refused, "refused", "") if one.compared)
    assert compared.compared == tuple(tuple(pair) for pair in step.refusal["compared"])
    assert [one.key for one in why(refused, "refused", "")][-1] == step.refusal["next"]
    later = run_of("SC-28")
    later.run()
    assert why(later, "refused", "t-0")[0].step is not None


@pytest.mark.parametrize(
    ("run", "note"),
    [
        ("SC-61/epoch-check-off", "broker.check_left_out"),
        ("SC-30/no-duplicate-lookup", "broker.lookup_left_out"),
    ],
)
def test_a_refusal_names_the_check_that_is_off_and_would_have_decided(run: str, note: str) -> None:
    refused = run_of(run)
    while (step := refused.step()) is not None and step.refusal is None:
        pass
    assert keys(refused, "refused", "")[1] == note


def test_a_long_chain_says_how_much_is_left_out() -> None:
    chain = [link("lso.free", partition="t-0", high_watermark=number) for number in range(LINKS_MAX + 5)]
    cut = bounded(chain)
    assert (len(cut), cut[-1].key, cut[-1].params["count"]) == (LINKS_MAX, "why.more", 6)
    assert bounded(chain[:LINKS_MAX]) == tuple(chain[:LINKS_MAX])
    assert named(list(range(NAMED_MAX + 3)))[-1] == "+3"


# -- less than a run -------------------------------------------------------------------------------------------


def test_a_view_answers_what_needs_no_rule() -> None:
    simulation = run_of("SC-75/wall", HELD)
    view = simulation.view()
    wanted = keys(simulation, "lso", "t-0")
    without = {"coordinator.in_force": "coordinator.state"}
    assert keys(view, "lso", "t-0") == [without.get(key, key) for key in wanted if key != "coordinator.since"]
    assert "nothing" not in [one.question for one in questions_about(view, None)]
    waiting = run_of("SC-09/linger-20", 6).view()
    assert keys(waiting, "unsent", "p1/b1")[-1] == "batch.no_engine"


def test_files_alone_do_not_say_whose_a_transaction_is() -> None:
    """A log case has one replica, the file, and neither brokers nor clients."""
    view = held().view()
    shown = view["partitions"]["t-0"]
    files = {
        "time": 0,
        "partitions": {"t-0": {**shown, "leader": None, "replicas": {"0": shown["replicas"]["1"]}}},
    }
    assert keys(files, "lso", "t-0")[:3] == ["lso.at", "lso.first_offset", "transaction.owner_not_in_files"]


def test_what_a_lane_no_longer_lists_is_said_to_be_so() -> None:
    view = held().view()
    lane = view["consumers"]["c-uncommitted"]["lanes"]["t-0"]
    lane["stretches"] = [[3, 4, "delivered"]]
    assert keys(view, "unseen", "c-uncommitted/t-0/0") == ["unseen.before_log_start"]
    lane["folded"] = 3
    assert keys(view, "unseen", "c-uncommitted/t-0/0") == ["unseen.folded"]


def test_a_reader_of_other_partitions_gets_no_record_even_while_no_leader_runs() -> None:
    view = held().view()
    lanes = view["consumers"]["c-uncommitted"]["lanes"]
    lanes["t-0"] |= {"position": None, "stretches": [], "ahead": [], "bound": None}
    assert keys(view, "unseen", "c-uncommitted/t-0/0") == ["unseen.not_subscribed"]


def test_a_reader_without_a_known_leader_asks_for_metadata() -> None:
    view = held().view()
    view["consumers"]["c-uncommitted"]["metadata"]["leaders"]["t-0"] = None
    assert "reader.no_leader" in keys(view, "nothing", "c-uncommitted")


def test_more_readers_than_are_named_are_counted() -> None:
    view = held().view()
    one = view["consumers"]["c-committed"]
    view["consumers"] |= {f"c{number}": one for number in range(NAMED_MAX + 2)}
    more = [one for one in why(view, "lso", "t-0") if one.key == "why.held.more"]
    assert [one.params["count"] for one in more] == [3]


def test_an_offset_that_nothing_holds_is_not_explained_away() -> None:
    view = held().view()
    view["partitions"]["t-0"]["replicas"]["1"]["producers"] = {}
    assert keys(view, "lso", "t-0")[1] == "lso.not_recomputed"


INPUT_WITH_MARKERS = """
id = "MY-1"
profile = "k28"
[title]
en = "Input with markers"
zh-Hans = "带标记的输入"
[[topics]]
name = "in"
partitions = 1
[[topics]]
name = "out"
partitions = 1
[[producers]]
name = "p0"
settings = { transactional_id = "txn-0" }
[[producers]]
name = "p1"
settings = { transactional_id = "txn-1" }
[[consumers]]
name = "c1"
isolation = "read_committed"
partitions = ["in-0"]
group = "g"
[[loops]]
name = "app-1"
producer = "p1"
consumer = "c1"
output = ["out-0"]
[[applications]]
name = "app-0"
client = "p0"
calls = [
  { at = 0, do = "init_transactions" },
  { at = 200, do = "begin_transaction" },
  { at = 200, do = "send", partition = "in-0" },
  { at = 300, do = "commit_transaction" },
]
"""


def test_the_lag_stays_at_one_where_only_a_marker_is_left() -> None:
    """Monitoring shows this lag for every group that reads a topic written in transactions."""
    simulation = Simulation(load(parse(INPUT_WITH_MARKERS, "input.toml")))
    simulation.run()
    chain = why(simulation, "lag", "c1/in-0")
    committed = next(one for one in chain if one.key == "why.lag.committed")
    assert (committed.params["committed"], committed.params["lag"]) == (1, 1)
    only = next(one for one in chain if one.key == "why.lag.only_markers")
    assert only.params["offsets"] == [1]


MANY = """
id = "MY-2"
[title]
en = "Many"
zh-Hans = "很多"
[cluster]
brokers = 2
[[topics]]
name = "t"
partitions = 12
replication = 1
leaders = [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]
"""


def many_producers(settings: str) -> str:
    return "".join(
        f'[[producers]]\nname = "p{number}"\nsettings = {{ {settings} }}\n' for number in range(10, 22)
    )


def test_the_last_of_many_partitions_has_no_leader() -> None:
    crash = '[[producers]]\nname = "p1"\n[[faults]]\nat = 5\naction = "crash"\nactor = "broker-1"\n'
    simulation = Simulation(load(parse(MANY + crash, "many.toml")))
    while (step := simulation.step()) is not None and step.key != "controller.session_ended":
        pass
    assert "no_leader" in keys(simulation, "fault", "broker-1")


def test_the_last_of_many_producers_waits() -> None:
    call = (
        '[[applications]]\nname = "a"\nclient = "p21"\ncalls = [{ at = 0, do = "send", partition = "t-0" }]\n'
    )
    simulation = Simulation(load(parse(MANY + many_producers("linger_ms = 1000") + call, "many.toml")))
    while (step := simulation.step()) is not None and step.key != "client.waits_linger":
        pass
    assert "client.waits_linger" in keys(simulation, "nothing", "run")


def test_the_last_but_one_of_many_producers_was_fenced() -> None:
    calls = "".join(
        f'[[applications]]\nname = "a-{name}"\nclient = "{name}"\n'
        f'calls = [{{ at = {at}, do = "init_transactions" }}]\n'
        for name, at in (("p20", 0), ("p21", 1000))
    )
    many = many_producers('transactional_id = "txn-1"')
    simulation = Simulation(load(parse(MANY + many + calls, "many.toml")))
    simulation.run()
    behind = [one for one in why(simulation, "fenced", "txn-1") if one.key == "why.fence.behind"]
    assert [one.params["client"] for one in behind] == ["p20"]


# -- what cannot be asked --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("weather", "t-0"),
        ("lso", "t-9"),
        ("lag", "t-0"),
        ("lag", "c9/t-0"),
        ("lag", "c-committed/t-9"),
        ("unseen", "c-committed/t-0"),
        ("unseen", "c-committed/t-0/x"),
        ("refused", ""),
        ("nothing", "p9"),
        ("unsent", "p1/b99"),
        ("unsent", "p1"),
        ("state", "broker-1"),
        ("unended", "txn-9"),
        ("message", "1"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_can(question: str, subject: str) -> None:
    with pytest.raises(NotAsked) as caught:
        why(held(), question, subject)
    assert caught.value.wrong and caught.value.allowed


@pytest.mark.parametrize(
    "kind", ["partition", "actor", "transaction", "batch", "record", "message", "timer", "planet"]
)
@pytest.mark.parametrize("name", ["", "x", "x/y", "t-0/x", "p1/", "-1"])
def test_a_selection_that_is_gone_has_no_questions(kind: str, name: str) -> None:
    assert questions_about(held(), {"kind": kind, "id": name}) == []


# -- the command ------------------------------------------------------------------------------------------------


def said(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(["why", *arguments], out, err), out.getvalue(), err.getvalue()


def test_the_command_prints_the_chain_in_both_languages() -> None:
    place = ("SC-75/timeout", "--step", str(HELD), "--question", "lso", "--subject", "t-0")
    for language, word in (("en", "no marker there yet"), ("zh-Hans", "尚无标记")):
        code, text, _ = said(*place, "--lang", language)
        assert code == 0 and word in text
        assert re.search(r"^ +1  t-0.*\[LOG-8 CON-1\]$", text, re.MULTILINE)
        assert "→ transaction txn-1" in text


def test_the_command_lists_what_can_be_asked() -> None:
    code, text, _ = said("SC-75/timeout", "--step", str(HELD))
    assert code == 0 and "--question lso --subject t-0" in text
    code, text, _ = said("SC-75/timeout", "--step", str(HELD), "--subject", "actor:p1")
    assert code == 0 and "--question state --subject p1" in text


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("SC-75/timeout", "--step", "5000"), "--step 5000"),
        (("SC-75/timeout", "--question", "weather"), "known: lso"),
        (("SC-75/timeout", "--question", "lso", "--subject", "t-9"), "known: t-0"),
    ],
)
def test_the_command_says_what_is_wrong(arguments: tuple[str, ...], part: str) -> None:
    code, text, complaint = said(*arguments)
    assert (code, text) == (2, "")
    assert part in complaint


def test_every_sentence_has_a_test_that_meets_it() -> None:
    """Every sentence of an answer must be in a row of one of these files, or be named by one of their tests."""
    folder = Path(__file__).parent
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("test_*.py")))
    sentences = {key.removeprefix("why.") for key in catalogue() if re.match(r"why\.(?!ask\.)", key)}
    missing = {key for key in sentences if f'"{key}"' not in text and f'"why.{key}"' not in text}
    assert missing == set()

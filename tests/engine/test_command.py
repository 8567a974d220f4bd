"""``python -m engine run`` and ``scenarios``: what they print, and their exit codes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.errors import EngineError
from engine.scenario.shelf import library
from engine.sender_passes import SenderPasses

GOOD = """id = "T-1"
profile = "k28"

[title]
en = "a test"
zh-Hans = "测试"

[[producers]]
name = "p1"
settings = { linger_ms = 3 }
"""


def command(*arguments: str) -> tuple[int, list[str], str]:
    """Run the command. Returns the exit code, the lines of output, and the text of errors."""
    out, err = io.StringIO(), io.StringIO()
    code = main(list(arguments), out, err)
    return code, out.getvalue().splitlines(), err.getvalue()


def written(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "case.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_a_run_ends_with_its_verdicts_sorted_by_partition() -> None:
    code, lines, errors = command("run", "SC-02")
    assert (code, errors) == (0, "")
    assert lines == [
        "verdict t-0 stored=14 duplicates=1 lost=0 failed=0 reordered=0",
        "verdict t-1 stored=6 duplicates=0 lost=0 failed=0 reordered=0",
    ]


def test_json_lines_hold_every_step_and_then_the_verdicts() -> None:
    code, lines, _ = command("run", "SC-02", "--jsonl")
    objects = [json.loads(line) for line in lines]
    assert code == 0
    assert [step["number"] for step in objects[:-2]] == list(range(1, len(objects) - 1))
    assert [last["verdict"]["partition"] for last in objects[-2:]] == ["t-0", "t-1"]
    assert objects[-2]["verdict"] == {
        "partition": "t-0",
        "stored": 14,
        "duplicates": 1,
        "lost": 0,
        "failed": 0,
        "reordered": 0,
    }


def test_all_variants_run_when_none_is_named() -> None:
    code, lines, _ = command("run", "SC-40")
    assert code == 0
    assert [line for line in lines if line.startswith("#")] == ["# SC-40/acks-one", "# SC-40/acks-all"]
    assert command("run", "SC-40/acks-all")[1] == lines[3:]


def test_a_setting_changes_the_run_and_a_limit_that_stops_it_is_printed() -> None:
    assert command("run", "SC-02", "--set", "producers.p1.settings.retries=0")[1][0].startswith(
        "verdict t-0 stored=11 duplicates=0 lost=0 failed=2"
    )
    assert command("run", "SC-02", "--set", "limits.steps=10")[1][0] == "finished step_limit"
    assert json.loads(command("run", "SC-02", "--set", "limits.steps=10", "--jsonl")[1][10]) == {
        "finished": "step_limit"
    }


def test_meeting_an_expected_refusal_is_success() -> None:
    code, lines, errors = command("run", "SC-07/acks-one")
    assert (code, errors) == (0, "")
    assert lines[1].startswith("refused CFG-2 producers.p1.settings.acks: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "SC-999"), "no such scenario in the library; instead: SC-01, "),
        (("run", "SC-40/nobody"), "no variant 'nobody'; instead: acks-one, acks-all"),
        (("run", "SC-02", "--set", "nonsense"), "--set nonsense: no =; instead: PATH=VALUE"),
        (("run", "SC-02", "--set", "profile=k99"), "'k99'; instead: one of k010, k20, k28, k39, k41"),
        (("run", "SC-07/acks-one", "--set", "producers.p1.settings.acks=-1"), "CFG-2 did not refuse it"),
        (
            ("run", "SC-07/acks-one", "--set", "producers.p1.settings={ nothing = 1 }"),
            "CFG-2 should have refused it, but CFG-1 did: producers.p1.settings.nothing",
        ),
    ],
)
def test_a_refused_run_is_answered_with_what_is_allowed(arguments: tuple[str, ...], said: str) -> None:
    code, _, errors = command(*arguments)
    assert code == 2
    assert said in errors


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (
            GOOD.replace("linger_ms", "lingerms"),
            ":10: producers.p1.settings.lingerms: ",
            "instead: choose one of batch_size",
        ),
        (GOOD.replace('"k28"', "28"), ":2: profile: ", "instead: one of k010, k20, k28, k39, k41"),
        (GOOD + "[[faults]]\n", ":11: faults.0.action: ", "instead: "),
        (GOOD.replace('"T-1"', ""), ":1: document: ", "instead: TOML 1.0"),
        (b"\xff\xfe", ": document: byte 0 is not UTF-8", "instead: TOML 1.0"),
    ],
)
def test_a_bad_document_is_named_with_file_line_and_remedy(
    tmp_path: Path, text: str | bytes, place: str, said: str
) -> None:
    path = written(tmp_path, text)
    code, lines, errors = command("run", path)
    assert (code, lines) == (2, [])
    assert errors.startswith(path + place), errors
    assert said in errors


def test_a_path_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert command("run", str(tmp_path / "no.toml"))[0] == 2
    code, _, errors = command("run", str(tmp_path))
    assert (code, errors.startswith(str(tmp_path))) == (2, True)


def test_a_broken_invariant_names_scenario_seed_and_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(simulation: SenderPasses, name: str) -> None:
        raise EngineError("sequence below 0")

    monkeypatch.setattr(SenderPasses, "run_phase", broken)
    code, _, errors = command("run", "SC-02")
    assert code == 3
    assert errors.startswith("engine invariant broken: SC-02/None seed 0 after step ")
    assert "sequence below 0" in errors


def test_the_library_is_listed_as_text_and_as_json() -> None:
    code, lines, _ = command("scenarios")
    assert code == 0
    assert lines[0] == "SC-01  Fire and forget"
    listed = json.loads("\n".join(command("scenarios", "--json")[1]))
    assert [item["id"] for item in listed] == [entry.id for entry in library()]
    assert {item["id"]: item["variants"] for item in listed}["SC-40"] == ["acks-one", "acks-all"]
    assert all(set(item["title"]) == {"en", "zh-Hans"} for item in listed)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "line 1"),
        ("{}", "interventions"),
        ('[{"action": "crash", "actor": "broker-1"}]', "interventions.0.after"),
        ('[{"action": "crash", "actor": "nobody", "after": 0}]', "interventions after step 0: actor"),
    ],
)
def test_interventions_that_cannot_be_done_are_refused_with_their_place(
    tmp_path: Path, text: str, place: str
) -> None:
    done = tmp_path / "done.json"
    done.write_text(text)
    code, _, errors = command("run", written(tmp_path, GOOD), "--interventions", str(done))
    assert code == 2
    assert f"{done}: {place}: " in errors

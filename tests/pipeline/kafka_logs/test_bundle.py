"""A bundle shows the same case as its files, but with other names."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from engine.codec.damage import DamageKind
from eosviz.pipeline.kafka_logs import bundle_reading, bundle_writing
from eosviz.pipeline.kafka_logs.bundle_writing import bundle_lines_of, damage_text, names_of, save
from eosviz.pipeline.kafka_logs.case import Case, read_case
from eosviz.pipeline.kafka_logs.pseudonyms import INTERNAL_TOPICS, Pseudonyms
from eosviz.pipeline.kafka_logs.stretches import LogsError
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.printed import document
from tests.rotation import in_turn

INTERNAL = KAFKA_LOGS / "_internal"
INCIDENTS = KAFKA_LOGS / "incidents"


def name_of(folder: Path) -> str:
    return folder.name


FOLDERS = sorted(
    path
    for path in (*KAFKA_LOGS.iterdir(), *INCIDENTS.iterdir())
    if path.is_dir() and path not in (INTERNAL, INCIDENTS)
)
SAME = ("partitions", "transactions", "producers", "visible_read_committed", "visible_read_uncommitted",
        "groups", "verdicts", "now")  # fmt: skip


def names_in(case: Case) -> set[str]:
    """Return the names in the case that people chose: of partitions, topics, ids and groups."""
    whole = document(case)
    partitions = {one["name"] for one in (*whole["partitions"], *whole["copies"])}
    ids = set(case.coordinator.latest) | {key.group for key in case.groups.committed}
    partitions |= {f"{key.topic}-{key.partition}" for key in case.groups.committed}
    return {name for name in partitions if not name.startswith("__")} | ids


def renamed(content: Any, names: Pseudonyms, case: Case) -> Any:
    """Return `content` with the names that a bundle of `case` uses."""
    ids, groups = set(case.coordinator.latest), {key.group for key in case.groups.committed}
    every = sorted(names_in(case), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w.-])({'|'.join(map(re.escape, every))})(?![\w-])")

    def other(found: re.Match[str]) -> str:
        name = found[1]
        if name in ids:
            return names.transactional_id(name)
        return names.group(name) if name in groups else names.partition(name)

    topic = re.compile(r"(?<=--topic )[\w.-]+")
    text = topic.sub(lambda found: names.topic(found[0]), pattern.sub(other, json.dumps(content)))
    return json.loads(text)


def by_name(whole: dict[str, Any]) -> dict[str, Any]:
    """Return the parts that both documents must have, in an order that does not depend on names."""
    kept = {name: whole[name] for name in SAME} | {
        f"coordinator_{name}": whole["coordinator"][name]
        for name in ("partitions", "transactional_ids", "records")
    }
    for partition in kept["partitions"]:
        for name in ("path", "damage"):
            del partition[name]
        del partition["aborted_index"]["damage"]
    return {
        name: sorted(rows, key=json.dumps) if isinstance(rows, list) else rows for name, rows in kept.items()
    }


@pytest.mark.parametrize(
    "folder", in_turn(FOLDERS, 8, "engine/codec", "eosviz/pipeline", name=name_of), ids=name_of
)
def test_a_bundle_of_every_recorded_folder_says_the_same_and_names_nothing(
    folder: Path, tmp_path: Path
) -> None:
    own = [folder] if any(folder.rglob("__transaction_state-*")) else [folder, INTERNAL]
    case, file = read_case(own), tmp_path / "case.gz"
    save(case, file)
    again, names = read_case([file]), names_of(case)
    bundle_lines_of(case, names)
    before, after = json.loads(json.dumps(document(case))), json.loads(json.dumps(document(again)))
    assert by_name(renamed(before, names, case)) == by_name(after)
    assert len(after["copies"]) == len(before["copies"])
    text = gzip.decompress(file.read_bytes()).decode()
    for name in names_in(case):
        topic = name.rpartition("-")[0] or name
        assert name not in text
        assert topic in INTERNAL_TOPICS or not re.search(rf"(?<![a-z_]){re.escape(topic)}(?![a-z_])", text)


def test_keys_and_values_are_nowhere_in_it(tmp_path: Path) -> None:
    dumps = "".join(path.read_text() for path in (KAFKA_LOGS / "c_commit").rglob("*.log.dump.txt"))
    values = {one for one in re.findall(r"payload: (\S{4,})", dumps) if not one.startswith("{")}
    assert values
    save(read_case([KAFKA_LOGS / "c_commit", INTERNAL]), tmp_path / "b")
    text = gzip.decompress((tmp_path / "b").read_bytes()).decode()
    assert not [one for one in values if one in text]


def test_printed_text_becomes_a_bundle_too(tmp_path: Path) -> None:
    dumps = [*(KAFKA_LOGS / "h2_open").rglob("*.dump.txt"), *INTERNAL.rglob("*.dump.txt")]
    case = read_case(sorted(dumps))
    save(case, tmp_path / "b")
    verdicts = [one for one in document(read_case([tmp_path / "b"]))["verdicts"] if one["kind"] != "healthy"]
    assert [(one["kind"], one["first_offset"]) for one in verdicts] == [("slow_but_alive", 2)]
    assert "hangopen" not in json.dumps(verdicts)


def test_moved_times_keep_their_distances(tmp_path: Path) -> None:
    case = read_case([KAFKA_LOGS / "h2_open", INTERNAL])
    save(case, tmp_path / "b", move_times=True)
    again = read_case([tmp_path / "b"])
    assert (again.now, again.times_moved) == (bundle_writing.MOVED_TO_MS, True)
    (before,) = [one for one in document(case)["verdicts"] if one["kind"] != "healthy"]
    (after,) = [one for one in document(again)["verdicts"] if one["kind"] != "healthy"]
    assert after["kind"] == before["kind"]
    assert after["timeout_at"] - again.now == before["timeout_at"] - case.now


def test_a_pseudonym_is_never_somebodys_own_name() -> None:
    names = Pseudonyms(["topic-1", "orders"])
    assert names.partition("orders-3") == "topic-2-3"
    assert names.partition("topic-1-0") == "topic-3-0"
    assert names.partition("__transaction_state-7") == "__transaction_state-7"
    assert (names.partition("backup of monday"), names.place("my host.txt: line 3")) == (
        "folder-1",
        "text-1: line 3",
    )


def test_damage_keeps_its_place_and_kind_and_not_what_stood_there() -> None:
    damage = f"t-0/0.log: byte 17: {DamageKind.CRC.value}: expected 0x1, found secret; byte 3: secret: x"
    assert damage_text(damage) == f"byte 17: {DamageKind.CRC.value}"
    assert damage_text("anything") == "damaged"


HEAD = '{"type":"bundle","format":"eosviz-log-bundle","version":1,"times":"kept","now":1}\n'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "line 0 is the last one"),
        (HEAD, "cut short"),
        (HEAD + '{"type":"end","lines":5}\n', "says 5 lines"),
        (HEAD + '{"type":"batch","segment":0,"position":0}\n{"type":"end","lines":2}\n', "belongs to no partition"),
        (HEAD.replace('"version":1', '"version":2'), "line 1"),
        (HEAD + HEAD, "wrong place"),
        (HEAD + '{"type":"batch","segment":0,"position":0,"value":"x"}\n', "unknown field"),
        (HEAD + "[" * 100_000 + "\n", "line 2"),
        (
            HEAD + '{"type":"transaction","of":1,"is_latest":false,"transactional_id":"x","partition":"p","offset":0,'
            '"timestamp":0}\n{"type":"end","lines":2}\n',
            "no newest record",
        ),
    ],
)  # fmt: skip
def test_what_is_no_bundle_is_refused_in_words(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "b.gz"
    file.write_bytes(gzip.compress(text.encode()))
    with pytest.raises(LogsError, match=re.escape(reason)):
        read_case([file])


def test_a_bundle_that_was_cut_or_altered_is_refused(tmp_path: Path) -> None:
    save(read_case([KAFKA_LOGS / "h2_open"]), tmp_path / "b")
    whole = (tmp_path / "b").read_bytes()
    for broken in (whole[:-9], whole[:200], whole[:100] + b"\0\0\0" + whole[103:]):
        (tmp_path / "b").write_bytes(broken)
        with pytest.raises(LogsError):
            read_case([tmp_path / "b"])


def test_bounds_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = read_case([KAFKA_LOGS / "h2_open"])
    save(case, tmp_path / "b")
    with pytest.raises(LogsError, match="exists already"):
        save(case, tmp_path / "b")
    monkeypatch.setattr(bundle_reading, "UNPACKED_BYTES_MAX", 100)
    with pytest.raises(LogsError, match="beyond the 100 bytes"):
        read_case([tmp_path / "b"])
    monkeypatch.setattr(bundle_writing, "BATCHES_MAX", 3)
    with pytest.raises(LogsError, match="at most 3: give fewer partitions"):
        save(case, tmp_path / "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b"]


def test_the_command_says_what_it_keeps_before_it_saves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "b.gz"
    call_command("logs", str(KAFKA_LOGS / "h2_open"), "--json", "--bundle", str(file))
    captured = capsys.readouterr()
    assert json.loads(captured.out)["schema"] == 1
    assert captured.err.index("Kept: ") < captured.err.index("Replaced") < captured.err.index("Dropped")
    assert captured.err.index("Dropped") < captured.err.index(f"{file}: 2 partitions, 9 batches")
    with pytest.raises(CommandError, match="exists already"):
        call_command("logs", str(KAFKA_LOGS / "h2_open"), "--bundle", str(file))

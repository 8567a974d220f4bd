"""Every parser that reads a stranger's text or bytes, with a function that makes an input from its number and a
function that feeds it to the parser.

`feed` returns a word for the result: intended refusals are a result, every other exception is a fault.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import msgspec
from django.core.exceptions import TooManyFieldsSent
from django.http import QueryDict

from engine.codec.crc32c import crc32c
from engine.codec.decode_report import decode_command
from engine.codec.log_case import NotALogError, log_case
from engine.errors import Refused
from engine.scenario.document import BadScenario, load, parse
from engine.scenario.form import names_in
from engine.scenario.mistakes import mistakes
from engine.scenario.shelf import library
from engine.simulation import Simulation
from engine.vectors.run import Report, run_file
from engine.wire.exchange import read_request
from engine.wire.records import KeptRecords
from engine.wire.wire_error import WireError
from eosviz.pipeline.bad_sweep import BadSweep
from eosviz.pipeline.kafka_logs.bundle_reading import read_bundles
from eosviz.pipeline.kafka_logs.declared import Declared
from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.text_reader import TextReader
from eosviz.pipeline.sweep_document import read_sweep
from eosviz.pipeline.sweep_form import of_document, of_form
from eosviz.pipeline.sweep_mistakes import worded_mistakes
from eosviz.pipeline.sweep_parameters import sections_of
from eosviz.pipeline.sweep_writing import BadForm, write_form
from eosviz.reference.search_index import answer
from eosviz.refusals import Problem
from eosviz.replays import carriers
from eosviz.replays.refusal import ReplayRefused
from eosviz.scenarios.editing import CannotEdit, Edit, edited
from eosviz.walkthroughs import matching
from eosviz.walkthroughs.links import read_link
from eosviz.walkthroughs.messages import Intervene, Unreadable, read_message, read_new_session
from eosviz.workshop.lesson import lesson_html
from tests.engine.wire.recorded import exchanges
from tests.fuzz.changing import (
    ODD_VALUES,
    bytes_changed,
    lines_changed,
    text_changed,
    toml_changed,
    value_changed,
)
from tests.fuzz.messages import INTERVENTIONS, MESSAGES, QUERIES
from tests.replays.hostile import Whole, hostile

TESTS = Path(__file__).parents[1]
LOGS = TESTS / "oracles" / "kafka-logs"
VECTORS = TESTS / "oracles" / "vectors"
STEPS_PLAYED = 30
SHORT_DOCUMENTS = 16
"""How many of the library's shortest documents are used: a change of a long one takes longer and finds the same."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Target:
    make: Callable[[Random], Any]
    feed: Callable[[Any], str]


# -- TOML ----------------------------------------------------------------------------------------------------


@cache
def documents() -> Sequence[str]:
    return sorted((entry.text for entry in library()), key=len)[:SHORT_DOCUMENTS]


def a_document(chance: Random) -> str:
    return toml_changed(chance.choice(documents()), chance)


def read_document(text: str) -> str:
    """Do with a text what the builder and `python -m engine run FILE` do."""
    try:
        document = parse(text, "x.toml")
    except BadScenario as bad:
        assert str(bad).startswith("x.toml") and bad.sentences
        return "refused"
    found = mistakes(document, text=text)
    names_in(document)
    msgspec.json.encode(document)
    if found:
        assert all(str(bad) and bad.sentences for bad in found)
        return "mistaken"
    variants = [None, *(one["name"] for one in document.get("variants", ()))]
    try:
        Simulation(load(document, variants[-1])).run(steps=STEPS_PLAYED)
    except (BadScenario, Refused) as refused:
        assert str(refused)
        return "not played"
    return "played"


PATHS: Sequence[list[str | int]] = (
    ["id"], ["title", "en"], ["faults"], ["faults", 0], ["producers", 0, "settings", "acks"], ["x"], ["x", "y", "z"],
    ["applications", 0, "calls"], ["applications", 0, "calls", 0, "at"], ["seed"], ["topics"], ["variants", 0, "set"],
    ["", ""], ["a.b"], ["producers", -1], ["producers", 99], [0], [], ["title", 0], ["faults", 0, "match", "api"],
)  # fmt: skip


def an_edited_document(chance: Random) -> tuple[str, list[Edit]]:
    text = chance.choice(documents())
    text = toml_changed(text, chance) if chance.random() < 0.4 else text
    edits = [
        Edit(
            chance.choice(("set", "remove", "add", "move")),
            chance.choice(PATHS),
            value_changed({"a": 1, "b": [1, {"c": "x"}]}, chance),
            chance.choice((-1, 1, 0, 10**20)),
        )
        for _ in range(chance.randint(1, 4))
    ]
    return text, edits


def edit_document(asked: tuple[str, list[Edit]]) -> str:
    try:
        parse(edited(*asked))
    except BadScenario:
        return "refused"
    except CannotEdit:
        return "not edited"
    return "edited"


@cache
def sweeps() -> Sequence[str]:
    samples = Path(worded_mistakes.__code__.co_filename).parent / "samples"
    return [path.read_text(encoding="utf-8") for path in sorted(samples.glob("*.toml"))]


def a_sweep(chance: Random) -> str:
    return toml_changed(chance.choice(sweeps()), chance)


@cache
def parameters(scenario: str) -> Any:
    document = next(entry.document for entry in library() if entry.id == scenario)
    return [one for section in sections_of(load(document)) for one in section.parameters]


def read_a_sweep(text: str) -> str:
    outcome = "read"
    for reads in (lambda: read_sweep(text), lambda: of_document(text, parameters("SC-29"))):
        try:
            reads()
        except BadSweep as bad:
            assert str(bad)
            assert worded_mistakes([bad], text, "en")
            outcome = "refused"
    return outcome


FORM = {
    "seeds": "20", "first_seed": "", "producers.p1.settings.retries": "0, 1", "choices.0.name": "c",
    "choices.0.path.0": "switches.duplicate_cache_size", "choices.0.0.name": "x", "choices.0.0.value.0": "3",
    "faults.0.name": "f", "faults.0.rates": "0.1, 0.3", "faults.0.kinds": "drop", "faults.0.places": "Produce",
    "faults.0.by_ms": "100", "faults.0.error": "NOT_ENOUGH_REPLICAS",
}  # fmt: skip


def a_form(chance: Random) -> tuple[str, str]:
    changed = {
        name: text_changed(
            value, chance, ("1", "-", ",", "=", "1e999", "٣", "9" * 50, '"', "[", "true", "..", "\0")
        )
        if chance.random() < 0.12
        else value
        for name, value in FORM.items()
    }
    return urlencode(changed), chance.choice((*sweeps(), a_sweep(chance), ""))


def write_a_form(asked: tuple[str, str]) -> str:
    known = parameters("SC-29")
    filled = of_form(QueryDict(asked[0]), known)
    try:
        text = write_form(asked[1], "SC-29", None, filled, known)
        read_sweep(text)
    except BadForm as bad:
        assert all(str(one) for one in bad.mistakes)
        return "refused"
    except (BadSweep, BadScenario):
        return "written, and wrong"
    return "written"


# -- JSON, addresses, search ---------------------------------------------------------------------------------


@cache
def a_step() -> bytes:
    simulation = Simulation(load(library()[1].document))
    steps = [simulation.step() for _ in range(12)]
    return msgspec.json.encode([step.to_json() for step in steps if step is not None][-1])


def a_message(chance: Random) -> bytes:
    message = chance.choice((*MESSAGES, *MESSAGES[2:4] * 5))
    if "conditions" in message and chance.random() < 0.8:
        rows = message["conditions"]
        changed = value_changed(rows, chance) if chance.random() < 0.6 else chance.sample(rows, 3)
        message = {**message, "conditions": changed}
    else:
        message = value_changed(message, chance)
    body = json.dumps(message, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return bytes_changed(body, chance) if chance.random() < 0.2 else body


def read_a_message(body: bytes) -> str:
    outcome = "refused"
    for reads in (read_message, read_new_session):
        try:
            message = reads(body)
        except Unreadable as unreadable:
            msgspec.json.encode(unreadable.problem.message(unreadable.re))
            continue
        outcome = "read"
        conditions = [*getattr(message, "breakpoints", ()), *getattr(message, "conditions", ())]
        try:
            matching.check(conditions, "conditions")
        except Problem as problem:
            msgspec.json.encode(problem.message(None))
            return "unknown name"
        matching.holding(a_step(), conditions)
    return outcome


LIKELY_VALUES: Sequence[Any] = (
    0, 1, 2, 9, "p1", "broker-2", "broker-9", "zookeeper", "t-1", "t-9", "__transaction_state-0", "clients.p1.x",
    "clients.p1.acks", "switches.epoch_check", "cluster.brokers", "a.b.c.d.e", True, "all",
)  # fmt: skip


def an_intervention(chance: Random) -> Json:
    asked = chance.choice(INTERVENTIONS)
    for name in asked:
        if name != "action" and chance.random() < 0.5:
            value = chance.choice(ODD_VALUES if chance.random() < 0.3 else LIKELY_VALUES)
            asked = {**asked, name: value}
    return {"after": chance.randrange(12), "intervention": asked}


def intervene(asked: Json) -> str:
    """Read the intervention as a socket does and, if it is accepted, carry it out in a run."""
    message = {**MESSAGES[1], "type": "intervene", "branch": "1", **asked}
    del message["count"], message["ahead"]
    try:
        read = read_message(json.dumps(message).encode())
    except Unreadable:
        return "refused"
    assert isinstance(read, Intervene)
    done = [{**msgspec.to_builtins(read.intervention), "after": asked["after"]}]
    try:
        Simulation(load(library()[1].document), done).run(steps=STEPS_PLAYED)
    except Refused as refused:
        assert refused.reason and refused.remedy
        return "not possible"
    return "done"


def an_address(chance: Random) -> str:
    return text_changed(
        chance.choice(QUERIES),
        chance,
        ("%00", "%ff", "=", "&", ";", "+", "9", "٣", "-1", "%", "step", "done", "."),
    )


def read_an_address(query: str) -> str:
    try:
        link = read_link("SC-01", "abcdef", QueryDict(query))
    except TooManyFieldsSent:
        return "too many fields"  # Django answers 400
    except Problem as problem:
        msgspec.json.encode(problem.message(None))
        return "refused"
    assert link.query() is not None and link.digest
    return "read"


def a_question(chance: Random) -> str:
    pieces = ("LSO", "(", ")", "[", "\\", "*", ".", "ﷺ", "Ａ", "İ", "ß", "\0", "事务", "?", "|", "^", " ")
    return text_changed("last stable offset INVALID_PRODUCER_EPOCH 9", chance, pieces)[:100]


def answer_a_question(question: str) -> str:
    found = answer(question, "en").found
    return "found" if any(found.values()) else "nothing found"


def a_lesson(chance: Random) -> str:
    pieces = (
        "[", "](", ")", "![", "`", "```\n", "*", "**", "_", "> ", "- ", "1. ", "<a ", "&#0;", "\n", "\t", "#",
        "|a|\n|-|\n", "<!--", "http://", "javascript:", "step:1", "\\", "~~~\n", "]: b\n", "\0", "\u202e", "<script>",
    )  # fmt: skip
    return text_changed(
        "# See\n\n![the lanes](step:12) and **retry** [x](https://a.b) `c`\n\n- a\n  - b\n", chance, pieces
    )


_ADDRESSES = re.compile(r'(?:href|src)="([^"]*)"')


def show_a_lesson(text: str) -> str:
    made = lesson_html(text, lambda variant, step: None)
    assert "<script" not in made
    assert all(address.startswith(("https://", "http://", "/")) for address in _ADDRESSES.findall(made)), made
    return "shown"


# -- replays and logs ----------------------------------------------------------------------------------------


@cache
def replay() -> Whole:
    packed = (TESTS / "replays" / "versions" / "1.eosviz.jsonl.gz").read_bytes()
    lines = gzip.decompress(packed).splitlines(keepends=True)
    return Whole(gzip.compress(b"".join(lines), 1, mtime=0), b"<!doctype html>", b"PAR1")


def a_replay(chance: Random) -> bytes:
    return hostile(replay(), chance.getrandbits(32))


def read_a_replay(file: bytes) -> str:
    if file.startswith(b"PAR1"):
        return "in a process of its own"
    try:
        carriers.read(io.BytesIO(file))
    except ReplayRefused as refused:
        assert str(refused) != f"[{refused.key}]"
        return "refused"
    return "taken"


@cache
def folders() -> Sequence[dict[str, bytes]]:
    """Return small partitions: one of each codec, and those of Kafka's own topics."""
    wanted = [*sorted((LOGS / "i_compression").iterdir()), *sorted((LOGS / "h2_open").iterdir())]
    wanted += sorted((LOGS / "_internal").iterdir())
    found = []
    for folder in wanted:
        files = (
            {f"{folder.name}/{path.name}": path.read_bytes() for path in sorted(folder.glob("*"))}
            if folder.is_dir()
            else {}
        )
        if files and sum(map(len, files.values())) < 100_000:
            found.append(files)
    return found


BATCH_HEADER = 61
CRC_AT, CRC_FROM = 17, 21


def a_folder(chance: Random) -> dict[str, bytes]:
    """Return a partition's files, one of them changed. If it is a segment, the checksum of its first batch is in most
    cases made valid again.
    """
    files = dict(chance.choice(folders()))
    name = chance.choice(sorted(files))
    made = bytearray(bytes_changed(files[name], chance))
    if name.endswith(".log") and len(made) > BATCH_HEADER and chance.random() < 0.7:
        end = min(len(made), 12 + int.from_bytes(made[8:12], "big", signed=True))
        if end > CRC_FROM:
            made[CRC_AT:CRC_FROM] = crc32c(bytes(made[CRC_FROM:end])).to_bytes(4, "big")
    files[name] = bytes(made)
    return files


def read_a_folder(files: dict[str, bytes]) -> str:
    written: list[str] = []
    code = decode_command(files, True, written.append)
    assert code in (0, 2, 3)
    try:
        case = log_case(files)
    except NotALogError:
        return "no log"
    msgspec.json.encode([case.header, case.view, case.steps])
    return "damaged" if code else "whole"


@cache
def cases() -> Sequence[dict[str, bytes]]:
    """Return whole cases: partitions and the coordinator's log. None of their open transactions has ended."""
    wanted = [
        (LOGS / "h2_open", LOGS / "_internal"),
        *((one,) for one in sorted((LOGS / "incidents").iterdir())),
    ]
    return [
        {
            f"{path.parent.name}/{path.name}": path.read_bytes()
            for folder in folders
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in (".txt", ".json", ".timeindex")
        }
        for folders in wanted
    ]


def a_case(chance: Random) -> dict[str, bytes]:
    """Return a case in which files are missing, cut, changed, or have the name of another one."""
    files = dict(chance.choice(cases()))
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(sorted(files))
        match chance.randrange(5):
            case 0 if len(files) > 1:
                del files[name]
            case 1:
                files[name] = files[name][: chance.randint(0, len(files[name]))]
            case 2:
                moved = chance.choice(sorted(files)).rpartition("/")[0]
                files[f"{moved}/{chance.choice((name, *files)).rpartition('/')[2]}"] = files[name]
            case _:
                files[name] = bytes_changed(files[name], chance)
    return files


ABORTING = ("orphan", "fenced_writer", "late_write_after_marker")


def judge_a_case(files: dict[str, bytes]) -> str:
    """No change of bytes may lead to the advice to abort: if a checksum covers the changed bytes, they count as
    damage, and the other bytes contain no new record.
    """
    from eosviz.pipeline.kafka_logs.case import document, read_case
    from eosviz.pipeline.kafka_logs.words import as_kept

    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        try:
            found = document(read_case([Path(folder)], Declared(one_cluster=True)), as_kept)
        except LogsError as error:
            assert str(error)
            return "refused"
    msgspec.json.encode(found)
    kinds = {one[name] for one in found["verdicts"] for name in ("kind", "rests_on")}
    assert not kinds.intersection(ABORTING), kinds
    return "undecided" if "undecided" in kinds else "judged"


@cache
def dumps() -> Sequence[str]:
    from tests.pipeline.kafka_logs.test_log_line_work import DUMPED
    from tests.pipeline.kafka_logs.test_log_lines import LINES

    files = sorted((LOGS / "wire_tv2").rglob("*.dump.txt"), key=lambda path: path.stat().st_size)[:12]
    return [path.read_text(encoding="utf-8")[:8_000] for path in files] + [
        "\n".join(LINES.values()),
        "\n".join(DUMPED),
    ]


def a_dump(chance: Random) -> str:
    pieces = (
        "9" * 30,
        "-1",
        "null",
        "OptionalLong[",
        "a: ",
        "offset: ",
        "| offset: 0 ",
        "payload: ",
        "\t",
        "[",
        "{",
        "é",
        "٣",
    )
    return lines_changed(chance.choice(dumps()), chance, pieces)


def read_a_dump(text: str) -> str:
    reader = TextReader()
    reader.read(Path("t-0/pasted.txt"), io.StringIO(text))
    reading = reader.finish()
    for partition in reading.partitions.values():
        partition.folded()
    return "used" if reading.used else "left out"


@cache
def bundle() -> bytes:
    from eosviz.pipeline.kafka_logs.bundle_writing import save
    from eosviz.pipeline.kafka_logs.case import read_case

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.eosviz-log"
        save(read_case([LOGS / "h2_open", LOGS / "_internal"]), path)
        return gzip.decompress(path.read_bytes())


def a_bundle(chance: Random) -> bytes:
    lines = bundle().splitlines()
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines))
        if chance.random() < 0.7:
            try:
                lines[at] = json.dumps(value_changed(json.loads(lines[at]), chance)).encode()
            except ValueError:
                lines[at] = bytes_changed(lines[at], chance)
        else:
            lines[at] = bytes_changed(lines[at], chance)
    packed = gzip.compress(b"".join(line + b"\n" for line in lines), 1, mtime=0)
    return bytes_changed(packed, chance) if chance.random() < 0.1 else packed


def read_a_bundle(content: bytes) -> str:
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        try:
            read_bundles([Path(file.name)])
        except LogsError as error:
            assert str(error)
            return "refused"
    return "taken"


@cache
def vectors() -> Sequence[Json]:
    files = sorted(VECTORS.glob("*.json"), key=lambda path: path.stat().st_size)[:8]
    return [json.loads(path.read_text(encoding="utf-8")) for path in files]


def some_vectors(chance: Random) -> Json:
    made = value_changed(chance.choice(vectors()), chance)
    return made if isinstance(made, dict) else {"cases": made}


def play_vectors(document: Json) -> str:
    try:
        run_file("x.json", document, Report())
    except ValueError as error:
        assert str(error)
        return "refused"
    return "played"


@cache
def requests() -> Sequence[bytes]:
    """Return one request of each API and version, as clients sent it."""
    return list({(api, version): data for api, version, data, _ in exchanges()}.values())


def a_request(chance: Random) -> bytes:
    return bytes_changed(chance.choice(requests()), chance)


def read_a_request(content: bytes) -> str:
    try:
        request = read_request(content, KeptRecords())
    except WireError as error:
        assert str(error)
        return "refused"
    return request.api


TARGETS: dict[str, Target] = {
    "toml": Target(a_document, read_document),
    "edit": Target(an_edited_document, edit_document),
    "sweep": Target(a_sweep, read_a_sweep),
    "form": Target(a_form, write_a_form),
    "message": Target(a_message, read_a_message),
    "intervention": Target(an_intervention, intervene),
    "address": Target(an_address, read_an_address),
    "question": Target(a_question, answer_a_question),
    "lesson": Target(a_lesson, show_a_lesson),
    "replay": Target(a_replay, read_a_replay),
    "folder": Target(a_folder, read_a_folder),
    "case": Target(a_case, judge_a_case),
    "dump": Target(a_dump, read_a_dump),
    "bundle": Target(a_bundle, read_a_bundle),
    "vectors": Target(some_vectors, play_vectors),
    "request": Target(a_request, read_a_request),
}

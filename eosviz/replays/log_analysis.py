"""Analyses the files of a log case: a broker's files, printed text or a bundle. The results are the columns
of the case's row, its player file and its bundle.

Files of users are analysed in a bounded process (`eosviz/bounded`), because they may contain anything: a
small compressed block may unpack to hundreds of megabytes, and a text may name a million partitions. So this
module does not import Django.

The player file is written to the process's folder as `player`. If the case has verdicts and not too many
batches, `bundle` (docs/logs.md) is also written.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.codec.log_case import (
    STEPS_MAX,
    TITLE_PARTITIONS_MAX,
    LogCase,
    NotALogError,
    PrintedPartition,
    log_case,
)
from engine.scenario.header import ENGINE_VERSION
from eosviz.catalogue import LANGUAGES
from eosviz.catalogue.joins import listed
from eosviz.pipeline.kafka_logs.compiled import segment_reader
from eosviz.pipeline.kafka_logs.declared import ContradictedError
from eosviz.pipeline.kafka_logs.lone_files import most_informative
from eosviz.pipeline.kafka_logs.previews import Preview, previews_of
from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.words import as_kept
from eosviz.replays import player_file
from eosviz.replays.checking import verified
from eosviz.replays.log_branches import WRITTEN, add_previews, branches_of, folded
from eosviz.replays.log_drawing import ends_of
from eosviz.replays.log_files import given_files, is_bundle, laid_out
from eosviz.replays.log_options import LogOptions
from eosviz.replays.past_holds import longest_hold
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.storable import storable

KEPT_MAX = {"partitions": 400, "verdicts": 500, "groups": 500, "transactions": 2000, "copies": 400,
            "log_lines": 500}  # fmt: skip
"""Of each list, at most this many entries are stored. The page says how many there were."""
BUNDLED_BATCHES_MAX = 50_000
"""The analysis makes a bundle only if this would have at most this many batches."""
PLAYER, BUNDLE = "player", "bundle"
_LAID_OUT = "laid out"
_REFUSED_TEXTS = ("no_partition", "no_file", "no_records", "index", "foreign")
"""Reasons why no line of a text is used (`text_reader.Skipped`). If several apply, the first of them is
stated, because its remedy is the most useful. The sentences are `replays.refused.text_<reason>`."""

Json = dict[str, Any]


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """The question of an analysis. `folder`: of the upload. `identity`: the id that the replay will have.
    `verdicts`: whether transactions are to be judged, or only shown."""

    folder: str
    identity: str
    options: LogOptions = LogOptions()
    verdicts: bool = True


class Row(msgspec.Struct, kw_only=True):
    """Those columns of a replay's row that the analysis determines. `analysis`: the document of docs/logs.md
    with shortened lists; `{"too_much": true}` if judging took too much time or memory; None if the files can
    be shown and not judged."""

    title: dict[str, str]
    engine: str
    digest: str
    steps: int
    analysis: Json | None
    finding: Json


def analyse(question: bytes, out: Path) -> bytes:
    """The function of the bounded process. `question`: an `Asked` as JSON. Returns a `Row` as JSON. Damage in
    the files is part of the result. Raises ReplayRefused if nothing can be shown, or if the options
    contradict the files."""
    asked = msgspec.json.decode(question, type=Asked)
    folder = Path(asked.folder)
    given = given_files(folder)
    document: Json | None = None if asked.verdicts else {"too_much": True}
    lanes: Sequence[PrintedPartition] = ()
    paths = laid_out(given, folder, out / _LAID_OUT) if asked.verdicts else []
    if paths:
        document, lanes = _judged(paths, asked.options, out)
    files = {one.path: (folder / one.place).read_bytes() for one in given}
    previews = previews_of(document or {})
    try:
        case = log_case(files, segment_reader(), lanes, [one.ending for one in previews])
    except NotALogError as error:
        if not (document or {}).get("partitions") and not (document or {}).get("log_lines"):
            raise _refusal(files, document or {}, error) from error
        case = _printed_case(document or {})
    row, player = stored(case, document, asked.identity, previews)
    (out / PLAYER).write_bytes(player)
    return msgspec.json.encode(row)


def _judged(
    paths: Sequence[Path], options: LogOptions, out: Path
) -> tuple[Json | None, Sequence[PrintedPartition]]:
    """The case's document, or None if the files make no case; and the lanes of partitions from text or a
    bundle. Writes the case's bundle to `out`. Raises ReplayRefused if the options contradict the files."""
    from eosviz.pipeline.kafka_logs.case import document, read_case
    from eosviz.pipeline.kafka_logs.printed_lanes import lane_lines, read_lanes

    try:
        case = read_case(paths, options.declared())
        found = document(case, as_kept)
    except ContradictedError as error:
        raise ReplayRefused.keyed(error.sentence.key, error.sentence.params) from error
    except LogsError:
        return None, ()
    lanes = io.BytesIO()
    lanes.writelines(lane_lines(case, STEPS_MAX + 1))
    _leave_bundle(case, out)
    return bounded(found), read_lanes(lanes.getvalue().splitlines())


def _leave_bundle(case: Any, out: Path) -> None:
    from eosviz.pipeline.kafka_logs.bundle_writing import bundle_lines_of, write

    try:
        body = bundle_lines_of(case, batches_max=BUNDLED_BATCHES_MAX)
    except LogsError:
        # There are too many batches; the page says what to do instead.
        return
    with (out / BUNDLE).open("wb") as file:
        write(body, file)


def _refusal(files: Mapping[str, bytes], document: Json, error: NotALogError) -> ReplayRefused:
    """The refusal for files that are no log. It says what is missing, if the files show that."""
    if any(is_bundle(path, content[:16]) for path, content in files.items()):
        return ReplayRefused("no_bundle")
    alone = most_informative(files)
    if alone is not None:
        return ReplayRefused.keyed(alone.key, alone.params)
    text = document.get("text")
    if text is not None and text["files"] == len(files):
        missing = next((reason for reason in _REFUSED_TEXTS if reason in text["skipped"]), None)
        if missing is not None:
            return ReplayRefused(f"text_{missing}", lines=text["lines"])
    return ReplayRefused.keyed(error.key, error.params)


def bounded(found: Json) -> Json:
    """The document in the form in which it is stored, with shortened lists. `counts` in it has the full
    length of each list in KEPT_MAX. Modifies `found`."""
    counts = {name: len(found[name]) for name in KEPT_MAX}
    open_first = sorted(found["transactions"], key=lambda one: one["result"] != "open")
    kept = {
        name: (open_first if name == "transactions" else found[name])[:most]
        for name, most in KEPT_MAX.items()
    }
    for verdict in found["verdicts"]:
        # A remedy may have as many ranges as the log has aborted transactions, so they are left out. The page
        # shows only the offset.
        if verdict["remedy"] is not None:
            del verdict["remedy"]["visible_read_committed"]
        verdict["notes"] = verdict["notes"][:20]
    for partition in (*found["partitions"], *found["copies"]):
        del partition["path"]
    found["left_out"] = len(found["left_out"])
    left_out = ("paths", "producers", "visible_read_committed", "visible_read_uncommitted", "not_listed")
    rest = {name: value for name, value in found.items() if name not in left_out and name not in kept}
    if rest["text"] is not None:
        rest["text"]["files"] = len(rest["text"]["files"])
    return rest | kept | {"counts": counts}


def stored(
    case: LogCase, analysis: Json | None, identity: str, previews: Sequence[Preview] = ()
) -> tuple[Row, bytes]:
    """The row and the gzipped player file of a log case. ``previews``: the previews with which ``case`` was
    made."""
    verdicts = (analysis or {}).get("verdicts", [])
    _add_steps(verdicts, case.steps)
    add_previews(verdicts, case, previews)
    title, engine = storable(case.header["title"]), case.header["engine"]
    finding = {
        "partitions": case.header["partitions"],
        "not_read": [{"path": unread.path, "kind": unread.kind.name.lower()} for unread in case.not_read],
        "shortened": case.shortened,
    }
    branches, steps = branches_of(case, previews)
    plans, derived = folded(case, branches, steps)
    if analysis is not None and "verdicts" in analysis:
        analysis["ends"] = _ends(analysis, case, plans)
        analysis["held"] = longest_hold(case.steps, case.header.get("time_origin"), plans[WRITTEN]["hues"])
    fields = {
        "v": 1,
        "kind": "log",
        "session": {"id": identity, "title": title, "scenario": None, "variant": None},
        "header": case.header,
        "verified": verified("log", engine, len(case.steps), storable(finding), None),
        "branches": branches,
        "view": case.view,
        "plans": plans,
        "derived": derived,
        "why": case.why,
    }
    player = player_file.pack(fields, player_file.pack_steps(steps))
    row = Row(
        title=title,
        engine=engine,
        digest=hashlib.sha256(player).hexdigest(),
        steps=len(case.steps),
        analysis=storable(analysis),
        finding=storable(finding),
    )
    return row, player


def _ends(analysis: Json, case: LogCase, plans: Mapping[str, Json]) -> Json:
    """Dict of partition → the data of its drawing (`log_drawing.ends_of`), for partitions with an open
    transaction. Empty for a shortened case."""
    waits = {one["partition"] for one in analysis["verdicts"] if one["producer_id"] is not None}
    stable = {
        one["name"]: one["last_stable_offset"] for one in analysis["partitions"] if one["name"] in waits
    }
    if case.shortened:
        return {}
    return ends_of(case.steps, stable, plans[WRITTEN]["hues"])


def stored_in_place(document: Json, identity: str) -> tuple[Row, bytes]:
    """The row and the gzipped player file of a case that the command `logs` has read. The player file has no
    steps."""
    return stored(_printed_case(document), bounded(document), identity)


def _printed_case(analysis: Json) -> LogCase:
    """The log case for a document of the command `logs`. It has no steps."""
    named = [partition["name"] for partition in analysis["partitions"]]
    # The log lines of a client may name no partition. Then the title names their file.
    first = named[:TITLE_PARTITIONS_MAX] or [analysis["log_lines"][0]["place"].partition(": ")[0]]
    header = {
        "title": {language: listed(first, language) for language in LANGUAGES},
        "engine": ENGINE_VERSION,
        "partitions": named,
    }
    return LogCase(header=header, view={}, steps=[], not_read=(), shortened=False)


def _add_steps(verdicts: list[Json], steps: list[Json]) -> None:
    """Add `step` to each verdict: the number of the step that stores the transaction's first batch; 0 if
    there is none."""
    found: dict[tuple[str, int], int] = {}
    for step in steps:
        for change in step["changes"]:
            match change["path"]:
                case ["partitions", partition, "replicas", _, "batches", offset]:
                    found.setdefault((partition, int(offset)), step["number"])
    for verdict in verdicts:
        verdict["step"] = found.get((verdict["partition"], verdict["first_offset"]), 0)

"""What can be done with replays. Commands, pages and the API are doors to these functions."""

import hashlib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import msgspec
from django.db import transaction

from engine.codec.log_case import TITLE_PARTITIONS_MAX, LogCase, NotALogError, log_case
from engine.scenario.header import ENGINE_VERSION
from eosviz.pipeline.kafka_logs.compiled import segment_reader
from eosviz.pipeline.kafka_logs.lone_files import most_telling
from eosviz.pipeline.kafka_logs.previews import Preview, previews_of
from eosviz.replays import format, player_file, writing
from eosviz.replays.bringing import brought
from eosviz.replays.checking import verified
from eosviz.replays.log_analysis import Analysis, analyse, bounded, is_bundle
from eosviz.replays.log_branches import branches_of, tell_previews
from eosviz.replays.models import Replay, ReplayFile
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.storable import storable
from eosviz.walkthroughs.models import (
    Branch,
    Keyframe,
    Session,
    Step,
    Stretch,
    line_interventions,
    line_stretches,
)

REPLAY_ENDING = ".eosviz.jsonl.gz"
_STEPS_READ_AT_ONCE = 500


def export_session(
    session: Session, branch: Branch | None = None, each: Callable[[], None] | None = None
) -> Iterator[bytes]:
    """The session's replay file in pieces: everything stored when this is called. With ``branch`` only its line,
    from the beginning to its newest step, as one branch. ``each`` is called after each step."""
    branches = list(Branch.objects.of_session(session.id))
    if branch is None:
        told, stretches = [_told(one) for one in branches], [_own(one) for one in branches]
    else:
        line = Branch.objects.line(branch)
        told, stretches = [_told_line(line)], line_stretches(line, 1, branch.newest)
    steps = _stored_steps(stretches, None if branch is None else str(branch.id), each)
    return writing.write(_header(session, branches[0], told), steps)


def file_name(session: Session, branch: Branch | None = None, ending: str = REPLAY_ENDING) -> str:
    """What a download of this session, or of one branch, is called. Holds no character that a person chose."""
    variant = f"-{session.variant}" if session.variant else ""
    named = "" if branch is None else f"-{branch.id}"
    return f"{session.version.identifier}{variant}-{str(session.id)[:8]}{named}{ending}"


def _header(session: Session, first: Branch, told: list[dict[str, Any]]) -> format.Header:
    frame_header = session.decoded_header
    first_view = Keyframe.objects.get(branch=first, number=0)
    return format.convert(
        {
            "type": "header",
            "schema": format.SCHEMA,
            "engine": frame_header["engine"],
            "title": frame_header["title"],
            "scenario": session.version.document,
            "variant": session.variant,
            "profile": frame_header["profile"],
            "header": frame_header,
            "view": msgspec.json.decode(first_view.view_json),
            "branches": told,
        },
        format.Header,
    )


def _told(branch: Branch) -> dict[str, Any]:
    return {
        "id": str(branch.id),
        "name": branch.name,
        "parent": None if branch.parent_id is None else str(branch.parent_id),
        "leaves_at": branch.leaves_at,
        "newest": branch.newest,
        "finished": branch.finished,
        "interventions": branch.interventions,
    }


def _told_line(line: list[Branch]) -> dict[str, Any]:
    """A branch with what it shares with its ancestors, as if nothing had ever left it."""
    return _told(line[-1]) | {"parent": None, "leaves_at": 0, "interventions": line_interventions(line)}


def _own(branch: Branch) -> Stretch:
    return Stretch(branch.id, branch.leaves_at + 1, branch.newest)


def _stored_steps(
    stretches: list[Stretch], named: str | None, each: Callable[[], None] | None
) -> Iterator[tuple[str, Any]]:
    """``named``: the one branch that all of them belong to in the file."""
    for stretch in stretches:
        for first in range(stretch.first, stretch.last + 1, _STEPS_READ_AT_ONCE):
            last = min(first + _STEPS_READ_AT_ONCE - 1, stretch.last)
            stored = Step.objects.filter(branch_id=stretch.branch_id, number__range=(first, last))
            for body in stored.order_by("number").bodies():
                yield named or str(stretch.branch_id), msgspec.json.decode(body)
                if each is not None:
                    each()


def import_replay(file: BinaryIO, owner: str) -> Replay:
    """Read any form, check, run again and store. Raises ReplayRefused; then nothing was stored."""
    ReplayRefused.check_quota(owner, "replays")
    identity = uuid.uuid4()
    found = brought(file, str(identity))
    row = msgspec.structs.asdict(found.row)
    return _keep(
        Replay(id=identity, owner=owner, kind="session", player=found.player, **row), "replays", found.file
    )


def _keep(replay: Replay, quota: str, file: bytes = b"") -> Replay:
    """Others may have stored something of this person's meanwhile, and only now its size is known."""
    with transaction.atomic():
        ReplayRefused.check_quota(replay.owner, quota)
        size = len(replay.player) + len(file) + len(replay.bundle or b"")
        ReplayRefused.check_quota(replay.owner, "replay_bytes", size)
        replay.save(force_insert=True)
        if file:
            ReplayFile.objects.create(replay=replay, content=file)
    return replay


def open_log(files: Mapping[str, bytes], owner: str) -> Replay:
    """Make and store the log case of a broker's files (path to content). Raises ReplayRefused when none of
    them can be shown; damage inside them is shown and never refused."""
    ReplayRefused.check_quota(owner, "cases")
    if not files:
        raise ReplayRefused("no_log_file")
    analysis = analyse(files)
    previews = previews_of(analysis.document or {})
    try:
        case = log_case(files, segment_reader(), analysis.told, [one.ending for one in previews])
    except NotALogError as error:
        document = analysis.document or {}
        if not document.get("partitions") and not document.get("log_lines"):
            if any(is_bundle(path, content) for path, content in files.items()):
                raise ReplayRefused("no_bundle") from error
            alone = most_telling(files)
            if alone is not None:
                raise ReplayRefused.said(alone.key, alone.params) from error
            raise ReplayRefused.said(error.key, error.params) from error
        case = _printed_case(document)
    return _store_log(case, analysis, owner, previews)


def keep_case(document: dict[str, Any]) -> Replay:
    """Store what a case that was read in place says: its summary, whatever the size of the files. It belongs to
    nobody, as what the command line brings. ``document``: with keys and parameters for sentences.
    """
    return _store_log(_printed_case(document), Analysis(bounded(document)), owner="")


def _printed_case(analysis: dict[str, Any]) -> LogCase:
    """A case of tables and log lines: it has verdicts, and no batches to step through."""
    named = [partition["name"] for partition in analysis["partitions"]]
    # Lines of a client's log name no partition.
    title = ", ".join(named[:TITLE_PARTITIONS_MAX]) or analysis["log_lines"][0]["place"].partition(": ")[0]
    header = {
        "title": {"en": title, "zh-Hans": title},
        "engine": ENGINE_VERSION,
        "partitions": [partition["name"] for partition in analysis["partitions"]],
    }
    return LogCase(header=header, view={}, steps=[], not_read=(), shortened=False)


def _tell_steps(verdicts: list[dict[str, Any]], steps: list[dict[str, Any]]) -> None:
    """Beside each verdict the step that stores the batch which it is about; 0 where none does."""
    stored: dict[tuple[str, int], int] = {}
    for step in steps:
        for change in step["changes"]:
            match change["path"]:
                case ["partitions", partition, "replicas", _, "batches", offset]:
                    stored.setdefault((partition, int(offset)), step["number"])
    for verdict in verdicts:
        verdict["step"] = stored.get((verdict["partition"], verdict["first_offset"]), 0)


def _store_log(case: LogCase, analysis: Analysis, owner: str, previews: Sequence[Preview] = ()) -> Replay:
    identity = uuid.uuid4()
    verdicts = (analysis.document or {}).get("verdicts", [])
    _tell_steps(verdicts, case.steps)
    tell_previews(verdicts, case, previews)
    replay = Replay(
        id=identity,
        owner=owner,
        kind="log",
        title=storable(case.header["title"]),
        engine=case.header["engine"],
        steps=len(case.steps),
        state="log",
        analysis=storable(analysis.document),
        bundle=analysis.bundle,
        finding=storable(
            {
                "partitions": case.header["partitions"],
                "not_read": [
                    {"path": unread.path, "kind": unread.kind.name.lower()} for unread in case.not_read
                ],
                "shortened": case.shortened,
            }
        ),
    )
    branches, steps = branches_of(case, previews)
    fields = {
        "v": 1,
        "kind": "log",
        "session": {"id": str(identity), "title": replay.title, "scenario": None, "variant": None},
        "header": case.header,
        "verified": verified("log", replay.engine, replay.steps, replay.finding, None),
        "branches": branches,
        "view": case.view,
    }
    replay.player = player_file.pack(fields, player_file.pack_steps(steps))
    replay.digest = hashlib.sha256(bytes(replay.player)).hexdigest()
    return _keep(replay, "cases")

"""Exports sessions as replay files, and reads and stores replays and log cases."""

import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from django.db import transaction

from eosviz import quotas
from eosviz.bounded import runner
from eosviz.bounded.refusing import BeyondBounds, NoAnswer, Refused
from eosviz.bounded.register import Caller, caller
from eosviz.bounded.tasks import TASKS
from eosviz.replays import bounded_check, format, log_analysis, writing
from eosviz.replays.log_options import LogOptions
from eosviz.replays.models import Replay, ReplayFile
from eosviz.replays.refusal import ReplayRefused
from eosviz.walkthroughs.models import (
    Branch,
    Intervention,
    Keyframe,
    Made,
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
    """The session's replay file in pieces, with the steps that are stored at the time of the call. With
    ``branch`` it contains only this branch and the steps that it shares with its ancestors, as one branch
    without a parent. ``each`` is called after each step."""
    branches = list(Branch.objects.of_session(session.id))
    if branch is None:
        made = Intervention.objects.by_branch(branches)
        described = [_described(one, made[one.id]) for one in branches]
        stretches = [_own(one) for one in branches]
    else:
        line = Branch.objects.line(branch)
        described, stretches = [_described_line(line)], line_stretches(line, 1, branch.newest)
    steps = _stored_steps(stretches, None if branch is None else str(branch.id), each)
    return writing.write(_header(session, branches[0], described), steps)


def file_name(session: Session, branch: Branch | None = None, ending: str = REPLAY_ENDING) -> str:
    """The file's name for a download of this session or of one of its branches."""
    variant = f"-{session.variant}" if session.variant else ""
    named = "" if branch is None else f"-{branch.id}"
    return f"{session.version.identifier}{variant}-{str(session.id)[:8]}{named}{ending}"


def _header(session: Session, first: Branch, described: list[dict[str, Any]]) -> format.Header:
    frame_header = session.decoded_header
    first_view = Keyframe.objects.get(branch=first, number=0)
    header: format.Header = format.convert(
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
            "branches": described,
        },
        format.Header,
    )
    return header


def _described(branch: Branch, interventions: list[Made]) -> dict[str, Any]:
    return {
        "id": str(branch.id),
        "name": branch.name,
        "parent": None if branch.parent_id is None else str(branch.parent_id),
        "leaves_at": branch.leaves_at,
        "newest": branch.newest,
        "finished": branch.finished,
        "interventions": interventions,
    }


def _described_line(line: list[Branch]) -> dict[str, Any]:
    """Describes a branch with its ancestors as one branch without a parent, for the file's header."""
    return _described(line[-1], line_interventions(line)) | {"parent": None, "leaves_at": 0}


def _own(branch: Branch) -> Stretch:
    return Stretch(branch.id, branch.leaves_at + 1, branch.newest)


def _stored_steps(
    stretches: list[Stretch], named: str | None, each: Callable[[], None] | None
) -> Iterator[tuple[str, Any]]:
    """(branch id, step) of each step in ``stretches``. ``named``: the id that all steps get; None: each gets
    that of its own branch."""
    for stretch in stretches:
        for first in range(stretch.first, stretch.last + 1, _STEPS_READ_AT_ONCE):
            last = min(first + _STEPS_READ_AT_ONCE - 1, stretch.last)
            stored = Step.objects.filter(branch_id=stretch.branch_id, number__range=(first, last))
            for body in stored.order_by("number").bodies():
                yield named or str(stretch.branch_id), msgspec.json.decode(body)
                if each is not None:
                    each()


def import_replay(file: BinaryIO, owner: str) -> Replay:
    """Read a replay in any form, check it, run its scenario again, and store it. If it is refused, raises
    ReplayRefused and stores nothing."""
    quotas.check(owner, "replays", refused=ReplayRefused)
    with tempfile.NamedTemporaryFile(prefix="eosviz-replay-") as given:
        shutil.copyfileobj(file, given)
        given.flush()
        try:
            replay, content = read_replay(Path(given.name), owner, caller(owner))
        except NoAnswer as none:
            raise ReplayRefused.keyed(none.key, none.params) from none
    return keep(replay, "replays", content)


def read_replay(path: Path, owner: str, asks: Caller, name: str | None = None) -> tuple[Replay, bytes]:
    """Read a replay file in any form. Returns the replay, which is not stored yet, and its replay file.
    `name`: the name of the request in the queue of bounded processes, or None. Raises `bounded.Refused` if
    the file is refused, AlreadyThere if the name is in use, and Busy, BeyondBounds, Cancelled or Stopped if
    the process did not finish."""
    identity = uuid.uuid4()
    with path.open("rb") as file:
        task = TASKS[
            "parquet_replay" if file.read(len(bounded_check.PARQUET)) == bounded_check.PARQUET else "replay"
        ]
    with runner.run(task, bounded_check.Asked(str(path), str(identity)), asks, name=name) as done:
        row = msgspec.structs.asdict(msgspec.json.decode(done.answer, type=bounded_check.Row))
        player = (done.folder / bounded_check.PLAYER).read_bytes()
        replay = Replay(id=identity, owner=owner, kind="session", player=player, **row)
        return replay, (done.folder / bounded_check.REPLAY).read_bytes()


def read_log(folder: Path, owner: str, options: LogOptions, asks: Caller, name: str | None = None) -> Replay:
    """Make a log case of the files of an upload. It is not stored yet. `name` and the exceptions are those of
    `read_replay`. Refused means that nothing in the files can be shown, or that the options contradict the
    files."""
    asked = log_analysis.Asked(str(folder), str(uuid.uuid4()), options)
    try:
        return _log_case("log", asked, owner, asks, name)
    except BeyondBounds as beyond:
        # A case without verdicts takes much less memory and time. Its page says that it has no verdicts.
        asked.verdicts = False
        try:
            return _log_case("log_steps", asked, owner, asks, name)
        except Refused:
            raise beyond from None


def log_in_place(folder: Path, out: Path, options: LogOptions, identity: str) -> Replay:
    """Make a log case of files that do not come from a user, in this process and without limits. It is not
    stored yet and has no owner. `folder`: has the structure of an upload (`log_upload.py`). `out`: an empty
    folder."""
    asked = log_analysis.Asked(str(folder), identity, options)
    return _left_case(asked, "", log_analysis.analyse(msgspec.json.encode(asked), out), out)


def _log_case(task: str, asked: log_analysis.Asked, owner: str, asks: Caller, name: str | None) -> Replay:
    with runner.run(TASKS[task], asked, asks, name=name) as done:
        return _left_case(asked, owner, done.answer, done.folder)


def _left_case(asked: log_analysis.Asked, owner: str, answer: bytes, folder: Path) -> Replay:
    """The log case for the answer of an analysis and the files that it left in `folder`."""
    row = msgspec.json.decode(answer, type=log_analysis.Row)
    player = (folder / log_analysis.PLAYER).read_bytes()
    bundle = folder / log_analysis.BUNDLE
    return _log_replay(asked.identity, owner, row, player, bundle.read_bytes() if bundle.exists() else None)


def _log_replay(
    identity: str, owner: str, row: log_analysis.Row, player: bytes, bundle: bytes | None
) -> Replay:
    columns = msgspec.structs.asdict(row)
    return Replay(
        id=uuid.UUID(identity), owner=owner, kind="log", state="log", player=player, bundle=bundle, **columns
    )


def keep_case(document: dict[str, Any]) -> Replay:
    """Store a log case that the command `logs` has read. It has no steps and no owner. ``document``: that of
    the case (docs/logs.md), which is modified."""
    identity = str(uuid.uuid4())
    row, player = log_analysis.stored_in_place(document, identity)
    return keep(_log_replay(identity, "", row, player, None), "cases")


def keep(replay: Replay, quota: str, file: bytes = b"") -> Replay:
    """Store a replay. `file`: its replay file, if there is one. Raises ReplayRefused if a quota of its owner
    is exceeded."""
    with transaction.atomic():
        quotas.check(replay.owner, quota, refused=ReplayRefused)
        size = len(replay.player) + len(file) + len(replay.bundle or b"")
        quotas.check(replay.owner, "replay_bytes", size, refused=ReplayRefused)
        replay.save(force_insert=True)
        if file:
            ReplayFile.objects.create(replay=replay, content=file)
    return replay

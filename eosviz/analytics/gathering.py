"""Reads the input of an analysis from the database: visits, what readers did in them, and the steps at which
they did it.

A visit is one session. Only what happened on its first branch before the first intervention counts, because
that part is the same for everyone. People are numbered anew for each analysis; the numbers are stored
nowhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from eosviz.accounts.models import User
from eosviz.analytics.models import Trail
from eosviz.classroom.models import Assignment, Attempt, Classroom, Membership, Part
from eosviz.scenarios.models import ScenarioVersion
from eosviz.tracks.models import Prediction, Visit
from eosviz.walkthroughs.models import Branch, Command, Intervention, Made, Session, Step
from eosviz.workshop.models import Edition

SESSIONS_MAX = 200_000
"""An analysis covers at most this many sessions, the newest ones. It reports how many others there are."""
LEFT_AFTER = timedelta(days=1)
"""After this time without a command or a report of its trail, an unfinished session counts as abandoned."""
STEPS_MAX = 5_000
"""Of a scenario's steps, only those up to this number are read for their rules and sentences."""
AT_ONCE = 500
_ALONE, _CLASS = "alone", "class"

Row = dict[str, Any]


@dataclass
class Gathered:
    """The rows for the frames of `measures.py`, and counts. ``sentences``: (version, variant, step) → the
    step's sentence. ``people``: how many there are. ``under_way``: the sessions left out because they may
    still be in use. ``not_compared``: the actions at steps that other visits do not have. ``left_out``: the
    sessions beyond SESSIONS_MAX."""

    visits: list[Row] = field(default_factory=list)
    moves: list[Row] = field(default_factory=list)
    rules: list[Row] = field(default_factory=list)
    sentences: dict[tuple[int, str, int], Row] = field(default_factory=dict)
    people: int = 0
    under_way: int = 0
    not_compared: int = 0
    left_out: int = 0


class _NeededStep(msgspec.Struct):
    key: str
    params: dict[str, Any]
    rules: list[str]


_step = msgspec.json.Decoder(_NeededStep)


def gather(classroom: Classroom | None, now: datetime) -> Gathered:
    """Gather the visits to the assignments of this class; without a class, the visits of all accounts that
    agreed."""
    sessions = sessions_of(classroom).order_by("-created", "id")
    gathered = Gathered(left_out=max(0, sessions.count() - SESSIONS_MAX))
    chosen = sessions[:SESSIONS_MAX].values_list(
        "id", "owner", "version_id", "version__identifier", "variant", "created"
    )
    numbers: dict[str, int] = {}
    lessons = _Lessons()
    longest: dict[tuple[int, str], tuple[int, int]] = {}
    for found in _pieces(chosen.iterator(AT_ONCE), AT_ONCE):
        _read(found, gathered, numbers, lessons, longest, now)
    gathered.people = len(numbers)
    for (version, variant), (newest, branch) in longest.items():
        _read_steps(version, variant, branch, newest, gathered)
    return gathered


def sessions_of(classroom: Classroom | None) -> QuerySet[Session]:
    """The sessions that an analysis covers. With a class: those in which its learners worked on its
    assignments. Without: those of active accounts that agreed."""
    if classroom is None:
        agreed = User.objects.filter(is_active=True, counted=True)
        return Session.objects.filter(owner__in=agreed.values("owner_key"))
    learners = Membership.objects.filter(classroom=classroom, part=Part.LEARNER).values("user")
    attempts = Attempt.objects.filter(assignment__classroom=classroom, user__in=learners)
    in_tracks = attempts.filter(
        user__owner_key=OuterRef("owner"), assignment__track=OuterRef("visit__track")
    ).exclude(assignment__track="")
    return Session.objects.filter(Q(attempt__in=attempts) | Exists(in_tracks))


class _Lessons:
    """Finds out which versions of scenarios belong to the same lesson: the editions of one draft, or the
    versions with one name that the library, an assignment or a track has or had. Any other version is a
    lesson of its own."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def of(self, version: int, identifier: str) -> str:
        if version not in self._known:
            self._known[version] = self._find(version, identifier)
        return self._known[version]

    def _find(self, version: int, identifier: str) -> str:
        draft = (
            Edition.objects.filter(version=version)
            .values_list("draft", flat=True)
            .order_by("published")
            .first()
        )
        if draft is not None:
            return f"draft {draft}"
        taught = (
            ScenarioVersion.objects.filter(id=version, library_position__isnull=False).exists()
            or Assignment.objects.filter(version=version).exists()
            or Visit.objects.filter(session__version=version).exists()
        )
        return f"library {identifier}" if taught else f"version {version}"


def _pieces(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    piece: list[Any] = []
    for row in rows:
        piece.append(row)
        if len(piece) == size:
            yield piece
            piece = []
    if piece:
        yield piece


def _read(
    found: list[tuple[Any, ...]],
    gathered: Gathered,
    numbers: dict[str, int],
    lessons: _Lessons,
    longest: dict[tuple[int, str], tuple[int, int]],
    now: datetime,
) -> None:
    ids = [one[0] for one in found]
    branches: dict[Any, list[Branch]] = defaultdict(list)
    for branch in Branch.objects.filter(session__in=ids).order_by("id"):
        branches[branch.session_id].append(branch)
    interventions = Intervention.objects.by_branch(first for first, *_ in branches.values())
    trails = {trail.session_id: trail for trail in Trail.objects.filter(session__in=ids)}
    tracks = dict(Visit.objects.filter(session__in=ids).values_list("session", "track"))
    handed_in = dict(Attempt.objects.filter(session__in=ids).values_list("session", "handed_in"))
    asked = dict(
        Command.objects.filter(session__in=ids).values_list("session").annotate(last=Max("answered"))
    )
    answers: dict[Any, list[Prediction]] = defaultdict(list)
    for answer in Prediction.objects.filter(session__in=ids).order_by("answered", "id"):
        answers[answer.session_id].append(answer)
    for session, owner, version, identifier, variant, created in found:
        if session not in branches:
            continue  # Deleted since it was chosen.
        root, *others = branches[session]
        trail = trails.get(session)
        is_over = root.finished is not None or handed_in.get(session) is not None
        moments = (created, asked.get(session), None if trail is None else trail.changed)
        last_asked = max(at for at in moments if at is not None)
        if not is_over and now - last_asked < LEFT_AFTER:
            gathered.under_way += 1
            continue
        number = len(gathered.visits)
        place = {
            "visit": number,
            "person": numbers.setdefault(owner, len(numbers)),
            "group": _group(tracks.get(session), session in handed_in),
            "scenario": lessons.of(version, identifier),
            "version": version,
            "variant": variant or "",
        }
        done = interventions[root.id]
        common = min([one["after"] for one in done], default=root.newest)
        known = longest.get((version, place["variant"]), (0, 0))
        # Up to step `common` this visit follows the run without interventions of this version and variant.
        # The sentences of steps are read from the visit with the highest `common`.
        longest[version, place["variant"]] = max(known, (common, root.id))
        moves: list[Row] = []
        gathered.not_compared += _moves(number, root, done, others, trail, answers[session], common, moves)
        gathered.moves += moves
        looked = _reach(root, trail, common) | {"own_way": bool(done or others)}
        # A reader who did something at a step was there, even if their page reported less: the last report of
        # a browser may not have arrived.
        looked["reach"] = max(looked["reach"], looked["last"], *(move["step"] for move in moves))
        gathered.visits.append({**place, **looked})


def _group(track: str | None, is_attempt: bool) -> str:
    return f"track {track}" if track else _CLASS if is_attempt else _ALONE


def _reach(root: Branch, trail: Trail | None, common: int) -> Row:
    """How far the reader looked (`reach`), which step they looked at last, and whether they saw the end.
    Without a trail, all steps that were made count as seen."""
    furthest = root.newest if trail is None else trail.furthest
    last = root.newest if trail is None else trail.last
    return {
        "reach": min(furthest, common),
        "last": min(last, common),
        "ended": root.finished is not None and furthest >= root.newest,
    }


def _moves(
    number: int,
    root: Branch,
    done: list[Made],
    others: list[Branch],
    trail: Trail | None,
    answers: list[Prediction],
    common: int,
    moves: list[Row],
) -> int:
    """Add what the reader did at common steps to `moves`. Returns the number of other actions of the visit,
    which are not compared."""
    not_compared = 0
    made = [("branched", one["after"], 1, 0) for one in done[:1]]
    made += [("branched", one.leaves_at, 1, 0) for one in others if one.parent_id == root.id]
    if trail is not None:
        made += [("back", int(step), times, 0) for step, times in trail.backs.items()]
        not_compared += trail.backs_more
    for answer in answers:
        if answer.right is None:
            continue
        kind = "right" if answer.right else "wrong"
        # An answer on another branch is about another run.
        at = answer.at if answer.branch_id == root.id else common + 1
        made.append((kind, at, 1, int(answer.answered.timestamp() * 1_000_000)))
    for kind, step, times, answered in made:
        if step > common:
            not_compared += times
        else:
            moves.append({"visit": number, "kind": kind, "step": step, "times": times, "answered": answered})
    return not_compared


def _read_steps(version: int, variant: str, branch: int, newest: int, gathered: Gathered) -> None:
    last = min(newest, STEPS_MAX)
    bodies = Step.objects.filter(branch=branch, number__lte=last).values_list("number", "body")
    for number, body in bodies.order_by("number").iterator(AT_ONCE):
        step = _step.decode(bytes(body))
        gathered.sentences[version, variant, number] = {"key": step.key, "params": step.params}
        gathered.rules += [
            {"version": version, "variant": variant, "step": number, "rule": rule}
            for rule in dict.fromkeys(step.rules)
        ]

"""Sessions, their branches and steps, and the commands that made them.

The database makes sure that everything is stored only *once*: a branch has one step with each number, and a
session has one command with each id. The row of a command is stored in the same transaction as the last of
its steps. No simulation is stored: it follows entirely from the scenario and the interventions, so any
process can make it again.
"""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from django.contrib.auth import get_user_model
from django.db import models

from engine.scenario.header import ENGINE_VERSION
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.branch_names import Run
from eosviz.walkthroughs.made_steps import pack_view


class SessionQuerySet(models.QuerySet["Session"]):
    def of_browser(self, browser: str) -> SessionQuerySet:
        """Returns the sessions that this browser's key owns. An empty key owns nothing."""
        return self.filter(owner=browser) if browser else self.none()

    def recent(self) -> SessionQuerySet:
        return self.order_by("-created", "id")

    def begun(self) -> SessionQuerySet:
        """Returns the sessions whose run has at least one step, and those that belong to tracks."""
        stepped = Branch.objects.filter(session=models.OuterRef("pk"), newest__gt=0)
        return self.filter(models.Exists(stepped) | models.Q(visit__isnull=False))

    def played_scenarios(self) -> frozenset[str]:
        """Returns the identifiers of the library's scenarios whose current version was played to the end in
        one of these sessions. Sessions of tracks do not count."""
        played = self.filter(
            visit=None, branches__finished__isnull=False, version__library_position__isnull=False
        )
        return frozenset(played.values_list("version__identifier", flat=True).distinct())

    def lines(self) -> list[SessionLine]:
        """Returns the sessions as a list shows them. Reads only the columns that the list shows, because a
        list may have a thousand rows."""
        branches = Branch.objects.filter(session=models.OuterRef("pk")).order_by().values("session")
        newest = branches.annotate(furthest=models.Max("newest")).values("furthest")
        count = branches.annotate(held=models.Count("pk")).values("held")
        rows = self.annotate(furthest=models.Subquery(newest), held=models.Subquery(count)).values_list(
            "id", "version_id", "version__identifier", "variant", "created", "furthest", "held"
        )
        found = list(rows)
        # The title is in the header of each session. One header is read for each version and variant.
        one_of_each = {(version, variant): session for session, version, _, variant, *_ in found}
        headers = Session.objects.filter(id__in=one_of_each.values()).only("version_id", "variant", "header")
        titles = {(session.version_id, session.variant): session.title for session in headers}
        return [
            SessionLine(session, scenario, variant, titles.get((version, variant), {}), made, furthest, held)
            for session, version, scenario, variant, made, furthest, held in found
        ]


class SessionLine(NamedTuple):
    """The columns of a session in a list."""

    id: uuid.UUID
    scenario: str
    variant: str | None
    title: dict[str, str]
    created: datetime
    newest: int
    """The highest step number in all branches of the session."""
    branch_count: int


class _Titled(msgspec.Struct):
    title: dict[str, str]


class _Made(msgspec.Struct):
    engine: str


_TITLE = msgspec.json.Decoder(_Titled)
_MADE = msgspec.json.Decoder(_Made)


class Session(models.Model):
    """A user's session with one version of a scenario. Each of its branches is a run."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.CharField(max_length=64, db_index=True)
    """The key of the owner (`eosviz/browser.py`)."""
    version = models.ForeignKey(ScenarioVersion, on_delete=models.PROTECT, related_name="sessions")
    variant = models.CharField(max_length=100, null=True)  # noqa: DJ001  none: the document itself
    header = models.BinaryField()
    """The `header` of docs/frame.md, as JSON."""
    created = models.DateTimeField(auto_now_add=True)

    objects = SessionQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.version.identifier} {self.id}"

    @property
    def decoded_header(self) -> dict[str, Any]:
        header: dict[str, Any] = msgspec.json.decode(bytes(self.header))
        return header

    @property
    def title(self) -> dict[str, str]:
        """Returns the title in each language. Decodes only the title of the header."""
        return _TITLE.decode(bytes(self.header)).title

    @property
    def other_engine(self) -> str | None:
        """Returns the version of the engine that made the session; None if it is the version of this
        engine."""
        engine = _MADE.decode(bytes(self.header)).engine
        return None if engine == ENGINE_VERSION else engine


@dataclass(frozen=True, slots=True)
class Stretch:
    """Of a branch line, the steps `first` to `last`, which are stored with `branch_id`."""

    branch_id: int
    first: int
    last: int


class BranchQuerySet(models.QuerySet["Branch"]):
    def of_session(self, session_id: uuid.UUID) -> BranchQuerySet:
        return self.filter(session_id=session_id).order_by("id")

    def pauses_of(self, branch_id: int) -> int | None:
        return self.filter(id=branch_id).values_list("pauses", flat=True).first()

    def line(self, branch: Branch) -> list[Branch]:
        """Returns the branch and its ancestors, the oldest first. Needs one query."""
        by_id = {other.id: other for other in self.of_session(branch.session_id)}
        return line_among(branch, by_id)


def line_among(branch: Branch, by_id: Mapping[int, Branch]) -> list[Branch]:
    """Returns the branch and its ancestors, the oldest first. `by_id`: the branches of the session."""
    line = [branch]
    while line[-1].parent_id is not None:
        line.append(by_id[line[-1].parent_id])
    return line[::-1]


class Branch(models.Model):
    """A branch of a session. Its line consists of the steps of its parent's line up to `leaves_at`, and then
    its own steps."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="branches")
    name = models.CharField(max_length=80)
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="children")
    leaves_at = models.PositiveIntegerField(default=0)
    """The number of the last step that the branch has in common with its parent."""
    newest = models.PositiveIntegerField(default=0)
    """The number of the last step of the line. It changes only in the transaction that stores the step."""
    finished = models.CharField(max_length=40, null=True)  # noqa: DJ001  none: it can go on
    """Why the run ended after step `newest`, as the engine names it. None while the run can continue."""
    earlier_interventions = models.JSONField(default=list, db_column="interventions")
    """The interventions as one list. Only processes of the previous release write this field, while a site is
    being updated. This release stores interventions as rows of `Intervention`, and the next release removes
    the field."""
    first_broken = models.JSONField(default=dict)
    """A dict of guarantee → number of the first step of the line that broke it."""
    pauses = models.PositiveIntegerField(default=0)
    """How often this branch was paused. A command that is making steps stops when this number grows."""
    created = models.DateTimeField(auto_now_add=True)

    objects = BranchQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"


Made = dict[str, Any]
"""An intervention and when it was made: `{"after": step number, "intervention": {…}}`."""


class InterventionQuerySet(models.QuerySet["Intervention"]):
    def by_branch(self, branches: Iterable[Branch]) -> dict[int, list[Made]]:
        """Returns a dict of branch id → the interventions that were made on the branch itself, oldest first.
        Needs one query."""
        made = {branch.id: dict(enumerate(branch.earlier_interventions)) for branch in branches}
        rows = self.filter(branch__in=made).values_list("branch_id", "position", "after", "intervention")
        for branch_id, position, after, intervention in rows:
            made[branch_id][position] = {"after": after, "intervention": intervention}
        return {branch_id: [own[position] for position in sorted(own)] for branch_id, own in made.items()}

    def on(self, branch: Branch) -> list[Made]:
        """Returns the interventions that were made on this branch itself, oldest first."""
        return self.by_branch([branch])[branch.id]

    def count_on(self, branch: Branch) -> int:
        last = self.filter(branch=branch).aggregate(last=models.Max("position"))["last"]
        return max(len(branch.earlier_interventions), 0 if last is None else last + 1)

    def add(self, branch: Branch, made: Sequence[Made]) -> None:
        """Adds interventions to a branch. Must be called in the transaction that stores their steps."""
        if made:
            first = self.count_on(branch)
            self.bulk_create(
                Intervention(branch=branch, position=position, **one)
                for position, one in enumerate(made, first)
            )


class Intervention(models.Model):
    """An intervention that a user made in a run."""

    branch = models.ForeignKey(Branch, on_delete=models.CASCADE, related_name="+", db_index=False)
    position = models.PositiveIntegerField()
    """The position (from 0) of this intervention among those made on the branch itself."""
    after = models.PositiveIntegerField()
    """The number of the step after which the user intervened. The next step carries out the intervention."""
    intervention = models.JSONField()

    objects = InterventionQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["branch", "position"], name="intervention_once"),)

    def __str__(self) -> str:
        return f"intervention {self.position} of {self.branch_id}"


def line_interventions(line: list[Branch], own: Mapping[int, list[Made]] | None = None) -> list[Made]:
    """Returns all interventions in the steps of this line, oldest first. `own`: the dict that `by_branch`
    returns, if the caller has read it already."""
    if own is None:
        own = Intervention.objects.by_branch(line)
    interventions: list[Made] = []
    for branch, child in zip(line, [*line[1:], None], strict=True):
        interventions += [made for made in own[branch.id] if child is None or made["after"] < child.leaves_at]
    return interventions


def runs_of(branches: Iterable[Branch], own: Mapping[int, list[Made]]) -> list[Run]:
    """Returns the branches of one session, for `names_of`. `own`: the dict that `by_branch` returns."""
    by_id = {branch.id: branch for branch in branches}
    return [
        Run(str(branch.id), branch.name, bool(line_interventions(line_among(branch, by_id), own)))
        for branch in sorted(by_id.values(), key=lambda one: one.id)
    ]


def line_stretches(line: list[Branch], first: int, last: int) -> list[Stretch]:
    """Returns the stretches in which the steps `first` to `last` of this line are stored."""
    stretches: list[Stretch] = []
    for branch, child in zip(line, [*line[1:], None], strict=True):
        end = branch.newest if child is None else child.leaves_at
        stretch = Stretch(branch.id, max(first, branch.leaves_at + 1), min(last, end))
        if stretch.first <= stretch.last:
            stretches.append(stretch)
    return stretches


class StepQuerySet(models.QuerySet["Step"]):
    def of_line(self, line: list[Branch], first: int, last: int) -> StepQuerySet:
        """Returns the steps `first` to `last` of a line, in order."""
        stretches = line_stretches(line, first, last)
        if not stretches:
            return self.none()
        wanted = models.Q()
        for stretch in stretches:
            wanted |= models.Q(branch_id=stretch.branch_id, number__range=(stretch.first, stretch.last))
        return self.filter(wanted).order_by("number")

    def bodies(self) -> list[bytes]:
        """Returns the stored steps, each as JSON."""
        return [bytes(body) for body in self.values_list("body", flat=True)]


class Step(models.Model):
    """One step, as the engine made it."""

    branch = models.ForeignKey(Branch, on_delete=models.CASCADE, related_name="steps", db_index=False)
    number = models.PositiveIntegerField()
    at = models.BigIntegerField()
    """The virtual time of the step, in ms."""
    interesting = models.BooleanField()
    body = models.BinaryField()
    """The `Step` of docs/frame.md, as compact JSON."""
    derived = models.BinaryField(null=True)
    """The derived facts (docs/frame.md, *Derived*), as compact JSON; null in sessions of earlier releases."""

    objects = StepQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["branch", "number"], name="step_once"),)

    def __str__(self) -> str:
        return f"step {self.number} of {self.branch_id}"


class KeyframeQuerySet(models.QuerySet["Keyframe"]):
    def nearest(self, line: list[Branch], number: int) -> Keyframe | None:
        """Returns the last view of a line that was stored at step `number` or before it; None if there is
        none."""
        wanted = models.Q(branch_id=line[0].id, number=0)
        for stretch in line_stretches(line, 1, number):
            wanted |= models.Q(branch_id=stretch.branch_id, number__range=(stretch.first, stretch.last))
        return self.filter(wanted).order_by("-number").first()


class Keyframe(models.Model):
    """The whole view after a step."""

    branch = models.ForeignKey(Branch, on_delete=models.CASCADE, related_name="keyframes", db_index=False)
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    """The digest of the engine's state after the step. When a simulation is made again, it must have the same
    digest."""
    packed = models.BinaryField()
    """The `View` of docs/frame.md, as compressed JSON (about a tenth of the size)."""
    derived = models.BinaryField(null=True)
    """The derived facts (docs/frame.md, *Derived*), as compressed JSON; null in sessions of earlier
    releases."""
    near = models.BinaryField(null=True)
    """The near view that pages get, which leaves out parts (engine/view/near_views.py), as compressed JSON;
    null while no part is left out."""

    objects = KeyframeQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["branch", "number"], name="keyframe_once"),)

    def __str__(self) -> str:
        return f"view at {self.number} of {self.branch_id}"

    @staticmethod
    def pack(view: dict[str, Any]) -> bytes:
        return pack_view(view)

    @property
    def view_json(self) -> bytes:
        return zlib.decompress(bytes(self.packed))

    @property
    def derived_json(self) -> bytes | None:
        return None if self.derived is None else zlib.decompress(bytes(self.derived))

    @property
    def near_json(self) -> bytes | None:
        return None if self.near is None else zlib.decompress(bytes(self.near))


KEPT_PLANS_MAX = 5_000
"""At most this many plans are stored for all sessions together; the oldest are deleted first."""


class KeptPlan(models.Model):
    """The plan of a run (`plans.py`). It can be made again from the scenario and the interventions."""

    key = models.CharField(max_length=64, primary_key=True)
    """The SHA-256 of everything that the plan depends on: the format of plans, the engine, the version of the
    scenario, the variant and the interventions."""
    steps = models.PositiveIntegerField()
    complete = models.BooleanField()
    packed = models.BinaryField()
    """The `Plan` of docs/frame.md, as compressed JSON."""
    made = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"plan {self.key[:8]}"

    @staticmethod
    def pack(plan: bytes) -> bytes:
        return zlib.compress(plan, level=1)

    @property
    def plan_json(self) -> bytes:
        return zlib.decompress(bytes(self.packed))


class Command(models.Model):
    """A command that was carried out or refused."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="commands", db_index=False)
    identifier = models.UUIDField()
    """The id of the command, which the page chose."""
    asked = models.BinaryField()
    """The command as JSON, without version and id. The same id may not be used for a different command."""
    answer = models.BinaryField()
    """The `done` or `error` message, as JSON."""
    answered = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["session", "identifier"], name="command_once"),)

    def __str__(self) -> str:
        return f"command {self.identifier}"


class PresentationQuerySet(models.QuerySet["Presentation"]):
    def open_to_followers(self) -> PresentationQuerySet:
        """Returns the presentations that a follow link may show: all except those of blocked accounts."""
        barred = get_user_model().objects.filter(is_active=False).values("owner_key")
        return self.exclude(session__owner__in=barred)


class Presentation(models.Model):
    """The presentation of a session. A session has at most one. When the presentation ends, its row is
    deleted."""

    token = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    """The secret part of the address for followers. Everyone who knows it may watch."""
    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="presentation")
    number = models.PositiveIntegerField(default=1)
    """The number of the presenter's last move."""
    branch = models.ForeignKey(Branch, on_delete=models.CASCADE, related_name="+")
    step = models.PositiveIntegerField()
    view = models.CharField(max_length=20)
    zoom = models.CharField(max_length=20, default="", blank=True)
    selection = models.JSONField(null=True)
    why = models.JSONField(null=True)
    """The answer that the presenter shows, as the page sent it; null if none is shown."""
    started = models.DateTimeField(auto_now_add=True)

    objects = PresentationQuerySet.as_manager()

    def __str__(self) -> str:
        return f"presentation of {self.session_id}"

"""Classes, their members, their assignments, and what learners submitted.

The query sets here decide who may see or change a row: a page asks for *the classes that this person
teaches*, and answers 404 for all other classes.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from engine.scenario.document import title_of_variant
from engine.scenario.tracks import tracks
from eosviz.accounts.models import User
from eosviz.rights import AnnouncedUpdates
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.models import Session

if TYPE_CHECKING:
    _CharField = models.CharField[str, str]
else:  # When it runs, Django's class has no type parameters.
    _CharField = models.CharField

CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""The characters of a class's code. Characters that look alike on a board are left out: i, l, o, 0, 1."""
CODE_LENGTH = 10
NAME_CHARACTERS_MAX = 120
TEXT_CHARACTERS_MAX = 4_000
MEMBERS_MAX = 500
ASSIGNMENTS_MAX = 100
ATTEMPTS_MAX = 20
BUDGET_MAX = 20
WRONG_MAX = 20


def new_code() -> str:
    """A new random code of a class. Learners type it to join."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


class Part(models.TextChoices):
    """A member's part in a class."""

    LEARNER = "learner", "learner"
    INSTRUCTOR = "instructor", "instructor"


KINDS_IN_MIGRATIONS = [(name, name) for name in ("watch", "predict", "break", "hold", "explain")]


class KindField(_CharField):
    """The name of a kind of assignment (`kinds/`). In migrations its choices are always KINDS_IN_MIGRATIONS,
    so that a new kind needs no migration."""

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        name, _, args, named = super().deconstruct()
        return name, "django.db.models.CharField", args, {**named, "choices": KINDS_IN_MIGRATIONS}


class Outcome(models.TextChoices):
    """The outcome of an attempt."""

    OPEN = "open", "open"
    PASSED = "passed", "passed"
    FAILED = "failed", "failed"
    WAITING = "waiting", "waiting"
    """The learner's text was submitted, and no instructor has read it yet."""


class ClassroomQuerySet(models.QuerySet["Classroom"]):
    def of(self, user: User) -> ClassroomQuerySet:
        """The classes that a user is a member of, newest first."""
        return self.filter(memberships__user=user).order_by("-created", "id")

    def seen_by(self, user: User) -> ClassroomQuerySet:
        if user.has_perm("classroom.view_classroom"):
            return self.all()
        return self.filter(memberships__user=user)

    def taught_by(self, user: User) -> ClassroomQuerySet:
        return self.filter(memberships__user=user, memberships__part=Part.INSTRUCTOR)

    def taught_only_by(self, user: User) -> ClassroomQuerySet:
        """The classes that a user teaches and that have no other instructor."""
        others = Membership.objects.filter(classroom=models.OuterRef("pk"), part=Part.INSTRUCTOR)
        return self.filter(id__in=self.taught_by(user).values("id")).exclude(
            models.Exists(others.exclude(user=user))
        )

    def judged_by(self, user: User) -> ClassroomQuerySet:
        """The classes whose results a user may read: those that the user teaches, or all for an
        administrator."""
        return self.all() if user.has_perm("classroom.view_classroom") else self.taught_by(user)


class Classroom(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=NAME_CHARACTERS_MAX)
    code = models.CharField(max_length=CODE_LENGTH, unique=True, default=new_code)
    created = models.DateTimeField(auto_now_add=True)
    archived = models.DateTimeField(null=True, blank=True)
    """The time at which the class was archived; null if it is open. While it is archived, no one can join it,
    create or change assignments, or begin or submit attempts."""

    objects = ClassroomQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class MembershipQuerySet(AnnouncedUpdates):
    topic_field = "user__owner_key"

    def roster(self, classroom: Classroom) -> MembershipQuerySet:
        """The members of a class: instructors first, then by name."""
        return (
            self.filter(classroom=classroom)
            .select_related("user")
            .order_by("part", "user__name", "user__email")
        )


class Membership(models.Model):
    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    part = models.CharField(max_length=12, choices=Part.choices, default=Part.LEARNER)
    joined = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["classroom", "user"], name="member_once"),)

    def __str__(self) -> str:
        return f"{self.part} of {self.classroom_id}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def seen_by(self, user: User) -> AssignmentQuerySet:
        return self.filter(classroom__in=Classroom.objects.seen_by(user))

    def taught_by(self, user: User) -> AssignmentQuerySet:
        return self.filter(classroom__in=Classroom.objects.taught_by(user))

    def of_class(self, classroom: Classroom) -> AssignmentQuerySet:
        return self.filter(classroom=classroom).select_related("version").order_by("created", "id")


class Assignment(models.Model):
    """A task for a class. Once a learner has an attempt, the fields on which attempts depend do not
    change."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="assignments")
    kind = KindField(max_length=10)
    title = models.CharField(max_length=NAME_CHARACTERS_MAX)
    text = models.TextField(max_length=TEXT_CHARACTERS_MAX, blank=True)
    version = models.ForeignKey(ScenarioVersion, on_delete=models.PROTECT, null=True, related_name="+")
    """The scenario. Null if the task is to watch a track, or is a text without a scenario."""
    variant = models.CharField(max_length=100, null=True)  # noqa: DJ001  none: the document itself
    track = models.CharField(max_length=64, blank=True)
    """The name of the track to watch; empty for a scenario or a text."""
    opens = models.DateTimeField(null=True)
    """Before this time learners cannot see the scenario and the task, and cannot begin. Null if the
    assignment has been open from the start."""
    due = models.DateTimeField(null=True)
    """Attempts that are submitted after this time are marked as late. Null if there is no such time."""
    closes = models.DateTimeField(null=True)
    """From this time on, learners can neither begin nor submit attempts. Null if the assignment never
    closes."""
    attempts_max = models.PositiveSmallIntegerField(default=3)
    guarantee = models.CharField(max_length=20, blank=True)
    """The name of the guarantee to break or to keep, as the judges write it. In *keep the guarantees*, empty
    means all of them."""
    budget = models.PositiveSmallIntegerField(null=True)
    """In *break a guarantee*: the largest number of interventions before the step that breaks the guarantee.
    Null for other kinds."""
    wrong_max = models.PositiveSmallIntegerField(default=0)
    """In *predict*: an attempt passes with at most this many wrong answers and at least one right answer."""
    settings = models.JSONField(default=list)
    """In *keep the guarantees*: the names of the producer settings that a learner may choose."""
    created = models.DateTimeField(auto_now_add=True)

    objects = AssignmentQuerySet.as_manager()

    def __str__(self) -> str:
        return self.title

    @property
    def is_ahead(self) -> bool:
        """Whether the assignment is not open yet."""
        return self.opens is not None and timezone.now() < self.opens

    @property
    def is_over(self) -> bool:
        """Whether the due time of the assignment has passed."""
        return self.due is not None and self.due < timezone.now()

    @property
    def is_closed(self) -> bool:
        return self.closes is not None and self.closes <= timezone.now()

    @property
    def material_name(self) -> str:
        """The name of the scenario, with its variant, or of the track. Empty if the assignment has
        neither."""
        if self.version is None:
            return self.track
        return f"{self.version.identifier}/{self.variant}" if self.variant else self.version.identifier

    @property
    def track_title(self) -> dict[str, str] | None:
        """The title of the track in each language. None if the assignment has no track, or if this release
        does not have the track."""
        return next((track.title for track in tracks() if track.name == self.track), None)

    @property
    def variant_title(self) -> dict[str, str] | None:
        """The title of the scenario's variant in each language. None if there is no variant, or it has no
        title."""
        return None if self.version is None else title_of_variant(self.version.document, self.variant)

    @property
    def kind_key(self) -> str:
        return f"classroom.kind.{self.kind}"

    @property
    def guarantee_key(self) -> str:
        return f"classroom.guarantee.{self.guarantee}" if self.guarantee else "classroom.every_guarantee"


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def of(self, user: User) -> AttemptQuerySet:
        return self.filter(user=user)

    def judged_by(self, user: User) -> AttemptQuerySet:
        """The attempts that a user may look at and decide on, because the user teaches the class."""
        return self.filter(assignment__classroom__in=Classroom.objects.taught_by(user))

    def open(self) -> AttemptQuerySet:
        return self.filter(outcome=Outcome.OPEN)

    def waiting_in(self, classroom: Classroom) -> AttemptQuerySet:
        """The attempts of learners whose text no instructor has read: by assignment, the earliest first."""
        learners = Membership.objects.filter(classroom=classroom, part=Part.LEARNER).values("user")
        waiting = self.filter(assignment__classroom=classroom, outcome=Outcome.WAITING, user__in=learners)
        return waiting.order_by("assignment__created", "assignment", "handed_in", "id")


class Attempt(models.Model):
    """One attempt of a member at an assignment. When the member deletes the attempt's session, the attempt
    stays."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="attempts")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    """The number of this attempt among the member's attempts at the assignment, from 1."""
    session = models.OneToOneField(Session, on_delete=models.SET_NULL, null=True, related_name="attempt")
    chosen = models.JSONField(default=dict)
    """What the learner chose. Dict of dotted path of a setting → value, for settings chosen before the start
    (*keep the guarantees*); and of name of one of the kind's `answer_fields` → value, for the answers with
    which the attempt was submitted."""
    started = models.DateTimeField(auto_now_add=True)
    handed_in = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.OPEN)
    score = models.PositiveSmallIntegerField(null=True)
    """The number of right predictions, out of `score_max`. Null while the attempt is open, if its kind has no
    predictions, and if the run was changed or deleted."""
    score_max = models.PositiveSmallIntegerField(null=True)
    evidence = models.JSONField(default=dict)
    """The judgement's `reason` and the parameters of its sentence (`judging.py`), such as the branch and step
    that broke the guarantee, or the questions answered wrongly. Empty while the attempt is open."""
    text = models.TextField(max_length=TEXT_CHARACTERS_MAX, blank=True)
    """The learner's text. Until the attempt is submitted it is a draft, which only the learner sees."""
    comment = models.TextField(max_length=TEXT_CHARACTERS_MAX, blank=True)
    """The instructor's comment."""

    objects = AttemptQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["assignment", "user", "number"], name="attempt_once"),)

    def __str__(self) -> str:
        return f"attempt {self.number} at {self.assignment_id}"

    @property
    def is_late(self) -> bool:
        due = self.assignment.due
        return due is not None and self.handed_in is not None and self.handed_in > due

    @property
    def outcome_key(self) -> str:
        if self.outcome == Outcome.OPEN and self.assignment.is_closed:
            return "classroom.outcome.not_handed_in"
        return f"classroom.outcome.{self.outcome}"


class AuditEntry(models.Model):
    """What an instructor or administrator did, in a class or outside all classes (`audit.py`). It is written
    in the transaction of the change."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="audit", null=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    """The person who did it. Null if the person's account was deleted."""
    deed = models.CharField(max_length=30)
    """The last part of the sentence's key, `classroom.deed.<deed>`."""
    params = models.JSONField(default=dict)
    """The parameters of the sentence. They name things, never people."""
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.deed} in {self.classroom_id or 'no class'}"

    @property
    def sentence_key(self) -> str:
        return f"classroom.deed.{self.deed}"

    @property
    def sentence_params(self) -> dict[str, Any]:
        params: dict[str, Any] = self.params
        return params

"""Records a few facts of how people work through scenarios, and stores the figures computed from them.

The query sets here and `may_see_all` decide who may see an analysis.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import models

from eosviz.accounts.models import COUNTED_MIN, User
from eosviz.classroom.models import Classroom
from eosviz.pipeline.models import Job, JobQuerySet
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.models import Session

BACKS_MAX = 200
"""For each session, at most this many of the steps from which the reader went back are stored."""
PEOPLE_MIN_CLASS = 3
"""A figure of a class is withheld if it could identify a person: if at least one person but fewer than this
number did what it counts, or if fewer than this number could have done it."""


class Trail(models.Model):
    """The last and the furthest step that a reader saw in a session, and the steps from which they went
    back. `actions.is_followed` decides whether a session has a trail."""

    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="trail")
    last = models.PositiveIntegerField(default=0)
    """The last step that was shown, if it is on the first branch. Otherwise the step where the shown branch
    left the first one."""
    furthest = models.PositiveIntegerField(default=0)
    backs = models.JSONField(default=dict)
    """Dict of step from which the reader went back → number of times; at most `BACKS_MAX` steps."""
    backs_more = models.PositiveIntegerField(default=0)
    """How often the reader went back from steps that are not in `backs`."""
    changed = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"trail of {self.session_id}"


class AnalysisQuerySet(JobQuerySet):
    def of_scope(self, classroom: Classroom | None) -> AnalysisQuerySet:
        """The analyses of this class or, if it is None, of all who agreed; the newest first."""
        found: AnalysisQuerySet = self.filter(classroom=classroom).order_by("-created", "id")
        return found

    def seen_by_person(self, user: User) -> AnalysisQuerySet:
        """The analyses that a person may see: of classes whose results the person may read and, if
        `may_see_all` holds, of all who agreed."""
        seen = models.Q(classroom__in=Classroom.objects.judged_by(user))
        if may_see_all(user):
            seen |= models.Q(classroom=None)
        found: AnalysisQuerySet = self.filter(seen)
        return found


class Analysis(Job):
    """One analysis of what the learners of a class did or, without a class, of what all who agreed did. Its
    figures identify no person."""

    runner = "eosviz.analytics.job.run_analysis"
    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, null=True, related_name="analyses")
    people = models.PositiveIntegerField(default=0)
    sessions = models.PositiveIntegerField(default=0)
    """The number of sessions in the analysis: those that have ended, were submitted, or were abandoned for a
    day."""
    under_way = models.PositiveIntegerField(default=0)
    """The number of sessions that were left out because they may still be in use."""
    not_compared = models.PositiveIntegerField(default=0, db_column="apart")
    """The number of actions that are not compared: they happened at steps that other visits do not have, or
    at steps that the trail did not store."""
    left_out = models.PositiveIntegerField(default=0)
    """The number of older sessions beyond the limit of one analysis (SESSIONS_MAX)."""
    withheld = models.PositiveIntegerField(default=0)
    """The number of figures that are not stored, because they are about too few people or beyond the limit of
    one analysis (FIGURES_MAX)."""
    total = models.PositiveIntegerField(default=1)
    finished = models.DateTimeField(null=True)

    objects = AnalysisQuerySet.as_manager()

    def __str__(self) -> str:
        return f"analysis of {self.classroom_id or 'all'}"

    @property
    def people_min(self) -> int:
        return COUNTED_MIN if self.classroom_id is None else PEOPLE_MIN_CLASS


class Kind(models.TextChoices):
    """What a figure counts."""

    ENDED = "ended", "ended"
    """The person reached the end of the run."""
    LEFT = "left", "left"
    BACK = "back", "back"
    BRANCHED = "branched", "branched"
    WRONG = "wrong", "wrong"
    """The person predicted wrongly. `of` counts the people who answered."""
    CONFUSED = "confused", "confused"
    """The person left, went back or predicted wrongly. If the figure has a step, this happened at the step;
    if it has a rule, at a step with the rule."""


class Figure(models.Model):
    """The number of people who did something (`people`), out of those who could have done it (`of`). A figure
    with a `step` is about that step, one with a `rule` is about the rule, and one with neither is about whole
    runs."""

    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, related_name="figures")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    group = models.CharField(max_length=80, blank=True)
    """Where people met the scenario: `track <name>`, `class` or `alone`. Empty in the figure of all groups
    together."""
    version = models.ForeignKey(ScenarioVersion, on_delete=models.CASCADE, null=True, related_name="+")
    """The version of the scenario. Null in the figure of a rule, which covers all scenarios."""
    variant = models.CharField(max_length=100, blank=True)
    step = models.PositiveIntegerField(null=True)
    rule = models.CharField(max_length=20, blank=True)
    people = models.PositiveIntegerField()
    times = models.PositiveIntegerField()
    """How often these people, together, did what the figure counts."""
    of = models.PositiveIntegerField()
    low = models.FloatField()
    high = models.FloatField()
    """With `low`, the 95 % interval of the share or, if `before` is set, of the difference between this share
    and the earlier one."""
    before = models.ForeignKey(ScenarioVersion, on_delete=models.CASCADE, null=True, related_name="+")
    """The earlier version of the scenario with which this one is compared; null if the figure compares
    nothing."""
    people_before = models.PositiveIntegerField(null=True)
    of_before = models.PositiveIntegerField(null=True)
    """The number of people who could have done what the figure counts, in the earlier version."""
    said = models.JSONField(null=True)
    """The sentence of the step, as `{"key", "params"}`; null if it is not known."""

    class Meta:
        indexes = (models.Index(fields=["analysis", "version", "variant"], name="figure_place"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.people}/{self.of}"

    @property
    def share(self) -> float:
        return self.people / self.of if self.of else 0.0

    @property
    def percent(self) -> int:
        return round(100 * self.share)

    @property
    def interval(self) -> dict[str, Any]:
        """The parameters of the sentence `analytics.interval`."""
        return {"low": round(100 * self.low), "high": round(100 * self.high)}


def may_see_all(user: User | AnonymousUser) -> bool:
    """Whether the user may see the figures about all who agreed: they teach a class or may create classes."""
    if not user.is_authenticated:
        return False
    return user.has_perm("classroom.add_classroom") or Classroom.objects.taught_by(user).exists()

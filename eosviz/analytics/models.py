"""How people go through scenarios: the little that is recorded of it, and what a job made of it for all of a class.

Who may see something is a method of its query set here, and nowhere else.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import models

from eosviz.accounts.models import User
from eosviz.classroom.models import Classroom
from eosviz.pipeline.models import Job, JobQuerySet
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.models import Session

BACKS_MAX = 200
"""Places of one session from which its reader went back that are kept."""
PEOPLE_MIN_CLASS = 3
PEOPLE_MIN_ALL = 5
"""A figure about fewer people is withheld: it would be about somebody."""


class Trail(models.Model):
    """How far somebody looked in a session, and from where they went back. Only of those who were told so: sessions
    of a class's assignments, and of accounts that agreed. Goes with its session."""

    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="trail")
    last = models.PositiveIntegerField(default=0)
    """The step that was on show last, on the first branch or where its line left it."""
    furthest = models.PositiveIntegerField(default=0)
    backs = models.JSONField(default=dict)
    """Step from which its reader went back, to how often; at most `BACKS_MAX` steps."""
    backs_more = models.PositiveIntegerField(default=0)
    """How often from steps beyond those."""
    changed = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"trail of {self.session_id}"


class AnalysisQuerySet(JobQuerySet):
    def of_scope(self, classroom: Classroom | None) -> AnalysisQuerySet:
        """Of this class, or of all who agreed; the newest first."""
        found: AnalysisQuerySet = self.filter(classroom=classroom).order_by("-created", "id")
        return found

    def seen_by_person(self, user: User) -> AnalysisQuerySet:
        """Those of classes whose results a person may read; those of all for everybody who teaches."""
        seen = models.Q(classroom__in=Classroom.objects.judged_by(user))
        if may_see_all(user):
            seen |= models.Q(classroom=None)
        found: AnalysisQuerySet = self.filter(seen)
        return found


class Analysis(Job):
    """One look at everything that a class did (or all who agreed, without a class). Its figures hold no person."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, null=True, related_name="analyses")
    people = models.PositiveIntegerField(default=0)
    sessions = models.PositiveIntegerField(default=0)
    """Over, or left for a day."""
    under_way = models.PositiveIntegerField(default=0)
    """Sessions that were left out because somebody may still be in them."""
    apart = models.PositiveIntegerField(default=0)
    """What was done at steps that are others for everybody, behind an intervention of one's own: not compared."""
    left_out = models.PositiveIntegerField(default=0)
    """Older sessions beyond the bound."""
    withheld = models.PositiveIntegerField(default=0)
    """Figures about too few people."""
    total = models.PositiveIntegerField(default=1)
    finished = models.DateTimeField(null=True)

    objects = AnalysisQuerySet.as_manager()

    def __str__(self) -> str:
        return f"analysis of {self.classroom_id or 'all'}"

    @property
    def people_min(self) -> int:
        return PEOPLE_MIN_ALL if self.classroom_id is None else PEOPLE_MIN_CLASS


class Kind(models.TextChoices):
    """What a figure counts people by."""

    ENDED = "ended", "ended"
    """Looked to the end."""
    LEFT = "left", "left"
    BACK = "back", "back"
    BRANCHED = "branched", "branched"
    WRONG = "wrong", "wrong"
    """Of those who answered."""
    CONFUSED = "confused", "confused"
    """Left there, went back from there or predicted wrongly there."""


class Figure(models.Model):
    """`people` of the `of` who could have. Places get emptier from the left: scenario and variant, then a step or a
    rule; neither: the whole run."""

    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, related_name="figures")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    group = models.CharField(max_length=80, blank=True)
    """`track <name>`, `class` or `alone`: where they met the scenario; empty: all together."""
    version = models.ForeignKey(ScenarioVersion, on_delete=models.CASCADE, null=True, related_name="+")
    """None: a rule over all scenarios."""
    variant = models.CharField(max_length=100, blank=True)
    step = models.PositiveIntegerField(null=True)
    rule = models.CharField(max_length=20, blank=True)
    people = models.PositiveIntegerField()
    times = models.PositiveIntegerField()
    """How often in all."""
    of = models.PositiveIntegerField()
    low = models.FloatField()
    high = models.FloatField()
    """95 % interval of the share."""
    before = models.ForeignKey(ScenarioVersion, on_delete=models.CASCADE, null=True, related_name="+")
    """Of a comparison: the version before this one."""
    people_before = models.PositiveIntegerField(null=True)
    of_before = models.PositiveIntegerField(null=True)
    """With `before`, `low` and `high` are of the difference: this share minus the one before."""
    said = models.JSONField(null=True)
    """The step's sentence: `{"key", "params"}`."""

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
        """Parameters of `analytics.interval`."""
        return {"low": round(100 * self.low), "high": round(100 * self.high)}


def may_see_all(user: User | AnonymousUser) -> bool:
    """Whoever teaches anywhere, or makes classes."""
    if not user.is_authenticated:
        return False
    return user.has_perm("classroom.add_classroom") or Classroom.objects.taught_by(user).exists()

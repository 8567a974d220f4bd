"""The models of a person's progress in the tracks, and of the predictions in their sessions."""

from __future__ import annotations

from django.db import models

from engine.scenario.tracks import TrackItem
from eosviz.walkthroughs.models import Branch, Session


class VisitQuerySet(models.QuerySet["Visit"]):
    def of_browser(self, browser: str) -> VisitQuerySet:
        return self.filter(owner=browser) if browser else self.none()

    def with_runs(self) -> VisitQuerySet:
        """The visits with their sessions and the identifier of each session's scenario, read in one query."""
        return self.select_related("session__version").defer("session__header", "session__version__encoded")

    def by_position(self, browser: str, track: str) -> dict[int, Visit]:
        """Dict of position in the track → this browser's visit."""
        return {visit.position: visit for visit in self.of_browser(browser).filter(track=track).with_runs()}


class Visit(models.Model):
    """One person's progress in one scenario of a track."""

    owner = models.CharField(max_length=64)
    """The owner's key (`eosviz/browser.py`)."""
    track = models.CharField(max_length=64)
    position = models.PositiveSmallIntegerField()
    """The position of the scenario in the track, from 1."""
    session = models.OneToOneField(Session, on_delete=models.SET_NULL, null=True, related_name="visit")
    """The session in which the run is played. Null if it was deleted (`done` keeps its value), or if the scenario
    was marked as done without one."""
    done = models.BooleanField(default=False)
    begun = models.DateTimeField(auto_now_add=True)

    objects = VisitQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["owner", "track", "position"], name="visit_once"),)

    def __str__(self) -> str:
        return f"{self.track} {self.position}"

    def is_of(self, item: TrackItem) -> bool:
        """Whether the visit was to this item; a later release may have another item at the same position. True if
        the visit has no session, because nothing then says which item it was."""
        run = self.session
        return run is None or (run.version.identifier, run.variant) == (item.scenario, item.variant)


class PredictionQuerySet(models.QuerySet["Prediction"]):
    def of_line(self, line: list[Branch]) -> PredictionQuerySet:
        """The predictions on a branch, and on its ancestors up to where the branch left them. `line`: the
        ancestors and the branch."""
        wanted = models.Q()
        for branch, child in zip(line, [*line[1:], None], strict=True):
            known = models.Q(branch=branch)
            wanted |= known if child is None else known & models.Q(at__lt=child.leaves_at)
        return self.filter(wanted)


class Prediction(models.Model):
    """The answer to one question; a later answer is not stored. `choice` is empty if the question was
    skipped."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="predictions")
    branch = models.ForeignKey(Branch, on_delete=models.CASCADE, related_name="+")
    at = models.PositiveIntegerField()
    """The step after which the run stopped to ask."""
    checkpoint = models.PositiveSmallIntegerField()
    """The position of the checkpoint in the document, from 0."""
    ask = models.CharField(max_length=40)
    choice = models.CharField(max_length=80, blank=True)
    right = models.BooleanField(null=True)
    """Whether the prediction was right; null if the question was skipped."""
    answered = models.DateTimeField(auto_now_add=True)

    objects = PredictionQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["branch", "at"], name="prediction_once"),)

    def __str__(self) -> str:
        return f"{self.ask} at {self.at}: {self.choice or 'skipped'}"

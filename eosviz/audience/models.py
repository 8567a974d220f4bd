"""Hands and polls of a presentation. When the presentation is deleted, they are deleted, too: no hand and no
answer outlives it.

A row refers to an account only if the follower is signed in. Names are read when they are shown, and only for
people who may read them (`naming.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from eosviz.walkthroughs.models import Branch, Presentation

AWAY_SECONDS = 15
"""After its follower's connection was lost, a hand stays raised for this time. A page reconnects within two
or three seconds."""


class FollowerQuerySet(models.QuerySet["Follower"]):
    def of(self, presentation: Presentation) -> FollowerQuerySet:
        return self.filter(presentation=presentation)


class Follower(models.Model):
    """A follower who has raised a hand or answered a poll. Followers who only watch have no row."""

    presentation = models.ForeignKey(Presentation, on_delete=models.CASCADE, related_name="followers")
    key = models.CharField(max_length=64)
    """A digest of the presentation and of the follower's account, browser or page. The same follower has
    another key in another presentation."""
    number = models.PositiveIntegerField()
    """The number of the follower, from 1, in the order in which followers first raised a hand or answered.
    The presenter sees it for followers without a name."""
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")

    objects = FollowerQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["presentation", "key"], name="follower_once"),
            models.UniqueConstraint(fields=["presentation", "number"], name="follower_number_once"),
        )

    def __str__(self) -> str:
        return f"follower {self.number} of {self.presentation_id}"


class HandQuerySet(models.QuerySet["Hand"]):
    def of(self, presentation: Presentation) -> HandQuerySet:
        """The hands of a presentation, the earliest first."""
        return self.filter(follower__presentation=presentation).order_by("raised", "id")

    def gone(self) -> HandQuerySet:
        """The hands of followers who have been disconnected for longer than AWAY_SECONDS."""
        return self.filter(away_since__lt=timezone.now() - timedelta(seconds=AWAY_SECONDS))


class Hand(models.Model):
    """A raised hand; lowering it deletes the row."""

    follower = models.OneToOneField(Follower, on_delete=models.CASCADE, related_name="hand")
    branch = models.ForeignKey(Branch, on_delete=models.CASCADE, related_name="+")
    step = models.PositiveIntegerField()
    text = models.CharField(max_length=200, blank=True)
    page = models.UUIDField()
    """The page from which the hand was raised. If the same person closes another page, the hand stays
    raised."""
    raised = models.DateTimeField(auto_now_add=True)
    away_since = models.DateTimeField(null=True)

    objects = HandQuerySet.as_manager()

    def __str__(self) -> str:
        return f"hand of {self.follower_id} at {self.step}"


class PollState(models.TextChoices):
    OPEN = "open", "open"
    """Followers answer, and may change their answer."""
    CLOSED = "closed", "closed"
    REVEALED = "revealed", "revealed"
    """The answer is shown, and followers can no longer answer."""
    OVER = "over", "over"


POLL_CHANGES: Mapping[tuple[str, str], str] = {
    ("open", "show"): "open",
    ("open", "hide"): "open",
    ("open", "close"): "closed",
    ("open", "reveal"): "revealed",
    ("open", "end"): "over",
    ("closed", "show"): "closed",
    ("closed", "hide"): "closed",
    ("closed", "close"): "closed",
    ("closed", "reveal"): "revealed",
    ("closed", "end"): "over",
    ("revealed", "reveal"): "revealed",
    ("revealed", "end"): "over",
    ("over", "end"): "over",
}
"""(state, change) → the next state. A change without a row is refused. A repeated change has no effect."""


class Poll(models.Model):
    """The newest poll of a presentation; the next one replaces it and deletes its answers."""

    presentation = models.OneToOneField(Presentation, on_delete=models.CASCADE, related_name="poll")
    turn = models.PositiveIntegerField(default=0)
    """The number of the poll within the presentation. With it, an answer to an earlier poll is recognised and
    not counted."""
    number = models.PositiveIntegerField(default=0)
    """The number of the poll's last change."""
    branch = models.ForeignKey(Branch, on_delete=models.CASCADE, related_name="+")
    at = models.PositiveIntegerField()
    question = models.JSONField()
    """The engine's question (`engine/predict`), with the right choice and the reasons."""
    state = models.CharField(max_length=10, choices=PollState.choices, default=PollState.OPEN)
    shown = models.BooleanField(default=False)
    """Whether followers see the counts before the answer is revealed."""

    def __str__(self) -> str:
        return f"poll {self.turn} of {self.presentation_id}"

    @property
    def choices(self) -> set[str]:
        return {choice["id"] for choice in self.question["choices"]}


class AnswerQuerySet(models.QuerySet["Answer"]):
    def counts(self, poll: Poll) -> dict[str, int]:
        """Dict of choice → number of answers, with every choice of the question."""
        made: dict[str, int] = dict(
            self.filter(poll=poll).values_list("choice").annotate(count=models.Count("id"))
        )
        return {choice["id"]: made.get(choice["id"], 0) for choice in poll.question["choices"]}

    def by_users(self, poll: Poll) -> list[tuple[Any, str]]:
        """(account's id, choice) of each signed-in follower who answered."""
        signed_in = self.filter(poll=poll, follower__user__isnull=False)
        return list(signed_in.order_by("follower__number").values_list("follower__user", "choice"))


class Answer(models.Model):
    """A follower's current answer; it may change while the poll is open."""

    poll = models.ForeignKey(Poll, on_delete=models.CASCADE, related_name="answers")
    follower = models.ForeignKey(Follower, on_delete=models.CASCADE, related_name="+")
    choice = models.CharField(max_length=80)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["poll", "follower"], name="poll_answer_once"),)

    def __str__(self) -> str:
        return f"{self.choice} in {self.poll_id}"

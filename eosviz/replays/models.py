"""Stored replays and log cases: what a file held, ready to be played, and what checking it showed."""

import uuid
from typing import Any

from django.db import models

REPLAYS_PER_BROWSER = 50
LINKED_FILES_MAX = 2_000
"""Files of links that are kept; beyond them the oldest is made again when somebody asks for it."""


class ReplayQuerySet(models.QuerySet["Replay"]):
    def readable_by(self, browser: str) -> "ReplayQuerySet":
        """Its own, and those that the command line brought: they belong to nobody and are found by their
        link.
        """
        return self.filter(owner__in=[browser, ""])

    def public(self) -> "ReplayQuerySet":
        """Those that belong to nobody: anybody may show them."""
        return self.filter(owner="")

    def of_browser(self, browser: str) -> "ReplayQuerySet":
        """Its own, newest first, without the bytes that are played."""
        return (
            self.filter(owner=browser)
            .exclude(owner="")
            .order_by("-created", "id")
            .defer("player", "analysis")
        )


class Replay(models.Model):
    """One file. Never changed once stored."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.CharField(max_length=64, db_index=True, blank=True)
    """The browser that brought it; empty: the command line."""
    kind = models.CharField(max_length=10, choices=[("session", "session"), ("log", "log")])
    title = models.JSONField()
    """Language to text."""
    scenario = models.CharField(max_length=100, blank=True)
    variant = models.CharField(max_length=200, blank=True)
    engine = models.CharField(max_length=40, blank=True)
    digest = models.CharField(max_length=64)
    """The last link of the file's chain; of a log case, SHA-256 of its player file."""
    steps = models.PositiveIntegerField()
    state = models.CharField(max_length=12)
    """``verified``, ``differs``, ``recorded``, ``stopped`` (docs/replay-format.md) or ``log``."""
    finding = models.JSONField(default=dict)
    """Parameters of the sentence about the state: branch and number of the step that differs, steps checked.
    """
    analysis = models.JSONField(default=None, null=True)
    """Of a log case what its transactions say (`log_analysis.py`)."""
    player = models.BinaryField()
    """The player file (docs/player.md), gzipped."""
    created = models.DateTimeField(auto_now_add=True)

    objects = ReplayQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.kind} {self.scenario} {self.id}"

    @property
    def said_key(self) -> str:
        """The catalogue's key of what is said about its state; parameters are ``said_params``."""
        return f"replays.state.{self.state}"

    @property
    def has_verdicts(self) -> bool:
        """Whether there is a page about its transactions."""
        return self.kind == "log" and self.analysis is not None

    @property
    def badge_key(self) -> str:
        """The same in a word or two."""
        return f"replays.badge.{self.state}"

    @property
    def said_params(self) -> dict[str, Any]:
        return {"engine": self.engine, "steps": self.steps, **self.finding}


class LinkedFile(models.Model):
    """What was made for a link (`linked.py`). Could be made again from the address alone."""

    key = models.CharField(max_length=64, primary_key=True)
    """SHA-256 of what it was made from: kind, engine, version of the scenario, variant, interventions."""
    kind = models.CharField(max_length=10)
    content = models.BinaryField()
    made = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.key[:8]}"

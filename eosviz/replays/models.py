"""Stored replays and log cases, the files made for links, and the rows of exports, uploads and publications."""

import uuid
from datetime import timedelta
from typing import Any, Self

from django.db import models
from django.utils import timezone

from eosviz.jobs import BackgroundJob, BackgroundJobQuerySet

LINKED_FILES_MAX = 2_000
"""At most this many link files are kept. The oldest file is deleted, and made again when it is requested."""


class ReplayQuerySet(models.QuerySet["Replay"]):
    def readable_by(self, browser: str) -> "ReplayQuerySet":
        """The browser's own replays, and those without an owner, which are found by their link."""
        return self.filter(owner__in=[browser, ""])

    def public(self) -> "ReplayQuerySet":
        """The replays without an owner, which everyone may see."""
        return self.filter(owner="")

    def of_browser(self, browser: str) -> "ReplayQuerySet":
        """The browser's own replays, newest first, without the large columns."""
        return (
            self.filter(owner=browser)
            .exclude(owner="")
            .order_by("-created", "id")
            .defer("player", "analysis", "bundle")
        )

    def with_file(self) -> "ReplayQuerySet":
        """The replays whose file was kept, so that they can be exported."""
        return self.filter(file__isnull=False)

    def with_lack(self) -> "ReplayQuerySet":
        """The replays with a column `lacks_file`: true for a session whose file was not kept, so that it
        cannot be exported."""
        return self.annotate(
            lacks_file=models.ExpressionWrapper(
                models.Q(kind="session", file__isnull=True), models.BooleanField()
            )
        )


class Replay(models.Model):
    """One imported session or log case. Its row does not change, except that a browser's replays may get an account
    as their owner."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.CharField(max_length=64, db_index=True, blank=True)
    """The owner's key (`eosviz/browser.py`); empty for replays from the command line and for the case of the
    sample log."""
    kind = models.CharField(max_length=10, choices=[("session", "session"), ("log", "log")])
    title = models.JSONField()
    """Language → text."""
    scenario = models.CharField(max_length=100, blank=True)
    variant = models.CharField(max_length=200, blank=True)
    engine = models.CharField(max_length=40, blank=True)
    digest = models.CharField(max_length=64)
    """The last digest of the file's chain; for a log case, SHA-256 of its player file."""
    steps = models.PositiveIntegerField()
    state = models.CharField(max_length=12)
    """``verified``, ``differs``, ``recorded``, ``stopped`` (docs/replay-format.md) or ``log``."""
    finding = models.JSONField(default=dict)
    """Parameters of the sentence about the state. For a session: `branch`, `step` and `checked` (`checking.py`). For a
    log case: its partitions, the files that were not read, and whether it is shortened."""
    as_written = models.BooleanField(default=True)
    """Whether the library has this run, apart from its interventions. Replays of earlier releases count as
    runs of the library."""
    analysis = models.JSONField(default=None, null=True)
    """The analysis of a log case (`log_analysis.Row.analysis`); None for a session."""
    player = models.BinaryField()
    """The player file (docs/player.md), gzipped."""
    bundle = models.BinaryField(default=None, null=True)
    """The bundle of a log case, without names, so that it can be passed on (docs/logs.md, Bundles); None if it has
    none."""
    created = models.DateTimeField(auto_now_add=True)

    objects = ReplayQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.kind} {self.scenario} {self.id}"

    @property
    def sentence_key(self) -> str:
        """The catalogue key of the sentence about its state; parameters are ``sentence_params``."""
        return f"replays.state.{self.state}"

    @property
    def has_verdicts(self) -> bool:
        """Whether there is a page about the transactions: the log case was judged, or the process that judged
        it gave no answer."""
        return self.kind == "log" and self.analysis is not None

    @property
    def badge_key(self) -> str:
        """The key of the text that names the state in one or two words."""
        return f"replays.badge.{self.state}"

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {"engine": self.engine, "steps": self.steps, **self.finding}


class ReplayFile(models.Model):
    """The replay file of an imported session (docs/replay-format.md). Earlier releases did not store it."""

    replay = models.OneToOneField(Replay, on_delete=models.CASCADE, primary_key=True, related_name="file")
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"file of {self.replay_id}"


class LinkedFile(models.Model):
    """A file made for a link (`linked.py`). It can be made again from the address."""

    key = models.CharField(max_length=64, primary_key=True)
    """SHA-256 of everything that determines the file: kind, engine, version of the scenario, variant, interventions;
    for a picture also the step."""
    kind = models.CharField(max_length=10)
    content = models.BinaryField()
    made = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.key[:8]}"


EXPORTS_AT_ONCE = 2
"""One person has at most this many unfinished exports."""
EXPORTS_KEPT = 10
EXPORT_HOURS_KEPT = 24
EXPORT_BYTES_MAX = 256 * 1024 * 1024
PUBLISHED_BYTES_MAX = 32 * 1024 * 1024
"""A published player file, gzipped, has at most this many bytes."""


class ExportState(models.TextChoices):
    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = (ExportState.WAITING, ExportState.WORKING)


class FileJobQuerySet(BackgroundJobQuerySet):
    def of_browser(self, browser: str) -> Self:
        """The browser's own rows, newest first."""
        return super().of_browser(browser).order_by("-created", "id")

    def expired(self) -> "FileJobQuerySet":
        return self.filter(created__lt=timezone.now() - timedelta(hours=EXPORT_HOURS_KEPT))


class Export(BackgroundJob):
    """A file that is being made from a session or an imported replay, or a replay that is being published,
    with its progress. It has a `session`, and possibly one `branch` of it, or a `replay`, and possibly one
    `line`."""

    UNFINISHED = UNFINISHED
    BEATING = UNFINISHED  # an export that no worker takes counts as lost, too
    SILENT_SECONDS = 60.0

    owner = models.CharField(max_length=64, db_index=True)
    session = models.ForeignKey(
        "walkthroughs.Session", on_delete=models.CASCADE, related_name="exports", db_index=True, null=True
    )
    branch = models.ForeignKey("walkthroughs.Branch", on_delete=models.CASCADE, null=True, related_name="+")
    """The only branch of the session to export; None: every branch."""
    replay = models.ForeignKey(Replay, on_delete=models.CASCADE, related_name="exports", null=True)
    line = models.CharField(max_length=64, blank=True)
    """The id of the only branch of the replay to export; empty: every branch."""
    form = models.CharField(max_length=12)
    """A key of `FORMS` (`forms/`), or `publish`."""
    language = models.CharField(max_length=10)
    state = models.CharField(max_length=10, choices=ExportState.choices, default=ExportState.WAITING)
    done = models.PositiveIntegerField(default=0)
    """How many of `total` steps have been written or read again."""
    total = models.PositiveIntegerField(default=0)
    beat = models.DateTimeField(default=timezone.now)
    """The time of the worker's last report; at first, that of the request."""
    name = models.CharField(max_length=200, blank=True)
    """The file name of the download."""
    bytes = models.PositiveBigIntegerField(default=0)
    result = models.CharField(max_length=200, blank=True)
    """The address of the published replay."""
    refusal = models.JSONField(default=None, null=True)
    """Why the export failed: `{"key", "params"}` of a sentence; None unless it failed."""
    created = models.DateTimeField(default=timezone.now, db_index=True)

    objects = FileJobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.form} of {self.session_id or self.replay_id}: {self.state}"

    @property
    def place(self) -> str:
        """The file's name in the store of exports."""
        return str(self.id)

    @property
    def shown_state(self) -> str:
        """The state; an unfinished export without a report for SILENT_SECONDS counts as failed."""
        return ExportState.FAILED.value if self.is_silent else str(self.state)


class Upload(BackgroundJob):
    """An uploaded replay file or log. Until the upload has ended, its files are in the store of uploads,
    under the row's id."""

    UNFINISHED = UNFINISHED
    BEATING = ()  # a worker that starts takes up unfinished uploads again
    owner = models.CharField(max_length=64, db_index=True)
    address = models.CharField(max_length=32, blank=True)
    """A digest of the sender's address (`bounded.register.Caller`)."""
    kind = models.CharField(max_length=10)
    """A key of `uploads.KINDS`."""
    options = models.JSONField(default=dict)
    """The options of a log (`log_options.LogOptions`)."""
    bytes = models.PositiveBigIntegerField()
    state = models.CharField(max_length=10, choices=ExportState.choices, default=ExportState.WAITING)
    result = models.ForeignKey(Replay, on_delete=models.CASCADE, null=True, related_name="+")
    refusal = models.JSONField(default=None, null=True)
    """Why there is no result: `{"key", "params"}` of a sentence; None unless the upload failed."""
    beat = models.DateTimeField(default=timezone.now)
    """The time at which the row was made or, later, at which its page last asked a worker to take the upload."""
    created = models.DateTimeField(default=timezone.now, db_index=True)

    objects = FileJobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.kind} {self.id}: {self.state}"

    @property
    def place(self) -> str:
        """The name of the upload's folder in the store of uploads, and of its entry in the register."""
        return str(self.id)


class PublicationQuerySet(models.QuerySet["Publication"]):
    def of_browser(self, browser: str) -> "PublicationQuerySet":
        return self.filter(owner=browser).exclude(owner="").order_by("-created", "id")


class Publication(models.Model):
    """A published replay of one person. Its files are in the store of published files, under the digest."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.CharField(max_length=64, db_index=True)
    digest = models.CharField(max_length=64, db_index=True)
    """SHA-256 of the player file's content; the address contains it."""
    title = models.JSONField()
    scenario = models.CharField(max_length=100, blank=True)
    variant = models.CharField(max_length=200, blank=True)
    engine = models.CharField(max_length=40)
    steps = models.PositiveIntegerField()
    bytes = models.PositiveBigIntegerField()
    """The size of all its files."""
    created = models.DateTimeField(auto_now_add=True)

    objects = PublicationQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["owner", "digest"], name="published_once"),)

    def __str__(self) -> str:
        return f"{self.scenario} {self.digest[:12]}"

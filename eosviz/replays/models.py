"""The models of replays and log cases, of the files made for links, and of exports, uploads and
publications."""

import uuid
from datetime import timedelta
from typing import Any, Self

from django.db import models
from django.utils import timezone

from eosviz.jobs import BackgroundJob, BackgroundJobQuerySet

LINKED_FILES_MAX = 2_000
"""At most this many files of links are stored. The oldest is deleted, and made again when it is requested."""


class ReplayQuerySet(models.QuerySet["Replay"]):
    def readable_by(self, browser: str) -> "ReplayQuerySet":
        """The replays that a browser may read: its own, and those without an owner, for which one needs only
        the link."""
        return self.filter(owner__in=[browser, ""])

    def public(self) -> "ReplayQuerySet":
        """The replays without an owner. Everyone may see them."""
        return self.filter(owner="")

    def of_browser(self, browser: str) -> "ReplayQuerySet":
        """The browser's own replays, the newest first, without their large columns."""
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
        """The replays, with the column `lacks_file`: true for a session that cannot be exported, because its
        file was not kept."""
        return self.annotate(
            lacks_file=models.ExpressionWrapper(
                models.Q(kind="session", file__isnull=True), models.BooleanField()
            )
        )


class Replay(models.Model):
    """One imported session or one log case. Its row does not change, except that an account may become its
    owner in place of a browser."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.CharField(max_length=64, db_index=True, blank=True)
    """The owner's key (`eosviz/browser.py`). Empty for replays from the command line, and for the case of the
    sample log."""
    kind = models.CharField(max_length=10, choices=[("session", "session"), ("log", "log")])
    title = models.JSONField()
    """The title. Dict of language → text."""
    scenario = models.CharField(max_length=100, blank=True)
    variant = models.CharField(max_length=200, blank=True)
    engine = models.CharField(max_length=40, blank=True)
    digest = models.CharField(max_length=64)
    """For a session, the last digest of the file's chain; for a log case, the SHA-256 of its player file."""
    steps = models.PositiveIntegerField()
    state = models.CharField(max_length=12)
    """What checking the file has found: ``verified``, ``differs``, ``recorded`` or ``stopped``
    (docs/replay-format.md). For a log case ``log``."""
    finding = models.JSONField(default=dict)
    """The parameters of the sentence about the state. For a session: `branch`, `step` and `checked`
    (`checking.py`). For a log case: its partitions, the files that were not read, and whether it was
    shortened."""
    as_written = models.BooleanField(default=True)
    """Whether the library contains this run, apart from the run's interventions. True for all replays of
    earlier releases."""
    analysis = models.JSONField(default=None, null=True)
    """The analysis of a log case (`log_analysis.Row.analysis`). Null for a session, and for a case that can
    be shown and not judged."""
    player = models.BinaryField()
    """The player file (docs/player.md), gzipped."""
    bundle = models.BinaryField(default=None, null=True)
    """The bundle of a log case, with pseudonyms in place of names, so that it can be passed on (docs/logs.md,
    Bundles). Null if the case has none."""
    created = models.DateTimeField(auto_now_add=True)

    objects = ReplayQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.kind} {self.scenario} {self.id}"

    @property
    def sentence_key(self) -> str:
        """The key of the sentence about the replay's state. Its parameters are ``sentence_params``."""
        return f"replays.state.{self.state}"

    @property
    def has_verdicts(self) -> bool:
        """Whether the log case has a page about its transactions: it was judged, or judging it took too much
        time or memory, which the page says."""
        return self.kind == "log" and self.analysis is not None

    @property
    def badge_key(self) -> str:
        """The key of the text that states the replay's state in one or two words."""
        return f"replays.badge.{self.state}"

    @property
    def sentence_params(self) -> dict[str, Any]:
        return {"engine": self.engine, "steps": self.steps, **self.finding}


class ReplayFile(models.Model):
    """The replay file of an imported session (docs/replay-format.md). Sessions that earlier releases imported
    may have none."""

    replay = models.OneToOneField(Replay, on_delete=models.CASCADE, primary_key=True, related_name="file")
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"file of {self.replay_id}"


class LinkedFile(models.Model):
    """A file that was made for a link (`linked.py`). The link's address determines its content, so it can be
    made again."""

    key = models.CharField(max_length=64, primary_key=True)
    """The SHA-256 of everything that determines the file: its kind, the engine's version, the version of the
    scenario, the variant and the interventions; for a picture also the step."""
    kind = models.CharField(max_length=10)
    content = models.BinaryField()
    made = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.key[:8]}"


EXPORTS_AT_ONCE = 2
"""One person may have at most this many unfinished exports."""
EXPORTS_KEPT = 10
EXPORT_HOURS_KEPT = 24
EXPORT_BYTES_MAX = 256 * 1024 * 1024
PUBLISHED_BYTES_MAX = 32 * 1024 * 1024
"""The largest size of a published player file, in bytes, gzipped."""


class ExportState(models.TextChoices):
    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNFINISHED = (ExportState.WAITING, ExportState.WORKING)


class FileJobQuerySet(BackgroundJobQuerySet):
    def of_browser(self, browser: str) -> Self:
        """The browser's own rows, the newest first."""
        return super().of_browser(browser).order_by("-created", "id")

    def expired(self) -> "FileJobQuerySet":
        return self.filter(created__lt=timezone.now() - timedelta(hours=EXPORT_HOURS_KEPT))


class Export(BackgroundJob):
    """A request to make a file of a session or of an imported replay, or to publish it, with its progress.
    Either `session` is set, possibly with one `branch` of it, or `replay`, possibly with one `line`."""

    UNFINISHED = UNFINISHED
    BEATING = UNFINISHED  # An export that no worker takes also counts as lost.
    SILENT_SECONDS = 60.0

    owner = models.CharField(max_length=64, db_index=True)
    session = models.ForeignKey(
        "walkthroughs.Session", on_delete=models.CASCADE, related_name="exports", db_index=True, null=True
    )
    branch = models.ForeignKey("walkthroughs.Branch", on_delete=models.CASCADE, null=True, related_name="+")
    """The one branch of the session that is exported; null: all branches."""
    replay = models.ForeignKey(Replay, on_delete=models.CASCADE, related_name="exports", null=True)
    line = models.CharField(max_length=64, blank=True)
    """The id of the one branch of the replay that is exported; empty: all branches."""
    form = models.CharField(max_length=12)
    """A key of `FORMS` (`forms/`), or `publish`."""
    language = models.CharField(max_length=10)
    state = models.CharField(max_length=10, choices=ExportState.choices, default=ExportState.WAITING)
    done = models.PositiveIntegerField(default=0)
    """The number of steps that have been written or read again, of `total`."""
    total = models.PositiveIntegerField(default=0)
    beat = models.DateTimeField(default=timezone.now)
    """The time of the worker's last report. Before the first report, the time of the request."""
    name = models.CharField(max_length=200, blank=True)
    """The name of the file for the download."""
    bytes = models.PositiveBigIntegerField(default=0)
    result = models.CharField(max_length=200, blank=True)
    """The address of the published replay; empty if nothing was published."""
    refusal = models.JSONField(default=None, null=True)
    """Why the export failed, as a sentence's `{"key", "params"}`; null if it has not failed."""
    created = models.DateTimeField(default=timezone.now, db_index=True)

    objects = FileJobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.form} of {self.session_id or self.replay_id}: {self.state}"

    @property
    def place(self) -> str:
        """The name of the file in the store of exports."""
        return str(self.id)

    @property
    def shown_state(self) -> str:
        """The state for pages. An unfinished export without a report for SILENT_SECONDS counts as failed."""
        return ExportState.FAILED.value if self.is_silent else str(self.state)


class Upload(BackgroundJob):
    """An uploaded replay file or log. Until the upload has ended, its files are in a folder of the store of
    uploads."""

    UNFINISHED = UNFINISHED
    BEATING = ()  # No report is expected, because each worker that starts takes up unfinished uploads.
    owner = models.CharField(max_length=64, db_index=True)
    address = models.CharField(max_length=32, blank=True)
    """A digest of the sender's network address (`bounded.register.Caller`)."""
    kind = models.CharField(max_length=10)
    """A key of `uploads.KINDS`."""
    options = models.JSONField(default=dict)
    """The options of an uploaded log (`log_options.LogOptions`)."""
    bytes = models.PositiveBigIntegerField()
    state = models.CharField(max_length=10, choices=ExportState.choices, default=ExportState.WAITING)
    result = models.ForeignKey(Replay, on_delete=models.CASCADE, null=True, related_name="+")
    refusal = models.JSONField(default=None, null=True)
    """Why the upload failed, as a sentence's `{"key", "params"}`; null if it has not failed."""
    beat = models.DateTimeField(default=timezone.now)
    """The time at which the row was made, or at which its page last offered it to the workers."""
    created = models.DateTimeField(default=timezone.now, db_index=True)

    objects = FileJobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.kind} {self.id}: {self.state}"

    @property
    def place(self) -> str:
        """The name of the upload's folder in the store of uploads, and of its request in the register of
        bounded processes."""
        return str(self.id)


class PublicationQuerySet(models.QuerySet["Publication"]):
    def of_browser(self, browser: str) -> "PublicationQuerySet":
        return self.filter(owner=browser).exclude(owner="").order_by("-created", "id")


class Publication(models.Model):
    """One person's publication of a replay. Its files are in the store of published files, in a folder with
    the digest as its name."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.CharField(max_length=64, db_index=True)
    digest = models.CharField(max_length=64, db_index=True)
    """The SHA-256 of the player file's content. It is a part of the publication's address."""
    title = models.JSONField()
    scenario = models.CharField(max_length=100, blank=True)
    variant = models.CharField(max_length=200, blank=True)
    engine = models.CharField(max_length=40)
    steps = models.PositiveIntegerField()
    bytes = models.PositiveBigIntegerField()
    """The size of all files of the publication, in bytes."""
    created = models.DateTimeField(auto_now_add=True)

    objects = PublicationQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["owner", "digest"], name="published_once"),)

    def __str__(self) -> str:
        return f"{self.scenario} {self.digest[:12]}"

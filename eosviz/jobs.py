"""Jobs: work that a person asked for and another process does, and how a job's row shows that this process is
still running.

A kind of job has states. In some of them the job's process reports (`beat`), and counts as lost after a
silence. In others no report is expected, for example while the job waits for a process. The kind decides what
happens to a lost job: sweeps can be resumed, exports have failed.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone


class BackgroundJobQuerySet(models.QuerySet[Any]):
    def of_browser(self, browser: str) -> Self:
        """The browser's own jobs. An empty key owns nothing."""
        return self.filter(owner=browser, owner__gt="")

    def unfinished(self) -> Self:
        """The jobs that wait or are worked on, without those that lost their process."""
        quiet = [state for state in self.model.UNFINISHED if state not in self.model.BEATING]
        heard = Q(state__in=self.model.BEATING, beat__gte=self.model.heard_since())
        return self.filter(Q(state__in=quiet) | heard)


class BackgroundJob(models.Model):
    """The row of a job. Subclasses have the fields `owner`, `state` and `beat`, the time of the last report."""

    UNFINISHED: ClassVar[tuple[str, ...]]
    BEATING: ClassVar[tuple[str, ...]]
    """The unfinished states in which a silence means that the process was lost."""
    SILENT_SECONDS: ClassVar[float] = 60.0
    """The silence after which a process counts as lost."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    state: Any
    beat: Any

    class Meta:
        abstract = True

    @classmethod
    def heard_since(cls) -> datetime:
        """A process counts as silent if its last report is older than this."""
        return timezone.now() - timedelta(seconds=cls.SILENT_SECONDS)

    @property
    def is_silent(self) -> bool:
        """Whether the job's process counts as lost."""
        return self.state in self.BEATING and (self.beat is None or self.beat < self.heard_since())

    @property
    def is_active(self) -> bool:
        return self.state in self.UNFINISHED and not self.is_silent

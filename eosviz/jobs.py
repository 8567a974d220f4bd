"""Jobs: work that a person asks for and another process does.

A job's row has a state. In some states the job's process reports regularly (`beat`), and counts as lost if it
is silent for too long. In other states no report is expected, for example while the job waits for a process.
Each kind of job decides what happens after its process was lost: sweeps can be resumed, exports have failed.
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
        """The jobs that this browser's key owns. An empty key owns nothing."""
        return self.filter(owner=browser, owner__gt="")

    def unfinished(self) -> Self:
        """The jobs that wait or run, except those whose process counts as lost."""
        quiet = [state for state in self.model.UNFINISHED if state not in self.model.BEATING]
        heard = Q(state__in=self.model.BEATING, beat__gte=self.model.heard_since())
        return self.filter(Q(state__in=quiet) | heard)


class BackgroundJob(models.Model):
    """The row of a job. Subclasses have the fields `owner`, `state` and `beat`, the time of the last report
    of the job's process."""

    UNFINISHED: ClassVar[tuple[str, ...]]
    BEATING: ClassVar[tuple[str, ...]]
    """Those of the unfinished states in which the process reports, so that it counts as lost if it is
    silent."""
    SILENT_SECONDS: ClassVar[float] = 60.0
    """A process that has not reported for this time counts as lost."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    state: Any
    beat: Any

    class Meta:
        abstract = True

    @classmethod
    def heard_since(cls) -> datetime:
        """If the last report of a process is older than this time, the process counts as lost."""
        return timezone.now() - timedelta(seconds=cls.SILENT_SECONDS)

    @property
    def is_silent(self) -> bool:
        """Whether the job's process counts as lost."""
        return self.state in self.BEATING and (self.beat is None or self.beat < self.heard_since())

    @property
    def is_active(self) -> bool:
        return self.state in self.UNFINISHED and not self.is_silent

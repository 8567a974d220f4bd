"""Limits how much one person may have. One table says what is counted, and one function compares a count with
its setting.

A person is a key, of an account or of a browser without an account (`eosviz/browser.py`). An app calls
`check` before it stores something that is counted, and makes the refusal itself. The page *Your usage* reads
the same table. Rows without an owner (made on the command line, and samples) are not limited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Sum
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Length

from eosviz.refusals import Refusal

MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class Quota:
    """One quota: what it counts. The largest allowed count is in `settings.QUOTAS`."""

    name: str
    model: str
    """The model whose rows are counted, as `app.Model`."""
    reason: str
    """The last part of the key of the refusal's sentence: `problem.<reason>`, `replays.refused.<reason>`,
    …"""
    page: str
    """The view name of the page on which a person sees what the quota counts."""
    owner: str = "owner"
    """The lookup with which Django finds the rows of an owner's key."""
    amount: Combinable | None = None
    """The expression for how much a row counts. None: each row counts 1."""
    only: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    in_bytes: bool = False

    @property
    def key(self) -> str:
        return f"quotas.{self.name}"

    @property
    def most(self) -> int:
        return int(settings.QUOTAS[self.name])

    def used(self, owner: str) -> int:
        rows = apps.get_model(self.model)._default_manager.filter(**{self.owner: owner}, **self.only)
        total = Count("pk") if self.amount is None else Sum(self.amount)
        return rows.aggregate(used=total)["used"] or 0 if owner else 0


_PACKED = Length("player") + Coalesce(Length("file__content"), 0) + Coalesce(Length("bundle"), 0)

TABLE: tuple[Quota, ...] = (
    Quota("sessions", "walkthroughs.Session", "too_many_sessions", "scenarios:sessions"),
    Quota(
        "steps", "walkthroughs.Branch", "too_many_steps", "scenarios:sessions",
        owner="session__owner", amount=F("newest") - F("leaves_at"),
    ),
    Quota("replays", "replays.Replay", "too_many_replays", "replays:import", only={"kind": "session"}),
    Quota("cases", "replays.Replay", "too_many_cases", "replays:open_log", only={"kind": "log"}),
    Quota(
        "replay_bytes", "replays.Replay", "too_many_replay_bytes", "replays:import",
        amount=_PACKED, in_bytes=True,
    ),
    Quota("published", "replays.Publication", "too_many_published", "accounts:account"),
    Quota(
        "published_bytes", "replays.Publication", "too_many_published_bytes", "accounts:account",
        amount=F("bytes"), in_bytes=True,
    ),
    Quota(
        "drafts", "workshop.Draft", "too_many_drafts", "workshop:gallery", owner="owner__owner_key"
    ),
    Quota(
        "editions", "workshop.Edition", "too_many_editions", "workshop:gallery",
        owner="draft__owner__owner_key",
    ),
    Quota(
        "classes", "classroom.Membership", "too_many_classes", "classroom:index",
        owner="user__owner_key", only={"part": "instructor"},
    ),
    Quota("sweeps", "pipeline.Sweep", "too_many_sweeps", "pipeline:index"),
    Quota("sweep_runs", "pipeline.Sweep", "too_many_sweep_runs", "pipeline:index", amount=F("runs")),
    Quota("shrinks", "pipeline.Shrink", "too_many_shrinks", "pipeline:index"),
)  # fmt: skip
BY_NAME = {quota.name: quota for quota in TABLE}
REASONS = frozenset(quota.reason for quota in TABLE)


def check(owner: str, name: str, more: int = 1, *, refused: Callable[..., Refusal]) -> None:
    """Raise a refusal if `more` would exceed the quota. `refused` makes it from the quota's reason and the
    parameters `most` and `used` (in MiB if the quota counts bytes). Until this transaction ends, other
    transactions that call this function for the same person wait. An empty owner has no quota."""
    if not owner:
        return
    quota = BY_NAME[name]
    wait_for_others(owner)
    used = quota.used(owner)
    if used + more > quota.most:
        unit = MEBIBYTE if quota.in_bytes else 1
        # Rounded up, as on the page *Your usage*.
        raise refused(quota.reason, most=quota.most // unit, used=-(-used // unit))


def left(owner: str, name: str) -> int:
    """How much more the owner may have; negative if the owner has more than the quota allows. Locks
    nothing."""
    quota = BY_NAME[name]
    return quota.most - quota.used(owner)


def wait_for_others(key: str) -> None:
    """On PostgreSQL, lock the key until the transaction ends. Outside a transaction nothing is locked."""
    # SQLite permits only one writing transaction at a time anyway.
    if connection.vendor == "postgresql" and connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])

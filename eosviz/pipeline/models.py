"""Sweeps that ran: what was asked, where the Parquet files are, and the table that the page shows."""

import json
import uuid
from typing import Any

from django.db import models


class SweepQuerySet(models.QuerySet["Sweep"]):
    def recent(self) -> "SweepQuerySet":
        return self.order_by("-created", "id").defer("table", "document")


class Sweep(models.Model):
    """A finished sweep. It is stored when its files are in place, never before."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.JSONField()
    """Language to text."""
    scenario = models.CharField(max_length=100)
    variant = models.CharField(max_length=200, blank=True)
    document = models.TextField()
    """The sweep document as it was given (TOML)."""
    axes = models.JSONField()
    """`[{"name", "path", "values"}]`."""
    seeds = models.PositiveIntegerField()
    runs = models.PositiveIntegerField()
    engine = models.CharField(max_length=40)
    folder = models.TextField()
    """Where `runs` and `table` (Parquet) are."""
    table = models.JSONField()
    """The rows of `table`: a dict per cell (`sweep_table.TABLE_SCHEMA`)."""
    created = models.DateTimeField(auto_now_add=True)

    objects = SweepQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.scenario} {self.id}"

    def rows(self) -> list[dict[str, Any]]:
        """The table's rows, each with `values`: the cell's settings in the order of the axes."""
        names = [axis["name"] for axis in self.axes]
        shown = []
        for row in self.table:
            settings = json.loads(row["settings"])
            shown.append({**row, "values": [json.dumps(settings[name]) for name in names]})
        return shown

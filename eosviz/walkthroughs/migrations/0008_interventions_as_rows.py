"""Copies the interventions of branches into rows, or back into lists. Each batch is one transaction, and a
copy that was stopped may be started again. Copying into rows does not change the lists, because processes of
the previous release still read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import migrations

BATCH = 500
"""This many branches are copied in one transaction."""


def to_rows(apps: Any, editor: Any) -> None:
    database = editor.connection.alias
    Branch, Intervention = (apps.get_model("walkthroughs", name) for name in ("Branch", "Intervention"))
    changed = Branch.objects.using(database).exclude(earlier_interventions=[])
    for ids in _batches(changed):
        rows = [
            Intervention(branch_id=branch, position=position, **made)
            for branch, own in changed.filter(id__in=ids).values_list("id", "earlier_interventions")
            for position, made in enumerate(own)
        ]
        Intervention.objects.using(database).bulk_create(rows, ignore_conflicts=True)


def to_lists(apps: Any, editor: Any) -> None:
    database = editor.connection.alias
    Branch, Intervention = (apps.get_model("walkthroughs", name) for name in ("Branch", "Intervention"))
    every = Intervention.objects.using(database)
    changed = Branch.objects.using(database).filter(id__in=every.values("branch"))
    for ids in _batches(changed):
        branches = {branch.id: branch for branch in changed.filter(id__in=ids)}
        made = {branch.id: dict(enumerate(branch.earlier_interventions)) for branch in branches.values()}
        for row in every.filter(branch__in=ids):
            made[row.branch_id][row.position] = {"after": row.after, "intervention": row.intervention}
        for branch in branches.values():
            own = made[branch.id]
            branch.earlier_interventions = [own[position] for position in sorted(own)]
        Branch.objects.using(database).bulk_update(branches.values(), ["earlier_interventions"])


def _batches(branches: Any) -> Iterator[list[int]]:
    ids = list(branches.order_by("id").values_list("id", flat=True))
    for first in range(0, len(ids), BATCH):
        yield ids[first : first + BATCH]


class Migration(migrations.Migration):
    atomic = False

    dependencies = (("walkthroughs", "0007_interventions"),)

    operations = (migrations.RunPython(to_rows, to_lists),)

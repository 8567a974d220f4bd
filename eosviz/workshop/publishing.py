"""Publications that wait. The engine runs a scenario and its variants in a bounded process, which may start
late.

A row keeps the text as it was when its author asked to publish it. A worker's thread waits for a free
process. If that worker stops, the next worker takes up the unfinished publications. The scenario's page shows
the place in the queue, and the refusal if there is one.
"""

from __future__ import annotations

import logging
import uuid
from typing import Any

from django.utils import timezone

from eosviz.bounded import runner
from eosviz.bounded.refusing import Cancelled, Stopped
from eosviz.bounded.register import AlreadyThere
from eosviz.no_room import means_no_room
from eosviz.workshop import actions
from eosviz.workshop.actions import WorkshopRefused
from eosviz.workshop.models import Draft, Publishing

logger = logging.getLogger(__name__)


def begin(draft: Draft) -> Publishing | None:
    """Create a row for a worker; None if the newest edition already has this text. Raises WorkshopRefused as
    `actions.check_publishable` does."""
    if actions.is_published(draft):
        return None
    actions.check_publishable(draft)
    fields = {"text": draft.text, "refusal": None, "beat": timezone.now()}
    return Publishing.objects.update_or_create(draft=draft, defaults=fields)[0]


def cancel(draft: Draft) -> None:
    """Cancel the publication of this draft: delete its row and end its process. A row with a refusal is deleted too."""
    for row in Publishing.objects.filter(draft=draft):
        row.delete()
        runner.register().cancel(row.place)


def carry_out(draft_id: uuid.UUID) -> None:
    """Wait for a free process, run the text, and create the edition. Then delete the row, or store the
    refusal in it. The row stays as it was if this was interrupted."""
    row = Publishing.objects.unfinished().select_related("draft__owner").filter(draft_id=draft_id).first()
    if row is None:
        return  # cancelled, or done already
    try:
        actions.publish(row.draft, row.text, row.place)
    except (AlreadyThere, Stopped):
        return  # taken by another worker, or left for the next one
    except Cancelled:
        pass
    except WorkshopRefused as refused:
        _refuse(row, refused.key, refused.params)
        return
    except Exception as error:
        logger.exception("the publication of %s failed", draft_id)
        if not means_no_room(error):  # a later attempt may find room on the disk
            _refuse(row, "workshop.refused.failed", {})
        return
    _this(row).delete()


def _refuse(row: Publishing, key: str, params: dict[str, Any]) -> None:
    _this(row).update(refusal={"key": key, "params": params})


def _this(row: Publishing) -> Any:
    """The query for exactly this row: one with another text may have been created meanwhile."""
    return Publishing.objects.unfinished().filter(pk=row.pk, text=row.text)

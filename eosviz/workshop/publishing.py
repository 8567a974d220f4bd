"""Publications that wait: the engine runs a scenario and its variants in a bounded process, which may have to
wait before it starts.

A row keeps the text as it was when its author asked to publish it. A thread of a worker waits for a free
process. If this worker stops, the next worker that starts continues with the publications that are not
finished. The scenario's page shows the position in the queue or, if there is one, the refusal.
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
    """Creates a row for a worker. Returns None if the newest edition already has this text. Raises
    WorkshopRefused in the same cases as `actions.check_publishable`."""
    if actions.is_published(draft):
        return None
    actions.check_publishable(draft)
    fields = {"text": draft.text, "refusal": None, "beat": timezone.now()}
    return Publishing.objects.update_or_create(draft=draft, defaults=fields)[0]


def cancel(draft: Draft) -> None:
    """Cancels the publication of this draft: deletes its row and ends its process. Also deletes a row with a
    refusal."""
    for row in Publishing.objects.filter(draft=draft):
        row.delete()
        runner.register().cancel(row.place)


def carry_out(draft_id: uuid.UUID) -> None:
    """Waits for a free process, runs the text and creates the edition. Then deletes the row, or stores the
    refusal in it. If this is interrupted, the row stays as it was."""
    row = Publishing.objects.unfinished().select_related("draft__owner").filter(draft_id=draft_id).first()
    if row is None:
        return  # it was cancelled, or is done already
    try:
        actions.publish(row.draft, row.text, row.place)
    except (AlreadyThere, Stopped):
        return  # another worker works on it, or the next worker will do so
    except Cancelled:
        pass
    except WorkshopRefused as refused:
        _refuse(row, refused.key, refused.params)
        return
    except Exception as error:
        logger.exception("the publication of %s failed", draft_id)
        if not means_no_room(error):  # at a later attempt, the disk may have free space again
            _refuse(row, "workshop.refused.failed", {})
        return
    _this(row).delete()


def _refuse(row: Publishing, key: str, params: dict[str, Any]) -> None:
    _this(row).update(refusal={"key": key, "params": params})


def _this(row: Publishing) -> Any:
    """Returns the query for exactly this row, because a row with another text may have been created
    meanwhile."""
    return Publishing.objects.unfinished().filter(pk=row.pk, text=row.text)

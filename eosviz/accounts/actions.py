"""What changes an account as a whole."""

from __future__ import annotations

from django.db import transaction

from eosviz.accounts.models import User
from eosviz.classroom.models import Classroom
from eosviz.pipeline.actions import forget_sweep
from eosviz.pipeline.models import Shrink, Sweep
from eosviz.replays.models import Export, Publication, Replay, Upload
from eosviz.tracks.models import Visit
from eosviz.walkthroughs import presenting
from eosviz.walkthroughs.models import Session


def delete_account(user: User) -> None:
    """Delete the account and all it made, as its page announced. Followers of its sessions are notified."""
    key = user.owner_key
    for session_id in (
        Session.objects.of_browser(key).filter(presentation__isnull=False).values_list("id", flat=True)
    ):
        presenting.end(session_id)
    with transaction.atomic():
        Classroom.objects.taught_only_by(user).delete()
        Session.objects.of_browser(key).delete()
        Replay.objects.of_browser(key).delete()
        Export.objects.of_browser(key).delete()
        Upload.objects.of_browser(key).delete()
        Publication.objects.of_browser(key).delete()
        Shrink.objects.of_browser(key).delete()
        for sweep in Sweep.objects.of_browser(key):
            forget_sweep(sweep)
        Visit.objects.of_browser(key).delete()
        user.delete()

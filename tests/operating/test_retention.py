"""Only sessions that are old, unused and without an account are deleted, and only on request."""

from __future__ import annotations

import uuid
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.sessions.models import Session as Cookie
from django.core.management import CommandError, call_command
from django.utils import timezone

from eosviz.accounts import retention
from eosviz.accounts.tasks import apply_retention
from eosviz.replays.models import Replay
from eosviz.tracks.models import Visit
from eosviz.walkthroughs import actions, owned, presenting
from eosviz.walkthroughs.models import Command, Session, Step
from tests.accounts.conftest import person
from tests.walkthroughs.conftest import carry_out, root, version

pytestmark = pytest.mark.django_db

LONG_AGO = timedelta(days=100)


def begun(owner: str, days_ago: int = 100) -> Session:
    session = actions.create_session(owner, version("SC-03"))
    carry_out(session, "advance", root(session), after=0, count=2)
    at = timezone.now() - timedelta(days=days_ago)
    Session.objects.filter(id=session.id).update(created=at)
    Command.objects.filter(session=session).update(answered=at)
    return session


@pytest.fixture
def left() -> dict[str, Session]:
    """Sessions that are old or new, of a browser or of an account."""
    found = {
        "old": begun("b" * 48),
        "new": begun("b" * 48, days_ago=5),
        "account": begun(person("lea@example.org").owner_key),
        "stepped lately": begun("c" * 48),
        "presented": begun("d" * 48),
    }
    Command.objects.filter(session=found["stepped lately"]).update(answered=timezone.now())
    presenting.start(found["presented"])
    return found


def sessions_left(left: dict[str, Session]) -> set[str]:
    ids = set(Session.objects.values_list("id", flat=True))
    return {name for name, session in left.items() if session.id in ids}


def retained(*words: str) -> str:
    out = StringIO()
    call_command("retention", *words, stdout=out)
    return out.getvalue()


def test_it_counts_and_leaves_everything_unless_asked(left: dict[str, Session]) -> None:
    assert "1 sessions, 2 steps, 0 replays, 0 visits" in retained("--days", "30")
    assert "nothing was deleted" in retained("--days", "30", "--dry-run")
    assert sessions_left(left) == set(left)


def test_what_is_old_and_nobodys_goes(left: dict[str, Session]) -> None:
    assert "1 sessions, 2 steps" in retained("--days", "30", "--delete")
    assert sessions_left(left) == {"new", "account", "stepped lately", "presented"}
    assert Step.objects.filter(branch__session=left["old"]).count() == 0
    assert "0 sessions, 0 steps" in retained("--days", "30")


def test_so_do_replays_visits_and_cookies_without_an_account() -> None:
    mine = person("lea@example.org").owner_key
    for owner in ("b" * 48, mine, ""):
        Replay.objects.create(owner=owner, kind="log", title={}, digest="0", steps=1, state="log", player=b"")
        Visit.objects.create(owner=owner or "e" * 48, track="t", position=1)
    Replay.objects.update(created=timezone.now() - LONG_AGO)
    Visit.objects.update(begun=timezone.now() - LONG_AGO)
    Cookie.objects.create(session_key="over", session_data="", expire_date=timezone.now() - LONG_AGO)
    Cookie.objects.create(session_key="held", session_data="", expire_date=timezone.now() + LONG_AGO)
    deleted = {name: count for name, count in retention.apply(30).items() if count}
    assert deleted == {"replays": 1, "visits": 2, "cookies": 1}
    assert set(Replay.objects.values_list("owner", flat=True)) == {mine, ""}
    assert set(Visit.objects.values_list("owner", flat=True)) == {mine}
    assert Cookie.objects.get().session_key == "held"


def test_more_than_one_batch_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    for number in range(5):
        begun(f"{number}" * 48)
    assert retention.apply(30)["sessions"] == 5
    assert Session.objects.count() == 0


def test_who_comes_back_while_others_go_keeps_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    begun("b" * 48)
    begun("c" * 48)

    def delete(owner: str, session_id: uuid.UUID) -> None:
        actions.delete_session(owner, session_id)
        Command.objects.all().update(answered=timezone.now())

    monkeypatch.setattr(owned, "delete_session", delete)
    retention.apply(30)
    assert Session.objects.count() == 1


@pytest.mark.parametrize("days", ["0", "-3"])
def test_nothing_of_today_can_go(days: str) -> None:
    with pytest.raises(CommandError, match="how many days"):
        call_command("retention", "--days", days, "--delete")
    with pytest.raises(ValueError, match="at least one day"):
        retention.apply(int(days))


def test_the_beat_deletes_only_where_a_time_is_set(left: dict[str, Session], settings: Any) -> None:
    settings.KEEP_ANONYMOUS_DAYS = 0
    apply_retention.delay()
    assert sessions_left(left) == set(left)
    settings.KEEP_ANONYMOUS_DAYS = 30
    apply_retention.delay()
    assert "old" not in sessions_left(left)

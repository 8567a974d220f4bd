"""With PostgreSQL, a socket stores the step that was made ahead in one statement, from its event loop."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from eosviz.in_thread import in_thread
from eosviz.walkthroughs import ahead, one_statement
from eosviz.walkthroughs.ahead import go_on_ahead, look_ahead
from eosviz.walkthroughs.kept_ahead import KeptAhead
from eosviz.walkthroughs.made_steps import MadeStep
from eosviz.walkthroughs.messages import Advance, Done
from eosviz.walkthroughs.models import Session
from eosviz.walkthroughs.storing_ahead import Stored, store_ahead
from tests.walkthroughs.conftest import carry_out, line_bodies, line_sent, message, numbers, root

pytestmark = [
    pytest.mark.django_db(transaction=True),  # The statement has a connection of its own.
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="asks PostgreSQL to store"),
]


@pytest.fixture(autouse=True)
def no_connection_is_left(settings: Any) -> Iterator[None]:
    settings.KEPT_CONNECTION_SECONDS = 0
    yield
    assert all(kept._open is None for kept in one_statement._of_loop.values())


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The events that were sent to the page's socket."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(ahead, "send_to_page", lambda page, event: found.append(event))
    return found


def asked(session: Session, event: dict[str, Any], **fields: Any) -> tuple[Advance, MadeStep]:
    kept = KeptAhead()
    after = json.loads(kept.keep(event))["after"]
    command = message("advance", root(session), after=after, count=1, **fields)
    assert isinstance(command, Advance)
    made = kept.take(command)
    assert made is not None
    return command, made


def store(session: Session, event: dict[str, Any], **fields: Any) -> Stored | None:
    return asyncio.run(store_ahead(session.id, *asked(session, event, **fields)))


def test_it_stores_what_a_worker_stores(session: Session, sent: list[dict[str, Any]], start: Any) -> None:
    carry_out(session, "advance", root(session), after=0, count=1)
    look_ahead(session.id, root(session).id, "page")
    for number in range(2, 12):
        frames, answer, presented = store(session, sent.pop()) or ([], None, None)
        assert isinstance(answer, Done)
        assert (answer.newest, answer.reached, answer.stopped, presented) == (number, number, "count", None)
        assert [step["number"] for step in json.loads(frames[0])["steps"]] == [number]
        go_on_ahead(session.id, root(session).id, number, number, "page")
    plain = start()
    carry_out(plain, "advance", root(plain), after=0, count=11)
    assert line_sent(root(session)) == line_sent(root(plain))


def test_a_step_that_another_process_has_overtaken_is_not_stored(
    session: Session, sent: list[dict[str, Any]]
) -> None:
    carry_out(session, "advance", root(session), after=0, count=3)
    look_ahead(session.id, root(session).id, "page")
    carry_out(session, "advance", root(session), after=3, count=2)
    before = line_bodies(root(session))
    assert store(session, sent.pop()) is None
    assert line_bodies(root(session)) == before


def test_a_command_is_carried_out_once(session: Session, sent: list[dict[str, Any]]) -> None:
    carry_out(session, "advance", root(session), after=0, count=1)
    look_ahead(session.id, root(session).id, "page")
    event, again = sent.pop(), uuid.uuid4()
    first, second = asked(session, event, id=again), asked(session, event, id=again)

    async def both() -> tuple[Stored | None, Stored | None]:
        return await asyncio.gather(store_ahead(session.id, *first), store_ahead(session.id, *second))

    assert [stored is None for stored in asyncio.run(both())] == [False, True]
    assert numbers(root(session)) == [1, 2]


def test_a_lost_connection_leaves_the_step_to_a_worker_and_is_replaced(
    session: Session, sent: list[dict[str, Any]], settings: Any
) -> None:
    carry_out(session, "advance", root(session), after=0, count=1)
    look_ahead(session.id, root(session).id, "page")
    steps = [asked(session, sent.pop())]
    branch = root(session).id

    def lose(pid: int) -> None:
        go_on_ahead(session.id, branch, 2, 2, "page")
        steps.append(asked(session, sent.pop()))
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])

    async def stored() -> list[bool]:
        settings.KEPT_CONNECTION_SECONDS = 600
        found = [await store_ahead(session.id, *steps[0])]
        kept = one_statement._of_loop[asyncio.get_running_loop()]._open
        assert kept is not None
        await in_thread(lose)(kept.info.backend_pid)
        found.append(await store_ahead(session.id, *steps[1]))
        settings.KEPT_CONNECTION_SECONDS = 0
        found.append(await store_ahead(session.id, *steps[1]))
        return [one is not None for one in found]

    assert asyncio.run(stored()) == [True, False, True]
    assert numbers(root(session)) == [1, 2, 3]

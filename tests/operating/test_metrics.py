"""The metrics can be read only with the token, and count what happened."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import msgspec
import pytest
from channels.testing import WebsocketCommunicator
from django.test import Client

from eosviz.accounts.tasks import apply_retention
from eosviz.launch.places import ROOT
from eosviz.operating import worker_signals
from eosviz.operating.log_context import TEXT_CHARACTERS_MAX, AddContext, JsonLines, about, session_in
from eosviz.walkthroughs.models import Session

TOKEN = "for the one who measures"


def figures(client: Client, token: str = TOKEN) -> str:
    response = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 200
    return response.content.decode()


def value(text: str, line: str) -> float:
    found = re.search(rf"^{re.escape(line)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


@pytest.mark.django_db
def test_they_are_not_read_without_the_token(client: Client, settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    settings.METRICS_TOKEN = TOKEN
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer other"}).status_code == 401
    assert "eosviz_request_seconds" in figures(client)


@pytest.mark.django_db
def test_answers_are_counted_by_route_and_never_by_address(client: Client, settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    line = 'eosviz_request_seconds_count{method="GET",route="reference:requirement",status="200"}'
    before = value(figures(client), line)
    for requirement in ("SEQ-11", "SEQ-1"):
        assert client.get(f"/reference/requirements/{requirement}").status_code == 200
    after = figures(client)
    assert value(after, line) == before + 2
    assert "SEQ-11" not in after


@pytest.mark.django_db(transaction=True)
async def test_sockets_and_their_messages_are_counted(session: Session, settings: Any) -> None:
    from asgiref.sync import sync_to_async

    from eosviz.asgi import application

    settings.METRICS_TOKEN = TOKEN
    client = Client()
    text = await sync_to_async(figures)(client)
    open_before, received = (
        value(text, "eosviz_sockets_open"),
        value(text, "eosviz_socket_messages_received_total"),
    )
    socket = WebsocketCommunicator(
        application,
        f"/ws/sessions/{session.id}/",
        [(b"origin", b"http://testserver"), (b"host", b"testserver")],
    )
    await socket.connect(60)
    await socket.send_json_to({"v": 1, "id": str(uuid.uuid4()), "type": "ping"})
    await socket.receive_output(60)
    text = await sync_to_async(figures)(client)
    assert value(text, "eosviz_socket_messages_sent_total") > 0
    await socket.disconnect(timeout=60)
    text = await sync_to_async(figures)(client)
    assert value(text, "eosviz_sockets_open") == open_before
    assert value(text, "eosviz_socket_messages_received_total") >= received


@pytest.mark.django_db
def test_tasks_are_timed(client: Client, settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    line = 'eosviz_task_seconds_count{outcome="success",task="operating.apply_retention"}'
    before = value(figures(client), line)
    apply_retention.delay()
    assert value(figures(client), line) == before + 1


def test_what_a_task_logs_names_it_and_its_session() -> None:
    one = str(uuid.uuid4())
    worker_signals._begin("t1", apply_retention, (one,))
    inside = TestLines().line()
    worker_signals._end("t1", apply_retention, "SUCCESS")
    assert (inside["task"], inside["task_name"], inside["session"]) == ("t1", apply_retention.name, one)
    assert "task" not in TestLines().line()


@pytest.mark.parametrize("address", ["/livez", "/readyz"])
@pytest.mark.django_db
def test_a_process_says_that_it_lives_and_can_serve(client: Client, address: str) -> None:
    assert client.get(address).status_code == 200


@pytest.mark.django_db
def test_without_redis_it_lives_and_cannot_serve(client: Client, settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    assert client.get("/livez").status_code == 200
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["database"] == "ok"
    assert answer.json()["redis"] != "ok"


class TestLines:
    """The fields of a line of the log besides its text."""

    def line(self, message: str = "said", **options: Any) -> dict[str, Any]:
        record = logging.LogRecord("eosviz", logging.WARNING, "", 0, message, (), options.get("error"))
        AddContext().filter(record)
        line: dict[str, Any] = msgspec.json.decode(JsonLines().format(record))
        return line

    def test_a_line_names_its_session_and_its_task(self) -> None:
        one = str(uuid.uuid4())
        with about(**session_in(f"/ws/sessions/{one}/")), about(task="t1"):
            line = self.line()
        assert (line["session"], line["task"], line["message"]) == (one, "t1", "said")
        assert "session" not in self.line()

    def test_a_path_without_a_session_names_none(self) -> None:
        assert session_in("/sessions/new") == session_in("/reference/") == {}

    def test_a_line_is_one_line_whatever_is_in_it(self) -> None:
        record = logging.LogRecord("eosviz", logging.INFO, "", 0, 'two\nlines "and" more', (), None)
        AddContext().filter(record)
        assert "\n" not in JsonLines().format(record)

    def test_an_endless_traceback_is_shortened_and_says_so(self) -> None:
        try:
            raise ValueError("x" * 3 * TEXT_CHARACTERS_MAX)
        except ValueError as error:
            line = self.line(error=(ValueError, error, error.__traceback__))
        assert len(line["traceback"]) < 2 * TEXT_CHARACTERS_MAX
        assert "characters …" in line["traceback"]

    def test_the_servers_own_lines_look_as_all_others(self, tmp_path: Path) -> None:
        started = (
            "import logging, uvicorn; uvicorn.Config('eosviz.asgi:application').load();"
            "logging.getLogger('uvicorn.error').info('from the server')"
        )
        done = subprocess.run(
            [sys.executable, "-c", started],
            cwd=ROOT,
            env={**os.environ, "EOSVIZ_LOG_FORMAT": "json", "EOSVIZ_DATA": str(tmp_path)}
            | {"DJANGO_SETTINGS_MODULE": "eosviz.settings.development"},
            capture_output=True,
            check=True,
            timeout=120,
        )
        lines = [msgspec.json.decode(line) for line in done.stderr.splitlines()]
        assert [(line["level"], line["message"]) for line in lines] == [("INFO", "from the server")]

"""`/healthz`, and the headers of every response."""

from pathlib import Path
from typing import Any

import pytest
import redis
from django.test import Client

from eosviz import health
from eosviz.launch.storage import FREE_BYTES_MIN, LOW_BYTES
from tests.small_disk import fill, read_only, small_disk


@pytest.mark.django_db
def test_without_a_worker_it_is_not_well_and_says_what_to_do(client: Client) -> None:
    response = client.get("/healthz")
    assert response.status_code == 503
    answers = response.json()
    assert answers.pop("worker") == ("no worker answered within 2 s; start one (docs/operating.md)")
    assert answers == {"database": "ok", "redis": "ok", "storage": "ok"}
    assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db
def test_one_ailing_part_hides_no_other(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def ail() -> None:
        raise OSError("no such server")

    monkeypatch.setitem(health.CHECKS, "redis", ail)
    assert client.get("/healthz").json() == {
        "database": "ok",
        "redis": health.DOES_NOT_ANSWER,
        "worker": "cannot be asked without redis",
        "storage": "ok",
    }


@pytest.mark.django_db
def test_every_response_keeps_scripts_of_others_out(client: Client) -> None:
    for address in ("/healthz", "/no-such-page"):
        headers = client.get(address).headers
        assert "script-src 'self';" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"


def test_storage_warns_before_it_fails_and_says_why(settings: Any, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", LOW_BYTES - 10**6) as disk:
        settings.DATA_DIR = disk
        assert health.check_storage() == "low: 99 MB free; below 50 MB nothing is stored"
        filler = fill(disk, leave_bytes=FREE_BYTES_MIN - 10**6)
        with pytest.raises(
            health.Unwell, match=r"^nothing can be stored: the disk is full: 4. MB free, 50 MB needed$"
        ):
            health.check_storage()
        filler.unlink()
        read_only(disk)
        with pytest.raises(health.Unwell, match=r"^nothing can be stored: the disk is mounted read-only$"):
            health.check_storage()


@pytest.mark.django_db
def test_pages_are_served_while_redis_takes_no_writes(client: Client, redis_server: str) -> None:
    server = redis.Redis.from_url(redis_server)
    usual = server.config_get("maxmemory")["maxmemory"]
    assert usual is not None
    server.config_set("maxmemory", 1)
    try:
        assert client.get("/readyz").status_code == 200
        answers = client.get("/healthz").json()
    finally:
        server.config_set("maxmemory", usual)
    assert answers["redis"] == "it takes no writes: its disk is full or its memory used up"
    assert answers["worker"] == "cannot be asked without redis"

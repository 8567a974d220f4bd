"""`/healthz` and what every response tells the browser."""

import pytest
from django.test import Client

from eosviz import health


@pytest.mark.django_db
def test_without_a_worker_it_is_not_well_and_says_what_to_do(client: Client) -> None:
    response = client.get("/healthz")
    assert response.status_code == 503
    answers = response.json()
    assert answers.pop("worker") == (
        "RuntimeError: no worker answered within 2 s; start one (docs/operating.md)"
    )
    assert answers == {"database": "ok", "redis": "ok", "storage": "ok"}
    assert "no-store" in response["Cache-Control"]


@pytest.mark.django_db
def test_one_ailing_part_hides_no_other(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def ail() -> None:
        raise OSError("no such server")

    monkeypatch.setitem(health.CHECKS, "redis", ail)
    assert client.get("/healthz").json() == {
        "database": "ok",
        "redis": "OSError: no such server",
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

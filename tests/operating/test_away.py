"""While Redis cannot be reached, a page says so in the reader's language, and not that something is broken."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client, RequestFactory

from eosviz.callers import address_of

FORM = {"login": "ada@example.org", "password": "a long password"}


@pytest.fixture
def redis_away(settings: Any) -> Any:
    """The cache uses an address without a server."""
    nowhere = {**settings.CACHES["default"], "LOCATION": "unix:///nowhere/redis.sock"}
    settings.CACHES = {"default": nowhere}
    yield
    caches.close_all()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"), [("en", "temporarily unavailable"), ("zh-hans", "暂时不可用")]
)
def test_signing_in_says_that_a_part_is_away(redis_away: None, language: str, words: str) -> None:
    response = Client(raise_request_exception=False).post(
        "/accounts/login/", FORM, headers={"accept-language": language}
    )
    assert response.status_code == 503
    assert response["Retry-After"]
    page = response.content.decode()
    assert words in page
    assert "[page." not in page


@pytest.mark.django_db
def test_what_needs_no_redis_is_still_read(redis_away: None) -> None:
    assert Client().get("/reference/errors/").status_code == 200


@pytest.mark.parametrize(
    ("proxies", "forwarded", "counted"),
    [
        (0, "6.6.6.6", "10.0.0.1"),
        (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        (2, "6.6.6.6, 1.2.3.4, 5.6.7.8", "1.2.3.4"),
        (2, "1.2.3.4", "10.0.0.1"),
        (1, "", "10.0.0.1"),
    ],
)
def test_people_behind_a_proxy_are_counted_one_by_one_and_cannot_choose_their_address(
    settings: Any, proxies: int, forwarded: str, counted: str
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded}, REMOTE_ADDR="10.0.0.1")
    assert address_of(request) == f"address {counted}"

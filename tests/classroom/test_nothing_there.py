"""A request for a thing of another person gets exactly the same response as one for a missing thing, so no response
reveals that the thing exists. Who may see what is also tested in the quick tests (test_permissions.py).
"""

from __future__ import annotations

import re
import uuid
from collections import Counter
from itertools import product

import pytest
from django.test import Client

from tests.answers import Answer
from tests.classroom.addresses import ROWS, Row, Things
from tests.classroom.test_permissions import things, whole_budgets  # noqa: F401

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
BRANCH = re.compile(r"(?<=branch=)\d+|(?<=left=)\d+|(?<=right=)\d+|(?<=branch/)\d+|(?<=branches/)\d+")
DIGEST = re.compile(r"[0-9a-f]{64}")
OF_THIS_REQUEST = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"|(branch|left|right)(=|%3D)\d+')
OF_THIS_SECOND = frozenset({"Expires", "Content-Length", "Content-Security-Policy"})
METHODS = ("get", "post", "delete")


def address_of_nothing(address: str) -> str:
    address = UUID.sub(lambda found: str(uuid.UUID(int=int(found[0][:8], 16) + 1)), address)
    address = BRANCH.sub("999999999", address)
    return DIGEST.sub("f" * 64, address)


def answer(browser: Client, row: Row, method: str, address: str, things: Things) -> Answer:  # noqa: F811
    whole_budgets()
    if method == "post":
        sent = row.sent(things) or {}
        if row.method == "json":
            return browser.post(address, sent, content_type="application/json")
        return browser.post(address, sent)
    answered: Answer = getattr(browser, method)(address)
    return answered


def what_it_says(response: Answer, address: str) -> tuple[object, ...]:
    """Return the status, body and headers of a response, without the parts that repeat its own address."""
    body = OF_THIS_REQUEST.sub(b"", response.content)
    where = response.headers.get("Location", "")
    path = address.partition("?")[0]
    for part in sorted({path, path.replace("/", "%2F"), *UUID.findall(address)}, key=len, reverse=True):
        body, where = body.replace(part.encode(), b"ID"), where.replace(part, "ID")
    headers = {name: value for name, value in response.headers.items() if name not in OF_THIS_SECOND}
    return response.status_code, body, sorted((headers | {"Location": where}).items())


@pytest.mark.slow
@pytest.mark.django_db
def test_what_is_anothers_looks_like_what_is_not_there(things: Things) -> None:  # noqa: F811
    differing, asked = [], Counter[str]()
    for who, (name, row), method in product(("anonymous", "stranger"), sorted(ROWS.items()), METHODS):
        address = row.address(things)
        nothing = address_of_nothing(address)
        if row.may is None or who in row.may or nothing == address:
            continue
        asked[who] += 1
        browser = things.school.browser(who)
        theirs, none = (answer(browser, row, method, each, things) for each in (address, nothing))
        if what_it_says(theirs, address) != what_it_says(none, nothing):
            differing.append((who, name, method, theirs.status_code, none.status_code))
    assert (differing, min(asked.values()) > 150) == ([], True)

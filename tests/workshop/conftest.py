"""People with drafts, and the text of a scenario in which something happens."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from eosviz.accounts.models import User
from eosviz.accounts.roles import Role
from eosviz.workshop import actions
from eosviz.workshop.models import Draft
from tests.accounts.conftest import person
from tests.walkthroughs.conftest import _no_simulation_of_another_test  # noqa: F401

TEXT = """\
# The acknowledgement is lost.
id = "MY-LOST"

[title]
en = "The acknowledgement is lost"
zh-Hans = "确认丢失"

[lesson]
en = "# See\\n\\n![the lanes](step:12) and **retry**"
zh-Hans = "看"

[[producers]]
name = "p1"
settings = { acks = "all", retries = 3, request_timeout_ms = 100 }

[[applications]]
name = "app-1"
client = "p1"
calls = [{ at = 10, do = "send", partition = "t-0" }]

[[faults]]
match = { api = "Produce", response = true }
action = "drop"
"""


@pytest.fixture(autouse=True)
def _whole_budgets() -> None:
    cache.clear()


@pytest.fixture
def ina(db: None) -> User:
    return person("ina@example.org", Role.INSTRUCTOR)


@pytest.fixture
def lea(db: None) -> User:
    return person("lea@example.org")


@pytest.fixture
def draft(ina: User) -> Draft:
    return actions.create_draft(ina, TEXT)

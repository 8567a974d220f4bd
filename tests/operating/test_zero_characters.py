"""The character with code 0, which PostgreSQL cannot store in a text: writing it is refused, and reading it shows a
sign.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from engine.scenario.document import BadScenario, parse
from eosviz.accounts.roles import Role
from eosviz.replays.models import Replay
from eosviz.workshop import actions
from tests.accounts.conftest import person

DUMP = Path(__file__).parents[1] / "oracles/kafka-logs/h2_open/hangopen-0" / f"{0:020}.log.dump.txt"
WITHOUT = 'id = "MY-1"\nprofile = "k28"\n\n[title]\nen = "mine"\nzh-Hans = "标题"\n'


@pytest.mark.parametrize("escape", ["\\u0000", "\\U00000000"])
def test_a_document_that_spells_it_is_refused_at_its_line(escape: str) -> None:
    with pytest.raises(BadScenario) as caught:
        parse(WITHOUT.replace("mine", escape))
    assert caught.value.line == 5
    # in single quotes, TOML has no escapes
    assert parse(WITHOUT.replace('"mine"', f"'{escape}'"))["title"]["en"] == escape


@pytest.mark.django_db
def test_a_draft_keeps_the_text_and_lists_what_was_readable() -> None:
    draft = actions.create_draft(person("ina@example.org", Role.INSTRUCTOR), WITHOUT)
    text = WITHOUT.replace("mine", "\\u0000")
    held = actions.save(draft, text, draft.revision, [], "both")
    assert (held.text, held.title["en"]) == (text, "mine")


@pytest.mark.django_db
def test_a_line_of_a_log_that_holds_it_is_shown_with_its_sign(client: Client) -> None:
    text = f"{DUMP.read_text()}a line of no dump with a zero: \0\n"
    assert client.post(reverse("replays:open_log"), {"text": text}).status_code == 302
    case = Replay.objects.get()
    page = client.get(reverse("replays:log_case", args=[case.id])).content.decode()
    assert "a line of no dump with a zero: \N{SYMBOL FOR NULL}" in page

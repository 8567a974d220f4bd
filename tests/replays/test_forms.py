"""Every form of a replay's file is complete: it has texts, a place, and a row in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from eosviz.catalogue import words
from eosviz.replays.forms import FORMS, Form
from eosviz.replays.models import Export

every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def test_each_has_a_name_and_a_place_of_its_own() -> None:
    assert {"replay", "html", "jsonl", "parquet"} <= FORMS.keys()
    assert len({form.order for form in FORMS.values()}) == len(FORMS)


@every_form
def test_its_name_fits_and_has_words(form: Form) -> None:
    assert len(form.name) <= (Export._meta.get_field("form").max_length or 0)
    assert {f"exports.form.{form.name}", f"exports.form.{form.name}.means"} <= words().keys()


@every_form
def test_it_is_documented(form: Form) -> None:
    table = Path("docs/replay-format.md").read_text(encoding="utf-8")
    assert f"| `{form.name}` | `{form.ending}` |" in table

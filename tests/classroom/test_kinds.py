"""Every kind of assignment is complete: its texts, its fields, and the page on which it is submitted."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.template.loader import get_template

from eosviz.catalogue import say, words
from eosviz.classroom.kinds import Kind, kind_named, kind_of, kinds
from eosviz.classroom.models import Assignment
from tests.classroom.conftest import School

every_kind = pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.name)


def test_each_has_a_name_and_a_place_of_its_own() -> None:
    assert {"watch", "predict", "break", "hold", "explain"} <= {kind.name for kind in kinds()}
    assert len({kind.name for kind in kinds()}) == len({kind.order for kind in kinds()}) == len(kinds())
    assert kind_named("juggle") is None
    with pytest.raises(LookupError, match="juggle"):
        kind_of(Assignment(kind="juggle"))


@every_kind
def test_the_catalogue_has_its_words(kind: Kind) -> None:
    assert {kind.key, kind.why_key, f"classroom.task.{kind.name}"} <= words().keys()


@every_kind
def test_it_is_documented(kind: Kind) -> None:
    assert f"| {say(kind.key, 'en')} |" in Path("docs/classes.md").read_text(encoding="utf-8")


@every_kind
def test_its_name_fits(kind: Kind) -> None:
    assert len(kind.name) <= (Assignment._meta.get_field("kind").max_length or 0)


@every_kind
def test_its_fields_are_columns_of_an_assignment(kind: Kind) -> None:
    columns = {field.name for field in Assignment._meta.local_fields}
    assert kind.fields().keys() <= columns


@every_kind
def test_its_page_exists(kind: Kind) -> None:
    get_template(kind.template)


@every_kind
def test_an_instructor_finds_it_and_its_form(kind: Kind, school: School) -> None:
    browser = school.browser("instructor")
    address = f"/classes/{school.classroom.id}/assign/{kind.name}/"
    assert address in browser.get(f"/classes/{school.classroom.id}/").content.decode()
    page = browser.get(address)
    assert all(f'name="{field}"' in page.content.decode() for field in kind.fields())


def test_the_administration_names_each_kind(db: None) -> None:
    field = Assignment._meta.get_field("kind")
    assert [value for value, _ in field.choices or ()] == [kind.name for kind in kinds()]


def test_no_kind_needs_a_migration(db: None) -> None:
    call_command("makemigrations", "classroom", check=True, dry_run=True, verbosity=0)

"""Every model can be listed and searched in the administration, with the same number of queries however many rows
there are.
"""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.management import call_command
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from eosviz import catalogue
from eosviz.accounts.models import User
from eosviz.operating import naming
from eosviz.operating.admin import HIDDEN, KEYS
from tests.classroom.addresses import Things
from tests.classroom.test_permissions import InOneTransaction

TIMES = 10
ALSO_DJANGO = ("auth.", "admin.", "account.")
"""Applications whose models only a superuser sees, because roles are a table in the code."""


def shown() -> dict[str, type[models.Model]]:
    return {model._meta.label_lower: model for model in admin.site._registry}


def page(model: type[models.Model], of: str = "changelist", *key: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{of}", args=key)


@pytest.fixture
def superuser(db: None) -> Client:
    return superuser_signed_in()


@pytest.fixture(scope="class")
def kept_superuser(kept_things: Things) -> Client:
    return superuser_signed_in()


def superuser_signed_in() -> Client:
    client = Client()
    client.force_login(
        User.objects.create_superuser("root@example.org", "a long password"),
        backend="allauth.account.auth_backends.AuthenticationBackend",
    )
    return client


def test_every_model_has_a_page_or_a_reason() -> None:
    models_known = {model._meta.label_lower for model in apps.get_models() if not model._meta.proxy}
    assert models_known - shown().keys() == HIDDEN.keys()


def test_no_page_shows_a_key() -> None:
    for label, model in shown().items():
        texts = {field.name for field in model._meta.concrete_fields if isinstance(field, models.CharField)}
        listed = {str(name) for name in admin.site._registry[model].list_display}
        assert not KEYS & texts & listed, label


@pytest.mark.slow
def test_pages_cost_the_same_for_many_rows_as_for_few(
    things: Things, superuser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row is shown ten times over, so code that queries the database for each row makes more queries."""
    found = ChangeList.get_results
    times = 1

    def repeated(self: ChangeList, request: Any) -> None:
        found(self, request)
        self.result_list = [copy.deepcopy(row) for row in self.result_list for _ in range(times)]

    monkeypatch.setattr(ChangeList, "get_results", repeated)
    counted: dict[str, list[int]] = {}
    empty = []
    for label, model in shown().items():
        if not model._base_manager.exists():
            empty.append(label)
            continue
        superuser.get(page(model))  # The first request fills the caches.
        for amount in (1, TIMES):
            times = amount
            with CaptureQueriesContext(connection) as asked:
                assert superuser.get(page(model)).status_code == 200, label
            counted.setdefault(label, []).append(len(asked))
    assert {label: queries for label, queries in counted.items() if queries[0] != queries[1]} == {}
    assert len(counted) > 15, empty


class TestAdministration(InOneTransaction):
    """These tests change nothing, so all of them share the same objects."""

    def test_every_page_searches_and_opens_its_rows(
        self, kept_things: Things, kept_superuser: Client, takes_a_part: bool
    ) -> None:
        """`make test` searches only for the last of the words, `make test-all` for all of them."""
        sought: tuple[str, ...] = ("a", "SC-03", str(kept_things.session.id), "%'\"\\ 0x")
        if takes_a_part:
            sought = sought[-1:]
        for label, model in shown().items():
            for words in sought:
                assert kept_superuser.get(page(model), {"q": words}).status_code == 200, (label, words)
            row = model._base_manager.first()
            if row is not None:
                opened = kept_superuser.get(page(model, "change", row.pk))
                assert opened.status_code == 200, label

    def test_search_finds_by_key(self, kept_things: Things, kept_superuser: Client) -> None:
        model = type(kept_things.session)
        html = kept_superuser.get(page(model), {"q": str(kept_things.session.id)[:12]}).content.decode()
        assert str(kept_things.session.id) in html
        assert kept_things.session.owner not in html
        one = kept_superuser.get(page(model, "change", kept_things.session.id)).content.decode()
        assert kept_things.session.owner not in one

    @pytest.mark.parametrize(("outcome", "is_shown"), [("open", False), ("waiting", True)])
    def test_an_explanation_is_shown_once_it_is_handed_in(
        self, kept_things: Things, kept_superuser: Client, outcome: str, is_shown: bool
    ) -> None:
        attempt = kept_things.attempt
        type(attempt).objects.filter(pk=attempt.pk).update(text="the zombie wrote last", outcome=outcome)
        html = kept_superuser.get(page(type(attempt), "change", attempt.pk)).content.decode()
        assert ("the zombie wrote last" in html) is is_shown

    def test_an_administrator_sees_all_of_ours(self, kept_things: Things) -> None:
        browser = kept_things.school.browser("administrator")
        missing = [
            label
            for label, model in shown().items()
            if not label.startswith(ALSO_DJANGO) and browser.get(page(model)).status_code != 200
        ]
        assert missing == []

    def test_rooms_tables_and_columns_are_named_in_the_language_of_who_looks(
        self, kept_things: Things, kept_superuser: Client
    ) -> None:
        chinese = {"accept-language": "zh-hans"}
        index = kept_superuser.get("/administration/", headers=chinese).content.decode()
        assert ">操作记录</a>" in index and ">已发布的回放</a>" in index
        latin = {
            link: text
            for link, text in re.findall(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', index)
            if re.search("[A-Za-z]{3}", text)
        }
        assert latin == {}
        left = {}
        for label, model in shown().items():
            body = kept_superuser.get(page(model), headers=chinese).content.decode()
            heads = re.findall(
                r"<th [^>]*>.*?</th>", body.partition("<thead>")[2].partition("</thead>")[0], re.S
            )
            english_heads = [
                text for head in heads for text in re.findall(r">\s*([A-Za-z][A-Za-z_ ]{2,})\s*<", head)
            ]
            if english_heads:
                left[label] = english_heads
        assert left == {}
        with override("zh-hans"):
            chosen = {
                str(label)
                for model in shown().values()
                for field in model._meta.local_fields
                for _, label in field.choices or ()
            }
            assert {label for label in chosen if re.search("[A-Za-z]{3}", label)} == set()
        english = kept_superuser.get("/administration/").content.decode()
        assert ">Audit entries</a>" in english and "entrys" not in english.lower()


def test_every_name_is_used_and_a_better_one_makes_no_migration(db: None) -> None:
    used = {f"column.{name}" for name in ("members", "edition_count")}
    for app in filter(naming.is_ours, apps.get_app_configs()):
        for model in app.get_models():
            label = model._meta.label_lower
            used |= {f"app.{app.label}", f"model.{label}", f"models.{label}"}
            for field in filter(naming.is_named_by_us, model._meta.local_fields):
                own, common = naming.keys_of(field)
                used.add(own if own in naming.names() else common)
            for field in model._meta.local_fields:
                used |= {naming.choice_key(field, value) for value, _ in field.choices or ()}
    used -= catalogue.words().keys()  # choices that the site's own pages have words for
    assert naming.names().keys() - used == set()
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)

"""The names under which the administration shows apps, tables, columns and choices, in the reader's language.

The names are in `names.toml` and are set on the models when the site starts. They are not in the models' own
code, because Django would need a migration for each changed name.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from django.apps import AppConfig, apps
from django.db.models import Field, Model
from django.utils.functional import lazy
from django.utils.translation import get_language

from engine.explain.sentences import Sentence, read_catalogue
from eosviz.catalogue import language_of, say, words

WORDED_BY_PAGES = {
    "classroom.membership.part": "classroom.part",
    "classroom.assignment.kind": "classroom.kind",
    "classroom.attempt.outcome": "classroom.outcome",
    "workshop.draft.visibility": "workshop.visibility",
    "workshop.draft.language": "workshop.language",
    "pipeline.sweep.state": "sweeps.state",
    "pipeline.shrink.state": "sweeps.state",
    "analytics.analysis.state": "sweeps.state",
    "analytics.figure.kind": "analytics.kind",
}
"""Fields whose choices have their names in the catalogue of the pages. Dict of `app.model.field` → prefix of
the catalogue's keys."""


@cache
def names() -> dict[str, Sentence]:
    file = resources.files(__package__).joinpath("names.toml")
    return read_catalogue([(file.name, file.read_text(encoding="utf-8"))])


def _named(key: str) -> str:
    return names()[key].text(language_of(get_language()))


_lazily = lazy(_named, str)


def _worded_by_pages(key: str) -> str:
    return say(key, language_of(get_language()))


_lazily_by_pages = lazy(_worded_by_pages, str)


def column(name: str) -> Any:
    """The header of a column of the administration that shows no field of the model. `name`: its key in
    `names.toml`, without `column.`."""
    return _lazily(f"column.{name}")


def head_of(field: Field[Any, Any]) -> Any:
    """The header of a column that shows the value of `field` in another form. It is looked up when it is
    shown, because the names are not set yet when modules are imported."""
    return lazy(lambda: str(field.verbose_name), str)()


def keys_of(field: Field[Any, Any]) -> tuple[str, str]:
    """The keys under which `names.toml` may have the field's name: for this model only, and for all models.
    The first one that exists counts."""
    return f"field.{field.name}.{field.model._meta.label_lower}", f"field.{field.name}"


def is_ours(app: AppConfig) -> bool:
    return app.name.startswith("eosviz.")


def is_named_by_us(field: Field[Any, Any]) -> bool:
    """Whether `names.toml` names the field, because its declaration does not."""
    # This attribute is private; Django sets the public `verbose_name` in either case.
    return field._verbose_name is None  # type: ignore[attr-defined]


def name_everything() -> None:
    """Set the names of the site's apps, models, fields and choices. Raises KeyError if a name is missing."""
    known = names()
    for app in apps.get_app_configs():
        models = list(app.get_models()) if is_ours(app) else []
        if models:
            app.verbose_name = _lazily(_known(f"app.{app.label}"))
        for model in models:
            _name(model)
            for field in filter(is_named_by_us, model._meta.local_fields):
                own, common = keys_of(field)
                field.verbose_name = _lazily(own if own in known else _known(common))
            for field in model._meta.local_fields:
                if field.choices:
                    _name_choices(field)


def _name(model: type[Model]) -> None:
    label = model._meta.label_lower
    model._meta.verbose_name = _lazily(_known(f"model.{label}"))
    model._meta.verbose_name_plural = _lazily(_known(f"models.{label}"))


def choice_key(field: Field[Any, Any], value: str) -> str:
    """The key of a choice's name, in the catalogue of the pages or in `names.toml`."""
    label = f"{field.model._meta.label_lower}.{field.name}"
    return f"{WORDED_BY_PAGES.get(label, f'choice.{label}')}.{value}"


def _name_choices(field: Field[Any, Any]) -> None:
    """Set the names of the field's choices. Migrations still contain the names that the model's code
    declares."""
    written: list[tuple[str, str]] = list(field.choices or ())  # type: ignore[arg-type]  # no field here has groups
    deconstruct = field.deconstruct

    def as_written() -> tuple[str, str, Any, dict[str, Any]]:
        name, path, given, named = deconstruct()
        return name, path, given, {**named, "choices": written}

    # `deconstruct` is replaced on this one field. With a subclass for each kind of field, the subclasses
    # would show in migrations.
    field.deconstruct = as_written  # type: ignore[method-assign]
    field.choices = [(value, _word_of(choice_key(field, value))) for value, _ in written]


def _word_of(key: str) -> Any:
    return _lazily(_known(key)) if key.startswith("choice.") else _lazily_by_pages(_known_to_pages(key))


def _known_to_pages(key: str) -> str:
    if key not in words():
        raise KeyError(f"the catalogue: {key}")
    return key


def _known(key: str) -> str:
    if key not in names():
        raise KeyError(f"eosviz/operating/names.toml: {key}")
    return key

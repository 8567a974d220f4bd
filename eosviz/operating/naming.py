"""What the administration calls rooms, tables and columns, in the language of whoever looks.

The names stand in `names.toml` and are put on the models when the site starts: Django reads a model's names from
itself, and names that stood in the models would make a migration of every better word.
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
from eosviz.catalogue import language_of


@cache
def names() -> dict[str, Sentence]:
    file = resources.files(__package__).joinpath("names.toml")
    return read_catalogue([(file.name, file.read_text(encoding="utf-8"))])


def _said(key: str) -> str:
    return names()[key].text(language_of(get_language()))


_lazily = lazy(_said, str)


def column(name: str) -> Any:
    """The head of a column that is no field."""
    return _lazily(f"column.{name}")


def head_of(field: Field[Any, Any]) -> Any:
    """The head of a column that shows a field in a way of its own. Read late: whoever asks at import comes before
    the names."""
    return lazy(lambda: str(field.verbose_name), str)()


def keys_of(field: Field[Any, Any]) -> tuple[str, str]:
    """Where its name may stand: for this model alone, and for every model."""
    return f"field.{field.name}.{field.model._meta.label_lower}", f"field.{field.name}"


def is_ours(app: AppConfig) -> bool:
    return app.name.startswith("eosviz.")


def is_named_by_us(field: Field[Any, Any]) -> bool:
    """Others' fields have names, in all of Django's languages, and relations to many have no column."""
    return field._verbose_name is None  # type: ignore[attr-defined]


def name_everything() -> None:
    """KeyError where a name is missing: a site without it does not start, and so no test does."""
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


def _name(model: type[Model]) -> None:
    label = model._meta.label_lower
    model._meta.verbose_name = _lazily(_known(f"model.{label}"))
    model._meta.verbose_name_plural = _lazily(_known(f"models.{label}"))


def _known(key: str) -> str:
    if key not in names():
        raise KeyError(f"names.toml: {key}")
    return key

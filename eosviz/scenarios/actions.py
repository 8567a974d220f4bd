"""Loads the engine's scenarios into the database as the library, and stores versions of a scenario with
changed settings."""

from __future__ import annotations

import copy
import hashlib
from typing import Any

from django.db import transaction

from engine.ending import FORM
from engine.scenario.document import put
from engine.scenario.shelf import LibraryEntry, library
from eosviz.scenarios.endings import endings_of
from eosviz.scenarios.models import Endings, ScenarioVersion, encode_document


@transaction.atomic
def load_library(entries: tuple[LibraryEntry, ...] | None = None) -> tuple[int, int]:
    """Make the engine's documents the library. Returns the number of its scenarios, and how many of their
    documents were not stored before. Older versions stay stored, for sessions that run them."""
    entries = library() if entries is None else entries
    encoded = [(entry, encode_document(entry.document)) for entry in entries]
    digests = [hashlib.sha256(document).hexdigest() for _, document in encoded]
    shown = list(ScenarioVersion.objects.library().values_list("digest", "endings__form"))
    if shown == [(digest, FORM) for digest in digests]:
        return len(entries), 0
    known = set(ScenarioVersion.objects.filter(digest__in=digests).values_list("digest", flat=True))
    new = [
        ScenarioVersion(digest=digest, identifier=entry.id, encoded=document)
        for digest, (entry, document) in zip(digests, encoded, strict=True)
        if digest not in known
    ]
    ScenarioVersion.objects.bulk_create(new)
    ScenarioVersion.objects.library().update(library_position=None)
    positions = {digest: position for position, digest in enumerate(digests)}
    versions = list(ScenarioVersion.objects.filter(digest__in=digests))
    for version in versions:
        version.library_position = positions[version.digest]
    ScenarioVersion.objects.bulk_update(versions, ["library_position"])
    _keep_endings(versions, dict(zip(digests, entries, strict=True)))
    return len(entries), len(new)


def _keep_endings(versions: list[ScenarioVersion], entries: dict[str, LibraryEntry]) -> None:
    """Store the endings of those versions that have none in the current form."""
    kept = set(
        Endings.objects.filter(version__in=versions, form=FORM).values_list("version__digest", flat=True)
    )
    lacking = [version for version in versions if version.digest not in kept]
    Endings.objects.filter(version__in=lacking).delete()
    Endings.objects.bulk_create(
        Endings(version=version, form=FORM, runs=endings_of(entries[version.digest])) for version in lacking
    )


def with_settings(version: ScenarioVersion, variant: str | None, settings: dict[str, Any]) -> ScenarioVersion:
    """The same scenario with some values changed, as a version outside the library. `settings`: dotted path →
    value, as in a variant's `set`; they are applied after the variant. The author's names of beats and the
    variant's title become empty. Raises BadScenario if, without a variant, a path cannot be set."""
    document = copy.deepcopy(version.document)
    for named in document.get("beats", ()):
        named["title"] = dict.fromkeys(named["title"], "")
    if variant is None:
        for path, value in settings.items():
            put(document, path, value)
    else:
        for written in document.get("variants", ()):
            if written["name"] == variant:
                written["set"] = {**written.get("set", {}), **settings}
                written["title"] = dict.fromkeys(written["title"], "")
    return ScenarioVersion.objects.of_document(version.identifier, document)

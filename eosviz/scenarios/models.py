"""Scenario documents, stored by content: a session runs one version of a scenario for ever, however the library
changes."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from django.db import models


def encode_document(document: dict[str, Any]) -> bytes:
    """The document as compact JSON. The order of its keys is kept, because it is part of what the author wrote."""
    return msgspec.json.encode(document)


class ScenarioVersionQuerySet(models.QuerySet["ScenarioVersion"]):
    def library(self) -> ScenarioVersionQuerySet:
        """The version of each library scenario that new sessions run, in the library's order."""
        return self.filter(library_position__isnull=False).order_by("library_position")

    def of_document(self, identifier: str, document: dict[str, Any]) -> ScenarioVersion:
        """The stored version with exactly this document; stores it when it is new."""
        encoded = encode_document(document)
        version, _ = self.get_or_create(
            digest=hashlib.sha256(encoded).hexdigest(),
            defaults={"identifier": identifier, "encoded": encoded},
        )
        return version


class ScenarioVersion(models.Model):
    """One document; stored documents do not change."""

    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of `encoded`, in hex."""
    identifier = models.CharField(max_length=64)
    """The scenario's identifier: `SC-03`."""
    encoded = models.BinaryField()
    """The document as compact JSON."""
    library_position = models.PositiveIntegerField(null=True, unique=True)
    """The position in the library. Null for an older version and for a document outside the library."""
    created = models.DateTimeField(auto_now_add=True)

    objects = ScenarioVersionQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.identifier} {self.digest[:8]}"

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = msgspec.json.decode(bytes(self.encoded))
        return document


class Endings(models.Model):
    """The endings of a version's runs, stored for library versions. They have a table of their own, because every
    session reads the version's row."""

    version = models.OneToOneField(ScenarioVersion, on_delete=models.CASCADE, related_name="endings")
    form = models.CharField(max_length=16)
    """The form of the stored endings: `engine.ending.FORM` when they were computed."""
    runs = models.JSONField()
    """Variant (empty for the document itself) → what `engine.ending.ending_of` returns."""

    def __str__(self) -> str:
        return f"{self.version} {self.form}"

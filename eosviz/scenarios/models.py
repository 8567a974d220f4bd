"""Scenario documents, stored by their content. A session always runs the same version of a scenario, however
the library changes."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from django.db import models


def encode_document(document: dict[str, Any]) -> bytes:
    """The document as compact JSON. The order of the keys is kept, because the author has chosen it."""
    return msgspec.json.encode(document)


class ScenarioVersionQuerySet(models.QuerySet["ScenarioVersion"]):
    def library(self) -> ScenarioVersionQuerySet:
        """For each scenario of the library, the version that new sessions run; in the library's order."""
        return self.filter(library_position__isnull=False).order_by("library_position")

    def of_document(self, identifier: str, document: dict[str, Any]) -> ScenarioVersion:
        """The version with exactly this document. It is stored if it is new."""
        encoded = encode_document(document)
        version, _ = self.get_or_create(
            digest=hashlib.sha256(encoded).hexdigest(),
            defaults={"identifier": identifier, "encoded": encoded},
        )
        return version


class ScenarioVersion(models.Model):
    """One scenario document. It does not change once it is stored."""

    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of `encoded`, in hex."""
    identifier = models.CharField(max_length=64)
    """The scenario's identifier, for example `SC-03`."""
    encoded = models.BinaryField()
    """The document as compact JSON."""
    library_position = models.PositiveIntegerField(null=True, unique=True)
    """The scenario's position in the library. Null for older versions, and for documents outside the
    library."""
    created = models.DateTimeField(auto_now_add=True)

    objects = ScenarioVersionQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.identifier} {self.digest[:8]}"

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = msgspec.json.decode(bytes(self.encoded))
        return document


class Endings(models.Model):
    """The endings of the runs of a library version. They are in a table of their own, because every session
    reads the version's row."""

    version = models.OneToOneField(ScenarioVersion, on_delete=models.CASCADE, related_name="endings")
    form = models.CharField(max_length=16)
    """The form of the stored endings: the value of `engine.ending.FORM` when they were computed."""
    runs = models.JSONField()
    """Dict of name of a variant (empty: the document itself) → the result of `engine.ending.ending_of`."""

    def __str__(self) -> str:
        return f"{self.version} {self.form}"

"""The header of docs/frame.md: the part of a run that does not change."""

from __future__ import annotations

from typing import Any, cast

from engine.scenario.document import Scenario
from engine.scenario.schema import SECTIONS
from engine.shapes.headers import Altered, Header
from engine.topic_partition import partition_name

ENGINE_VERSION = "4"
"""Increased when equal inputs may give other steps than before; stored with every session and replay."""


def header_of(scenario: Scenario, actors: list[tuple[str, str]]) -> Header:
    """Scenario, profile, what is altered, and the actors in drawing order."""
    document = scenario.document
    profile = scenario.version(document["profile"])
    applications = [(app["name"], "application") for app in (*document["applications"], *document["loops"])]
    header: Header = {
        "scenario": scenario.id,
        "variant": scenario.variant,
        "title": document["title"],
        "variant_title": document.get("variant_title"),
        "summary": document["summary"],
        "watch_for": document["watch_for"],
        "lesson": document["lesson"],
        "profile": profile.name,
        "version": profile.version,
        "switches": dict(document["switches"]),
        "altered": altered(document),
        "engine": ENGINE_VERSION,
        "actors": [{"name": name, "role": role} for name, role in (*applications, *actors)],
        "partitions": [
            partition_name(topic["name"], number)
            for topic in document["topics"]
            for number in range(topic["partitions"])
        ],
        "step_limit": document["limits"]["steps"],
    }
    clients = {
        row["name"]: scenario.version(row["profile"]).version
        for row in (*document["producers"], *document["consumers"])
        if row["profile"] not in (None, profile.name)
    }
    if clients:
        header["client_versions"] = clients
    # Both are present only if the document has them, so headers of older recordings stay the same.
    if document["opens_on"] is not None:
        header["opens_on"] = document["opens_on"]
    if document["beats"]:
        header["beats"] = document["beats"]
    return header


def altered(document: dict[str, Any]) -> dict[str, Altered]:
    """Settings that are not at their default: path to [default, value] (UIV-4)."""
    found: dict[str, list[Any]] = {}
    cluster = document["cluster"]
    for key, field in SECTIONS["cluster"].items():
        if field.kind in ("int", "bool") and cluster[key] != field.default:
            found[f"cluster.{key}"] = [field.default, cluster[key]]
    for key, value in cluster["broker"].items():
        found[f"cluster.broker.{key}"] = [None, value]
    for producer in document["producers"]:
        for key, value in producer["settings"].items():
            found[f"producers.{producer['name']}.{key}"] = [None, value]
    return cast("dict[str, Altered]", found)

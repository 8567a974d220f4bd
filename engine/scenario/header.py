"""Makes the header of docs/frame.md: the part of a run that does not change."""

from __future__ import annotations

from engine.broker.configuration import KAFKA_NAMES as BROKER_NAMES
from engine.broker.configuration import BrokerConfiguration
from engine.client.configuration import defaults, kafka_name
from engine.scenario.document import Scenario
from engine.scenario.schema import SECTIONS
from engine.shapes.headers import Altered, Header
from engine.topic_partition import partition_name

BROKER = BrokerConfiguration()
"""A broker's configuration in which every setting has its default."""
ENGINE_VERSION = "14"
"""This number rises whenever the same scenario and interventions may lead to other steps than before. It is stored
with every session and replay."""


def header_of(scenario: Scenario, actors: list[tuple[str, str]]) -> Header:
    """The header: scenario, profile, altered settings, and the actors in drawing order."""
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
        "altered": altered(scenario),
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
    # These keys are present only if the document has them, so that headers of older recordings do not change.
    if document["opens_on"] is not None:
        header["opens_on"] = document["opens_on"]
    if document["beats"]:
        header["beats"] = document["beats"]
    return header


def altered(scenario: Scenario) -> dict[str, Altered]:
    """Dict of path of a setting → [default, value, name in Kafka] (UIV-4), for settings of the cluster that are not
    at their default, and for settings of brokers and producers that the document gives."""
    found: dict[str, Altered] = {}
    document = scenario.document
    cluster = document["cluster"]
    for key, field in SECTIONS["cluster"].items():
        if field.kind in ("int", "bool") and cluster[key] != field.default:
            found[f"cluster.{key}"] = [field.default, cluster[key], None]
    for key, value in cluster["broker"].items():
        found[f"cluster.broker.{key}"] = [getattr(BROKER, key, None), value, BROKER_NAMES.get(key)]
    for producer in document["producers"]:
        profile = scenario.version(producer["profile"] or document["profile"])
        normal = defaults(profile)
        for key, value in producer["settings"].items():
            found[f"producers.{producer['name']}.{key}"] = [normal.get(key), value, kafka_name(key, profile)]
    return found

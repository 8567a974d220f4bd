"""Loads a scenario document: the result is a checked :class:`Scenario`, or an error that names the line and
the remedy.

A document is TOML, or a dict with the same content. A variant is the document with the variant's ``set`` applied.
The keys of ``set`` are dotted paths. In a path, an item of a list of named tables is addressed by its name
(``producers.p1.settings.retries``).
"""

from __future__ import annotations

import copy
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.client.configuration import ProducerConfig, resolve
from engine.database.approaches import APPROACHES, OF_WORKERS, SEND, TOPIC, fields_of
from engine.database.messages import DATABASE
from engine.errors import Refused
from engine.middleware.configuration import BUSINESS, INITIATOR, MANAGER, MIDDLEWARE, NODES
from engine.partitioner import partition_of_key
from engine.profile import Profile
from engine.profiles import PROFILES
from engine.scenario import schema
from engine.scenario.bad_scenario import MISSING, BadScenario, known
from engine.scenario.beat_names import check_beat_names
from engine.scenario.belonging import check_belonging, leave_out_meaningless
from engine.scenario.bounds import LEVELS_MAX, TEXT_BYTES_MAX, check_text
from engine.scenario.characters import forbidden
from engine.scenario.faults_and_overrides import check_fault, check_identities, check_override
from engine.scenario.kept_by import check_keeper
from engine.scenario.phrases import Phrase, allowed, any_of, shown, wrong
from engine.scenario.plain_texts import check_texts
from engine.scenario.schema import SECTIONS, Field
from engine.scenario.toml_faults import toml_fault
from engine.scenario.toml_lines import line_of
from engine.switches import Switches
from engine.topic_partition import is_internal, partition_name

_CONTROLLERS = ("zookeeper", "controller")
"""The names of components that no client or service may have as its name. Faults cannot stop these components by
name."""
LESSON_TEXTS = ("watch_for", "lesson")
"""The texts of a document that a variant may replace: they would be wrong if the variant's run ends differently."""
ROW_NAME_CHARACTERS_MAX = 64
"""An error message shows the name of a list's item only if it has at most this many characters. Allowed names are
not longer."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A checked document with one of its variants applied. ``document``: every section, with its defaults filled in.
    ``variant``: the name of the variant, or None."""

    document: dict[str, Any]
    variant: str | None
    source: dict[str, Any]
    """The document as it was written, without defaults, with the variant applied."""
    versions: Mapping[str, Profile] | None = None
    """Dict of name of a version → its behaviour in this document (`engine/generations`). None: every version has its
    own behaviour."""

    def version(self, name: str) -> Profile:
        """The behaviour of the version ``name`` in this document."""
        return (PROFILES if self.versions is None else self.versions)[name]

    def producer_config(self, producer: Mapping[str, Any]) -> ProducerConfig | None:
        """The settings that are in force for a producer, which is an entry of ``producers``; None if a rule refuses
        them."""
        version = self.version(producer["profile"] or self["profile"])
        try:
            return resolve(producer["settings"], version, Switches(**self["switches"]))
        except Refused:
            return None

    @property
    def id(self) -> str:
        return str(self.document["id"])

    def __getitem__(self, section: str) -> Any:
        return self.document[section]


def parse(text: str, source: str = "", *, bytes_max: int = TEXT_BYTES_MAX) -> dict[str, Any]:
    """Parse TOML text to a dict, in linear time and memory. Raises BadScenario, with the line, for a text
    that is not TOML or is beyond a limit of ``engine/scenario/bounds.py``, and for a value that documents
    cannot have."""
    check_text(text, source, bytes_max=bytes_max)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        fault, line = toml_fault(error)
        raise BadScenario("document", fault, "TOML 1.0", source=source, line=line) from None
    for place, value in _values(document, ""):
        refused = _refused(value)
        if refused is not None:
            zero = _ZERO.search(text) if isinstance(value, str) else None
            line = line_of(text, place) if zero is None else text.count("\n", 0, zero.start()) + 1
            raise BadScenario("document", *refused, source=source, line=line)
    return document


_ZERO = re.compile(r"\\u0000|\\U00000000")


def _values(value: object, place: str) -> Iterator[tuple[str, object]]:
    """(place, key or value) of each key, and of each value that is neither a table nor a list."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield _join(place, name), name
            yield from _values(one, _join(place, name))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _values(one, _join(place, _row_word(one, index)))
    else:
        yield place, value


def _refused(value: object) -> tuple[Phrase, Phrase] | None:
    """The reason why documents cannot have this value, and what to write instead; None for an allowed value."""
    if isinstance(value, str):
        return (wrong("zero"), allowed("no_zero")) if "\0" in value else None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        if -(2**63) <= value < 2**63:
            return None
        return wrong("number_too_large"), allowed("int_between", low=-(2**63), high=2**63 - 1)
    if isinstance(value, float):
        return None if math.isfinite(value) else (wrong("no_number"), allowed("finite"))
    return wrong("date"), allowed("no_date")


def load(
    document: dict[str, Any],
    variant: str | None = None,
    settings: dict[str, Any] | None = None,
    *,
    text: str = "",
    source: str = "",
) -> Scenario:
    """Check a document, and apply one of its variants and further ``settings`` (dict of dotted path → value).
    ``text``: the TOML text of the document, from which errors get their line. Raises BadScenario for a mistake, also
    for an unknown variant or path."""
    try:
        written = copy.deepcopy(document)
        check_section("scenario", written, "")
        check_texts(written)
        check_belonging(written)
        if variant is not None:
            written = _with_variant(written, variant)
        for path, value in (settings or {}).items():
            put(written, path, value)
        leave_out_meaningless(written)
        written.pop("variants", None)
        checked = check_section("scenario", written, "")
        _check_references(checked)
    except BadScenario as error:
        if not error.source:
            error.source = source
        if error.line is None and text:
            error.line = line_of(text, error.place)
        raise
    return Scenario(checked, variant, written)


def _with_variant(document: dict[str, Any], name: str) -> dict[str, Any]:
    variants = document.get("variants", [])
    for variant in variants:
        if variant["name"] == name:
            # The paths are sorted, so that a path is set before the paths inside it, whatever their order in
            # the document.
            for path, value in sorted(variant.get("set", {}).items()):
                put(document, path, value)
            document["expect"] = variant.get("expect", {})
            if (title := title_of_variant(document, name)) is not None:
                document["variant_title"] = title
            document.update(_own_texts(variant))
            if "expect_refused" in variant:
                document["expect_refused"] = variant["expect_refused"]
            return document
    existing = any_of((variant["name"] for variant in variants), allowed("no_variants"))
    raise BadScenario("variants", wrong("no_variant", name=shown(name)), existing)


def acts(document: Mapping[str, Any]) -> bool:
    """Whether the document itself describes a run. If not, only its variants can be run."""
    if document.get("variants_only") and document.get("variants"):
        return False
    return any(document.get(section) for section in ("applications", "loops", "services", "middleware"))


def lesson_texts(document: Mapping[str, Any], variant: str | None) -> dict[str, Any]:
    """The texts *what to watch for* and *lesson* of a run; the variant's text comes before the document's.
    ``shared_lesson``: the lesson of all runs together, or None."""
    texts = {text: document.get(text) for text in LESSON_TEXTS} | _own_texts(_row_of(document, variant))
    return {**texts, "shared_lesson": _shared_lesson(document)}


def _shared_lesson(document: Mapping[str, Any]) -> dict[str, str] | None:
    """The document's lesson, by language, if only its variants are run and each of them has a lesson of its own,
    because the document's lesson is then about all variants. Else None."""
    variants = document.get("variants", ())
    if acts(document) or not variants or not all(variant.get("lesson") for variant in variants):
        return None
    return document.get("lesson")


def title_of_variant(document: Mapping[str, Any], variant: str | None) -> dict[str, str] | None:
    """The title of a run's variant, by language. None for the document's own run, for an unknown variant, and for an
    empty title."""
    title: dict[str, str] = _row_of(document, variant).get("title", {})
    return title if any(title.values()) else None


def _row_of(document: Mapping[str, Any], variant: str | None) -> Mapping[str, Any]:
    return next((row for row in document.get("variants", ()) if row["name"] == variant), {})


def _own_texts(variant: Mapping[str, Any]) -> dict[str, Any]:
    return {text: variant[text] for text in LESSON_TEXTS if variant.get(text)}


def put(document: dict[str, Any], path: str, value: Any) -> None:
    """Set a dotted path; lists of named tables are addressed by name, other lists by index. Missing tables
    are made. Raises BadScenario for a path that the document cannot have."""
    node: Any = document
    words = path.split(".")
    if len(words) > LEVELS_MAX:
        raise BadScenario(shown(path), wrong("too_deep"), allowed("depth", most=LEVELS_MAX))
    for word in words[:-1]:
        node = _descend(node, word, path)
    last = words[-1]
    if isinstance(node, dict):
        node[last] = copy.deepcopy(value)
    elif isinstance(node, list) and (number := _row_number(last, node)) is not None:
        node[number] = copy.deepcopy(value)
    else:
        raise BadScenario(path, wrong("nothing_set", word=shown(last)), allowed("path"))


def _descend(node: Any, word: str, path: str) -> Any:
    if isinstance(node, dict):
        return node.setdefault(word, {})
    if isinstance(node, list):
        for item in node:
            if isinstance(item, dict) and item.get("name") == word:
                return item
        if (number := _row_number(word, node)) is not None:
            return node[number]
        named = [item["name"] for item in node if isinstance(item, dict) and "name" in item]
        raise BadScenario(
            path, wrong("not_here", word=shown(word)), any_of(named, allowed("index", below=len(node)))
        )
    raise BadScenario(path, wrong("no_table", word=shown(word)), allowed("path"))


def _row_number(word: str, rows: list[Any]) -> int | None:
    """The index that a word of a path names; None if the list ``rows`` has no such index."""
    is_number = word.isascii() and word.isdecimal() and len(word) <= len(str(len(rows)))
    return int(word) if is_number and int(word) < len(rows) else None


def check_section(name: str, table: Any, place: str) -> dict[str, Any]:
    """A copy of ``table``, an entry of the section ``name``, with defaults filled in. ``place``: its dotted place in
    the document. Raises BadScenario when a key or a value is not allowed."""
    if not isinstance(table, dict):
        raise BadScenario(place or "document", shown(table), allowed("table"))
    fields = SECTIONS[name]
    extra = ("variant_title", "expect_refused") if name == "scenario" else ()
    for key in table:
        if key not in fields and key not in extra:
            raise BadScenario(_join(place, key), wrong("unknown_key"), any_of(fields))
    checked: dict[str, Any] = {key: table[key] for key in extra if key in table}
    for key, field in fields.items():
        here = _join(place, key)
        if key not in table:
            if field.required:
                raise BadScenario(here, MISSING, field.allowed())
            checked[key] = _default(field, here)
            continue
        checked[key] = _check_value(field, table[key], here)
    return checked


def _default(field: Field, place: str) -> Any:
    if field.kind == "table":
        return check_section(field.rows, {}, place) if field.rows and not _has_required(field.rows) else {}
    if field.kind == "tables":
        return []
    return list(field.default) if isinstance(field.default, tuple) else field.default


def _has_required(section: str) -> bool:
    return any(field.required for field in SECTIONS[section].values())


def _check_value(field: Field, value: Any, place: str) -> Any:
    check = _CHECKS[field.kind]
    checked = check(field, value, place)
    if field.choices and checked not in field.choices:
        raise BadScenario(place, shown(value), field.allowed())
    return checked


def _wrong(field: Field, value: Any, place: str) -> BadScenario:
    return BadScenario(place, shown(value), field.allowed())


def _int(field: Field, value: Any, place: str) -> int:
    if type(value) is not int:
        raise _wrong(field, value, place)
    if (field.low is not None and value < field.low) or (field.high is not None and value > field.high):
        raise _wrong(field, value, place)
    return value


def _number(field: Field, value: Any, place: str) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise _wrong(field, value, place)
    return float(value)


def _bool(field: Field, value: Any, place: str) -> bool:
    if type(value) is not bool:
        raise _wrong(field, value, place)
    return value


def _text(field: Field, value: Any, place: str) -> str:
    if type(value) is not str or len(value) > schema.TEXT_MAX:
        raise _wrong(field, value, place)
    _check_characters(value, place, one_line=field.one_line)
    return value


def _check_characters(value: str, place: str, *, one_line: bool) -> None:
    """Raises BadScenario for a control character, or one that changes the direction of text."""
    code = forbidden(value, one_line=one_line)
    if code is not None:
        raise BadScenario(place, wrong("character", code=code), allowed("no_such_character"))


def _name(field: Field, value: Any, place: str) -> str:
    if type(value) is not str or not re.fullmatch(schema.NAME, value):
        raise _wrong(field, value, place)
    return value


def _partition(field: Field, value: Any, place: str) -> str:
    if type(value) is not str or not re.fullmatch(schema.PARTITION, value):
        raise _wrong(field, value, place)
    return value


def _words(field: Field, value: Any, place: str) -> dict[str, str]:
    if not isinstance(value, dict) or set(value) != {"en", "zh-Hans"}:
        raise _wrong(field, value, place)
    return {language: _text(field, text, _join(place, language)) for language, text in value.items()}


def _listed(field: Field, value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong(field, value, place)
    if len(value) > field.bound:
        raise BadScenario(place, wrong("entries", count=len(value)), field.allowed())
    return value


def _ints(field: Field, value: Any, place: str) -> list[int]:
    for item in _listed(field, value, place):
        if type(item) is not int:
            raise _wrong(field, item, place)
    return list(value)


def _names(field: Field, value: Any, place: str) -> list[str]:
    for item in _listed(field, value, place):
        if type(item) is not str or len(item) > 200:
            raise _wrong(field, item, place)
        _check_characters(item, place, one_line=True)
    return list(value)


def _table(field: Field, value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(field, value, place)
    # The keys are sorted, because a replay sorts them, too: two documents that differ only in the order of
    # keys give the same run.
    return check_section(field.rows, value, place) if field.rows else dict(sorted(value.items()))


def _tables(field: Field, value: Any, place: str) -> list[dict[str, Any]]:
    section = str(field.rows)
    rows = []
    for index, item in enumerate(_listed(field, value, place)):
        rows.append(check_section(section, item, _join(place, _row_word(item, index))))
    return rows


def _row_word(row: Any, index: int) -> str:
    """The word for a list's item in a dotted path: its name if that is short enough, otherwise its index."""
    name = row.get("name") if isinstance(row, dict) else None
    return name if isinstance(name, str) and 0 < len(name) <= ROW_NAME_CHARACTERS_MAX else str(index)


def _any(field: Field, value: Any, place: str) -> Any:
    if isinstance(value, dict | list):
        raise BadScenario(place, shown(value), allowed("scalar"))
    return value


_CHECKS = {
    "int": _int,
    "number": _number,
    "bool": _bool,
    "text": _text,
    "name": _name,
    "partition": _partition,
    "words": _words,
    "ints": _ints,
    "names": _names,
    "table": _table,
    "tables": _tables,
    "any": _any,
}


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _check_references(document: dict[str, Any]) -> None:
    """Check that names refer to something that exists, and fill in values that depend on other sections."""
    brokers = document["cluster"]["brokers"]
    nodes = _check_nodes(document)
    if not document["topics"] and brokers:
        document["topics"] = [check_section("topic", {"name": "t"}, "topics.0")]
    partitions = []
    for topic in document["topics"]:
        if is_internal(topic["name"]) or not re.fullmatch(schema.PARTITION, f"{topic['name']}-0"):
            raise BadScenario(f"topics.{topic['name']}.name", shown(topic["name"]), allowed("topic"))
        if topic["replication"] > brokers:
            topic["replication"] = brokers
        partitions += [partition_name(topic["name"], number) for number in range(topic["partitions"])]
    clients = _unique(document, "producers")
    consumers = _unique(document, "consumers")
    loops = _unique(document, "loops")
    for name in _unique(document, "applications"):
        if name in loops:
            raise BadScenario(f"applications.{name}.name", wrong("taken"), allowed("no_loops_name"))
    names = {"brokers": [f"broker-{number}" for number in range(1, brokers + 1)], "nodes": nodes}
    names["consumers"] = consumers
    actors = list(names["brokers"])
    for section in ("producers", "consumers"):
        for name in (row["name"] for row in document[section]):
            if name in actors or name in nodes or name in _CONTROLLERS:
                raise BadScenario(f"{section}.{name}.name", wrong("taken"), allowed("no_actors_name"))
            actors.append(name)
    actors += nodes
    services = _unique(document, "services")
    for name in services:
        if name in actors or name in (DATABASE, *_CONTROLLERS) or name in loops:
            raise BadScenario(f"services.{name}.name", wrong("taken"), allowed("no_actors_name"))
    names["actors"] = actors + ([*services, DATABASE] if services else [])
    for index, consumer in enumerate(document["consumers"]):
        consumer["partitions"] = consumer["partitions"] or list(partitions)
        for name in consumer["partitions"]:
            known(f"consumers.{consumer['name']}.partitions.{index}", name, partitions)
        _check_poll_limit(consumer, [*document["loops"], *_waiting_services(document)])
    for application in document["applications"]:
        place = f"applications.{application['name']}"
        known(f"{place}.client", application["client"], clients + nodes)
        for index, call in enumerate(application["calls"]):
            _check_call(call, f"{place}.calls.{index}", application["client"], nodes)
            if call["do"] == "send":
                _place_record(call, document["topics"])
                known(f"{place}.calls.{index}.partition", call["partition"], partitions)
            elif call["do"] == "send_offsets":
                _check_offsets(call, f"{place}.calls.{index}", list(partitions))
    _check_total(document["applications"])
    for loop in document["loops"]:
        _check_loop(loop, document, clients, consumers, list(partitions))
    for service in document["services"]:
        _check_service(service, document, clients, consumers, list(partitions))
    for index, fault in enumerate(document["faults"]):
        check_fault(fault, f"faults.{index}", names, partitions, clients)
    check_keeper(document)
    for index, override in enumerate(document["overrides"]):
        check_override(override, f"overrides.{index}", document["cluster"], partitions, clients)
    check_identities(document["overrides"])
    if document["beats"]:
        check_beat_names(document["beats"])


def _place_record(call: dict[str, Any], topics: list[dict[str, Any]]) -> None:
    """Fill in the partition of a record that has a key but no partition, if the document has one topic."""
    if call["partition"] is None and call["key"] is not None and len(topics) == 1:
        topic = topics[0]
        call["partition"] = partition_name(topic["name"], partition_of_key(call["key"], topic["partitions"]))


def _check_total(applications: list[dict[str, Any]]) -> None:
    """Raises BadScenario if all applications together make too many calls. All calls are expanded before the run
    begins."""
    total = sum(call["records"] for application in applications for call in application["calls"])
    if total > schema.SCRIPTED_MAX:
        raise BadScenario(
            "applications", wrong("calls", count=total), allowed("at_most", most=schema.SCRIPTED_MAX)
        )


def _check_nodes(document: dict[str, Any]) -> list[str]:
    """Check the nodes of two-phase commit over middleware, and return their names; empty without
    participants."""
    section, cluster = document["middleware"], document["cluster"]
    given = [
        name for name, field in SECTIONS["middleware"].items() if section[name] not in (field.default, [])
    ]
    if not section["participants"]:
        if given:
            raise BadScenario("middleware.participants", MISSING, allowed("participant"))
        if not cluster["brokers"]:
            raise BadScenario("cluster.brokers", "0", allowed("brokers_or_middleware"))
        return []
    if not cluster["brokers"]:
        for name in ("topics", "producers", "consumers"):
            if document[name]:
                raise BadScenario(name, wrong("no_brokers"), allowed("brokers"))
    participants = [row["name"] for row in section["participants"]]
    for name in participants:
        if name in NODES or participants.count(name) > 1:
            raise BadScenario(
                f"middleware.participants.{name}.name", wrong("taken"), allowed("no_actors_name")
            )
    return nodes_of(section) + participants


def nodes_of(middleware: Mapping[str, Any]) -> list[str]:
    """The names of the middleware's nodes that the section ``middleware`` of a document does not leave out.
    Participants are not among them."""
    present = {
        INITIATOR: middleware.get("one_node") is not True,
        MANAGER: middleware.get("manager") is not False,
    }
    return [name for name in NODES if present.get(name, True)]


def _check_call(call: dict[str, Any], place: str, client: str, nodes: list[str]) -> None:
    """Check that this client can make this call, and that the call has the fields that it needs."""
    opens = INITIATOR if INITIATOR in nodes else BUSINESS
    belongs = {"transact": opens, "roll_back": MIDDLEWARE}.get(call["do"])
    if belongs is None and client in nodes:
        raise BadScenario(f"{place}.do", shown(call["do"]), any_of(schema.MIDDLEWARE_CALLS))
    if belongs is not None and belongs != client:
        raise BadScenario(
            f"{place}.do", wrong("call_at", call=call["do"], actor=client), allowed("call_of", actor=belongs)
        )
    if call["if_failed"] and call["again"] is None:
        raise BadScenario(f"{place}.again", MISSING, allowed("int_from", low=1))
    if call["do"] == "roll_back" and not call["nodes"]:
        raise BadScenario(f"{place}.nodes", wrong("no_component"), allowed("a_node"))
    for name in call["nodes"]:
        known(f"{place}.nodes", name, [node for node in nodes if can_undo(node)])


def can_undo(node: str) -> bool:
    """Whether ``roll_back`` may name this node of the middleware, because it carries out a part of a transaction."""
    return node not in (INITIATOR, MIDDLEWARE, MANAGER)


def _waiting_services(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The services that poll again only after their worker threads have finished."""
    return [row for row in document["services"] if APPROACHES[row["approach"]].commits and row["waits"]]


def _check_poll_limit(consumer: dict[str, Any], users: list[dict[str, Any]]) -> None:
    """Check that a consumer with ``max.poll.interval.ms`` is a member of its group that one of ``users`` polls."""
    if consumer["max_poll_interval_ms"] is None:
        return
    member = consumer["member"]
    polled = any(user["consumer"] == consumer["name"] for user in users)
    if not polled or member["id"] is None:
        place = f"consumers.{consumer['name']}.max_poll_interval_ms"
        raise BadScenario(place, shown(consumer["max_poll_interval_ms"]), allowed("member_of_a_loop"))


def _check_loop(
    loop: dict[str, Any],
    document: dict[str, Any],
    clients: list[str],
    consumers: list[str],
    partitions: list[str],
) -> None:
    """Check that a loop has a consumer of its own with a group, and does not write to partitions that it
    reads."""
    place = f"loops.{loop['name']}"
    known(f"{place}.producer", loop["producer"], clients)
    known(f"{place}.consumer", loop["consumer"], consumers)
    consumer = next(row for row in document["consumers"] if row["name"] == loop["consumer"])
    if consumer["group"] is None:
        raise BadScenario(f"consumers.{consumer['name']}.group", MISSING, allowed("loop_group"))
    if sum(row["consumer"] == loop["consumer"] for row in document["loops"]) > 1:
        raise BadScenario(f"{place}.consumer", wrong("two_loops"), allowed("own_consumer"))
    for name in loop["output"]:
        known(f"{place}.output", name, partitions)
        if name in consumer["partitions"]:
            raise BadScenario(f"{place}.output", wrong("input", name=name), allowed("other_partition"))


def _check_offsets(call: dict[str, Any], place: str, partitions: list[str]) -> None:
    if call["group"] is None:
        raise BadScenario(f"{place}.group", MISSING, allowed("consumer_group"))
    if not call["offsets"]:
        raise BadScenario(f"{place}.offsets", MISSING, allowed("offsets"))
    for name, offset in call["offsets"].items():
        known(f"{place}.offsets", name, partitions)
        if type(offset) is not int or not 0 <= offset <= 2**53:
            raise BadScenario(
                f"{place}.offsets.{name}", shown(offset), allowed("int_between", low=0, high=2**53)
            )


def _unique(document: dict[str, Any], section: str) -> list[str]:
    found: list[str] = []
    for row in document[section]:
        if row["name"] in found:
            raise BadScenario(f"{section}.{row['name']}.name", wrong("twice"), allowed("names_differ"))
        found.append(row["name"])
    return found


__all__ = [
    "BadScenario",
    "Refused",
    "Scenario",
    "acts",
    "check_section",
    "lesson_texts",
    "line_of",
    "load",
    "parse",
    "put",
    "title_of_variant",
]


def _check_service(
    service: dict[str, Any],
    document: dict[str, Any],
    clients: list[str],
    consumers: list[str],
    partitions: list[str],
) -> None:
    """Check that a service has the clients that its approach needs, and shares them with no other service or loop."""
    place = f"services.{service['name']}"
    approach = APPROACHES[service["approach"]]
    reads = fields_of(approach)
    for kind, known_clients in (("producer", clients), ("consumer", consumers)):
        if kind not in reads:
            if service[kind] is not None:
                raise BadScenario(
                    f"{place}.{kind}", wrong("unused", approach=service["approach"]), allowed("nothing_here")
                )
            continue
        known(f"{place}.{kind}", service[kind], known_clients)
        users = [row for row in (*document["services"], *document["loops"]) if row[kind] == service[kind]]
        if len(users) > 1:
            raise BadScenario(f"{place}.{kind}", wrong("two_users"), allowed("own_client"))
    for name in OF_WORKERS:
        if name not in reads and service[name] not in (SECTIONS["service"][name].default, []):
            raise BadScenario(
                f"{place}.{name}", wrong("unused", approach=service["approach"]), allowed("nothing_here")
            )
    for ms in service["work_ms"]:
        if not 0 <= ms <= schema.TIME_MAX:
            raise BadScenario(
                f"{place}.work_ms", shown(ms), allowed("int_between", low=0, high=schema.TIME_MAX)
            )
    if SEND in approach.acts and not service["output"]:
        raise BadScenario(f"{place}.output", MISSING, any_of(partitions))
    for name in service["output"]:
        known(f"{place}.output", name, partitions)
    if approach.source == TOPIC:
        consumer = next(row for row in document["consumers"] if row["name"] == service["consumer"])
        group = f"consumers.{consumer['name']}.group"
        if approach.keeps_offsets and consumer["group"] is not None:
            raise BadScenario(group, shown(consumer["group"]), allowed("no_group"))
        if not approach.keeps_offsets and consumer["group"] is None:
            raise BadScenario(group, MISSING, allowed("service_group"))

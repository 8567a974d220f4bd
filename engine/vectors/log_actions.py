"""Converts the recorded actions of clients at a real broker (``kafka-logs/*/phaseN.json``) to a scenario:
calls of applications, faults, and the time of each.

Actions get *turns*, spans of virtual time in which their calls end, so calls of different clients do not overlap.
Adjacent actions of one client and of the same kind, for example the records that it sends in a row, share a turn.
Turns are at least as far apart as the actions in the recording, so timeouts are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from engine.topic_partition import topic_of, topic_partition
from engine.vectors.log_tools import ToolRuns
from engine.vectors.outcome import Skip

TURN_MS = 200
"""The length of a turn in virtual ms, which is longer than a call and its markers take."""
INIT_MS = 2000
"""The length, in virtual ms, of a turn with ``init_transactions``. The call waits until a transaction that another
client left open has ended."""
SCAN_MS = 10_000
"""Interval in ms at which a coordinator looks for timed-out transactions."""
RESTART_MS = 10_000
"""Virtual ms from a clean stop of the broker to the first turn after its restart; below the session timeouts
of clients."""
HEARTBEAT_MS = 2000
"""Interval in ms of the brokers' heartbeats; the end of a session is noticed at most this much later."""
LASTS_MS = {
    "init_transactions": INIT_MS,
    "timeout abort observed": SCAN_MS,
    "new leader": HEARTBEAT_MS,
}
NEWER, OLDER = "k41", "k28"
"""The profiles that stand for the Java client 4.1 and for librdkafka 2.16, which uses the older protocol."""
CLIENTS_MAX = 16
CALLS = frozenset(
    ("init_transactions", "begin_transaction", "commit_transaction", "abort_transaction", "flush")
)


@dataclass(frozen=True, slots=True)
class Sent:
    """A record of the recording and its offset at the recorded broker. Records are in the order of ``send()``."""

    partition: str
    key: Any
    value: Any
    """The value in the recording: null, text, or bytes in base 64."""
    offset: int | None
    """The record's offset; None when the record was refused."""


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A check of the engine's run: at the time ``at`` (virtual ms) the client's call has ended, with success
    if ``ok``, else with an error."""

    at: int
    client: str
    call: str
    ok: bool


@dataclass(frozen=True, slots=True)
class LeaderIs:
    """A check of the engine's run: at the time ``at`` (virtual ms) the broker leads the first partition."""

    at: int
    broker: int


Check = CallEnded | LeaderIs | ToolRuns


@dataclass(slots=True)
class Script:
    """The scenario made from the actions of a folder. Each phase of the folder extends it."""

    topics: dict[str, dict[str, Any]] = field(default_factory=dict)
    producers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Dict of ``<phase>/<client in the recording>`` → the producer."""
    calls: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    faults: list[dict[str, Any]] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    """The checks that are made while the scenario runs."""
    now: int = 0
    brokers: int = 1
    views: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """(virtual time in ms, content) of each recorded view."""
    leader: int = 0
    """The broker that leads the first partition at the start. The first action that kills a leader names it; 0: no
    action kills a leader."""
    last_segment: int = 0
    """Base offset of the newest segment, which the log cleaner leaves alone."""
    lasts_ms: int = TURN_MS
    """Virtual ms of the present turn."""
    behind_ms: int = 0
    """The ms by which the scenario is behind the recording."""

    def name(self, producer: str) -> str:
        """The name of a client in the scenario, which allows only small letters."""
        return f"p{list(self.producers).index(producer) + 1}"

    def turn(self, at_ms: int | None = None, lasts_ms: int = TURN_MS) -> int:
        """Begin the next turn, after the end of the previous one. Returns its time (virtual ms). ``at_ms``: the time
        of the turn's actions in the recording, or None. ``lasts_ms``: the turn's length."""
        due = 0 if at_ms is None else at_ms + self.behind_ms
        self.now = max(self.now + self.lasts_ms, due)
        if at_ms is not None:
            self.behind_ms = self.now - at_ms
        self.lasts_ms = lasts_ms
        return self.now


def read(
    phases: Iterable[dict[str, Any]], restarts: bool, *, continues: bool = False, last_segment: int = 0
) -> Script:
    """The script for the phases of a folder, in order. ``restarts``: whether the broker was stopped cleanly
    before each phase but the first. ``continues``: whether it was also stopped after the last of these
    phases. Raises Skip for an action that the engine cannot make."""
    script = Script(last_segment=last_segment)
    for phase in phases:
        if restarts and phase["phase"] > 1:
            _restart(script)
        _Reader(script, phase).read()
    script.turn()
    end = script.now
    if restarts and continues:
        _restart(script)
    script.now = end
    return script


def _restart(script: Script) -> None:
    stop = script.turn()
    script.faults.append({"at": stop, "action": "crash", "actor": "broker-1", "clean": True})
    script.faults.append({"at": stop + TURN_MS, "action": "restart", "actor": "broker-1"})
    for producer in script.producers:
        script.faults.append({"at": stop, "action": "crash", "actor": script.name(producer)})
    script.now = stop + RESTART_MS


def independent(phases: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The phases as a list of groups, each with its part of every phase. There is one group, or several if
    the phases have more clients than a scenario allows; then no client uses topics of two groups."""
    parts: list[set[str]] = [{topic["topic"]} for phase in phases for topic in phase["topics"]]
    used: dict[str, set[str]] = {}
    for phase in phases:
        for action in phase["actions"]:
            topics = used.setdefault(action["producer"], set())
            if "topic" in action:
                topics.add(action["topic"])
            topics |= {topic for topic, _, _ in action.get("offsets", ())}
    for topics in used.values() if len(used) > CLIENTS_MAX else [{name for part in parts for name in part}]:
        joined = [part for part in parts if part & topics]
        parts = [part for part in parts if not part & topics]
        if joined:
            parts.append(set().union(*joined))
    return [[_part_of(phase, part, used) for phase in phases] for part in parts]


def _part_of(phase: dict[str, Any], topics: set[str], used: dict[str, set[str]]) -> dict[str, Any]:
    return {
        **phase,
        "topics": [topic for topic in phase["topics"] if topic["topic"] in topics],
        "actions": [
            action
            for action in phase["actions"]
            if not used[action["producer"]] or used[action["producer"]] & topics
        ],
        "views": [
            {
                **view,
                "partitions": {
                    name: seen for name, seen in view["partitions"].items() if topic_of(name) in topics
                },
            }
            for view in phase["views"]
        ],
    }


class _Reader:
    def __init__(self, script: Script, phase: dict[str, Any]) -> None:
        self.script = script
        self.phase = phase
        script.behind_ms = script.now
        self.tools = list(phase.get("tool", ()))
        self.clients: dict[str, str] = {}
        """Dict of name of one of this phase's clients → its name in the script. Every phase has its own clients."""

    def read(self) -> None:
        script, phase = self.script, self.phase
        for topic in phase["topics"]:
            script.topics.setdefault(topic["topic"], topic)
            script.brokers = max(script.brokers, int(topic["config"].get("replication.factor", 1)))
        actions = in_order_of_offsets(phase["actions"] or java_actions(phase))
        views = sorted(phase["views"], key=lambda view: view["t_ms"])
        for _, turn in groupby(actions, key=lambda found: (found["producer"], found["action"])):
            actions_of_turn = list(turn)
            while views and views[0]["t_ms"] < actions_of_turn[0]["t_ms"]:
                self._look(views.pop(0))
            self._run_tools(before=actions_of_turn[0].get("n", 0))
            self._turn(actions_of_turn)
        for view in views:
            if view is views[-1]:
                self._run_tools()
            self._look(view)

    def _look(self, view: dict[str, Any]) -> None:
        at = self.script.turn(view["t_ms"])
        self.script.views.append((at + TURN_MS - 1, view))

    def _run_tools(self, before: int | None = None) -> None:
        """Run the operator's commands that come before the action with this number; None: all remaining commands."""
        while self.tools and (before is None or self.tools[0]["after_action"] < before):
            tool = self.tools.pop(0)
            at = self.script.turn()
            ran = ToolRuns(at, at + TURN_MS - 1, tuple(tool["cmd"][1:]), tool["stdout"])
            self.script.faults.append(ran.entry)
            self.script.checks.append(ran)

    def _turn(self, actions: list[dict[str, Any]]) -> None:
        kind = actions[0]["action"]
        if kind == "new_producer":
            for action in actions:
                self._new_producer(action["producer"], action["config"])
            return
        lasts_ms = LASTS_MS.get(kind, TURN_MS)
        at = self.script.turn(actions[0]["t_ms"], lasts_ms)
        for action in actions:
            self._act(kind, action, at)

    def _act(self, kind: str, action: dict[str, Any], at: int) -> None:
        script, producer = self.script, action["producer"]
        if kind == "produce":
            partition = f"{action['topic']}-{action['partition']}"
            self._send(producer, at, partition, action["key"], action["value"], action.get("offset"))
        elif kind == "send_offsets_to_transaction":
            offsets = {f"{topic}-{number}": offset for topic, number, offset in action["offsets"]}
            self._call(
                producer, {"at": at, "do": "send_offsets", "group": action["group"], "offsets": offsets}
            )
            self._result(producer, kind, action, at)
        elif kind in CALLS:
            self._call(producer, {"at": at, "do": kind})
            # A flush of librdkafka is not checked: its result only says whether the records arrived, and
            # their offsets show that, too.
            if kind != "flush":
                self._result(producer, kind, action, at)
        elif kind == "begin+produce+flush":
            self._child(action, at)
        elif kind == "kill -9":
            script.faults.append({"at": at, "action": "crash", "actor": self._client(producer)})
        elif kind == "delete_records":
            (topic,) = self.phase["topics"]
            script.faults.append(
                {
                    "at": at,
                    "action": "delete_head",
                    "partition": f"{topic['topic']}-0",
                    "to": action["before_offset"],
                }
            )
        elif kind.startswith("min.compaction.lag.ms=0"):
            (topic,) = self.phase["topics"]
            clean = {"at": at, "action": "compact", "partition": f"{topic['topic']}-0"}
            script.faults.append(clean | {"to": script.last_segment})
        elif found := re.fullmatch(r"(kill -9 leader|restart) node (\d)", kind):
            verb = "restart" if found[1] == "restart" else "crash"
            script.faults.append({"at": at, "action": verb, "actor": f"broker-{found[2]}"})
            if found[1] != "restart" and not script.leader:
                script.leader = int(found[2])
        elif kind == "new leader":
            script.checks.append(LeaderIs(at + script.lasts_ms - 1, action["leader"]))
        elif kind != "timeout abort observed":
            raise Skip(f"the engine has no action {kind!r}")

    def _new_producer(self, producer: str, config: dict[str, Any]) -> None:
        settings: dict[str, Any] = {"linger_ms": config.get("linger.ms", 0)}
        if "transactional.id" in config:
            settings["transactional_id"] = config["transactional.id"]
            if "transaction.timeout.ms" in config:
                settings["transaction_timeout_ms"] = config["transaction.timeout.ms"]
        else:
            settings["enable_idempotence"] = bool(config.get("enable.idempotence", False))
        if "message.timeout.ms" in config:
            settings["batch_expiry_ms"] = config["message.timeout.ms"]
        name = f"{self.phase['phase']}/{producer}"
        self.clients[producer] = name
        self.script.producers[name] = {"profile": config.get("profile", OLDER), "settings": settings}

    def _child(self, action: dict[str, Any], at: int) -> None:
        """Add the calls of a producer that runs in a separate process, which a later action kills."""
        producer = action["producer"]
        self._new_producer(
            producer,
            {
                "transactional.id": action["transactional_id"],
                "transaction.timeout.ms": action["transaction_timeout_ms"],
            },
        )
        self._call(producer, {"at": at, "do": "init_transactions"})
        self._call(producer, {"at": at, "do": "begin_transaction"})
        placed = iter(action["partition_offsets"])
        for number, key, value in action["records"]:
            _, offset = next(placed)
            self._send(producer, at, f"{action['topic']}-{number}", key, value, offset)
        self._call(producer, {"at": at, "do": "flush"})

    def _send(self, producer: str, at: int, partition: str, key: Any, value: Any, offset: int | None) -> None:
        self.script.sent.append(Sent(partition, key, value, offset))
        call = {"at": at, "do": "send", "partition": partition}
        if key is not None:
            call["key"] = str(key)
        self._call(producer, call)

    def _result(self, producer: str, kind: str, action: dict[str, Any], at: int) -> None:
        over = at + self.script.lasts_ms - 1
        self.script.checks.append(CallEnded(over, self._client(producer), kind, bool(action["ok"])))

    def _call(self, producer: str, call: dict[str, Any]) -> None:
        self.script.calls.setdefault(self.clients[producer], []).append(call)

    def _client(self, producer: str) -> str:
        return self.script.name(self.clients[producer])


ENDS = frozenset(("commit_transaction", "abort_transaction"))
EARLIER: dict[str, Any] = {}
"""Stands for a record that an earlier phase stored."""


def in_order_of_offsets(actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The actions, reordered where the offsets of records show that another client came first. The order of
    each client's own actions stays."""
    ordered: list[dict[str, Any]] = []
    first: dict[str, int] = {}
    for action in actions:
        if action["action"] == "produce" and action.get("offset") is not None:
            partition = f"{action['topic']}-{action['partition']}"
            first[partition] = min(action["offset"], first.get(partition, action["offset"]))
    logs: dict[str, list[dict[str, Any] | None]] = {name: [EARLIER] * start for name, start in first.items()}
    """Dict of partition → for each offset, the action that sent the record, or for a marker the action that ended the
    transaction; None: unknown."""
    joined: dict[str, list[str]] = {}
    transactional = {
        action["producer"] for action in actions if "transactional.id" in action.get("config", ())
    }
    for action in actions:
        producer = action["producer"]
        place = len(ordered)
        if action["action"] == "produce" and action.get("offset") is not None:
            partition = f"{action['topic']}-{action['partition']}"
            behind = _place_record(logs[partition], action)
            if behind and all(found["producer"] != producer for found in behind):
                place = min(_place_in(ordered, found) for found in behind)
            if producer in transactional and partition not in joined.setdefault(producer, []):
                joined[producer].append(partition)
        elif action["action"] in ENDS and action.get("ok"):
            for partition in joined.pop(producer, ()):
                log = logs[partition]
                if None in log:
                    log[log.index(None)] = action
                else:
                    log.append(action)
        own = [found for found in ordered[place:] if found["producer"] == producer]
        others = [found for found in ordered[place:] if found["producer"] != producer]
        ordered[place:] = [*own, action, *others]
    return ordered


def _place_record(log: list[dict[str, Any] | None], action: dict[str, Any]) -> list[dict[str, Any]]:
    """Put a record's action at its offset in the log. Returns the actions at later offsets."""
    offset = action["offset"]
    log.extend([None] * (offset - len(log)))
    if offset < len(log) and log[offset] is None:
        log[offset] = action
    else:
        log.insert(offset, action)
    return [found for found in log[offset + 1 :] if found is not None]


def _place_in(ordered: list[dict[str, Any]], action: dict[str, Any]) -> int:
    return next(number for number, found in enumerate(ordered) if found is action)


# The Java client prints its actions as lines of text ------------------------------------------------

_PRODUCED = re.compile(r"produce (\S+)-(\d+) offset=(\d+) key=(\S+) value=(\S+)")
_FAILED = re.compile(r"produce FAILED (\S+) (\w+)")
_CODEC = re.compile(r"commit (gzip|snappy|lz4|zstd)")


def java_actions(phase: dict[str, Any]) -> list[dict[str, Any]]:
    """The actions in the lines of ``java_stdout``.

    Four things are not in the lines, and are taken from elsewhere:

    - The transactional id is the one in the recorded commands of ``kafka-transactions.sh``.
    - If no line begins a transaction, its first record begins it, or its commit if it has no records.
    - A refused record was sent to the same partition as its producer's previous record.
    - A producer with a compression codec sent the records of that codec in the last view.
    """
    return _JavaLines(phase).actions


class _JavaLines:
    def __init__(self, phase: dict[str, Any]) -> None:
        self.phase = phase
        self.actions: list[dict[str, Any]] = []
        self.producer = "java-1"
        self.is_open = False
        self.last: dict[str, str] = {}
        self.identifier = next(
            (found["cmd"][found["cmd"].index("--transactional-id") + 1])
            for found in phase["tool"]
            if "--transactional-id" in found["cmd"]
        )
        for line in phase.get("java_stdout", ()):
            self._line(line)

    def _add(self, action: str, producer: str | None = None, **fields: Any) -> None:
        self.actions.append(
            {"producer": producer or self.producer, "action": action, "t_ms": 0, "ok": True, **fields}
        )

    def _new(self, producer: str, transactional_id: str) -> None:
        config = {"transactional.id": transactional_id, "profile": NEWER}
        self._add("new_producer", producer, config=config)
        self._add("init_transactions", producer)

    def _begin(self) -> None:
        if not self.is_open:
            self._add("begin_transaction")
            self.is_open = True

    def _produce(self, partition: str, key: str | None, value: str | None, offset: int | None) -> None:
        topic, number = topic_partition(partition)
        self._begin()
        self._add("produce", topic=topic, partition=number, key=key, value=value, offset=offset)
        self._add("flush")
        self.last[self.producer] = partition

    def _end(self, action: str, ok: bool = True) -> None:
        self._add(action, ok=ok)
        self.is_open = False

    def _line(self, line: str) -> None:
        if line == "init":
            self._new(self.producer, self.identifier)
        elif line == "begin":
            self._begin()
        elif line in ("commit", "abort"):
            self._end(f"{line}_transaction")
        elif line == "empty txn commit":
            self._begin()
            self._end("commit_transaction")
        elif found := _PRODUCED.fullmatch(line):
            self._produce(f"{found[1]}-{found[2]}", found[4], found[5], int(found[3]))
        elif line == "second init (fences first)":
            self._new("java-2", self.identifier)
        elif found := _FAILED.fullmatch(line):
            self._produce(self.last[self.producer], None, found[1], None)
        elif line.startswith("zombie commit FAILED"):
            self._end("commit_transaction", ok=False)
            self.producer = "java-2"
        elif found := _CODEC.fullmatch(line):
            self._codec(found[1])
        else:
            raise Skip(f"the engine has no action for the line {line!r}")

    def _identifier_of(self, codec: str) -> str:
        variant = f"-{self.phase['variant']}"
        return f"{self.identifier.removesuffix(variant)}-{codec}{variant}"

    def _codec(self, codec: str) -> None:
        """Add a separate producer with a compression codec, whose records are in the last view."""
        self.producer = f"java-{codec}"
        self._new(self.producer, self._identifier_of(codec))
        self._begin()
        for partition, seen in self.phase["views"][-1]["partitions"].items():
            topic, number = topic_partition(partition)
            for record in seen["read_uncommitted"]:
                if (record["value"] or "").startswith(f"{codec} "):
                    self._add(
                        "produce",
                        topic=topic,
                        partition=number,
                        key=record["key"],
                        value=record["value"],
                        offset=record["offset"],
                    )
        self._end("commit_transaction")

"""The facts of a run, as rows of the one table that audits judge (docs/audit.md).

This module defines the columns of the table and derives the rows from recorded steps (docs/frame.md). The
facts state what was stored, visible, sent and delivered. Only the facts of the kind ``guarantee`` state
whether this was right; they are results of the engine's judges. The steps are read as any program with a
replay could read them, by their documented form and without the engine's code. Executors import this module,
so it needs only Arrow and Spark's types.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import types as t

Row = dict[str, Any]
Json = dict[str, Any]

_COLUMNS: tuple[tuple[str, str], ...] = (
    ("session", "text"),
    ("fact", "long"),
    ("step", "long"),
    ("at", "long"),
    ("kind", "text"),
    ("partition", "text"),
    ("replica", "int"),
    ("leading", "flag"),
    ("offset", "long"),
    ("last_offset", "long"),
    ("producer_id", "long"),
    ("producer_epoch", "int"),
    ("first_sequence", "long"),
    ("last_sequence", "long"),
    ("transactional", "flag"),
    ("control", "text"),
    ("coordinator_epoch", "int"),
    ("serials", "longs"),
    ("log_start", "long"),
    ("log_end", "long"),
    ("high_watermark", "long"),
    ("last_stable_offset", "long"),
    ("tid", "long"),
    ("name", "text"),
    ("subject", "text"),
    ("state", "text"),
    ("detail", "text"),
    ("value", "long"),
    ("items", "texts"),
)
_ARROW: dict[str, pa.DataType] = {
    "text": pa.string(),
    "long": pa.int64(),
    "int": pa.int32(),
    "flag": pa.bool_(),
    "longs": pa.list_(pa.int64()),
    "texts": pa.list_(pa.string()),
}
_SPARK: dict[str, t.DataType] = {
    "text": t.StringType(),
    "long": t.LongType(),
    "int": t.IntegerType(),
    "flag": t.BooleanType(),
    "longs": t.ArrayType(t.LongType()),
    "texts": t.ArrayType(t.StringType()),
}
_ALWAYS = ("session", "fact", "step", "at", "kind")
ARROW_SCHEMA = pa.schema([(name, _ARROW[shape]) for name, shape in _COLUMNS])
FACTS_SCHEMA = t.StructType(
    [t.StructField(name, _SPARK[shape], name not in _ALWAYS) for name, shape in _COLUMNS]
)
"""One row for each fact. docs/audit.md lists the columns of each kind of fact; the other columns are null.
``session`` names the run: a branch of a replay, or a run of a sweep. ``fact`` is the number of the row in the
run. ``step`` is the step of the fact; 0 is the state before the first step."""

APPEND, REMOVED, POINTERS, FORGOTTEN, LEADER = "append", "removed", "pointers", "forgotten", "leader"
ANSWER, LOGGED, OFFSET, PASSED, SENT = "answer", "logged", "offset", "passed", "sent"
TRANSITION, BROKER, SESSION, GUARANTEE = "transition", "broker", "session", "guarantee"
MESSAGE, NODE, DECISION, UNMARKED = "message", "node", "decision", "unmarked"
ROW, OUTBOX, WORK, KEPT = "row", "outbox", "work", "kept"
DATABASE = "database"
"""The name of the view's part with the database. It also stands in place of a group's name if the offsets of
a consumer are kept in the database."""
_RANK = {LEADER: 0, REMOVED: 1, FORGOTTEN: 2, APPEND: 3, LOGGED: 4, OFFSET: 4, POINTERS: 5}
"""The order of facts within a step: a log's changes come first, then its pointers, then all kinds that are
not in this dict."""

_POINTERS = frozenset(("log_start", "log_end", "high_watermark", "last_stable_offset"))
_LOST = ("dropped", "lost")
_ENDPOINT = {"fault.endpoint_unavailable": "unreachable", "fault.endpoint_back": "alive"}
"""Dict of key of a fault's sentence → the state of the broker's endpoint after the fault. A view does not
show whether clients can reach a broker that is alive, but the sentence does."""
_TRANSACTION_LOG, _OFFSETS_LOG = "__transaction_state-", "__consumer_offsets-"
_OF_MIDDLEWARE = frozenset(("initiator", "business", "middleware", "manager", "participant"))
"""The roles of actors that are nodes of a transaction over middleware."""
FIELDS = (
    "number",
    "at",
    "key",
    "params",
    "notes",
    "messages",
    "transition",
    "earlier_transitions",
    "changes",
)
"""The fields of a step from which facts are derived."""


class FactReader:
    """Derives the facts of one run. Call ``first()`` once, ``take()`` for every step in order, and ``last()``
    at the end. ``header`` and ``view`` describe the state before the first step. The reader modifies the view
    and the steps."""

    def __init__(self, session: str, header: Json, view: Json) -> None:
        self.session = session
        self.header = header
        self.view = view
        self._nodes = {actor["name"] for actor in header.get("actors", ()) if actor["role"] in _OF_MIDDLEWARE}
        self._facts = 0
        self._step = 0
        self._at = 0
        self._rows: list[Row] = []
        self._moved: dict[tuple[str, str], None] = {}
        """The replicas whose pointers changed in this step, as (partition, replica)."""
        self._requests: dict[tuple[str, str, int], Json] = {}
        """Dict of Produce request (its client, broker and correlation id) → its batches, by partition."""
        self._commits: dict[int, tuple[str, int]] = {}
        """Dict of id of a TxnOffsetCommit request → its sender, and the step in which it was sent."""
        self._committer: tuple[str | None, int | None] = (None, None)
        """The sender of the TxnOffsetCommit request that is delivered in this step, and the step in which it
        was sent; (None, None) if no such request is delivered."""

    def first(self) -> list[Row]:
        """The facts of the state before the first step."""
        for partition, lane in self.view.get("partitions", {}).items():
            self._add(LEADER, partition=partition, replica=lane.get("leader"))
            for replica, copy in lane.get("replicas", {}).items():
                self._moved[(partition, replica)] = None
                for offset in sorted(copy.get("batches", {}), key=int):
                    self._append(partition, replica, copy["batches"][offset])
        for broker, shown in self.view.get("brokers", {}).items():
            self._add(BROKER, replica=int(broker), state=_life(shown))
        for serial, row in self.view.get(DATABASE, {}).get("rows", {}).items():
            self._add(ROW, serials=[int(serial)], value=row["copies"])
        return self._step_rows()

    def take(self, step: Json) -> list[Row]:
        """The facts of one step. Only the fields ``FIELDS`` of the step are read, and of its changes only
        those of the view's parts ``READ``."""
        self._step, self._at = step["number"], step["at"]
        self._committer = (None, None)
        for fate in step.get("messages", ()):
            if fate["event"] == "delivered":
                self._committer = self._commits.get(fate["id"], self._committer)
        for change in step["changes"]:
            path, before, after = change["path"], change.get("before"), change.get("after")
            if path[0] not in READ:
                continue
            known = _found(self.view, path)
            _place(self.view, path, after, "after" in change)
            reader = _READERS.get(path[0])
            if reader is not None:
                reader(self, path, known if known is not None else before, after)
        for sentence in (step, *step.get("notes", ())):
            if sentence["key"] in _ENDPOINT:
                broker = str(sentence["params"]["broker"])
                self._add(BROKER, replica=int(broker.rpartition("-")[2]), state=_ENDPOINT[sentence["key"]])
        for taken in (*step.get("earlier_transitions", ()), step.get("transition")):
            if taken is not None:
                self._add(
                    TRANSITION,
                    name=taken["machine"],
                    subject=taken["of"],
                    detail=taken["from"],
                    state=taken["to"],
                )
        for fate in step.get("messages", ()):
            self._fate(fate["id"], fate["event"], step)
        return self._step_rows()

    def last(self, finished: str | None) -> list[Row]:
        """The last facts: how the run ended, and the results of the engine's judges."""
        header = self.header
        self._add(
            SESSION,
            name=header.get("scenario"),
            subject=header.get("variant"),
            state=finished,
            detail=header.get("profile"),
            items=sorted(name for name, value in (header.get("switches") or {}).items() if value is not True),
        )
        for name, shown in self.view.get("guarantees", {}).items():
            if shown.get("judged"):
                self._add(
                    GUARANTEE, name=name, value=shown.get("broken_at"), partition=shown.get("partition")
                )
        return self._step_rows()

    # -- rows ------------------------------------------------------------------------------------------

    def _add(self, kind: str, **columns: Any) -> None:
        self._rows.append({"kind": kind, **columns})

    def _step_rows(self) -> list[Row]:
        for partition, replica in self._moved:
            self._add_pointers(partition, replica)
        self._moved.clear()
        rows = sorted(self._rows, key=_rank)
        self._rows = []
        for row in rows:
            self._facts += 1
            row["session"], row["fact"], row["step"], row["at"] = (
                self.session,
                self._facts,
                self._step,
                self._at,
            )
        return rows

    def _add_pointers(self, partition: str, replica: str) -> None:
        copy = _found(self.view, ["partitions", partition, "replicas", replica])
        if copy is not None and "log_end" in copy:
            self._add(
                POINTERS,
                partition=partition,
                replica=int(replica),
                leading=self._leads(partition, replica),
                **{name: copy.get(name) for name in sorted(_POINTERS)},
            )

    def _leads(self, partition: str, replica: str) -> bool:
        leader = self.view["partitions"][partition].get("leader")
        return leader is not None and str(leader) == replica

    # -- logs ------------------------------------------------------------------------------------------

    def _in_partition(self, path: list[str], before: Any, after: Any) -> None:
        partition = path[1]
        if len(path) == 2 or path[2] == "leader":
            lane = self.view.get("partitions", {}).get(partition)
            self._add(LEADER, partition=partition, replica=None if lane is None else lane.get("leader"))
        elif path[2] == "replicas" and len(path) >= 4:
            self._in_replica(partition, path[3], path[4:], before, after)

    def _in_replica(self, partition: str, replica: str, rest: list[str], before: Any, after: Any) -> None:
        if not rest or rest[0] in _POINTERS:
            self._moved[(partition, replica)] = None
        elif rest[0] == "batches" and len(rest) == 2:
            if after is None:
                self._add(REMOVED, partition=partition, replica=int(replica), offset=int(rest[1]))
            elif before is None:
                self._append(partition, replica, after)
        elif rest[0] == "producers" and len(rest) == 2 and after is None:
            self._add(FORGOTTEN, partition=partition, replica=int(replica), producer_id=int(rest[1]))

    def _append(self, partition: str, replica: str, batch: Json) -> None:
        leads = self._leads(partition, replica)
        self._add(
            APPEND,
            partition=partition,
            replica=int(replica),
            leading=leads,
            offset=batch["base_offset"],
            last_offset=batch["last_offset"],
            producer_id=batch["producer_id"],
            producer_epoch=batch["producer_epoch"],
            first_sequence=batch["first_sequence"],
            last_sequence=batch["last_sequence"],
            transactional=batch["transactional"],
            control=batch["control"],
            coordinator_epoch=batch["coordinator_epoch"],
            serials=batch.get("serials", []),
        )
        internal = partition.startswith((_TRANSACTION_LOG, _OFFSETS_LOG))
        if leads and internal and "content" in batch and batch["control"] is None:
            self._content(partition, int(replica), batch)

    def _content(self, partition: str, replica: int, batch: Json) -> None:
        """Add the facts of the records in a batch of an internal topic, which the partition's leader has
        stored."""
        content = batch["content"]
        where: Json = {"partition": partition, "replica": replica, "offset": batch["base_offset"]}
        for key, value in zip(content["keys"], content["values"], strict=True):
            if partition.startswith(_TRANSACTION_LOG) and isinstance(value, dict):
                self._add(
                    LOGGED,
                    **where,
                    name=_named(key),
                    state=value["state"],
                    producer_id=value["producer_id"],
                    producer_epoch=value["producer_epoch"],
                    items=sorted(value["partitions"]),
                    value=value.get("client_version"),
                )
            elif (
                partition.startswith(_OFFSETS_LOG) and isinstance(value, dict) and not batch["transactional"]
            ):
                group, of = key
                self._add(KEPT, name=f"group {group}", partition=of, offset=value["offset"])
            elif partition.startswith(_OFFSETS_LOG) and batch["transactional"]:
                self._add(
                    OFFSET,
                    **where,
                    name=_named(key),
                    producer_id=batch["producer_id"],
                    producer_epoch=batch["producer_epoch"],
                    subject=self._committer[0],
                    value=self._committer[1],
                )

    # -- messages ---------------------------------------------------------------------------------------

    def _in_network(self, path: list[str], before: Any, after: Any) -> None:
        if len(path) != 3 or path[1] != "messages" or not isinstance(after, dict):
            return
        if after["api"] == "TxnOffsetCommit" and not after["is_response"]:
            self._commits[after["id"]] = (after["from"], self._step)
        elif after["api"] == "Produce":
            place = (after["from"], after["to"], after["correlation_id"])
            if not after["is_response"]:
                self._requests[place] = after["fields"]["batches"]
            else:
                batches = self._requests.get((after["to"], after["from"], after["correlation_id"]), {})
                for partition, answer in after["fields"]["partitions"].items():
                    self._answer(after, partition, answer, batches.get(partition))

    def _answer(self, message: Json, partition: str, answer: Json, batch: Json | None) -> None:
        if batch is None:
            return
        self._add(
            ANSWER,
            partition=partition,
            replica=int(message["from"].rpartition("-")[2]),
            subject=message["to"],
            state=answer["error"],
            offset=answer["base_offset"],
            producer_id=batch["producer_id"],
            producer_epoch=batch["producer_epoch"],
            first_sequence=batch["base_sequence"],
            last_sequence=batch["last_sequence"],
        )

    def _fate(self, message: int, event: str, step: Json) -> None:
        """Add a fact for what happened to a message of middleware, or for a lost WriteTxnMarkers request."""
        shown = _found(self.view, ["network", "messages", str(message)])
        if shown is None:
            gone = ["network", "messages", str(message)]
            shown = next(
                (one["before"] for one in step["changes"] if one["path"] == gone and "before" in one), None
            )
        if shown is None:
            return
        if shown["api"] == "WriteTxnMarkers" and event in _LOST:
            self._add(
                UNMARKED,
                detail=shown["from"],
                subject=shown["to"],
                state=event,
                items=shown["partitions"],
            )
        if {shown["from"], shown["to"]} <= self._nodes:
            self._add(
                MESSAGE,
                name=shown["api"],
                detail=shown["from"],
                subject=shown["to"],
                tid=shown["correlation_id"],
                state=event,
            )

    def _in_records(self, path: list[str], before: Any, after: Any) -> None:
        """Add a fact if an application has sent a record, for the first time or again."""
        if after is not None and (len(path) == 2 or path[2] == "sent_at"):
            record = self.view["records"][path[1]]
            self._add(SENT, name=record["producer"], partition=record["partition"], serials=[int(path[1])])

    # -- readers and brokers ---------------------------------------------------------------------------

    def _in_consumer(self, path: list[str], before: Any, after: Any) -> None:
        if len(path) < 4 or path[2] != "lanes" or after is None:
            return
        if len(path) == 4:
            stretches, known = after.get("stretches", []), (before or {}).get("stretches", [])
        elif path[4] == "stretches":
            stretches, known = after, before or []
        else:
            return
        isolation = self.view["consumers"][path[1]].get("isolation")
        for first, last, fate in _new_stretches(known, stretches):
            self._add(
                PASSED,
                name=path[1],
                partition=path[3],
                offset=first,
                last_offset=last,
                state=fate,
                detail=isolation,
            )

    def _in_broker(self, path: list[str], before: Any, after: Any) -> None:
        if len(path) == 2 or path[2:] in (["alive"], ["starting"], ["paused"]):
            shown = self.view.get("brokers", {}).get(path[1])
            self._add(BROKER, replica=int(path[1]), state=_life(shown))

    # -- middleware ------------------------------------------------------------------------------------

    def _in_middleware(self, path: list[str], before: Any, after: Any) -> None:
        view = self.view["middleware"]
        if path[1] == "transactions" and len(path) >= 3:
            shown = view.get("transactions", {}).get(path[2])
            if shown is None:
                self._add(DECISION, tid=int(path[2]), state="FORGOTTEN")
            elif len(path) == 3 or path[3] in ("state", "decision"):
                self._add(
                    DECISION,
                    tid=int(path[2]),
                    state=shown["state"],
                    detail=shown["decision"],
                    items=sorted(shown["votes"]),
                )
        elif path[1] == "participants" and len(path) >= 5 and path[3] == "transactions":
            shown = view["participants"][path[2]].get("transactions", {}).get(path[4])
            if shown is not None:
                self._node(path[2], path[4], shown["state"], shown["applied"])
        elif path[1] == "business" and len(path) >= 4 and path[2] == "transactions":
            shown = view["business"].get("transactions", {}).get(path[3])
            if shown is not None:
                done = shown["stored"] == "SUCCESS" and not shown["undone"]
                self._node("business", path[3], shown["state"], int(done))

    # -- database --------------------------------------------------------------------------------------

    def _in_database(self, path: list[str], before: Any, after: Any) -> None:
        if path[1] == "rows" and after is not None and path[3:] in ([], ["copies"]):
            self._add(ROW, serials=[int(path[2])], value=after if len(path) == 4 else after["copies"])
        elif path[1] == "outbox":
            self._moved_serials(OUTBOX, before, after, "added", "removed")
        elif path[1] == "offsets":
            for partition, offset in _entries(path[2:], after):
                self._add(KEPT, name=DATABASE, partition=partition, offset=offset)

    def _in_service(self, path: list[str], before: Any, after: Any) -> None:
        if len(path) == 3 and path[2] == "hand":
            keeper = self._keeper(self.view["services"][path[1]])
            self._moved_serials(WORK, before, after, "taken", "dropped", subject=path[1], name=keeper)

    def _keeper(self, service: Json) -> str | None:
        """Where the service's consumer keeps its offsets: ``DATABASE``, or ``group`` and the group's name.
        None if the service has no consumer."""
        if service["consumer"] is None:
            return None
        group = self.view["consumers"][service["consumer"]].get("group")
        return DATABASE if group is None else f"group {group['group_id']}"

    def _moved_serials(
        self,
        kind: str,
        before: list[int] | None,
        after: list[int] | None,
        more: str,
        less: str,
        **columns: Any,
    ) -> None:
        known, now = before or [], after or []
        for state, serials in (
            (less, [one for one in known if one not in now]),
            (more, [one for one in now if one not in known]),
        ):
            if serials:
                self._add(kind, state=state, serials=serials, **columns)

    def _node(self, node: str, tid: str, state: str, applied: int) -> None:
        self._add(NODE, subject=node, tid=int(tid), state=state, value=applied)


def _life(broker: Json | None) -> str:
    if broker is None or not broker.get("alive"):
        return "down"
    return "paused" if broker.get("paused") else "starting" if broker.get("starting") else "alive"


def _named(key: Any) -> str:
    """The name that a key of an internal topic's record contains: a transactional id, or a group with topic
    and partition."""
    return " ".join(str(part) for part in key) if isinstance(key, list) else str(key)


def _entries(path: list[str], after: Any) -> list[tuple[str, int]]:
    """The new entries of a table after a change, as (key, value). If ``path`` contains a key, the change is
    about this entry only, else about the whole table."""
    return [(path[0], after)] if path else list((after or {}).items())


def _rank(row: Row) -> int:
    return _RANK.get(row["kind"], 6)


def _new_stretches(known: list[list[Any]], stretches: list[list[Any]]) -> Iterator[list[Any]]:
    """The stretches ``[first, last, fate]`` of offsets that are new compared with ``known``. Of a stretch
    that has grown, only the new part is returned."""
    before = {(first, fate): last for first, last, fate in known}
    for first, last, fate in stretches:
        reached = before.get((first, fate))
        if reached is None:
            yield [first, last, fate]
        elif reached < last:
            yield [reached + 1, last, fate]


def _found(view: Json, path: list[str]) -> Any:
    node: Any = view
    for key in path:
        if not isinstance(node, dict) or key not in node:
            return None
        node = node[key]
    return node


def _place(view: Json, path: list[str], value: Any, there: bool) -> None:
    node = view
    for key in path[:-1]:
        node = node.setdefault(key, {})
    if there:
        node[path[-1]] = value
    else:
        node.pop(path[-1], None)


_READERS = {
    "partitions": FactReader._in_partition,
    "network": FactReader._in_network,
    "records": FactReader._in_records,
    "consumers": FactReader._in_consumer,
    "brokers": FactReader._in_broker,
    "middleware": FactReader._in_middleware,
    DATABASE: FactReader._in_database,
    "services": FactReader._in_service,
}
READ = frozenset((*_READERS, "guarantees"))
"""The parts of a view whose changes become facts."""

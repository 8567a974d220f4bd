"""A service whose worker threads process records at the same time and finish in any order (CPT-4, OFS-6).

One thread polls and hands each record to a worker thread. A worker works on its record for the time that the
scenario gives, then inserts the row with auto-commit; with the response the record is finished. The rule of the
approach (``commit_rules.py``) says which offset the service commits, and when. Owns the records in work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.client.consumer import Consumer
from engine.client.ledger import Ledger
from engine.client.producer_client import ProducerClient
from engine.database import service_states as states
from engine.database.commit_rules import COMMIT_RULES, Progress
from engine.database.messages import DATABASE, InsertRow
from engine.database.service import Done, Service
from engine.events import WorkDropped
from engine.happenings.database import (
    CommitSkips,
    CommitStays,
    InsertsInDoubt,
    OffsetsHanded,
    OffsetsHandedAtPoll,
    WorkerBegins,
    WorkerDone,
    WorkerInserts,
)
from engine.messages import CommittedOffset, Effects, Envelope, Send
from engine.shapes.database import ServiceView, WorkerView
from engine.watching import Watch


class Task:
    """One record in memory. ``until``: when its worker thread has done the work (virtual ms); None: it waits for a
    free thread. ``number``: the request that inserts its row; 0: not sent yet."""

    __slots__ = ("number", "offset", "partition", "sent_at", "serial", "since", "until")

    def __init__(self, partition: str, offset: int, serial: int) -> None:
        self.partition = partition
        self.offset = offset
        self.serial = serial
        self.since: int | None = None
        self.until: int | None = None
        self.number = 0
        self.sent_at = 0

    def view(self) -> WorkerView:
        return {
            "partition": self.partition,
            "offset": self.offset,
            "serial": self.serial,
            "since": self.since,
            "until": self.until,
            "inserts": self.number > 0,
        }


class WorkerService(Service):
    """A service with ``threads`` worker threads. A record at offset *n* takes ``work_ms[n % len(work_ms)]``
    ms. ``waits``: whether the service polls again only after every record has finished; if not, it polls
    every ``every`` ms."""

    def __init__(
        self,
        document: Mapping[str, Any],
        producer: ProducerClient | None,
        consumer: Consumer | None,
        ledger: Ledger,
        watch: Watch,
    ) -> None:
        self.threads: int = document["threads"]
        self.work_ms: tuple[int, ...] = tuple(document["work_ms"]) or (0,)
        self.waits: bool = document["waits"]
        super().__init__(document, producer, consumer, ledger, watch)
        self.rule = COMMIT_RULES[self.approach.commits]

    def _forget(self, state: str) -> None:
        super()._forget(state)
        self.tasks: list[Task] = []
        self.progress: dict[str, Progress] = {}

    def view(self) -> ServiceView:
        return {**super().view(), "threads": self.threads, "workers": [task.view() for task in self.tasks]}

    # -- when ------------------------------------------------------------------------------------------

    def due(self, now: int) -> int | None:
        if not self.alive:
            return None
        if self.state == states.STARTING:
            return max(now, self.not_before)
        times = [task.until for task in self.tasks if task.until is not None and not task.number]
        if self._to_commit() and not self._group_busy():
            times.append(max(now, self.not_before) if self.rule.at_poll else now)
        if self._may_poll() and self._has_work():
            times.append(max(now, self.not_before))
        return min(times, default=None)

    def _may_poll(self) -> bool:
        return not (self.waits and self.tasks)

    def _to_commit(self) -> dict[str, int]:
        """Dict of partition → offset to commit, for partitions in which it is higher than the last one."""
        if self.rule.at_poll and not self._may_poll():
            return {}
        chosen = {name: self.rule.offset(progress) for name, progress in self.progress.items()}
        return {name: offset for name, offset in chosen.items() if offset > self.progress[name].committed}

    # -- what ------------------------------------------------------------------------------------------

    def act(self, now: int, new_serial: Callable[[int], int], counts: Callable[[str, int], bool]) -> Done:
        self.watch.touch(self)
        if self.state == states.STARTING:
            return self._start(now)
        for task in self.tasks:
            if task.until is not None and task.until <= now and not task.number:
                return self._insert(task, now)
        offsets = self._to_commit()
        if offsets and not self._group_busy() and (not self.rule.at_poll or now >= self.not_before):
            return self._commit_offsets(offsets, now)
        if self._may_poll() and self._has_work() and now >= self.not_before:
            self._poll(now)
        return []

    def _insert(self, task: Task, now: int) -> Done:
        self._numbers += 1
        task.number, task.sent_at = self._numbers, now
        self._note_awaited()
        self.watch.emit(WorkerInserts, self.name, DATABASE, task.partition, task.offset, task.serial)
        return [(self.name, [Send(DATABASE, InsertRow(serial=task.serial), task.number)])]

    def _note_awaited(self) -> None:
        """Note the oldest request without a response, for the time limit."""
        asked = [task for task in self.tasks if task.number]
        self.awaited = asked[0].number if asked else 0
        self.asked_at = min((task.sent_at for task in asked), default=None)

    def _commit_offsets(self, offsets: dict[str, int], now: int) -> Done:
        consumer = self._reader()
        happening = OffsetsHandedAtPoll if self.rule.at_poll else OffsetsHanded
        self.watch.emit(happening, self.name, consumer.name, str(consumer.group_id), tuple(offsets.items()))
        skipped = tuple(
            (name, one)
            for name, offset in offsets.items()
            for one in self.progress[name].unfinished
            if one < offset
        )
        if skipped:
            self.watch.emit(CommitSkips, self.name, str(consumer.group_id), skipped)
        consumer.commit({name: CommittedOffset(offset=offset) for name, offset in offsets.items()}, now)
        for name, offset in offsets.items():
            self.progress[name].committed = offset
        return [(consumer.name, [])]

    def _poll(self, now: int) -> None:
        for one in self._take_records():
            self.progress.setdefault(one.partition, Progress(one.offset)).taken.append(one.offset)
            self.tasks.append(Task(one.partition, one.offset, one.serial))
        if self.state == states.IDLE:
            self._take(states.HANDED_OUT, now)
        group = self._reader().group
        if group is not None and self.waits:
            group.processes(now)
        self._occupy_threads(now)
        self._end_round(now)

    def _occupy_threads(self, now: int) -> None:
        """Give the oldest waiting records to free worker threads."""
        free = self.threads - sum(task.until is not None for task in self.tasks)
        for task in [task for task in self.tasks if task.until is None][:free]:
            ms = self.work_ms[task.offset % len(self.work_ms)]
            task.since, task.until = now, now + ms
            self.watch.emit(WorkerBegins, self.name, task.partition, task.offset, ms)

    def _drop_work(self) -> None:
        super()._drop_work()
        self.tasks = []

    # -- responses of the database ---------------------------------------------------------------------

    def handle(self, envelope: Envelope, now: int) -> Effects:
        """Handle a response. If no record waits for it, nothing changes."""
        task = next((task for task in self.tasks if task.number == envelope.correlation_id), None)
        if task is None:
            return []
        self.watch.touch(self)
        body: Any = envelope.body
        self._finish(task, bool(body.repeated), now)
        return []

    def _lost(self, now: int, timed_out: bool = False) -> None:
        """The connection to the database ended. Each INSERT without a response is sent again after
        ``retry_ms``, although its row may exist already."""
        unsure = [task for task in self.tasks if task.number]
        serials = tuple(task.serial for task in unsure)
        self.watch.emit(InsertsInDoubt, self.name, DATABASE, serials, timed_out)
        for task in unsure:
            task.number, task.until = 0, now + self.retry_ms
        self._note_awaited()
        self.watch.touch(self)

    def _finish(self, task: Task, repeated: bool, now: int) -> None:
        self.tasks.remove(task)
        self.hand.remove(task.serial)
        self._note_awaited()
        progress = self.progress[task.partition]
        progress.finished.add(task.offset)
        self.watch.emit(WorkDropped, service=self.name, serials=(task.serial,))
        self.watch.emit(WorkerDone, self.name, DATABASE, task.partition, task.offset, task.serial, repeated)
        if not self.rule.at_poll and self.rule.offset(progress) <= task.offset:
            self.watch.emit(CommitStays, self.name, task.partition, self.rule.offset(progress))
        self._occupy_threads(now)
        if not self.tasks:
            self._rest(now)

    def _rest(self, now: int) -> None:
        """Note that no record is left, so that the service is in ``poll()`` again."""
        self._take(states.ALL_FINISHED, now)
        group = self._reader().group
        if group is not None:
            group.polls()

"""Carries out fetches of followers and of the metadata log when they are due, and queues useful ones after a
partition has changed (LOG-7, CON-1)."""

from __future__ import annotations

from engine.kernel import Kernel
from engine.pending import TIMER
from engine.replica_fetchers import Fetcher
from engine.role_timers import RoleTimers
from engine.timetable import Event


class ReplicationSteps:
    """Queues the fetches that would change something, at multiples of their interval, and carries them out."""

    __slots__ = ("_kernel", "_timers")

    def __init__(self, kernel: Kernel, timers: RoleTimers) -> None:
        self._kernel = kernel
        self._timers = timers

    def fetch(self, fetcher: Fetcher, event: Event) -> None:
        """Carry out one fetch of a follower, with its response."""
        fetcher.waiting = False
        kernel, world = self._kernel, self._kernel.world
        kernel.at_work(fetcher.name, "replication")
        exchanged = world.fetchers.exchange(fetcher, kernel.now)
        if exchanged is None:
            self.follow()
            return
        leader, effects, moved, goes_on, scans = exchanged
        if scans:
            # A copied batch changes no other timer of the broker.
            self._timers.ask_in_background(fetcher.follower)
        if effects:
            kernel.carry_out(leader.name, effects)
        if moved or effects:
            self._timers.ask_broker(leader)
        if moved or world.consumers or world.controller.announcements:
            self.follow()
            return
        # The leader's log did not change, so only this follower may have to fetch again.
        world.changed_partitions.clear()
        if goes_on:
            self._queue(fetcher)

    def follow(self) -> None:
        """Deliver the controller's announcements. Queue the useful fetches of the changed partitions, and wake the
        consumers that wait for these partitions."""
        kernel, world = self._kernel, self._kernel.world
        if world.controller.announcements:
            for name, effects in world.announce(kernel.now):
                kernel.carry_out(name, effects)
                self._timers.ask(name)
            self.queue_metadata()
            self._timers.ask("controller")
        changed = world.changed_partitions
        if not changed:
            return
        if len(changed) == 1:
            partitions = [changed.pop()]
        else:
            partitions = sorted(changed)
            changed.clear()
        for partition in partitions:
            leader = world.leader_of(partition)
            if leader is not None:
                for fetcher in world.fetchers.due(partition, leader):
                    self._queue(fetcher)
            if kernel.watch.recording:
                world.lanes_changed(partition)
            if leader is not None and partition in world.readers:
                for name in world.wake_readers(partition, leader, kernel.now):
                    self._timers.ask(name)

    def read_metadata(self, name: str, event: Event) -> None:
        """Carry out a broker's fetch of the metadata log: the broker applies the new records."""
        kernel = self._kernel
        kernel.at_work(name, "replication")
        kernel.carry_out(name, kernel.world.spreading.read(name, kernel.now))
        self.queue_metadata()
        self._timers.ask(name)
        self.follow()

    def queue_metadata(self) -> None:
        """Queue a fetch of the metadata log for each broker that has not read the whole log."""
        kernel = self._kernel
        for name, at in kernel.world.spreading.fetches(kernel.now):
            kernel.put(at, TIMER, "metadata", name, name, "fetch metadata")

    def _queue(self, fetcher: Fetcher) -> None:
        fetcher.waiting = True
        kernel = self._kernel
        interval = kernel.world.replica_fetch_ms
        at = (kernel.now // interval + 1) * interval
        kernel.put(at, TIMER, "replicate", fetcher, fetcher.name, fetcher.what)

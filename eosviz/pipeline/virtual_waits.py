"""Measures how long records wait, in ms of virtual time: until their producer learns that they are stored,
and until an application reads them. Executors run this code."""

from engine import events
from engine.simulation import Simulation


class Waits:
    """Measures the waits in a run. It replaces the run's judges, and passes every fact on to them."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._judges = simulation.judges
        self._accepted: dict[int, int] = {}
        """Dict of record's serial → the time at which the producer first accepted it."""
        self._reported: dict[int, int] = {}
        """Dict of record's serial → how long it took until its producer learned that it is stored."""
        self._delivered: dict[int, int] = {}
        """Dict of record's serial → how long it took until a consumer first returned it."""
        # The type of all watches does not declare `judges`, because only the watch of a judged run has them.
        simulation.watch.judges = self  # type: ignore[attr-defined]

    def take(self, fact: object) -> None:
        if type(fact) is events.RecordAccepted:
            self._accepted.setdefault(fact.serial, self._simulation.now)
        elif type(fact) is events.RecordsFinished:
            if fact.error is None and not fact.aborted:
                self._note(fact.serials, self._reported)
        elif type(fact) is events.RecordsDelivered:
            self._note(fact.serials, self._delivered)
        self._judges.take(fact)

    def _note(self, serials: tuple[int, ...], waits: dict[int, int]) -> None:
        now, accepted = self._simulation.now, self._accepted
        for serial in serials:
            if serial in accepted:
                waits.setdefault(serial, now - accepted[serial])

    def columns(self) -> dict[str, int | None]:
        """The median and the longest of each wait, in ms of virtual time; the median of an even number of
        waits is the lower of the two middle ones. None if no wait was measured."""
        row: dict[str, int | None] = {}
        for name, waits in (("reported_ms", self._reported), ("delivered_ms", self._delivered)):
            ordered = sorted(waits.values())
            row[name] = ordered[(len(ordered) - 1) // 2] if ordered else None
            row[f"{name}_max"] = ordered[-1] if ordered else None
        return row

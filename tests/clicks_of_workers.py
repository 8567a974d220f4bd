"""How many engine steps the workers of a running site made for clicks, read from the workers' own metrics."""

from __future__ import annotations

import math
import random
import socket
import time
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass, field

from prometheus_client.parser import text_string_to_metric_families

from eosviz.step_queues import COUNT

FIGURE = "eosviz_click_engine_steps"
SHARED_SECONDS_MAX = 60.0


@dataclass(frozen=True)
class Clicks:
    """The clicks of one worker since its start, or of several workers together."""

    count: int = 0
    engine_steps: int = 0
    within: dict[float, int] = field(default_factory=dict)
    """Bound of the metric's histogram → how many clicks cost at most so many engine steps."""

    def __add__(self, other: Clicks) -> Clicks:
        within = {most: self.within.get(most, 0) + count for most, count in other.within.items()}
        return Clicks(self.count + other.count, self.engine_steps + other.engine_steps, within)

    def __sub__(self, other: Clicks) -> Clicks:
        within = {most: count - other.within.get(most, 0) for most, count in self.within.items()}
        return Clicks(self.count - other.count, self.engine_steps - other.engine_steps, within)

    def percentile(self, share: float) -> float:
        """Return the smallest bound of the histogram that at least this share of the clicks does not exceed."""
        return min(
            (most for most, count in self.within.items() if count >= share * self.count), default=math.inf
        )


def free_ports(count: int) -> int:
    """Return the first of ``count`` consecutive free ports. Linux gives ports from 32768 on to clients and to sockets
    that ask for any port, so none of them takes one of these ports before the worker does.
    """
    while True:
        first = random.randrange(20_000, 32_000)
        with ExitStack() as stack:
            try:
                for port in range(first, first + count):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            return first


class Workers:
    """The workers of a site that was started with `environment`. Besides the ``count`` workers, one more may be
    started, with the name `further`.
    """

    def __init__(self, count: int) -> None:
        *self.names, self.further = ["worker", *(f"worker-{number}" for number in range(2, count + 2))]
        first = free_ports(count + 1)
        self._ports = {name: first + number for number, name in enumerate((*self.names, self.further))}
        self.environment = {"EOSVIZ_WORKERS": str(count), "EOSVIZ_WORKER_METRICS_PORT": str(first)}

    def wait_until_shared(self, *further: str) -> None:
        """Wait until each of the workers has a share of the sessions."""
        names = [*self.names, *further]
        deadline = time.monotonic() + SHARED_SECONDS_MAX
        while sum(shares := self._shares(names)) != COUNT or min(shares) == 0:
            assert time.monotonic() < deadline, shares
            time.sleep(0.1)

    def _shares(self, names: list[str]) -> list[float]:
        return [dict(self._samples(name)).get(("eosviz_step_queues_taken", None), 0.0) for name in names]

    def clicks(self) -> dict[str, Clicks]:
        return {name: self._clicks(name) for name in self.names}

    def since(self, before: dict[str, Clicks]) -> dict[str, Clicks]:
        return {name: clicks - before[name] for name, clicks in self.clicks().items()}

    def _clicks(self, name: str) -> Clicks:
        samples = dict(self._samples(name))
        within = {
            float(most): int(count)
            for (sample, most), count in samples.items()
            if sample == f"{FIGURE}_bucket" and most is not None
        }
        count, steps = (int(samples.get((f"{FIGURE}_{part}", None), 0)) for part in ("count", "sum"))
        return Clicks(count, steps, within)

    def _samples(self, name: str) -> list[tuple[tuple[str, str | None], float]]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._ports[name]}/metrics", timeout=5) as answer:
                text = answer.read().decode()
        except OSError:
            return []  # the worker is still starting
        return [
            ((sample.name, sample.labels.get("le")), sample.value)
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        ]

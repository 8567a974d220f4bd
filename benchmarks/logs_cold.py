"""Benchmark `logs-cold`: `manage.py logs` from the command line on one segment of 262 MB, headers only, and every
record. It is compared with reading with checksums by the compiled library, and with Kafka's own tool if it is in
`PATH`. Figures are medians of five rounds, in turns.

`python -m benchmarks logs-cold`
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generated_logs import make_logs
from benchmarks.report import remark
from benchmarks.started_commands import Cost, clock, floor, kafkas_tool, our_logs, processor, starts
from benchmarks.turns import in_turns, ratios, report_rounds

MEGABYTE = 1_000_000
BYTES = 262 * MEGABYTE
"""Bytes of the generated log: less than 256 MiB, so that it is one segment."""
SHAPES = ("mixed", "short", "packed", "tiny")
GOALS = {"headers": 300, "deep": 50}
"""Goals in MB a second, for batches as most clients write them. `tiny` has no such goal; it is only compared with the
floor and the tool.
"""
OF_TOOL = {"headers": 0.6, "deep": 1.0}
"""Our time divided by the tool's time, at most."""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="eosviz-bench-logs-cold-") as place:
        few = Path(place) / "few"
        make_logs(few, 1, 4000, "tiny")
        began = in_turns(starts({"start": our_logs(str(few))}))["start"]
        report_rounds("logs_cold_start", clock(began), "s")
        for shape in SHAPES:
            logs = Path(place) / shape
            written = make_logs(logs, 1, BYTES, shape)
            remark(f"{shape}: {written / MEGABYTE:.0f} MB")
            _measure(shape, logs, written / MEGABYTE)


def _measure(shape: str, logs: Path, megabytes: float) -> None:
    commands = {
        "headers": our_logs(str(logs)),
        "deep": our_logs("--deep", str(logs)),
        "floor": floor(logs),
    }
    for depth in GOALS:
        tool = kafkas_tool(logs, deep=depth == "deep")
        if tool is not None:
            commands[f"tool_{depth}"] = tool
    costs = in_turns(starts(commands))
    report_rates(f"logs_cold_{shape}_floor", megabytes, clock(costs["floor"]))
    for depth, goal in GOALS.items():
        name = f"logs_cold_{shape}_{depth}"
        report_rates(name, megabytes, clock(costs[depth]), None if shape == "tiny" else goal)
        report_rates(f"{name}_processor", megabytes, processor(costs[depth]))
        report_rounds(f"{name}_of_floor", ratios(clock(costs[depth]), clock(costs["floor"])), "times")
        if f"tool_{depth}" in costs:
            report_tool(name, costs[depth], costs[f"tool_{depth}"], megabytes, OF_TOOL[depth])


def report_rates(name: str, megabytes: float, seconds: Sequence[float], goal: float | None = None) -> None:
    report_rounds(name, [megabytes / one for one in seconds], "MB/s", goal)


def report_tool(name: str, ours: list[Cost], tool: list[Cost], megabytes: float, goal: float) -> None:
    """Print the tool's rate in MB/s, and our time divided by the tool's."""
    report_rates(f"{name}_tool", megabytes, clock(tool))
    report_rounds(f"{name}_of_tool", ratios(clock(ours), clock(tool)), "times", goal)

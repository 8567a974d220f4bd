"""`manage.py logs` as a person starts it, on one segment of 262 MB: headers, and every record, beside plain reading
with checksums by the compiled library, and beside Kafka's own tool where the machine has it. Medians of five in turns.

    python -m benchmarks logs-cold
"""

import tempfile
from pathlib import Path

from benchmarks.generated_logs import make_logs
from benchmarks.report import remark, tell
from benchmarks.started_commands import Cost, floor, in_turns, kafkas_tool, our_logs

MEGABYTE = 1_000_000
BYTES = 262 * MEGABYTE
"""Below the 256 MiB at which a segment is rolled."""
SHAPES = ("mixed", "short", "packed", "tiny")
GOALS = {"headers": 300, "deep": 50}
"""MB a second, of batches as most clients write them; `tiny` is measured against the floor and the tool alone."""
OF_TOOL = {"headers": 0.6, "deep": 1.0}
"""Of the tool's time, at most."""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="eosviz-bench-logs-cold-") as place:
        few = Path(place) / "few"
        make_logs(few, 1, 4000, "tiny")
        tell("logs_cold_start", in_turns({"start": our_logs(str(few))})["start"].seconds, "s")
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
    costs = in_turns(commands)
    tell(f"logs_cold_{shape}_floor", megabytes / costs["floor"].seconds, "MB/s")
    for depth, goal in GOALS.items():
        name = f"logs_cold_{shape}_{depth}"
        tell(name, megabytes / costs[depth].seconds, "MB/s", None if shape == "tiny" else goal)
        tell(f"{name}_processor", megabytes / costs[depth].processor_seconds, "MB/s")
        tell(f"{name}_of_floor", costs[depth].seconds / costs["floor"].seconds, "times")
        if f"tool_{depth}" in costs:
            of_tool(name, costs[depth], costs[f"tool_{depth}"], megabytes, OF_TOOL[depth])


def of_tool(name: str, ours: Cost, tool: Cost, megabytes: float, goal: float) -> None:
    """The tool's figure and ours against it."""
    tell(f"{name}_tool", megabytes / tool.seconds, "MB/s")
    tell(f"{name}_of_tool", ours.seconds / tool.seconds, "times", goal)

"""Compares the recorded output of ``kafka-transactions.sh`` with the output of the same commands in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.tool.command import COMMANDS
from engine.vectors.outcome import Failure, Skip

_ACTIONS = {name: action for action, name in COMMANDS.items()}
_TEXTS = {"--transactional-id": "transactional_id"}
_NUMBERS = {
    "--start-offset": "start_offset",
    "--broker-id": "broker",
    "--max-transaction-timeout": "timeout_minutes",
}
CLOCKS = frozenset(
    ("LastTimestamp", "CurrentTransactionStartTimeMs", "TransactionDurationMs", "Duration(min)")
)
"""The columns that a comparison leaves out, because they depend on clocks."""
NOTHING = "None"


@dataclass(frozen=True, slots=True)
class ToolRuns:
    """A command of an operator: the engine runs it at ``at``, and by ``ended`` it must have printed what the
    recording has."""

    at: int
    ended: int
    command: tuple[str, ...]
    printed: str

    @property
    def entry(self) -> dict[str, Any]:
        """The command as an entry of a fault script. Raises Skip for an option without a field."""
        name, *options = self.command
        given = dict(zip(options[::2], options[1::2], strict=True))
        entry: dict[str, Any] = {"at": self.at, "action": _ACTIONS[name]}
        if "--topic" in given:
            entry["partition"] = f"{given.pop('--topic')}-{given.pop('--partition')}"
        for option, text in given.items():
            if option in _TEXTS:
                entry[_TEXTS[option]] = text
            elif option in _NUMBERS:
                entry[_NUMBERS[option]] = int(text)
            else:
                raise Skip(f"the engine has no option {option} of {name}")
        return entry


def read_table(printed: str) -> tuple[list[str], list[dict[str, str]]]:
    """The columns and the rows of a table in which a tab follows each cell. Empty lists for a text without a line."""
    lines = [
        [cell.strip() for cell in line.split("\t")[:-1]] for line in printed.splitlines() if line.strip()
    ]
    if not lines:
        return [], []
    columns, *rows = lines
    return columns, [dict(zip(columns, row, strict=True)) for row in rows]


def compare_tables(
    ran: ToolRuns,
    shown: Mapping[str, Any],
    wanted_owners: Mapping[int, str],
    owners: Mapping[int, str],
) -> tuple[int, Failure | None]:
    """Compare the engine's table (``ToolView``) with the printed one. Returns the number of equal rows, and the first
    difference. Rows of ``list`` that the engine lacks are no difference."""
    place = f"kafka-transactions.sh {' '.join(ran.command)}"
    if shown["state"] != "done":
        return 0, Failure(f"{place}: end", "done", shown["state"])
    columns, rows = read_table(ran.printed)
    if columns != shown["columns"]:
        return 0, Failure(f"{place}: columns", columns, shown["columns"])
    wanted = sorted(_comparable(row, wanted_owners) for row in rows)
    seen = sorted(_comparable(_texts(columns, row), owners) for row in shown["rows"])
    if ran.command[0] == "list":
        wanted = [row for row in wanted if row[0] in {mine[0] for mine in seen}]
    if seen != wanted:
        return 0, Failure(place, wanted, seen)
    return len(seen), None


def _texts(columns: Sequence[str], row: Sequence[Any]) -> dict[str, str]:
    return {name: NOTHING if cell is None else str(cell) for name, cell in zip(columns, row, strict=True)}


def _comparable(row: Mapping[str, str], owners: Mapping[int, str]) -> tuple[str, ...]:
    """A row for the comparison: without clocks, with the producer's name in place of its id."""
    cells = []
    for name, cell in row.items():
        if name == "ProducerId":
            cells.append(owners[int(cell)])
        elif name == "TopicPartitions":
            cells.append(",".join(sorted(cell.split(","))))
        elif name not in CLOCKS:
            cells.append(cell)
    return tuple(cells)

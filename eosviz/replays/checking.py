"""Reads a replay file once. On the way it checks the file, runs its scenario again, and collects what the
player needs beside the steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from engine.scenario.twins import runs_as_written
from eosviz.catalogue import LANGUAGES, say
from eosviz.replays import format, reading
from eosviz.replays.branch_derived import DerivedByBranch
from eosviz.replays.branch_plans import PlansByBranch
from eosviz.replays.branch_transactions import TransactionsByBranch
from eosviz.replays.verification import Finding, Rerun
from eosviz.walkthroughs.branch_names import BranchName, Run, names_of

PLAYER_STATES = {
    "verified": "verified",
    "differs": "differs",
    "recorded": "as_recorded",
    "stopped": "as_recorded",
    "log": "log",
}
"""Dict of state of a replay's row → the state in the player file (docs/player.md)."""


class Reader(Protocol):
    """The type of `reading.read`, and of functions that read other forms of the same lines."""

    def __call__(
        self, file: BinaryIO, *, witness: Callable[[format.Header], reading.Witness]
    ) -> reading.Recording: ...


def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A valid recording, and what checking it has found."""

    recording: reading.Recording
    finding: Finding
    transactions: dict[str, Any]
    """Dict of branch's id → its transactions (docs/websocket.md, `transactions`)."""
    plans: dict[str, Any]
    """Dict of branch's id → its plan (docs/frame.md)."""
    derived: dict[str, Any]
    """Dict of branch's id → the derived facts of its steps (docs/player.md)."""

    @property
    def title(self) -> dict[str, str]:
        title = self.recording.header.title
        return {"en": title.en, "zh-Hans": title.zh_hans}

    @property
    def scenario(self) -> str:
        return str(self.recording.header.scenario.get("id", ""))[:100]

    @property
    def as_written(self) -> bool:
        """Whether the library contains this run, apart from the run's interventions."""
        header = self.recording.header
        return runs_as_written(header.scenario, header.variant)

    @property
    def _names(self) -> dict[str, BranchName]:
        branches = self.recording.header.branches
        known = {branch.id: branch for branch in branches}
        return names_of(
            [Run(branch.id, branch.name, bool(format.made_on(branch, known))) for branch in branches]
        )

    @property
    def sentence_params(self) -> dict[str, Any]:
        """The parameters of the sentence about the replay's state."""
        finding = self.finding
        return {
            "branch": self._names.get(finding.branch or "", ""),
            "step": finding.step,
            "checked": finding.checked,
        }

    def fields(self, identity: str) -> dict[str, Any]:
        """The player file (docs/player.md), without header, view and steps."""
        recording, header, names = self.recording, self.recording.header, self._names
        return {
            "v": 1,
            "kind": "replay",
            "session": {
                "id": identity,
                "title": self.title,
                "scenario": self.scenario,
                "variant": header.variant,
            },
            "verified": verified(
                self.finding.state, header.engine, recording.steps, self.sentence_params, self.finding.step
            ),
            "branches": [
                {
                    **format.as_json(branch),
                    "said": names[branch.id],
                    "first_broken": recording.first_broken[branch.id],
                }
                for branch in header.branches
            ],
            "transactions": self.transactions,
            "plans": self.plans,
            "derived": self.derived,
        }


def check(file: BinaryIO, read: Reader = reading.read, each: Callable[[], None] = _nothing) -> Checked:
    """Read a file, check it, and run its scenario again. Raises ReplayRefused at the first error. ``read``:
    reads the form that the file has (`carriers.py`); the default reads replay files. ``each``: called after
    each step."""
    reruns: list[Rerun] = []
    transactions: list[TransactionsByBranch] = []
    plans: list[PlansByBranch] = []
    derived: list[DerivedByBranch] = []

    def run_again(branch: str, number: int, step: bytes) -> None:
        reruns[0].take(branch, number, step)
        each()

    def witness(header: format.Header) -> TransactionsByBranch:
        reruns.append(Rerun(header))
        derived.append(DerivedByBranch(header, run_again))
        plans.append(PlansByBranch(header, derived[0].take))
        transactions.append(TransactionsByBranch(header, plans[0].take))
        return transactions[0]

    recording = read(file, witness=witness)
    return Checked(
        recording=recording,
        finding=reruns[0].finding(),
        transactions=transactions[0].results(),
        plans=plans[0].results(),
        derived=derived[0].results(),
    )


def verified(
    state: str, engine: str, steps: int, sentence_params: dict[str, Any], step: int | None
) -> dict[str, Any]:
    """The field `verified` of the player file (docs/player.md), with the state and its sentence in every
    language."""
    params = {"engine": engine, "steps": steps, **sentence_params}
    return {
        "state": PLAYER_STATES[state],
        "engine": engine,
        "step": step,
        "sentence": {language: say(f"replays.state.{state}", language, params) for language in LANGUAGES},
    }

"""Run files of cases and count what held.

A topic's module has ``run(case, version) -> Failure | None`` and raises Skip; a topic without a
module is skipped as a whole, with its reason. A case counts once: it fails if any version
that the engine has fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from engine.errors import EngineError
from engine.vectors import wire
from engine.vectors.outcome import Failure, Skip

VERSIONS = ("2.0", "2.8")
"""The versions that the engine has profiles for."""

TOPICS: dict[str, str] = {
    "sequence_math": "engine.vectors.sequence_math",
    "pid_blocks": "engine.vectors.pid_blocks",
    "producer_state": "engine.vectors.producer_state",
    "log_transactions": "engine.vectors.producer_state",
    "log_recovery": "engine.vectors.producer_state",
    "coordinator_matrix": "engine.vectors.coordinator",
    "coordinator_scenarios": "engine.vectors.coordinator",
    "marker_responses": "engine.vectors.marker_responses",
    "partition_for": "engine.vectors.partition_for",
    "group_txn_offsets": "engine.vectors.group_txn_offsets",
    "read_committed": "engine.vectors.read_committed",
    "accumulator": "engine.vectors.accumulator",
    "produce_errors": "engine.vectors.produce_errors",
    "sender": "engine.vectors.sender",
    "client_txn_manager": "engine.vectors.client_txn_manager",
    "record_batch": "engine.codec.vectors",
    "txn_log_record": "engine.codec.vectors",
}


@dataclass(slots=True)
class Report:
    """Outcomes by case id; ``failures`` hold (case id, version, Failure)."""

    passed: list[str] = field(default_factory=list)
    failures: list[tuple[str, str, Failure]] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def lines(self) -> Iterable[str]:
        for case, version, failure in self.failures:
            found = f"expected {failure.expected!r}, got {failure.got!r}"
            yield f"FAILED {case} ({version}) at {failure.step}: {found}"
        failed = len({case for case, _, _ in self.failures})
        yield f"{len(self.passed)} passed, {failed} failed, {len(self.skipped)} skipped"

    def to_json(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "failed": [
                {
                    "id": case,
                    "version": version,
                    "step": found.step,
                    "expected": found.expected,
                    "got": found.got,
                }
                for case, version, found in self.failures
            ],
            "skipped": [{"id": case, "reason": reason} for case, reason in self.skipped],
        }


def run_files(documents: Iterable[tuple[str, dict[str, Any]]]) -> Report:
    """``documents``: (file name, parsed content). Raises ValueError when a file is not of the format."""
    report = Report()
    for name, document in documents:
        if isinstance(document, dict) and "api_versions" in document:
            report.skipped.append((name, "a list of the requests that a broker knows, nothing to play"))
            continue
        if isinstance(document, dict) and is_recording(document):
            run_recording(name, document, report)
            continue
        cases = document.get("vectors") if isinstance(document, dict) else None
        if not isinstance(cases, list):
            raise ValueError(f"{name}: no list 'vectors'; see the README of the vectors for the format")
        for index, case in enumerate(cases):
            if not isinstance(case, dict) or not isinstance(case.get("id"), str) or "topic" not in case:
                raise ValueError(f"{name}: case {index} has no id or topic")
            run_case(case, report)
    return report


RECORDING_FIELDS = ("name", "transaction_version", "topic", "partitions", "steps")


def is_recording(document: dict[str, Any]) -> bool:
    """What a real broker answered, step by step (``kafka-logs/*/wire``)."""
    return all(field in document for field in RECORDING_FIELDS)


def run_recording(name: str, document: dict[str, Any], report: Report) -> None:
    """One recording counts as one case, in the 2.8 profile."""
    case = f"wire_tv{document['transaction_version']}/{document['name']}"
    try:
        failure = wire.play(document)
    except Skip as skip:
        report.skipped.append((case, str(skip)))
        return
    except (KeyError, TypeError) as error:
        raise ValueError(f"{name}: not a recording as the README of kafka-logs has it ({error!r})") from error
    if failure is None:
        report.passed.append(case)
    else:
        report.failures.append((case, "2.8", failure))


BROKEN = (EngineError, LookupError, TypeError, ValueError, AttributeError, RuntimeError)
"""A case that leaves out what its operation needs, or that breaks a rule of the engine: it fails, others go on."""


def run_case(case: dict[str, Any], report: Report) -> None:
    """One case in every version that both it and the engine have."""
    module = TOPICS.get(case["topic"])
    if module is None:
        report.skipped.append((case["id"], f"the engine has no {case['topic']} yet"))
        return
    run: Callable[[dict[str, Any], str], Failure | None] = import_module(module).run
    versions = [version for version in VERSIONS if version in versions_of(case)]
    if not versions:
        report.skipped.append((case["id"], f"for {', '.join(sorted(versions_of(case)))} only"))
        return
    failed = False
    for version in versions:
        try:
            failure = run(case, version)
        except Skip as skip:
            report.skipped.append((case["id"], str(skip)))
            return
        except BROKEN as error:
            failure = Failure("the case itself", "an outcome", f"{type(error).__name__}: {error}")
        if failure is not None:
            failed = True
            report.failures.append((case["id"], version, failure))
    if not failed:
        report.passed.append(case["id"])


def versions_of(case: dict[str, Any]) -> set[str]:
    """All versions that a case names, wherever it names them."""
    found = set(case.get("versions", ()))
    expected = case.get("expected")
    if isinstance(expected, list):
        for entry in expected:
            if isinstance(entry, dict):
                found.update(entry.get("versions", ()))
    return found


def expected_for(case: dict[str, Any], version: str) -> dict[str, Any]:
    """The entry of ``expected`` that holds for a version."""
    for entry in case["expected"]:
        if version in entry["versions"]:
            found: dict[str, Any] = entry
            return found
    raise Skip(f"no expectation for {version}")

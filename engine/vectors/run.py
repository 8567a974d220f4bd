"""Runs files of cases and counts the results.

A topic's module has ``run(case, version) -> Failure | None`` and may raise Skip; a topic without a module is
skipped as a whole, with its reason. A case counts once: it fails if it fails in any version that the engine
has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from engine.vectors.beside import NOTHING, Beside
from engine.vectors.outcome import Failure, Skip
from engine.vectors.reading import PLAYED, unread, watched

SNAPSHOT = "4.0-snapshot"
"""Name of the development version of October 2024, before 4.0."""
GA = "4.0-ga"
"""Name of the released version 4.0."""
VERSIONS = ("2.0", "2.8", "3.9-like", SNAPSHOT, GA)
"""The versions in cases for which the engine has profiles."""
STEP_OUTCOMES = ("passed", "failed", "skipped")
UNPLAYED_NAMED_MAX = 20
SKIPPED_NAMED_MAX = 8
"""A report names at most this many skipped cases for one reason. Further ones are only counted; `--json` lists all."""
RECORDINGS = "engine.vectors.wire"
"""The module that plays recordings. It is imported when the first recording is played, because it needs a library
that vectors and runs do not need."""

TOPICS: dict[str, str] = {
    "sequence_math": "engine.vectors.sequence_math",
    "pid_blocks": "engine.vectors.pid_blocks",
    "producer_state": "engine.vectors.producer_state",
    "log_transactions": "engine.vectors.producer_state",
    "log_recovery": "engine.vectors.producer_state",
    "coordinator_matrix": "engine.vectors.coordinator",
    "coordinator_scenarios": "engine.vectors.coordinator",
    "marker_responses": "engine.vectors.marker_responses",
    "endtxn_tv2_ga": "engine.vectors.endtxn_ga",
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
    """The results of all cases, by case id.

    - ``failures``: (case id, version, Failure).
    - ``unread``: (case id, place of a field) for each field that :func:`engine.vectors.reading.unread` reports.
    - ``unplayed``: the errors in files, and the recorded logs that are missing, each as a sentence.
    - ``steps``: the number of steps of recordings by result. The steps after a failed one are skipped,
      because the states differ.
    - ``taken``: dict of field that a recording does not determine → how often its value was taken from a recording.
    - ``differences``: (recording, version, Failure, names of the profile's fields that cause it) for versions
      other than the recorded one.
    - ``others``: dict of version other than the recorded one → the number of steps by result.
    """

    passed: list[str] = field(default_factory=list)
    failures: list[tuple[str, str, Failure]] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    unplayed: list[str] = field(default_factory=list)
    steps: Counter[str] = field(default_factory=Counter)
    recordings: int = 0
    folders: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    taken: Counter[str] = field(default_factory=Counter)
    others: dict[str, Counter[str]] = field(default_factory=dict)
    differences: list[tuple[str, str, Failure, tuple[str, ...]]] = field(default_factory=list)

    def lines(self) -> Iterable[str]:
        for case, version, failure in self.failures:
            found = f"expected {failure.expected!r}, got {failure.got!r}"
            yield f"FAILED {case} ({version}) at {failure.step}: {found}"
        for case, place in self.unread:
            yield f"UNREAD {case}: {place} is nothing that the engine knows"
        for mistake in self.unplayed[:UNPLAYED_NAMED_MAX]:
            yield f"UNPLAYED {mistake}"
        if len(self.unplayed) > UNPLAYED_NAMED_MAX:
            yield f"UNPLAYED {len(self.unplayed) - UNPLAYED_NAMED_MAX} more files; --json names them"
        for reason, cases in self._skipped_by_reason().items():
            more = f" and {len(cases) - SKIPPED_NAMED_MAX} more" if len(cases) > SKIPPED_NAMED_MAX else ""
            yield f"SKIPPED {len(cases)}, {reason}: {', '.join(cases[:SKIPPED_NAMED_MAX])}{more}"
        yield from self._lines_of_recordings()
        counts = (f"{self.steps[outcome]} {outcome}" for outcome in STEP_OUTCOMES)
        yield f"steps: {', '.join(counts)}"
        failed = len({case for case, _, _ in self.failures})
        yield f"{len(self.passed)} passed, {failed} failed, {len(self.skipped)} skipped"

    def _lines_of_recordings(self) -> Iterable[str]:
        """Lines about recordings: the fields that they do not determine, the comparisons of folders, and the
        differences in other versions."""
        if self.folders:
            for name, reason in import_module(FOLDERS).open_fields():
                yield f"OPEN {name}, {reason}"
            compared = ", ".join(f"{count} {name}" for name, count in sorted(self.compared.items()))
            folders = "folder" if self.folders == 1 else "folders"
            yield f"compared of {self.folders} {folders}: {compared}"
        if not self.recordings:
            return
        for name, reason in import_module(RECORDINGS).open_fields():
            yield f"OPEN {name}, {reason}: taken {self.taken[name]} times"
        for case, version, failure, rows in self.differences:
            made_by = ", ".join(rows) or "no row alone"
            found = f"expected {failure.expected!r}, got {failure.got!r}"
            yield f"DIFFERENT {case} ({version}) at {failure.step}: {found}; made by {made_by}"
        for version, counts in self.others.items():
            yield f"also in {version}: {', '.join(f'{counts[outcome]} {outcome}' for outcome in STEP_OUTCOMES)}"

    def _skipped_by_reason(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for case, reason in self.skipped:
            found.setdefault(reason, []).append(case)
        return found

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
            "unread": [{"id": case, "place": place} for case, place in self.unread],
            "unplayed": self.unplayed,
            "steps": {outcome: self.steps[outcome] for outcome in STEP_OUTCOMES},
            "open": dict(self.taken),
            "different": [
                {
                    "id": case,
                    "version": version,
                    "step": found.step,
                    "expected": found.expected,
                    "got": found.got,
                    "rows": rows,
                }
                for case, version, found, rows in self.differences
            ],
        }


def run_files(documents: Iterable[tuple[str, Any]]) -> Report:
    """Run the cases of several files. ``documents``: (file name, parsed content). Raises ValueError for a
    file in another format."""
    report = Report()
    for name, document in documents:
        run_file(name, document, report)
    return report


def run_file(name: str, document: Any, report: Report, beside: Beside = NOTHING) -> None:
    """Play the cases, the recording or the phase of one file. ``beside``: the files in its folder."""
    content = document if isinstance(document, dict) else {}
    if is_recording(content):
        run_recording(name, content, report, beside)
        return
    if is_folder(content):
        run_folder(name, content, report, beside)
        return
    cases = content.get("vectors")
    if not isinstance(cases, list):
        raise ValueError(f"{name}: no list 'vectors'; see the README of the vectors for the format")
    for index, case in enumerate(cases):
        if not isinstance(case, dict) or not all(isinstance(case.get(part), str) for part in ("id", "topic")):
            found = sorted(case) if isinstance(case, dict) else case
            missing = Failure("the case itself", "an object with an id and a topic", found)
            report.failures.append((f"{name}: case {index}", "any", missing))
        else:
            run_case(case, report)


RECORDING_FIELDS = ("name", "transaction_version", "topic", "partitions", "steps")
API_VERSIONS_FIELDS = ("api_versions", "transaction_version", "request_hex", "response_hex")


def is_recording(document: dict[str, Any]) -> bool:
    """Whether the document is a recording of a real broker's responses (``kafka-logs/*/wire``), either to the
    requests of several steps or to ApiVersions."""
    return any(
        all(field in document for field in wanted) for wanted in (RECORDING_FIELDS, API_VERSIONS_FIELDS)
    )


def run_recording(name: str, document: dict[str, Any], report: Report, beside: Beside) -> None:
    """Play a recording. It counts as one case, in the recorded version; the results in other versions are
    reported as differences."""
    case = f"wire_tv{document['transaction_version']}/{document.get('name', 'api_versions')}"
    try:
        played = import_module(RECORDINGS).play_all(document, beside)
    except (KeyError, TypeError) as error:
        raise ValueError(f"{name}: not a recording as the README of kafka-logs has it ({error!r})") from error
    report.recordings += 1
    of_recorded, *others = played
    count_steps(report.steps, of_recorded)
    report.taken += of_recorded.taken
    report.unplayed += [
        f"{case}: no log of {partition} is beside it, so its bytes were not compared"
        for partition in of_recorded.missing
    ]
    if of_recorded.failure is None:
        report.passed.append(case)
    else:
        report.failures.append((case, of_recorded.version, of_recorded.failure))
    for other in others:
        count_steps(report.others.setdefault(other.version, Counter()), other)
        if other.failure is not None:
            report.differences.append((case, other.version, other.failure, other.rows))


FOLDERS = "engine.vectors.logs"
"""The module that plays folders. It is imported when the first folder is played, because it needs whole scenarios."""
FOLDER_FIELDS = ("scenario", "phase", "topics", "actions", "views")


def is_folder(document: dict[str, Any]) -> bool:
    """Whether the document has the recorded actions and views of clients at a real broker
    (``kafka-logs/*/phaseN.json``)."""
    return all(field in document for field in FOLDER_FIELDS)


def run_folder(name: str, document: dict[str, Any], report: Report, beside: Beside) -> None:
    """Play one phase of a folder as one case, in 4.1 at the folder's level."""
    player = import_module(FOLDERS)
    level = player.level_of(name)
    case = f"logs_tv{level}/{document['scenario']}/phase{document['phase']}"
    try:
        played = player.play(document, level, beside)
    except Skip as skip:
        report.skipped.append((case, str(skip)))
        return
    except (KeyError, TypeError) as error:
        raise ValueError(f"{name}: no folder as the README of kafka-logs has it ({error!r})") from error
    report.compared += played.counts
    report.folders += 1
    report.unplayed += [f"{case}: no log of {partition} is beside it" for partition in played.missing]
    if played.failure is None:
        report.passed.append(case)
    else:
        report.failures.append((case, f"4.1 at transaction.version {level}", played.failure))


def count_steps(counts: Counter[str], played: Any) -> None:
    """Add the steps of a recording to ``counts``: passed, failed, and those after a failed one as skipped."""
    counts["passed"] += played.passed
    counts["failed"] += played.at_step
    counts["skipped"] += played.steps - played.passed - played.at_step


def run_case(case: dict[str, Any], report: Report) -> None:
    """Run one case in every version that both the case and the engine have."""
    module = TOPICS.get(case["topic"])
    if module is None:
        report.skipped.append((case["id"], f"the engine has no {case['topic']} yet"))
        return
    run: Callable[[dict[str, Any], str], Failure | None] = import_module(module).run
    versions = versions_played(case)
    if not versions:
        report.skipped.append((case["id"], _left_out(case)))
        return
    failed = False
    played = {**case, **{part: watched(case[part]) for part in PLAYED if part in case}}
    for version in versions:
        try:
            failure = run(played, version)
        except Skip as skip:
            report.skipped.append((case["id"], str(skip)))
            return
        except Exception as error:  # An error in one case does not stop the others.
            failure = Failure("the case itself", "an outcome", f"{type(error).__name__}: {error}")
        if failure is not None:
            failed = True
            report.failures.append((case["id"], version, failure))
    report.unread += [(case["id"], place) for part in PLAYED for place in unread(played.get(part), part)]
    if not failed:
        report.passed.append(case["id"])


def versions_played(case: dict[str, Any]) -> list[str]:
    """The versions that the case names and in which the engine plays it."""
    named = versions_of(case)
    return [version for version in VERSIONS if version in named and not _is_advisory(case, version)]


def _is_advisory(case: dict[str, Any], version: str) -> bool:
    """Whether the version is the development snapshot and the case may differ in it. The case is then not played."""
    return version == SNAPSHOT and bool(case.get("advisory"))


def _left_out(case: dict[str, Any]) -> str:
    named = versions_of(case)
    if not named:
        return "it names no version"
    if any(_is_advisory(case, version) for version in named):
        return f"advisory: {SNAPSHOT} did so, which is no release"
    return f"for {', '.join(sorted(named))} only"


def versions_of(case: dict[str, Any]) -> set[str]:
    """All versions that the case or an entry of its ``expected`` names."""
    expected = case.get("expected")
    entries = [case, *(expected if isinstance(expected, list) else [])]
    named = [entry.get("versions") for entry in entries if isinstance(entry, dict)]
    return {
        version for listed in named if isinstance(listed, list) for version in listed if type(version) is str
    }


def expected_for(case: dict[str, Any], version: str) -> dict[str, Any]:
    """The entry of ``expected`` for a version. Raises Skip when there is none."""
    for entry in case["expected"]:
        if version in entry["versions"]:
            found: dict[str, Any] = entry
            return found
    raise Skip(f"no expectation for {version}")

"""Makes the context of a log case's page: problems come first, then the transactions of each partition as
bars."""

import re
from typing import Any

from engine.codec.damage import DamageKind
from engine.topic_partition import is_internal
from eosviz.pipeline.kafka_logs.case_sentences import group_sentences
from eosviz.pipeline.kafka_logs.text_partition import INVALID
from eosviz.reference.signatures import Signature, fitting, lesson_of
from eosviz.replays.log_answers import answered, summary

BARS_MAX = 200
"""Of each partition, at most this many transactions are drawn."""
WIDTH = 1000
_BAR_MIN = 4
ROWS_MAX = 6
"""Transactions that overlap are drawn in different rows, of which there are at most this many."""
ROW, GAP = 16, 4
"""The height of a row, and of the gap before and after it, in units of the picture."""
_RESULTS = ("open", "committed", "aborted", "ended")

_STATED = {"logs.evidence.readers_waited": "logs.sample.readers_waited"}
"""Dict of key of evidence that is a statement of the user → the key that replaces it if the statement belongs
to the sample."""
_LINE = "logs.line."

_DAMAGE = {kind.value: kind for kind in DamageKind}
_PART = re.compile(r"byte (?P<position>\d+): (?P<kind>.+?): expected (?P<expected>.*), found (?P<found>.*)")
_ENDS = "; the rest of the file cannot be read"

Json = dict[str, Any]


def log_case_page(analysis: Json, is_sample: bool = False) -> Json:
    """The context of the page's template. ``analysis``: `log_analysis.Row.analysis`. ``is_sample``: whether
    the statements about the files belong to the sample and are not the reader's."""
    if "too_much" in analysis:
        return {"too_much": True}
    problems = [_with_signatures(one) for one in analysis["verdicts"] if one["kind"] != "healthy"]
    if is_sample:
        problems = [one | {"evidence": [_by_sample(line) for line in one["evidence"]]} for one in problems]
    answers = answered(analysis, problems)
    problems = [one | {"answer": answer} for one, answer in zip(problems, answers, strict=True)]
    worst: dict[str, str] = {}
    for verdict in analysis["verdicts"]:
        worst.setdefault(verdict["partition"], verdict["kind"])
    by_partition: dict[str, list[Json]] = {}
    for one in analysis["transactions"]:
        by_partition.setdefault(one["partition"], []).append(one)
    rows = [
        partition
        | {
            "damage": [sentence for one in partition["damage"] for sentence in damage_sentences(one)],
            "verdict": worst.get(partition["name"]),
            "jumps": [one | {"last": one["found"] - 1} for one in partition.get("jumps", [])],
            **_drawn(partition, by_partition.get(partition["name"], [])),
        }
        for partition in analysis["partitions"]
    ]
    # Kafka's internal partitions come last. Among the internal ones and among the others, partitions with
    # problems come first.
    rows.sort(key=lambda row: (is_internal(row["name"]), row["verdict"] == "healthy"))
    return {
        "summary": summary(analysis, answers),
        "problems": problems,
        "healthy": not problems,
        "held": None if problems else analysis.get("held"),
        "partitions": rows,
        "copies": analysis["copies"],
        "left_out": analysis.get("left_out", 0),
        "notes": [note for one in analysis["verdicts"] for note in _notes(one)],
        "given": analysis.get("given", []),
        "groups": [sentence._asdict() for one in analysis["groups"] for sentence in group_sentences(one)],
        "log_lines": analysis.get("log_lines", []),
        "signatures": _further_signatures(problems, analysis),
        "text": _text(analysis["text"]),
        "coordinator": analysis["coordinator"],
        "cut": [
            {"name": name, "shown": len(analysis[name]), "count": count}
            for name, count in analysis["counts"].items()
            if count > len(analysis[name])
        ],
    }


def _by_sample(line: Json) -> Json:
    says = line["says"]
    return line | {"says": says | {"key": _STATED.get(says["key"], says["key"])}}


def _with_signatures(verdict: Json) -> Json:
    found = fitting(verdict.get("rests_on") or verdict["kind"], _line_kinds(verdict["evidence"]))
    return verdict | {"signatures": found, "lesson": lesson_of(found)}


def _line_kinds(evidence: list[Json]) -> set[str]:
    keys = (one["says"]["key"] for one in evidence)
    return {key.removeprefix(_LINE) for key in keys if key.startswith(_LINE)}


def _further_signatures(problems: list[Json], analysis: Json) -> list[Signature]:
    """The signatures that fit the log lines, or a healthy log, and are not shown with a problem."""
    shown = {signature.name for problem in problems for signature in problem["signatures"]}
    kinds = _line_kinds(analysis.get("log_lines", []))
    return [one for one in fitting(None if problems else "healthy", kinds) if one.name not in shown]


def _text(text: Json | None) -> Json | None:
    """The document's `text`, with its examples as objects; None if the case has no text. Earlier releases
    stored the examples as strings."""
    if text is None:
        return None
    examples = [one if isinstance(one, dict) else dict(zip(("place", "line"), one.split(": ", 1), strict=True))
            for one in text["examples"]]  # fmt: skip
    return text | {"examples": examples}


def damage_sentences(damage: str) -> list[Json]:
    """The sentences that describe one damaged place. `damage`: the line in which the command prints it."""
    file, _, rest = damage.partition(": ")
    if rest == INVALID:
        return [{"key": "logs.damage.invalid", "params": {"file": file}}]
    parts = [_PART.fullmatch(part.removesuffix(_ENDS)) for part in re.split(r"; (?=byte \d)", rest)]
    if not all(part is not None and part["kind"] in _DAMAGE for part in parts):
        return [{"text": damage}]
    return [
        {
            "key": _DAMAGE[part["kind"]].sentence_key,
            "params": {"file": file, "position": int(part["position"]), "expected": part["expected"],
                       "found": part["found"]},
        }
        for part in parts if part is not None
    ]  # fmt: skip


def _notes(verdict: Json) -> list[Json]:
    return [
        {
            "key": "replays.case.note",
            "params": {
                "partition": verdict["partition"],
                "note": {"key": f"logs.note.{note['kind']}", "params": note},
            },
        }
        for note in verdict["notes"]
    ]


def _drawn(partition: Json, transactions: list[Json]) -> Json:
    """The transactions of a partition as bars. The picture has the width WIDTH, from the log's start to its
    high watermark. A transaction that begins within another one has its bar in another row."""
    counts = {result: sum(one["result"] == result for one in transactions) for result in _RESULTS}
    start, end = partition["log_start"], partition["high_watermark"]
    if end <= start:
        return {"counts": counts, "bars": [], "undrawn": 0}
    scale = WIDTH / (end - start)
    shown = sorted(transactions, key=lambda one: one["first_offset"])[:BARS_MAX]
    bars = []
    ends: list[float] = []
    """For each row, where its newest bar ends."""
    for one in shown:
        last = one["marker_offset"] if one["marker_offset"] is not None else end - 1
        left = max(0.0, (one["first_offset"] - start) * scale)
        width = max(_BAR_MIN, (last + 1 - start) * scale - left)
        free = next((row for row, end_x in enumerate(ends) if end_x <= left), min(len(ends), ROWS_MAX - 1))
        ends[free : free + 1] = [left + width]
        bars.append(one | {"x": round(left, 1), "width": round(width, 1), "y": GAP + free * (ROW + GAP)})
    return {
        "counts": counts,
        "bars": bars,
        "height": GAP + len(ends) * (ROW + GAP),
        "undrawn": len(transactions) - len(bars),
        "stable_x": round((partition["last_stable_offset"] - start) * scale, 1),
    }

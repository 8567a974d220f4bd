"""A step of a log case, in the shape of docs/frame.md: it has no messages, no decisions and no verdicts."""

from typing import Any

Json = dict[str, Any]


def log_step(
    number: int,
    at: int,
    actor: str,
    said: Json,
    notes: list[Json],
    changes: list[Json],
    *,
    interesting: bool,
) -> Json:
    """A step with the sentence `said` (of `log_sentences`)."""
    return {
        "number": number,
        "at": at,
        "actor": actor,
        "kind": "log",
        "key": said["key"],
        "params": said["params"],
        "rules": said["rules"],
        "notes": notes,
        "decision": None,
        "refusal": None,
        "messages": [],
        "transition": None,
        "interesting": interesting,
        "broken": [],
        "changes": changes,
    }

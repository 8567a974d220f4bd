"""Makes the titles of beats in runs of the message middleware (``titles.py``). They say, for example, which
participants a decision reached, and whose message is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.middleware.messages import BY_API, PrepareFail, PrepareOk
from engine.view.beat_step import BeatStep, said_in
from engine.view.openers import DROPPED

NAMED_MOST = 2
"""A title names at most this many participants; if there are more, it only counts them."""
NAMES = frozenset(
    {
        "all_committed_closes", "finished_forward_closes", "rolled_back_everywhere", "vote_missing",
        "many_votes_missing", "no_votes", "vote_dropped", "votes_dropped", "answer_dropped", "request_dropped",
        "vote_delayed", "answer_delayed", "request_delayed", "request_twice", "answer_twice", "local_committed",
        "opened_prepares", "answer_ignored", "answers_ignored", "tid_unknown",
        "compensation_tries", "restarts_reserved", "commit_refused", "prepare_refused", "rollback_refused",
    }
)  # fmt: skip
"""The titles that belong to no opener."""
_VOTES = frozenset({PrepareOk.api, PrepareFail.api})
_WITHOUT_VOTES = ("middleware.no_votes", "middleware.votes_missing")
_ENDS_OF_LOCAL = ("business.local_committed", "business.local_committed_untraceably")
_REFUSALS = {
    "UNKNOWN_TID": "tid_unknown",
    "PrepareFail": "prepare_refused",
    "CommitFail": "commit_refused",
    "RollbackFail": "rollback_refused",
}

Params = dict[str, Any]
Title = tuple[str, Params]
Tell = Callable[[Params, Sequence[BeatStep], Sequence[str]], Title | None]


def dropped(steps: Sequence[BeatStep]) -> Title | None:
    """The title for messages of the middleware that were dropped; None for other messages."""
    lost = [said for said in said_in(steps, *DROPPED) if said["api"] in BY_API]
    votes = list(dict.fromkeys(said["source"] for said in lost if said["api"] in _VOTES))
    if len(votes) > 1:
        return "votes_dropped", {"count": len(votes)}
    return _of_message("dropped", lost[0]) if lost else None


def votes_dropped(steps: Sequence[BeatStep]) -> list[BeatStep]:
    """The steps that drop a vote."""
    return [step for step in steps if any(said["api"] in _VOTES for said in said_in([step], *DROPPED))]


def _of_message(what: str, said: Mapping[str, Any]) -> Title | None:
    if said["api"] not in BY_API:
        return None
    if said["api"] in _VOTES and what != "twice":
        return f"vote_{what}", {"participant": said["source"]}
    if said["kind"] == "response":
        return f"answer_{what}", {"api": said["api"], "source": said["source"]}
    return f"request_{what}", {"api": said["api"], "destination": said["destination"]}


def _tampered(what: str, key: str) -> Tell:
    def tell(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
        said = next(said_in(steps, key), None)
        return None if said is None else _of_message(what, said)

    return tell


def _votes_missing(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    step = next((step for step in steps if not step.said.isdisjoint(_WITHOUT_VOTES)), None)
    if step is None:
        return None
    said = next(said_in([step], *_WITHOUT_VOTES))
    if "middleware.no_votes" in step.said:
        return "no_votes", {"ms": said["prepare_timeout_ms"]}
    silent, ms = list(said["silent"]), said["prepare_timeout_ms"]
    if len(silent) == 1:
        return "vote_missing", {"participant": silent[0], "ms": ms}
    if len(silent) > NAMED_MOST:
        return "many_votes_missing", {"count": len(silent), "ms": ms}
    return "votes_missing", {"silent": silent}


def _rolled_back(params: Params, _: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    if len(params["rolled_back"]) < params["participants"]:
        return "all_rolled_back", {"rolled_back": list(params["rolled_back"])}
    return "rolled_back_everywhere", {"participants": params["participants"]}


def _local_part(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
    committed = any(True for _ in said_in(steps, *_ENDS_OF_LOCAL))
    return ("local_committed", params) if committed else None


def _opened(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    """The title of a new transaction whose Prepare the business system sends within the beat; None for any other."""
    said = next(said_in(steps, "business.asks_to_prepare"), None)
    return None if said is None else ("opened_prepares", {"business": said["business"]})


def _ignored(_: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    said = list(said_in(steps, "middleware.answer_not_expected"))
    if len(said) > 1:
        return "answers_ignored", {"count": len(said)}
    return ("answer_ignored", {"answer": said[0]["answer"], "sender": said[0]["sender"]}) if said else None


def _refused(params: Params, _: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    name = _REFUSALS.get(params["error"])
    return None if name is None else (name, {"actor": params["actor"]})


def _window_closes(params: Params, steps: Sequence[BeatStep], __: Sequence[str]) -> Title | None:
    all_committed = next(said_in(steps, "middleware.all_committed"), None)
    if all_committed is not None:
        return "all_committed_closes", {**params, "participants": all_committed["participants"]}
    late = next(said_in(steps, "middleware.finished_forward"), None)
    return ("finished_forward_closes", {**params, "sender": late["sender"]}) if late is not None else None


def _compensation(params: Params, steps: Sequence[BeatStep], _: Sequence[str]) -> Title | None:
    count = sum(1 for _ in said_in(steps, "middleware.compensation_acts"))
    return ("compensation_tries", {**params, "count": count}) if count > 1 else None


def restarted(params: Params, steps: Sequence[BeatStep]) -> Title | None:
    """The title of a participant's restart with a reservation; None for any other restart."""
    kept = [said["participant"] for said in said_in(steps, "participant.keeps_reservation")]
    return ("restarts_reserved", params) if params["actor"] in kept else None


TELLS: dict[str, Tell] = {
    "message_delayed": _tampered("delayed", "fault.message_delayed"),
    "message_twice": _tampered("twice", "fault.message_duplicated"),
    "votes_missing": _votes_missing,
    "all_rolled_back": _rolled_back,
    "opened": _opened,
    "local_part": _local_part,
    "ignored": _ignored,
    "refused": _refused,
    "window_closes": _window_closes,
    "compensation": _compensation,
}
"""Dict of name of an opener → the function that makes its title."""

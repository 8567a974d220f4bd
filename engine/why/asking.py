"""The questions, one table: how each is answered, and how it is put in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from engine.why.links import Json, Link, NotAsked, Question, bounded
from engine.why.messages import why_message
from engine.why.moment import Moment
from engine.why.outcomes import why_unended
from engine.why.readers import why_lag, why_unseen
from engine.why.refusals import refusing_step, why_refused
from engine.why.stable_offset import why_stable_offset
from engine.why.states import why_state
from engine.why.waiting import RUN, why_nothing, why_unsent

if TYPE_CHECKING:
    from engine.simulation import Simulation

LSO, LAG, UNSEEN, REFUSED = "lso", "lag", "unseen", "refused"
NOTHING, UNSENT, STATE, UNENDED, MESSAGE = "nothing", "unsent", "state", "unended", "message"


def _unseen(moment: Moment, subject: str) -> Iterator[Link]:
    consumer, partition, offset = _split(subject, 3, "consumer/partition/offset")
    if not offset.isdecimal():
        raise NotAsked("subject", f"{offset!r} is no offset", "consumer/partition/offset")
    return why_unseen(moment, consumer, partition, int(offset))


def _lag(moment: Moment, subject: str) -> Iterator[Link]:
    consumer, partition = _split(subject, 2, "consumer/partition")
    return why_lag(moment, consumer, partition)


def _unsent(moment: Moment, subject: str) -> Iterator[Link]:
    client, batch = _split(subject, 2, "client/batch")
    return why_unsent(moment, client, batch)


def _split(subject: str, parts: int, shape: str) -> list[str]:
    found = subject.split("/")
    if len(found) != parts:
        raise NotAsked("subject", f"{subject!r} has not the form of this question's subjects", shape)
    return found


_ANSWERS: dict[str, Callable[[Moment, str], Iterator[Link]]] = {
    LSO: why_stable_offset,
    LAG: _lag,
    UNSEEN: _unseen,
    REFUSED: why_refused,
    NOTHING: why_nothing,
    UNSENT: _unsent,
    STATE: why_state,
    UNENDED: why_unended,
    MESSAGE: why_message,
}
QUESTIONS = tuple(_ANSWERS)


def why(run: Simulation | Moment | Json, question: str, subject: str) -> tuple[Link, ...]:
    """The answer as a chain of links, from the thing asked about to what could change it.

    ``run``: a recorded simulation where it stands, or the view of one (docs/frame.md), which knows less. Looks,
    and changes nothing. Raises :class:`engine.why.NotAsked` (a ValueError) when there is no such question or subject.
    """
    answer = _ANSWERS.get(question)
    if answer is None:
        raise NotAsked("question", f"{question!r} is none", f"known: {', '.join(QUESTIONS)}")
    return bounded(list(answer(moment_of(run), subject)))


def moment_of(run: Simulation | Moment | Json) -> Moment:
    if isinstance(run, Moment):
        return run
    return Moment(run) if isinstance(run, dict) else Moment.of(run)


# -- in words -------------------------------------------------------------------------------------------------


def question_of(run: Simulation | Moment | Json, question: str, subject: str) -> Question:
    """A question in words. Raises NotAsked for a subject that has not the form of its question."""
    words = _WORDS.get(question)
    if words is None:
        raise NotAsked("question", f"{question!r} is none", f"known: {', '.join(QUESTIONS)}")
    key, params = words(moment_of(run), subject)
    return Question(question=question, subject=subject, key=f"why.ask.{key}", params=params)


def _words_stable_offset(moment: Moment, partition: str) -> tuple[str, Json]:
    replica = moment.leading(partition)
    offset = None if replica is None else replica["last_stable_offset"]
    return LSO, {"partition": partition, "offset": offset}


def _words_lag(_moment: Moment, subject: str) -> tuple[str, Json]:
    consumer, partition = _split(subject, 2, "consumer/partition")
    return LAG, {"consumer": consumer, "partition": partition}


def _words_unseen(_moment: Moment, subject: str) -> tuple[str, Json]:
    consumer, partition, offset = _split(subject, 3, "consumer/partition/offset")
    return UNSEEN, {"consumer": consumer, "partition": partition, "offset": offset}


def _words_refused(moment: Moment, subject: str) -> tuple[str, Json]:
    step = refusing_step(moment, subject) or {"number": 0, "actor": subject, "refusal": {"error": "–"}}
    params = {"actor": step["actor"], "error": step["refusal"]["error"], "number": step["number"]}
    return ("refused" if subject == "" else "refused_earlier"), params


def _words_nothing(_moment: Moment, actor: str) -> tuple[str, Json]:
    return ("run", {}) if actor == RUN else (NOTHING, {"actor": actor})


def _words_unsent(_moment: Moment, subject: str) -> tuple[str, Json]:
    client, batch = _split(subject, 2, "client/batch")
    return UNSENT, {"client": client, "batch": batch}


def _words_state(_moment: Moment, name: str) -> tuple[str, Json]:
    return STATE, {"of": name}


def _words_unended(moment: Moment, transactional_id: str) -> tuple[str, Json]:
    found = moment.entry_of(transactional_id)
    state = "–" if found is None else found[1]["state"]
    return UNENDED, {"transactional_id": transactional_id, "state": state}


def _words_message(moment: Moment, message: str) -> tuple[str, Json]:
    shown = (moment.part("network").get("messages") or {}).get(message) or {}
    params = {"api": shown.get("api", message), "source": shown.get("from"), "destination": shown.get("to")}
    return MESSAGE, params


_WORDS: dict[str, Callable[[Moment, str], tuple[str, Json]]] = {
    LSO: _words_stable_offset,
    LAG: _words_lag,
    UNSEEN: _words_unseen,
    REFUSED: _words_refused,
    NOTHING: _words_nothing,
    UNSENT: _words_unsent,
    STATE: _words_state,
    UNENDED: _words_unended,
    MESSAGE: _words_message,
}
"""Question to the end of its key and the parameters of its words."""

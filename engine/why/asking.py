"""The table of questions: for each question, the function that answers it, and its wording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from engine.record_names import record_names
from engine.why.answering import answered
from engine.why.database import why_apart
from engine.why.fencing import why_fenced, why_ousted
from engine.why.focus import (
    AGAIN,
    APART,
    CAME,
    EARLY,
    FAULT,
    FENCED,
    GONE,
    HANGING,
    HERE,
    LAG,
    LOST,
    LSO,
    MESSAGE,
    MIXED,
    NOTHING,
    OUSTED,
    REFUSED,
    REORDERED,
    STATE,
    STORED,
    TIMED_OUT,
    TORN,
    TWICE,
    UNANSWERED,
    UNENDED,
    UNFENCED,
    UNSEEN,
    UNSENT,
)
from engine.why.guarantees import was_found, why_early, why_hanging, why_mixed, why_torn, why_unfenced
from engine.why.happened import (
    lost_messages,
    newest_of,
    why_again,
    why_came,
    why_fault,
    why_gone,
    why_here,
    why_stored,
)
from engine.why.its_fault import with_its_fault
from engine.why.links import Json, Link, NotAsked, Question, bounded, kind_of
from engine.why.messages import why_message
from engine.why.moment import Moment
from engine.why.outcomes import why_unended
from engine.why.readers import why_lag, why_unseen
from engine.why.records import why_lost, why_reordered, why_twice
from engine.why.refusals import refusing_step, why_refused
from engine.why.stable_offset import why_stable_offset
from engine.why.states import whose, why_state
from engine.why.timeouts import timed_out, why_timed_out
from engine.why.unanswered import why_unanswered
from engine.why.waiting import RUN, why_nothing, why_unsent

if TYPE_CHECKING:
    from engine.simulation import Simulation


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
    LOST: why_lost,
    TWICE: why_twice,
    REORDERED: why_reordered,
    EARLY: why_early,
    TORN: why_torn,
    UNFENCED: why_unfenced,
    HANGING: why_hanging,
    MIXED: why_mixed,
    APART: why_apart,
    GONE: why_gone,
    STORED: why_stored,
    AGAIN: why_again,
    FAULT: why_fault,
    FENCED: why_fenced,
    OUSTED: why_ousted,
    TIMED_OUT: why_timed_out,
    UNANSWERED: why_unanswered,
    HERE: why_here,
    CAME: why_came,
}
QUESTIONS = tuple(_ANSWERS)


def why(run: Simulation | Moment | Json, question: str, subject: str) -> tuple[Link, ...]:
    """The answer to a question as a chain of links. ``run``: a recorded simulation at its present step, or only its
    view (docs/frame.md); it is not changed. ``subject``: the object of the question, as text. Raises NotAsked (a
    ValueError) if there is no such question or subject."""
    answer = _ANSWERS.get(question)
    if answer is None:
        raise NotAsked("question", f"{question!r} is none", f"known: {', '.join(QUESTIONS)}")
    moment = moment_of(run)
    chain = with_its_fault(moment, question, subject, list(answer(moment, subject)), answer)
    return answered(question, bounded(chain))


def moment_of(run: Simulation | Moment | Json) -> Moment:
    if isinstance(run, Moment):
        return run
    return Moment(run) if isinstance(run, dict) else Moment.of(run)


# -- the wording of the questions -----------------------------------------------------------------------------


def question_of(run: Simulation | Moment | Json, question: str, subject: str) -> Question:
    """The wording of a question. Raises NotAsked for a question or subject that cannot be asked."""
    words = _WORDS.get(question)
    if words is None:
        raise NotAsked("question", f"{question!r} is none", f"known: {', '.join(QUESTIONS)}")
    key, params = words(moment_of(run), subject)
    return Question(question=question, subject=subject, key=f"why.ask.{key}", params=params)


def _words_stable_offset(moment: Moment, partition: str) -> tuple[str, Json]:
    replica = moment.leading(partition)
    if replica is None:
        return "lso_none", {"partition": partition}
    return LSO, {"partition": partition, "offset": replica["last_stable_offset"]}


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


def _words_unsent(moment: Moment, subject: str) -> tuple[str, Json]:
    client, name = _split(subject, 2, "client/batch")
    batch = (moment.part("clients").get(client) or {"batches": {}})["batches"].get(name)
    records = [name] if batch is None else record_names(batch["serials"])
    return UNSENT, {"client": client, "records": records}


def _words_state(_moment: Moment, name: str) -> tuple[str, Json]:
    return STATE, {"of": whose(name, "of_node")}


def _words_unended(moment: Moment, transactional_id: str) -> tuple[str, Json]:
    found = moment.entry_of(transactional_id)
    if found is None:
        return "unended_unknown", {"transactional_id": transactional_id}
    return UNENDED, {"transactional_id": transactional_id, "state": found[1]["state"]}


def _words_message(moment: Moment, message: str) -> tuple[str, Json]:
    shown = (moment.part("network").get("messages") or {}).get(message)
    return MESSAGE, _words_of_message(shown or {**_NO_MESSAGE, "api": message})


_NO_MESSAGE: Json = {"api": "–", "is_response": False, "from": "–", "to": "–"}


def _words_of_message(shown: Json) -> Json:
    return {"api": shown["api"], "kind": kind_of(shown), "source": shown["from"], "destination": shown["to"]}


def _words_record(key: str) -> Callable[[Moment, str], tuple[str, Json]]:
    def words(moment: Moment, serial: str) -> tuple[str, Json]:
        partition = (moment.part("records").get(serial) or {}).get("partition", "–")
        return key, {"serial": serial, "partition": partition}

    return words


def _words_of(key: str, name: str) -> Callable[[Moment, str], tuple[str, Json]]:
    return lambda _moment, subject: (key, {name: subject})


def _words_mixed(moment: Moment, tid: str) -> tuple[str, Json]:
    differs = tid.isdecimal() and was_found(moment, int(tid), "mixed")
    return (MIXED if differs else "repeated"), {"tid": tid}


def _words_timed_out(moment: Moment, transactional_id: str) -> tuple[str, Json]:
    said = timed_out(moment, transactional_id)
    now = said is not None and moment.step is not None and moment.step["number"] == said.number
    return (TIMED_OUT if now else "timed_out_earlier"), {"transactional_id": transactional_id}


def _words_gone(moment: Moment, _subject: str) -> tuple[str, Json]:
    lost = lost_messages(newest_of(moment))
    key = "gone_several" if len(lost) > 1 else GONE
    return key, {**_words_of_message(lost[0] if lost else _NO_MESSAGE), "count": len(lost)}


def _words_unanswered(moment: Moment, sender: str) -> tuple[str, Json]:
    return UNANSWERED, {"sender": sender, "broker": newest_of(moment)["params"].get("broker", "–")}


def _words_step(key: str) -> Callable[[Moment, str], tuple[str, Json]]:
    def words(moment: Moment, _subject: str) -> tuple[str, Json]:
        step = newest_of(moment)
        partition = (step["decision"] or {}).get("subject", step["params"].get("partition", "–"))
        return key, {"actor": step["actor"], "partition": partition}

    return words


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
    LOST: _words_record(LOST),
    TWICE: _words_record(TWICE),
    REORDERED: _words_record(REORDERED),
    EARLY: _words_record(EARLY),
    TORN: _words_record(TORN),
    UNFENCED: _words_record(UNFENCED),
    HANGING: _words_of(HANGING, "partition"),
    MIXED: _words_mixed,
    APART: _words_of(APART, "serial"),
    GONE: _words_gone,
    STORED: _words_step(STORED),
    AGAIN: _words_step(AGAIN),
    FAULT: _words_of(FAULT, "actor"),
    FENCED: _words_of(FENCED, "transactional_id"),
    OUSTED: _words_of(OUSTED, "client"),
    TIMED_OUT: _words_timed_out,
    UNANSWERED: _words_unanswered,
    HERE: _words_step(HERE),
    CAME: _words_of(CAME, "number"),
}
"""Dict of question → function that returns the last part of the key of its wording, and the parameters."""

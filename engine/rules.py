"""Refusals as rules: the ordered checks of a request at its receiver, each with its error.

The first rule whose guard holds decides: the request, or the batch or partition that it is about, is refused with
the rule's error and changes nothing. From the same rule ``telling/requests.py`` makes the explanation of the
refusal: the sentence with its facts, the compared numbers, and what the client does next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.errors import Error
from engine.happenings.codes import Compared, Next, Reason
from engine.profile import holds

Context = TypeVar("Context")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Generic[Context]):
    """One check of a request, and the refusal if it fails.

    - ``when``: the guard, which reads the request and the receiver.
    - ``then``: the sender's next action. ``then_unanswered``: the next action of a sender that gets no
      response (acks=0). ``then_internal``: the next action of a coordinator whose own marker or record is
      refused; None: markers and records of coordinators are not checked by this rule.
    - ``says``: the names of the facts that the sentence contains.
    - ``compares``: (label, name of a fact) for each compared number.
    - ``only_if`` and ``unless``: a field of the profile.
    - ``by_log``: the log refuses, so the response has the log start offset, as in Kafka.
    """

    when: Callable[[Context], bool]
    answer: Error
    spec: str
    why: Reason
    then: Next
    says: tuple[str, ...]
    compares: tuple[tuple[Compared, str], ...]
    only_if: str | None = None
    unless: str | None = None
    then_unanswered: Next | None = None
    then_internal: Next | None = None
    by_log: bool = False


def refusal(rules: Iterable[Rule[Context]], context: Context) -> Rule[Context] | None:
    """The first rule that refuses the request; None if no rule does."""
    for rule in rules:
        if rule.when(context):
            return rule
    return None


def rules_of(rules: Iterable[Rule[Context]], profile: object) -> tuple[Rule[Context], ...]:
    """Those of ``rules`` that the version with this profile has, in their order."""
    return tuple(rule for rule in rules if holds(profile, rule.only_if, rule.unless))

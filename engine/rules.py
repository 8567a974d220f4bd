"""Refusals as rules: a receiver's checks of a request, in order, and its error.

One kind of rule for every receiver. The first rule whose guard holds decides; the request is answered with its error,
and nothing else is done. ``telling/requests.py`` makes a refusal's explanation from the rule too: the
sentence with the facts that it names, the numbers that were compared, what the client does next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.errors import Error
from engine.happenings.codes import Compared, Next, Reason

Context = TypeVar("Context")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Generic[Context]):
    """One refusal. ``when``: the guard; it looks at the request and at the receiver.

    ``says``: the facts that the sentence names; ``compares``: label and fact of each number that was compared.
    ``only_if`` and ``unless`` name a field of the profile. ``by_log``: it is the log that refuses, so the answer says
    where the log starts, as Kafka's does.
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
    by_log: bool = False


def refusal(rules: Iterable[Rule[Context]], context: Context) -> Rule[Context] | None:
    """The rule that refuses; None: the request may go on."""
    for rule in rules:
        if rule.when(context):
            return rule
    return None


def rules_of(rules: Iterable[Rule[Context]], profile: object) -> tuple[Rule[Context], ...]:
    """The rules that a profile has."""
    return tuple(
        rule
        for rule in rules
        if (rule.only_if is None or getattr(profile, rule.only_if))
        and (rule.unless is None or not getattr(profile, rule.unless))
    )

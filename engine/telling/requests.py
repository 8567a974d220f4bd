"""How refusals by rules are told."""

from __future__ import annotations

from engine.happenings import requests as happened
from engine.happenings.base import Happening
from engine.happenings.codes import Next, Reason
from engine.telling.telling import Tell, Teller

_OF_GROUPS = frozenset({Reason.INSTANCE_REPLACED, Reason.MEMBER_UNKNOWN, Reason.GENERATION_DIFFERS})


def reason_key(reason: Reason) -> str:
    """The sentence of a reason."""
    return f"{'group' if reason in _OF_GROUPS else 'broker'}.{reason.value}"


def next_key(then: Next) -> str:
    """The sentence for what the asker does next."""
    return f"refusal.{then.value}"


def _request_refused(h: happened.RequestRefused, teller: Teller) -> None:
    rule, facts = h.rule, h.facts
    teller.say(reason_key(rule.why), (rule.spec,), **{name: facts[name] for name in rule.says})
    compared = [[label, facts[name]] for label, name in rule.compares]
    teller.refuse(rule.spec, rule.answer.name, compared, next_key(rule.then))


TELLINGS: dict[type[Happening], Tell] = {happened.RequestRefused: _request_refused}

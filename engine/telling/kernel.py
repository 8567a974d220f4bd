"""Sentences of the network and of faults."""

from __future__ import annotations

from engine.happenings import kernel as happened
from engine.happenings.base import Happening
from engine.telling.telling import Tell, Teller, notes, says


def _fault_struck(h: happened.FaultStruck, teller: Teller) -> None:
    teller.say(f"fault.{h.what.value}", ("GEN-6",), **h.facts)


def _crafted_request_answered(h: happened.CraftedRequestAnswered, teller: Teller) -> None:
    key = "fault.crafted_message_answered" if h.error is None else "fault.crafted_request_answered"
    teller.say(key, ("GEN-6",), api=h.api, broker=h.broker, error=h.error)


TELLINGS: dict[type[Happening], Tell] = {
    happened.MessageDelivered: says("network.delivered", "GEN-4"),
    happened.MessageLost: says("network.lost", "GEN-6"),
    happened.FaultStruck: _fault_struck,
    happened.ErrorInjected: says("fault.error_injected", "GEN-6"),
    happened.AnswerReplaced: notes("fault.answer_replaced", "GEN-6"),
    happened.WakesAsZombie: notes("fault.wakes_as_zombie", "FEN-1", "FEN-6"),
    happened.RegistersAnew: says("broker.registers_anew", "FEN-6", "LOG-10"),
    happened.CraftedAnswer: says("fault.crafted_answer", "GEN-6"),
    happened.CraftedRequestAnswered: _crafted_request_answered,
}

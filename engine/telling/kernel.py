"""Sentences for the network and for faults."""

from __future__ import annotations

from engine.happenings import kernel as happened
from engine.happenings.base import Happening
from engine.telling.telling import Tell, Teller, notes, says

_LOST_ANSWERS = (happened.Fault.ANSWER_DROPPED, happened.Fault.ANSWER_DROPPED_ALONE)


def _fault_struck(h: happened.FaultStruck, teller: Teller) -> None:
    rules = ("GEN-6", "GEN-11") if h.what in _LOST_ANSWERS else ("GEN-6",)
    teller.say(f"fault.{h.what.value}", rules, **h.facts)


def _others_lost(h: happened.OthersLost, teller: Teller) -> None:
    key = "network.responses_lost" if h.is_response else "network.requests_lost"
    teller.note(key, ("GEN-5",), receiver=h.receiver, count=h.count)


def _crafted_request_answered(h: happened.CraftedRequestAnswered, teller: Teller) -> None:
    key = "fault.crafted_message_answered" if h.error is None else "fault.crafted_request_answered"
    teller.say(key, ("GEN-6",), api=h.api, broker=h.broker, error=h.error)


TELLINGS: dict[type[Happening], Tell] = {
    happened.MessageDelivered: says("network.delivered", "GEN-4"),
    happened.MessageLost: says("network.lost", "GEN-6"),
    happened.RequestWaitsInConnection: says("network.request_waits", "GEN-11"),
    happened.AnswerGoesNowhere: notes("network.answer_goes_nowhere", "GEN-11"),
    happened.RequestsLeftAtBroker: notes("network.requests_left", "GEN-11"),
    happened.OthersLost: _others_lost,
    happened.FaultStruck: _fault_struck,
    happened.ErrorInjected: says("fault.error_injected", "GEN-6"),
    happened.AnswerReplaced: notes("fault.answer_replaced", "GEN-6"),
    happened.WakesAsZombie: notes("fault.wakes_as_zombie", "FEN-1", "FEN-6"),
    happened.RegistersAnew: says("broker.registers_anew", "FEN-6", "LOG-10"),
    happened.CraftedAnswer: says("fault.crafted_answer", "GEN-6"),
    happened.CraftedRequestAnswered: _crafted_request_answered,
}

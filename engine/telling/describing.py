"""Sentences for a broker that describes its producers and transactions (KIP-664)."""

from __future__ import annotations

from engine.happenings import describing as happened
from engine.happenings.base import Happening
from engine.telling.telling import Tell, Teller, params_of, says


def _transaction_described(h: happened.TransactionDescribed, teller: Teller) -> None:
    key = "broker.transaction_described" if h.partitions else "broker.transaction_described_over"
    teller.say(key, ("TXC-2",), **params_of(h))


def _transactions_listed(h: happened.TransactionsListed, teller: Teller) -> None:
    key = "broker.transactions_listed" if h.transactional_ids else "broker.no_transaction_listed"
    teller.say(key if h.of else "broker.coordinates_nothing", ("TXC-2",), **params_of(h))


TELLINGS: dict[type[Happening], Tell] = {
    happened.ProducersDescribed: says("broker.producers_described", "LOG-10"),
    happened.TransactionDescribed: _transaction_described,
    happened.TransactionsListed: _transactions_listed,
}

"""Sentences for ``kafka-transactions.sh`` (KIP-664)."""

from __future__ import annotations

from engine.happenings import tool as happened
from engine.happenings.base import Happening
from engine.happenings.codes import Next
from engine.telling.requests import next_key
from engine.telling.telling import Tell, Teller, notes, params_of, says


def _leads(key: str, *rules: str) -> Tell:
    """Make a row whose sentence becomes the step's own (``Teller.lead``)."""

    def tell(happened: Happening, teller: Teller) -> None:
        teller.lead(key, rules, **params_of(happened))

    return tell


def _api_missing(h: happened.ApiMissing, teller: Teller) -> None:
    teller.lead("tool.api_missing", ("GEN-6",), **params_of(h))
    teller.refuse("GEN-6", h.error.name, [["receiver", h.broker]], next_key(Next.TOOL_ENDS))


def _asks_again(h: happened.AsksAgain, teller: Teller) -> None:
    again = "tool.looks_up_again" if h.looks_up else "tool.asks_again"
    teller.say("tool.asks_no_more" if h.at is None else again, ("GEN-6",), **params_of(h))


def _connection_lost(h: happened.ConnectionLost, teller: Teller) -> None:
    key = "tool.connects_no_more" if h.at is None else "tool.connection_lost"
    teller.say(key, ("GEN-6",), **params_of(h))


def _partitions_to_search(h: happened.PartitionsToSearch, teller: Teller) -> None:
    key = "tool.partitions_to_search" if h.partitions else "tool.no_partition_to_search"
    teller.say(key, ("GEN-6",), **params_of(h))


def _candidates_chosen(h: happened.CandidatesChosen, teller: Teller) -> None:
    teller.note("tool.candidates_chosen" if h.still_open else "tool.none_open", (), **params_of(h))


def _description_shown(h: happened.DescriptionShown, teller: Teller) -> None:
    key = "tool.description_shown" if h.partitions else "tool.description_shown_over"
    teller.say(key, ("TXC-2",), **params_of(h))


def _hanging_found(h: happened.HangingFound, teller: Teller) -> None:
    teller.note(f"tool.hanging_{h.why.value}", ("LOG-8",), **params_of(h))


def _search_ends(h: happened.SearchEnds, teller: Teller) -> None:
    teller.lead("tool.search_ends" if h.hanging else "tool.nothing_hangs", ("LOG-8",), **params_of(h))


TELLINGS: dict[type[Happening], Tell] = {
    happened.CommandBegins: says("tool.begins", "GEN-6"),
    happened.CommandWaits: says("tool.waits", "GEN-6"),
    happened.CommandEnds: notes("tool.ends"),
    happened.CommandFails: _leads("tool.fails", "GEN-6"),
    happened.ApiMissing: _api_missing,
    happened.AsksAgain: _asks_again,
    happened.ConnectionLost: _connection_lost,
    happened.RequestOverdue: says("tool.request_overdue", "GEN-6"),
    happened.BrokerFound: says("tool.broker_found", "GEN-6"),
    happened.EveryBrokerFound: says("tool.every_broker_found", "GEN-6"),
    happened.PartitionsToSearch: _partitions_to_search,
    happened.ProducersShown: says("tool.producers_shown", "GEN-6"),
    happened.ProducerShown: notes("tool.producer_shown"),
    happened.OpenTransactionShown: notes("tool.open_transaction_shown"),
    happened.CandidatesChosen: _candidates_chosen,
    happened.TransactionsShown: says("tool.transactions_shown", "GEN-6"),
    happened.TransactionShown: notes("tool.transaction_shown"),
    happened.DescriptionShown: _description_shown,
    happened.DescriptionMissing: says("tool.description_missing", "GEN-6"),
    happened.HangingFound: _hanging_found,
    happened.MarkerExpected: notes("tool.marker_expected", "MRK-10"),
    happened.SearchEnds: _search_ends,
    happened.NoOpenTransaction: _leads("tool.no_open_transaction", "GEN-6"),
    happened.AbortChosen: notes("tool.abort_chosen", "MRK-4"),
    happened.AbortDone: _leads("tool.abort_done", "MRK-6"),
}

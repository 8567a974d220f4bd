"""Writes a case as a report for a ticket, in Markdown: the partitions, the verdicts with evidence and
commands, the groups, what was read, and which program wrote the report. The input is a case's document with
sentences as keys and parameters, so that the command and the page write the same report."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.scenario.header import ENGINE_VERSION
from eosviz.catalogue import say_shortly
from eosviz.pipeline.kafka_logs.case_sentences import group_sentences
from eosviz.pipeline.kafka_logs.words import Words, place_words, words

LISTED_MAX = {"partitions": 100, "verdicts": 20, "groups": 50, "evidence": 30, "notes": 20}
"""The largest numbers of rows of each sort in a report, of pieces of evidence for each verdict, and (`notes`)
of damaged places of `__transaction_state`. Others are counted, except damaged places."""
COLUMNS = ("partition", "verdict", "log_start", "lso", "end", "open", "damage")
_SPECIAL = re.compile(r"([\\`*\[\]<>|])")
_SENTENCES = frozenset({"rule"})
"""Values of `place` in evidence that are no place."""

Json = dict[str, Any]


def ticket_lines(document: Json, language: str) -> Iterator[str]:
    """The lines of the report. `document`: the document of docs/logs.md, with `{key, params}` for each
    sentence. If its lists were cut, `counts` in it has their full lengths."""
    ticket = _Ticket(language)
    yield f"# {ticket.words('ticket.title')}"
    yield ""
    yield from ticket.partitions(document)
    yield from ticket.verdicts(document)
    yield from ticket.groups(document)
    yield from ticket.given(document)


class _Ticket:
    """Writes the parts of a report in one language."""

    def __init__(self, language: str) -> None:
        self._language = language

    def words(self, key: str, **params: Any) -> str:
        return self._worded(words(key, **params))

    def partitions(self, document: Json) -> Iterator[str]:
        kinds: dict[str, str] = {}
        for one in document["verdicts"]:
            kinds.setdefault(one["partition"], one["kind"])
        # Healthy partitions come last, because a long report is cut at its end.
        rows = sorted(document["partitions"], key=lambda one: kinds.get(one["name"], "healthy") == "healthy")
        yield "| " + " | ".join(self.words(f"ticket.column.{name}") for name in COLUMNS) + " |"
        yield "|" + " --- |" * len(COLUMNS)
        open_now: dict[str, int] = {}
        for one in document["transactions"]:
            open_now[one["partition"]] = open_now.get(one["partition"], 0) + (one["result"] == "open")
        for row in rows[: LISTED_MAX["partitions"]]:
            kind, name = kinds.get(row["name"], "healthy"), row["name"]
            end = row["high_watermark"] if row["high_watermark"] >= 0 else "?"
            cells = (
                f"`{_plain(name).replace('`', '')}`",
                self.words(f"verdict.{kind}"),
                row["log_start"],
                row["last_stable_offset"],
                end,
                open_now.get(name, 0),
                row["corrupt"],
            )
            yield "| " + " | ".join(map(str, cells)) + " |"
        yield from self._more("partitions", rows, document)
        yield ""

    def verdicts(self, document: Json) -> Iterator[str]:
        problems = [one for one in document["verdicts"] if one["kind"] != "healthy"]
        yield f"## {self.words('ticket.verdicts')}"
        yield ""
        if not problems:
            yield self.words("verdict.healthy.means")
            yield ""
            if (held := document.get("held")) is not None:
                yield self._kept(held["says"])
                yield ""
        for verdict in problems[: LISTED_MAX["verdicts"]]:
            yield from self._verdict(verdict)
        yield from self._more("verdicts", problems, document)

    def _verdict(self, verdict: Json) -> Iterator[str]:
        colon = say_shortly("join.colon", self._language)
        yield f"### {_plain(verdict['partition'])}{colon}{self.words('verdict.' + verdict['kind'])}"
        yield ""
        if verdict["producer_id"] is not None:
            fields = {name: verdict[name] for name in ("producer_id", "epoch", "first_offset")}
            named = verdict["transactional_id"]
            key = "ticket.of" if named is None else "ticket.of_id"
            yield self.words(key, transactional_id=named, **fields)
            yield ""
        for one in verdict["evidence"][: LISTED_MAX["evidence"]]:
            says = self._kept(one["says"])
            if one["place"] not in _SENTENCES:
                aside = {"text": says, "aside": self._kept(place_words(one["place"]))}
                says = say_shortly("join.aside", self._language, aside)
            yield f"- {says}"
        yield from self._more("evidence", verdict["evidence"])
        if verdict["alternatives"]:
            possible = [self.words(f"verdict.{kind}") for kind in verdict["alternatives"]]
            yield f"- {self.words('ticket.possible', kinds=possible)}"
        yield ""
        if verdict["would_change"]:
            yield f"**{self.words('ticket.would_change')}**"
            yield ""
            yield from (f"- {self._kept(one)}" for one in verdict["would_change"])
            yield ""
        if verdict["remedy"] is not None:
            yield from self._remedy(verdict["remedy"])

    def _remedy(self, remedy: Json) -> Iterator[str]:
        yield from self._command(self.words(f"remedy.{remedy['action']}"), remedy)
        stable = remedy["last_stable_offset"]
        if stable is not None and stable >= 0 and remedy["action"] != "look":
            yield f"- {self.words('then.' + remedy.get('ends', 'aborted'), offset=stable)}"
        yield ""
        for other in remedy.get("others", []):
            since = other["since"]
            yield from self._command(
                self.words("or_since", version=since) if since else self.words("or"), other
            )
            yield ""

    def _command(self, title: str, of: Json) -> Iterator[str]:
        yield f"**{title}**"
        yield ""
        # An indented block has no end mark, so no name can contain it.
        yield f"    {' '.join(of['command'].splitlines())}"
        yield ""
        yield from (f"- {self._kept(one)}" for one in of["preconditions"])

    def groups(self, document: Json) -> Iterator[str]:
        sentences = [one for row in document["groups"] for one in group_sentences(row)]
        if not sentences:
            return
        yield f"## {self.words('ticket.groups')}"
        yield ""
        yield from (f"- {self._worded(one)}" for one in sentences[: LISTED_MAX["groups"]])
        yield from self._more("groups", sentences)
        yield ""

    def given(self, document: Json) -> Iterator[str]:
        """The lines about what was read and what was not, and about the program that wrote the report."""
        yield f"## {self.words('ticket.given')}"
        yield ""
        yield from (f"- {self._kept(one)}" for one in document.get("given", []))
        damage = document["coordinator"]["damage"]
        yield from (f"- {_plain(one)}" for one in damage[: LISTED_MAX["notes"]])
        for name, key in (("copies", "ticket.not_judged"), ("left_out", "left_out")):
            count = document[name] if isinstance(document[name], int) else len(document[name])
            if count:
                yield f"- {self.words(key, count=count)}"
        yield f"- {self.words('ticket.written_by', version=ENGINE_VERSION)}"

    def _more(self, kind: str, every: Sequence[Any], document: Json | None = None) -> Iterator[str]:
        counted = 0 if document is None else document.get("counts", {}).get(kind, 0)
        left_out = max(len(every), counted if kind == "partitions" else 0) - LISTED_MAX[kind]
        if left_out > 0:
            yield ""
            yield self.words("ticket.more", count=left_out)

    def _kept(self, sentence: Json) -> str:
        return self._worded(Words(sentence["key"], sentence["params"]))

    def _worded(self, sentence: Words) -> str:
        return _plain(say_shortly(sentence.key, self._language, sentence.params))


def _plain(text: str) -> str:
    """The text as one line that Markdown shows unchanged. It is needed because ids and names may contain any
    character."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))

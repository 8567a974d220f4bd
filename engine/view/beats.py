"""Divides a run into named beats: chapters, which are made by rules from the kinds of the run's steps
(``openers.py``).

The beats of a run, or those inside one beat, are a *level*. A level has at most nine beats. Long runs have nested
beats; short runs have fewer beats. A changed run may have more than nine if it was changed after many of its beats
(``BEHIND_MOST``). Each beat has the step at which a reader lands, and the lines of its steps: informative steps one by
one, the others folded and counted (``plumbing.py``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import Any

from engine.crafter import Crafter
from engine.explain.sentences import sentence
from engine.lately import REQUESTS
from engine.shapes.plans import Beat, BeatLine, Event, Passed
from engine.transaction_lines import COMPLETE
from engine.view import middleware_titles
from engine.view.beat_step import BeatStep, said_in
from engine.view.chosen_openings import MOST, chosen_of, stays
from engine.view.lines import lines_of
from engine.view.new_openings import (
    EVENTS_MAX,
    ROUND_KINDS,
    is_added,
    is_event,
    with_consequences,
    with_new,
    with_recurring,
)
from engine.view.openers import (
    BEHIND,
    BEHIND_HANGING,
    DECIDE,
    FENCING_MARKER,
    GATHERED,
    HEAVY,
    OUTCOME,
    PART,
    READ_AFTER_MARKER,
    REPEATS,
    RETRIES,
    START,
    STORED,
)
from engine.view.openings import LIGHT, NESTED_FROM, Opened, begun, begun_from, leads_to, openings_in
from engine.view.repeats import Repeats, repeats_in
from engine.view.step_openers import WAITS, StepOpeners
from engine.view.stops import PASSED_MOST
from engine.view.titles import (
    COUNT_RECORDS,
    LEADS,
    RECORDS,
    WHICH,
    also_in,
    held_in,
    marker_in,
    read_in,
    released_in,
    sentence_of,
    title_of,
    which_named,
)

INFORMATIVE_MOST = 30
"""A beat with at least NESTED_FROM steps, or with more than INFORMATIVE_MOST informative steps, has nested beats if
at least two further openings are inside it."""
LINES_MOST = 60
"""A beat with more lines than this is divided into parts."""
STARTS_WITHIN = 3
"""If at most this many steps come before the first opening, they belong to the beat of this opening; otherwise they
are a beat of their own."""
FIRST_WRITES = frozenset({"begins", "sends"})
"""The openers of a producer's first records."""
OWN_IDENTITY = frozenset({"identity", "transactional_identity"})
"""The openers of one producer's request for its identity."""
BEHIND_MOST = 7
"""If the openings that matter after the kept beats do not fit on a level, the level gets room for at least this many
beats. Otherwise a reader would find the consequences of the intervention only inside other beats."""
KEPT_MOST = 2 * MOST
"""If at least this many beats of the run without the intervention are kept, the beats after them are inside one beat.
"""
PASSED_FROM = 3
IMPLIED = frozenset({"beat.begins", "beat.begins_next", "beat.sends_unstored"})
"""The titles that are left out of ``passed`` if the beat's title already counts the records of the same client."""
BROKEN_TITLE = "beat.broken_"
ASKED_FOR = frozenset({"commit_decided", "abort_decided", "nothing_aborted"})
"""The openers of decisions that a client asks for with EndTxn."""
DELIVERS = "consumer.delivers"
SHARED = {"reads_only": "reads_one", "reads_only_from": "reads_one_from"}
"""Dict of title about the only consumer that gets some records → the title if another consumer also gets them, in
another beat."""


class Beats:
    """Takes the steps of a run in order, as JSON (docs/frame.md)."""

    def __init__(self, consumers: Sequence[str] = (), named: Mapping[str, int] | None = None) -> None:
        """``named``: for each kind of beat to which the author of the scenario gave titles, the highest number that
        has one."""
        self._named = named or {}
        self._consumers = tuple(consumers)
        self._openers = StepOpeners()
        self.events: list[Event] = []
        """The first EVENTS_MAX openings of the run that have the weight HEAVY or more, or are resends of requests.
        ``to_json`` sets them."""

    @property
    def steps(self) -> Sequence[BeatStep]:
        """The steps that were taken."""
        return self._openers.steps

    def take(self, step: Mapping[str, Any]) -> None:
        self._openers.take(step)

    def fork(self) -> Beats:
        """A copy for a branch that begins after the last step that was taken. It shares the steps so far, which never
        change."""
        fork = Beats(self._consumers, self._named)
        fork._openers = self._openers.fork()
        return fork

    def to_json(
        self,
        past: Sequence[Beat] = (),
        until: int = 0,
        by_hand: Collection[int] = (),
        known: Sequence[Event] | None = None,
    ) -> list[Beat]:
        """The beats of the run. ``past`` and ``known``: the beats and the events of the run without the
        interventions, which has the same steps up to number ``until``. ``by_hand``: the numbers of the steps that
        carry out interventions. A past beat whose ``lands`` is at most ``until`` keeps its number and its title."""
        if not self.steps:
            return []
        end = len(self.steps)
        repeats = repeats_in(self.steps)
        openings = openings_in(self.steps, repeats, self._named, by_hand)
        weighty = [one for one in openings if is_event(one)]
        self.events = [
            {"step": self.steps[one.at].number, "kind": one.opener.name} for one in weighty[:EVENTS_MAX]
        ]
        if not past:
            return self._level(0, end, openings, repeats)
        until = min(until, self.steps[-1].number)
        kept = self._kept(past, until, repeats)
        start = kept[-1]["last"] if kept else 0
        later = [one for one in openings if one.at >= start]
        if known is not None:
            kinds = [one["kind"] for one in known if one["step"] > until]
            later = with_new(later, kinds, until - self.steps[0].number + 1)
        later = with_recurring(past[len(kept) :], later)
        if not later:
            return [*kept[:-1], self._until(kept[-1], self.steps[-1].number, repeats)] if kept else []
        later = with_consequences(later)
        room = max(MOST, len(past)) - len(kept)
        matter = 1 + sum(stays(one) > 0 for one in later[1:])
        if matter > room and len(later) > 1 and later[1].by_hand and not self._has_led(later[0], until):
            later = later[1:]
        if kept:
            later = begun_from(start, later)
        most = room if matter <= room else max(room, BEHIND_MOST)
        behind = self._level(start, end, later, repeats, most, nests=True, before=kept)
        beats = _numbered([*kept, *(behind if len(kept) < KEPT_MOST else [_around(behind)])])
        if len(beats) > MOST:
            before: list[Beat] = [{**beat, "kept": True} for beat in beats[: len(kept)]]
            beats = [*before, *beats[len(kept) :]]
        return self._marked_added(beats, later, past, until)

    def _has_led(self, one: Opened, until: int) -> bool:
        """Whether a step up to number ``until`` has brought what the title of the opening says."""
        steps = self.steps[one.at : until]
        return not one.opener.lands or any(leads_to(one, step) for step in steps)

    def _marked_added(
        self, beats: list[Beat], openings: Sequence[Opened], past: Sequence[Beat], until: int
    ) -> list[Beat]:
        """The beats of a run with interventions. A beat gets ``added`` if it breaks a guarantee, if an intervention
        caused an opening of its kind in it, or if it ends after step ``until`` and no past beat of its kind has its
        title."""
        titles = {(beat.get("kind"), beat["key"]) for beat in past}
        kinds = {kind for kind, _ in titles}
        came = {(self.steps[one.at].number, one.opener.name) for one in openings if is_added(one)}

        def is_one(beat: Beat) -> bool:
            kind = beat.get("kind")
            if beat["key"].startswith(BROKEN_TITLE) or any((at, kind) in came for at in _numbers(beat)):
                return True
            return beat["last"] > until and kind in kinds and (kind, beat["key"]) not in titles

        return [{**beat, "added": True} if is_one(beat) else beat for beat in beats]

    def _added(self, beats: list[Beat], openings: Sequence[Opened]) -> list[Beat]:
        """The beats, with ``added`` on those that an intervention caused."""
        heavy = {self.steps[one.at].number for one in openings if is_added(one)}
        return [{**beat, "added": True} if beat["first"] in heavy else beat for beat in beats]

    def _kept(self, past: Sequence[Beat], until: int, repeats: Repeats) -> list[Beat]:
        return [
            self._until(beat, min(beat["last"], until), repeats) for beat in past if beat["lands"] <= until
        ]

    def _until(self, beat: Beat, last: int, repeats: Repeats) -> Beat:
        if last == beat["last"]:
            return beat
        cut: Beat = {**beat, "last": last, "lines": []}
        steps = self.steps[beat["first"] - 1 : last]
        if inside := self._kept(beat.get("beats", []), last, repeats):
            cut["beats"] = [*inside[:-1], self._until(inside[-1], last, repeats)]
        elif len(lines := self._lines(steps, beat["lands"], repeats)) > LINES_MOST:
            cut["beats"] = self._parts(beat["first"] - 1, last, repeats)
        else:
            cut.pop("beats", None)
            cut["lines"] = lines
        return cut

    # -- levels ----------------------------------------------------------------------------------------

    def _level(
        self,
        start: int,
        end: int,
        openings: list[Opened],
        repeats: Repeats,
        most: int = MOST,
        nests: bool = False,
        before: Sequence[Beat] = (),
    ) -> list[Beat]:
        """At most ``most`` beats of the steps from index ``start`` (inclusive) to index ``end`` (exclusive).
        ``nests``: openings that an intervention caused may get beats inside a beat. ``before``: the earlier beats of
        the level."""
        if not openings or openings[0].at > start + STARTS_WITHIN:
            openings = [Opened(start, START, {}, START.weight), *openings]
        openings = begun_from(start, openings)
        chosen = chosen_of(openings, end, most, repeats.lengths)
        for place in range(1, len(chosen)):
            chosen[place] = self._from_request(chosen[place - 1], chosen[place], openings, repeats)
        ends = [beat.at for beat in chosen[1:]] + [end]
        within = [
            [one for one in openings if beat.at + beat.lead < one.at < stop]
            for beat, stop in zip(chosen, ends, strict=True)
        ]
        beats = [
            self._beat(number, beat, stop, inside, end - start, repeats, nests)
            for number, (beat, stop, inside) in enumerate(zip(chosen, ends, within, strict=True), 1)
        ]
        self._divide_transactions(beats, chosen, ends, within, repeats)
        self._divide_fencing(beats, chosen, ends, within, repeats)
        return _distinguished(before, self._with_passed(beats, start, openings, chosen, repeats))

    def _divide_transactions(
        self,
        beats: list[Beat],
        chosen: Sequence[Opened],
        ends: Sequence[int],
        within: Sequence[list[Opened]],
        repeats: Repeats,
    ) -> None:
        """If a reader who goes from one beat to the next would pass over the first records of a transaction, and
        the next beat contains its outcome, divide both beats into parts. ``within``: the other openings inside
        each beat."""
        of = self.steps[0].number
        for place in range(1, len(beats)):
            before, after = beats[place - 1], beats[place]
            if "beats" in before or "beats" in after or {before["kind"], after["kind"]} & ROUND_KINDS:
                continue
            wrote = [
                one
                for one in within[place - 1]
                if one.opener.name in FIRST_WRITES and one.at > before["lands"] - of
            ]
            first = next((one for one in wrote if self._is_reached(one, ends[place - 1])), None)
            outcome = next((one for one in within[place] if one.ends), None)
            if first is None or outcome is None or chosen[place].opener.name not in ASKED_FOR:
                continue
            for at, then in ((place - 1, first), (place, outcome)):
                self._divide(beats[at], chosen[at], then, ends[at], within[at], repeats)

    def _divide_fencing(
        self,
        beats: list[Beat],
        chosen: Sequence[Opened],
        ends: Sequence[int],
        within: Sequence[list[Opened]],
        repeats: Repeats,
    ) -> None:
        """Divide each beat in which a coordinator sends the marker that fences a producer, if this step comes after
        the one at which a reader lands. The reader then stops at this step, too. ``within``: the other openings
        inside each beat."""
        for beat, opened, stop, inside in zip(beats, chosen, ends, within, strict=True):
            sent = next((one for one in inside if one.opener is FENCING_MARKER), None)
            if sent is not None and "beats" not in beat and beat["lands"] < self.steps[sent.at].number:
                self._divide(beat, opened, sent, stop, inside, repeats)

    def _divide(
        self, beat: Beat, opened: Opened, then: Opened, stop: int, inside: Sequence[Opened], repeats: Repeats
    ) -> None:
        """Divide a beat in two; the second part begins with ``then``. ``inside``: the other openings inside the
        beat."""
        others = [one for one in inside if one is not then]
        parts = self._parts_of([opened, then], stop, others, repeats)
        beat["beats"] = [
            part if part["lands"] == beat["lands"] else {**part, "added": True} for part in parts
        ]
        beat["lines"] = []

    def _is_reached(self, one: Opened, stop: int) -> bool:
        return any(leads_to(one, step) for step in self.steps[one.at : stop])

    def _parts_of(
        self, parts: Sequence[Opened], end: int, others: Sequence[Opened], repeats: Repeats
    ) -> list[Beat]:
        """The parts of a divided beat. ``parts``: their openings. ``others``: the other openings inside the beat."""
        stops = [*(one.at for one in parts[1:]), end]
        start = parts[0].at
        beats = [
            self._beat(number, one, stop, [], end - start, repeats)
            for number, (one, stop) in enumerate(zip(parts, stops, strict=True), 1)
        ]
        return self._with_passed(beats, start, [*parts, *others], parts, repeats)

    def _with_passed(
        self,
        beats: list[Beat],
        start: int,
        openings: Sequence[Opened],
        chosen: Sequence[Opened],
        repeats: Repeats,
    ) -> list[Beat]:
        """The beats of a level, each with ``passed``: the openings that a reader passes on the way to the beat's step
        and that are no beats. ``start``: the index of the level's first step. ``chosen``: the openings of the beats."""
        own = {at for one in chosen for at in _opens_at(one)}
        weighed = [
            replace(one, weight=max(one.weight, one.opener.weight))
            if one.opener.name in FIRST_WRITES
            else one
            for one in openings
        ]
        others = [one for one in weighed if one.weight >= PASSED_FROM and own.isdisjoint(_opens_at(one))]
        opens = [replace(one, weight=PASSED_FROM) for one in chosen if one.weight >= HEAVY]
        number = self.steps[0].number
        seen = start - 1
        found: list[Beat] = []
        for opened, beat in zip(chosen, beats, strict=True):
            lands = beat["lands"] - number
            # A beat may have the title of its producer's first records although it begins with the producer's
            # identity. Then the identity is a passed opening.
            gave = [opened] if opened.opener.name in OWN_IDENTITY and beat["kind"] in FIRST_WRITES else []
            between = [one for one in (*gave, *others, *opens) if seen < one.at + one.lead < lands]
            heaviest = sorted(between, key=lambda one: (-one.weight, one.opener is RETRIES))
            passed: dict[int, Passed] = {}
            for one in heaviest:
                if len(passed) == PASSED_MOST:
                    break
                titled = self._passed(one, lands, repeats)
                if (titled["key"] != beat["key"] or one.size) and not _is_implied(titled, beat):
                    passed.setdefault(titled["step"], titled)
            counted = any(one["key"] in COUNT_RECORDS for one in (*found[-1:], *passed.values()))
            if (
                not counted
                and len(passed) < PASSED_MOST
                and (unnamed := self._stored(seen + 1, beat["first"] - number))
            ):
                passed.setdefault(unnamed["step"], unnamed)
            unsaid = sorted(passed.values(), key=itemgetter("step"))
            found.append({**beat, "passed": unsaid} if unsaid else beat)
            seen = max(seen, lands)
        if found[-1]["last"] == self.steps[-1].number and (after := self._completed(seen + 1)):
            found[-1] = {**found[-1], "after": after}
        return found

    def _completed(self, start: int) -> list[Passed]:
        """The last PASSED_MOST transactions that coordinators complete from the step with index ``start`` on, as
        entries of ``passed``."""
        found: dict[str, Passed] = {}
        for step in self.steps[start:]:
            for said in said_in([step], "coordinator.image_durable"):
                if said["state"] in COMPLETE:
                    named = {name: said[name] for name in ("transactional_id", "state")}
                    found[named["transactional_id"]] = {
                        "step": step.number,
                        "key": "beat.completed",
                        "params": named,
                    }
        return list(found.values())[-PASSED_MOST:]

    def _passed(self, one: Opened, stop: int, repeats: Repeats) -> Passed:
        """The opening as an entry of ``passed``. Only its steps before index ``stop`` are read."""
        opened = replace(one, at=one.at + one.lead, lead=0)
        steps = self.steps[opened.at : stop]
        title, params = title_of(self._kind(opened, steps), one.params, steps, self._consumers)
        step = self._lands(opened, steps, repeats).number
        return {"step": step, "key": f"beat.{title}", "params": which_named(params, is_needed=False)}

    def _stored(self, start: int, stop: int) -> Passed | None:
        """An entry of ``passed`` for the records that one client stores in the steps from index ``start`` to index
        ``stop`` (exclusive); None if no client or several clients store records, or if the records are hand-made."""
        steps = self.steps[max(start, 0) : stop]
        stored = list(said_in(steps, *STORED))
        clients = {said.get("client") for said in stored}
        if len(clients) != 1 or (client := clients.pop()) in (None, Crafter.name):
            return None
        params = {
            "client": client,
            "count": sum(said["record_count"] or 0 for said in stored),
            "partitions": sorted({said["partition"] for said in stored}),
            WHICH: "",
        }
        last = next(step for step in reversed(steps) if not step.said.isdisjoint(STORED))
        return {"step": last.number, "key": "beat.sends_into", "params": params}

    def _from_request(
        self, before: Opened, one: Opened, openings: Sequence[Opened], repeats: Repeats
    ) -> Opened:
        """The opening ``one`` of a decision, moved to the step in which the client sends its EndTxn. It is not moved if
        the beat before would then land at another step."""
        if one.opener.name not in ASKED_FOR or one.lead:
            return one
        since = max(opening.at + opening.lead for opening in openings if opening.at < one.at)
        for at in range(one.at - 1, since, -1):
            if any(said["api"] == "EndTxn" for said in said_in([self.steps[at]], *REQUESTS)):
                long, short = (self.steps[before.at : stop] for stop in (one.at, at))
                stays = self._lands(before, short, repeats) is self._lands(before, long, repeats)
                return begun(one, at) if stays else one
        return one

    def _beat(
        self,
        number: int,
        beat: Opened,
        stop: int,
        inside: list[Opened],
        level: int,
        repeats: Repeats,
        nests: bool = False,
    ) -> Beat:
        steps = self.steps[beat.at : stop]
        opened, beat = beat, _by_first_write(_by_outcome(beat, steps), inside, steps)
        lands = self._lands(beat, steps, repeats)
        kind = self._kind(beat, steps)
        title, params = title_of(kind, beat.params, steps, self._consumers)
        if title in SHARED and self._is_shared(params["consumer"], steps):
            title = SHARED[title]
        shown: Beat = {
            "number": number,
            "first": steps[0].number,
            "last": steps[-1].number,
            "lands": lands.number,
            "key": f"beat.{title}",
            "params": params,
            "kind": kind,
            "lines": [],
        }
        also = also_in(kind, params, steps, lands)
        if title in LEADS or also:
            shown["says"] = sentence_of(title)
        if also:
            shown["also"] = also
        if beat.opener in (BEHIND, BEHIND_HANGING) and lands.held_by is not None:
            shown["because"] = {"key": WAITS, "params": dict(lands.held_by)}
        lines = self._lines(steps, lands.number, repeats)
        is_long = (
            repeats.length(beat.at, stop) >= NESTED_FROM
            or sum(line["key"] is None for line in lines) > INFORMATIVE_MOST
        )
        if not is_long:
            inside = [one for one in inside if is_added(one) or one.weight >= LIGHT]
        is_changed = nests and any(is_added(one) and one.opener is not opened.opener for one in inside)
        if is_changed or (is_long and len(inside) >= 2 and len(steps) < level):
            within = sorted([beat.origin or opened, *inside], key=attrgetter("at"))
            within = begun_from(beat.at, within)
            level_inside = self._level(beat.at, stop, within, repeats)
            if is_long or len(level_inside) > 1:
                shown["beats"] = level_inside
                if is_changed:
                    own = steps[beat.lead].number
                    shown["beats"] = self._added(
                        level_inside, [one for one in within if one.opener is not opened.opener]
                    )
                    if not any(leads_to(beat, step) for step in steps):
                        shown["lands"] = next(one["lands"] for one in level_inside if one["last"] >= own)
                return shown
        if len(lines) > LINES_MOST:
            shown["beats"] = self._parts(beat.at, stop, repeats)
        else:
            shown["lines"] = lines
        return shown

    def _is_shared(self, reader: str, steps: Sequence[BeatStep]) -> bool:
        """Whether another consumer gets, in any step of the run, records that ``reader`` gets in ``steps``."""
        got = [said for said in said_in(steps, DELIVERS) if said["consumer"] == reader]
        return any(
            other["consumer"] != reader
            and any(
                other["partition"] == said["partition"]
                and other["position"] - other["count"] < said["position"]
                and other["position"] > said["position"] - said["count"]
                for said in got
            )
            for other in said_in(self.steps, DELIVERS)
        )

    def _parts(self, start: int, end: int, repeats: Repeats) -> list[Beat]:
        """Divide a beat with too many lines into even parts."""
        size = -(-repeats.length(start, end) // MOST)
        lengths = repeats.lengths
        parts: list[Beat] = []
        at = start
        while at < end:
            stop = min(bisect_right(lengths, lengths[at] + size) - 1, end)
            params = {"first": self.steps[at].number, "last": self.steps[stop - 1].number}
            part = Opened(at, PART, params, 0)
            parts.append(self._beat(len(parts) + 1, part, stop, [], end - start, repeats))
            at = stop
        return parts

    def _lines(self, steps: Sequence[BeatStep], lands: int, repeats: Repeats) -> list[BeatLine]:
        at = steps[0].number - self.steps[0].number
        return lines_of(steps, lands, repeats.within[at : at + len(steps)])

    def _lands(self, beat: Opened, steps: Sequence[BeatStep], repeats: Repeats) -> BeatStep:
        if beat.opener is OUTCOME and (released := released_in(steps)):
            return released[-1]
        if beat.opener is READ_AFTER_MARKER:
            return read_in(steps)[-1]
        if beat.opener in (BEHIND, BEHIND_HANGING):
            who = beat.params["client"], steps[beat.lead].params["partition"]
            return next((step for step in reversed(steps) if held_in(step, *who)), steps[beat.lead])
        if beat.opener.name == "message_lost" and len(dropped := middleware_titles.votes_dropped(steps)) > 1:
            return dropped[-1]
        if (broken := next((step for step in steps if step.broken), None)) is not None:
            return broken
        if beat.opener.name in GATHERED:
            at = steps[beat.lead].time
            return [step for step in steps if step.opener is beat.opener and step.time == at][-1]
        if beat.opener is REPEATS:
            repeat = next(one for one in repeats.stretches if one.at == beat.at + beat.lead)
            within = self.steps[repeat.at : repeat.stop]
            return next(step for step in reversed(within) if step.key == repeat.ends)
        found = [step for step in steps if leads_to(beat, step)]
        if found:
            return next(step for step in reversed(found) if marker_in(step) == marker_in(found[0]))
        opening = steps[beat.lead]
        if beat.opener.stretch:
            return next((step for step in reversed(steps) if step.stands_out), opening)
        return opening

    @staticmethod
    def _kind(beat: Opened, steps: Sequence[BeatStep]) -> str:
        opener = beat.opener
        if opener.unless and not any(leads_to(beat, step) for step in steps):
            return opener.unless
        return opener.name


def _is_implied(passed: Passed, beat: Beat) -> bool:
    """Whether the beat's title, which counts the records of a client, implies that this client begins or sends."""
    if beat["key"] not in COUNT_RECORDS or passed["key"] not in IMPLIED:
        return False
    return beat["params"].get("client") == passed["params"].get("client")


def _opens_at(one: Opened) -> set[int]:
    """The indices of the steps that open the beat; two if it joins two openings."""
    joined = one if one.origin is None else one.origin
    return {one.at + one.lead, joined.at + joined.lead}


def _by_outcome(beat: Opened, steps: Sequence[BeatStep]) -> Opened:
    """The beat's opening. If the beat begins with a decision and contains its outcome, it gets the title of the
    outcome."""
    if beat.opener.name in DECIDE and released_in(steps):
        return replace(beat, opener=OUTCOME, params={})
    return beat


def _by_first_write(beat: Opened, inside: Sequence[Opened], steps: Sequence[BeatStep]) -> Opened:
    """The beat's opening. If its producer gets its identity in the beat and then stores records, the beat gets the
    title of the records."""
    if beat.opener.name not in OWN_IDENTITY:
        return beat
    for one in inside:
        if one.opener.name in FIRST_WRITES and one.params["client"] == beat.params["client"]:
            lead = one.at - beat.at
            if any(leads_to(one, step) for step in steps[lead:]):
                return replace(beat, opener=one.opener, params=one.params, lead=lead)
            return beat
    return beat


def _around(beats: list[Beat]) -> Beat:
    return {**beats[0], "last": beats[-1]["last"], "lines": [], "beats": beats}


def _distinguished(before: Sequence[Beat], beats: list[Beat]) -> list[Beat]:
    """The beats. If the titles of several beats or parts are equal, these titles then name the records. ``before``:
    earlier beats, which keep their titles."""
    titles = Counter(_title(beat) for beat in (*before, *beats))
    for beat in beats:
        # A part with the step of its beat has the beat's title, so it does not count.
        parts = [part for part in beat.get("beats", ()) if RECORDS in part["params"]]
        titles.update(_title(part) for part in parts if part["lands"] != beat["lands"])

    def named(beat: Beat) -> Beat:
        params = which_named(beat["params"], is_needed=titles[_title(beat)] > 1)
        shown: Beat = {**beat, "params": params}
        return {**shown, "beats": list(map(named, beat["beats"]))} if "beats" in beat else shown

    return list(map(named, beats))


def _title(beat: Beat) -> str:
    """The text of the title, without the names of records."""
    params = {**beat["params"], WHICH: ""} if WHICH in beat["params"] else beat["params"]
    return sentence(beat["key"], which_named(params, is_needed=False))


def _numbers(beat: Beat) -> range:
    return range(beat["first"], beat["last"] + 1)


def _numbered(beats: list[Beat]) -> list[Beat]:
    return [{**beat, "number": number} for number, beat in enumerate(beats, 1)]

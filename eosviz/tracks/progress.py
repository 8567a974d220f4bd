"""A person's progress in a track: which scenarios are done, and where to continue."""

from __future__ import annotations

from dataclasses import dataclass

from engine.scenario.tracks import Track, TrackItem, tracks
from eosviz.scenarios.cards import Card, Run, Shelved, shelf
from eosviz.tracks.models import Visit
from eosviz.walkthroughs.models import Session


@dataclass(frozen=True, slots=True)
class Place:
    """One scenario of a track, with the run that is played and the visit, if there is one. `state`: `new`,
    `begun` or `done`."""

    position: int
    item: TrackItem
    card: Card
    run: Run | None
    visit: Visit | None
    is_played: bool
    """Whether the browser has a session outside of tracks in which some run of the scenario's current version
    reached its end."""

    @property
    def state(self) -> str:
        if self.is_played or (self.visit is not None and self.visit.done):
            return "done"
        return "new" if self.visit is None else "begun"

    @property
    def state_key(self) -> str:
        return f"tracks.state.{self.state}"


@dataclass(frozen=True, slots=True)
class Progress:
    track: Track
    places: list[Place]

    @property
    def done(self) -> int:
        return sum(place.state == "done" for place in self.places)

    @property
    def begun(self) -> bool:
        """Whether a scenario of the track was begun in the track, or is done. A scenario that was played to its end
        outside the track is done; one that was only begun there does not count."""
        return any(place.state != "new" for place in self.places)

    @property
    def goes_on(self) -> bool:
        """Whether the next scenario continues the track: it is begun, or those before it are done."""
        following = self.following
        return following is not None and (following.position > 1 or following.state == "begun")

    @property
    def following(self) -> Place | None:
        """The first scenario that is not done; None if all are done."""
        return next((place for place in self.places if place.state != "done"), None)

    @property
    def steps(self) -> int:
        """The number of steps of all runs of the track together."""
        return sum(place.run.steps for place in self.places if place.run is not None)


def progress_of(browser: str) -> list[Progress]:
    """The progress in every track, in the order in which tracks are shown."""
    visits: dict[str, dict[int, Visit]] = {}
    for visit in Visit.objects.of_browser(browser).with_runs():
        visits.setdefault(visit.track, {})[visit.position] = visit
    shelved, played = _by_identifier(), Session.objects.of_browser(browser).played_scenarios()
    return [_progress(track, visits.get(track.name, {}), shelved, played) for track in tracks()]


def progress_in(browser: str, track: Track) -> Progress:
    played = Session.objects.of_browser(browser).played_scenarios()
    return _progress(track, Visit.objects.by_position(browser, track.name), _by_identifier(), played)


def _progress(
    track: Track, visits: dict[int, Visit], shelved: dict[str, Shelved], played: frozenset[str]
) -> Progress:
    places = []
    for position, item in enumerate(track.items, start=1):
        found = shelved.get(item.scenario)
        if found is not None:
            run = found.run(item.variant or found.card.usual_variant)
            visit = visits.get(position)
            own = visit if visit and visit.is_of(item) else None
            places.append(Place(position, item, found.card, run, own, item.scenario in played))
    return Progress(track, places)


def _by_identifier() -> dict[str, Shelved]:
    return {one.card.identifier: one for one in shelf()}

"""Where a browser goes on: its newest session as a picture with how far it is, and the next scenario of its track."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from django.urls import reverse

from engine.ending import broken_in, state_of
from engine.scenario.tracks import tracks
from engine.view import sights
from eosviz.scenarios.cards import Words, shelf
from eosviz.scenarios.verdict_picture import picture
from eosviz.tracks.models import Visit
from eosviz.tracks.progress import Place, Progress, progress_in
from eosviz.walkthroughs.deriving import changes_of
from eosviz.walkthroughs.models import Branch, Keyframe, Session, Step

DRAWN_STEPS_MAX = 1000
"""Steps up to which a run has a picture: what is stored of it grows with them."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """The newest session. `steps` is how long the run is, where that is known; 0 where it is not."""

    scenario: str
    title: Words
    address: str
    step: int
    steps: int
    finished: bool
    picture: str
    progress: Progress | None
    place: Place | None

    @property
    def following(self) -> Place | None:
        """The next scenario of the track, once this one was seen to its end."""
        following = None if self.progress is None else self.progress.following
        return following if self.finished and following != self.place else None


def newest_of(browser: str) -> Resumed | None:
    session = Session.objects.of_browser(browser).recent().select_related("version").first()
    if session is None:
        return None
    branch = Branch.objects.of_session(session.id).last()
    if branch is None:
        return None
    visit = Visit.objects.of_browser(browser).filter(session=session).first()
    track = next((one for one in tracks() if visit is not None and one.name == visit.track), None)
    progress = None if track is None else progress_in(browser, track)
    place = (
        next((one for one in progress.places if visit is not None and one.position == visit.position), None)
        if progress is not None
        else None
    )
    return Resumed(
        scenario=session.version.identifier,
        title=session.title,
        address=f"{reverse('walkthroughs:player', args=[session.id])}?branch={branch.id}&step={branch.newest}",
        step=branch.newest,
        steps=_length_of(session, branch),
        finished=branch.finished is not None,
        picture=_picture_of(branch),
        progress=progress,
        place=place,
    )


def _length_of(session: Session, branch: Branch) -> int:
    """Of the run as it was written: how long a run is that was interfered with is not known."""
    if branch.parent_id is not None or branch.interventions:
        return 0
    found = next((one for one in shelf() if one.card.identifier == session.version.identifier), None)
    run = None if found is None else found.run(session.variant)
    return 0 if run is None else max(run.steps, branch.newest)


def _picture_of(branch: Branch) -> str:
    """Where it stands, as it is stored: no scenario, which may be a stranger's, is run for it. None at its beginning,
    where nothing is to be seen, and far on in a long one.
    """
    if not 0 < branch.newest <= DRAWN_STEPS_MAX:
        return ""
    line = Branch.objects.line(branch)
    keyframe = Keyframe.objects.nearest(line, branch.newest)
    if keyframe is None:
        return ""
    bodies = Step.objects.of_line(line, keyframe.number + 1, branch.newest).bodies()
    view = sights.walk(msgspec.json.decode(keyframe.view_json), list(map(changes_of, bodies)))
    return picture({**state_of(view), "broken": broken_in(view)})

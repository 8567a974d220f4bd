"""Finds where a visitor continues: in the session that the player showed last or, if that is not known, in
the newest session that was begun."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import msgspec
from django.urls import reverse

from engine.ending import broken_in, state_of
from engine.scenario.tracks import tracks
from engine.view import near_views
from eosviz.scenarios.cards import Words, shelf
from eosviz.scenarios.verdict_picture import picture
from eosviz.tracks.lessons import following
from eosviz.tracks.models import Visit
from eosviz.tracks.progress import Place, Progress, progress_in
from eosviz.walkthroughs.deriving import changes_of
from eosviz.walkthroughs.models import Branch, Intervention, Keyframe, Session, Step

DRAWN_STEPS_MAX = 1000
"""Only steps up to this number get a picture."""

PLACE_COOKIE = "place"
_PLACE = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9]{1,18})\.([0-9]{1,9})")
"""Matches the player's cookie: the session, the branch and the step that the player showed last."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """Where a visitor continues. `variant`: the title of the variant; None without one. `steps`: the number
    of steps of the whole run; 0 if unknown. `next`: what the front page offers after the scenario, once the
    run is finished; None before."""

    scenario: str
    title: Words
    variant: Words | None
    address: str
    step: int
    steps: int
    is_at_end: bool
    picture: str
    progress: Progress | None
    place: Place | None
    next: dict[str, Any] | None


def newest_of(browser: str, kept: str = "") -> Resumed | None:
    """Where this browser continues; None if it has begun no session. `kept`: the value of the cookie
    PLACE_COOKIE."""
    was = _PLACE.fullmatch(kept)
    begun = Session.objects.of_browser(browser).begun().recent().select_related("version")
    session = (None if was is None else begun.filter(id=was[1]).first()) or begun.first()
    if session is None:
        return None
    branches = Branch.objects.of_session(session.id)
    newest = branches.last()
    if newest is None:
        return None
    branch, step = newest, newest.newest
    if was is not None and was[1] == str(session.id):
        branch = next((one for one in branches if str(one.id) == was[2]), newest)
        step = min(int(was[3]), branch.newest) if str(branch.id) == was[2] else step
    visit = Visit.objects.of_browser(browser).filter(session=session).first()
    track = next((one for one in tracks() if visit is not None and one.name == visit.track), None)
    progress = None if track is None else progress_in(browser, track)
    place = (
        next((one for one in progress.places if visit is not None and one.position == visit.position), None)
        if progress is not None
        else None
    )
    found = (
        following(session.version.identifier, session.variant, visit) if branch.finished is not None else {}
    )
    return Resumed(
        scenario=session.version.identifier,
        title=session.title,
        variant=session.decoded_header.get("variant_title"),
        address=f"{reverse('walkthroughs:player', args=[session.id])}?branch={branch.id}&step={step}",
        step=step,
        steps=_length_of(session, branch),
        is_at_end=branch.finished is not None and step == branch.newest,
        picture=_picture_of(branch, step),
        progress=progress,
        place=place,
        next=found.get("next"),
    )


def _length_of(session: Session, branch: Branch) -> int:
    """The number of steps of the library's run if the branch is that run, unchanged; otherwise 0."""
    is_own = session.version.library_position is None or branch.parent_id is not None
    if is_own or Intervention.objects.count_on(branch):
        return 0
    found = next((one for one in shelf() if one.card.identifier == session.version.identifier), None)
    run = None if found is None else found.run(session.variant)
    return 0 if run is None else max(run.steps, branch.newest)


def _picture_of(branch: Branch, step: int) -> str:
    """The picture of the branch after this step, drawn from stored views and steps. Empty at step 0, after
    DRAWN_STEPS_MAX, and if no view is stored."""
    if not 0 < step <= DRAWN_STEPS_MAX:
        return ""
    line = Branch.objects.line(branch)
    keyframe = Keyframe.objects.nearest(line, step)
    if keyframe is None:
        return ""
    bodies = Step.objects.of_line(line, keyframe.number + 1, step).bodies()
    view = near_views.walk(msgspec.json.decode(keyframe.view_json), list(map(changes_of, bodies)))
    return picture({**state_of(view), "broken": broken_in(view)})

"""Pairs the steps of two branches, for the page that compares them."""

from __future__ import annotations

import msgspec

from engine.view.alongside import ALIGNED_MOST, Followed, alongside
from eosviz.bounded import runner
from eosviz.bounded.refusing import NoAnswer
from eosviz.bounded.tasks import TASKS
from eosviz.walkthroughs.asked_run import AskedRun
from eosviz.walkthroughs.beside_run import Asked, made
from eosviz.walkthroughs.deriving import view_of
from eosviz.walkthroughs.models import Branch, Keyframe, Step, line_interventions


def beside(left: Branch, right: Branch) -> bytes:
    """Returns `Alongside` as JSON. It compares the first ALIGNED_MOST steps of the two runs. If another
    version of the engine made one of them, or if they cannot be made again, it compares the stored steps."""
    sides = (left, right)
    asked = Asked(left=_asked(left), right=_asked(right))
    is_ours = all(side.session.version.library_position is not None for side in sides)
    try:
        if not any(side.session.other_engine for side in sides):
            return made(asked) if is_ours else runner.answer(TASKS["beside"], asked)
    except NoAnswer:
        pass
    return msgspec.json.encode(alongside(_stored(left), _stored(right)))


def _asked(branch: Branch) -> AskedRun:
    version = branch.session.version
    return AskedRun(
        document=version.document,
        source=version.identifier,
        variant=branch.session.variant,
        done=line_interventions(Branch.objects.line(branch)),
    )


def _stored(branch: Branch) -> Followed:
    line = Branch.objects.line(branch)
    first = Keyframe.objects.nearest(line, 0)
    run = Followed({} if first is None else view_of(first))
    for body in Step.objects.of_line(line, 1, min(branch.newest, ALIGNED_MOST)).bodies():
        run.take(msgspec.json.decode(body))
    return run

"""What a question of a page costs, in steps that are read and gone through to answer it. All who follow one link share
one budget of them (`work.link` of `settings.RATES`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eosviz.walkthroughs import messages
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.made_steps import KEYFRAME_EVERY


def _stretch(message: messages.Search | messages.Window | messages.AskWay) -> int:
    return min(abs(message.last - message.first) + 1, LIMITS.search_steps)


def _sight(message: messages.AskSight) -> int:
    """From the stored view before it; a whole one lists every record there is."""
    return LIMITS.search_steps if message.whole else KEYFRAME_EVERY


def _whole_run(message: messages.AskTransactions | messages.AskKeyframe) -> int:
    """The first question of a process goes through the whole line, a stored view lists every record there is."""
    return LIMITS.search_steps


def _missing(message: messages.Hello) -> int:
    """The steps that the page does not hold of the branches that it knows."""
    return LIMITS.window_steps * min(len(message.have), LIMITS.branches_per_session)


COSTS: dict[type[Any], Callable[[Any], int]] = {
    messages.Hello: _missing,
    messages.Search: _stretch,
    messages.Window: _stretch,
    messages.AskWay: _stretch,
    messages.AskSight: _sight,
    messages.AskKeyframe: _whole_run,
    messages.AskTransactions: _whole_run,
}
"""What is not here reads a row or two."""


def steps_read(message: messages.AnyFromPage) -> int:
    cost = COSTS.get(type(message))
    return 0 if cost is None else cost(message)

"""Computes how much work it is to answer a question of a page: the number of steps that must be read. All
followers of one link share one limit (`work.link` of `settings.RATES`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eosviz.walkthroughs import messages
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.made_steps import KEYFRAME_EVERY


def _stretch(message: messages.Search | messages.Window | messages.AskDifference) -> int:
    return min(abs(message.last - message.first) + 1, LIMITS.search_steps)


def _near_view(message: messages.AskNearView) -> int:
    """Returns the number of steps that may have to be read. A whole view counts as much as the longest
    search."""
    return LIMITS.search_steps if message.whole else KEYFRAME_EVERY


def _whole_run(message: messages.AskTransactions | messages.AskKeyframe) -> int:
    """Returns the number of steps of the longest search, because the answer may need the whole line."""
    return LIMITS.search_steps


def _missing(message: messages.Hello) -> int:
    """Returns the highest number of steps that may have to be sent in answer to `hello`."""
    return LIMITS.window_steps * min(len(message.have), LIMITS.branches_per_session)


COSTS: dict[type[Any], Callable[[Any], int]] = {
    messages.Hello: _missing,
    messages.Search: _stretch,
    messages.Window: _stretch,
    messages.AskDifference: _stretch,
    messages.AskNearView: _near_view,
    messages.AskKeyframe: _whole_run,
    messages.AskTransactions: _whole_run,
}
"""A dict of kind of message → the function that computes how many steps are read. Kinds that are missing here
read no steps."""


def steps_read(message: messages.AnyFromPage) -> int:
    cost = COSTS.get(type(message))
    return 0 if cost is None else cost(message)

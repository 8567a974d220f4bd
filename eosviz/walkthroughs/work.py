"""The cost of a page's question, in steps that are read to answer it. All followers of one link share one budget
(`work.link` of `settings.RATES`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eosviz.walkthroughs import messages
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.made_steps import KEYFRAME_EVERY


def _stretch(message: messages.Search | messages.Window | messages.AskDifference) -> int:
    return min(abs(message.last - message.first) + 1, LIMITS.search_steps)


def _near_view(message: messages.AskNearView) -> int:
    """The number of steps that may have to be read. A whole view counts as the longest search."""
    return LIMITS.search_steps if message.whole else KEYFRAME_EVERY


def _whole_run(message: messages.AskTransactions | messages.AskKeyframe) -> int:
    """The cost of the longest search: the answer may need the whole line."""
    return LIMITS.search_steps


def _missing(message: messages.Hello) -> int:
    """The most steps that the answer to `hello` may have to send."""
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
"""Kind of message → the function that computes its cost. A kind that is missing here costs nothing."""


def steps_read(message: messages.AnyFromPage) -> int:
    cost = COSTS.get(type(message))
    return 0 if cost is None else cost(message)

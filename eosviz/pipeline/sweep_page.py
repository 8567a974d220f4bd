"""Makes the heat maps of a sweep for its page, and for updates of the page."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict
from django.utils.translation import get_language

from eosviz.catalogue import language_of
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.sweep_figures import FACETS_MAX, choices_of, panels_of, read_look
from eosviz.pipeline.sweep_measures import MEASURES

NOT_LOOKED_FOR = ("lang",)
"""Parameters of the WebSocket's address that do not affect the maps."""


def map_context(sweep: Sweep, query: QueryDict) -> dict[str, Any]:
    """The context of the template with the heat maps and the form above them. `query`: the parameters of an
    address, which choose the measure, axes and filters (`sweep_figures.read_look`)."""
    look = read_look(sweep.axes, sweep.table, query)
    kept = query.copy()
    for name in NOT_LOOKED_FOR:
        kept.pop(name, None)
    return {
        "job": sweep,
        "look": look,
        "choices": choices_of(sweep.axes, sweep.table, look),
        "panels": panels_of(sweep.axes, sweep.table, look) if sweep.table else [],
        "panels_max": FACETS_MAX,
        "spread": look.measure in MEASURES,
        "query": kept.urlencode(),
    }


def socket_address(sweep: Sweep, query: QueryDict) -> str:
    """The address of the WebSocket that sends the page's maps whenever they change. ``query``: the parameters
    of the page's own address."""
    asked = query.copy()
    asked["lang"] = language_of(get_language())
    return f"/ws/sweeps/{sweep.id}/?{asked.urlencode()}"

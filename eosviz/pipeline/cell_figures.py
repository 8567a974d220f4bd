"""The figures of one cell of a sweep: shares with intervals, and distributions as bars and quantiles."""

from __future__ import annotations

from typing import Any

from engine.judge.bench import DATABASE_GUARANTEES, GUARANTEES, OF_TRANSACTIONS
from eosviz.pipeline.sweep_figures import MEAN_OF, SHARES, quantile, wilson
from eosviz.pipeline.sweep_measures import DATABASE_COUNTS, DISTRIBUTED, JUDGED, MEASURES, TRANSACTION_COUNTS

WIDTH, HEIGHT = 320, 60
BARS_MAX = 80

_ALWAYS = (*GUARANTEES, "failed")
"""The guarantees that are judged in every run with brokers; and `failed`, which is counted in every run."""

Json = dict[str, Any]


def cell_figures(row: Json) -> Json:
    """The figures of a cell. `shares`: which share of the runs broke a guarantee, had failed records or had
    aborted transactions, each with its interval. `broken`: the broken guarantees, each with a run that shows
    the breach. `spreads`: the distribution of each measure."""
    runs = row["runs"] - row["refused"]
    shares = []
    judged = {*_ALWAYS}
    if any(row.get(name) for name in TRANSACTION_COUNTS):
        judged |= {*OF_TRANSACTIONS, "aborted"}
    if any(row.get(name) for name in DATABASE_COUNTS):
        judged |= {*DATABASE_GUARANTEES}
    for name in SHARES:
        hits = row.get(f"runs_{name}", 0)
        if not (hits or name in judged):
            continue
        low, high = wilson(hits, runs)
        shares.append({"name": name, "hits": hits, "runs": runs, "share": hits / runs if runs else None,
                       "low": low, "high": high})  # fmt: skip
    broken = [{"name": name, **row[f"example_{name}"]} for name in JUDGED if row.get(f"example_{name}")]
    spreads = [
        _spread(MEAN_OF.get(name, name), row["distributions"][name])
        for name in DISTRIBUTED
        # A count that is zero in every run is left out.
        if any(value or name in MEASURES for value, _ in row["distributions"].get(name, []))
    ]
    return {"runs": runs, "shares": shares, "broken": broken, "spreads": spreads}


def _spread(name: str, distribution: list[list[int]]) -> Json:
    """A distribution as at most BARS_MAX bars of equal width, with its quantiles. ``distribution``: [value,
    number of runs], by value."""
    low, high = distribution[0][0], distribution[-1][0]
    width = (high - low) / BARS_MAX or 1
    piles: dict[int, int] = {}
    for value, runs in distribution:
        at = min(BARS_MAX - 1, int((value - low) / width))
        piles[at] = piles.get(at, 0) + runs
    most = max(piles.values())
    step = WIDTH / (max(piles) + 1)
    bars = [
        {"x": round(at * step, 1), "width": round(max(step - 0.5, 1), 1), "y": round(HEIGHT * (1 - runs / most), 1),
         "height": round(HEIGHT * runs / most, 1)}
        for at, runs in sorted(piles.items())
    ]  # fmt: skip
    quantiles = {f"p{share}": quantile(distribution, share / 100) for share in (5, 50, 95)}
    return {"name": name, "bars": bars, "low": low, "high": high, **quantiles}

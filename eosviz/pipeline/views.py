"""Pages about what ran on Spark."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from eosviz.pipeline.models import Sweep

SWEEPS_SHOWN = 50


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The sweeps that ran, newest first."""
    recent = Sweep.objects.recent()
    return render(
        request,
        "pipeline/index.html",
        {"sweeps": recent[:SWEEPS_SHOWN], "count": recent.count(), "shown": SWEEPS_SHOWN},
    )


@require_safe
def sweep(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    """The table of one sweep."""
    return render(request, "pipeline/sweep.html", {"sweep": get_object_or_404(Sweep, id=sweep_id)})

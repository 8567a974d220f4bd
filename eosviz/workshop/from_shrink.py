"""Makes a draft of the smaller scenario that a shrink found."""

from __future__ import annotations

import uuid

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from eosviz.accounts.request_types import SignedInRequest
from eosviz.pipeline.actions import JobRefused
from eosviz.pipeline.job_views import refused_page, seen_job
from eosviz.pipeline.models import Shrink
from eosviz.pipeline.shrink_views import scenario_text
from eosviz.workshop.actions import WorkshopRefused, from_text


@never_cache
@login_required
@require_POST
def from_shrink(request: SignedInRequest, shrink_id: uuid.UUID) -> HttpResponse:
    """Opens the smaller scenario in the builder, or shows a page that says why this is not possible."""
    job = seen_job(request, Shrink, shrink_id)
    back = job.get_absolute_url()
    if job.step is None:
        return refused_page(request, JobRefused("not_shrunk"), back)
    try:
        draft = from_text(request.user, scenario_text(job))
    except WorkshopRefused as refused:
        return refused_page(request, refused, back)
    return redirect("workshop:build", draft.id)

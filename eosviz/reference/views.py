"""Pages made from the engine's own tables."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from engine.profiles import PROFILES
from engine.scenario import library
from eosviz.reference import tables

REQUIREMENT_GROUPS = (
    "CPT",
    "GEN",
    "CFG",
    "MSG",
    "ACC",
    "SND",
    "TXM",
    "PID",
    "SEQ",
    "ORD",
    "LOG",
    "FND",
    "TXC",
    "OFS",
    "MRK",
    "FEN",
    "CON",
    "MW",
    "UIV",
    "CTR",
)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    context = {
        "machine_count": len(tables.machines()),
        "error_count": len(tables.errors()),
        "requirement_count": len(tables.requirements()),
    }
    return render(request, "reference/index.html", context)


@require_safe
def machines(request: HttpRequest) -> HttpResponse:
    """Every transition and refusal, as rows."""
    return render(request, "reference/machines.html", {"machines": list(tables.machines().values())})


@require_safe
@cache_control(max_age=300)
def machine(request: HttpRequest, name: str) -> JsonResponse:
    """One machine as the diagrams draw it (`engine.machine.Machine.to_json`)."""
    found = tables.machines().get(name)
    if found is None:
        raise Http404
    return JsonResponse(found.to_json())


@require_safe
def errors(request: HttpRequest) -> HttpResponse:
    return render(request, "reference/errors.html", {"errors": tables.errors()})


@require_safe
def versions(request: HttpRequest) -> HttpResponse:
    """What differs between the generations, and what a laboratory run may turn off."""
    context = {
        "profiles": list(PROFILES.values()),
        "versions": tables.versions(),
        "switches": tables.switches(),
    }
    return render(request, "reference/versions.html", context)


@require_safe
def requirements(request: HttpRequest) -> HttpResponse:
    known = tables.requirements()
    groups: list[dict[str, Any]] = [
        {
            "name": group,
            "key": f"reference.group.{group}",
            "rows": [
                {"identifier": identifier, "key": tables.REQUIREMENT + identifier}
                for identifier in known
                if identifier.startswith(f"{group}-")
            ],
        }
        for group in REQUIREMENT_GROUPS
    ]
    return render(request, "reference/requirements.html", {"groups": groups})


@require_safe
def requirement(request: HttpRequest, identifier: str) -> HttpResponse:
    """One requirement: its sentence, the rows that carry it out, the scenarios that show it."""
    if identifier not in tables.requirements():
        raise Http404
    context = {
        "identifier": identifier,
        "key": tables.REQUIREMENT + identifier,
        "rows": tables.used_by_rows().get(identifier, []),
        "scenarios": [
            {"identifier": found.id, "title": found.document["title"]}
            for found in library()
            if identifier in found.document.get("covers", ())
        ],
    }
    return render(request, "reference/requirement.html", context)

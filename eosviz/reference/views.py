"""The reference pages, which are made from the tables of the engine and of this site, and the search."""

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from engine.explain.machines import machine_json
from engine.explain.machines import machines as machine_tables
from engine.explain.requirements import GROUPS, text_key, text_keys_by_keeper
from engine.explain.sentences import LANGUAGES
from engine.profiles import PROFILES
from engine.pseudocode import documents
from engine.pseudocode.documents import components
from engine.scenario.shelf import entry, library
from engine.scenario.tracks import tracks
from engine.telling.comparison import COMPARISON
from eosviz.browser import browser_of
from eosviz.catalogue import language_of, say
from eosviz.reference import drawing, search_index, tables
from eosviz.reference.search_reasons import reason
from eosviz.reference.search_shelf import Entry
from eosviz.reference.search_terms import scenario_of
from eosviz.reference.signatures import signatures as known_signatures
from eosviz.reference.term_lessons import lesson_of
from eosviz.scenarios import choices
from eosviz.scenarios.cards import shelf
from eosviz.scenarios.libraries import behaviours, client_libraries
from eosviz.scenarios.templatetags.words import minute
from eosviz.walkthroughs.models import Session, SessionLine
from eosviz.walkthroughs.views import element_attributes

QUESTION_LENGTH = 400
"""A longer question is cut to this many characters. The search fields have the same limit (``maxlength``)."""
SCENARIOS_SHOWN = 8
OTHERS_SHOWN = 3
"""The search page shows at most so many scenarios, and so many entries of each other kind, with a link to the
others."""
SUGGESTED_MOST = 7
"""While a question is being typed, at most this many scenarios and pages are listed."""
FAR_SHOWN = 2
"""If entries hardly fit the question, at most this many of each kind are shown, by their titles only."""
KIND_SHOWN_MAX = 200
SESSIONS_SEARCHED = 200
"""At most this many sessions of one browser are searched."""
COMPARED = "MW-15"
"""The requirement that two-phase commit is compared with Kafka's transactions."""
REQUIREMENT_GROUPS = (*GROUPS, "CTR")


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    context = {
        "machine_count": len(machine_tables()),
        "component_count": len(components()),
        "error_count": len(tables.errors()),
        "signature_count": len(known_signatures()),
        "library_count": len(client_libraries()),
        "requirement_count": len(tables.requirements()),
        "contradiction_count": len(tables.requirement_rows(tables.CONTRADICTION)),
        "term_count": len(tables.terms(tables.TERM, tables.HOUSE)),
    }
    return render(request, "reference/index.html", context)


@require_safe
def machines(request: HttpRequest) -> HttpResponse:
    """The page of the state machines. Each is shown as a picture, and as a table of its transitions and
    refusals."""
    drawn = [(machine_json(machine), drawing.draw(machine)) for machine in machine_tables().values()]
    homes = {name: component for component in components().values() for name in component.machines}
    return render(request, "reference/machines.html", {"machines": drawn, "homes": homes})


@require_safe
@cache_control(max_age=300)
def machine(request: HttpRequest, name: str) -> JsonResponse:
    """Responds with one state machine as JSON, for diagrams (`engine.explain.machines.machine_json`)."""
    found = machine_tables().get(name)
    if found is None:
        raise Http404
    return JsonResponse(machine_json(found))


@require_safe
def code(request: HttpRequest) -> HttpResponse:
    """The page with the pseudocode of every component. Each line is shown with its requirements and its place
    in Kafka's source."""
    return render(request, "reference/code.html", {"components": components().values()})


@require_safe
@cache_control(max_age=300)
def code_json(request: HttpRequest) -> JsonResponse:
    """Responds with the pseudocode as JSON, with the links of each line, for the panel beside a step."""
    return JsonResponse(documents.to_json())


@require_safe
def errors(request: HttpRequest) -> HttpResponse:
    return render(request, "reference/errors.html", {"errors": tables.errors()})


@require_safe
def signatures(request: HttpRequest) -> HttpResponse:
    """The page of the signatures: symptoms of known faults, the affected versions, and the runs that show
    them."""
    return render(request, "reference/signatures.html", {"signatures": known_signatures()})


@require_safe
def libraries(request: HttpRequest) -> HttpResponse:
    """The page that says how client libraries behave, and in which runs this matters."""
    context = {"libraries": client_libraries(), "behaviours": behaviours()}
    return render(request, "reference/libraries.html", context)


@require_safe
def versions(request: HttpRequest) -> HttpResponse:
    """The page of those differences between Kafka's versions that the engine models, and of the switches that
    a scenario can set."""
    context = {
        "profiles": list(PROFILES.values()),
        "versions": tables.versions(),
        "switches": tables.switches(),
    }
    return render(request, "reference/versions.html", context)


@require_safe
def requirements(request: HttpRequest) -> HttpResponse:
    groups: list[dict[str, Any]] = [
        {
            "name": group,
            "key": f"reference.group.{group}",
            "rows": tables.requirement_rows(f"{group}-"),
        }
        for group in REQUIREMENT_GROUPS
    ]
    return render(request, "reference/requirements.html", {"groups": groups})


@require_safe
def requirement(request: HttpRequest, identifier: str) -> HttpResponse:
    """The page of one requirement, with its sentence, the rows that implement it, and the scenarios that show
    it."""
    if identifier not in tables.requirements():
        raise Http404
    context = {
        "identifier": identifier,
        "key": text_key(identifier),
        "by_keeper": [
            (f"reference.requirement.{keeper}", key)
            for keeper, key in text_keys_by_keeper(identifier).items()
        ],
        "rows": tables.used_by_rows().get(identifier, []),
        "is_compared": identifier == COMPARED or any(identifier in aspect.spec for aspect in COMPARISON),
        "scenarios": [
            {"identifier": found.id, "title": found.document["title"]}
            for found in library()
            if identifier in found.document.get("covers", ())
        ],
    }
    return render(request, "reference/requirement.html", context)


@require_safe
def contradictions(request: HttpRequest) -> HttpResponse:
    """The page that says where sources contradict each other, and what the engine does."""
    rows = tables.requirement_rows(tables.CONTRADICTION)
    return render(request, "reference/contradictions.html", {"rows": rows})


@require_safe
def middleware(request: HttpRequest) -> HttpResponse:
    """The page that compares two-phase commit over middleware with Kafka's transactions (MW-15)."""
    return render(request, "reference/middleware.html", {"aspects": COMPARISON})


@require_safe
def terms(request: HttpRequest) -> HttpResponse:
    groups = {"reference.terms.field": tables.TERM, "reference.terms.house": tables.HOUSE}
    shown = {
        heading: [
            (term, lesson_of(term.key) if group == tables.TERM else None) for term in tables.terms(group)
        ]
        for heading, group in groups.items()
    }
    return render(request, "reference/terms.html", {"groups": shown})


@require_safe
@cache_control(public=True, max_age=3600)
def logs_document(request: HttpRequest) -> FileResponse:
    """Sends the help of `manage.py logs` as text. A page that refuses a log because of its size links to
    it."""
    file = (settings.BASE_DIR / "docs" / "logs.md").open("rb")
    return FileResponse(file, content_type="text/plain; charset=utf-8", filename="logs.md")


@require_safe
def limits(request: HttpRequest) -> HttpResponse:
    """The page that says what the engine does not model."""
    return render(request, "reference/limits.html", {"limits": tables.limits()})


@require_safe
def player(request: HttpRequest) -> HttpResponse:
    """The page of the player's panels and keyboard shortcuts. The player's script draws them from its own
    lists. Without a script the page contains only their names."""
    context = {
        "names": [key for key in tables.player_words() if not key.startswith("player.guide.")],
        **element_attributes(),
    }
    return render(request, "reference/player.html", context)


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """The search page. It shows the first matches of each kind or, with `?kind=…`, up to KIND_SHOWN_MAX of
    one kind. If the question is only the id of a scenario (`sc44`), redirects to the scenario."""
    question = request.GET.get("q", "").strip()[:QUESTION_LENGTH]
    scenario = None if {"kind", "results"} & set(request.GET) else scenario_of(question)
    if scenario is not None:
        return redirect(_ADDRESSES[search_index.LESSON](scenario))
    language, own = language_of(get_language()), _own_sessions(request) if question else ()
    answer = search_index.answer(question, language, own)
    found, is_far = answer.found, answer.is_far
    only = kind if (kind := request.GET.get("kind", "")) in found else ""
    kinds: list[dict[str, Any]] = [
        {
            "name": name,
            "key": f"search.kind.{name}",
            "count": len(rows),
            "rows": _placed(
                rows[: KIND_SHOWN_MAX if only else FAR_SHOWN if is_far else _shown(name)], question, language
            ),
        }
        for name, rows in found.items()
        if name == (only or name)
    ]
    at = next((place for place, one in enumerate(kinds) if one["name"] == search_index.LESSON), 0)
    context = {
        "question": question,
        "is_partial": answer.is_partial,
        "is_far": is_far and not only,
        "has_marks": not is_far and any(_is_marked(row) for kind in kinds for row in kind["rows"]),
        "topics": [(name, f"library.question.{name}") for name in choices.VALUES["topic"]],
        "count": sum(len(rows) for rows in found.values()),
        "columns": [kinds[:at], kinds[at : at + 1], kinds[at + 1 :]],
        "only": only,
        "suggestions": say("search.suggestions", language_of(get_language())).split(", "),
    }
    return render(request, "reference/search.html", context)


@require_safe
def suggested(request: HttpRequest) -> HttpResponse:
    """Suggestions for a question that is being typed, as a part of a page: the first scenarios that the
    search page would show, and the first page to which a word of the question leads. For a number, only
    scenarios with the number in their id or title are suggested, since there is no space to say where else it
    occurs. For an empty question the response is empty, and the search prepares its index."""
    question = request.GET.get("q", "").strip()[:QUESTION_LENGTH]
    if question == "":
        search_index.prepare()
        return HttpResponse()
    answer = search_index.answer(question, language_of(get_language()))
    rows = [] if answer.is_far else answer.found.get(search_index.LESSON, [])
    if question.isdecimal():
        rows = [row for row in rows if question in row.identifier or question in row.title]
    led = [row for row in answer.found.get("page", []) if row.is_led][:1]
    shown = [*rows[: SUGGESTED_MOST - len(led)], *led]
    found = [{"found": row, "address": _ADDRESSES[row.kind](row.identifier)} for row in shown]
    return render(request, "reference/suggested.html", {"question": question, "rows": found})


def _shown(kind: str) -> int:
    return SCENARIOS_SHOWN if kind == search_index.LESSON else OTHERS_SHOWN


def _own_sessions(request: HttpRequest) -> list[Entry]:
    owned = Session.objects.of_browser(browser_of(request.session)).recent()[:SESSIONS_SEARCHED]
    return [
        search_index.session_entry(
            str(line.id),
            line.scenario,
            {language: line.title.get(language, line.scenario) for language in LANGUAGES},
            {language: _session_text(line, language) for language in LANGUAGES},
        )
        for line in owned.lines()
    ]


def _session_text(line: SessionLine, language: str) -> str:
    name = line.scenario if line.variant is None else f"{line.scenario}/{line.variant}"
    made = minute(line.created)
    return say("search.session", language, {"name": name, "step": line.newest, "made": made})


def _placed(rows: list[search_index.Found], question: str, language: str) -> list[dict[str, Any]]:
    """Each match as a dict with its address and the text to be shown."""
    shelved = {one.card.identifier: one for one in shelf()} if rows and rows[0].kind == "scenario" else {}
    return [
        {
            "found": row,
            "address": _ADDRESSES[row.kind](row.identifier),
            "run": next(iter(shelved[row.identifier].runs), None) if row.identifier in shelved else None,
            **_shown_text(row, question, language),
        }
        for row in rows
    ]


def _shown_text(row: search_index.Found, question: str, language: str) -> dict[str, Any]:
    """An excerpt of the match or, for a scenario, the passage or sign that answers the question. `shown_why`:
    key and value of a sentence that says why the entry matches, if nothing else shows it."""
    if row.kind == "track":
        held = row.asks_for(_scenarios_of(row.identifier))
        return {"text": row.excerpt_pieces, "shown_why": held and ("search.holds", ", ".join(held))}
    if row.kind != search_index.LESSON:
        return {"text": row.excerpt_pieces}
    why = reason(row.identifier, question, row.wishes)
    text = search_index.in_pieces(why.text[language], row.wishes)
    means = search_index.in_pieces(why.means.get(language, ""), row.wishes)
    if len(row.wishes) > 1 or search_index.is_marked(row.title_pieces, row.identifier_pieces, text, means):
        return {"text": text, "means": means}
    covered = row.asks_for(entry(row.identifier).document.get("covers", ()))
    elsewhere = row.excerpt_pieces
    return {
        "text": elsewhere if not covered and search_index.is_marked(elsewhere) else text,
        "shown_why": covered and ("search.covers", ", ".join(covered)),
    }


def _is_marked(row: Mapping[str, Any]) -> bool:
    found, text, means = row["found"], row["text"], row.get("means", ())
    return search_index.is_marked(found.identifier_pieces, found.title_pieces, text, means)


def _scenarios_of(track: str) -> list[str]:
    return [item.scenario for one in tracks() if one.name == track for item in one.items]


_ADDRESSES: dict[str, Callable[[str], str]] = {
    "track": lambda name: reverse("tracks:detail", args=[name]),
    "session": lambda name: reverse("walkthroughs:player", args=[name]),
    "scenario": lambda name: f"{reverse('walkthroughs:new')}?scenario={name}&lesson=open",
    "signature": lambda name: f"{reverse('reference:signatures')}#{name}",
    "library": lambda name: f"{reverse('reference:libraries')}#{name}",
    "term": lambda name: f"{reverse('reference:terms')}#{name}",
    "error": lambda name: f"{reverse('reference:errors')}#{name}",
    "page": reverse,
    "requirement": lambda name: reverse("reference:requirement", args=[name]),
    "limit": lambda name: f"{reverse('reference:limits')}#{name}",
}

"""The HTTP API, for programs that use no WebSocket. It has operations for most messages of docs/websocket.md,
except those that only pages need (such as `near_view`, `plan` and `present`). The page `/api/docs` shows the
OpenAPI document.

The session cookie identifies the caller, as on the pages. Every request except GET needs the CSRF token that
`GET /api/token` returns. `messages.py` reads the bodies of requests; the OpenAPI document contains the
schemas of the messages.
"""

from __future__ import annotations

import time
import uuid
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from kombu.exceptions import OperationalError
from ninja import NinjaAPI, Path, Query
from ninja.errors import HttpError, ValidationError
from ninja.security import APIKeyCookie

from eosviz.browser import browser_making, browser_of
from eosviz.refusals import Problem
from eosviz.scenarios.cards import cards
from eosviz.scenarios.models import ScenarioVersion
from eosviz.server_message import ErrorMessage, FromServer
from eosviz.walkthroughs import actions, explaining, matching, messages, questions, tasks
from eosviz.walkthroughs.api_document import DESCRIPTION, described, with_schemas
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.malformed import explained_parameter
from eosviz.walkthroughs.messages import Unreadable
from eosviz.walkthroughs.models import Command, Session
from eosviz.walkthroughs.unavailable import unavailable

ANSWER_SECONDS_MAX = 10.0
ANSWER_POLL_SECONDS = 0.02

STATUS = {
    "malformed": HTTPStatus.BAD_REQUEST,
    "unknown_type": HTTPStatus.BAD_REQUEST,
    "unsupported_version": HTTPStatus.BAD_REQUEST,
    "too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "too_frequent": HTTPStatus.TOO_MANY_REQUESTS,
    "not_found": HTTPStatus.NOT_FOUND,
    "conflict": HTTPStatus.CONFLICT,
    "refused": HTTPStatus.UNPROCESSABLE_ENTITY,
    "limit": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
}


class BrowserCookie(APIKeyCookie):
    """Accepts every caller, also an anonymous one. Checks the CSRF token for every method except GET."""

    param_name = settings.SESSION_COOKIE_NAME

    def authenticate(self, request: HttpRequest, key: str | None) -> str:
        return browser_of(request.session) or "no browser yet"


class Api(NinjaAPI):
    """Adds the schemas of `messages.py` to the OpenAPI document."""

    def get_openapi_schema(self, **options: Any) -> Any:
        return with_schemas(super().get_openapi_schema(**options))


api = Api(
    title="eosviz",
    version="1",
    description=DESCRIPTION,
    auth=BrowserCookie(),
    urls_namespace="api",
)

StepNumber = Annotated[int, Query(ge=0, le=10_000_000)]
BranchId = Annotated[str, Path(pattern=r"^[0-9]{1,18}$")]


def _json(content: Any, status: int = HTTPStatus.OK) -> HttpResponse:
    body = content if isinstance(content, bytes) else messages.encode(content)
    return HttpResponse(body, content_type="application/json", status=status)


def _answer(answer: FromServer) -> HttpResponse:
    if isinstance(answer, ErrorMessage):
        return _json(answer, STATUS[answer.code])
    return _json(answer)


@api.exception_handler(Problem)
def _on_problem(request: HttpRequest, problem: Problem) -> HttpResponse:
    return _answer(problem.message(None))


@api.exception_handler(Unreadable)
def _on_unreadable(request: HttpRequest, unreadable: Unreadable) -> HttpResponse:
    return _answer(unreadable.problem.message(unreadable.re))


@api.exception_handler(ValidationError)
def _on_validation(request: HttpRequest, error: ValidationError) -> HttpResponse:
    key, params = explained_parameter(error.errors[0])
    return _answer(Problem("malformed", key, **params).message(None))


@api.exception_handler(HttpError)
def _on_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    problem = Problem("refused", "no_token") if error.status_code == HTTPStatus.FORBIDDEN else None
    if problem is None:
        problem = Problem("malformed", "malformed", wrong=str(error))
    return _json(problem.message(None), error.status_code)


@api.exception_handler(DatabaseError)
def _on_database_error(request: HttpRequest, error: DatabaseError) -> HttpResponse:
    return _answer(unavailable(error, "not_stored").message(None))


def _owned(request: HttpRequest, session_id: uuid.UUID) -> Session:
    owned = Session.objects.of_browser(browser_of(request.session)).select_related("version")
    found = owned.filter(id=session_id).first()
    if found is None:
        raise Problem("not_found", "no_session")
    return found


@api.get("/token", auth=None, openapi_extra=described("Token"))
def token(request: HttpRequest) -> HttpResponse:
    """The CSRF token. Send it with every change, as the header `X-CSRFToken`, together with the cookies of
    this answer."""
    return _json({"token": get_token(request)})


@api.get("/limits", auth=None, openapi_extra=described("Limits"))
def limits(request: HttpRequest) -> HttpResponse:
    """How much one caller may ask for, as numbers."""
    return _json(LIMITS)


@api.get("/scenarios", auth=None, openapi_extra=described("Scenarios"))
def scenarios(request: HttpRequest) -> HttpResponse:
    """The library, with the variants of each scenario."""
    return _json({"scenarios": [msgspec.to_builtins(card) for card in cards()]})


@api.get("/sessions", openapi_extra=described("Sessions"))
def list_sessions(request: HttpRequest) -> HttpResponse:
    """The caller's own sessions, newest first. No session can be created beyond `sessions_per_browser`, but
    an account may have more, because signing in adds the sessions of the browser."""
    owned = Session.objects.of_browser(browser_of(request.session)).recent()
    return _json({"sessions": [questions.session_summary(session) for session in owned]})


@api.post("/sessions", openapi_extra=described("Welcome", body="NewSession", errors=(400, 403, 404, 422)))
def create_session(request: HttpRequest) -> HttpResponse:
    """Creates a session at step 0. Each call creates another session."""
    wanted = messages.read_new_session(request.body)
    version = ScenarioVersion.objects.library().filter(identifier__iexact=wanted.scenario).first()
    if version is None:
        raise Problem("not_found", "no_scenario", scenario=wanted.scenario)
    session = actions.create_session(browser_making(request), version, wanted.variant)
    return _json(questions.welcome(session, ""), HTTPStatus.CREATED)


@api.get("/sessions/{uuid:session_id}", openapi_extra=described("Welcome", errors=(404,)))
def read_session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """The session with its header and branches: the same message as the answer to `hello`."""
    return _json(questions.welcome(_owned(request, session_id), ""))


@api.delete("/sessions/{uuid:session_id}", openapi_extra=described(None, errors=(403, 404)))
def delete_session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Deletes the session with everything in it."""
    actions.delete_session(browser_of(request.session), session_id)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@api.post(
    "/sessions/{uuid:session_id}/commands",
    openapi_extra=described(
        "Done", body="Command", accepted=True, errors=(400, 403, 404, 409, 413, 422, 503)
    ),
)
def carry_out(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """`advance`, `run_until`, `branch` or `intervene`, as over the socket but without `ahead` and `present`,
    and once per id. 202 when the answer takes longer: read it at the address in `Location`, or send the same
    request again."""
    session = _owned(request, session_id)
    command = messages.read_message(request.body)
    if not isinstance(command, messages.Command):
        raise Unreadable(Problem("unknown_type", "not_a_command"), str(command.id))
    pauses = questions.pauses_when_asked(session.id, command)
    try:
        tasks.carry_out.apply_async([str(session.id), messages.encode(command).decode(), pauses])
    except (OperationalError, OSError) as error:
        raise unavailable(error, "no_worker") from None
    deadline = time.monotonic() + ANSWER_SECONDS_MAX
    while time.monotonic() < deadline:
        answer = _stored_answer(session, command.id)
        if answer is not None:
            return _answer(answer)
        time.sleep(ANSWER_POLL_SECONDS)
    response = _json({"command": str(command.id)}, HTTPStatus.ACCEPTED)
    response["Location"] = f"/api/sessions/{session.id}/commands/{command.id}"
    return response


def _stored_answer(session: Session, command_id: uuid.UUID) -> messages.CommandAnswer | None:
    stored = Command.objects.filter(session=session, identifier=command_id).first()
    return None if stored is None else messages.read_command_answer(bytes(stored.answer))


@api.get(
    "/sessions/{uuid:session_id}/commands/{uuid:command_id}",
    openapi_extra=described("Done", errors=(404, 409, 422)),
)
def read_command(request: HttpRequest, session_id: uuid.UUID, command_id: uuid.UUID) -> HttpResponse:
    """The answer to a command that was carried out."""
    answer = _stored_answer(_owned(request, session_id), command_id)
    if answer is None:
        raise Problem("not_found", "no_command", command=str(command_id))
    return _answer(answer)


@api.post(
    "/sessions/{uuid:session_id}/branches/{branch_id}/pause",
    openapi_extra=described("Paused", errors=(400, 403, 404)),
)
def pause(request: HttpRequest, session_id: uuid.UUID, branch_id: BranchId) -> HttpResponse:
    """Stop making steps for this branch."""
    pauses = actions.pause(_owned(request, session_id).id, int(branch_id))
    return _json({"branch": branch_id, "pauses": pauses})


@api.get(
    "/sessions/{uuid:session_id}/branches/{branch_id}/steps",
    openapi_extra=described("Steps", errors=(400, 404, 422)),
)
def window(
    request: HttpRequest,
    session_id: uuid.UUID,
    branch_id: BranchId,
    first: Annotated[int, Query(alias="from", ge=0, le=10_000_000)],
    last: Annotated[int, Query(alias="to", ge=0, le=10_000_000)],
) -> HttpResponse:
    """Stored steps of the branch and its ancestors, at most `window_steps` of them."""
    if not 0 <= last - first < LIMITS.window_steps:
        raise Problem("limit", "window_too_wide", steps=LIMITS.window_steps)
    branch = questions.branch_of(_owned(request, session_id).id, branch_id)
    return _json(questions.window_message(branch, first, last))


@api.get(
    "/sessions/{uuid:session_id}/branches/{branch_id}/keyframe",
    openapi_extra=described("KeyframeAnswer", errors=(400, 404)),
)
def keyframe(
    request: HttpRequest, session_id: uuid.UUID, branch_id: BranchId, number: StepNumber
) -> HttpResponse:
    """The stored view nearest at or before a step."""
    branch = questions.branch_of(_owned(request, session_id).id, branch_id)
    return _json(questions.keyframe_answer(branch, number, ""))


@api.post(
    "/sessions/{uuid:session_id}/search",
    openapi_extra=described("FoundSteps", body="Search", errors=(400, 403, 404, 413, 422)),
)
def search(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """The stored steps at which conditions hold: `search`, exactly as over the socket."""
    session = _owned(request, session_id)
    asked = messages.read_message(request.body)
    if not isinstance(asked, messages.Search):
        raise Unreadable(Problem("unknown_type", "not_a_search"), str(asked.id))
    return _json(questions.found_steps(session.id, asked))


@api.get(
    "/sessions/{uuid:session_id}/branches/{branch_id}/transactions",
    openapi_extra=described("Transactions", errors=(400, 404)),
)
def transactions(request: HttpRequest, session_id: uuid.UUID, branch_id: BranchId) -> HttpResponse:
    """The newest transactions among the steps of the branch and its ancestors."""
    return _json(questions.transaction_lines(_owned(request, session_id).id, branch_id, ""))


@api.post(
    "/sessions/{uuid:session_id}/rename",
    openapi_extra=described("Renamed", body="Rename", errors=(400, 403, 404, 413, 422)),
)
def rename(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Rename a branch: `rename`, exactly as over the socket."""
    session = _owned(request, session_id)
    asked = messages.read_message(request.body)
    if not isinstance(asked, messages.Rename):
        raise Unreadable(Problem("unknown_type", "not_a_rename"), str(asked.id))
    name = actions.rename(session.id, asked.branch, asked.name)
    return _json(messages.Renamed(re=str(asked.id), branch=asked.branch, name=name))


@api.get("/conditions", auth=None, openapi_extra=described("Conditions"))
def conditions(
    request: HttpRequest,
    version: Annotated[str, Query(max_length=20)] = "",
    client: Annotated[list[str] | None, Query(max_length=9)] = None,
) -> HttpResponse:
    """The names that the conditions of `run_until` and `search` may contain; of rules, only the groups.
    `version`: leaves out the kinds, states and errors that no run of this Kafka version has. `client`, which
    may be repeated: the versions of further clients in the run, whose states are included."""
    return _json(matching.choices_in(version, client or ()))


@api.get(
    "/sessions/{uuid:session_id}/branches/{branch_id}/actions",
    openapi_extra=described("Actions", errors=(400, 404, 409, 422)),
)
def offered(
    request: HttpRequest,
    session_id: uuid.UUID,
    branch_id: BranchId,
    number: StepNumber,
    kind: Annotated[str, Query(max_length=20)],
    id: Annotated[str, Query(max_length=200)],
) -> HttpResponse:
    """What can be done to a selected object at a step, and why other actions are impossible."""
    question = messages.ask_actions(branch_id, number, kind, id)
    session = _owned(request, session_id)
    return _json(messages.Actions(re="", actions=actions.offered(session.id, question)))


@api.get(
    "/sessions/{uuid:session_id}/branches/{branch_id}/why",
    openapi_extra=described("Why", errors=(400, 404, 409, 422)),
)
def explained(
    request: HttpRequest,
    session_id: uuid.UUID,
    branch_id: BranchId,
    number: StepNumber,
    kind: Annotated[str | None, Query(max_length=20)] = None,
    id: Annotated[str | None, Query(max_length=200)] = None,
    question: Annotated[str | None, Query(max_length=20)] = None,
    subject: Annotated[str, Query(max_length=300)] = "",
) -> HttpResponse:
    """The questions about the selected object at a step (without `kind` and `id`: about what stands out), and the
    answer to `question`, or else to the first of them."""
    wanted: dict[str, Any] = {"question": question, "subject": subject}
    if kind is not None or id is not None:
        wanted["selection"] = {"kind": kind or "", "id": id or ""}
    asked = messages.ask_why(branch_id, number, **wanted)
    session = _owned(request, session_id)
    return _json(explaining.explained(session.id, asked))

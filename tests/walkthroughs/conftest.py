"""Sessions of real scenarios, and the server around them without processes of its own."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from eosviz.scenarios.models import ScenarioVersion
from eosviz.server_message import ErrorMessage
from eosviz.walkthroughs import actions
from eosviz.walkthroughs.deriving import sent_bodies
from eosviz.walkthroughs.messages import AnyFromPage, CommandAnswer, Done, read_message
from eosviz.walkthroughs.models import Branch, Session, Step
from eosviz.walkthroughs.simulations import earlier, recent

BROWSER = "a" * 48


@pytest.fixture(autouse=True)
def _no_simulation_of_another_test() -> Iterator[None]:
    recent.clear()
    earlier.clear()
    yield
    recent.clear()
    earlier.clear()


def version(scenario: str) -> ScenarioVersion:
    return ScenarioVersion.objects.library().get(identifier=scenario)


def stranger(scenario: str, **changed: Any) -> ScenarioVersion:
    """Return a version of a scenario that is not the library's: it has another English title, and the fields in
    `changed`.
    """
    document = version(scenario).document
    document["title"]["en"] = "Of a stranger"
    return ScenarioVersion.objects.of_document(scenario, document | changed)


@pytest.fixture
def start(db: None) -> Callable[..., Session]:
    """A function: `start("SC-03")` returns a new session of this browser."""

    def start(scenario: str = "SC-03", variant: str | None = None, browser: str = BROWSER) -> Session:
        return actions.create_session(browser, version(scenario), variant)

    return start


@pytest.fixture
def long_session(db: None) -> Session:
    """A run of more than a thousand steps: the cluster of SC-03 without its fault, and two hundred sends."""
    document = version("SC-03").document
    calls = [{"at": 20 * number, "do": "send", "partition": f"t-{number % 2}"} for number in range(200)]
    document["applications"][0]["calls"] = calls
    document["faults"] = []
    del document["expect"]
    return actions.create_session(BROWSER, ScenarioVersion.objects.of_document("LONG", document))


@pytest.fixture
def session(start: Callable[..., Session]) -> Session:
    return start()


def root(session: Session) -> Branch:
    return Branch.objects.of_session(session.id)[0]


def message(
    type: str, branch: Branch | None = None, id: uuid.UUID | None = None, **fields: Any
) -> AnyFromPage:
    """Return a message as the page would send it."""
    content: dict[str, Any] = {"v": 1, "id": str(id or uuid.uuid4()), "type": type, **fields}
    if branch is not None:
        content["branch"] = str(branch.id)
    return read_message(msgspec.json.encode(content))


def carry_out(session: Session, type: str, branch: Branch, **fields: Any) -> CommandAnswer:
    return actions.carry_out(session.id, message(type, branch, **fields))  # type: ignore[arg-type]


def done(answer: CommandAnswer) -> Done:
    assert isinstance(answer, Done), answer
    return answer


def error(answer: CommandAnswer) -> ErrorMessage:
    assert isinstance(answer, ErrorMessage), answer
    return answer


def created(answer: CommandAnswer) -> Branch:
    """Return the branch that the command created."""
    name = done(answer).created
    assert name is not None
    return Branch.objects.get(id=int(name))


def numbers(branch: Branch) -> list[int]:
    """Return the numbers of the steps that are stored for this branch itself, without its ancestors."""
    return list(Step.objects.filter(branch=branch).order_by("number").values_list("number", flat=True))


def line_bodies(branch: Branch) -> list[bytes]:
    branch.refresh_from_db()
    return Step.objects.of_line(Branch.objects.line(branch), 1, branch.newest).bodies()


def line_sent(branch: Branch) -> list[bytes]:
    """Return the steps of the branch's line as pages get them."""
    branch.refresh_from_db()
    return sent_bodies(Branch.objects.line(branch), 1, branch.newest)

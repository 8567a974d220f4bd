"""Sessions of real scenarios, stepped with the commands that pages send."""

import io
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from eosviz.replays import actions as replay_actions
from eosviz.replays import exporting
from eosviz.replays.models import ExportState
from eosviz.replays.stores import exports
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs import actions
from eosviz.walkthroughs.messages import Done, read_message
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.simulations import earlier, recent, simulate_to

BROWSER = "b" * 48


@pytest.fixture(autouse=True)
def _no_simulation_of_another_test() -> Iterator[None]:
    """Drops the kept simulations, because a branch of another test may have the same id after a rollback."""
    for kept in (recent, earlier):
        kept.clear()
    yield


@pytest.fixture
def start(db: None) -> Callable[..., Session]:
    """A function: `start("SC-03")` returns a session of this browser at step 0."""

    def start(scenario: str = "SC-03", variant: str | None = None, browser: str = BROWSER) -> Session:
        version = ScenarioVersion.objects.library().get(identifier=scenario)
        return actions.create_session(browser, version, variant)

    return start


def command(session: Session, type: str, branch: Branch, **fields: Any) -> Done:
    """Carry out a command as if a page had sent it."""
    content = {"v": 1, "id": str(uuid.uuid4()), "type": type, "branch": str(branch.id), **fields}
    answer = actions.carry_out(session.id, read_message(msgspec.json.encode(content)))  # type: ignore[arg-type]
    assert isinstance(answer, Done), answer
    branch.refresh_from_db()
    return answer


def root(session: Session) -> Branch:
    return Branch.objects.of_session(session.id)[0]


def walk_to_end(session: Session, branch: Branch) -> None:
    while branch.finished is None:
        command(session, "run_until", branch, after=branch.newest, until="end", limit=5000)


def with_branch(session: Session) -> Branch:
    """Go back to a step at which a message is under way, drop the message, and make some steps on the new branch.
    Returns the branch.
    """
    branch = root(session)
    for at in range(10, branch.newest):
        under_way = simulate_to([branch], at).view()["network"]["messages"]
        if under_way:
            intervention = {"action": "drop_message", "message": int(min(under_way, key=int))}
            done = command(session, "intervene", branch, after=at, intervention=intervention)
            child = Branch.objects.get(id=int(done.created or 0))
            command(session, "advance", child, after=child.newest, count=40)
            return child
    raise AssertionError("no message is ever under way")


@pytest.fixture
def branched(start: Callable[..., Session]) -> Session:
    """SC-03 played to its end after an intervention, and a branch of it with another intervention."""
    session = start("SC-03")
    first = root(session)
    command(session, "advance", first, after=0, count=8)
    pause = {"action": "pause", "actor": "broker-3"}
    command(session, "intervene", first, after=8, intervention=pause)
    walk_to_end(session, first)
    with_branch(session)
    return session


def made(session: Session, form: str, branch: Branch | None = None) -> bytes:
    """Return the file of an export in the form ``form``, of one branch or of the whole session."""
    export = exporting.begin(BROWSER, session, branch, form, "en")
    exporting.carry_out(export.id)
    export.refresh_from_db()
    assert (export.state, export.done) == (ExportState.DONE, export.total), export.refusal
    with exports.open(export.place) as file:
        content = file.read()
    assert export.bytes == len(content)
    return content


def exported(session: Session) -> bytes:
    return b"".join(replay_actions.export_session(session))


def imported(file: bytes, owner: str = BROWSER) -> Any:
    return replay_actions.import_replay(io.BytesIO(file), owner)

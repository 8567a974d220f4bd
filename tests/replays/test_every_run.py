"""Every run of the library is exported as a file and verified after its import: at its end, and with branches on
which a person intervened, one of them a branch of another.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from random import Random

import pytest

from engine.errors import Refused
from engine.interventions import check_intervention
from engine.simulation import Simulation
from eosviz.replays import exporting
from eosviz.replays.actions import export_session
from eosviz.replays.carriers import read
from eosviz.replays.checking import check
from eosviz.replays.forms import FORMS
from eosviz.replays.models import ExportState
from eosviz.replays.stores import exports
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.simulations import simulate_to
from tests.engine.every_run import WITH_DOCUMENTS
from tests.replays.conftest import BROWSER, command, exported, root, walk_to_end
from tests.rotation import part

QUICK = 8
"""How many runs the quick tests take; which ones changes with the code of the engine or the replays."""
STEPS_ON_A_BRANCH = 40
ON_MESSAGES = ("drop_message", "delay_message", "duplicate_message", "reorder_message", "disconnect_message")
ON_ACTORS = ("crash", "pause")


def what_can_be_done(simulation: Simulation, generator: Random) -> dict[str, object] | None:
    """Return an intervention that is possible here, or None."""
    world = simulation.world
    tried: list[dict[str, object]] = [
        {"action": action, "message": message, **({"by": 25} if action == "delay_message" else {})}
        for message in sorted(world.network.under_way)
        for action in ON_MESSAGES
    ]
    actors = [*world.clients, *world.consumers, *world.brokers, *world.nodes]
    tried += [{"action": action, "actor": actor} for actor in actors for action in ON_ACTORS]
    for intervention in sorted(tried, key=lambda one: generator.random()):
        try:
            check_intervention(simulation, intervention)
        except Refused:
            continue
        return intervention
    return None


def with_interventions(session: Session, generator: Random) -> Branch:
    """Make a branch from the middle of the first one, intervene again at its end, and make a branch of this branch.
    Returns the last one.
    """
    branch = root(session)
    at = branch.newest // 2
    for _ in range(2):
        line = Branch.objects.line(branch)
        intervention = what_can_be_done(simulate_to(line, at), generator)
        assert intervention is not None, f"nothing can be done after step {at}"
        done = command(session, "intervene", branch, after=at, intervention=intervention)
        if done.created:
            branch = Branch.objects.get(id=int(done.created))
        if branch.finished is None:
            command(session, "advance", branch, after=branch.newest, count=STEPS_ON_A_BRANCH)
        at = branch.newest
    leaves = (branch.leaves_at + branch.newest) // 2
    done = command(session, "branch", branch, at=leaves)
    child = Branch.objects.get(id=int(done.created or 0))
    if child.finished is None:
        command(session, "advance", child, after=child.newest, count=STEPS_ON_A_BRANCH)
    return child


def check_run(start: Callable[..., Session], scenario: str, variant: str | None) -> Session:
    """Check the whole session at its end, the whole session with its branches, and the last branch alone."""
    session = start(scenario, variant)
    walk_to_end(session, root(session))
    verified(exported(session), f"{scenario}/{variant} at its end")
    child = with_interventions(session, Random(f"{scenario} {variant}"))
    verified(exported(session), f"{scenario}/{variant} with branches")
    verified(b"".join(export_session(session, child)), f"{scenario}/{variant}, the last branch")
    return session


def verified(file: bytes, what: str) -> None:
    checked = check(io.BytesIO(file), read)
    assert checked.finding.state == "verified", f"{what}: {checked.finding}"
    assert checked.finding.checked == checked.recording.steps > 0


@pytest.mark.parametrize(("scenario", "variant"), part(WITH_DOCUMENTS, QUICK, "engine", "eosviz/replays"))
def test_a_run_comes_back_verified(start: Callable[..., Session], scenario: str, variant: str | None) -> None:
    check_run(start, scenario, variant)


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "variant"), WITH_DOCUMENTS)
def test_every_run_comes_back_verified_in_every_form(
    start: Callable[..., Session], scenario: str, variant: str | None
) -> None:
    session = check_run(start, scenario, variant)
    for form in (name for name, one in FORMS.items() if one.is_replay):
        export = exporting.begin(BROWSER, session, None, form, "en")
        exporting.carry_out(export.id)
        export.refresh_from_db()
        assert export.state == ExportState.DONE, export.refusal
        with exports.open(export.place) as file:
            verified(file.read(), f"{scenario}/{variant} as {form}")

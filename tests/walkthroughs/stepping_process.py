"""Carries out commands like a worker, in a process of its own: each line of input is a JSON object, and so is each
line of output.

`{"scenario": …}` creates a session; the answer has its id and branch. The answer to `{"replay": id}` has the digest
of a session's replay file and whether it is verified. Any other line is a command without version and id; its answer
has `engine_steps`: how many steps the engine of this process made for it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

from eosviz.launch.places import ROOT
from tests.first_database import NAME, put_first_database

BROWSER = "a" * 48


class SteppingProcess:
    """The process, as its caller sees it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.walkthroughs.stepping_process"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **line: Any) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the process ended"
        decoded: dict[str, Any] = json.loads(answer)
        return decoded

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)


def environment_of(folder: Path, **variables: str) -> dict[str, str]:
    """Return the environment of a site with a database of its own: the empty one in `DATABASE_URL`, or else a file."""
    chosen = {
        **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
        "DJANGO_SETTINGS_MODULE": "eosviz.settings.development",
        "EOSVIZ_DATA": str(folder),
        **variables,
    }
    if "DATABASE_URL" in chosen:
        manage = [sys.executable, "manage.py", "migrate", "--noinput", "-v", "0"]
        subprocess.run(manage, cwd=ROOT, env=chosen, check=True, timeout=600)
    else:
        put_first_database(folder / NAME)
    return chosen


def main() -> None:
    import django

    django.setup()
    from engine.simulation import Simulation
    from engine.step import Step
    from eosviz.replays.actions import export_session, import_replay
    from eosviz.scenarios.models import ScenarioVersion
    from eosviz.walkthroughs import actions, messages
    from eosviz.walkthroughs.models import Branch, Session

    made = 0
    step = Simulation.step

    def counted(simulation: Simulation) -> Step | None:
        nonlocal made
        found = step(simulation)
        made += found is not None
        return found

    Simulation.step = counted  # type: ignore[method-assign, assignment]  # as a method of its own
    for line in sys.stdin:
        asked = json.loads(line)
        if "scenario" in asked:
            version = ScenarioVersion.objects.library().get(identifier=asked["scenario"])
            session = actions.create_session(BROWSER, version)
            answer = {"session": str(session.id), "branch": str(Branch.objects.of_session(session.id)[0].id)}
            print(json.dumps(answer), flush=True)
            continue
        if "replay" in asked:
            file = b"".join(export_session(Session.objects.get(id=asked["replay"])))
            replay = import_replay(io.BytesIO(file), BROWSER)
            digest = hashlib.sha256(gzip.decompress(file)).hexdigest()
            print(json.dumps({"sha256": digest, "state": replay.state}), flush=True)
            continue
        session_id, made = uuid.UUID(asked.pop("session")), 0
        command = messages.read_message(json.dumps({"v": 1, "id": str(uuid.uuid4()), **asked}).encode())
        answered = json.loads(messages.encode(actions.carry_out(session_id, command)))  # type: ignore[arg-type]
        print(json.dumps({**answered, "engine_steps": made}), flush=True)


if __name__ == "__main__":
    main()

"""`python -m benchmarks.stored_session STEPS` stores a session of STEPS steps in the data folder of a site; `… wide
STEPS` stores one with many producers, partitions and brokers; `… many COUNT` stores COUNT sessions of the library's
scenarios with two steps each.

The product's own actions make the sessions. The command prints a path, the cookie of the browser that owns the
sessions, and the number of steps, as JSON.
"""

import json
import os
import sys
import uuid
from collections.abc import Callable
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")
django.setup()

from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.urls import reverse  # noqa: E402

from benchmarks.generated import generated_document, wide_document  # noqa: E402
from eosviz.browser import BROWSER_KEY  # noqa: E402
from eosviz.scenarios.models import ScenarioVersion  # noqa: E402
from eosviz.walkthroughs import actions  # noqa: E402
from eosviz.walkthroughs.messages import Advance, Done, RunUntil  # noqa: E402

OWNER = "benchmark"


def main(steps: int, document_of: Callable[[int], dict[str, Any]] = generated_document) -> None:
    version = ScenarioVersion.objects.of_document("GENERATED", document_of(steps))
    session = actions.create_session(OWNER, version)
    branch = session.branches.get()
    newest = 0
    while newest < steps:
        command = RunUntil(v=1, id=uuid.uuid4(), branch=str(branch.id), after=newest, until="end")
        done = actions.carry_out(session.id, command)
        if not isinstance(done, Done) or done.newest == newest:
            raise SystemExit(f"the session could not be made: {done}")
        newest = done.newest
    report_response(reverse("walkthroughs:player", args=[session.id]), newest)


def many(count: int) -> None:
    versions = list(ScenarioVersion.objects.library())
    for number in range(count):
        session = actions.create_session(OWNER, versions[number % len(versions)])
        branch = session.branches.get()
        actions.carry_out(session.id, Advance(v=1, id=uuid.uuid4(), branch=str(branch.id), after=0, count=2))
    report_response(reverse("scenarios:library"), 2)


def report_response(path: str, steps: int) -> None:
    cookies = SessionStore()
    cookies[BROWSER_KEY] = OWNER
    cookies.save()
    print(json.dumps({"path": path, "cookie": cookies.session_key, "steps": steps}))


if __name__ == "__main__":
    if sys.argv[1] == "many":
        many(int(sys.argv[2]))
    elif sys.argv[1] == "wide":
        main(int(sys.argv[2]), wide_document)
    else:
        main(int(sys.argv[1]))

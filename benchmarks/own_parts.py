"""Benchmark `own-parts`: what three parts of this project gain over those of the libraries, each pair measured in
turns: the SQLite backend, the interpreter's switch interval, and the list of a browser's sessions.

`python -m benchmarks.own_parts sqlite ENGINE` and `… hand-over SECONDS` measure one side once, in a process of its
own.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from benchmarks.report import percentile
from benchmarks.turns import in_turns, report_rounds
from eosviz.interpreter import HAND_OVER_SECONDS
from eosviz.launch.places import ROOT

THREADS, COMMITS, ROWS = 8, 60, 4
HAND_OVERS = 8
SESSIONS = 1000
LIBRARY_HAND_OVER_SECONDS = 0.005
LIST = """{% load words %}{% for session in sessions %}<li class="session">
<a href="{% url 'walkthroughs:player' session.id %}"><b>{{ session.scenario }}</b> {{ session.title|in_language }}</a>
<span class="quiet num">{% say "library.session_steps" newest=session.newest %} · {% say "library.session_branches" \
branch_count=session.branch_count %} · <time datetime="{{ session.created|minute }}Z">{{ session.created|minute }}\
</time></span>
<button class="small" form="delete-session" formaction="{% url 'walkthroughs:delete' session.id %}" aria-label="\
{% say 'library.delete_session' scenario=session.scenario when=session.created|minute %}">\
{% say "library.delete" %}</button>
</li>
{% endfor %}"""
"""The list as a Django template, for comparison."""


def main() -> None:
    """Print each side's median of five rounds and, in the lines after it, the least and the most."""
    _compare(
        "sqlite_commit_p95", "ms", "sqlite", {"own": "eosviz.sqlite3", "stock": "django.db.backends.sqlite3"}
    )
    own, stock = str(HAND_OVER_SECONDS), str(LIBRARY_HAND_OVER_SECONDS)
    _compare("hand_over_beside_computing", "ms", "hand-over", {"own": own, "stock": stock})
    _session_lists()


def _compare(name: str, unit: str, what: str, sides: dict[str, str]) -> None:
    def in_own_process(argument: str) -> float:
        command = [sys.executable, "-m", "benchmarks.own_parts", what, argument]
        return float(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)

    _report(
        name, unit, in_turns({side: partial(in_own_process, argument) for side, argument in sides.items()})
    )


def _report(name: str, unit: str, found: Mapping[str, list[float]]) -> None:
    for side, values in found.items():
        report_rounds(f"{name}_{side}", values, unit)


def sqlite(engine: str) -> float:
    """Eight threads commit a few rows each, with pauses. Returns the milliseconds of a commit at p95."""
    import django
    from django.conf import settings

    with tempfile.TemporaryDirectory() as folder:
        database = {
            "ENGINE": engine,
            "NAME": str(Path(folder, "db.sqlite3")),
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
        settings.configure(DATABASES={"default": database})
        django.setup()
        return _commits()


def _commits() -> float:
    from django.db import connection, transaction

    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE steps (id INTEGER PRIMARY KEY, body BLOB)")
    seconds: list[float] = []
    body = os.urandom(4000)

    def commit(seed: int) -> None:
        pauses = random.Random(seed)
        for _ in range(COMMITS):
            time.sleep(pauses.uniform(0, 0.03))
            begin = time.perf_counter()
            with transaction.atomic(), connection.cursor() as cursor:
                for _ in range(ROWS):
                    cursor.execute("INSERT INTO steps (body) VALUES (%s)", [body])
            seconds.append(time.perf_counter() - begin)
        connection.close()

    threads = [threading.Thread(target=commit, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connection.close()
    return percentile(seconds, 0.95) * 1000


def hand_over(seconds: float) -> float:
    """One thread releases the interpreter eight times, as a click does, while another thread computes. Returns the
    milliseconds of the first thread at p50. ``seconds``: the interpreter's switch interval.
    """
    sys.setswitchinterval(seconds)
    ended = threading.Event()

    def compute() -> None:
        number = 0
        while not ended.is_set():
            for _ in range(10_000):
                number = (number * 31 + 7) % 1_000_003

    thread = threading.Thread(target=compute)
    thread.start()
    clicks = []
    for _ in range(60):
        begin = time.perf_counter()
        for _ in range(HAND_OVERS):
            time.sleep(0.0002)
        clicks.append(time.perf_counter() - begin)
        time.sleep(0.005)
    ended.set()
    thread.join()
    return statistics.median(clicks) * 1000


def _session_lists() -> None:
    """Measure the processor time of the same list of 1,000 sessions made by Python code and by a template."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.test")
    import django

    django.setup()
    from django.template import Context, Template
    from django.utils import translation

    from eosviz.walkthroughs.models import SessionLine

    sessions = [
        SessionLine(
            id=uuid.UUID(int=number),
            scenario="SC-03",
            variant=None,
            title={"en": "A title", "zh-Hans": "标题"},
            created=datetime(2026, 1, 1, 10),  # noqa: DTZ001
            newest=number % 200,
            branch_count=1,
        )
        for number in range(SESSIONS)
    ]
    own = Template("{% load sessions %}{% session_items sessions %}")
    sides = {"own": own, "stock": Template(LIST)}

    def rendered(template: Template) -> float:
        begin = time.process_time()
        template.render(Context({"sessions": sessions}))
        return (time.process_time() - begin) * 1000

    with translation.override("en"):
        rendered(own)  # The first call reads the catalogue and does not count.
        found = in_turns({side: partial(rendered, template) for side, template in sides.items()})
    _report("session_list", "ms", found)


def one_side(arguments: Sequence[str]) -> None:
    what, argument = arguments
    print(sqlite(argument) if what == "sqlite" else hand_over(float(argument)))


if __name__ == "__main__":
    one_side(sys.argv[1:])

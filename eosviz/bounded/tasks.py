"""The kinds of bounded processes. Each has a function, limits, and the sentence that is shown if a limit is
exceeded. Does not import Django."""

from __future__ import annotations

from dataclasses import dataclass, replace

MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One kind of bounded process. `beyond`: the key of the sentence that is shown if it exceeds its limits.
    `interactive`: whether a person is waiting for it in an open page."""

    name: str
    work: str
    """`module:function`. The function takes the question as bytes and the request's folder, and returns the
    answer as bytes."""
    processor_seconds: int
    memory_bytes: int
    clock_seconds: int
    """The longest time from start to end. It is much longer than `processor_seconds`, because a busy machine
    may need long for little work."""
    beyond: str
    interactive: bool = False


_TRIAL = Task(
    name="trial", work="eosviz.workshop.trial:answer", interactive=True,
    processor_seconds=20, memory_bytes=1024 * MEBIBYTE, clock_seconds=120,
    beyond="workshop.refused.too_much",
)  # fmt: skip
_REPLAY = Task(
    name="replay", work="eosviz.replays.bounded_check:check_import",
    processor_seconds=80, memory_bytes=1536 * MEBIBYTE, clock_seconds=300,
    beyond="replays.refused.check_too_much",
)  # fmt: skip
_LOG = Task(
    name="log", work="eosviz.replays.log_analysis:analyse",
    processor_seconds=30, memory_bytes=1536 * MEBIBYTE, clock_seconds=300,
    beyond="replays.refused.log_too_much",
)  # fmt: skip

TASKS = {
    task.name: task
    for task in (
        _TRIAL,
        replace(_TRIAL, name="outcomes", interactive=False),
        Task(
            name="edit", work="eosviz.scenarios.editing:answer", interactive=True,
            processor_seconds=20, memory_bytes=512 * MEBIBYTE, clock_seconds=60,
            beyond="workshop.refused.edit_too_much",
        ),
        Task(
            name="alone", work="eosviz.classroom.undisturbed_run:answer", interactive=True,
            processor_seconds=20, memory_bytes=512 * MEBIBYTE, clock_seconds=120,
            beyond="classroom.refused.too_much",
        ),
        Task(
            name="linked", work="eosviz.replays.linked_run:answer", interactive=True,
            processor_seconds=20, memory_bytes=512 * MEBIBYTE, clock_seconds=120,
            beyond="link_too_much",
        ),
        Task(
            name="reached", work="eosviz.walkthroughs.reached_run:answer", interactive=True,
            processor_seconds=30, memory_bytes=512 * MEBIBYTE, clock_seconds=120,
            beyond="run_too_much",
        ),
        Task(
            name="questions", work="eosviz.tracks.questioning:answer", interactive=True,
            processor_seconds=20, memory_bytes=512 * MEBIBYTE, clock_seconds=60,
            beyond="run_too_much",
        ),
        Task(
            name="script", work="eosviz.workshop.scripting:answer", interactive=True,
            processor_seconds=30, memory_bytes=512 * MEBIBYTE, clock_seconds=120,
            beyond="workshop.refused.script_too_much",
        ),
        Task(
            name="sweep", work="eosviz.pipeline.sweep_checking:answer", interactive=True,
            processor_seconds=60, memory_bytes=512 * MEBIBYTE, clock_seconds=120,
            beyond="sweeps.refused.check_too_much",
        ),
        Task(
            name="plan", work="eosviz.walkthroughs.planning:answer",
            processor_seconds=20, memory_bytes=512 * MEBIBYTE, clock_seconds=30,
            beyond="link_too_much",
        ),
        Task(
            name="beside", work="eosviz.walkthroughs.beside_run:answer", interactive=True,
            processor_seconds=20, memory_bytes=512 * MEBIBYTE, clock_seconds=60,
            beyond="run_too_much",
        ),
        _REPLAY,
        replace(
            _REPLAY, name="parquet_replay", processor_seconds=110, beyond="replays.refused.parquet_too_much"
        ),
        replace(
            _REPLAY, name="export", work="eosviz.replays.bounded_check:verify",
            processor_seconds=160, clock_seconds=600, beyond="exports.check_too_much",
        ),
        _LOG,
        replace(_LOG, name="log_steps"),
    )
}  # fmt: skip

MEMORY_BYTES_MAX = max(task.memory_bytes for task in TASKS.values())
"""The limit on all processes together must be at least this; otherwise the largest kind would never start."""
INTERACTIVE_BYTES_MAX = max(task.memory_bytes for task in TASKS.values() if task.interactive)
LOADED = (
    "engine.scenario.expectations",
    "engine.scenario.mistakes",
    "engine.scenario.script",
    "engine.scenario.shelf",
    "engine.simulation",
    "engine.view.plan",
    "eosviz.replays.checking",
    "eosviz.replays.log_analysis",
    *sorted({task.work.partition(":")[0] for task in TASKS.values()}),
)
"""The modules that the template imports: those of the tasks' functions, and modules that these import later.
pyarrow is not among them, because it takes 130 MiB and few files need it."""
PREPARED = (("engine.scenario.shelf", "library"), ("eosviz.catalogue", "words"))
"""Cached functions, as (module, function), which the template calls so that its processes inherit the
results. Without this, reading the library and the catalogues took nine tenths of the time of a replay's
check."""

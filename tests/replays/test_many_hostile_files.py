"""Thousands of broken and hostile files, by number and by Hypothesis: none causes a crash or leaves a row or a file
behind. If a file is accepted, it reads again as what it says it is.
"""

from __future__ import annotations

import io
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eosviz.replays import carriers, checking, exporting, parquet_steps, reading
from eosviz.replays.actions import import_replay
from eosviz.replays.models import Replay
from eosviz.replays.refusal import ReplayRefused
from eosviz.replays.stores import exports, published
from eosviz.walkthroughs.models import Session
from tests.replays.conftest import BROWSER, command, root, with_branch
from tests.replays.hostile import Whole, hostile, hostile_parquet

CHECKED_EVERY = 10
"""One of so many files is also played again."""
STORED_EVERY = 100
"""One of so many files goes the whole way, through a process of its own to the database."""


@pytest.fixture
def whole(start: Callable[..., Session]) -> Whole:
    """Two branches with a few dozen steps, in every form."""
    session = start("SC-03")
    command(session, "advance", root(session), after=0, count=24)
    with_branch(session)
    made = {}
    for form in ("replay", "html", "parquet"):
        export = exporting.begin(BROWSER, session, None, form, "en")
        exporting.carry_out(export.id)
        with exports.open(export.place) as file:
            made[form] = file.read()
    return Whole(made["replay"], made["html"], made["parquet"])


@pytest.fixture
def left_behind(whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails if anything is left behind in folders or in the database."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = {store: sorted(store.folder.rglob("*")) for store in (exports, published)}
    rows = Replay.objects.count()
    yield
    assert sorted(tmp_path.rglob("*")) == []
    assert {store: sorted(store.folder.rglob("*")) for store in before} == before
    assert Replay.objects.count() == rows


def outcome(file: bytes, number: int) -> str:
    """Return the key of the refusal, or `taken`. Any other exception is a crash."""
    try:
        if number % STORED_EVERY == 0:
            import_replay(io.BytesIO(file), BROWSER).delete()
        elif number % CHECKED_EVERY == 0:
            checking.check(io.BytesIO(file), carriers.read)
        else:
            recording = carriers.read(io.BytesIO(file))
            assert recording.steps >= 0 and len(recording.digest) == 64
    except ReplayRefused as refused:
        assert str(refused) != f"[{refused.key}]"
        return refused.key.removeprefix("replays.refused.")
    return "taken"


def run_through(whole: Whole, numbers: range) -> Counter[str]:
    return Counter(outcome(hostile(whole, number), number) for number in numbers)


@pytest.mark.slow
def test_five_hundred_files_leave_nothing(whole: Whole, left_behind: None) -> None:
    found = run_through(whole, range(500))
    # The files are not all refused by the first check: together, they reach all checks.
    assert len(found) >= 15, found
    assert found["taken"] < 100, found


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_ten_thousand_files_leave_nothing(whole: Whole, left_behind: None, part: int) -> None:
    run_through(whole, range(500 + part * 950, 500 + (part + 1) * 950))


def outcome_of_parquet(file: bytes, folder: Path) -> str:
    """Return the outcome of reading in this process; a crash would end all its tests."""
    given = folder / "given"
    given.write_bytes(file)
    try:
        lines = list(enumerate(parquet_steps.replay_lines(given), 1))
        reading.read_lines(iter(lines))
    except ReplayRefused as refused:
        return refused.key.removeprefix("replays.refused.")
    finally:
        given.unlink()
    return "taken"


def test_broken_parquet_files_leave_nothing(
    whole: Whole, left_behind: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("parquet")
    found = Counter(outcome_of_parquet(hostile_parquet(whole, number), folder) for number in range(100))
    assert len(found) >= 4, found


@pytest.mark.slow
def test_five_hundred_broken_parquet_files_leave_nothing(
    whole: Whole, left_behind: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("parquet")
    for number in range(100, 600):
        outcome_of_parquet(hostile_parquet(whole, number), folder)


def test_a_broken_parquet_file_is_refused_by_the_process_that_reads_it(
    whole: Whole, left_behind: None
) -> None:
    assert outcome(whole.parquet[:-9], STORED_EVERY) == "not_parquet"
    assert outcome(b"PAR1" + b"\x00" * 5000, STORED_EVERY) == "not_parquet"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cut=st.integers(0, 2**20), more=st.binary(max_size=64), form=st.sampled_from(["packed", "plain", "page"])
)
def test_whatever_follows_any_cut_leaves_nothing(
    whole: Whole, left_behind: None, cut: int, more: bytes, form: str
) -> None:
    content: bytes = getattr(whole, form)
    outcome(content[: cut % len(content)] + more, 1)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([b"", b"{", b"PAR1", b"\x1f\x8b\x08", b"<!doctype html>"]), st.binary(max_size=300))
def test_any_bytes_at_all_leave_nothing(left_behind: None, begin: bytes, more: bytes) -> None:
    if not begin.startswith(b"PAR1"):  # each of those would start a process
        outcome(begin + more, 1)

"""A sweep is as large as a stranger's document says; so if the check of a document takes longer than a moment, it is
made in a task.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from eosviz.bounded import runner
from eosviz.bounded.register import COMMAND_LINE
from eosviz.bounded.tasks import TASKS
from eosviz.pipeline import sweep_checking
from eosviz.pipeline.bad_sweep import BadSweep
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.sweep_checks import TakesLong, check_sweep
from eosviz.pipeline.sweep_document import read_sweep
from eosviz.pipeline.sweep_mistakes import worded_mistakes
from eosviz.pipeline.sweep_parameters import number_of
from tests.bounded.work import never_in_time

SWEEP = """
scenario = "SC-02"
seeds = 6

[[axes]]
name = "idempotence"
path = "producers.p1.settings.enable_idempotence"
values = [false, true]

[[axes]]
name = "retries"
path = "producers.p1.settings.retries"
values = [0, 3]
"""
WRONG = {
    "an actor that does not exist": ("producers.p1.settings.retries", "producers.p9.settings.retries"),
    "a value that a client refuses": ("values = [0, 3]", "values = [0, -3]"),
    "a value that cannot be": ("values = [false, true]", "values = [false, 7]"),
}


def test_a_large_one_is_given_up_after_the_time_that_it_may_take() -> None:
    """A document with sixteen topics of 64 partitions with nine replicas each: checking 300 such worlds took a web
    process minutes.
    """
    topics = ", ".join(f'{{ name = "t{n or ""}", partitions = 64, replication = 9 }}' for n in range(16))
    large = SWEEP.replace("seeds = 6", f'seeds = 6\nset = {{ "cluster.brokers" = 9, topics = [{topics}] }}')
    with pytest.raises(TakesLong):
        check_sweep(read_sweep(large), 0.05)


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_reported_the_same_wherever_it_is_found(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SWEEP.replace(*WRONG[name])
    mistakes = []
    for seconds in (1000, -1):
        monkeypatch.setattr(sweep_checking, "HERE_SECONDS_MAX", seconds)
        with pytest.raises(BadSweep) as bad:
            sweep_checking.checked_sweep(text, COMMAND_LINE)
        mistakes.append([worded_mistakes([bad.value], text, language) for language in ("en", "zh-Hans")])
    assert mistakes[0] == mistakes[1]


@pytest.mark.django_db
def test_a_good_one_starts_and_one_that_takes_too_much_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(sweep_checking, "HERE_SECONDS_MAX", -1)
    asked = {"scenario": "SC-02", "document": SWEEP, "start": "1"}
    with monkeypatch.context() as patch:
        patch.setitem(TASKS, "sweep", never_in_time(TASKS["sweep"]))
        page = client.post(reverse("pipeline:build"), asked)
        assert page.status_code == 422
        assert (
            "Checking every combination of this sweep needs more time or memory than the server allows"
            in page.content.decode()
        )
        patch.setattr(runner, "WAIT_SECONDS_MAX", 0)
        usual, settings.BOUNDED_MEMORY_BYTES = settings.BOUNDED_MEMORY_BYTES, 0
        assert (
            "The server is busy with other work"
            in client.post(reverse("pipeline:build"), asked).content.decode()
        )
        settings.BOUNDED_MEMORY_BYTES = usual
    assert not Sweep.objects.exists()
    assert client.post(reverse("pipeline:build"), asked).status_code == 302
    assert Sweep.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [("3", 3), ("9" * 400, int("9" * 400)), ("0.5", 0.5), ("nan", None), ("1e999", None), ("", None)],
)
def test_only_a_finite_number_is_a_number(text: str, number: float | None) -> None:
    assert number_of(text) == number

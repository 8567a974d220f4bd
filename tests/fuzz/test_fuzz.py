"""Whatever a stranger sends, a parser either accepts it or refuses it with an intended error. `make fuzz` feeds a
million inputs.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.running import run
from tests.fuzz.targets import TARGETS

A_FEW, MANY = 40, 10_000


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_inputs_are_taken_or_refused(name: str) -> None:
    found = run(name, range(A_FEW))
    assert found.faults == {}
    assert found.outcomes.total() == A_FEW


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_many_inputs_are_taken_or_refused(name: str) -> None:
    assert run(name, range(A_FEW, A_FEW + MANY)).faults == {}


def test_a_number_gives_the_same_input_again() -> None:
    for target in TARGETS.values():
        assert repr(target.make(Random(7))) == repr(target.make(Random(7)))

"""Sessions are made as in `tests/walkthroughs`: without a simulation of another test's session of the same number."""

from tests.walkthroughs.conftest import _no_simulation_of_another_test

__all__ = ["_no_simulation_of_another_test"]

"""Like those of `tests/walkthroughs`, each test begins without kept simulations.

Otherwise a session could get the simulation that another test left under the same session id.
"""

from tests.walkthroughs.conftest import _no_simulation_of_another_test

__all__ = ["_no_simulation_of_another_test"]

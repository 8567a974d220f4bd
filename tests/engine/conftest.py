"""Each run of the library is played once for all tests that look at it: pytest keeps those of one run together, in
whichever files they stand, as the fixture is that of a whole session.
"""

from __future__ import annotations

import pytest

from tests.engine.every_run import BEGUN, Played, play


@pytest.fixture(scope="session", params=BEGUN)
def run(request: pytest.FixtureRequest) -> Played:
    return play(request.param)

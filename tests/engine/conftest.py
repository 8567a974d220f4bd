"""Each run of the library is played once for all tests that use it. The fixture has the scope of the session, so
pytest runs all tests with the same run one after the other, whichever files they are in.
"""

from __future__ import annotations

import pytest

from tests.engine.every_run import BEGUN, Played, play


@pytest.fixture(scope="session", params=BEGUN)
def run(request: pytest.FixtureRequest) -> Played:
    return play(request.param)

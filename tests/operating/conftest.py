"""A site on which everything was used: it has rows in every table that people fill, and files in the data folder."""

from __future__ import annotations

from tests.classroom.conftest import school  # noqa: F401
from tests.classroom.test_permissions import kept_things, things  # noqa: F401
from tests.walkthroughs.conftest import session, start  # noqa: F401

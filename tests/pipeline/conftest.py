"""One Spark session for all tests of this room: starting it costs more than what they do with it."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from eosviz.pipeline.spark import start_session

BRIEF_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A Java that lives for a minute is done before its best compiler has paid for itself: a third less processor time."""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("JDK_JAVA_OPTIONS", BRIEF_JAVA)
        session = start_session("local[2]", tmp_path_factory.mktemp("spark"), "tests")
    yield session
    session.stop()

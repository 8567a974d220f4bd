"""One Spark session for all tests of this room: starting it costs more than what they do with it."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from eosviz.pipeline.spark import start_session


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = start_session("local[2]", tmp_path_factory.mktemp("spark"), "tests")
    yield session
    session.stop()

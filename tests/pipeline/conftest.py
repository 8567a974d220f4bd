"""One Spark session for all tests of this room: starting it costs more than what they do with it."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from eosviz.pipeline.spark import start_session

INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""Compiling a query takes Spark longer than it takes to interpret it for a few rows. `make test-all` compiles."""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    session = start_session("local[2]", tmp_path_factory.mktemp("spark"), "tests")
    if "not slow" in request.config.option.markexpr:
        for name, value in INTERPRETED.items():
            session.conf.set(name, value)
    yield session
    session.stop()

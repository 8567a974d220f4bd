"""One Spark session for all tests of this folder, because starting it costs more than what they do with it."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from eosviz.pipeline.spark import start_session

FOR_FEW_ROWS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
}
"""Settings for the quick tests: compiling a query and planning it again while it runs takes Spark longer than reading
a few rows. `make test-all` uses Spark's own settings.
"""


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, takes_a_part: bool) -> Iterator[SparkSession]:
    session = start_session("local[2]", tmp_path_factory.mktemp("spark"), "tests")
    if takes_a_part:
        for name, value in FOR_FEW_ROWS.items():
            session.conf.set(name, value)
    yield session
    session.stop()

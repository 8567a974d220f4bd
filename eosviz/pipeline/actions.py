"""What can be done on Spark. The command and the tests are doors to these functions."""

import shutil
import uuid
from pathlib import Path

from pyspark.sql import SparkSession

from engine.scenario.header import ENGINE_VERSION
from eosviz.pipeline.models import Sweep
from eosviz.pipeline.sweep_document import SweepDocument
from eosviz.pipeline.sweep_runs import run_sweep
from eosviz.pipeline.sweep_table import table


def sweep(spark: SparkSession, document: SweepDocument, text: str, out: Path) -> Sweep:
    """Run a sweep, write `<out>/<id>/runs` and `…/table` as Parquet and store its row.

    Nothing is left where it would be found when the job fails: the folder gets its name and the row is stored
    after the last file was written.
    """
    identity = uuid.uuid4()
    folder = out / str(identity)
    part = out / f".{identity}.part"
    try:
        run_sweep(spark, document).write.parquet(str(part / "runs"))
        cells = table(spark.read.parquet(str(part / "runs")))
        cells.coalesce(1).write.parquet(str(part / "table"))
        rows = [row.asDict() for row in spark.read.parquet(str(part / "table")).orderBy("cell").collect()]
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return Sweep.objects.create(
        id=identity,
        title=document.title,
        scenario=document.scenario,
        variant=document.variant or "",
        document=text,
        axes=[{"name": axis.name, "path": axis.path, "values": list(axis.values)} for axis in document.axes],
        seeds=document.seeds,
        runs=document.runs,
        engine=ENGINE_VERSION,
        folder=str(folder),
        table=rows,
    )

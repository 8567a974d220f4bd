"""For every recorded folder, `--json` prints a document that fits the documented schema."""

import json
import os
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from django.core.management import call_command

from eosviz.pipeline.kafka_logs import document_shape
from eosviz.pipeline.kafka_logs.case import read_case
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.printed import document

SCHEMA_FILE = Path(__file__).parents[3] / "docs" / "logs.schema.json"
FOLDERS = sorted(
    path
    for path in (*KAFKA_LOGS.iterdir(), *(KAFKA_LOGS / "incidents").iterdir())
    if path.is_dir() and path.name != "incidents"
)


def test_the_documented_schema_is_that_of_the_shape() -> None:
    if os.environ.get("REWRITE"):
        SCHEMA_FILE.write_text(document_shape.as_text(), encoding="utf-8")
    assert SCHEMA_FILE.read_text(encoding="utf-8") == document_shape.as_text()


def fits(content: Any) -> None:
    validator = jsonschema_rs.validator_for(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))
    assert [(list(error.instance_path), error.message) for error in validator.iter_errors(content)] == []
    # The schema itself allows further keys, which would not harm a reader; here, every key must be documented.
    msgspec.convert(content, document_shape.Document)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_every_recorded_folder_fits(folder: Path) -> None:
    # A folder with a coordinator of its own belongs to another cluster.
    own = any(folder.rglob("__transaction_state-*"))
    internal = [] if own else [KAFKA_LOGS / "_internal"]
    fits(json.loads(json.dumps(document(read_case([folder, *internal])))))


def test_text_and_single_files_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "t.txt"
    text.write_text("good morning\n[2026-11-21 09:18:54,084] INFO [UnifiedLog partition=t-0, dir=/d] Incremented log "
                    "start offset to 14 due to segment deletion\n")  # fmt: skip
    (segment,) = (KAFKA_LOGS / "c_commit" / "txcommit-0").glob("*.log")
    call_command("logs", str(text), str(segment), "--json")
    printed = json.loads(capsys.readouterr().out)
    fits(printed)
    assert [one["name"] for one in printed["partitions"]] == ["txcommit-0"]

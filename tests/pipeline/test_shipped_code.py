"""The code that is sent to executors of a cluster contains everything that their functions import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from eosviz.launch.places import ROOT
from eosviz.pipeline.spark import pack_code


def test_executors_can_import_every_module_whose_functions_they_run(tmp_path: Path) -> None:
    sources = sorted((ROOT / "eosviz" / "pipeline").rglob("*.py"))
    mapped = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in sources
        if "mapInArrow" in file.read_text()
    ]
    assert "eosviz.pipeline.sweep_runs" in mapped
    archive = pack_code(tmp_path / "code.zip")
    program = "import importlib, sys; sys.path.insert(0, sys.argv[1]); [*map(importlib.import_module, sys.argv[2:])]"
    run = subprocess.run(
        [sys.executable, "-c", program, str(archive), *mapped],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr

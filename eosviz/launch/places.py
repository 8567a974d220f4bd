"""Paths of this checkout."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".venv"
BOOTSTRAP = ROOT / ".bootstrap"
NODE_MODULES = ROOT / "node_modules"
STATIC = ROOT / "static"
BUNDLE = STATIC / "dist"
ENDINGS = ROOT / ".endings"
TEST_RESULTS = ROOT / "test-results"


def environment_python() -> Path:
    return ENVIRONMENT / "bin" / "python"


def data_folder() -> Path:
    """The folder in which this eosviz keeps its data: the value of EOSVIZ_DATA, which the settings also read,
    or `var`."""
    return Path(os.environ.get("EOSVIZ_DATA") or ROOT / "var").resolve()

"""The library leaves nothing out: every requirement, row, error, switch and fault kind is met by a run."""

import subprocess
import sys


def test_nothing_is_uncovered():
    ran = subprocess.run(
        [sys.executable, "-m", "engine", "coverage"], capture_output=True, text=True, check=False
    )
    assert ran.stdout.splitlines()[-1:] == ["0 uncovered"], ran.stdout + ran.stderr
    assert ran.returncode == 0

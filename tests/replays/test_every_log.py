"""Every recorded folder gets the same verdicts through the form of *Open a log* as from the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from eosviz.pipeline.kafka_logs.case import read_case
from eosviz.replays.models import Replay
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.pipeline.kafka_logs.printed import document
from tests.pipeline.kafka_logs.test_absence import FOLDERS, OPEN, with_coordinator_log
from tests.replays.opened import analysis_of, followed
from tests.replays.test_log_pages import multipart, uploads
from tests.rotation import part

pytestmark = pytest.mark.django_db
NAMES = [str(folder.relative_to(KAFKA_LOGS)) for folder in FOLDERS]
QUICK = 4
"""How many folders the quick tests take; which ones changes with the code of the analysis or the pages."""


def shown(verdicts: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (
            one["partition"],
            one["first_offset"],
            one["kind"],
            one["rests_on"],
            one["transactional_id"],
            one["remedy"] and one["remedy"]["command"],
        )
        for one in verdicts
    ]


def check_folder(client: Client, folder: Path) -> None:
    paths = with_coordinator_log(folder)
    files = [file for path in paths for file in uploads(path)]
    followed(client, client.post(reverse("replays:open_log"), **multipart(files)))
    found = analysis_of(Replay.objects.get())["verdicts"]
    assert shown(found) == shown(document(read_case(paths))["verdicts"])
    ill = {(one["partition"], one["first_offset"], one["kind"]) for one in found if one["kind"] != "healthy"}
    assert ill == OPEN.get(folder.name, set())


@pytest.mark.parametrize("name", part(NAMES, QUICK, "eosviz/pipeline/kafka_logs", "eosviz/replays"))
def test_a_folder_has_its_verdicts_through_the_form(client: Client, name: str) -> None:
    check_folder(client, KAFKA_LOGS / name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_folder_has_its_verdicts_through_the_form(client: Client, name: str) -> None:
    check_folder(client, KAFKA_LOGS / name)

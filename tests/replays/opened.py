"""Logs opened without a form, and pages that sent something followed to what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.http import HttpResponse
from django.test import Client

from eosviz.bounded.register import COMMAND_LINE
from eosviz.replays import actions
from eosviz.replays.log_options import LogOptions
from eosviz.replays.log_upload import LogFiles
from eosviz.replays.models import Replay


def open_log(files: Mapping[str, bytes], owner: str) -> Replay:
    """The stored case of files (path to content)."""
    with TemporaryDirectory() as place:
        upload = LogFiles(Path(place))
        for path, content in files.items():
            upload.add(path, content)
        upload.finish()
        return actions.keep(actions.read_log(Path(place), owner, LogOptions(), COMMAND_LINE), "cases")


def followed(client: Client, response: Any) -> HttpResponse:
    """What the page of an upload answers, where the form led there: a redirect to the result, or a refusal."""
    if response.status_code == 302 and "/replays/uploads/" in response.url:
        return client.get(response.url)
    return response

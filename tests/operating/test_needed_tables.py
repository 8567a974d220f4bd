"""A command that needs database tables first says if they are missing, and names the command that makes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from eosviz.operating.needed_tables import TablesCommand, check_tables
from eosviz.pipeline.management.commands import sweep
from eosviz.replays import logs_command as logs_command
from eosviz.replays.management.commands import audit

SWEEP = Path(__file__).parents[2] / "docs" / "examples" / "first-sweep.toml"
WITHOUT = {"audit", "logs", "close_data_folder", "mail"}
"""Commands without this check. The first two need tables only for some of their work, and call `check_tables` there;
the others need none.
"""


@pytest.fixture
def _never_migrated(db: None) -> None:
    MigrationRecorder(connection).flush()


@pytest.mark.usefixtures("_never_migrated")
@pytest.mark.parametrize(
    ("command", "options"),
    [("sweep", [str(SWEEP)]), ("audit", ["--sessions"]), ("logs", ["--keep", "nothing"]), ("run_jobs", [])],
)
def test_it_says_so_before_anything_starts(
    command: str, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*args: object, **options: object) -> None:
        raise AssertionError("it began")

    for module in (audit, sweep):
        monkeypatch.setattr(module, "command_session", start)
    monkeypatch.setattr(logs_command, "reading_of", start)
    with pytest.raises(CommandError, match=r"make them first: python manage\.py migrate"):
        call_command(command, *options, skip_checks=False)


def test_nothing_is_said_where_all_tables_are_there(db: None) -> None:
    check_tables()


def test_every_command_of_the_project_asks() -> None:
    ours = {name: app for name, app in get_commands().items() if app.startswith("eosviz.")}
    assert len(ours) > 10
    asking = {name for name, app in ours.items() if isinstance(load_command_class(app, name), TablesCommand)}
    assert ours.keys() - asking == WITHOUT

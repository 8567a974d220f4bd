"""Without a mail server, a mail is a file that only the operator can read, and no log contains secrets of an
address.
"""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from django.core.mail import EmailMessage, send_mail
from django.core.management import CommandError, call_command
from django.test import Client

from eosviz.accounts.models import User
from eosviz.operating import mail_files
from eosviz.operating.log_context import JsonLines, Lines


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, settings: Any) -> Path:
    settings.DATA_DIR = tmp_path
    settings.EMAIL_BACKEND = "eosviz.operating.mail_files.MailFiles"
    return tmp_path


def send(number: int, to: str = "ada@example.org") -> None:
    send_mail(f"mail {number}", f"body {number} – 第", None, [to])


def test_the_newest_mails_are_kept_for_this_user_alone(
    monkeypatch: pytest.MonkeyPatch, data_folder: Path
) -> None:
    monkeypatch.setattr(mail_files, "MAILS_MAX", 3)
    for number in range(5):
        send(number)
    kept = mail_files.newest_first()
    assert [mail_files.read(path)["Subject"] for path in kept] == ["mail 4", "mail 3", "mail 2"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert stat.S_IMODE((data_folder / "mail").stat().st_mode) == 0o700


def test_a_mail_that_cannot_be_written_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, data_folder: Path
) -> None:
    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        EmailMessage("one", "body", to=["ada@example.org"]).send()
    assert list((data_folder / "mail").iterdir()) == []


@pytest.mark.django_db
def test_an_operator_reads_the_link_that_sets_a_new_password(capsys: pytest.CaptureFixture[str]) -> None:
    User.objects.create_user(email="ada@example.org", password="a long password", name="Ada")
    send(1, "lea@example.org")
    assert Client().post("/accounts/password/reset/", {"email": "ada@example.org"}).status_code == 302
    send(2, "lea@example.org")
    call_command("mail", "ada@example.org")
    assert "/accounts/password/reset/key/" in capsys.readouterr().out
    call_command("mail")
    assert "body 2 – 第" in capsys.readouterr().out
    call_command("mail", "--list")
    assert [line.split("  ")[1] for line in capsys.readouterr().out.splitlines()] == [
        "lea@example.org",
        "ada@example.org",
        "lea@example.org",
    ]
    with pytest.raises(CommandError, match=r"no mail to ina@example\.org is kept"):
        call_command("mail", "ina@example.org")


@pytest.mark.parametrize(
    ("address", "logged"),
    [
        ("/accounts/password/reset/key/3-c8w2z1-0f0f/", "/accounts/password/reset/key/…/"),
        ("/accounts/confirm-email/MQ:1tQ/", "/accounts/confirm-email/…/"),
        ('"WebSocket /ws/follow/0a3f-11/" [accepted]', '"WebSocket /ws/follow/…/" [accepted]'),
        ("/classes/join/K7Q2M/?x=1", "/classes/join/…/?x=1"),
        ("/metrics?token=abc&x=1 /a?b=2", "/metrics?token=…&x=1 /a?b=2"),
        ("/sessions/1/steps?from=1", "/sessions/1/steps?from=1"),
    ],
)
def test_no_line_of_a_log_holds_what_an_address_gives_away(address: str, logged: str) -> None:
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, "Not Found: %s", (address,), None)
    assert Lines("{message}", style="{").format(record) == f"Not Found: {logged}"
    assert logged.replace('"', '\\"') in JsonLines().format(record)

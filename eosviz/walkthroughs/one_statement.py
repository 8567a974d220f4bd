"""Stores a step that was made ahead, with the answer of its command, in one statement on PostgreSQL.

A transaction of three statements is five round trips, and each time the web process and the database's process wait
for a processor, while the page draws the step on the same machine (`benchmarks/README.md`).
"""

from __future__ import annotations

from django.db import IntegrityError, connection
from django.utils import timezone

from eosviz.walkthroughs.models import Branch, Command, Step
from eosviz.walkthroughs.walking import Overtaken

_STATEMENT = f"""
WITH moved AS (
    UPDATE {Branch._meta.db_table} SET newest = %s WHERE id = %s AND newest = %s RETURNING id
), made AS (
    INSERT INTO {Step._meta.db_table} (branch_id, number, at, interesting, body, derived)
    SELECT id, %s, %s, %s, %s, %s FROM moved
)
INSERT INTO {Command._meta.db_table} (session_id, identifier, asked, answer, answered)
SELECT %s, %s, %s, %s, %s FROM moved
"""


def is_possible() -> bool:
    """Whether the database can store all of it in one statement."""
    return connection.vendor == "postgresql"


def store_at_once(step: Step, command: Command) -> None:
    """Store the step after the newest of its branch, move the branch on, and store the command's answer. Raises
    Overtaken if another process has stored something in the branch, or the answer, before."""
    derived = None if step.derived is None else bytes(step.derived)
    given = (
        *(step.number, step.branch_id, step.number - 1),
        *(step.number, step.at, step.interesting, bytes(step.body), derived),
        *(
            command.session_id,
            command.identifier,
            bytes(command.asked),
            bytes(command.answer),
            timezone.now(),
        ),
    )
    with connection.cursor() as cursor:
        try:
            cursor.execute(_STATEMENT, given)
        except IntegrityError as error:
            raise Overtaken from error
        if cursor.rowcount != 1:
            raise Overtaken

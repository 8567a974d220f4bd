"""`audit [PATH] [--sessions] [--json] [--master M]`: judges recorded runs a second time, by rules of its
own."""

import json
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from eosviz.operating.needed_tables import check_tables
from eosviz.pipeline.audit import DISAGREEMENTS_MAX, RULES, Outcome, audit
from eosviz.pipeline.audit_sources import ENDING, NothingToAudit, facts_of
from eosviz.pipeline.command_session import add_master, command_session
from eosviz.replays.actions import export_session
from eosviz.walkthroughs.models import Session

SHOWN_MAX = 50
"""At most this many disagreements are printed. With --json there are more."""
AGREED, DISAGREED, FAILED = range(3)
"""The command's exit codes: the judges agree, they disagree, or nothing could be judged."""


class Command(BaseCommand):
    help = (
        "Judge replay files, facts of sweeps or the database's finished sessions again, by rules of their own"
        " (docs/audit.md). Exit 0: the engine's judges agree, 1: they do not, 2: nothing could be judged."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "path",
            metavar="PATH",
            nargs="?",
            help=f"a replay file (*{ENDING} or its export as Parquet), or a folder of them or of facts",
        )
        parser.add_argument(
            "--sessions", action="store_true", help="instead: all sessions of the database that have ended"
        )
        parser.add_argument("--json", action="store_true", help="print the document of docs/audit.md")
        add_master(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if (options["path"] is None) is not options["sessions"]:
            raise CommandError("give a PATH, or --sessions for those of the database", returncode=FAILED)
        if options["sessions"]:
            check_tables(returncode=FAILED)
        with tempfile.TemporaryDirectory() as folder:
            if options["sessions"]:
                _export_finished(Path(folder))
            outcome = _judged(Path(options["path"] or folder), options["master"])
        if options["json"]:
            self.stdout.write(json.dumps(document(outcome), ensure_ascii=False))
        else:
            for line in _lines(outcome):
                self.stdout.write(line)
        if outcome.found:
            raise SystemExit(DISAGREED)


def _judged(path: Path, master: str) -> Outcome:
    try:
        with command_session(master, (NothingToAudit,), FAILED) as spark, facts_of(spark, path) as facts:
            return audit(facts)
    except NothingToAudit as error:
        raise CommandError(str(error), returncode=FAILED) from error


def _export_finished(folder: Path) -> None:
    """Write all sessions of the database with a run that has ended to `folder`, as replay files. Raises
    CommandError if there is none."""
    ended = Session.objects.filter(branches__finished__isnull=False).distinct().select_related("version")
    for session in ended.order_by("id"):
        with (folder / f"{session.id}{ENDING}").open("wb") as file:
            file.writelines(export_session(session))
    if not any(folder.iterdir()):
        raise CommandError(
            "no session of the database has ended; play one to its end first", returncode=FAILED
        )


def document(outcome: Outcome) -> dict[str, Any]:
    """The JSON that ``--json`` prints (docs/audit.md)."""
    return {
        "agreed": not outcome.found,
        "sessions": outcome.sessions,
        "facts": outcome.facts,
        "rules": [{"name": rule.name, "spec": rule.spec, "guarantee": rule.guarantee} for rule in RULES],
        "broken": outcome.broken,
        "disagreements_found": outcome.found,
        "disagreements": [
            {**asdict(one), "rows": None if one.rows is None else json.loads(one.rows)}
            for one in outcome.disagreements
        ],
    }


def _lines(outcome: Outcome) -> Iterator[str]:
    yield f"{outcome.sessions} sessions, {outcome.facts} facts, {len(RULES)} rules"
    for name, count in outcome.broken.items():
        yield f"  {name}: {count} breaches, as the engine says or a switch explains"
    if not outcome.found:
        yield "the engine's judges and the audit agree"
        return
    yield f"{outcome.found} disagreements:"
    for one in outcome.disagreements[:SHOWN_MAX]:
        where = f"{one.session} step {one.step}" + (f" {one.partition}" if one.partition else "")
        if one.rule is None:
            yield f"  {where}: the engine says that {one.guarantee} is broken, no rule does"
        else:
            yield f"  {where}: {one.rule} is broken"
            yield f"    {one.rows}"
    if outcome.found > SHOWN_MAX:
        yield f"  and {outcome.found - SHOWN_MAX} more: --json has the first {DISAGREEMENTS_MAX}"

"""Runs the engine from the command line, without the web: ``python -m engine COMMAND``. The exit code is 0 for
success, 1 if vectors failed or the coverage is incomplete, 2 for a bad scenario, argument or path, and 3 if an
invariant of the engine broke or a log is damaged."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from engine.errors import EngineError, Refused
from engine.explain.sentences import LANGUAGES
from engine.explain.transcript import transcript_lines
from engine.predict.finding import questions
from engine.predict.listing import question_lines
from engine.scenario.bounds import TEXT_BYTES_MAX
from engine.scenario.document import BadScenario, Scenario, load, parse
from engine.scenario.phrases import allowed, shown, wrong
from engine.scenario.shelf import entry, library
from engine.scenario.toml_lines import line_of
from engine.simulation import Simulation
from engine.step import canonical
from engine.transaction_lines import TransactionLines
from engine.vectors.outcome import Failure
from engine.vectors.run import Report, run_file, run_files
from engine.view.listing import beat_lines
from engine.view.run_ahead import plan_ahead
from engine.why.asking import why
from engine.why.listing import asked_lines, link_lines
from engine.why.offering import questions_about


def main(arguments: list[str] | None = None, out: TextIO = sys.stdout, err: TextIO = sys.stderr) -> int:
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options, out))
    except BrokenPipeError:
        return 0
    except BadScenario as error:
        print(error, file=err)
        return 2
    except OSError as error:
        print(f"{error.filename}: {error.strerror}; name a file or folder that can be read", file=err)
        return 2
    except ValueError as error:
        print(f"{error}", file=err)
        return 2
    except EngineError as error:
        print(f"engine invariant broken: {error}", file=err)
        return 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m engine", description="The exactly-once protocol, step by step."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run a scenario to its end")
    run.add_argument("scenario", metavar="SCENARIO[/VARIANT]|FILE")
    run.add_argument(
        "--set", action="append", default=[], metavar="PATH=VALUE", help="change one value first"
    )
    run.add_argument("--transcript", action="store_true", help="print every step as text")
    run.add_argument("--jsonl", action="store_true", help="print every step as JSON")
    run.add_argument(
        "--interventions", metavar="FILE", help="JSON: what was done to the run, each with the step before it"
    )
    run.add_argument(
        "--checkpoints", action="store_true", help="where the run stops and asks, and the answers"
    )
    run.add_argument(
        "--transactions", action="store_true", help="print a line for each transaction at the end"
    )
    run.add_argument("--beats", action="store_true", help="print the beats of the run")
    run.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0])
    run.set_defaults(command=run_command)
    scenarios = commands.add_parser("scenarios", help="list the library")
    scenarios.add_argument("--json", action="store_true")
    scenarios.set_defaults(command=scenarios_command)
    vectors = commands.add_parser("vectors", help="run cases drawn from Kafka")
    vectors.add_argument("paths", nargs="+", metavar="FILE|FOLDER")
    vectors.add_argument("--json", action="store_true")
    vectors.set_defaults(command=vectors_command)
    explain = commands.add_parser(
        "explain", help="print a state machine, the code of a component, what is known of a key or an error"
    )
    explain.add_argument("what", nargs="?", metavar="MACHINE|COMPONENT|KEY|REQUIREMENT|ERROR")
    explain.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0])
    explain.set_defaults(command=explain_command)
    _add_why(commands)
    coverage = commands.add_parser("coverage", help="what the library leaves out; 1 when it is anything")
    coverage.add_argument("--vectors", default="tests/oracles/vectors", metavar="FOLDER")
    coverage.add_argument("--tests", default="tests", metavar="FOLDER", help="where marked tests stand")
    coverage.set_defaults(command=coverage_command)
    decode = commands.add_parser("decode", help="print the batches of a log segment or partition folder")
    decode.add_argument("path")
    decode.add_argument("--jsonl", action="store_true")
    decode.set_defaults(command=decode_command)
    return parser


def _add_why(commands: Any) -> None:
    why = commands.add_parser("why", help="why something is as it is after a step, as a chain of sentences")
    why.add_argument("scenario", metavar="SCENARIO[/VARIANT]|FILE")
    why.add_argument(
        "--step", type=int, default=None, metavar="N", help="after which step; without it, the last"
    )
    why.add_argument("--question", metavar="WORD", help="without it, what can be asked is listed")
    why.add_argument(
        "--subject", default="", help="what the question is about, or KIND:ID to list its questions"
    )
    why.add_argument("--interventions", metavar="FILE", help="JSON: what was done to the run")
    why.add_argument("--language", "--lang", choices=LANGUAGES, default=LANGUAGES[0])
    why.set_defaults(command=why_command)


def run_command(options: argparse.Namespace, out: TextIO) -> int:
    settings = dict(_setting(text) for text in options.set)
    code = 0
    options.done = _interventions(options.interventions)
    for chosen in _chosen(options.scenario, settings):
        scenario, name = chosen.scenario, chosen.variant
        if name:
            _print(out, {"scenario": scenario.id, "variant": name}, f"# {scenario.id}/{name}", options)
        try:
            code = max(code, run_one(scenario, options, out))
        except BadScenario as error:
            if not error.source:
                error.source = chosen.source
                error.line = line_of(chosen.text, error.place)
            raise
    return code


class BrokenFile(ValueError):
    """A file that is not JSON; the message names the place and the remedy."""


class Chosen(NamedTuple):
    """The scenario to run, and the file and text from which it was read."""

    scenario: Scenario
    variant: str | None
    source: str
    text: str


def _chosen(target: str, settings: dict[str, Any]) -> Iterator[Chosen]:
    file, _, variant = target.partition("/")
    path = Path(target)
    if target.endswith(".toml") or path.exists():
        text = _text(path)
        document = parse(text, target)
        variants = document.get("variants", [])
        # If the variants are not a list of tables, `load` reports it below.
        rows = variants if isinstance(variants, list) else []
        names = [row.get("name") for row in rows if isinstance(row, dict)]
        for name in names or [None]:
            yield Chosen(load(document, name, settings, text=text, source=target), name, target, text)
        return
    found = entry(file)
    names = [variant] if variant else list(found.variants)
    for name in names or [None]:
        yield Chosen(found.scenario(name, settings), name, found.file, found.text)


def _text(path: Path) -> str:
    """The text of a file. Raises BadScenario if the file is too long or not UTF-8."""
    with path.open("rb") as file:
        content = file.read(TEXT_BYTES_MAX + 1)
    if len(content) > TEXT_BYTES_MAX:
        raise BadScenario(
            "document", wrong("too_long"), allowed("bytes", most=TEXT_BYTES_MAX), source=str(path)
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        fault = f"byte {error.start} is not UTF-8"
        raise BadScenario("document", fault, "TOML 1.0, which is UTF-8 text", source=str(path)) from None


def _setting(text: str) -> tuple[str, Any]:
    path, equals, value = text.partition("=")
    if not equals:
        raise BadScenario(f"--set {text}", "no =", "PATH=VALUE")
    try:
        return path.strip(), parse(f"value = {value}")["value"]
    except BadScenario:
        return path.strip(), value


def _interventions(file: str | None) -> list[dict[str, Any]]:
    """The interventions in the JSON file ``file``, as a list of tables; an empty list if ``file`` is None. Raises
    BadScenario for any other content."""
    if file is None:
        return []
    remedy = "a JSON list of tables, each with action and after (the number of the step before it, rising)"
    try:
        found = json.loads(_text(Path(file)))
    except json.JSONDecodeError as error:
        raise BadScenario(f"line {error.lineno}", error.msg, remedy, source=file) from None
    except RecursionError:
        raise BadScenario("interventions", "nested too deep", remedy, source=file) from None
    except ValueError:
        raise BadScenario("interventions", "a number with too many digits", remedy, source=file) from None
    if not isinstance(found, list):
        raise BadScenario("interventions", "no list", remedy, source=file)
    before = 0
    for number, item in enumerate(found):
        after = item.get("after") if isinstance(item, dict) else None
        if type(after) is not int or after < before:
            raise BadScenario(f"interventions.{number}.after", shown(after), remedy, source=file)
        before = after
    return found


def run_one(scenario: Scenario, options: argparse.Namespace, out: TextIO) -> int:
    """Play one run and print its verdicts; also its steps, questions, beats and transactions if the options ask for
    them. Returns the exit code 0. A configuration that a rule refuses is a success if ``expect_refused`` names this
    rule; otherwise it raises BadScenario."""
    expected = scenario.document.get("expect_refused")
    try:
        simulation = Simulation(
            scenario,
            options.done,
            "recorded" if options.transcript or options.jsonl or options.transactions else "judged",
        )
    except Refused as refused:
        if expected is None:
            raise BadScenario(refused.place, f"{refused.reason} ({refused.rule})", refused.remedy) from None
        if refused.rule != expected:
            raise BadScenario(
                "expect_refused",
                f"{expected} should have refused it, but {refused.rule} did: {refused.place}: {refused.reason}",
                "a document that meets its expectation",
            ) from None
        found = {
            "refused": refused.rule,
            "place": refused.place,
            "reason": refused.reason,
            "expected": expected,
        }
        _print(
            out, found, f"refused {refused.rule} {refused.place}: {refused.reason}; {refused.remedy}", options
        )
        return 0
    if expected is not None:
        raise BadScenario(
            "expect_refused", f"{expected} did not refuse it", "a document that meets its expectation"
        )
    _play(simulation, options, out)
    if options.checkpoints:
        for question in questions(scenario, options.done):
            lines = "\n".join(question_lines([question], options.language))
            _print(out, {"question": question.to_json()}, lines, options)
    if options.beats:
        plan = plan_ahead(scenario, options.done)
        _print(out, {"plan": plan}, "\n".join(beat_lines(plan["beats"], options.language)), options)
    if simulation.finished != "complete":
        _print(out, {"finished": simulation.finished}, f"finished {simulation.finished}", options)
    for verdict in simulation.verdicts():
        shown = {name: getattr(verdict, name) for name in verdict.__slots__}
        _print(out, {"verdict": shown}, verdict.line(), options)
    outcome = simulation.judges.outcome_verdict()
    if outcome is not None:
        shown = {name: getattr(outcome, name) for name in outcome.__slots__}
        _print(out, {"transactions": shown}, "\n".join(outcome.lines()), options)
    for ended in simulation.judges.transaction_verdicts():
        shown = {name: getattr(ended, name) for name in ended.__slots__}
        _print(out, {"transaction": shown}, ended.line(), options)
    stored = simulation.judges.database_verdict()
    if stored is not None:
        shown = {name: getattr(stored, name) for name in stored.__slots__}
        _print(out, {"database": shown}, stored.line(), options)
    return 0


def _play(simulation: Simulation, options: argparse.Namespace, out: TextIO) -> None:
    lines = TransactionLines(simulation.view()) if options.transactions else None
    try:
        while (step := simulation.step()) is not None:
            if lines is not None:
                lines.take(step.to_json())
            if options.jsonl:
                print(canonical(step.to_json()), file=out)
            elif options.transcript:
                for line in transcript_lines(step.to_json(), options.language):
                    print(line, file=out)
    except Refused as refused:
        place = f"interventions after step {simulation.number}: {refused.place}"
        raise BadScenario(
            place, refused.reason, refused.remedy, source=options.interventions or "interventions"
        ) from None
    if lines is not None:
        _print(out, {"lines": lines.to_json()}, "\n".join(lines.text()), options)


def _print(out: TextIO, as_json: dict[str, Any], as_text: str, options: argparse.Namespace) -> None:
    print(canonical(as_json) if options.jsonl else as_text, file=out)


def scenarios_command(options: argparse.Namespace, out: TextIO) -> int:
    if options.json:
        listed = [
            {"id": found.id, "title": found.document["title"], "variants": list(found.variants)}
            for found in library()
        ]
        print(json.dumps(listed, ensure_ascii=False, indent=1), file=out)
        return 0
    for found in library():
        print(f"{found.id}  {found.document['title']['en']}", file=out)
        for variant in found.document.get("variants", []):
            print(f"    {found.id}/{variant['name']}  {variant['title']['en']}", file=out)
    return 0


def why_command(options: argparse.Namespace, out: TextIO) -> int:
    """Play one run up to the step; then print the answer to the question, or without a question a list of those that
    can be asked. Returns the exit code 0."""
    chosen = next(_chosen(options.scenario, {}))
    try:
        simulation = Simulation(chosen.scenario, _interventions(options.interventions))
        simulation.run(steps=options.step)
    except Refused as refused:
        raise BadScenario(refused.place, refused.reason, refused.remedy, source=chosen.source) from None
    if options.step is not None and simulation.number != options.step:
        raise ValueError(f"--step {options.step}: the run has {simulation.number} steps; name one of them")
    if options.question is None:
        kind, colon, name = options.subject.partition(":")
        selection = {"kind": kind, "id": name} if colon else None
        lines = asked_lines(questions_about(simulation, selection), options.language)
    else:
        lines = link_lines(why(simulation, options.question, options.subject), options.language)
    for line in lines:
        print(line, file=out)
    return 0


def vectors_command(options: argparse.Namespace, out: TextIO) -> int:
    report = Report()
    for path in options.paths:
        for file in _vector_files(path):
            _play_file(file, Path(path).is_dir(), report)
    if report.unplayed and not (report.passed or report.failures or report.skipped):
        raise ValueError("\n".join(report.unplayed))
    if options.json:
        print(json.dumps(report.to_json(), ensure_ascii=False, indent=1, default=str), file=out)
    else:
        for line in report.lines():
            print(line, file=out)
    return 1 if report.failures else 0


def _play_file(file: Path, has_neighbours: bool, report: Report) -> None:
    """Play the vectors of one file and add the results to ``report``. If the file belongs to a folder
    (``has_neighbours``), an error in it is reported and does not stop the other files."""
    try:
        run_file(str(file), _vectors_in(file), report, Neighbours(file.parent))
    except BrokenFile as error:
        if not has_neighbours:
            raise
        report.failures.append((str(file), "any", Failure("the file itself", "a JSON object", str(error))))
    except ValueError as error:
        if not has_neighbours:
            raise
        report.unplayed.append(str(error))


class Neighbours:
    """The files in ``folder``, the folder of a vector file. Vectors read them through the interface
    ``engine.vectors.beside.Beside``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self, folder: str) -> tuple[str, ...]:
        path = self.folder / folder
        return tuple(sorted(found.name for found in path.iterdir())) if path.is_dir() else ()

    def read(self, path: str) -> bytes | None:
        found = self.folder / path
        return found.read_bytes() if found.is_file() else None


FILES_MAX = 10_000


def _vector_files(name: str) -> list[Path]:
    """The file at a path, or the JSON files at any depth of a folder, ordered by path. Raises ValueError for
    a folder with no such file or with more than ``FILES_MAX``."""
    path = Path(name)
    if not path.is_dir():
        return [path]
    files = list(islice((file for file in path.rglob("*.json") if file.is_file()), FILES_MAX + 1))
    if not files:
        raise ValueError(f"{name}: no .json file at any depth; name a file or folder of vectors")
    if len(files) > FILES_MAX:
        raise ValueError(f"{name}: more than {FILES_MAX} .json files; name a smaller folder")
    return sorted(files)


def _vectors_in(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise BrokenFile(f"{file}:{error.lineno}: {error.msg}; a vector file is one JSON object") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise BrokenFile(f"{file}: {error}; a vector file is one JSON object in UTF-8") from None


def explain_command(options: argparse.Namespace, out: TextIO) -> int:
    from engine.explain.entries import explanation

    for line in explanation(options.what, options.language):
        print(line, file=out)
    return 0


def coverage_command(options: argparse.Namespace, out: TextIO) -> int:
    from engine.explain.coverage import measure

    cases = [(str(file), _vectors_in(file)) for file in _vector_files(options.vectors)]
    marked: set[str] = set()
    for file in sorted(Path(options.tests).rglob("test_*.py")):
        for group in _MARKER.findall(file.read_text(encoding="utf-8")):
            marked.update(_MARKED.findall(group))
    coverage = measure(marked, lambda: run_files(cases))
    for line in coverage.lines():
        print(line, file=out)
    return 0 if coverage.complete else 1


_MARKER = re.compile(r"pytest\.mark\.requirement\(([^)]*)\)")
_MARKED = re.compile(r"[\"']([A-Z]+-[0-9]+)[\"']")


def decode_command(options: argparse.Namespace, out: TextIO) -> int:
    from engine.codec.decode_report import decode_command as decode

    path = Path(options.path)
    if path.is_dir():
        inside = sorted(file for file in path.rglob("*") if file.is_file())
        files = {f"{path.resolve().name}/{file.relative_to(path)}": file.read_bytes() for file in inside}
    else:
        files = {path.name: path.read_bytes()}
    return decode(files, options.jsonl, lambda line: print(line, file=out))


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main())

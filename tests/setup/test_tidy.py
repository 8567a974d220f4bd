"""Rules about the files of the project, on which a reader can rely without looking."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eosviz.launch.places import ROOT
from tests.syntax_tree import tree_of

# The folders of our own source. Oracles are bytes of others; built files and packages are not read.
SOURCE_FOLDERS = ("engine", "eosviz", "tests", "benchmarks", "static", "templates", "docs", ".ci")
NOT_SOURCE = {"oracles", "dist", "__pycache__", "node_modules"}

ENGINE_MAY_IMPORT = {
    *("__future__", "abc", "bisect", "collections", "contextlib", "copy", "dataclasses", "enum", "functools"),
    *("hashlib", "heapq", "importlib", "itertools", "json", "math", "operator", "pickle", "pkgutil"),
    *(
        "random",
        "re",
        "string",
        "struct",
        "textwrap",
        "tomllib",
        "types",
        "typing",
        "unicodedata",
        "zlib",
        "engine",
    ),
}
ENGINE_COMMANDS_MAY_ALSO_IMPORT = {"argparse", "io", "os", "pathlib", "sys"}
WIRE = ROOT / "engine" / "wire"
WIRE_MAY_ALSO_IMPORT = {"datetime", "io", "kio"}
"""A library provides Kafka's messages as typed classes, whose times are `timedelta`s of `datetime`."""
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 600
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "manager", "misc", "common"}


def source_files(*suffixes: str) -> Iterator[Path]:
    # In a second worktree of a repository, ``.git`` is a file.
    own = (path for path in ROOT.iterdir() if path.name != ".git")
    yield from (path for path in own if path.is_file() and path.suffix in suffixes)
    for top in SOURCE_FOLDERS:
        for folder, names, files in os.walk(ROOT / top):
            names[:] = [name for name in names if name not in NOT_SOURCE]
            yield from (Path(folder, file) for file in files if Path(file).suffix in suffixes)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported_modules(tree: ast.Module) -> set[str]:
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    from_others = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0)
    return modules | {node.module for node in from_others if node.module}


def python_files(*tops: str) -> list[Path]:
    wanted = [ROOT / top for top in tops]
    return sorted(path for path in source_files(".py") if any(top in path.parents for top in wanted))


def test_the_search_finds_every_room() -> None:
    """The rules below must not pass because they look at no files."""
    tops = {named(path).split(os.sep)[0] for path in source_files(".py", ".ts", ".md", ".toml")}
    assert {"engine", "eosviz", "tests", "static", "docs", "pyproject.toml"} <= tops


def test_the_engine_imports_only_what_cannot_make_two_runs_differ() -> None:
    strangers = {}
    for path in python_files("engine"):
        allowed = ENGINE_MAY_IMPORT
        if path.name == "__main__.py":
            allowed = allowed | ENGINE_COMMANDS_MAY_ALSO_IMPORT
        if WIRE in path.parents:
            allowed = allowed | WIRE_MAY_ALSO_IMPORT
        tops = {module.split(".")[0] for module in imported_modules(tree_of(path))}
        if tops - allowed:
            strangers[named(path)] = sorted(tops - allowed)
    assert strangers == {}


def test_one_room_alone_knows_the_library_of_messages() -> None:
    knowing = {
        named(path)
        for path in source_files(".py")
        if re.search(r"^\s*(from|import) kio\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert knowing == {"engine/wire/message.py"}


LOADS_A_RUN = """
import sys
import engine.__main__, engine.vectors.run
from engine.scenario.shelf import entry
from engine.simulation import Simulation
Simulation(entry("SC-61").scenario("k28")).run(steps=50)
print(sorted(name for name in sys.modules if name.split(".")[0] in ("kio", "crc32c") or name == "engine.wire"))
"""


def test_a_run_of_the_engine_never_loads_the_library_of_messages() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", LOADS_A_RUN], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"


def test_a_name_of_the_engine_is_imported_from_the_module_that_owns_it() -> None:
    """If a package's ``__init__`` passed names on, it would form an import cycle with every module inside it."""
    handing_on = [
        named(path)
        for path in python_files("engine")
        if path.name == "__init__.py" and imported_modules(tree_of(path))
    ]
    assert handing_on == []
    packages = {named(path.parent).replace(os.sep, ".") for path in python_files("engine")}
    modules = {named(path.with_suffix("")).replace(os.sep, ".") for path in python_files("engine")}
    wrong = [
        f"{named(path)}:{node.lineno}: from {node.module} import {alias.name}"
        for path in source_files(".py")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module in packages
        for alias in node.names
        if f"{node.module}.{alias.name}" not in packages | modules
    ]
    assert wrong == [], "import it from its own module, as engine.scenario.shelf has `entry`"


READS_TOML = {
    "engine/scenario/document.py": "after the scan of engine/scenario/bounds.py",
    "eosviz/scenarios/editing.py": "after engine.scenario.document.parse has read the same text",
    "engine/scenario/toml_faults.py": "the parser's errors alone",
    "engine/explain/sentences.py": "the engine's own catalogue",
    "engine/scenario/tracks.py": "a file of the engine",
    "eosviz/scenarios/libraries.py": "a file of the project",
    "eosviz/reference/signatures.py": "a file of the project",
    "eosviz/reference/search_ranks.py": "a file of the project",
    "eosviz/pipeline/build_views.py": "the project's own samples",
    "eosviz/pipeline/shrink_views.py": "writes, and reads nothing",
}
"""The files that may call a TOML parser, and on which texts: `tomllib` and `tomlkit` have no bounds of their own."""


def test_toml_of_strangers_is_read_behind_its_bounds() -> None:
    reading = {
        named(path)
        for path in python_files("engine", "eosviz")
        if {"tomllib", "tomlkit"} & {module.split(".")[0] for module in imported_modules(tree_of(path))}
    }
    assert reading == READS_TOML.keys()


MAKES_RUNS = {
    "eosviz/classroom/undisturbed_run.py": "a bounded process; the library's own documents elsewhere",
    "eosviz/pipeline/shrinking.py": "a process of Spark",
    "eosviz/pipeline/sweep_facts.py": "a process of Spark",
    "eosviz/pipeline/sweep_places.py": "the library's documents",
    "eosviz/pipeline/sweep_runs.py": "a process of Spark",
    "eosviz/replays/linked_run.py": "a bounded process; the library's own documents elsewhere",
    "eosviz/replays/sample_log.py": "one document of the library",
    "eosviz/replays/verification.py": "a bounded process",
    "eosviz/scenarios/endings.py": "the library's documents, in the set-up",
    "eosviz/scenarios/differences.py": "the world alone, without a step: whether a cluster has what it names",
    "eosviz/scenarios/trailer.py": "one document of the library",
    "eosviz/tracks/questioning.py": "0.3 s, then a bounded process; the library's own documents elsewhere",
    "eosviz/walkthroughs/beside_run.py": "a bounded process; the library's own documents elsewhere",
    "eosviz/walkthroughs/planning.py": "a bounded process; the library's own documents elsewhere",
    "eosviz/walkthroughs/reached_run.py": "a bounded process; the library's own documents elsewhere",
    "eosviz/walkthroughs/simulations.py": "the world alone in a web process; a worker, step by step as commands ask",
    "eosviz/workshop/scripting.py": "a bounded process",
    "eosviz/workshop/trial.py": "a bounded process",
}
"""The files that may play a scenario, and where: a stranger's scenario takes as much time and memory as the stranger
likes.
"""
RUNS = {"Simulation", "ending_of", "plan_ahead", "questions", "script_of"}


def test_scenarios_of_strangers_run_behind_bounds() -> None:
    making = {
        named(path)
        for path in python_files("eosviz")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RUNS
    }
    assert making == MAKES_RUNS.keys()


def test_the_engine_takes_its_randomness_as_an_argument() -> None:
    """`random.random()` would share one generator, and `Random.choice` may differ between Python versions."""
    found = []
    for path in python_files("engine"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import) and any(alias.name == "random" for alias in node.names):
                found.append(f"{named(path)}:{node.lineno} imports the module random")
            if isinstance(node, ast.ImportFrom) and node.module == "random":
                names = {alias.name for alias in node.names}
                if names != {"Random"}:
                    found.append(f"{named(path)}:{node.lineno} imports {sorted(names)} from random")
    assert found == []


def test_the_set_up_imports_the_standard_library_alone() -> None:
    """The set-up runs before there is an environment, so everything that Python loads for it must be in the standard
    library.
    """
    strangers = {}
    for path in [*python_files("eosviz/launch"), ROOT / "eosviz" / "__init__.py"]:
        imported = imported_modules(tree_of(path))
        outside = {name for name in imported if name.split(".")[0] not in sys.stdlib_module_names}
        beside = {name for name in outside if not f"{name}.".startswith("eosviz.launch.")}
        if beside:
            strangers[named(path)] = sorted(beside)
    assert strangers == {}


def test_the_engine_does_not_know_the_web() -> None:
    knowing = [
        named(path)
        for path in python_files("engine")
        if any(module.split(".")[0] in {"eosviz", "django"} for module in imported_modules(tree_of(path)))
    ]
    assert knowing == []


def test_tasks_belong_to_the_project_s_own_application() -> None:
    """A `shared_task` belongs to the application that was made last, or to none with our settings."""
    sharing = [
        named(path)
        for path in python_files("eosviz")
        if any(
            isinstance(node, ast.ImportFrom)
            and node.module == "celery"
            and any(alias.name == "shared_task" for alias in node.names)
            for node in ast.walk(tree_of(path))
        )
    ]
    assert sharing == []


@pytest.mark.parametrize("room", ["engine", "eosviz", "benchmarks"])
def test_functions_and_files_stay_short_enough_to_read(room: str) -> None:
    """A file of engine/ may be as long as the single idea that it implements (engine/README.md)."""
    too_long = []
    for path in python_files(room):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > FILE_LINES_MAX and room != "engine":
            too_long.append(f"{named(path)}: {lines} lines, at most {FILE_LINES_MAX}")
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LINES_MAX:
                    too_long.append(f"{named(path)}:{node.lineno} {node.name}: {length} lines")
    assert too_long == []


def test_a_template_gives_each_block_once() -> None:
    """A block that is defined twice makes the page fail; this can happen when two changes, each right alone, are
    merged.
    """
    twice = [
        f"{named(path)}: {name}"
        for path in source_files(".html")
        for blocks in [re.findall(r"{% block (\w+)", path.read_text(encoding="utf-8"))]
        for name in sorted({one for one in blocks if blocks.count(one) > 1})
    ]
    assert twice == []


def test_files_are_named_for_what_they_own() -> None:
    vague = [
        named(path) for path in source_files(".py", ".ts", ".mjs") if path.stem in NAMES_THAT_SAY_NOTHING
    ]
    assert vague == []


def test_no_file_names_a_package_registry() -> None:
    """The machine's own settings say where packages come from, and a mirror must be possible."""
    hosts = [".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"))]
    hosts += [".".join(parts) for parts in (("npmjs", "com"), ("deb", "debian", "org"), ("yarnpkg", "com"))]
    pattern = re.compile("|".join(re.escape(host) for host in hosts))
    suffixes = ("", ".py", ".ts", ".mjs", ".json", ".md", ".toml", ".txt", ".in", ".html", ".yml", ".npmrc")
    naming = [
        named(path) for path in source_files(*suffixes) if pattern.search(path.read_text("utf-8", "replace"))
    ]
    assert naming == []


def test_no_file_knows_a_folder_of_one_machine() -> None:
    # The pattern is written in two halves, so that this file does not match it.
    pattern = re.compile("/wo" + r"rk/(main|shared|\.lib)" + "|/ho" + "me/[a-z]|/tm" + r"p/(bri|agent)")
    knowing = [
        named(path)
        for path in source_files(".py", ".ts", ".mjs", ".md", ".toml", ".json", ".html", ".txt", "")
        if pattern.search(path.read_text("utf-8", "replace"))
    ]
    assert knowing == []

"""Two installations of one commit must be the same, so every version is pinned."""

import json
import re
import tomllib

import pytest

from eosviz.launch.frontend import NODE_REQUIREMENT
from eosviz.launch.places import ROOT

PIN = re.compile(r"^[a-z0-9][a-z0-9._-]*(\[[a-z,]+\])?==[0-9][^ ;]*( ; .+)?$")


def lines_of(name: str) -> list[str]:
    stripped = (line.partition("  #")[0].strip() for line in (ROOT / name).read_text().splitlines())
    return [line for line in stripped if line and not line.startswith("#")]


SITE, TOOLS = "requirements.txt", "tests/requirements.txt"


def pinned_in(name: str) -> dict[str, str]:
    """Return package → pinned version."""
    return {re.split(r"\[|==", line)[0]: line.split("==")[1].split(" ")[0] for line in lines_of(name)}


@pytest.mark.parametrize("name", [SITE, TOOLS])
def test_every_requirement_is_one_version(name: str) -> None:
    assert lines_of(name)
    assert [line for line in lines_of(name) if not PIN.match(line)] == []
    assert PIN.match(NODE_REQUIREMENT)


def test_tools_and_site_agree_on_versions() -> None:
    site, tools = pinned_in(SITE), pinned_in(TOOLS)
    assert {name: site[name] for name in site.keys() & tools.keys()} == {
        name: tools[name] for name in site.keys() & tools.keys()
    }


def test_the_site_runs_without_the_tests_tools() -> None:
    assert pinned_in(SITE).keys().isdisjoint({"pytest", "mypy", "ruff", "playwright", "hypothesis"})


@pytest.mark.parametrize("name", [SITE, TOOLS])
def test_what_is_asked_for_is_what_is_pinned(name: str) -> None:
    pinned = pinned_in(name)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked_for = project["project"]["dependencies"] if name == SITE else project["dependency-groups"]["tests"]
    for line in asked_for:
        name, _, version = line.replace("_", "-").partition("==")
        name = name.split("[")[0]
        assert name in pinned, f"{name}: run the command in pyproject.toml"
        assert version in ("", pinned[name]), name


def test_the_front_end_is_pinned_and_says_nothing_of_where_it_came_from() -> None:
    package = json.loads((ROOT / "package.json").read_text())
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert [name for name, version in versions.items() if not version[0].isdigit()] == []
    lock = json.loads((ROOT / "package-lock.json").read_text())
    assert lock["packages"][""]["dependencies"] == package["dependencies"]
    assert lock["packages"][""]["devDependencies"] == package["devDependencies"]
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []


def test_the_typeface_has_its_licence_beside_it() -> None:
    """The licence is complete, as in the typeface's package, and its first line is the copyright that the typeface's
    own file names.
    """
    brought = (ROOT / "node_modules/@fontsource-variable/source-sans-3/LICENSE").read_text("utf-8")
    copyright_line, licence = (ROOT / "static/typeface/OFL.txt").read_text("utf-8").split("\n", 1)
    assert "Adobe" in copyright_line
    assert licence == brought.split("\n", 1)[1]
    assert copyright_line.removeprefix("Source Sans 3: ").rstrip(".") in (
        ROOT / "static/styles/tokens.css"
    ).read_text("utf-8")

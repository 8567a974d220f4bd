"""Benchmark `lighthouse`: the scores of Lighthouse with its desktop preset, for front page, reference and player; the
score in each of its four categories is the median of five runs. `lighthouse-people` measures the pages of people with
an account.

Lighthouse is a Node package that nothing else needs: `lighthouse_cli/` pins it, and the first run installs it there.
"""

import json
import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.browser import browser_context
from benchmarks.long_session import store_session
from benchmarks.report import print_figure, remark
from eosviz.launch.browser import INSTALL_REMEDY, browser_options, find_browser
from eosviz.launch.frontend import Node, find_node
from tests.e2e.administrator import settle
from tests.running_site import RunningSite

RUNS = 5
STEPS = 500
FOLDER = Path(__file__).parent / "lighthouse_cli"
PROGRAM = FOLDER / "node_modules" / "lighthouse" / "cli" / "index.js"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
GOALS: Mapping[str, Mapping[str, int]] = {"player": {"performance": 90}, "published": {"performance": 90}}
"""Page → category → the score to reach, of 100. All other goals are 95."""
PEOPLE = ("workshop/", "scenario", "builder", "class", "class, results", "published")
"""The pages of `lighthouse-people`, by the names that `tests.e2e.administrator` gives them."""
ATTEMPTS = 3
"""How often Lighthouse is started for one run. Sometimes its browser fails to record a trace (NO_NAVSTART), which
says nothing about the page.
"""
SECONDS_MAX = 180


def main() -> None:
    _with_site(lambda site, node, folder: measure(node, folder, *_ours(site)))


def people() -> None:
    _with_site(lambda site, node, folder: measure(node, folder, *_theirs(site)))


def _ours(site: RunningSite) -> tuple[dict[str, str], str]:
    """Return the addresses of the pages by their names, and the session cookie of the browser that may open them."""
    stored = store_session(site.data_folder, STEPS)
    home = site.address
    player = home.rstrip("/") + f"{stored['path']}?step={STEPS}"
    return {"front": home, "reference": f"{home}reference/", "player": player}, stored["cookie"]


def _theirs(site: RunningSite) -> tuple[dict[str, str], str]:
    with browser_context() as context:
        page = context.new_page()
        page.set_default_timeout(1000 * SECONDS_MAX)
        places = settle(page, site)
        (cookie,) = (kept["value"] for kept in context.cookies() if kept["name"] == "sessionid")
    return {re.sub("[^a-z]+", "_", name.strip("/")): places[name] for name in PEOPLE}, cookie


def _with_site(work: Callable[[RunningSite, Node, Path], None]) -> None:
    node = find_node()
    if not PROGRAM.exists():
        remark("installing Lighthouse …")
        subprocess.run(
            node.npm("ci", "--no-audit", "--no-fund", "--ignore-scripts"),
            cwd=FOLDER,
            env={**os.environ, **node.environment()},
            check=True,
        )
    with tempfile.TemporaryDirectory() as name:
        site = RunningSite(Path(name))
        try:
            work(site.wait_until_ready(), node, Path(name))
        finally:
            site.stop()


def measure(node: Node, folder: Path, pages: Mapping[str, str], cookie: str) -> None:
    for page, address in pages.items():
        scores = [scores_of(node, address, cookie, folder / "report.json") for _ in range(RUNS)]
        for category in CATEGORIES:
            goal = GOALS.get(page, {}).get(category, 95)
            median = statistics.median(run[category] for run in scores)
            print_figure(f"lighthouse_{page}_{category.replace('-', '_')}", median, "of_100", goal)


def scores_of(node: Node, address: str, cookie: str, report: Path) -> dict[str, float]:
    """Run Lighthouse once. Returns the score of each category, and prints the audits that cost points to standard
    error.
    """
    browser = find_browser()
    if browser is None:
        raise SystemExit(f"no browser is installed: {INSTALL_REMEDY}")
    flags = " ".join([*browser_options(), "--headless"])
    command = [
        str(node.folder / "node"),
        str(PROGRAM),
        address,
        "--preset=desktop",
        "--output=json",
        f"--output-path={report}",
        "--quiet",
        f"--only-categories={','.join(CATEGORIES)}",
        f"--chrome-flags={flags}",
        f"--extra-headers={json.dumps({'Cookie': f'sessionid={cookie}'})}",
    ]
    environment = {**os.environ, **node.environment(), "CHROME_PATH": str(browser)}
    for attempt in range(ATTEMPTS):
        done = subprocess.run(command, env=environment, check=False, timeout=SECONDS_MAX)
        if done.returncode == 0:
            break
        remark(f"{address}: run {attempt + 1} of {ATTEMPTS} wrote no report")
    else:
        raise SystemExit(f"Lighthouse wrote no report for {address}: what it said stands above")
    found = json.loads(report.read_text(encoding="utf-8"))
    for name, category in found["categories"].items():
        for reference in category["auditRefs"]:
            audit = found["audits"][reference["id"]]
            if reference["weight"] > 0 and audit["score"] is not None and audit["score"] < 0.9:
                remark(f"{address} {name}: {audit['title']} {audit['score']} {audit.get('displayValue', '')}")
    return {name: round(category["score"] * 100) for name, category in found["categories"].items()}


if __name__ == "__main__":
    main()

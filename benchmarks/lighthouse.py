"""(7) Lighthouse, desktop preset, median of five runs in each of its four categories: front page, reference, player.

Lighthouse is a package of Node, pinned in `lighthouse_cli/` and installed there the first time: nothing else needs it.
"""

import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.long_session import store_session
from benchmarks.report import remark, tell
from eosviz.launch.browser import INSTALL_REMEDY, browser_options, find_browser
from eosviz.launch.frontend import Node, find_node
from tests.running_site import RunningSite

RUNS = 5
STEPS = 500
FOLDER = Path(__file__).parent / "lighthouse_cli"
PROGRAM = FOLDER / "node_modules" / "lighthouse" / "cli" / "index.js"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
GOALS: Mapping[str, Mapping[str, int]] = {"player": {"performance": 90}}
"""Of 100; every other goal is 95."""
ATTEMPTS = 3
"""Now and then its browser fails to record a trace (NO_NAVSTART), which says nothing about the page."""
SECONDS_MAX = 180


def main() -> None:
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
            measure(site.wait_until_ready(), node, Path(name))
        finally:
            site.stop()


def measure(site: RunningSite, node: Node, folder: Path) -> None:
    stored = store_session(site.data_folder, STEPS)
    pages = {"front": "/", "reference": "/reference/", "player": f"{stored['path']}?step={STEPS}"}
    for page, path in pages.items():
        address = site.address.rstrip("/") + path
        scores = [scores_of(node, address, stored["cookie"], folder / "report.json") for _ in range(RUNS)]
        for category in CATEGORIES:
            goal = GOALS.get(page, {}).get(category, 95)
            median = statistics.median(run[category] for run in scores)
            tell(f"lighthouse_{page}_{category.replace('-', '_')}", median, "of_100", goal)


def scores_of(node: Node, address: str, cookie: str, report: Path) -> dict[str, float]:
    """One run's scores by category, and on the standard error what cost points."""
    browser = find_browser()
    if browser is None:
        raise SystemExit(f"no browser is installed: {INSTALL_REMEDY}")
    flags = " ".join([*browser_options(), "--headless"])
    command = [
        node.folder / "node",
        PROGRAM,
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
    told = json.loads(report.read_text(encoding="utf-8"))
    for name, category in told["categories"].items():
        for reference in category["auditRefs"]:
            audit = told["audits"][reference["id"]]
            if reference["weight"] > 0 and audit["score"] is not None and audit["score"] < 0.9:
                remark(f"{address} {name}: {audit['title']} {audit['score']} {audit.get('displayValue', '')}")
    return {name: round(category["score"] * 100) for name, category in told["categories"].items()}


if __name__ == "__main__":
    main()

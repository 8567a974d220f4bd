"""`make gallery`: pictures of every scenario and a page that shows them, for people who review what others will see.

`python -m tests.e2e.gallery [--folder FOLDER] [--variants] [SC-44 …]`

Each run is shown at both sizes, at the step with the most messages and components and at its end; themes and
languages alternate. Faults that a test would report are in red beside the picture. The exit code is 1 if there are
any.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from playwright.sync_api import sync_playwright

from eosviz.catalogue import say
from eosviz.launch.browser import INSTALL_REMEDY, browser_options, find_browser
from eosviz.launch.places import ROOT
from tests.e2e.looking import faults
from tests.e2e.stage import MANNERS, SIZES, Manner, Run, Stage, names, views

FOLDER = ROOT / "var" / "gallery"
_STYLE = """body { font: 14px/1.4 system-ui, sans-serif; margin: 16px; background: #e8e8e8; color: #111; }
h2 { margin: 32px 0 4px; } figure { display: inline-block; margin: 6px 12px 6px 0; vertical-align: top; }
img { display: block; border: 1px solid #777; } figcaption { max-width: 640px; }
.telephone figcaption { max-width: 390px; }
.fault { color: #b00020; font-weight: 600; } nav a { margin-right: 8px; }"""


@dataclass(frozen=True)
class Picture:
    file: str
    size: str
    caption: str
    faults: Sequence[str]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.e2e.gallery", description="Pictures of every scenario."
    )
    parser.add_argument(
        "scenario", nargs="*", help="SC-44, or SC-44/variant; all of the library when none is named"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--variants", action="store_true", help="every variant, not one run a scenario")
    options = parser.parse_args(arguments)
    program = find_browser()
    if program is None:
        print(f"no browser is installed: {INSTALL_REMEDY}", file=sys.stderr)
        return 2
    chosen = options.scenario or names(options.variants)
    options.folder.mkdir(parents=True, exist_ok=True)
    taken: dict[str, list[Picture]] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(program), args=list(browser_options()))
        stage = Stage(browser.new_context(reduced_motion="reduce").new_page())
        for place, name in enumerate(chosen):
            taken[name] = list(take(stage, name, place, options.folder))
            _describe(name, taken[name])
        browser.close()
    (options.folder / "index.html").write_text(_index(taken), encoding="utf-8")
    found = sum(len(picture.faults) for pictures in taken.values() for picture in pictures)
    print(f"{len(taken)} runs, {found} faults: {options.folder / 'index.html'}")
    return 1 if found else 0


def take(stage: Stage, name: str, place: int, folder: Path) -> Iterator[Picture]:
    """Yield pictures of one run: the whole page of a desktop, and every column of a telephone."""
    for size in SIZES:
        manner = next(one for one in (*MANNERS[place % 8 :], *MANNERS) if one.size == size)
        run = stage.open(name, manner)
        for step, what in {len(run.steps): "end", run.richest: "richest"}.items():
            stage.go_to(step)
            for column, middle in views(run, size, with_time=what == "end"):
                stage.show(column, middle)
                file = f"{name.replace('/', '_')}-{size}-{what}-{middle or column}.png"
                stage.page.screenshot(path=folder / file)
                found = [*faults(stage.page), *stage.errors]
                stage.errors.clear()
                yield Picture(file, size, _caption(run, step, manner), found)


def _caption(run: Run, step: int, manner: Manner) -> str:
    if step == 0:
        return f"step 0, {manner}"
    shown = run.steps[step - 1]
    return f"step {step} of {len(run.steps)}, {manner}: {say(shown['key'], manner.language, shown['params'])}"


def _describe(name: str, pictures: Sequence[Picture]) -> None:
    found = [f"{picture.file}: {fault}" for picture in pictures for fault in picture.faults]
    print(name, *(found or ["well"]), sep="\n  " if found else " ", flush=True)


def _index(taken: dict[str, list[Picture]]) -> str:
    links = "".join(f'<a href="#{escape(name)}">{escape(name)}</a>' for name in taken)
    sections = "".join(_section(name, pictures) for name, pictures in taken.items())
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>eosviz gallery</title>'
        f"<style>{_STYLE}</style></head><body><h1>What do I see, what changed, why?</h1><nav>{links}</nav>"
        f"{sections}</body></html>"
    )


def _section(name: str, pictures: Sequence[Picture]) -> str:
    figures = "".join(
        f'<figure class="{picture.size}"><img loading="lazy" src="{escape(picture.file)}" alt="" '
        f'width="{SIZES[picture.size][0] // (2 if picture.size == "desk" else 1)}">'
        f"<figcaption>{escape(picture.caption)}"
        f"{''.join(f'<p class=fault>{escape(fault)}</p>' for fault in picture.faults)}</figcaption></figure>"
        for picture in pictures
    )
    return f'<h2 id="{escape(name)}">{escape(name)}</h2>{figures}'


if __name__ == "__main__":
    sys.exit(main())

"""A panel is not drawn again at a step that changed nothing it shows. What it then shows must equal what it would
draw.

Every panel is compared at every step of a few whole runs, forwards and in leaps: as it is, and drawn again.
"""

from __future__ import annotations

import pytest

from tests.e2e.stage import Manner, Run, Stage
from tests.rotation import in_turn

RUNS = ("SC-58", "SC-83", "SC-50", "SC-03", "SC-16", "SC-44")
"""Markers that retry; the middleware; the consume-process-produce loop; retries; expiry; a transaction. Every panel
occurs in one of them.
"""

_WALK = """async ([first, last, leap]) => {
  const player = document.querySelector("eos-player");
  const stale = [];
  const seen = new Set();
  const pictureOf = (panel) => panel.shadowRoot.innerHTML.replace(/<!--.*?-->/g, "");
  const settle = async () => {
    await player.updateComplete;
    await Promise.all([...player.querySelectorAll(".panel > :not(button)")].map((panel) => panel.updateComplete));
  };
  for (let number = first; leap > 0 ? number <= last : number >= last; number += leap) {
    player.store.moveTo(number);
    for (let tries = 0; tries < 50 && player.store.shown !== number; tries += 1) {
      await new Promise(requestAnimationFrame);
    }
    await settle();
    const panels = [...player.querySelectorAll(".panel > :not(button)")].filter((panel) => panel.shadowRoot !== null);
    for (const panel of panels) {
      const frame = panel.frame;
      const shown = pictureOf(panel);
      panel.frame = undefined; // It forgets what it read, with the pieces that it keeps.
      await panel.updateComplete;
      panel.frame = frame;
      await panel.updateComplete;
      if (pictureOf(panel) !== shown) stale.push(`${panel.localName} at step ${number}`);
      seen.add(panel.localName);
    }
  }
  return { stale, seen: [...seen] };
}"""


def _between(run: Run) -> str:
    """Return what *Inspect* shows between its columns."""
    return "lanes" if run.header["partitions"] else "spacetime"


@pytest.mark.parametrize("name", in_turn(RUNS, 1, "engine", "eosviz"))
def test_a_panel_that_was_not_drawn_shows_what_it_would_draw(stage: Stage, name: str) -> None:
    run = stage.open(name, Manner())
    last = min(len(run.steps), 160)
    inspected = {"eos-lanes", "eos-pending"} if run.header["partitions"] else {"eos-middleware-roles"}
    for middle, panels in (("stage", {"eos-stage"}), (_between(run), inspected)):
        stage.show("middle", middle)
        for walk in ([1, last, 1], [last, 0, -7]):
            found = stage.page.evaluate(_WALK, walk)
            assert found["stale"] == []
            assert panels <= set(found["seen"])


def test_what_a_picture_no_longer_shows_leaves_nothing_in_the_page(stage: Stage) -> None:
    """`lit-html` 3.3.1 to 3.3.3 left a comment for each element that a list lost, so package.json names another
    version.
    """
    run = stage.open("SC-44", Manner())
    comments = """() => {
      const scene = document.querySelector("eos-stage").shadowRoot.querySelector("svg.scene");
      return [...scene.childNodes].filter((node) => node.nodeType === 8).length - 2 * scene.children.length;
    }"""
    stage.go_to(3)
    before = stage.page.evaluate(comments)
    for number in range(4, min(len(run.steps), 60)):
        stage.go_to(number)
    assert abs(stage.page.evaluate(comments) - before) <= 2


_DRAWN_IN_EACH_FRAME = """() => {
  const player = document.querySelector("eos-player");
  const drawn = (window.drawnAt = {});
  const parts = { buttons: player.querySelector("eos-transport"), stage: player.querySelector("eos-stage").shadowRoot };
  for (const [name, part] of Object.entries(parts)) {
    const noted = { subtree: true, childList: true, characterData: true, attributes: true };
    const note = () => { (drawn[document.timeline.currentTime] ??= new Set()).add(name); };
    new MutationObserver(note).observe(part, noted);
  }
}"""


def test_no_frame_draws_both_the_buttons_and_the_stage(stage: Stage) -> None:
    stage.open("SC-44", Manner())
    knob = stage.page.locator("eos-scrubber [role=slider]").bounding_box()
    assert knob is not None
    x, y = knob["x"] + 12, knob["y"] + knob["height"] / 2
    stage.page.mouse.move(x, y)
    stage.page.mouse.down()
    stage.page.evaluate(_DRAWN_IN_EACH_FRAME)
    for move in range(1, 11):
        stage.page.mouse.move(x + move * 20, y)
        stage.page.wait_for_timeout(40)
    stage.page.wait_for_function(
        "() => { const player = document.querySelector('eos-player');"
        " return player.querySelector('eos-stage').frame === player.store.frame }"
    )
    frames = stage.page.evaluate("() => Object.values(window.drawnAt).map((parts) => [...parts])")
    stage.page.mouse.up()
    assert {"buttons", "stage"} == {part for parts in frames for part in parts}
    assert not [parts for parts in frames if len(parts) > 1]


_SCENES = """() => {
  const player = document.querySelector("eos-player");
  const stage = player.querySelector("eos-stage");
  const make = stage.sceneOf;
  window.scenes = [];
  stage.sceneOf = function (frame) {
    const scene = make.call(this, frame);
    window.scenes.push({ of: frame.step?.number ?? 0, on: player.store.shown, scene });
    return scene;
  };
}"""
"""Notes each scene with the step that it shows and the step that was on show."""

_NEXT_IS_MADE = "(next) => scenes.some(({ of, on }) => of === next && on === next - 1)"
_IS_SHOWN = "(next) => scenes.some(({ of, on }) => of === next && on === next)"
_SHOWS_WHAT_WAS_MADE = """(next) => {
  const all = scenes.filter(({ of }) => of === next);
  return all.find(({ on }) => on === next).scene === all.findLast(({ on }) => on === next - 1).scene;
}"""


def test_a_stored_step_that_comes_next_has_its_picture_made_while_the_reader_looks(stage: Stage) -> None:
    stage.open("SC-44", Manner())
    stage.go_to(30)
    stage.page.evaluate(_SCENES)
    _read_and_step_to(stage, 31)
    stage.page.wait_for_function(_NEXT_IS_MADE, arg=32)
    _read_and_step_to(stage, 32)
    assert stage.page.evaluate(_SHOWS_WHAT_WAS_MADE, 32)


def _read_and_step_to(stage: Stage, step: int) -> None:
    stage.page.wait_for_timeout(500)  # A reader who steps on sooner has not read the step.
    stage.page.keyboard.press("ArrowDown")
    stage.page.wait_for_function(_IS_SHOWN, arg=step)

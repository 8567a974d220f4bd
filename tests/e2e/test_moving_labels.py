"""Labels of messages that move at the same time do not overlap; the test checks them at several moments of each
motion.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.stage import Manner, Stage
from tests.rotation import in_turn

RUNS = ("SC-03", "SC-08", "SC-39", "SC-44", "SC-50", "SC-55", "SC-61", "SC-75", "SC-80", "SC-43")
STEPS = 20
"""How many steps with motion of each run are checked, at most."""
MEETING_MOST = 2
"""How many of the checked moments, five in each of these steps, may show an overlap. In all steps of these runs, at
most 2 of 300 were measured.
"""

_WALK = """async (most) => {
  const { store } = document.querySelector("eos-player");
  const stage = document.querySelector("eos-stage");
  const later = (ms) => new Promise((done) => setTimeout(done, ms));
  const end = async () => {
    for (const one of stage.renderRoot.getAnimations()) one.finish();
    await later(0);
    await stage.updateComplete;
  };
  const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 2;
  let travelled = null, landed = null, steps = 0;
  stage.addEventListener("travels", ({ detail }) => { travelled = detail; });
  stage.addEventListener("landed", ({ detail }) => { landed = detail; });
  const found = [];
  store.moveTo(0);
  for (let tries = 0; tries < 600 && store.shown !== 0; tries += 1) await later(5);
  for (let number = 1; number <= store.newest && steps < most; number += 1) {
    travelled = landed = null;
    store.moveTo(number, "surely");
    for (let tries = 0; tries < 1000 && travelled !== number && landed !== number; tries += 1) await later(3);
    const moves = travelled === number ? stage.renderRoot.getAnimations() : [];
    for (const one of moves) one.pause();
    for (const time of moves.length === 0 ? [] : [63, 147, 210, 273, 357]) {
      for (const one of moves) one.currentTime = Math.min(one.effect.getComputedTiming().endTime - 0.01, time);
      const words = [...stage.renderRoot.querySelectorAll('svg.scene > g[data-key^="m:"]:not(.gone)')]
        .filter((one) => Number(getComputedStyle(one).opacity) > 0.5)
        .map((one) => [one.dataset.key, [...one.querySelectorAll("text")].map((said) => said.getBoundingClientRect())]);
      const over = words.flatMap(([key, own], index) => words.slice(index + 1)
        .filter(([, others]) => own.some((one) => others.some((other) => meet(one, other))))
        .map(([other]) => `${key} ${other}`));
      if (over.length > 0) found.push(`${number} at ${time} ms: ${over.join(", ")}`);
    }
    steps += moves.length > 0;
    await end();
    await end();
  }
  return { steps, found };
}"""


@pytest.mark.parametrize("name", in_turn(RUNS, 2, "engine", "eosviz"))
def test_no_two_names_of_moving_messages_print_over_each_other(stage: Stage, name: str) -> None:
    stage.page.emulate_media(reduced_motion="no-preference")
    try:
        stage.open(name, Manner("desk"))
        stage.show("middle", "stage")
        walked: dict[str, Any] = stage.page.evaluate(_WALK, STEPS)
    finally:
        stage.page.emulate_media(reduced_motion="reduce")
    assert walked["steps"] > 8
    assert len(walked["found"]) <= MEETING_MOST, walked["found"]
    assert stage.errors == []

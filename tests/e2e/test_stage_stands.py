"""Components of the stage do not move: from a run's first step to its last, nothing leaves its place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.stage import Manner, Stage
from tests.rotation import in_turn

RUNS = ("SC-03", "SC-08", "SC-39", "SC-44", "SC-50", "SC-55", "SC-61", "SC-75", "SC-80", "SC-43")
"""Retries, many records, a failover, a transaction, a loop, a coordinator that dies, a zombie, a hanging transaction,
the middleware, six producers.
"""

_WALK = """async () => {
  const { store } = document.querySelector("eos-player");
  const stage = document.querySelector("eos-stage");
  const parts = /^(client|broker|lane|reader|co|controller|node|heads)\\b/;
  const stood = new Map(), moved = [];
  let steps = 0;
  for (let number = 0; number <= store.newest; number += Math.max(1, Math.floor(store.newest / 60))) {
    store.moveTo(number);
    const isThere = () => number === 0 || store.frame?.step?.number === number;
    for (let tries = 0; tries < 600 && !isThere(); tries += 1) await new Promise((done) => setTimeout(done, 5));
    stage.frame = store.frame;
    await stage.updateComplete;
    steps += 1;
    for (const node of stage.renderRoot.querySelectorAll("[data-key]")) {
      if (!parts.test(node.dataset.key)) continue;
      const at = node.getAttribute("transform"), before = stood.get(node.dataset.key);
      if (before !== undefined && before !== at) moved.push(`${node.dataset.key} at ${number}: ${before}, then ${at}`);
      stood.set(node.dataset.key, at);
    }
  }
  return { steps, places: stood.size, moved };
}"""


@pytest.mark.parametrize("name", in_turn(RUNS, 2, "engine", "eosviz"))
def test_no_place_moves_between_two_steps_of_a_run(stage: Stage, name: str) -> None:
    stage.open(name, Manner("desk"))
    stage.show("middle", "stage")
    walked: dict[str, Any] = stage.page.evaluate(_WALK)
    assert walked["steps"] > 10 and walked["places"] > 3
    assert walked["moved"] == []
    assert stage.errors == []

import assert from "node:assert/strict";
import test from "node:test";

import type { Present } from "../../player/needs.ts";
import { lacks } from "../../player/needs.ts";

const PAGE: Present = { live: true, follows: false, meets: false, share: "/share", selection: null, frame: undefined, beats: 0 };

test("a key that has nothing to act on says what it would need", () => {
  assert.equal(lacks("branch", "b", PAGE), null);
  assert.equal(lacks("drop", "d", PAGE), "player.nothing_to.drop");
  assert.equal(lacks("drop", "d", { ...PAGE, selection: { kind: "message", id: "3" } }), null);
  assert.equal(lacks("follow", "f", PAGE), "player.nothing_to.follow");
  assert.equal(lacks("hand", "h", PAGE), "player.nothing_to.hand");
  assert.equal(lacks("forward", "ArrowRight", PAGE), null);
});

test("what changes a world says whose world it is", () => {
  const recorded = { ...PAGE, live: false, share: "" };
  for (const action of ["branch", "drop", "breakpoints", "compare"] as const) {
    assert.equal(lacks(action, "", recorded), "player.nothing_to.recorded");
    assert.equal(lacks(action, "", { ...recorded, follows: true }), "player.nothing_to.followed");
  }
  assert.equal(lacks("share", "s", recorded), "player.nothing_to.share");
});

test("a number key goes to the beat with that number; where panels are on show, it opens a panel", () => {
  assert.equal(lacks("number", "4", { ...PAGE, beats: 4 }), null);
  assert.equal(lacks("number", "5", { ...PAGE, beats: 4 }), "player.nothing_to.number");
  assert.equal(lacks("number", "5", PAGE), null, "the lanes");
});

/** The line that says where two compared runs stand. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { apartText, placeText, timesText } from "../../player/compare-place.ts";
import { speakStage } from "../stage/words.ts";

speakStage();
const RUNS = { left_run: "A", right_run: "B" };

test("times beside each other have one unit and one precision", () => {
  assert.deepEqual(timesText([240, 9960]), ["240 ms", "9960 ms"]);
  assert.deepEqual(timesText([240, 30_290]), ["0.240 s", "30.290 s"]);
});

test("the line says the times only if they lie apart", () => {
  assert.equal(apartText([240, 600], RUNS), "");
  assert.equal(apartText([240, 30_290], RUNS), "“A” is at 0.240 s, “B” at 30.290 s.");
});

test("the line says at the ends what still differs there, if it is known", () => {
  const ends = (lasting: readonly string[] | null): string => placeText({ kind: "ends", isOfTime: false, since: "", lasting });
  assert.match(ends(["t-0", "p1"]), /still differ: t-0, p1/);
  assert.match(ends(["1", "2", "3", "4", "5"]), /: 1, 2, 3, 4, …/);
  assert.match(ends([]), /except in time/);
  assert.match(ends(null), /^Both runs are at their ends\.$/);
});

test("the line says from where on the runs differ", () => {
  assert.equal(placeText({ kind: "after", isOfTime: false, since: "380 ms", lasting: null }), "The runs differ from 380 ms on.");
});

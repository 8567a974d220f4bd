/** The message to which a reader is led, in words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenText } from "../../player/losses.ts";
import { speakStage } from "../stage/words.ts";

speakStage();

test("what comes of a loss is what the engine says of it, and nothing where the engine does not", () => {
  const loss = { step: 9, message: 3, api: "Produce", is_response: false, from: "p1", to: "broker-1" };
  assert.deepEqual(chosenText(loss), { key: "player.chosen.request", params: { api: "Produce", from: "p1", to: "broker-1", step: 9, forecast: "" } });
  assert.equal(chosenText({ ...loss, forecast: { key: "loss.not_repeated", params: {} } }).params["forecast"], "If it is lost, no component sends it again, and no time limit ends the wait for it.");
  assert.equal(chosenText({ ...loss, is_response: true }).key, "player.chosen.response");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Audience, percentOf } from "../../player/audience.ts";
import type { HandSeen, Heard, Poll } from "../../player/audience.ts";
import type { AudienceCommand } from "../../player/source.ts";

interface Met {
  audience: Audience;
  asked: AudienceCommand[];
  heard: Heard["kind"][];
}

function met(presents: boolean): Met {
  const asked: AudienceCommand[] = [];
  const heard: Heard["kind"][] = [];
  const audience = new Audience(presents, (command) => {
    asked.push(command);
    return Promise.resolve();
  });
  audience.addEventListener("heard", (event) => heard.push((event as CustomEvent<Heard>).detail.kind));
  return { audience, asked, heard };
}

const hand = (follower: number, step: number, away = false): HandSeen => ({ follower, name: null, branch: "1", step, text: "", away });

function poll(id: number, more: Partial<Poll> = {}): Poll {
  return { id, branch: "1", at: 4, state: "open", shown: false, key: "k", params: {}, choices: [], answers: null, counts: null, right: null, reasons: null, ...more };
}

test("a presenter hears of each hand once, also when its connection comes and goes", () => {
  const { audience, heard } = met(true);
  const seen = (hands: HandSeen[]): void => audience.heard({ type: "audience", hands, poll: null, names: {} });
  seen([hand(1, 3)]);
  seen([hand(1, 3, true), hand(2, 5)]);
  seen([hand(1, 3), hand(2, 5)]);
  assert.deepEqual(heard, ["hand", "hand"]);
  seen([hand(2, 5)]);
  seen([hand(2, 6)]);
  assert.deepEqual(heard, ["hand", "hand", "hand"]);
});

test("a follower hears that the presenter lowered their hand, and not that they did", () => {
  const { audience, heard, asked } = met(false);
  const raised = { branch: "1", step: 3, text: "" };
  const own = (now: typeof raised | null): void => audience.heard({ type: "hand", raised: now, follower: 1, name: null });
  own(raised);
  void audience.lower();
  own(null);
  assert.deepEqual(heard, []);
  own(raised);
  own(null);
  assert.deepEqual(heard, ["lowered"]);
  assert.deepEqual(asked, [{ type: "lower_hand" }]);
});

test("an older state of the poll that comes late is ignored, and an answer belongs to its poll", () => {
  const { audience, heard } = met(false);
  audience.heard({ type: "poll", number: 2, poll: poll(1, { state: "closed" }) });
  audience.heard({ type: "poll", number: 1, poll: poll(1) });
  assert.equal(audience.poll?.state, "closed");
  audience.heard({ type: "answered", poll: 1, choice: "a" });
  audience.heard({ type: "poll", number: 3, poll: poll(1, { state: "revealed" }) });
  assert.equal(audience.choice, "a");
  audience.heard({ type: "poll", number: 4, poll: poll(2) });
  assert.equal(audience.choice, null);
  audience.heard({ type: "poll", number: 5, poll: null });
  assert.deepEqual(heard, ["poll", "poll", "poll", "over"]);
});

test("only a presenter's poll takes the place of a question", () => {
  for (const presents of [true, false]) {
    const { audience } = met(presents);
    audience.heard({ type: "poll", number: 1, poll: poll(1) });
    assert.equal(audience.asks("1", 4), presents);
    assert.equal(audience.asks("1", 5) || audience.asks("2", 4), false);
  }
});

test("percentages are of those who answered", () => {
  assert.deepEqual([percentOf(0, 0), percentOf(1, 3), percentOf(3, 3)], [0, 33, 100]);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { Lines } from "../../player/lines.ts";
import type { MadeIntervention, Plan } from "../../generated/messages.ts";
import { Plans } from "../../player/plans.ts";
import type { Answer, BranchInfo, Command, Source } from "../../player/source.ts";
import { branch as made } from "./fixture.ts";

function branch(id: string, over: Partial<BranchInfo> = {}): BranchInfo {
  return made(id, 5, over);
}

function plan(steps: number, complete = true): Plan {
  return {
    steps, complete, hues: {}, clients: [], brokers: [], lanes: {}, consumers: [], controller: false, middleware: null, beats: [],
  };
}

function start(...branches: BranchInfo[]) {
  const lines = new Lines();
  for (const info of branches) lines.branches.set(info.id, info);
  const asked: Command[] = [];
  const source: Source = {
    live: true,
    start: () => undefined,
    stop: () => undefined,
    ask: (command): Promise<Answer> => {
      asked.push(command);
      return Promise.reject(new Error("the server cannot make it"));
    },
  };
  return { lines, asked, plans: new Plans(lines, source) };
}

test("a plan is asked for once, and a page does without one that cannot be made", () => {
  const { asked, plans } = start(branch("1"));
  plans.look("1");
  plans.look("1");
  assert.deepEqual(asked, [{ type: "plan", branch: "1" }]);
  assert.equal(plans.of("1"), null);
});

test("what came by itself is not asked for", () => {
  const { asked, plans } = start(branch("1"));
  const came = plan(40);
  plans.put("1", came, 0);
  plans.look("1");
  assert.deepEqual(asked, []);
  assert.equal(plans.of("1"), came);
});

test("a plan that comes twice is not requested again, whether the run ends in it or not", () => {
  for (const complete of [true, false]) {
    const { asked, plans } = start(branch("1"));
    for (let time = 0; time < 2; time += 1) {
      plans.put("1", plan(40, complete), 0);
      plans.look("1");
    }
    assert.deepEqual(asked, []);
  }
});

test("its parent's plan stands in for a branch that has none, and its own is asked for", () => {
  const { asked, plans } = start(branch("1"), branch("2", { parent: "1", leaves_at: 3 }));
  const came = plan(40);
  plans.put("1", came, 0);
  plans.look("2");
  assert.equal(plans.of("2"), came);
  assert.deepEqual(asked, [{ type: "plan", branch: "2" }]);
});

const DONE: MadeIntervention = { after: 1, intervention: { action: "crash", actor: "broker-1" } };

test("an intervention makes another run, and a plan that was outgrown is asked for again, once", () => {
  const { lines, asked, plans } = start(branch("1"));
  plans.put("1", plan(40, false), 0);
  lines.branches.set("1", branch("1", { interventions: [DONE] }));
  plans.look("1");
  assert.equal(asked.length, 1);
  plans.put("1", plan(40, false), 1);
  lines.branches.set("1", branch("1", { interventions: [DONE], newest: 41 }));
  plans.look("1");
  plans.put("1", plan(40, false), 1);
  plans.look("1");
  assert.equal(asked.length, 1, "a plan that grew no further is not asked for again");
});

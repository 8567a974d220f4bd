import assert from "node:assert/strict";
import test from "node:test";

import { PlayerStore } from "../../player/store.ts";
import type { Answer, Command } from "../../player/source.ts";
import { lineAt, stopsOf, Transactions } from "../../player/transactions.ts";
import type { TransactionLine, TransactionLines } from "../../player/transactions.ts";
import { branch, Frames, makeRun, StoredSource } from "./fixture.ts";

function line(over: Partial<TransactionLine> = {}): TransactionLine {
  return {
    id: "txn-1", client: "p1", producer_id: 1000, producer_epoch: 0, places: ["t-0"], more_places: 0, first_step: 2, last_step: 8,
    first_at: 10, last_at: 40, decided_step: 6, state: "CompleteCommit", result: "committed", over: true, ...over,
  };
}

test("a transaction stops where it begins, is decided and ends; an open one has no end", () => {
  assert.deepEqual(stopsOf([line(), line({ first_step: 4, last_step: 9, decided_step: null, over: false })]), [2, 4, 6, 8]);
  assert.deepEqual(stopsOf([]), []);
});

test("at a step nothing of what follows is known: no line, then open, then decided, then as it ended", () => {
  const at = (step: number): unknown => {
    const found = lineAt(line(), step, 25);
    return found && [found.result, found.over, found.decided_step, found.last_step, found.last_at];
  };
  assert.equal(at(1), null);
  assert.deepEqual(at(5), ["open", false, null, 5, 25]);
  assert.deepEqual(at(7), ["committed", false, 6, 7, 25]);
  assert.deepEqual(at(9), ["committed", true, 6, 8, 40]);
});

async function open(tell: (branch: string) => TransactionLines | undefined) {
  const frames = new Frames();
  const source = new StoredSource({ main: makeRun(12) }, [branch("main", 12)]);
  const asked: string[] = [];
  const plain = source.ask.bind(source);
  source.ask = (command: Command): Promise<Answer> => {
    if (command.type !== "transactions") return plain(command);
    asked.push(command.branch);
    const transactions = tell(command.branch);
    return Promise.resolve(transactions === undefined ? {} : { transactions });
  };
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, startAt: { branch: null, step: 3 } });
  const transactions = new Transactions(store, (_milliseconds, action) => void setImmediate(action));
  store.start();
  await frames.settle();
  return { asked, frames, store, transactions };
}

test("no request before the list is open, and none after all steps were read", async () => {
  const { asked, frames, store, transactions } = await open(() => ({ through: 12, folded: 0, lines: [line()] }));
  assert.deepEqual(asked, []);
  transactions.watch(true);
  await frames.settle();
  store.moveTo(7);
  await frames.settle();
  assert.deepEqual(asked, ["main"]);
  assert.equal(transactions.lines?.lines.length, 1);
});

test("while steps follow the last answer there is another request, and none once the list is closed", async () => {
  let through = 10;
  const { asked, frames, store, transactions } = await open(() => ({ through: (through += 1), folded: 0, lines: [] }));
  transactions.watch(true);
  await frames.settle();
  await frames.settle();
  assert.deepEqual([asked.length, transactions.lines?.through], [2, 12]);
  transactions.watch(false);
  through = 0;
  store.moveTo(5);
  await frames.settle();
  assert.equal(asked.length, 2);
});

test("a source that cannot tell is not asked for ever", async () => {
  const { asked, frames, transactions, store } = await open(() => undefined);
  Object.defineProperty(store.source, "live", { value: false });
  transactions.watch(true);
  await frames.settle();
  store.moveTo(5);
  await frames.settle();
  assert.deepEqual([asked.length, transactions.lines, transactions.isUnknown], [1, null, true]);
});

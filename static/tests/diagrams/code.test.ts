import assert from "node:assert/strict";
import test from "node:test";

import { noCodeOf } from "../../diagrams/code.ts";
import { layoutCode, layoutRows, numbersText } from "../../diagrams/code-layout.ts";
import { Code, checksOf } from "../../player/checks.ts";
import type { CodeLine } from "../../player/checks.ts";
import { say, words } from "../../player/text.ts";
import { DUPLICATE, HEADER, derived, frameOf, speakEnglish, stepOf, view } from "./fixture.ts";

speakEnglish();

const line = (depth: number, text: string, ties: Partial<CodeLine> = {}): CodeLine => ({ depth, text, ...ties });
const code = new Code({
  components: {
    producer_state: {
      kafka: "ProducerAppendInfo", machines: [],
      lines: [
        line(0, "load():"), line(1, "read"), line(0, "expire(now):"), line(1, "forget"), line(0, ""),
        line(0, "append(batch):"),
        line(1, "if duplicate:", { decides: ["producer_append?decision.duplicate_lookup"], says: ["broker.duplicate_found"], kafka: "findDuplicateBatch" }),
        line(1, "if batch.epoch < epoch:", { decides: ["producer_append?decision.epoch"] }),
        line(0, "update():"), line(1, "remember"),
      ],
    },
    sender: { kafka: "Sender", machines: [], lines: [line(0, "run():"), line(1, "wake", { says: ["client.woken"] })] },
  },
  rows: {}, tables: {},
});

test("the part of the step is open, its lines are marked, the rest is folded", () => {
  const shape = layoutCode(frameOf(DUPLICATE), code, null, null);
  assert.equal(shape?.component, "producer_state");
  assert.equal(shape?.kafka, "findDuplicateBatch");
  assert.deepEqual(shape?.parts.map((part) => [part.folded, part.lines.length]), [[true, 5], [false, 3], [true, 2]]);
  assert.deepEqual(shape?.parts[1]?.lines.map((one) => [one.mark, one.now, one.check]), [
    [null, false, null], ["decided", true, 0], ["not_reached", false, null],
  ]);
});

test("lines under a condition that did not hold, and those behind the deciding one, are not executed", () => {
  const longer = new Code({
    components: {
      producer_state: {
        kafka: "", machines: [],
        lines: [
          line(0, "append(batch):"), line(1, "entry"), line(1, "if duplicate:", { decides: ["producer_append?decision.duplicate_lookup"], says: ["broker.duplicate_found"] }), line(2, "return"),
          line(1, "if switch:"), line(1, "if batch.epoch < epoch:", { decides: ["producer_append?decision.epoch"] }), line(2, "return"),
        ],
      },
    },
    rows: {}, tables: {},
  });
  const lines = layoutCode(frameOf(DUPLICATE), longer, null, null)?.parts[0]?.lines ?? [];
  assert.deepEqual(lines.map((one) => [one.mark, one.skipped]), [
    [null, false], [null, false], ["decided", false], [null, false], [null, true], ["not_reached", false], [null, true],
  ]);
});

test("inside a step the line of its check is the current one, and other components are named", () => {
  const step = stepOf({ ...DUPLICATE, notes: [{ key: "client.woken", params: {}, rules: [] }] });
  const checks = checksOf(step, code);
  const note = layoutCode(frameOf(step), code, checks[checks.length - 1] ?? null, null);
  assert.equal(note?.component, "sender");
  assert.deepEqual(note?.parts[0]?.lines.map((one) => [one.mark, one.now]), [[null, false], ["also", true]]);
  assert.deepEqual(note?.others.map((other) => other.component), ["producer_state"]);
  assert.equal(layoutCode(frameOf(step), code, null, "sender")?.component, "sender");
});

test("what the line carries out is said, and of a line without a requirement what it stands under carries out", () => {
  const code = new Code({
    components: {
      state: {
        kafka: "", machines: [],
        lines: [line(0, "append():", { rules: ["SEQ-9"] }), line(1, "if other:", { rules: ["SEQ-8"] }), line(1, "if known:"), line(2, "return", { says: ["broker.duplicate_found"] })],
      },
    },
    rows: {}, tables: {},
  });
  assert.deepEqual(layoutCode(frameOf(DUPLICATE), code, null, null)?.rules.map(({ rule }) => rule), ["SEQ-9"]);
});

test("a step without code has none, and a component without a mark folds nothing", () => {
  assert.equal(layoutCode(frameOf(stepOf({ key: "fault.crashed" })), code, null, null), null);
  assert.equal(layoutCode(frameOf(null), code, null, null), null);
  const turned = layoutCode(frameOf(stepOf({ key: "fault.crashed" })), code, null, "sender");
  assert.deepEqual(turned?.parts.map((part) => part.folded), [false]);
});

test("what was compared stands beside the line, in words", () => {
  assert.equal(numbersText([["expected", 13], ["producer_epoch", null]]), "expected 13 · epoch none");
  assert.equal(numbersText([]), "");
});

test("a line is in the language that is spoken, where it has one of its own", () => {
  const code = new Code({
    components: {
      state: {
        kafka: "", machines: [],
        lines: [line(0, "append():"), line(1, "return the offset it had", { chinese: "return 它原来的偏移量", says: ["broker.duplicate_found"] })],
      },
    },
    rows: {}, tables: {},
  });
  words.use("zh-Hans");
  const shape = layoutCode(frameOf(DUPLICATE), code, null, null);
  words.use("en");
  assert.deepEqual(shape?.parts[0]?.lines.map((one) => one.text), ["append():", "return 它原来的偏移量"]);
  assert.equal(layoutCode(frameOf(DUPLICATE), code, null, null)?.parts[0]?.lines[1]?.text, "return the offset it had");
});

test("the row that fired stands under those that were tried before it", () => {
  const row = (source: string, on: string, when: string, target: string | null) => ({ source, on, when, target, reply: "", why: "", spec: "TXC-8" });
  const table = {
    name: "states", initial: "Empty", states: [], terminal: [], events: [],
    rows: [row("Empty", "init", "in_transition", null), row("Ongoing", "init", "", "Fence"), row("Empty", "init", "settled", "Empty"), row("Empty", "init", "", "Dead")],
  };
  const rows = layoutRows({ machine: "states", of: "txn-1", from: "Empty", to: "Empty", on: "init", row: 2 }, table);
  assert.deepEqual(rows.map(({ when, fired, refused }) => [when, fired, refused]), [["in_transition", false, true], ["settled", true, false]]);
  assert.deepEqual(layoutRows({ machine: "states", of: "t", from: "", to: "", on: "", row: 9 }, table), []);
});

test("lines and rows of other versions are left out, unless the step is at them", () => {
  const words_of = (header: Partial<typeof HEADER>, level: number, step = DUPLICATE) => layoutCode(
    frameOf(step, view({ derived: derived({ transaction_version: level }) }), { header: { ...HEADER, ...header } }),
    new Code({
      components: {
        request: {
          kafka: "", machines: [],
          lines: [
            line(0, "append():", { says: ["broker.duplicate_found"] }), line(1, "verify", { versions: ["3.9", "4.1"] }),
            line(1, "add", { versions: ["4.1"], level: 2 }), line(1, "wake", { says: ["client.woken"], versions: ["2.0"] }),
          ],
        },
      },
      rows: {}, tables: {},
    }), null, null)?.parts.flatMap((part) => part.lines.map((one) => one.text));
  assert.deepEqual(words_of({ version: "2.8" }, 0), ["append():"]);
  assert.deepEqual(words_of({ version: "3.9" }, 0), ["append():", "verify"]);
  assert.deepEqual(words_of({ version: "4.1" }, 0), ["append():", "verify"]);
  assert.deepEqual(words_of({ version: "4.1" }, 2), ["append():", "verify", "add"]);
  assert.deepEqual(words_of({ version: "4.1", client_versions: { [DUPLICATE.actor]: "2.8" } }, 2), ["append():"]);
  const woken = stepOf({ ...DUPLICATE, notes: [{ key: "client.woken", params: {}, rules: [] }] });
  assert.deepEqual(words_of({ version: "2.8" }, 0, woken), ["append():", "wake"]);
});

test("a row of another version was not tried before the one that fired", () => {
  const transition = { machine: "states", of: "txn-1", from: "Empty", to: "Empty", on: "init", row: 2 };
  const tried = new Code({
    components: {}, rows: {},
    tables: { states: [["Empty", "init", "old", { versions: ["2.0"] }], ["Empty", "init", "writing"], ["Empty", "init", "settled"]] },
  });
  const step = stepOf({ transition });
  const guards = (version: string) => checksOf(step, tried, { version, level: 0 }).filter((one) => one.kind === "guard").map((one) => one.params["guard"]);
  assert.deepEqual([guards("2.0"), guards("2.8")], [["old", "writing"], ["writing"]]);
});

test("of a step of log files it is said that they do not name the code, of other steps without code what causes them", () => {
  const file = frameOf(stepOf({ kind: "delivery" }), view(), { header: { ...HEADER, profile: "log" } });
  assert.deepEqual([file, frameOf(stepOf({ kind: "fault" })), frameOf(stepOf({ kind: "delivery" }))].map(noCodeOf), ["diagram.code.none_log", "diagram.code.none_fault", "diagram.code.none_other"]);
  assert.match(say(noCodeOf(file)), /^Log files contain what brokers wrote, not which code ran/);
});

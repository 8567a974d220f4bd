import assert from "node:assert/strict";
import { test } from "node:test";
import {
  GROUPS, anyValue, boundsOf, crashingAt, fieldIn, fieldsOf, isForMessages, knownKeys, matchLine, mistakesAt, mistakesInGroup, newRow, oneLanguage, openAfter, pathOf, placeOf, readValue,
  rowLine, showValue, unmetKey, whenEdits, whenOf, withoutEmptied, wordEdits, wordsOfChoices,
} from "../../builder/document.ts";
import type { Edit, Field, Form, JsonObject } from "../../builder/document.ts";
import { WIDTH, lanesOf, placed } from "../../builder/timeline.ts";

const field = (kind: string, more: Partial<Field> = {}): Field => ({
  kind, default: null, required: false, low: null, high: null, choices: [], rows: null, bound: 64, table: null, names: null, names_by: {}, ...more,
});

const whole = (low: number, high: number) => ({ kind: "int", default: null, low, high, choices: [] });
const MESSAGES = {
  craft_produce: { "": { records: whole(1, 10) } },
  craft_request: { "": { api: { kind: "text", default: null, low: null, high: null, choices: ["EndTxn"] } }, EndTxn: { producer_id: whole(-1, 9) } },
};

const FORM: Form = {
  sections: {
    fault: { at: field("int"), match: field("table", { rows: "match" }), action: field("name", { required: true, choices: ["drop", "crash"] }), actor: field("text"), by_ms: field("int") },
    producer: { name: field("name", { required: true }), settings: field("table", { table: "settings" }) },
    application: { name: field("name", { required: true }), client: field("name", { required: true, names: "callable" }), calls: field("tables", { rows: "call" }) },
    call: { at: field("int", { required: true }), do: field("name", { required: true, choices: ["send"] }) },
  },
  tables: {},
  belonging: { fault: { word: "action", always: ["at", "match"], fields: { drop: [], crash: ["actor"] } } },
  needs: {}, actions: {}, messages: MESSAGES, names: {}, versions: {}, mistakes_max: 30,
};

test("a place names rows by their names, as the loader does", () => {
  const document = { producers: [{ name: "p1", settings: { acks: 1 } }], faults: [{ action: "drop" }, { action: "drop" }] };
  assert.equal(placeOf(document, ["producers", 0, "settings", "acks"]), "producers.p1.settings.acks");
  assert.equal(placeOf(document, ["faults", 1, "match", "api"]), "faults.1.match.api");
  assert.equal(placeOf(document, ["limits", "steps"]), "limits.steps");
});

test("the deciding word of a row may change which names a field offers", () => {
  const actor = field("text", { names: "actors", names_by: { seek: "consumers" } });
  assert.equal(fieldIn(FORM, "fault", actor, { action: "seek" }).names, "consumers");
  assert.equal(fieldIn(FORM, "fault", actor, { action: "crash" }).names, "actors");
  assert.equal(fieldIn(FORM, "application", field("name", { names: "callable" }), {}).names, "callable");
});

test("the way to a place is the place's the other way round, as far as the document goes", () => {
  const document = { producers: [{ name: "p1", settings: { acks: 1 } }], faults: [{ action: "drop" }, { action: "drop" }] };
  for (const path of [["producers", 0, "settings", "acks"], ["faults", 1, "match", "api"], ["limits", "steps"]]) {
    assert.deepEqual(pathOf(document, placeOf(document, path)), path);
  }
});

test("rows that are open stay so when one is moved or taken away; those with a name keep it", () => {
  const rows = [{}, {}, {}, {}];
  const open = ["faults.1", "faults.1.match", "faults.3", "producers.p1", "about"];
  const after = (edit: Edit, of: JsonObject[] = rows): string[] => [...openAfter(open, "faults", of, edit)];
  assert.deepEqual(after({ do: "move", path: ["faults", 1], by: -1 }), ["faults.0", "faults.0.match", "faults.3", "producers.p1", "about"]);
  assert.deepEqual(after({ do: "move", path: ["faults", 2], by: 1 }), ["faults.1", "faults.1.match", "faults.2", "producers.p1", "about"]);
  assert.deepEqual(after({ do: "remove", path: ["faults", 1] }), ["faults.2", "producers.p1", "about"]);
  const named = [{ name: "1" }, { name: "3" }];
  assert.deepEqual([...openAfter(["producers.1", "producers.3"], "producers", named, { do: "remove", path: ["producers", 0] })], ["producers.1", "producers.3"]);
});

const CALLS: Form = {
  ...FORM,
  belonging: {
    fault: { word: "action", always: ["at", "match"], fields: { drop: [], crash: ["actor"], restart: ["actor"] } },
    call: { word: "do", always: ["at"], fields: { send: ["partition", "records"], flush: [] } },
  },
  actions: { message: ["drop"] },
};

test("with another word, what means nothing with it goes from the row", () => {
  const call = { at: 10, do: "send", partition: "t-0", records: 3 };
  assert.deepEqual(wordEdits(CALLS, "call", call, ["calls", 0], "flush", {}), [
    { do: "set", path: ["calls", 0, "do"], value: "flush" },
    { do: "remove", path: ["calls", 0, "partition"] },
    { do: "remove", path: ["calls", 0, "records"] },
  ]);
  assert.deepEqual(wordEdits(CALLS, "call", { at: 10, do: "flush" }, ["calls", 0], "send", { partitions: ["x-0"] }), [
    { do: "set", path: ["calls", 0, "do"], value: "send" },
    { do: "set", path: ["calls", 0, "partition"], value: "x-0" },
  ]);
  assert.deepEqual(wordEdits(CALLS, "fault", { at: 5, action: "crash", actor: "p1" }, ["faults", 0], "restart", {}), [
    { do: "set", path: ["faults", 0, "action"], value: "restart" },
  ]);
});

test("a crash at a message names its actor: a two-phase commit has no broker", () => {
  assert.deepEqual([crashingAt("p1", "broker-1"), crashingAt("broker-2", "p1"), crashingAt("middleware", "participant-1")], ["broker-1", "broker-2", "participant-1"]);
});

test("a fault that happens to a message has no time, and gets a message to happen to", () => {
  assert.ok(isForMessages(CALLS, "drop") && !isForMessages(CALLS, "crash"));
  assert.deepEqual(wordEdits(CALLS, "fault", { at: 5, action: "crash", actor: "p1" }, ["faults", 0], "drop", {}), [
    { do: "set", path: ["faults", 0, "action"], value: "drop" },
    { do: "remove", path: ["faults", 0, "actor"] },
    { do: "remove", path: ["faults", 0, "at"] },
    { do: "set", path: ["faults", 0, "match"], value: { api: "Produce" } },
  ]);
});

test("a fault that the trial did not set off says what did not come: its message or its time", () => {
  assert.equal(unmetKey({ match: { api: "Produce" } }, 0), "builder.never_met");
  assert.equal(unmetKey({ at: 5 }, 0), "builder.never_reached");
  assert.equal(unmetKey({ at: 5 }, 1), null);
  assert.equal(unmetKey({ at: 5 }, undefined), null);
});

test("a fault happens with a message or at a time, never both", () => {
  const path = ["faults", 0];
  assert.equal(whenOf({ match: { api: "Produce" } }), "message");
  assert.equal(whenOf({ at: 5 }), "time");
  assert.equal(whenOf({}), null);
  assert.equal(whenOf({ at: 5, match: {} }), null);
  assert.deepEqual(whenEdits({ match: { api: "Produce" }, after_ms: 3 }, path, "time"), [
    { do: "remove", path: ["faults", 0, "match"] },
    { do: "remove", path: ["faults", 0, "after_ms"] },
    { do: "set", path: ["faults", 0, "at"], value: 10 },
  ]);
  assert.deepEqual(whenEdits({ at: 5, match: { api: "Fetch" } }, path, "message"), [{ do: "remove", path: ["faults", 0, "at"] }]);
});

test("a table goes with its last key", () => {
  const path = ["faults", 0, "match"];
  const last: Edit[] = [{ do: "remove", path: [...path, "api"] }];
  assert.deepEqual(withoutEmptied(last, { api: "Produce" }, path), [{ do: "remove", path }]);
  assert.deepEqual(withoutEmptied(last, { api: "Produce", nth: 2 }, path), last);
  assert.deepEqual(withoutEmptied(last, { api: "Produce" }, ["faults", 1, "match"]), last);
  const set: Edit[] = [{ do: "set", path: [...path, "api"], value: "Fetch" }];
  assert.deepEqual(withoutEmptied(set, { api: "Produce" }, path), set);
});

test("in one language every text is the same in both, and none is lost", () => {
  const document = {
    id: "X", title: { en: "Mine", "zh-Hans": "我的" }, summary: { en: "Same", "zh-Hans": "Same" },
    checkpoints: [{ hint: { en: "", "zh-Hans": "提示" } }], producers: [{ settings: { en: 1 } }],
  };
  assert.deepEqual(oneLanguage(document, "en"), [
    { do: "set", path: ["title", "zh-Hans"], value: "Mine" },
    { do: "set", path: ["checkpoints", 0, "hint", "en"], value: "提示" },
  ]);
  assert.deepEqual(oneLanguage(document, "zh-Hans"), [
    { do: "set", path: ["title", "en"], value: "我的" },
    { do: "set", path: ["checkpoints", 0, "hint", "en"], value: "提示" },
  ]);
});

test("the keys of a made-up request are those of the request that it names", () => {
  const keys = (row: JsonObject): string[] => Object.keys(knownKeys(FORM, field("table"), row, "message")?.known ?? {});
  assert.deepEqual(keys({ action: "craft_produce" }), ["records"]);
  assert.deepEqual(keys({ action: "craft_request" }), ["api"]);
  assert.deepEqual(keys({ action: "craft_request", message: { api: "EndTxn" } }), ["producer_id"]);
  assert.equal(knownKeys(FORM, field("table"), { action: "drop" }, "message"), null);
  assert.deepEqual(boundsOf(whole(1, 10)), { low: 1, high: 10 });
  assert.equal(boundsOf({ kind: "bool", default: true, low: null, high: null, choices: [] }), null);
});

test("a row shows the fields of its word first, and what stands there without belonging", () => {
  const names = (row: Record<string, string | number>): string[] => fieldsOf(FORM, "fault", row).map(([name]) => name);
  assert.deepEqual(names({ action: "drop" }), ["action", "at", "match"]);
  assert.deepEqual(names({ action: "crash", by_ms: 3 }), ["action", "at", "match", "actor", "by_ms"]);
});

test("new rows can be filled in, with names that are not in use", () => {
  assert.deepEqual(newRow(FORM, "producer", {}, [{ name: "p1" }, { name: "p3" }]), { name: "p2" });
  assert.deepEqual(newRow(FORM, "application", { callable: ["p1"] }, []), { name: "app-1", client: "p1", calls: [] });
  assert.deepEqual(newRow(FORM, "call", { partitions: ["orders-0"] }, [{ at: 10, do: "send" }]), { at: 20, do: "send", partition: "orders-0" });
});

test("what is typed is read by its kind; nothing takes the key out", () => {
  assert.equal(readValue("int", " 12 "), 12);
  assert.equal(readValue("int", "twelve"), "twelve");
  assert.equal(readValue("acks", "all"), "all");
  assert.equal(readValue("acks", "1"), 1);
  assert.equal(readValue("bool", "false"), false);
  assert.deepEqual(readValue("names", "t-0, t-1，t-2"), ["t-0", "t-1", "t-2"]);
  assert.deepEqual(readValue("ints", "1, x"), [1, "x"]);
  assert.equal(readValue("text", "  "), undefined);
  assert.deepEqual(anyValue('{"t-0": 3}'), { "t-0": 3 });
  assert.equal(anyValue("COMMIT"), "COMMIT");
  assert.equal(showValue(["a", "b"]), "a, b");
  assert.equal(showValue(null), "");
});

test("mistakes are counted at a field, below it and in its group", () => {
  const at = (place: string) => ({ place, wrong: "x", allowed: "y", line: null });
  const mistakes = [at("faults.0.actor"), at("faults.0"), at("profile")];
  assert.deepEqual(mistakesAt(mistakes, "faults.0"), { here: [at("faults.0")], below: 1 });
  assert.equal(mistakesInGroup(mistakes, "faults"), 2);
  assert.equal(mistakesInGroup(mistakes, "about"), 1);
});

test("rows and messages have a line that tells them apart", () => {
  const wordOf = (prefix: string, name: string): string => `${prefix}.${name}`;
  assert.equal(rowLine("fault", { at: 30, action: "crash", actor: "broker-1" }, wordOf, FORM), "30 ms · form.action.crash · broker-1");
  assert.equal(matchLine({ api: "Produce", response: true, to: "p1", partition: "t-0", nth: 2 }), "Produce ↩ * → p1 t-0 #2");
  assert.equal(wordsOfChoices("fault", "action", FORM), "form.action");
  assert.equal(wordsOfChoices("fault", "actor", FORM), null);
  assert.equal(wordsOfChoices("producer", "profile", FORM), "library.profile");
});

test("no field of the document stands in two groups", () => {
  const every = Object.values(GROUPS).flat();
  assert.equal(new Set(every).size, every.length);
});

test("the line of time holds every call and fault inside its width, and no word lies on another", () => {
  const lanes = lanesOf({
    applications: [{ name: "app", calls: [{ at: 10, do: "send", records: 3, every: 5 }, { at: 11, do: "flush" }, { at: 400, do: "close" }, { do: "send" }] }],
    faults: [{ at: 50, action: "crash", for_ms: 100 }, { match: { api: "Produce" }, action: "drop" }],
  });
  assert.deepEqual(lanes.map((lane) => [lane.kind, lane.marks.length]), [["application", 3], ["fault", 1]]);
  assert.equal(lanes[0]?.marks[0]?.word, "send ×3");
  const { lanes: drawn, end } = placed(lanes);
  assert.equal(end, 400);
  for (const mark of drawn.flatMap((lane) => lane.placed)) assert.ok(mark.x + mark.width <= WIDTH);
  assert.deepEqual(drawn[0]?.placed.map((mark) => mark.worded), [true, false, true]);
});

test("a producer id at the end of the space is shown, read and kept exactly", () => {
  assert.equal(readValue("int", "9223372036854775807"), 9223372036854775807n);
  assert.equal(readValue("int", "9007199254740991"), 9007199254740991);
  assert.equal(showValue(9223372036854775807n), "9223372036854775807");
  assert.deepEqual(anyValue("[{\"id\": 9223372036854775807}]"), [{ id: 9223372036854775807n }]);
  assert.equal(showValue([{ id: 9223372036854775807n }]), '[{"id":9223372036854775807}]');
});

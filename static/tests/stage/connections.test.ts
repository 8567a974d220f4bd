import assert from "node:assert/strict";
import { before, test } from "node:test";
import { overlap } from "../../diagrams/geometry.ts";
import "../../stage/phone-placed.ts";
import { missingConnections } from "../../stage/connections.ts";
import type { Focus } from "../../stage/contract.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import { networkOf } from "../../stage/network.ts";
import { places } from "../../stage/places.ts";
import { client, frameOf, HEADER, message, stepOf, view } from "../diagrams/fixture.ts";
import { pointOn } from "../../stage/wires.ts";
import { speakStage } from "./words.ts";

before(speakStage);

const SIZES = [{ width: 1280, height: 412, form: "desk" }, { width: 390, height: 520, form: "phone" }] as const;
const connected = { state: "connected", in_flight: [], limit: 5 };

function frameWith(state: string, messages: ReturnType<typeof message>[] = []) {
  const own = { ...client(), connections: { 1: { ...connected, state }, 2: connected } };
  return frameOf(stepOf(), view({ clients: { p1: own }, network: { messages: Object.fromEntries(messages.map((one) => [String(one.id), one])) } }));
}

test("where two connections cross stands no cross of either", () => {
  const here = places(null, HEADER, view(), SIZES[0]);
  const own = { ...client(), connections: { 1: { ...connected, state: "disconnected" }, 2: { ...connected, state: "disconnected" } } };
  const found = missingConnections(frameOf(stepOf(), view({ clients: { p1: own } })), here, NO_FOCUS);
  assert.equal(found.length, 2);
  for (const one of found) {
    const [x, y] = one.at;
    for (const other of found) {
      if (other === one) continue;
      const near = Array.from({ length: 101 }, (_, index) => pointOn(other.wire, index / 100)).some((at) => Math.hypot(at[0] - x, at[1] - y) < 10);
      assert.ok(!near, `${one.broker} at ${x}, ${y}`);
    }
  }
});

for (const size of SIZES) {
  const here = places(null, HEADER, view(), size);

  test(`${size.form}: a connection that is broken or being opened is on the stage, one that is up is not`, () => {
    assert.deepEqual(missingConnections(frameWith("connected"), here, NO_FOCUS), []);
    for (const [state, said] of [["disconnected", "no connection"], ["connecting", "opening a connection"]] as const) {
      const found = missingConnections(frameWith(state), here, NO_FOCUS);
      assert.deepEqual(found.map(({ client: who, broker, said: words }) => [who, broker, words]), [["p1", "broker-1", said]]);
      assert.ok(found[0]?.words !== null);
    }
  });

  test(`${size.form}: a connection that a coordinator closes is on the stage, unless the picture shows what is lost with it`, () => {
    const note = { key: "markers.disconnected", params: { coordinator: "broker-2", broker: "broker-1", partitions: ["t-0"] }, rules: [] };
    const frame = frameOf(stepOf({ notes: [note] }), view());
    const found = missingConnections(frame, here, NO_FOCUS);
    assert.deepEqual(found.map(({ client: who, broker, crossed }) => [who, broker, crossed]), [["broker-2", "broker-1", true]]);
    assert.deepEqual(missingConnections(frame, here, { ...NO_FOCUS, kind: "lost" }), []);
  });

  test(`${size.form}: its words are on no message, and there from the step on that cuts it, where what was lost has the cross`, () => {
    const waiting = [1, 2].map((id) => message({ id, sent_at: 138, arrives_at: 148, correlation_id: 20 + id }));
    const frame = frameWith("disconnected", waiting);
    const [found] = missingConnections(frame, here, NO_FOCUS);
    const { words } = found ?? {};
    assert.ok(words == null || networkOf(frame, here, NO_FOCUS).flights.every(({ box }) => !overlap(box, words)));
    const doubt = { key: "stage.tag.cannot_know", params: { client: "p1", partition: "t-0", batches: ["0"] } };
    for (const focus of [{ ...NO_FOCUS, kind: "lost" }, { ...NO_FOCUS, doubt }] as Focus[]) {
      const [cut] = missingConnections(frameWith("disconnected"), here, focus);
      assert.ok(cut?.words != null && !cut.crossed);
    }
  });

  test(`${size.form}: a broker that is down says so itself, and no connection to it does`, () => {
    const frame = frameWith("disconnected");
    const down = { ...frame, view: { ...frame.view, brokers: { ...frame.view.brokers, 1: { ...frame.view.brokers?.["1"], alive: false } } } } as typeof frame;
    assert.equal(missingConnections(down, here, NO_FOCUS)[0]?.words, null);
  });
}

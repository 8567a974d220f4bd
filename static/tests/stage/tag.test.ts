import assert from "node:assert/strict";
import { before, test } from "node:test";
import "../../stage/phone-placed.ts";
import type { MessageView } from "../../player/frame.ts";
import type { Focus } from "../../stage/contract.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import type { Flight } from "../../stage/network.ts";
import { networkOf, taken } from "../../stage/network.ts";
import { places } from "../../stage/places.ts";
import { tagLayer } from "../../stage/tag.ts";
import { frameOf, HEADER, message, stepOf, view } from "../diagrams/fixture.ts";
import { speakStage } from "./words.ts";

before(speakStage);

test("on a phone the tag of a broker's crash is over that broker", () => {
  const frame = frameOf(stepOf(), view());
  const here = places(null, HEADER, view(), { width: 390, height: 520, form: "phone" });
  for (const [actor, place] of Object.entries(here.brokers)) {
    const focus: Focus = { ...NO_FOCUS, kind: "actor", actor, tag: { key: "stage.tag.crashed", params: {} } };
    const [tag] = tagLayer(frame, here, focus);
    assert.ok(tag !== undefined, actor);
    const middle = tag.x + tag.width / 2;
    assert.ok(middle > place.box.x && middle < place.box.x + place.box.width && tag.y < place.box.y, actor);
  }
});

test("on a phone the tag of a paused client is under that client, not under the one beside it", () => {
  const clients = ["p1", "p2"].map((name) => ({ name, role: "client" as const }));
  const header = { ...HEADER, actors: [...clients, ...HEADER.actors.filter(({ role }) => role !== "client")] };
  const both = view();
  both.clients = { ...both.clients, p2: both.clients?.["p1"] ?? assert.fail() };
  const here = places(null, header, both, { width: 390, height: 520, form: "phone" });
  for (const actor of ["p1", "p2"]) {
    const focus: Focus = { ...NO_FOCUS, kind: "client", actor, tag: { key: "stage.tag.paused", params: {} } };
    const [tag] = tagLayer(frameOf(stepOf(), both), here, focus);
    const { box } = here.clients[actor] ?? assert.fail();
    assert.ok(tag !== undefined && tag.y >= box.y + box.height, actor);
    assert.ok(tag.x >= box.x && tag.x + tag.width <= box.x + box.width, actor);
  }
});

test("the tag of a lane that a broker took over stands at the lane, far from the broker's own box", () => {
  const here = places(null, HEADER, view(), { width: 1280, height: 412, form: "desk" });
  const [name, broker] = Object.entries(here.brokers).find(([, { lanes }]) => "t-0" in lanes) ?? assert.fail();
  const lane = broker.lanes["t-0"] ?? assert.fail();
  const moved = { ...here, brokers: { ...here.brokers, [name]: { ...broker, box: { ...broker.box, y: 380, height: 30 } } } };
  const focus: Focus = { ...NO_FOCUS, kind: "gate", actor: name, partition: "t-0", gates: ["high_watermark"], tag: { key: "stage.tag.hw", params: { hw_from: 52, hw: 53 } } };
  const [tag] = tagLayer(frameOf(stepOf()), moved, focus);
  assert.ok(tag !== undefined && tag.y >= lane.box.y - 30 && tag.y <= lane.box.y + lane.box.height, `${tag?.y} beside ${lane.box.y}`);
});

test("the tag of a lost message is nearer to it than to any other, or a line leads from the one to the other", () => {
  const here = places(null, HEADER, view(), { width: 1280, height: 412, form: "desk" });
  const all = Array.from({ length: 6 }, (_, index) => message({ id: 900 + index, correlation_id: 900 + index, sent_at: 143, arrives_at: 148 }));
  const table = (list: MessageView[]) => ({ messages: Object.fromEntries(list.map((one) => [String(one.id), one])) });
  for (const { id } of all) {
    const frame = frameOf(stepOf(), view({ network: table(all.filter((one) => one.id !== id)) }), { previousView: view({ network: table(all) }) });
    const focus: Focus = { ...NO_FOCUS, kind: "lost", tag: { key: "stage.tag.lost", params: { at: 143, count: 1 } }, messages: { ...NO_FOCUS.messages, dropped: [id] } };
    const [tag, line] = tagLayer(frame, here, focus);
    assert.ok(tag !== undefined, `${id} has a tag`);
    const { flights } = networkOf(frame, here, focus);
    const far = (flight: Flight, box = taken(flight)) => Math.hypot(...(["x", "y"] as const).map((axis, at) => {
      const size = (["width", "height"] as const)[at] as "width" | "height";
      return Math.max(0, box[axis] - tag[axis] - tag[size], tag[axis] - box[axis] - box[size]);
    }));
    const own = flights.find(({ message: one }) => one.id === id) ?? assert.fail();
    assert.ok(line !== undefined || flights.every((other) => other === own || far(other) > far(own)), `${id}: ${JSON.stringify(tag)}`);
  }
});

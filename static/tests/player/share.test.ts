import assert from "node:assert/strict";
import { test } from "node:test";
import { selectionOf } from "../../player/selection-of.ts";
import { frameInLanguage, inLanguage, shownFields } from "../../player/share.ts";

test("what is on show goes into an address and comes back", () => {
  const selection = { kind: "batch" as const, id: "p1/0:x", partition: "t-0", serials: [3, 4] };
  const fields = shownFields("spacetime", selection);
  assert.deepEqual(fields, { view: "spacetime", select: "batch:p1/0:x", in: "t-0", serials: "3.4" });
  assert.deepEqual(selectionOf(fields["select"] ?? "", fields["in"] ?? "", fields["serials"] ?? ""), selection);
});

test("the usual view and no selection say nothing", () => {
  assert.deepEqual(shownFields("stage", null), {});
  assert.deepEqual(shownFields("spacetime", null, "", "spacetime"), {});
  assert.deepEqual(shownFields("lanes", null, "", "spacetime"), { view: "lanes" });
  assert.equal(selectionOf("", "", ""), null);
  assert.equal(selectionOf("planet:mars", "", ""), null);
});

test("a language is added to an address, or left to the reader", () => {
  assert.equal(inLanguage("https://x/open/SC-03/0/?step=4", "zh-Hans"), "https://x/open/SC-03/0/?step=4&lang=zh-Hans");
  assert.equal(inLanguage("https://x/?step=4", ""), "https://x/?step=4");
  assert.equal(inLanguage("", "en"), "");
});

test("the frame of a page says its language too", () => {
  const frame = '<iframe src="https://x/embed/SC-03/0/?step=4&amp;view=text" title="a"></iframe>';
  assert.equal(frameInLanguage(frame, "en"), '<iframe src="https://x/embed/SC-03/0/?step=4&amp;view=text&amp;lang=en" title="a"></iframe>');
  assert.equal(frameInLanguage(frame, ""), frame);
});

import assert from "node:assert/strict";
import test from "node:test";

import type { QuorumView } from "../../generated/messages.ts";
import { errorTerm, isolationTerm, keeperOf, meaningOf, termed } from "../../player/terms.ts";
import { speakStage } from "../stage/words.ts";

speakStage();

const SITE = { rules: "/reference/requirements/{rule}", reference: "/reference/" };
const FILE = { rules: "", reference: "" };

test("an error tells what it means, what was compared and what both sides do, and leads to its entry", () => {
  const meaning = meaningOf("error.INVALID_PRODUCER_EPOCH", SITE);
  assert.equal(meaning?.name, "INVALID_PRODUCER_EPOCH");
  assert.deepEqual(meaning.parts.map(([heading]) => heading), ["What was compared", "What the receiver does", "What the sender of the request does"]);
  assert.equal(meaning.more, "/reference/errors/#INVALID_PRODUCER_EPOCH");
});

test("rules, isolation levels and guarantees tell their sentence", () => {
  assert.equal(meaningOf("requirement.GEN-1", SITE)?.more, "/reference/requirements/GEN-1");
  assert.equal(meaningOf("term.read_committed", SITE)?.more, "/reference/terms/#read_committed");
  assert.match(meaningOf("term.read_uncommitted", SITE)?.text ?? "", /every replicated record/);
  assert.match(meaningOf("player.guarantee.lost", SITE)?.text ?? "", /missing from the leader's log/);
});

test("a rule that two kinds of clusters follow in different ways has the words of the run's own", () => {
  assert.match(meaningOf("requirement.PID-5", SITE, "zookeeper")?.text ?? "", /claims another block/);
  assert.match(meaningOf("requirement.PID-5", SITE, "quorum")?.text ?? "", /nine tenths/);
  assert.doesNotMatch(meaningOf("requirement.PID-5", SITE)?.text ?? "", /claims|nine tenths/);
  assert.equal(meaningOf("requirement.GEN-1", SITE, "quorum")?.text, meaningOf("requirement.GEN-1", SITE)?.text);
  assert.deepEqual([keeperOf({ quorum: {} as QuorumView }), keeperOf({})], ["zookeeper", "zookeeper"]);
});

test("a file without a site has the texts and no address", () => {
  assert.deepEqual(["requirement.GEN-1", "error.INVALID_PRODUCER_EPOCH", "term.read_committed", "player.guarantee.lost"].map((term) => meaningOf(term, FILE)?.more), ["", "", "", ""]);
});

test("what the catalogue does not know is no term", () => {
  assert.equal(errorTerm("NO_SUCH_ERROR"), null);
  assert.equal(isolationTerm("snapshot"), null);
  assert.equal(meaningOf("requirement.NO-1", SITE), null);
});

test("a sentence without the name of an error stays a text", () => {
  assert.equal(termed("The Sender has not run yet."), "The Sender has not run yet.");
  const parts = termed("It answers INVALID_PRODUCER_EPOCH.") as unknown[];
  assert.deepEqual([parts[0], parts[2]], ["It answers ", "."]);
  assert.equal(typeof parts[1], "object");
});

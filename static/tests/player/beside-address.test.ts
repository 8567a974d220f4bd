import assert from "node:assert/strict";
import test from "node:test";
import { besideAddress, placeIn, readFrom } from "../../player/beside-address.ts";

test("a comparison leads back to the branch and step from which it was opened, whichever side that is", () => {
  for (const from of [{ branch: "7", shown: 107 }, { branch: "9", shown: 114 }]) {
    const address = besideAddress("/compare/", { left: "7", right: "9" }, from, "");
    assert.deepEqual(readFrom(address.slice(address.indexOf("?")), ["7", "9"]), from);
  }
});

test("a comparison leads back to the run with the reader's own log", () => {
  const address = besideAddress("/compare/", { left: "7", right: "9" }, { branch: "7", shown: 3 }, "c0ffee");
  const from = readFrom(address.slice(address.indexOf("?")), ["7", "9"]);
  assert.equal(from === null ? "" : placeIn("/sessions/1/", from), "/sessions/1/?branch=7&step=3&log=c0ffee");
});

test("an address that names no place in either branch leads back to none", () => {
  for (const search of ["?left=7&right=9", "?from=7", "?from=8&from_step=3", "?from=7&from_step=-1", "?from=7&from_step=x"]) {
    assert.equal(readFrom(search, ["7", "9"]), null, search);
  }
});

/** A step as a line of the run's text. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { svg } from "lit";
import type { Step } from "../../player/frame.ts";
import { linePartsOf } from "../../player/line-parts.ts";
import { words } from "../../player/text.ts";
import { markup } from "../diagrams/fixture.ts";

test("a preview's command is code, and what has to hold is a sentence of its own", () => {
  words.learn("en", { texts: { "log.preview.reads": "It stops at 2.", "logs.preview.command": "The command: {command}", "logs.condition.open": "{command} shows it", "logs.condition.writer": "its producer is stopped", "logs.todo.only_if": "Only if:", "join.semicolon": "; ", "join.stop": ".", "join.sentences": "{first} {then}" }, sources: {} });
  words.use("en");
  const said = (key: string, command?: string) => ({ key, params: command === undefined ? {} : { command }, rules: [] });
  const step = { ...said("log.preview.reads"), notes: [said("logs.condition.open", "b --topic t"), said("logs.condition.writer"), said("logs.preview.command", "a abort")] } as unknown as Step;
  assert.equal(markup(svg`${linePartsOf(step)}`).replace(/<[/]?span[^>]*>|<!--.*?-->/g, ""), "It stops at 2. The command: <code>a abort</code><br>Only if: <code>b --topic t</code> shows it; its producer is stopped.");
});

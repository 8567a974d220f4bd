/** Finds the interventions in a run, and puts them in words. Pure, no DOM. */

import type { Intervention } from "../generated/messages.ts";
import type { JsonObject, MessageView, Step } from "./frame.ts";
import type { Lines } from "./lines.ts";
import { ownerOf, withAncestors } from "./lines.ts";
import { carriedBy } from "./message-name.ts";
import type { BranchInfo } from "./source.ts";
import { say } from "./text.ts";

/** One intervention, and the branch that it was made on. */
export interface Done {
  branch: string;
  /** The number of the step before the intervention. The next step carries it out. */
  after: number;
  intervention: Intervention;
}

export function doneOn(branch: BranchInfo): Done[] {
  return branch.interventions.map(({ after, intervention }) => ({ branch: branch.id, after, intervention }));
}

/**
 * Action → the parameter that it may leave to the engine. Without it, the text of the action is `done.<action>_any`.
 */
const LEFT_OPEN: Readonly<Record<string, string>> = { change_leader: "broker", shrink_isr: "broker", restore_isr: "broker", delete_head: "to" };

/**
 * An intervention in words: "dropped Produce (t-0, seq 3–5) from p1 to broker-1". `lines`: the loaded steps; if the
 * step that carries out the intervention is among them, it gives the name of the message.
 */
export function inWords(done: Done, lines?: Pick<Lines, "step">): string {
  const { action } = done.intervention;
  const step = lines?.step(done.branch, done.after + 1);
  const message = "message" in done.intervention ? messageWords(step) : "";
  const params: JsonObject = { ...done.intervention, message };
  const open = LEFT_OPEN[action];
  return say(open !== undefined && params[open] == null ? `done.${action}_any` : `done.${action}`, params);
}

function messageWords(step: Step | undefined): string {
  const params = step?.params ?? {};
  if (params["api"] === undefined || params["source"] === undefined) return say("done.a_message");
  const gone = step?.changes.find(({ path }) => path.length === 3 && path[1] === "messages" && path[2] === String(params["message"]));
  const carried = carriedBy((gone?.before ?? gone?.after) as unknown as MessageView | undefined);
  return say(`done.message_${params["kind"] === "response" ? "answer" : "request"}`, { ...params, carried });
}

/** All interventions of a branch and of its ancestors, as far as the branch follows them, oldest first. */
export function doneOnLine(branches: ReadonlyMap<string, BranchInfo>, branch: string): Done[] {
  const found: Done[] = [];
  let end = Infinity;
  for (const info of withAncestors(branches, branch)) {
    found.unshift(...doneOn(info).filter(({ after }) => after < end));
    end = info.leaves_at;
  }
  return found;
}

/** The last intervention that was carried out in this step of a branch or before it; null if there is none. */
export function lastDone(branches: ReadonlyMap<string, BranchInfo>, branch: string, step: number): Done | null {
  const before = doneOnLine(branches, branch).filter(({ after }) => after < step);
  return before[before.length - 1] ?? null;
}

/**
 * The branch and step at which the run is as it was before an intervention: on the first branch with the same steps up
 * to it and no intervention after them. If there is none, on the branch that stores the step, and `repeats` is true:
 * that branch carries out this or another intervention later.
 */
export function placeBefore(branches: ReadonlyMap<string, BranchInfo>, { branch, after }: Done): { branch: string; step: number; repeats: boolean } {
  const owner = ownerOf(branches, branch, after);
  const isWithout = (id: string): boolean => ownerOf(branches, id, after) === owner && doneOnLine(branches, id).every((one) => one.after < after);
  const without = [...branches.keys()].find(isWithout);
  return { branch: without ?? owner, step: after, repeats: without === undefined };
}

/** Whether a branch is a run of a session; the other kinds are a log case and its previews. */
export function isOfSession({ said }: BranchInfo): boolean {
  return said.key.startsWith("branch.");
}

export function isOriginal({ said }: BranchInfo): boolean {
  return said.key.startsWith("branch.original");
}

/**
 * A source of steps that reads a player file (docs/player.md), without a server. All steps are there at once. Commands
 * that would make steps are refused; *why* is answered only if the file contains the answers.
 */

import type { Header, NearView, PlayerFile, SentStep as Step, TransactionLines } from "../generated/messages.ts";
import { get, linesOf } from "./addressed.ts";
import { parseExactly } from "./exact-json.ts";
import type { View } from "./frame.ts";
import type { AskedWhy, LogAnswers } from "./log-why.ts";
import { whyInLog } from "./log-why.ts";
import type { Answer, Command, Listener, Source } from "./source.ts";
import { normalBranch, Problem } from "./source.ts";

/** A player file whose steps have been read from its `lines`. */
type Played = Omit<PlayerFile, "header" | "view" | "steps"> & { header: Header; view: NearView; steps: Record<string, Step[]> };

export class FileSource implements Source {
  readonly live = false;
  readonly #address: string;
  #listener: Listener | null = null;
  #transactions: Record<string, TransactionLines> | null = null;
  #answers: LogAnswers | null = null;

  constructor(address: string) {
    this.#address = address;
  }

  start(listener: Listener): void {
    this.#listener = listener;
    listener.statusChanged("connecting");
    this.#load().then(
      (file) => this.#play(file),
      (error: unknown) => {
        listener.statusChanged("failed");
        listener.failed(new Problem("unavailable", "player.file_unavailable", { reason: String(error) }));
      },
    );
  }

  stop(): void {
    this.#listener = null;
  }

  ask(command: Command): Promise<Answer> {
    // The listener already has all steps.
    if (command.type === "window" || command.type === "near_view" || command.type === "difference") return Promise.resolve({});
    if (command.type === "why") return this.#why(command);
    if (command.type === "plan") return Promise.resolve({});
    if (command.type === "ahead") return Promise.resolve({});
    if (command.type === "actions") return Promise.resolve({ actions: [] });
    if (command.type === "transactions") {
      const transactions = this.#transactions?.[command.branch];
      return Promise.resolve(transactions === undefined ? {} : { transactions });
    }
    return Promise.reject(new Problem("refused", "player.recording_cannot_change"));
  }

  /** The answer to *why* from a log case, whose file contains the answers. Rejects for any other recording. */
  #why(command: AskedWhy): Promise<Answer> {
    if (this.#answers === null) return Promise.reject(new Problem("refused", "player.why.recording", {}, "player.why.recording.remedy"));
    return Promise.resolve({ why: whyInLog(this.#answers, command) });
  }

  async #load(): Promise<Played> {
    const file = parseExactly(await (await had(this.#address)).text()) as Played;
    if (file.v !== 1) throw new Error(`player file version ${String(file.v)}`);
    return withDerived(file.lines === undefined ? file : { ...file, ...(await readLines(await had(file.lines))) });
  }

  #play(file: Played): void {
    const listener = this.#listener;
    if (listener === null) return;
    const branches = file.branches.map(normalBranch);
    this.#transactions = file.transactions ?? null;
    this.#answers = file.why === undefined ? null : { why: file.why, written: branches.find(({ parent }) => parent === null) ?? null, steps: file.steps };
    listener.welcomed({ session: file.session, header: file.header, branches, verified: file.verified });
    for (const branch of branches) {
      const plan = file.plans?.[branch.id];
      if (plan !== undefined) listener.planCame(branch.id, plan, branch.interventions.length);
      if (branch.parent === null) listener.viewCame(branch.id, 0, file.view as View, null); // Panels get the whole file (`whole.ts`).
      listener.stepsCame(branch.id, file.steps[branch.id] ?? [], branch.finished ?? "recorded");
    }
    listener.statusChanged("recorded");
  }
}

/** The file with the derived facts put into its view and steps. Modifies the steps. */
function withDerived(file: Played): Played {
  let view = file.view;
  for (const [branch, derived] of Object.entries(file.derived ?? {})) {
    derived?.steps.forEach((known, place) => {
      const step = file.steps[branch]?.[place];
      if (step !== undefined) step.derived = known;
    });
    if (derived?.view !== undefined) view = { ...view, derived: derived.view };
  }
  return { ...file, view };
}

async function had(address: string): Promise<Response> {
  const response = await get(address);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response;
}

/**
 * Reads the lines of a replay (docs/replay-format.md). They are not validated again, because the maker of the file did
 * so; a line that was cut off throws when it is parsed.
 */
async function readLines(response: Response): Promise<Pick<Played, "header" | "view" | "steps">> {
  const steps: Record<string, Step[]> = {};
  let first: { header: Header; view: View } | null = null;
  for await (const line of linesOf(response)) {
    const read = parseExactly(line) as { type: string; branch: string; step: Step; header: Header; view: View };
    if (read.type === "step") (steps[read.branch] ??= []).push(read.step);
    else if (read.type === "header") first = { header: read.header, view: read.view };
    else if (read.type === "end" && first !== null) return { ...first, steps };
  }
  throw new Error("the recording has no end");
}

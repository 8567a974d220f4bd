/**
 * A panel with a state machine, drawn from the engine's own table.
 *
 *     class Coordinator extends MachineElement { protected readonly machine = "transaction_states"; … }
 *
 * The table is fetched once from `machines`, an address with `{machine}` in it. As long as there is no table, `drawn`
 * returns null and the panel names the state in words. After a failed fetch, the next frame requests the table again.
 */

import type { TemplateResult } from "lit";
import type { InForce } from "../player/in-force.ts";
import { DiagramElement } from "./element.ts";
import { drawMachine, fetchMachine, machineLook } from "./machine-draw.ts";
import type { MachineOptions, MachineShape, MachineTable } from "./machine-layout.ts";
import { layoutMachine, tableInForce } from "./machine-layout.ts";

export interface MachineState {
  state: string;
  /** The last edge: from, to, event; null: none was taken yet. */
  lastEdge: readonly [string, string, string] | null;
  /** Whether this step took the last edge. */
  stepped: boolean;
  /** The state in words. */
  sentence: string;
  /** The version and level of the component that has the machine. */
  there: InForce;
}

export interface DrawnMachine {
  shape: MachineShape;
  picture: TemplateResult;
}

export abstract class MachineElement extends DiagramElement {
  static override properties = { ...DiagramElement.properties, machines: {}, table: { attribute: false } };
  static override styles = [...DiagramElement.styles, machineLook];

  declare machines: string | undefined;
  declare table: MachineTable | undefined;
  /** Name of the machine in the engine's tables. */
  protected abstract readonly machine: string;
  #asked = "";

  constructor() {
    super();
    this.machines = undefined;
    this.table = undefined;
  }

  protected override willUpdate(): void {
    const address = this.machines?.replace("{machine}", this.machine);
    if (!address || address === this.#asked || this.table !== undefined) return;
    this.#asked = address;
    void fetchMachine(address).then((table) => { this.table = table; }, () => { this.#asked = ""; });
  }

  /** The drawing of the machine; null while the table is not loaded. */
  protected drawn({ state, lastEdge, stepped, sentence, there }: MachineState, options: (table: MachineTable) => MachineOptions): DrawnMachine | null {
    if (this.table === undefined) return null;
    const table = tableInForce(this.table, there, lastEdge);
    const shape = layoutMachine(table, state, lastEdge, options(table));
    return { shape, picture: drawMachine(shape, sentence, stepped) };
  }
}

/**
 * The table of all records as CSV, from the rows of the panel (`ledger.ts`). Pure.
 *
 * A text that a spreadsheet would execute as a formula begins with an additional character that prevents this, as in
 * the results of a class.
 */

import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { layoutLedger } from "./ledger.ts";

const COLUMNS = ["record", "partition", "stored", "reported", "read", "result"] as const;
const FORMULA = /^[=+\-@\t\r]/;
/** Without this mark, spreadsheets do not read the file as UTF-8. */
const BYTE_ORDER_MARK = "\ufeff";

export function ledgerTable(frame: Frame): string {
  const { chips } = layoutLedger(frame, { chips: Number.MAX_SAFE_INTEGER, rows: 0 }, 0);
  const rows = chips.map((row) => [row.serial, row.partition, row.stored, row.status, row.delivered, row.word]);
  const heads = COLUMNS.map((column) => say(`diagram.ledger.${column}`));
  return BYTE_ORDER_MARK + [heads, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

export function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const inert = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

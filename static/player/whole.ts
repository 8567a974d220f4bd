/**
 * Puts empty tables back into views. The engine leaves out empty objects (docs/frame.md): a client without requests has
 * no `requests`. This module adds them, so that panels need not check. An object that lacks nothing stays the same
 * object, and the same object always gives the same completed one, so panels may cache by identity.
 */

import type { JsonObject, View } from "./frame.ts";

/**
 * A kind of object: the names of its tables and lists, which a completed one always has, and the kinds of its parts.
 */
interface Shape {
  /** Whether the object itself may be absent, like the transaction manager of a client without idempotence. */
  isOptional?: boolean;
  tables?: readonly string[];
  lists?: readonly string[];
  /** Name of an object → its shape. */
  parts?: Readonly<Record<string, Shape>>;
  /** Name of a table → the shape of every entry in it. */
  entries?: Readonly<Record<string, Shape>>;
}

const CLIENT: Shape = {
  tables: ["configuration", "queues", "batches", "connections", "requests", "timers"],
  parts: {
    metadata: { tables: ["leaders"] },
    ready: { tables: ["nodes"], lists: ["unknown_leader_topics"] },
    pool: { lists: ["waiters"] },
    transaction_manager: { isOptional: true, tables: ["partitions"], lists: ["requests"] },
  },
};

const REPLICA: Shape = { tables: ["batches", "producers"], lists: ["segments", "waiting"] };

const VIEW: Shape = {
  tables: [
    "applications", "records", "clients", "consumers", "brokers", "partitions", "pending", "faults", "guarantees", "verdicts",
  ],
  parts: { zookeeper: { tables: ["nodes", "sessions"] }, network: { tables: ["messages"] } },
  entries: {
    clients: CLIENT,
    consumers: { tables: ["positions", "delivered"] },
    brokers: { lists: ["denied"] },
    partitions: { tables: ["replicas"], lists: ["isr", "replica_order"], entries: { replicas: REPLICA } },
  },
};

const known = new WeakMap<JsonObject, JsonObject>();
const EMPTY: JsonObject = Object.freeze({}) as JsonObject;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const empties = new Map<Shape, JsonObject>();

/** The empty object of a shape, always the same one, so that completing it always gives the same object. */
function emptyOf(shape: Shape): JsonObject {
  const made = empties.get(shape) ?? {};
  empties.set(shape, made);
  return made;
}

function completed(object: JsonObject, shape: Shape): JsonObject {
  const before = known.get(object);
  if (before !== undefined) return before;
  const more: JsonObject = {};
  for (const name of shape.tables ?? []) if (object[name] === undefined) more[name] = EMPTY;
  for (const name of shape.lists ?? []) if (object[name] === undefined) more[name] = [];
  for (const [name, part] of Object.entries(shape.parts ?? {})) {
    const old = object[name];
    if (part.isOptional === true && !isObject(old)) continue;
    const whole = completed(isObject(old) ? old : emptyOf(part), part);
    if (whole !== old) more[name] = whole;
  }
  for (const [name, entry] of Object.entries(shape.entries ?? {})) {
    const table = object[name];
    if (!isObject(table)) continue;
    const whole = completedEntries(table, entry);
    if (whole !== table) more[name] = whole;
  }
  const whole = Object.keys(more).length === 0 ? object : { ...object, ...more };
  known.set(object, whole);
  return whole;
}

function completedEntries(table: JsonObject, shape: Shape): JsonObject {
  const before = known.get(table);
  if (before !== undefined) return before;
  const more: JsonObject = {};
  for (const [name, entry] of Object.entries(table)) {
    if (!isObject(entry)) continue;
    const whole = completed(entry, shape);
    if (whole !== entry) more[name] = whole;
  }
  const whole = Object.keys(more).length === 0 ? table : { ...table, ...more };
  known.set(table, whole);
  return whole;
}

/** The view with every table and list that a panel may read. */
export function wholeView(view: View): View {
  return completed(view as unknown as JsonObject, VIEW) as unknown as View;
}

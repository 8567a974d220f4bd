/**
 * Computes the fixed places of services and their database: services are below the clients, the database below the
 * brokers. So statements cross the network, as requests to Kafka do. Pure.
 */

import { round } from "../diagrams/geometry.ts";
import type { Box, Places, Point, StagePlan } from "./contract.ts";

export const SERVICE = { height: 88, phone: 88 };
export const DATABASE = { height: 104, phone: 96 };
export const DATABASE_NAME = "database";
const GAP = 8;
/**
 * Height of the gap between services and the database on a phone, where statements go down and responses come up, in
 * units.
 */
const NETWORK = 56;

const servicesOf = (plan: StagePlan): NonNullable<StagePlan["services"]> => plan.services ?? [];

/** Height that services take under the clients, in units. */
export const besideClients = (plan: StagePlan): number => servicesOf(plan).length * (SERVICE.height + GAP);
/** Height that the database takes under the brokers, in units. */
export const besideBrokers = (plan: StagePlan): number => (servicesOf(plan).length === 0 ? 0 : DATABASE.height + GAP);

function at(box: Box, port: Point): Places["others"][string] {
  return { box: { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) }, port: [round(port[0]), round(port[1])] };
}

/**
 * Name → place of the services and of the database of a cluster. `clients`, `brokers`: x and width of their columns;
 * `bottom`: y of the lower edge of both columns.
 */
export function besidePlaces(plan: StagePlan, clients: { x: number; width: number }, brokers: { x: number; width: number }, bottom: number): Places["others"] {
  const services = servicesOf(plan);
  if (services.length === 0) return {};
  const top = bottom - besideClients(plan) + GAP;
  const found: Places["others"] = {};
  services.forEach(({ name }, index) => {
    const box = { ...clients, y: top + index * (SERVICE.height + GAP), height: SERVICE.height };
    found[name] = at(box, [box.x + box.width, box.y + box.height / 2]);
  });
  const box = { ...brokers, y: bottom - DATABASE.height, height: DATABASE.height };
  found[DATABASE_NAME] = at(box, [box.x, box.y + box.height / 2]);
  return found;
}

/**
 * The same places on a phone, from y on: a row of services below everything else, and the database below them.
 * `height`: the height of both together.
 */
export function besidePhone(plan: StagePlan, x: number, y: number, width: number): { others: Places["others"]; height: number } {
  const services = servicesOf(plan);
  if (services.length === 0) return { others: {}, height: 0 };
  const own = (width - GAP * (services.length - 1)) / services.length;
  const others: Places["others"] = {};
  services.forEach(({ name }, index) => {
    const box = { x: x + index * (own + GAP), y: y + GAP, width: own, height: SERVICE.phone };
    others[name] = at(box, [box.x + box.width / 2, box.y + box.height]);
  });
  const box = { x, y: y + GAP + SERVICE.phone + NETWORK, width, height: DATABASE.phone };
  others[DATABASE_NAME] = at(box, [box.x + box.width / 2, box.y]);
  return { others, height: GAP + SERVICE.phone + NETWORK + DATABASE.phone + GAP };
}

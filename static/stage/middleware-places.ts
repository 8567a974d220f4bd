/**
 * Computes the fixed places of a run of the message middleware: first the initiator and the business system, then the
 * middleware, then its participants; from left to right or, on a phone and in a wing, from top to bottom. Pure.
 */

import { clamp, round } from "../diagrams/geometry.ts";
import type { Box, Places, Point, Size, StagePlan } from "./contract.ts";
import { rounded } from "./places-desk.ts";
import { phoneWidth } from "./places-phone.ts";

const TOP = 28;
const BOTTOM = 10;
const MARGIN = 24;
const WIDTH = 1280;
const SCALE = { least: 0.86, most: 2.6 };
const SIDE = 212;
const CENTRE = 292;
const PARTICIPANT = { width: 240, least: 58, most: 150 };
const GAP = 10;
const LEAST = 400;
const MANAGER = 44;
/** Heights on a phone, in units. */
const STACK = { role: 70, centre: 174, centreGood: 196, centreMost: 250, participant: 78, network: 47, networkMost: 84, inRow: 4, under: 30 };
const EDGE = 6;
const MARGINS = 10;
/**
 * `width`: a stage at least so many CSS px wide (half a page in a comparison) shows the whole picture without
 * scrolling. `scale`: the least scale of the picture for that.
 */
const HALF = { width: 560, scale: 0.78 };

export function middlewarePlaces(plan: StagePlan, size: Size): Places {
  return size.form === "phone" ? stacked(plan, size) : abreast(plan, size);
}

function rolesOf(plan: StagePlan): { wanting: string[]; middle: string[]; participants: string[] } {
  const { roles = [], participants = [] } = plan.middleware ?? {};
  const wanting = ["initiator", "business"].filter((role) => roles.includes(role));
  const middle = ["middleware", "manager"].filter((role) => roles.includes(role));
  return { wanting, middle, participants };
}

function abreast(plan: StagePlan, size: Size): Places {
  const scale = clamp(size.width / WIDTH, SCALE.least, SCALE.most);
  const width = size.width / scale;
  const { wanting, middle, participants } = rolesOf(plan);
  const least = Math.max(LEAST, TOP + BOTTOM + participants.length * (PARTICIPANT.least + GAP));
  const height = Math.max(size.height / scale, least);
  const inner = height - TOP - BOTTOM;
  const boxes: Record<string, Box> = {};
  const left = MARGIN;
  const centre = (width - CENTRE) / 2 + 6;
  const right = width - MARGIN - PARTICIPANT.width;
  const small = wanting.length > 1 ? 84 : 0;
  let y = TOP;
  for (const role of wanting) {
    const own = role === "initiator" && wanting.length > 1 ? small : inner - (y - TOP);
    boxes[role] = { x: left, y, width: SIDE, height: own };
    y += own + GAP;
  }
  const manager = middle.includes("manager") && middle.length > 1 ? MANAGER : 0;
  y = TOP;
  for (const role of middle) {
    const own = role === "manager" && manager > 0 ? manager : inner - (manager > 0 ? manager + GAP : 0);
    boxes[role] = { x: centre, y, width: CENTRE, height: own };
    y += own + GAP;
  }
  const each = clamp((inner - GAP * (participants.length - 1)) / Math.max(1, participants.length), PARTICIPANT.least, PARTICIPANT.most);
  const used = each * participants.length + GAP * (participants.length - 1);
  participants.forEach((name, index) => {
    boxes[name] = { x: right, y: TOP + Math.max(0, (inner - used) / 2) + index * (each + GAP), width: PARTICIPANT.width, height: each };
  });
  return whole(size.form, width, height, boxes, false, { x: left + SIDE, y: 0, width: centre - left - SIDE, height },
    { x: centre + CENTRE, y: 0, width: right - centre - CENTRE, height });
}

/**
 * The places from top to bottom: a row with the initiator, the business system and the transaction manager; the
 * middleware; its participants, at most four in a row.
 */
function stacked(plan: StagePlan, size: Size): Places {
  const least = leastHeight(plan);
  // On half a page, in a comparison, the picture is made smaller so that the participants are visible, too.
  const near = phoneWidth(size);
  const width = size.width < HALF.width ? near : clamp((least * size.width) / (size.height - STACK.under), near, size.width / HALF.scale);
  return inStack(plan, width, (size.height - STACK.under) / (size.width / width), least, size.form);
}

/** The places in a wing of a wide picture, from top to bottom; null if the wing is too low for them. */
export function wingPlaces(plan: StagePlan, width: number, height: number): Places | null {
  const least = leastHeight(plan);
  return least > height ? null : inStack(plan, width, height, least, "phone");
}

function leastHeight(plan: StagePlan): number {
  const { participants } = rolesOf(plan);
  const rows = Math.ceil(participants.length / STACK.inRow);
  return EDGE + STACK.role + 2 * STACK.network + STACK.centre + rows * (STACK.participant + GAP) - GAP + EDGE;
}

function inStack(plan: StagePlan, width: number, given: number, least: number, form: Size["form"]): Places {
  const { wanting, middle, participants } = rolesOf(plan);
  const boxes: Record<string, Box> = {};
  const first = [...wanting, ...middle.filter((role) => role === "manager")];
  const inRow = Math.max(1, Math.min(STACK.inRow, participants.length));
  const spare = Math.max(0, given - least);
  // Spare height goes first to the middleware, for its words; then to the networks; then to the middleware again.
  const good = STACK.centre + Math.min(spare, STACK.centreGood - STACK.centre);
  const left = spare - (good - STACK.centre);
  const network = STACK.network + Math.min(left / 2, STACK.networkMost - STACK.network);
  const centre = good + Math.min(left - 2 * (network - STACK.network), STACK.centreMost - good);
  row(boxes, first, width, EDGE, STACK.role);
  const top = EDGE + (first.length === 0 ? 0 : STACK.role + network);
  boxes["middleware"] = { x: MARGINS, y: top, width: width - 2 * MARGINS, height: centre };
  let y = top + centre + network;
  for (let from = 0; from < participants.length; from += inRow) {
    row(boxes, participants.slice(from, from + inRow), width, y, STACK.participant);
    y += STACK.participant + GAP;
  }
  return whole(form, width, Math.max(y - GAP + EDGE, given), boxes, true, { x: MARGINS, y: top - network, width: width - 2 * MARGINS, height: network }, null);
}

/** Adds boxes of the same width side by side. */
function row(boxes: Record<string, Box>, names: readonly string[], width: number, y: number, height: number): void {
  const each = (width - 2 * MARGINS - GAP * (names.length - 1)) / names.length;
  names.forEach((name, index) => {
    boxes[name] = { x: MARGINS + index * (each + GAP), y, width: each, height };
  });
}

function whole(form: Size["form"], width: number, height: number, boxes: Readonly<Record<string, Box>>, upright: boolean, network: Box, fetches: Box | null): Places {
  const others = Object.fromEntries(Object.entries(boxes).map(([name, box]) => {
    const own = rounded(box);
    const port: Point = upright ? [round(own.x + own.width / 2), own.y + own.height] : [own.x + own.width, round(own.y + Math.min(own.height / 2, 76))];
    return [name, { box: own, port }];
  }));
  return {
    kind: "middleware", form, width: round(width), height: round(height), hue: () => "b0", clients: {}, brokers: {}, readers: {}, others,
    network: rounded(network), fetches: fetches === null ? null : rounded(fetches), lens: null, upright,
    away: { clients: [], brokers: [], lanes: [], readers: [] },
  };
}

/** Fixed places of a run of the message middleware: who wants it, the middleware, its participants. Pure. */

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
/** Of a phone. */
const STACK = { role: 96, centre: 250, participant: 64, network: 70 };

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
  return whole(size, width, height, boxes, false, { x: left + SIDE, y: 0, width: centre - left - SIDE, height },
    { x: centre + CENTRE, y: 0, width: right - centre - CENTRE, height });
}

/** One under the other; participants two in a row. */
function stacked(plan: StagePlan, size: Size): Places {
  const width = phoneWidth(size);
  const { wanting, middle, participants } = rolesOf(plan);
  const boxes: Record<string, Box> = {};
  const own = width - 20;
  let y = 6;
  const half = (own - GAP) / 2;
  wanting.forEach((role, index) => {
    boxes[role] = { x: 10 + (wanting.length > 1 ? index * (half + GAP) : 0), y, width: wanting.length > 1 ? half : own, height: STACK.role };
  });
  if (wanting.length > 0) y += STACK.role + STACK.network;
  const first = y;
  for (const role of middle) {
    const height = role === "manager" ? MANAGER : STACK.centre;
    boxes[role] = { x: 10, y, width: own, height };
    y += height + GAP;
  }
  y += STACK.network - GAP;
  participants.forEach((name, index) => {
    const last = index === participants.length - 1 && index % 2 === 0;
    boxes[name] = { x: 10 + (index % 2) * (half + GAP), y, width: last ? own : half, height: STACK.participant + 18 };
    if (index % 2 === 1 || last) y += STACK.participant + 18 + GAP;
  });
  const height = Math.max(y, size.height / (size.width / width));
  return whole(size, width, height, boxes, true, { x: 10, y: first - STACK.network, width: own, height: STACK.network }, null);
}

function whole(size: Size, width: number, height: number, boxes: Readonly<Record<string, Box>>, upright: boolean, network: Box, fetches: Box | null): Places {
  const others = Object.fromEntries(Object.entries(boxes).map(([name, box]) => {
    const own = rounded(box);
    const port: Point = upright ? [round(own.x + own.width / 2), own.y + own.height] : [own.x + own.width, round(own.y + Math.min(own.height / 2, 76))];
    return [name, { box: own, port }];
  }));
  return {
    kind: "middleware", form: size.form, width: round(width), height: round(height), hue: () => "b0", clients: {}, brokers: {}, readers: {}, others,
    network: rounded(network), fetches: fetches === null ? null : rounded(fetches), lens: null, upright,
    away: { clients: [], brokers: [], lanes: [], readers: [] },
  };
}

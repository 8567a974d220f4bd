/** Draws a producer on a phone. */

import { nothing, svg } from "lit";
import type { ClientView, Frame } from "../player/frame.ts";
import type { ClientPlace, Places, StageObject } from "./contract.ts";
import { wholeOf } from "./contract.ts";
import { box, fittedText, path, textWidth } from "./draw.ts";
import { ZONES, applicationOf, bodyOf, identityPill, isFree, stateOf, zoneOf } from "./producers.ts";

/** The large box of a producer on a phone: application, name, state and identity on two lines, and one queue. */
export function uprightBody(frame: Frame, here: Places, name: string, client: ClientView, place: ClientPlace, focused: boolean): StageObject {
  const own = wholeOf(place);
  const { width, height } = own;
  const application = applicationOf(frame.view, name);
  const state = stateOf(frame, name, client);
  const id = client.transaction_manager?.transactional_id ?? null;
  const [partition, queue] = Object.entries(place.queues)[0] ?? [null, null];
  const { y: top } = own;
  const nameWidth = Math.min(textWidth(name, 16, true), 110);
  const pill = 150;
  const folded = place.panel !== undefined;
  // The small box already has the identity.
  const facts = application === null ? "" : application.fact;
  const small = Math.min(textWidth(name, 14, true), 110);
  const room = Math.max(130, Math.min(textWidth(state.said, 13) + 2, width - small - 140));
  const head = folded ? svg`${fittedText(12, 17, name, 110, 14, { bold: true, classes: "b", least: 8 })}${
    fittedText(20 + small, 17, state.said, room, 13, { classes: state.bad ? "bad" : "k", least: 8 })}${
    fittedText(width - 12, 17, id === null ? facts : `${id}  ${facts}`, width - 30 - room - small, 12, { classes: "q", most: 2, least: 7, anchor: "end" })}`
    : svg`${path(`M0.5,8q0,-7.5 7.5,-7.5h${width - 16}q7.5,0 7.5,7.5v14h${1 - width}z`, "slot")}${
      path(`M0,22h${width}`, "hair")}${application === null ? nothing : svg`${fittedText(12, 16, application.name, 90, 13, { bold: true, classes: "b", least: 8 })}${
        fittedText(width - 12, 16, facts, 90, 12, { classes: "q", least: 8, anchor: "end" })}`}${
      id === null ? nothing : fittedText(width / 2, 16, id, width - 190, 12, { classes: "k", least: 7, anchor: "middle" })}${
      focused ? box(1.5, 22.5, width - 3, 30, "wash", 2) : nothing}${
      fittedText(12, 43, name, 110, 16, { bold: true, classes: "b", least: 8 })}${
      fittedText(12 + nameWidth + 10, 43, state.said, width - 24 - nameWidth - 10 - pill, 13, { classes: state.bad ? "bad" : "k", least: 8 })}${
      identityPill(frame, here, client, width - 12, 27, pill)}`;
  return {
    key: folded ? "client" : `client:${name}`, ...own, ...bodyOf(frame, name, client),
    draw: svg`${box(0, 0, width, height, `body${client.alive ? "" : " dead"}`, 8)}${folded && focused ? box(1.5, 1.5, width - 3, 23, "wash", 7) : nothing}${head}${queue === null || partition === null ? nothing : svg`${
        fittedText(12, queue.row.y - top + 19, partition, 42, 13, { bold: true, classes: "b", most: 2, least: 7 })}${
        ZONES.map((zone) => zoneOf(queue, zone, own, 19, isFree(client, partition, zone)))}`}`,
  };
}

/**
 * The stage: applications and producers left, the network between, brokers with their logs, readers at the ends of the lanes.
 *
 *     <eos-stage></eos-stage>
 *     document.querySelector("eos-stage").frame = frame;
 *
 * Every place is fixed for the run and the size (places.ts). A frame gives keyed objects (layers.ts); this element draws
 * them, makes them buttons, gives them words, and hands two pictures that follow each other to what moves them.
 */

import { html, nothing, svg } from "lit";
import type { PropertyValues, SVGTemplateResult, TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import type { Box } from "../diagrams/geometry.ts";
import { SizedElement, asPress, onPick, twin } from "../diagrams/element.ts";
import { ownBox } from "../diagrams/own-box.ts";
import { plainly } from "../diagrams/picked.ts";
import { piece } from "../diagrams/reading.ts";
import type { Frame, MessageView, Selection, Step } from "../player/frame.ts";
import type { Part } from "../player/fetched.ts";
import { nodesDrawn, phonePlaced } from "../player/fetched.ts";
import { prefersReducedMotion } from "../player/page.ts";
import { endOf } from "../player/outcome.ts";
import { say } from "../player/text.ts";
import { askWhyEvent } from "../player/why-answer.ts";
import { apartMarks } from "./apart.ts";
import { broughtHere, isWhole } from "./brought.ts";
import type { Seen } from "./camera.ts";
import { Camera, cameraOf } from "./camera.ts";
import type { Chain } from "./chain.ts";
import { objectOf } from "./chain.ts";
import type { Focus, Places, Size, StageObject, StagePlan } from "./contract.ts";
import { NO_FOCUS } from "./contract.ts";
import { focusOf } from "./focus.ts";
import { textWidth } from "./draw.ts";
import { LATER, lackOf } from "./later.ts";
import { LAYERS } from "./layers.ts";
import { stageLook } from "./look.ts";
import { StageMover, causeFirst, hasTravel, leaving } from "./motion.ts";
import type { Network } from "./network.ts";
import { networkOf } from "./network.ts";
import { wireOf } from "./wires.ts";
import { networkLook } from "./network-look.ts";
import { offerKey } from "./offer.ts";
import { extended, outlineOf, planOf } from "./outline.ts";
import { basisOf, hasSamePlaces, isAt, runPlaces, sizeOf, standing } from "./places.ts";
import { twinOf } from "./twin.ts";

export interface Scene {
  here: Places;
  focus: Focus;
  objects: StageObject[];
  network: Network;
}

/** What the stage knows of a run: the plan that its places were made from, and what has come since. */
interface Known {
  frame: Pick<Frame, "header">;
  planned: StagePlan | null;
  base: StagePlan;
  plan: StagePlan;
  size: Size;
  run: Places;
  /** In a run with brokers and a middleware: the middleware's picture, where it has no wing of the brokers'. */
  beside: Places | null;
}

/** A step that is being animated: first the messages that travel, then their results. */
interface Playing {
  step: Step | null;
  phase: "leaves" | "travels" | "arrived" | "lands" | "done";
  before: readonly StageObject[];
  after: readonly StageObject[];
}

/** `travels` while the cause of a step is seen, `arrived` when what came of it begins to be, `landed` when it is: all bubble. */
export class Stage extends SizedElement {
  static override properties = { ...SizedElement.properties, projector: { type: Boolean, reflect: true }, asks: { attribute: false }, acts: { attribute: false }, chain: { attribute: false }, apart: { attribute: false }, quiet: { attribute: false } };
  static override styles = [...SizedElement.styles, stageLook, networkLook];

  /** Read from the back of a room: the picture comes closer to what a step is about. */
  declare projector: boolean;
  /** Whether the engine can be asked why from here. */
  declare asks: boolean;
  /** Whether messages can be dropped, delayed and duplicated here. */
  declare acts: boolean;
  /** What the sentences of the answer on show are about. */
  declare chain: Chain;
  /** Names of what differs in the run beside this one; the first is scrolled into view. */
  declare apart: readonly string[];
  /** Nothing is marked: the sentence is about the whole run, not about its last step. */
  declare quiet: boolean;
  #known: Known | null = null;
  /** What was drawn last. */
  #scene: Scene | null = null;
  #playing: Playing | null = null;
  /** The step that was last scrolled into view, and the keys of what it is about. */
  #shown: { step: Step | null; differs: string | undefined; height: number | undefined } | null = null;
  #hot: string[] = [];
  #seen: Seen | null = null;
  readonly #mover = new StageMover();
  readonly #camera = new Camera();
  /** Where the picture has text, of the answer that is on show. */
  #words: readonly Box[] = [];
  /** The share of the picture's height, from its top, that no answer lies over. */
  #free = 1;
  #worded: { chain: Chain; step: Step | null; size: Size | undefined } | null = null;
  #player: Element | null = null;
  /** Of an upright stage: what the reader brought into the picture, the step at which they did, and whether it was selected since. */
  #brought: { selection: Selection; step: Step | null; isSelected: boolean } | null = null;

  constructor() {
    super();
    this.projector = false;
    this.asks = true;
    this.acts = false;
    this.chain = [];
    this.apart = [];
    this.quiet = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#player = this.closest(".player");
    this.#player?.addEventListener("bring", this.#brings);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#player?.removeEventListener("bring", this.#brings);
  }

  /** What a question is about; null: it is asked no more. */
  readonly #brings = (event: Event): void => {
    const { detail } = event as CustomEvent<Selection | null>;
    if (detail !== null) return this.bring(detail);
    this.#brought = null;
    this.requestUpdate();
  };

  protected override show(frame: Frame): TemplateResult | typeof nothing {
    if (this.#lacks(frame)) return nothing;
    const scene = this.sceneOf(frame);
    this.#scene = scene;
    const { here, objects: whole, network } = scene;
    const seen = (this.chain.length === 0 ? undefined : LATER.chain?.uncovered(whole, this.chain, here, this.#free)) ?? (this.projector ? cameraOf(whole, here) : { x: 0, y: 0, width: here.width, height: here.height });
    const marks = this.chain.length === 0 ? [] : (LATER.chain?.marks(whole, this.chain, { ...here, height: Math.min(here.height, seen.y + seen.height * this.#free) }, this.#words, seen.y) ?? []);
    const objects = byDepth([...this.#played(frame, whole), ...marks, ...apartMarks(whole, this.apart, here)]);
    const differs = this.apart.map((name) => objectOf(whole, plainly("actor", name))?.key).find((key) => key !== undefined);
    this.#hot = differs === undefined ? whole.filter(({ hot, height }) => hot === true && height > 0).map(({ key }) => key) : [differs];
    // Whatever was yellow is so no longer: a step has one such place.
    const travels = this.#playing?.phase === "leaves" || this.#playing?.phase === "travels";
    this.#seen = { box: seen, of: here.width };
    const offer = this.#offer(here);
    const phone = here.upright ? LATER.phone : undefined;
    const foot = phone?.foot(frame, scene, this.#sized, offer) ?? null;
    return html`${frame.view.derived?.held === undefined ? html`<p class="underived">${say("stage.underived")}</p>` : nothing}<svg class=${travels ? "scene on-way" : "scene"} viewBox="${seen.x} ${seen.y} ${seen.width} ${seen.height}" role="group" aria-label=${say("stage.name")} aria-describedby="twin">${repeat(
      objects, (object) => object.key, (object) => guard([object, this.asks, this.acts], () => this.#drawn(object)))}</svg>${seen.width < here.width ? html`<p class="closer">${say("stage.closer")}</p>` : nothing}${foot ?? nothing}<div class="under"><div>${phone?.under(here, network, frame, this.frame?.selection, this.#bring)}${guard([whole], () => twin(twinOf(whole, here)))}</div>${foot === null ? offer : nothing}</div>`;
  }

  /** Whether the picture needs a part that is not there yet, which is asked for. */
  #lacks(frame: Frame): boolean {
    const lack = lackOf(frame, this.#sized);
    if (lack !== null) this.#bringPart(lack === "nodes" ? nodesDrawn : phonePlaced);
    return lack !== null;
  }

  /** Done once the part is there that the picture needs. */
  protected override async getUpdateComplete(): Promise<boolean> {
    const isDone = await super.getUpdateComplete();
    await this.#coming;
    return this.isUpdatePending ? await super.getUpdateComplete() : isDone;
  }

  #coming: Promise<unknown> = Promise.resolve();

  #bringPart(part: Part): void {
    this.#coming = part.come().then(() => this.requestUpdate(), () => this.dispatchEvent(new CustomEvent("say-hint", { detail: { key: "player.part_missing", params: {} }, bubbles: true, composed: true })));
  }

  /** An upright stage has no name of the network to put it beside. */
  #offer(here: Places): TemplateResult | typeof nothing {
    if (!this.acts || !here.upright || !hasMessages(here)) return nothing;
    const key = offerKey(this.frame?.selection, this.messages().length);
    return key === null ? nothing : html`<button class="offer" @click=${() => this.dispatchEvent(new Event("offer-act", { bubbles: true, composed: true }))}>${say(key)}</button>`;
  }

  /** Where a thing of the picture stands, in px of this element; null when it is not in the picture. */
  boxOf(key: string): Box | null {
    const node = this.#nodes()(key);
    if (node === null) return null;
    const { left, top, width, height } = ownBox(node);
    const own = ownBox(this);
    return { x: left - own.left, y: top - own.top, width, height };
  }

  /** Of the body of an actor in the picture: the largest one it has, and the upper of those that are alike; null where it has none of its own. */
  boxOfActor(name: string): Box | null {
    const own = (this.#scene?.objects ?? []).filter(({ select, brings }) => [select, brings].some((one) => one?.kind === "actor" && one.id === name));
    const boxes = own.map(({ key }) => this.boxOf(key)).filter((box) => box !== null);
    return boxes.sort((one, other) => Math.round((other.width * other.height - one.width * one.height) / ALIKE) || one.y - other.y)[0] ?? null;
  }

  /** Where something stands that is read. */
  standing(): Box[] {
    const keys = (this.#scene?.objects ?? []).map(({ key }) => key).filter((key) => !ROOMY.test(key));
    return keys.map((key) => this.boxOf(key)).filter((box) => box !== null);
  }

  /** Whether a message would have a place of its own in the picture as it is now. */
  hasPlaceFor(message: MessageView): boolean {
    const here = this.#scene?.here;
    return here === undefined || [here, here.wing?.here].some((one) => one !== undefined && wireOf(message, one) !== null);
  }

  /** Ids of the messages that stand on their own in the picture and are on their way, from left to right. */
  messages(): string[] {
    const flying = this.frame?.view.network?.messages ?? {};
    return (this.#scene?.objects ?? []).filter(({ key, select }) => key.startsWith("m:") && select?.kind === "message" && select.id in flying)
      .sort((one, other) => one.x - other.x || one.y - other.y).map(({ select }) => select?.id ?? "");
  }

  /** The message that has the focus; null: something else has it. */
  get focusedMessage(): string | null {
    const key = (this.renderRoot as ShadowRoot).activeElement?.getAttribute("data-key") ?? "";
    return key.startsWith("m:") ? key.slice(2) : null;
  }

  focusMessage(id: string): void {
    this.#nodes()(`m:${id}`)?.focus();
  }

  /** On the first thing that the step is about. */
  override enter(): boolean {
    const about = this.#hot.map(this.#nodes()).find((node) => node?.matches("[role=button]") === true);
    about?.focus();
    return about != null || super.enter();
  }

  /** Right of the network's name, up to the name of the next column, in px of this element; null: an upright stage has no such name. */
  get besideNetwork(): { x: number; y: number; width: number } | null {
    const { size } = this;
    if (size === null || this.#scene === null || this.projector) return null;
    const { here } = this.#scene;
    if (here.upright || !hasMessages(here)) return null;
    const scale = size.width / here.width;
    const x = (here.network.x + 31 + textWidth(say("stage.head.network"), 13)) * scale;
    return { x, y: 4 * scale, width: (here.network.x + here.network.width) * scale - x - 6 };
  }

  /** What of the picture is drawn now: while messages of a step travel, everything else as it stood before. */
  #played(frame: Frame, after: readonly StageObject[]): readonly StageObject[] {
    const { animate } = frame;
    // The step itself: what a drawing is given notes what is read of it, and is another each time.
    const step = this.frame?.step ?? null;
    const last = this.#playing;
    if (last !== null && last.step === step) {
      const isTravelling = last.phase === "leaves" || last.phase === "travels";
      this.#playing = { ...last, after };
      return isTravelling ? byDepth(causeFirst(last.before, after)) : after;
    }
    const moves = animate && last !== null;
    const before = last?.after ?? [];
    this.#playing = { step, before, after, phase: moves ? (hasTravel(after) ? "leaves" : "arrived") : "done" };
    if (!moves) this.#mover.stop();
    if (!moves) return after;
    return byDepth([...leaving(before, after), ...(this.#playing.phase === "leaves" ? causeFirst(before, after) : after)]);
  }

  #nodes(): (key: string) => SVGGElement | null {
    const found = new Map<string, SVGGElement>();
    return (key) => {
      // The map is filled at the first call, because most drawings move nothing.
      if (found.size === 0) for (const node of this.renderRoot.querySelector("svg.scene")?.children ?? []) found.set((node as SVGGElement).dataset["key"] ?? "", node as SVGGElement);
      return found.get(key) ?? null;
    };
  }

  /** After each drawing: what of the step is to be moved now. */
  #move(): void {
    const playing = this.#playing;
    if (playing === null) return;
    const node = this.#nodes();
    const { before, after, step } = playing;
    if (playing.phase === "leaves") {
      this.#playing = { ...playing, phase: "travels" };
      this.#tell("travels", step);
      void this.#mover.travel(node, before, after).then((arrived) => {
        if (!arrived || this.#playing?.step !== step) return;
        // What comes now is seen against the picture in which messages have arrived.
        this.#playing = { ...this.#playing, before: causeFirst(before, after), phase: "arrived" };
        this.requestUpdate();
      });
    } else if (playing.phase === "arrived") {
      this.#playing = { ...playing, phase: "lands" };
      this.#tell("arrived", step);
      void this.#mover.play(node, before, after).then((landed) => {
        if (!landed || this.#playing?.step !== step) return;
        this.#playing = { ...this.#playing, phase: "done" };
        this.#landed(step);
        // They have faded.
        if (leaving(before, after).length > 0) this.requestUpdate();
        else this.#word();
      });
    } else if (playing.phase === "done") {
      this.#landed(step);
    }
  }

  /** The last step whose landing was reported, and in which size: before the first one is known, nothing has its place. */
  #told: Step | null | undefined = undefined;
  #toldIn: Stage["size"] = null;

  #landed(step: Step | null): void {
    if (this.#told === step && this.#toldIn === this.size) return;
    this.#told = step;
    this.#toldIn = this.size;
    this.#tell("landed", step);
  }

  #tell(what: "travels" | "arrived" | "landed", step: Step | null): void {
    this.dispatchEvent(new CustomEvent<number>(what, { detail: step?.number ?? 0, bubbles: true, composed: true }));
  }

  /** The scene of a frame: the same objects for the same frame and size, however often a step is drawn while it is played. */
  protected sceneOf(frame: Frame): Scene {
    const selection = this.frame?.selection ?? null;
    // The step's own picture comes back with another step, and when nothing is selected any more.
    if (this.#brought !== null && (this.#brought.step !== (this.frame?.step ?? null) || (this.#brought.isSelected && selection === null))) this.#brought = null;
    else if (this.#brought !== null && selection !== null) this.#brought.isSelected = true;
    return piece(frame, "scene", [this.size, this.projector, this.#brought, this.quiet], (whole) => this.#made(whole));
  }

  /** Prepares a frame that may never come. What it adds to the places is kept only when it comes. */
  protected override prepare(frame: Frame): void {
    if (this.#lacks(frame)) return;
    const known = this.#known;
    this.sceneOf(frame);
    this.#known = known;
  }

  get #sized(): Size {
    return sizeOf(this.size?.width ?? 1280, this.size?.height ?? 412, this.projector);
  }

  #made(frame: Frame): Scene {
    const size = this.#sized;
    const end = this.quiet && frame.plan != null ? endOf(frame.plan) : undefined;
    const own = this.quiet ? { ...NO_FOCUS, partition: end?.partition ?? null } : focusOf(frame);
    const { run: cluster, beside } = this.#knownOf(frame, size);
    const run = beside !== null && isAt(beside, frame, own) ? beside : cluster;
    const { wing } = cluster;
    const standsHere = standing(run, frame, own);
    // A message that is brought is what the picture is about; of the rest a wide picture has everything.
    const selection = this.#brought?.selection ?? null;
    const isBrought = selection !== null && (selection.kind === "message" || (run.upright && !isWhole(standsHere, selection)));
    const brought = isBrought ? broughtHere(run, frame, selection) : null;
    const focus = brought?.focus ?? own;
    const here = brought?.here ?? standsHere;
    const drawn = (at: Focus): StageObject[] => LAYERS.flatMap((layer) => layer(frame, here, at));
    if (wing === undefined || run !== cluster) return { here, focus, objects: byDepth(drawn(focus)), network: networkOf(frame, here, focus) };
    // A step is about one of both; of what it lost or delivered, each has its own.
    const message = selection?.kind === "message" ? frame.view.network?.messages[selection.id] : undefined;
    const isInWing = message === undefined ? isAt(wing.here, frame, own) : wireOf(message, wing.here) !== null;
    const still: Focus = { ...NO_FOCUS, messages: focus.messages };
    const [at, ofWing] = isInWing ? [still, focus] : [focus, still];
    const objects = [...drawn(at), ...(LATER.nodes?.wing.objects(frame, wing, ofWing, LAYERS) ?? [])];
    return { here: { ...here, width: wing.width }, focus, objects: byDepth(objects), network: networkOf(frame, here, at) };
  }

  #knownOf(frame: Frame, size: Size): Known {
    const planned = planOf(frame);
    const basis = (): StagePlan | null => (planned === null ? null : basisOf(planned, size));
    let known = this.#known;
    // The engine's plan takes the place of what a first view showed. A branch's adds to what stands, unless that has no room for its
    // leaders and coordinators: a run looks the same whichever run was seen before it.
    if (known === null || known.frame.header !== frame.header || (known.planned === null && planned !== null)) {
      const base = basis() ?? outlineOf(frame.header, frame.view);
      const plan = planned ?? base;
      known = { frame: { header: frame.header }, planned, base, plan, size, ...runPlaces(base, plan, frame.header, frame.view, size) };
      this.#known = known;
    }
    const wanted = planned !== null && planned !== known.planned ? planned : known.plan;
    const plan = extended(wanted, frame.view, frame.step?.actor ?? null);
    if (plan !== known.plan || !isSameSize(size, known.size)) {
      const stands = basis();
      const base = stands === null || hasSamePlaces(stands, known.base) ? known.base : stands;
      this.#known = known = { ...known, planned: planned ?? known.planned, base, plan, size, ...runPlaces(base, plan, frame.header, frame.view, size) };
    }
    return known;
  }

  #drawn(object: StageObject): SVGTemplateResult {
    const { key, x, y, width, height, draw, select, picked, label, ask, term, gone } = object;
    const ring = picked === true && width > 0 ? svg`<rect class="picked" x="-3" y="-3" width=${width + 6} height=${height + 6} rx="6"/>` : nothing;
    if (object.link !== undefined) return this.#linked(object, object.link);
    if (ask !== undefined && this.asks) return this.#asking(object, ask);
    if (object.brings !== undefined) {
      const { click, key: press } = onPick(this.#bring, object.brings);
      return svg`<g data-key=${key} transform=${`translate(${x},${y})`} role="button" tabindex="0" aria-label=${label} @click=${click} @keydown=${press}>${draw}<rect class="focus" x="-2" y="-2" width=${width + 4} height=${height + 4} rx="5"/></g>`;
    }
    if (term !== undefined) {
      return svg`<g data-key=${key} class="asks" data-term=${term} transform=${`translate(${x},${y})`} role="button" tabindex="0" aria-label=${label} aria-haspopup="dialog" @keydown=${asPress}>${
        draw}<rect class="focus" x="-2" y="-2" width=${width + 4} height=${height + 4} rx="5"/></g>`;
    }
    if (select === undefined) return svg`<g data-key=${key} class=${gone === true ? "gone" : nothing} transform=${`translate(${x},${y})`}>${draw}${ring}</g>`;
    const { click, key: press } = onPick(this.pick, select);
    return svg`<g data-key=${key} transform=${`translate(${x},${y})`} role="button" tabindex="0" aria-label=${label} aria-pressed=${picked === true ? "true" : "false"}
      @click=${click} @keydown=${press}>${draw}${this.acts && object.grip !== undefined ? gripAt(object.grip) : nothing}${ring}<rect class="focus" x="-2" y="-2" width=${width + 4} height=${height + 4} rx="5"/></g>`;
  }

  /** Brings a thing into an upright picture, and a message into the middle of any, until the next step. */
  bring(selection: Selection): void {
    this.#brought = { selection, step: this.frame?.step ?? null, isSelected: false };
    this.requestUpdate();
  }

  readonly #bring = (selection: Selection): void => {
    this.bring(selection);
    const selected = this.frame?.selection;
    if (selected?.kind !== selection.kind || selected.id !== selection.id) this.pick(selection);
  };

  #asking({ key, x, y, draw, label }: StageObject, { question, subject }: NonNullable<StageObject["ask"]>): SVGTemplateResult {
    const { click, key: press } = onPick(() => this.dispatchEvent(askWhyEvent(question, subject)), { kind: "partition", id: subject });
    return svg`<g data-key=${key} class="asks" transform=${`translate(${x},${y})`} role="button" tabindex="0" aria-label=${label} @click=${click} @keydown=${press}><title>${label}</title>${draw}</g>`;
  }

  #linked({ key, x, y, width, height, draw, label }: StageObject, link: number): SVGTemplateResult {
    const { click, key: press } = onPick(() => this.dispatchEvent(new CustomEvent<number>("open-link", { detail: link, bubbles: true, composed: true })), { kind: "record", id: key });
    return svg`<g data-key=${key} transform=${`translate(${x},${y})`} role="button" tabindex="0" aria-label=${label} @click=${click} @keydown=${press}>${draw}<rect class="focus" x="-2" y="-2" width=${width + 4} height=${height + 4} rx="13"/></g>`;
  }

  /** A step that changes nothing in the picture has landed at once. */
  protected override shouldUpdate(changed: PropertyValues): boolean {
    const draws = super.shouldUpdate(changed);
    const step = this.frame?.step ?? null;
    if (!draws && this.#playing !== null && this.#playing.step !== step) {
      this.#mover.stop();
      this.#playing = { ...this.#playing, step, phase: "done" };
      this.#landed(step);
    }
    return draws;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    this.toggleAttribute("upright", this.#known?.run.upright === true);
    this.#camera.look(this.renderRoot.querySelector("svg.scene"), this.#seen, this.projector && !prefersReducedMotion());
    this.#move();
    this.#show();
    this.#word();
  }

  /** An answer keeps off the words of the picture, which only the page can measure; once for each answer, step and size. */
  #word(): void {
    const [chain, step, size] = [this.chain, this.frame?.step ?? null, this.#known?.size];
    if (chain.length === 0 || (this.#playing !== null && this.#playing.phase !== "done")) return;
    if (this.#worded?.chain === chain && this.#worded.step === step && this.#worded.size === size) return;
    this.#worded = { chain, step, size };
    const picture = this.renderRoot.querySelector<SVGSVGElement>("svg.scene");
    this.#words = wordsIn(picture);
    this.#free = this.#known?.run.upright === true ? 1 : freeShare(picture, this.closest(".player")?.querySelector(".why-panel"));
    this.requestUpdate();
    if (this.#known?.run.upright === true) void this.updateComplete.then(() => this.#showAnswer());
  }

  /** What the sentence is about that answers is in sight. */
  #showAnswer(): void {
    const [about] = this.chain;
    const key = about == null ? undefined : objectOf(this.#scene?.objects ?? [], about)?.key;
    const box = key === undefined ? null : this.boxOf(key);
    if (box === null || (box.y >= 0 && box.y + box.height <= this.clientHeight)) return;
    this.scrollBy({ top: box.y < 0 ? box.y - 8 : Math.min(box.y - 8, box.y + box.height - this.clientHeight + 8), behavior: "instant" });
  }

  /** Where the picture is taller than its place, what the step is about is scrolled into view; again where the place changes. */
  #show(): void {
    const step = this.frame?.step ?? null;
    const differs = this.apart[0];
    const height = this.size?.height;
    if ((this.#shown?.step === step && this.#shown.differs === differs && this.#shown.height === height) || this.#known?.run.upright !== true || this.scrollHeight <= this.clientHeight + 1) return;
    this.#shown = { step, differs, height };
    const tops = this.#hot.map((key) => this.boxOf(key)).filter((box) => box !== null);
    if (tops.length === 0) return;
    const top = Math.min(...tops.map(({ y }) => y));
    const foot = Math.max(...tops.map(({ y, height }) => y + height));
    const room = this.clientHeight - (this.renderRoot.querySelector<HTMLElement>(".decides, .under:not(:has([open]))")?.offsetHeight ?? 0);
    if (top >= 0 && foot <= room) return;
    // Of what is taller than the place, the end with the tag is seen: it says what came of the step.
    const tag = this.boxOf("tag");
    const isHigh = tag !== null && tag.y + tag.height / 2 < (top + foot) / 2;
    const fits = foot - top <= room;
    const by = (fits ? top < 0 : isHigh) ? top - 8 : Math.min(foot - room + 8, fits ? top : Number.POSITIVE_INFINITY);
    this.scrollBy({ top: by, behavior: prefersReducedMotion() ? "instant" : "smooth" });
  }
}

/** Keys of what has room for something else: bodies of brokers, lanes, lines, what spans the picture. */
const ROOMY = /^(?:heads|panel|controller:wire|co:way|(?:w|gone|broker|lane|gates|ring|strip|apart):)/;

/** px² by which bodies may differ that are alike. */
const ALIKE = 400;

/** Where the texts of a picture stand, in its units; those of an answer's own numbers apart. */
function wordsIn(scene: SVGSVGElement | null): Box[] {
  const toUnits = scene?.getScreenCTM()?.inverse();
  if (scene == null || toUnits === undefined) return [];
  return [...scene.querySelectorAll<SVGTextElement>(':scope > g:not([data-key^="chain"]) text')].map((word) => {
    const { left, top, width, height } = word.getBoundingClientRect();
    const { x, y } = new DOMPoint(left, top).matrixTransform(toUnits);
    return { x, y, width: width * toUnits.a, height: height * toUnits.d };
  }).filter(({ width }) => width > 0);
}

/** The share of a picture's height above something that lies over it; 1 if nothing does. */
function freeShare(scene: SVGSVGElement | null, over: Element | null | undefined): number {
  if (scene === null || over == null) return 1;
  const { top, height } = scene.getBoundingClientRect();
  return height === 0 ? 1 : Math.min(1, Math.max(0, (over.getBoundingClientRect().top - top) / height));
}

/** In the order in which they are drawn: what stays keeps its element where it is. */
function byDepth(objects: readonly StageObject[]): StageObject[] {
  return [...objects].sort((one, other) => one.depth - other.depth);
}

function isSameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height && one.form === other.form;
}

/** Three dots, as of a menu; a pointer that rests on them shows what they are for. */
function gripAt(x: number): SVGTemplateResult {
  return svg`<title>${say("stage.act.grip")}</title><g class="grip">${[7.5, 13, 18.5].map((y) => svg`<circle cx=${x} cy=${y} r="1.6"/>`)}</g>`;
}

/** Whether messages can be on their way: not in a log case, nor between brokers alone. */
function hasMessages({ kind, clients }: Places): boolean {
  return kind === "middleware" || (kind === "cluster" && Object.keys(clients).length > 0);
}

customElements.define("eos-stage", Stage);

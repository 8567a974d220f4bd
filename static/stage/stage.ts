/**
 * The element of the stage, the picture of a run: applications and producers on the left, then the network, then
 * brokers with their logs, and consumers at the ends of the lanes.
 *
 *     <eos-stage></eos-stage>
 *     document.querySelector("eos-stage").frame = frame;
 *
 * Every place is fixed for the run and the size (places.ts). The layers give keyed objects for a frame (layers.ts);
 * this element draws them, makes them buttons, gives them texts for screen readers, and gives successive pictures to
 * the mover, which animates the difference (motion.ts).
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
import type { Camera, Seen } from "./camera.ts";
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
import { extended, outlineOf, planOf } from "./outline.ts";
import { basisOf, hasSamePlaces, isAt, runPlaces, sizeOf, standing } from "./places.ts";
import { twinOf } from "./twin.ts";

export interface Scene {
  here: Places;
  focus: Focus;
  objects: StageObject[];
  network: Network;
}

/**
 * The plans and places of the run on show. `base`: the plan from which its places were made; `plan`: with additions.
 */
interface Known {
  frame: Pick<Frame, "header">;
  planned: StagePlan | null;
  base: StagePlan;
  plan: StagePlan;
  size: Size;
  run: Places;
  /**
   * In a run with brokers and a middleware whose picture has no wing: the places of the middleware's own picture. Else
   * null.
   */
  beside: Places | null;
}

/** A step that is being animated: first the messages travel, then their results follow. */
interface Playing {
  step: Step | null;
  phase: "leaves" | "travels" | "arrived" | "lands" | "done";
  before: readonly StageObject[];
  after: readonly StageObject[];
}

/**
 * Events, which bubble: `travels` while the cause of a step is shown, `arrived` when its effect begins, `landed` when
 * the effect is complete.
 */
export class Stage extends SizedElement {
  static override properties = { ...SizedElement.properties, projector: { type: Boolean, reflect: true }, asks: { attribute: false }, acts: { attribute: false }, chain: { attribute: false }, apart: { attribute: false }, quiet: { attribute: false } };
  static override styles = [...SizedElement.styles, stageLook, networkLook];

  /** Whether the page is shown by a projector: the picture then zooms in to what a step is about. */
  declare projector: boolean;
  /** Whether a press may ask the engine why. */
  declare asks: boolean;
  /** Whether the reader can drop, delay and duplicate messages. */
  declare acts: boolean;
  /** The subjects of the sentences of the answer to *why* that is on show; empty: no answer. */
  declare chain: Chain;
  /** In a comparison: the names of things that differ between the runs. The first one is scrolled into view. */
  declare apart: readonly string[];
  /** Whether nothing is marked, because the sentence on show sums up the whole run. */
  declare quiet: boolean;
  #known: Known | null = null;
  /** The scene that was drawn last. */
  #scene: Scene | null = null;
  #playing: Playing | null = null;
  /** `#shown`: the step that was last scrolled into view. `#hot`: the keys of the objects that it is about. */
  #shown: { step: Step | null; differs: string | undefined; height: number | undefined } | null = null;
  #hot: string[] = [];
  #seen: Seen | null = null;
  readonly #mover = new StageMover();
  #camera: Camera | undefined;
  /** The boxes of the picture's texts, in units, measured for the marks of the answer on show. */
  #words: readonly Box[] = [];
  /** The share of the picture's height, from its top, that no answer covers. */
  #free = 1;
  #worded: { chain: Chain; step: Step | null; size: Size | undefined } | null = null;
  #player: Element | null = null;
  /**
   * The thing that was brought into the picture (`bring`), the step at which this happened, and whether the thing has
   * been selected since; null: none.
   */
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

  /** Brings the thing that a question is about into the picture; null: the question has ended. */
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
    const seen = (this.chain.length === 0 ? undefined : LATER.chain?.uncovered(whole, this.chain, here, this.#free)) ?? ((this.projector ? LATER.camera?.of(whole, here, frame, scene.focus) : undefined) ?? { x: 0, y: 0, width: here.width, height: here.height });
    const marks = this.chain.length === 0 ? [] : (LATER.chain?.marks(whole, this.chain, { ...here, height: Math.min(here.height, seen.y + seen.height * this.#free) }, this.#words, seen.y) ?? []);
    const objects = byDepth([...this.#played(frame, whole), ...marks, ...apartMarks(whole, this.apart, here)]);
    const differs = this.apart.map((name) => objectOf(whole, plainly("actor", name))?.key).find((key) => key !== undefined);
    this.#hot = differs === undefined ? whole.filter(({ hot, height }) => hot === true && height > 0).map(({ key }) => key) : [differs];
    // While messages travel, nothing else is marked yellow, because a step has only one yellow place.
    const travels = this.#playing?.phase === "leaves" || this.#playing?.phase === "travels";
    this.#seen = { box: seen, of: here.width };
    const offer = this.#offer(here);
    const phone = here.upright ? LATER.phone : undefined;
    const foot = phone?.foot(frame, scene, this.#sized, offer) ?? null;
    return html`${frame.view.derived?.held === undefined ? html`<p class="underived">${say("stage.underived")}</p>` : nothing}<svg class=${travels ? "scene on-way" : "scene"} viewBox="${seen.x} ${seen.y} ${seen.width} ${seen.height}" role="group" aria-label=${say("stage.name")} aria-describedby="twin">${repeat(
      objects, (object) => object.key, (object) => guard([object, this.asks, this.acts], () => this.#drawn(object)))}</svg>${seen.width < here.width ? html`<p class="closer">${say("stage.closer")}</p>` : nothing}${foot ?? nothing}<div class="under"><div>${phone?.under(here, network, frame, this.frame?.selection, this.#bring)}${guard([whole], () => twin(twinOf(whole, here)))}</div>${foot === null ? offer : nothing}</div>`;
  }

  /** Returns whether the picture needs a part that is not loaded yet, and starts to load it. */
  #lacks(frame: Frame): boolean {
    const lack = lackOf(frame, this.#sized);
    if (lack !== null) this.#bringPart(lack === "nodes" ? nodesDrawn : phonePlaced);
    return lack !== null;
  }

  /** Resolves when the part that the picture needs is loaded and drawn. */
  protected override async getUpdateComplete(): Promise<boolean> {
    const isDone = await super.getUpdateComplete();
    await this.#coming;
    return this.isUpdatePending ? await super.getUpdateComplete() : isDone;
  }

  #coming: Promise<unknown> = Promise.resolve();

  #bringPart(part: Part): void {
    this.#coming = part.come().then(() => this.requestUpdate(), () => this.dispatchEvent(new CustomEvent("say-hint", { detail: { key: "player.part_missing", params: {} }, bubbles: true, composed: true })));
  }

  /** The button to the next message, below an upright stage; other stages have it beside the network's name. */
  #offer(here: Places): TemplateResult | typeof nothing {
    if (!this.acts || !here.upright || !hasMessages(here)) return nothing;
    const isSelected = this.frame?.selection?.kind === "message";
    return isSelected && this.messages().length === 1 ? nothing : html`<button class="offer" @click=${() => this.dispatchEvent(new Event("offer-act", { bubbles: true, composed: true }))}>${say(isSelected ? "stage.act.offer_next" : "stage.act.offer")}</button>`;
  }

  /** The box of an object of the picture, in px of this element; null if it is not in the picture. */
  boxOf(key: string): Box | null {
    const node = this.#nodes()(key);
    if (node === null) return null;
    const { left, top, width, height } = ownBox(node);
    const own = ownBox(this);
    return { x: left - own.left, y: top - own.top, width, height };
  }

  /**
   * The box of a component, in px of this element: of its largest object; if several are about equally large, of the
   * uppermost one. Null if the picture has none.
   */
  boxOfActor(name: string): Box | null {
    const own = (this.#scene?.objects ?? []).filter(({ select, brings }) => [select, brings].some((one) => one?.kind === "actor" && one.id === name));
    const boxes = own.map(({ key }) => this.boxOf(key)).filter((box) => box !== null);
    return boxes.sort((one, other) => Math.round((other.width * other.height - one.width * one.height) / ALIKE) || one.y - other.y)[0] ?? null;
  }

  /** The boxes, in px of this element, of the objects that a toolbar should not cover. */
  standing(): Box[] {
    const keys = (this.#scene?.objects ?? []).map(({ key }) => key).filter((key) => !ROOMY.test(key));
    return keys.map((key) => this.boxOf(key)).filter((box) => box !== null);
  }

  /** Whether a message would have a place of its own in the present picture. */
  hasPlaceFor(message: MessageView): boolean {
    const here = this.#scene?.here;
    return here === undefined || [here, here.wing?.here].some((one) => one !== undefined && wireOf(message, one) !== null);
  }

  /** The ids of the messages in transit that have a place of their own in the picture, from left to right. */
  messages(): string[] {
    const flying = this.frame?.view.network?.messages ?? {};
    return (this.#scene?.objects ?? []).filter(({ key, select }) => key.startsWith("m:") && select?.kind === "message" && select.id in flying)
      .sort((one, other) => one.x - other.x || one.y - other.y).map(({ select }) => select?.id ?? "");
  }

  /** The id of the message that has the focus; null if something else has it. */
  get focusedMessage(): string | null {
    const key = (this.renderRoot as ShadowRoot).activeElement?.getAttribute("data-key") ?? "";
    return key.startsWith("m:") ? key.slice(2) : null;
  }

  focusMessage(id: string): void {
    this.#nodes()(`m:${id}`)?.focus();
  }

  /**
   * Gives the focus to the first button that the step is about, else to the first one. Returns false if there is none.
   */
  override enter(): boolean {
    const about = this.#hot.map(this.#nodes()).find((node) => node?.matches("[role=button]") === true);
    about?.focus();
    return about != null || super.enter();
  }

  /**
   * The room right of the network's name, up to the name of the next column, in px of this element. Null if the picture
   * has no such name, or shows no messages.
   */
  get besideNetwork(): { x: number; y: number; width: number } | null {
    const { size } = this;
    if (size === null || this.#scene === null || this.projector) return null;
    const { here } = this.#scene;
    if (here.upright || !hasMessages(here)) return null;
    const scale = size.width / here.width;
    const x = (here.network.x + 31 + textWidth(say("stage.head.network"), 13)) * scale;
    return { x, y: 4 * scale, width: (here.network.x + here.network.width) * scale - x - 6 };
  }

  /** The objects to draw now: while messages of the step travel, those of `causeFirst`; else those of the step. */
  #played(frame: Frame, after: readonly StageObject[]): readonly StageObject[] {
    const { animate } = frame;
    // The step is taken from `this.frame`: the argument's is a proxy (reading.ts), which is another object at each
    // drawing.
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
      // The map is filled only at the first call, because most drawings move nothing and need no nodes.
      if (found.size === 0) for (const node of this.renderRoot.querySelector("svg.scene")?.children ?? []) found.set((node as SVGGElement).dataset["key"] ?? "", node as SVGGElement);
      return found.get(key) ?? null;
    };
  }

  /** Starts the motion that is due after a drawing. */
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
        // The effect is animated from the picture in which the messages have arrived.
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
        // The messages of the step before have faded out, so they are removed by another drawing.
        if (leaving(before, after).length > 0) this.requestUpdate();
        else this.#word();
      });
    } else if (playing.phase === "done") {
      this.#landed(step);
    }
  }

  /**
   * The step whose landing was reported last, and the size of the stage then: the landing is reported again for another
   * size, because before the first one nothing has its place.
   */
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

  /**
   * The scene of a frame. While a step is animated, it is drawn several times, each time with the same objects.
   */
  protected sceneOf(frame: Frame): Scene {
    const selection = this.frame?.selection ?? null;
    // A brought thing leaves the picture at another step, and when it is no longer selected.
    if (this.#brought !== null && (this.#brought.step !== (this.frame?.step ?? null) || (this.#brought.isSelected && selection === null))) this.#brought = null;
    else if (this.#brought !== null && selection !== null) this.#brought.isSelected = true;
    return piece(frame, "scene", [this.size, this.projector, this.#brought, this.quiet], (whole) => this.#made(whole));
  }

  /**
   * Prepares the scene of a frame that may come next. Additions to the places are kept only once that frame is drawn.
   */
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
    // A brought message becomes the subject of any picture. Other things change only upright pictures, because wide
    // ones have them all.
    const selection = this.#brought?.selection ?? null;
    const isBrought = selection !== null && (selection.kind === "message" || (run.upright && !isWhole(standsHere, selection)));
    const brought = isBrought ? broughtHere(run, frame, selection) : null;
    const focus = brought?.focus ?? own;
    const here = brought?.here ?? standsHere;
    const drawn = (at: Focus): StageObject[] => LAYERS.flatMap((layer) => layer(frame, here, at));
    if (wing === undefined || run !== cluster) return { here, focus, objects: byDepth(drawn(focus)), network: networkOf(frame, here, focus) };
    // The focus is either in the brokers' picture or in the wing. The other picture only has its own messages.
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
    // The places made from the first view are replaced once the engine's plan arrives. A branch's plan only adds to the
    // present places, unless these have no room for its leaders and coordinators.
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

  /** Makes the picture show a thing until the next step: any thing in an upright picture, a message in any picture. */
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

  /** Whether to draw. A step that changes nothing in the picture is not drawn, and counts as landed at once. */
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
    this.#camera ??= LATER.camera && new LATER.camera.Camera();
    this.#camera?.look(this.renderRoot.querySelector("svg.scene"), this.#seen, this.projector && !prefersReducedMotion());
    this.#move();
    this.#show();
    this.#word();
  }

  /** Measures the texts of the picture, which the marks of an answer must not cover; once per answer, step and size. */
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

  /** Scrolls the subject of the first sentence of the answer into view. */
  #showAnswer(): void {
    const [about] = this.chain;
    const key = about == null ? undefined : objectOf(this.#scene?.objects ?? [], about)?.key;
    const box = key === undefined ? null : this.boxOf(key);
    if (box === null || (box.y >= 0 && box.y + box.height <= this.clientHeight)) return;
    this.scrollBy({ top: box.y < 0 ? box.y - 8 : Math.min(box.y - 8, box.y + box.height - this.clientHeight + 8), behavior: "instant" });
  }

  /** Scrolls the subject of the step into view, in an upright picture; once per step and height of the stage. */
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
    // If the subject is higher than the stage, its end with the tag is shown, because the tag has the step's result.
    const tag = this.boxOf("tag");
    const isHigh = tag !== null && tag.y + tag.height / 2 < (top + foot) / 2;
    const fits = foot - top <= room;
    const by = (fits ? top < 0 : isHigh) ? top - 8 : Math.min(foot - room + 8, fits ? top : Number.POSITIVE_INFINITY);
    this.scrollBy({ top: by, behavior: prefersReducedMotion() ? "instant" : "smooth" });
  }
}

/** Matches the keys of objects that a toolbar may cover: large boxes, lanes and lines. */
const ROOMY = /^(?:heads|panel|controller:wire|co:way|(?:w|gone|broker|lane|gates|ring|strip|apart):)/;

/** Two boxes whose areas differ by at most this many px² count as equally large. */
const ALIKE = 400;

/** The boxes of the texts of a picture, in units, without the numbers of an answer. */
function wordsIn(scene: SVGSVGElement | null): Box[] {
  const toUnits = scene?.getScreenCTM()?.inverse();
  if (scene == null || toUnits === undefined) return [];
  return [...scene.querySelectorAll<SVGTextElement>(':scope > g:not([data-key^="chain"]) text')].map((word) => {
    const { left, top, width, height } = word.getBoundingClientRect();
    const { x, y } = new DOMPoint(left, top).matrixTransform(toUnits);
    return { x, y, width: width * toUnits.a, height: height * toUnits.d };
  }).filter(({ width }) => width > 0);
}

/** The share of a picture's height above `over`, an element that covers its foot; 1 if there is none. */
function freeShare(scene: SVGSVGElement | null, over: Element | null | undefined): number {
  if (scene === null || over == null) return 1;
  const { top, height } = scene.getBoundingClientRect();
  return height === 0 ? 1 : Math.min(1, Math.max(0, (over.getBoundingClientRect().top - top) / height));
}

/** The objects, in the order in which they are drawn: by depth. */
function byDepth(objects: readonly StageObject[]): StageObject[] {
  return [...objects].sort((one, other) => one.depth - other.depth);
}

function isSameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height && one.form === other.form;
}

/** The drawing of three dots at x, which say that actions are available, with a title that explains them. */
function gripAt(x: number): SVGTemplateResult {
  return svg`<title>${say("stage.act.grip")}</title><g class="grip">${[7.5, 13, 18.5].map((y) => svg`<circle cx=${x} cy=${y} r="1.6"/>`)}</g>`;
}

/** Whether messages can be in transit: not in a log case, nor in a run without clients or middleware. */
function hasMessages({ kind, clients }: Places): boolean {
  return kind === "middleware" || (kind === "cluster" && Object.keys(clients).length > 0);
}

customElements.define("eos-stage", Stage);

/**
 * What all panels share: one property `frame`, a fixed look, the diagram as text, and the `select` event.
 *
 * A panel is three layers. `layout(frame)` is pure and gives shapes or rows; `draw(shapes)` gives a lit template,
 * keyed so that a thing keeps its element from frame to frame; the text says the same in sentences, from the
 * same shapes. The element only connects them.
 */

import { LitElement, html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";
import type { Frame, LookBack, Panel, Selection, Step } from "../player/frame.ts";
import { selectEvent } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { look } from "./look.ts";
import { Reading } from "./reading.ts";

/** Buttons that may select something: not those that only fold, page, or ask why. */
const PRESSABLE = "button:not(.chip, .link, .term), [role=button]:not(.asks), tr";

export abstract class DiagramElement extends LitElement implements Panel {
  static override properties = { frame: { attribute: false } };
  static override styles = look;

  declare frame: Frame | undefined;
  #reading: Reading | null = null;
  /** What the panel has read of a frame that may come next, and the step of that frame. */
  #foreseen: { step: Step | null; reading: Reading } | null = null;

  constructor() {
    super();
    this.frame = undefined;
  }

  /** A frame in which nothing differs that was read of the last one is not drawn. */
  protected override shouldUpdate(changed: PropertyValues): boolean {
    const onlyFrame = changed.size === 1 && changed.has("frame");
    return !onlyFrame || this.frame === undefined || this.#reading?.holdsFor(this.frame) !== true;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.frame === undefined) {
      this.#reading = null;
      return nothing;
    }
    // A step may be drawn again before the next one comes, when its messages have arrived.
    const foreseen = this.#foreseen?.step === this.frame.step ? this.#foreseen.reading : null;
    if (foreseen !== null) this.#foreseen = null;
    this.#reading = new Reading(this.frame, foreseen ?? this.#reading);
    return this.show(this.#reading.frame);
  }

  /** For a panel that is one `details`: whether it is open. What is in a closed one need not be drawn. */
  protected get isOpen(): boolean {
    const [first] = this.renderRoot.children;
    return first instanceof HTMLDetailsElement && first.open;
  }

  /** To be called when that `details` was toggled. */
  protected readonly toggled = (): void => this.requestUpdate();

  /**
   * For a frame that may come next: makes the expensive parts in advance; they are used if the next frame reads the
   * same.
   */
  foresee(frame: Frame): void {
    if (this.#reading === null || this.prepare === undefined) return;
    const reading = new Reading(frame, this.#reading);
    this.#foreseen = { step: frame.step, reading };
    this.prepare(reading.frame);
  }

  /** Makes all pieces (`piece`) of a frame and draws nothing. A panel that has none to make before has no such method. */
  protected prepare?(frame: Frame): void;

  /** Draws one frame. It is the same for the same frame and properties, whatever was drawn before. */
  protected abstract show(frame: Frame): TemplateResult | typeof nothing;

  /** While a caller asks what is under the pointer: the selection that a press there would make. */
  #pointed: { at: Selection | null } | null = null;

  /** What a press on the innermost button of this path would select, without selecting it; null: nothing. */
  pointedAt(path: readonly EventTarget[]): Selection | null {
    const inside = path.slice(0, path.indexOf(this.renderRoot));
    const pressed = inside.find((one) => one instanceof Element && one.matches(PRESSABLE));
    if (pressed === undefined) return null;
    const pointed = (this.#pointed = { at: null as Selection | null });
    // Not composed: no listener outside gets it.
    pressed.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    this.#pointed = null;
    return pointed.at;
  }

  /** Puts the focus on the first thing that can be pressed. Returns whether there is one. */
  enter(): boolean {
    const first = this.renderRoot.querySelector<SVGElement>("svg [role=button]");
    first?.focus();
    return first !== null;
  }

  /** What a press on the thing that has the focus would select; null: nothing. */
  get focused(): Selection | null {
    const focused = (this.renderRoot as ShadowRoot).activeElement;
    return focused === null ? null : this.pointedAt([focused, this.renderRoot]);
  }

  /** Requests what the view does not list because it lies far back: at once, or unless the reader moves on. */
  protected lookBack(when: LookBack = "now"): void {
    this.dispatchEvent(new CustomEvent<LookBack>("look-back", { detail: when, bubbles: true, composed: true }));
  }

  /** Selects a thing, or deselects it if it was selected. */
  readonly pick = (selection: Selection): void => {
    if (this.#pointed !== null) {
      this.#pointed.at ??= selection;
      return;
    }
    const current = this.frame?.selection;
    const again = current?.kind === selection.kind && current.id === selection.id;
    this.dispatchEvent(selectEvent(again ? null : selection));
  };
}

/** A panel that draws into the space it is given; `size` follows the element's own box. */
export abstract class SizedElement extends DiagramElement {
  static override properties = { ...DiagramElement.properties, size: { state: true } };

  declare size: { width: number; height: number } | null;
  #observer: ResizeObserver | null = null;

  constructor() {
    super();
    this.size = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      const size = { width: Math.floor(width), height: Math.floor(height) };
      if (this.size?.width !== size.width || this.size.height !== size.height) this.size = size;
    });
    this.#observer.observe(this);
  }

  override disconnectedCallback(): void {
    this.#observer?.disconnect();
    this.#observer = null;
    super.disconnectedCallback();
  }
}

/** Handlers that make an SVG group or any element a button for mouse and keyboard. */
export function onPick(pick: (selection: Selection) => void, selection: Selection) {
  return {
    click: () => pick(selection),
    key: (event: KeyboardEvent) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      pick(selection);
    },
  };
}

/** Makes Enter a press on an element that is no button. */
export function asPress(event: KeyboardEvent): void {
  if (event.key !== "Enter") return;
  event.preventDefault();
  event.currentTarget?.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
}

/** A heading with its fact on the right, and what stands under it. */
export function section(title: unknown, fact: unknown, body: unknown): TemplateResult {
  return html`<section><h2><span>${title}</span> <small>${fact}</small></h2>${body}</section>`;
}

/** A panel that has nothing to draw folds to one line that states its fact. */
export function folded(title: unknown, fact: unknown): TemplateResult {
  return html`<section class="folded"><h2><span>${title}</span> <small>${fact}</small></h2></section>`;
}

/** The diagram as text: always there for screen readers and searches, and every reader can open it. */
export function twin(sentences: readonly string[], id = "twin"): TemplateResult {
  return html`<details class="twin"><summary>${say("diagram.as_text")}</summary><div id=${id}>${sentences.map(
    (sentence) => html`<p>${sentence}</p>`,
  )}</div></details>`;
}

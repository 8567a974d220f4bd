/**
 * The base of all panels: one property `frame`, a fixed look, the diagram as text, and the `select` event.
 *
 * A panel has three layers. `layout(frame)` is pure and returns shapes or rows; `draw(shapes)` returns a lit template
 * with keys, so that a thing keeps its element from frame to frame; the text says the same in sentences, made from the
 * same shapes. The element only connects them.
 */

import { LitElement, html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";
import type { Frame, LookBack, Panel, Selection, Step } from "../player/frame.ts";
import { selectEvent } from "../player/frame.ts";
import { ROOT_ONLY } from "../player/store-choice.ts";
import { say } from "../player/text.ts";
import { look } from "./look.ts";
import { Reading } from "./reading.ts";

/** Elements that may select a thing when pressed: buttons and table rows, without those that fold, page or ask why. */
const PRESSABLE = "button:not(.chip, .link, .term), [role=button]:not(.asks), tr";

export abstract class DiagramElement extends LitElement implements Panel {
  static override properties = { frame: { attribute: false } };
  static override styles = look;

  declare frame: Frame | undefined;
  #reading: Reading | null = null;
  /** What the panel has read of a frame that may come next, and the step of that frame. */
  #foreseen: { step: Step | null; reading: Reading } | null = null;
  /** A frame to foresee once the panel has drawn the one before it. */
  #afterNext: Frame | null = null;

  constructor() {
    super();
    this.frame = undefined;
  }

  /** Whether to draw. False if only the frame changed, and the panel would read the same values from the new frame. */
  protected override shouldUpdate(changed: PropertyValues): boolean {
    const onlyFrame = changed.size === 1 && changed.has("frame");
    return !onlyFrame || this.frame === undefined || this.#reading?.holdsFor(this.frame) !== true;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.frame === undefined) {
      this.#reading = null;
      return nothing;
    }
    // Before the foreseen step, the present one may be drawn again, when messages of the server complete it.
    const foreseen = this.#foreseen?.step === this.frame.step ? this.#foreseen.reading : null;
    if (foreseen !== null) this.#foreseen = null;
    this.#reading = new Reading(this.frame, foreseen ?? this.#reading);
    const next = this.#afterNext;
    this.#afterNext = null;
    if (next !== null) ROOT_ONLY.idle(() => this.foresee(next));
    return this.show(this.#reading.frame);
  }

  /**
   * For a panel whose only content is a `details` element: whether it is open. The content of a closed one need not be
   * drawn.
   */
  protected get isOpen(): boolean {
    const [first] = this.renderRoot.children;
    return first instanceof HTMLDetailsElement && first.open;
  }

  /** Listener for the `toggle` event of that `details`. */
  protected readonly toggled = (): void => this.requestUpdate();

  /**
   * Makes the expensive parts of the drawing for a frame that may come next. The next drawing uses those whose inputs
   * are the same in its frame. A panel that is drawn a paint later than others waits until it has drawn the frame before,
   * so that it does not replace what it has made for that one.
   */
  foresee(frame: Frame): void {
    if (this.#reading === null || this.prepare === undefined) return;
    const far = (frame.step?.number ?? 0) - (this.frame?.step?.number ?? 0);
    this.#afterNext = far === 2 ? frame : null;
    if (far !== 1) return;
    const reading = new Reading(frame, this.#reading);
    this.#foreseen = { step: frame.step, reading };
    this.prepare(reading.frame);
  }

  /**
   * Makes the pieces (`piece` in reading.ts) of a frame and draws nothing. Only panels that draw by pieces have this
   * method.
   */
  protected prepare?(frame: Frame): void;

  /** Draws one frame. It is the same for the same frame and properties, whatever was drawn before. */
  protected abstract show(frame: Frame): TemplateResult | typeof nothing;

  /** Set only while `pointedAt` simulates a press: `pick` then puts the selection here and makes none. */
  #pointed: { at: Selection | null } | null = null;

  /** The selection that a press on the innermost button of this path would make, without making it; null: none. */
  pointedAt(path: readonly EventTarget[]): Selection | null {
    const inside = path.slice(0, path.indexOf(this.renderRoot));
    const pressed = inside.find((one) => one instanceof Element && one.matches(PRESSABLE));
    if (pressed === undefined) return null;
    const pointed = (this.#pointed = { at: null as Selection | null });
    // The event is not composed, so no listener outside gets it.
    pressed.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    this.#pointed = null;
    return pointed.at;
  }

  /** Puts the focus on the first button in the panel's SVG. Returns whether there is one. */
  enter(): boolean {
    const first = this.renderRoot.querySelector<SVGElement>("svg [role=button]");
    first?.focus();
    return first !== null;
  }

  /** The selection that a press on the thing with the focus would make; null: none. */
  get focused(): Selection | null {
    const focused = (this.renderRoot as ShadowRoot).activeElement;
    return focused === null ? null : this.pointedAt([focused, this.renderRoot]);
  }

  /**
   * Requests the old parts that the view leaves out: at once (`now`), or after the reader has stayed at this step for a
   * moment (`at_rest`).
   */
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

/**
 * The base of panels that fill their box: `size` has its width and height in px, and the panel is drawn at a change.
 */
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

/** The handlers of click and keydown that make an SVG group or another element a button, which selects `selection`. */
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

/** A section: a heading with its fact on the right, and the content under it. */
export function section(title: unknown, fact: unknown, body: unknown): TemplateResult {
  return html`<section><h2><span>${title}</span> <small>${fact}</small></h2>${body}</section>`;
}

/** A panel that has nothing to draw: one line with its fact. */
export function folded(title: unknown, fact: unknown): TemplateResult {
  return html`<section class="folded"><h2><span>${title}</span> <small>${fact}</small></h2></section>`;
}

/** The diagram as text: always in the page for screen readers and searches, and every reader can open it. */
export function twin(sentences: readonly string[], id = "twin"): TemplateResult {
  return html`<details class="twin"><summary>${say("diagram.as_text")}</summary><div id=${id}>${sentences.map(
    (sentence) => html`<p>${sentence}</p>`,
  )}</div></details>`;
}

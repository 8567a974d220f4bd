/**
 * `<eos-term-note>`: a note beside a term that shows what the term means, with a link into the reference.
 *
 * A press on any element with `data-term` (`terms.ts`), also inside panels, opens the note. Its text is the one that is
 * true of the run around the element (`data-kept-by`). With Ctrl or the middle button, a link into the reference opens
 * in a tab as usual. If the element shows only a count, `data-names` lists the counted names, which the note then
 * shows. Escape and a press elsewhere close the note, and the focus goes back to the element.
 */

import type { TemplateResult } from "lit";
import { html, LitElement, nothing } from "lit";
import { zoomOf } from "../diagrams/own-box.ts";
import type { Meaning, PressedTerm } from "./terms.ts";
import { meaningHere, pressedTerm } from "./terms.ts";
import { say } from "./text.ts";

export class TermNote extends LitElement {
  static override properties = { meaning: { state: true }, rules: {}, reference: {} };

  /**
   * `rules`: the address of a rule's page, with `{rule}`; `reference`: the address of the reference; "" without one.
   */
  declare rules: string;
  declare reference: string;
  declare meaning: Meaning | null;
  #opener: HTMLElement | SVGElement | null = null;
  #page: Element | null = null;

  constructor() {
    super();
    this.rules = "";
    this.reference = "";
    this.meaning = null;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#page = this.parentElement;
    this.#page?.addEventListener("click", this.#pressed as EventListener);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#page?.removeEventListener("click", this.#pressed as EventListener);
  }

  readonly #pressed = (event: MouseEvent): void => {
    const pressed = pressedTerm(event);
    if (pressed !== null && this.explain(pressed)) event.preventDefault();
  };

  /** Opens the note for a pressed term. Returns false if the catalogue has no text for it. */
  explain(pressed: PressedTerm): boolean {
    const meaning = meaningHere(pressed, this);
    if (meaning === null) return false;
    const { opener } = pressed;
    this.#opener = opener;
    const names = opener.dataset["names"] ?? "";
    this.meaning = names === "" ? meaning : { ...meaning, name: `${meaning.name}${say("join.colon")}${names}` };
    void this.updateComplete.then(() => this.#open(opener));
    return true;
  }

  #open(target: Element): void {
    const note = this.querySelector<HTMLElement>(".term-note");
    if (note === null) return;
    note.showPopover();
    const zoom = zoomOf(note);
    const { left, bottom, top } = target.getBoundingClientRect();
    const { width, height } = note.getBoundingClientRect();
    const x = Math.max(8, Math.min(left, innerWidth - width - 8));
    const y = bottom + 6 + height > innerHeight ? Math.max(8, top - height - 6) : bottom + 6;
    note.style.left = `${x / zoom}px`;
    note.style.top = `${y / zoom}px`;
    note.focus();
  }

  readonly #closed = (event: ToggleEvent): void => {
    if (event.newState !== "closed") return;
    const hadFocus = this.contains(document.activeElement) || document.activeElement === document.body;
    if (hadFocus) this.#opener?.focus();
  };

  protected override render(): TemplateResult | typeof nothing {
    const { meaning } = this;
    if (meaning === null) return nothing;
    return html`<div class="term-note" popover="auto" tabindex="-1" role="dialog" aria-label=${meaning.name} @toggle=${this.#closed}>
      <b>${meaning.name}</b><p>${meaning.text}</p>
      ${meaning.parts.length === 0 ? nothing : html`<dl>${meaning.parts.map(([heading, text]) => html`<dt>${heading}</dt><dd>${text}</dd>`)}</dl>`}
      ${meaning.more === "" ? html`<p class="quiet">${say("player.term.elsewhere")}</p>`
        : html`<a href=${meaning.more} target="_blank" rel="noopener">${say("player.term.more")}</a>`}</div>`;
  }
}

customElements.define("eos-term-note", TermNote);

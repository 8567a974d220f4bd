/**
 * `<eos-term-note>`: what a term means, beside it, in place of a page of its own: one sentence and the way to the reference.
 *
 * Opened by a press on a rule's chip (a link to the reference, which still opens in its own tab with the middle button or
 * Ctrl) and on whatever has `data-term`, a key of the catalogue whose meaning stands under `<key>.means`. Escape and a
 * press elsewhere close it, and the focus goes back.
 */

import type { TemplateResult } from "lit";
import { html, LitElement, nothing } from "lit";
import { say } from "./text.ts";

interface Told {
  name: string;
  text: string;
  /** Where the reference has more; "" on a page without one. */
  more: string;
}

export class TermNote extends LitElement {
  static override properties = { told: { state: true }, rules: {} };

  /** Address of the reference's page of a rule, with `{rule}`; "" without one. */
  declare rules: string;
  declare told: Told | null;
  #opener: HTMLElement | null = null;
  #player: Element | null = null;

  constructor() {
    super();
    this.rules = "";
    this.told = null;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#player = this.closest(".player");
    this.#player?.addEventListener("click", this.#pressed as EventListener);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#player?.removeEventListener("click", this.#pressed as EventListener);
  }

  readonly #pressed = (event: MouseEvent): void => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>("a.chip, [data-term]") : null;
    const told = target === null || event.ctrlKey || event.metaKey || event.shiftKey || this.contains(target) ? null : this.#toldOf(target);
    if (target === null || told === null) return;
    event.preventDefault();
    this.#opener = target;
    this.told = told;
    void this.updateComplete.then(() => this.#open(target));
  };

  #toldOf(target: HTMLElement): Told | null {
    const { term } = target.dataset;
    if (term !== undefined) {
      const more = this.rules === "" ? "" : this.rules.replace("{rule}", "GEN-8");
      return { name: say(term), text: say(`${term}.means`), more };
    }
    const rule = target.textContent?.trim() ?? "";
    const text = say(`requirement.${rule}`);
    // A rule without a sentence is only a place in the reference.
    return text.startsWith("[") ? null : { name: rule, text, more: target.getAttribute("href") ?? "" };
  }

  #open(target: HTMLElement): void {
    const note = this.querySelector<HTMLElement>(".term-note");
    if (note === null) return;
    note.showPopover();
    const zoom = (note as HTMLElement & { currentCSSZoom?: number }).currentCSSZoom ?? 1;
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
    const { told } = this;
    if (told === null) return nothing;
    return html`<div class="term-note" popover="auto" tabindex="-1" role="dialog" aria-label=${told.name} @toggle=${this.#closed}>
      <b>${told.name}</b><p>${told.text}</p>
      ${told.more === "" ? nothing : html`<a href=${told.more} target="_blank" rel="noopener">${say("player.term.more")}</a>`}</div>`;
  }
}

customElements.define("eos-term-note", TermNote);

/**
 * `<eos-guide catalogue-en="…" catalogue-zh-hans="…" language="en">`: a page that explains the player's panels, views,
 * keys and marks, from the lists that the player itself uses. Until it is drawn, the element shows the content that it
 * has in the page.
 */

import type { TemplateResult } from "lit";
import { html, LitElement, nothing } from "lit";
import "./player.ts";
import { KEYS } from "./keys.ts";
import { marks } from "./marks.ts";
import type { PanelRow } from "./panels.ts";
import { PANELS } from "./panels.ts";
import type { Language } from "./frame.ts";
import { loadLanguage, say } from "./text.ts";

/** The keys that lead to a panel, in order, such as `i · 3`. */
function wayTo({ key, place, view }: PanelRow): string {
  if (place !== "middle") return key === "" ? "i" : `i · ${key}`;
  if (view === "transactions") return "−";
  return key;
}

export class Guide extends LitElement {
  static override properties = { catalogueEn: { attribute: "catalogue-en" }, catalogueZhHans: { attribute: "catalogue-zh-hans" }, language: {}, hasWords: { state: true } };

  declare catalogueEn: string;
  declare catalogueZhHans: string;
  declare language: Language;
  declare hasWords: boolean;

  constructor() {
    super();
    this.catalogueEn = this.catalogueZhHans = "";
    this.language = "en";
    this.hasWords = false;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void loadLanguage(this.language, this.language === "en" ? this.catalogueEn : this.catalogueZhHans).then(() => {
      this.querySelector(".guide-names")?.remove();
      this.hasWords = true;
    }, () => undefined); // If this fails, the list beside the picture still has the names.
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.hasWords) return nothing;
    return html`<h2>${say("player.views")}</h2>${this.#panels("middle")}
      <h2>${say("player.tab.inspect")}</h2><p class="quiet">${say("player.guide.inspect")}</p>${this.#panels("left")}${this.#panels("right")}
      <h2>${say("player.guide.keys")}</h2>
      <div class="table-scroll"><table class="results guide-keys"><tbody>${KEYS.map((row) => html`<tr><td><kbd>${row.keys}</kbd></td><th scope="row">${say(`player.key.${row.action}`)}</th></tr>`)}</tbody></table></div>
      <h2>${say("player.menu")} ⋯</h2><p>${say("player.guide.menu")}</p>
      <h2>${say("player.marks")}</h2>${marks()}`;
  }

  #panels(place: PanelRow["place"]): TemplateResult {
    return html`<div class="table-scroll"><table class="results guide-keys"><tbody>${PANELS.filter((panel) => panel.place === place).map((panel) => html`<tr id=${panel.tag.replace("eos-", "")}>
      <td>${wayTo(panel).split(" · ").map((key) => (key === "" ? say("player.guide.tab") : html`<kbd>${key}</kbd> `))}</td><th scope="row">${say(panel.name)}</th></tr>`)}</tbody></table></div>`;
  }
}

customElements.define("eos-guide", Guide);

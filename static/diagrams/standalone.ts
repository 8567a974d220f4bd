/**
 * A diagram as a self-contained picture: the same shapes with the same look as on the page.
 *
 *     const svg = standalone(drawSpacetime(shape, () => {}, false), styles, title, sentences);
 *
 * It contains every style rule that matches an element of the picture, with the current colours of the page, and
 * nothing that makes elements pressable. `asPng` paints such a picture; nothing is sent for it.
 */

import { render } from "lit";
import type { CSSResult, CSSResultGroup, CSSResultOrNative, TemplateResult } from "lit";

const XML = "http://www.w3.org/2000/svg";
const MARGIN = 12;
const OF_A_CONTROL = ["role", "tabindex", "aria-label", "aria-pressed", "aria-labelledby"];

export const defaults = {
  /**
   * `scale`: pixels of a painted picture for each of its own px. `sideMost`: the most pixels of a side, because
   * browsers paint no larger ones.
   */
  scale: 2,
  sideMost: 8192,
};

/**
 * The picture as SVG text. `drawing` contains one `svg` element; `styles` are the styles of the panel, in which the
 * document's CSS variables are replaced by their values. `sentences`: the diagram's text, which the picture contains.
 */
export function standalone(drawing: TemplateResult, styles: CSSResultGroup, title: string, sentences: readonly string[]): string {
  const place = document.createElement("div");
  render(drawing, place);
  const drawn = place.querySelector("svg");
  if (drawn === null) throw new Error("nothing was drawn");
  const picture = drawn.cloneNode(true) as SVGSVGElement;
  strip(picture);
  const { width, height } = { width: Number(picture.getAttribute("width")), height: Number(picture.getAttribute("height")) };
  const box = [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN];
  picture.setAttribute("viewBox", box.join(" "));
  picture.setAttribute("width", String(box[2]));
  picture.setAttribute("height", String(box[3]));
  picture.setAttribute("role", "img");
  picture.prepend(
    element("title", title),
    element("desc", sentences.join("\n")),
    element("style", `svg { font-family: ${tokenValue("--f-ui")}; } ${rulesFor(picture, cssOf(styles))}`),
    paper(box),
  );
  return new XMLSerializer().serializeToString(picture);
}

/** Removes lit's comments and the attributes that only a pressable picture needs. */
function strip(picture: SVGSVGElement): void {
  const walker = document.createTreeWalker(picture, NodeFilter.SHOW_COMMENT);
  const marks: Node[] = [];
  while (walker.nextNode() !== null) marks.push(walker.currentNode);
  for (const mark of marks) mark.parentNode?.removeChild(mark);
  for (const part of [picture, ...picture.querySelectorAll("*")]) {
    for (const name of OF_A_CONTROL) part.removeAttribute(name);
  }
}

function element(name: string, text: string): SVGElement {
  const made = document.createElementNS(XML, name);
  made.textContent = text;
  return made;
}

function paper([x = 0, y = 0, width = 0, height = 0]: number[]): SVGElement {
  const made = document.createElementNS(XML, "rect");
  for (const [name, value] of Object.entries({ x, y, width, height, fill: tokenValue("--paper") })) made.setAttribute(name, String(value));
  return made;
}

function cssOf(styles: CSSResultGroup): string {
  const flat = [styles].flat(Number.POSITIVE_INFINITY as 1) as CSSResultOrNative[];
  return flat.map((style) => ("cssText" in style ? (style as CSSResult).cssText : "")).join("\n");
}

/** The style rules that match an element of the picture, with every CSS variable replaced by its value. */
function rulesFor(picture: SVGSVGElement, css: string): string {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const meets = (selector: string): boolean => {
    try {
      return picture.matches(selector) || picture.querySelector(selector) !== null;
    } catch {
      return false; // `matches` rejects some selectors that are valid in a style sheet.
    }
  };
  // `svg .line` matches, too, because `querySelector` on the picture takes the picture itself as an ancestor.
  const kept = [...sheet.cssRules].filter((rule) => rule instanceof CSSStyleRule && meets(rule.selectorText));
  return kept.map((rule) => rule.cssText.replaceAll(/var\((--[\w-]+)(?:,\s*([^()]+))?\)/g, (_whole, name: string, otherwise?: string) => tokenValue(name) || (otherwise ?? ""))).join("\n");
}

function tokenValue(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** The painted picture. Rejects if the browser cannot paint it. */
export async function asPng(svg: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(defaults.scale, defaults.sideMost / Math.max(image.width, image.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) => canvas.toBlob((blob) => (blob === null ? fail(new Error("the picture could not be painted")) : done(blob)), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

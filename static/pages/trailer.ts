/**
 * The moving picture of the front page. Its elements (`.thing`) are in the page, each with its look and place in every
 * scene (`data-at`: "look x y;look x y;…"). This script moves them from one scene to the next until the reader stops
 * it.
 *
 * <figure data-trailer>
 *    <svg>… <g class="thing" data-at="…"></g> …</svg> <ol><li>what is said in a scene</li>…</ol>
 *    <button data-play="…" data-rest="…"></button> <p class="trailer-marks" hidden><button></button>…</p>
 * </figure>
 *
 * It begins at its first scene. A press on a mark shows the scene of that mark, and stops; ← and → on a mark go to the
 * neighbouring scene. A reader who asks for less motion sees the scene that says most, and moves on by the button.
 */

import { readingTime } from "../player/reading-time.ts";

export const defaults = {
  /** ms for which a scene is shown at least. */
  scene: 3400,
  /** ms for which the last scene is shown at least, before the first one comes again. */
  last: 12000,
};

export interface Standing {
  look: string;
  x: number;
  y: number;
}

/** The look and place of an element in each scene, read from its `data-at`. */
export function standings(at: string): Standing[] {
  return at.split(";").map((one) => {
    const [look = "", x = "0", y = "0"] = one.split(" ");
    return { look, x: Number(x), y: Number(y) };
  });
}

/** How long a scene is shown, in ms: as long as its sentence takes to read, the last one longer. */
export function lengthOf(sentence: string, isLast: boolean): number {
  return Math.max(isLast ? defaults.last : defaults.scene, readingTime(sentence));
}

export function beginTrailer(figure: HTMLElement): void {
  const things = [...figure.querySelectorAll<SVGGElement>(".thing")].map((thing) => ({ thing, at: standings(thing.dataset["at"] ?? "") }));
  const sentences = [...figure.querySelectorAll("li")];
  const marks = [...figure.querySelectorAll<HTMLButtonElement>(".trailer-marks button")];
  const button = figure.querySelector<HTMLButtonElement>("button[data-play]");
  if (button === null || sentences.length === 0) return;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let scene = isStill ? Math.max(0, sentences.findIndex((one) => one.classList.contains("now"))) : 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isInSight = false;

  const show = (number: number): void => {
    scene = number % sentences.length;
    // The return to the first scene is not animated: it would look as if stored records were taken back.
    figure.classList.toggle("at-once", scene === 0 || isStill);
    for (const { thing, at } of things) {
      const now = at[scene];
      if (now === undefined) continue;
      thing.dataset["look"] = now.look;
      thing.style.transform = `translate(${now.x}px, ${now.y}px)`;
    }
    sentences.forEach((one, position) => one.classList.toggle("now", position === scene));
    marks.forEach((one, position) => {
      one.setAttribute("class", position === scene ? "now" : position < scene ? "past" : "");
      if (position === scene) one.setAttribute("aria-current", "step");
      else one.removeAttribute("aria-current");
      one.tabIndex = position === scene ? 0 : -1;
    });
  };
  const say = (): void => {
    const isMoving = timer !== undefined;
    button.classList.toggle("moving", isMoving);
    button.setAttribute("aria-label", (isMoving ? button.dataset["rest"] : button.dataset["play"]) ?? "");
  };
  const rest = (): void => {
    clearTimeout(timer);
    timer = undefined;
    say();
  };
  const move = (): void => {
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        if (isInSight && document.visibilityState === "visible") show(scene + 1);
        move();
      },
      lengthOf(sentences[scene]?.textContent ?? "", scene === sentences.length - 1),
    );
    say();
  };
  button.addEventListener("click", () => {
    if (timer !== undefined) {
      rest();
      return;
    }
    show(scene + 1);
    if (!isStill) move();
  });
  marks.forEach((mark, position) => {
    mark.addEventListener("click", () => {
      rest();
      show(position);
    });
    mark.addEventListener("keydown", (event) => {
      const beside = { ArrowRight: marks[position + 1], ArrowLeft: marks[position - 1], Home: marks[0], End: marks.at(-1) }[event.key];
      if (beside === undefined) return;
      event.preventDefault();
      beside.focus();
      beside.click();
    });
  });
  new IntersectionObserver((entries) => {
    isInSight = entries[entries.length - 1]?.isIntersecting === true;
  }).observe(figure);
  for (const part of [button, figure.querySelector<HTMLElement>(".trailer-marks")]) part?.removeAttribute("hidden");
  show(scene);
  if (isStill) say();
  else move();
}

if (typeof document !== "undefined") for (const figure of document.querySelectorAll<HTMLElement>("[data-trailer]")) beginTrailer(figure);

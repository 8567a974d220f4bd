/** Access to the page around the player: cookies, language, theme, the address, and the token for POST requests. */

import type { Language } from "./frame.ts";
import { keepPlace } from "./kept-places.ts";

export type Theme = "system" | "light" | "dark";

const YEAR = 365 * 24 * 3600;

/** The cookies of the page; "" if it has none, as in a sandboxed frame. */
function cookies(): string {
  try {
    return document.cookie;
  } catch {
    return "";
  }
}

function cookie(name: string): string | null {
  const found = cookies().split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found === undefined ? null : decodeURIComponent(found.slice(name.length + 1));
}

function remember(name: string, value: string): void {
  if (window !== window.parent) return; // A page in a frame stores nothing.
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${YEAR}; samesite=lax`;
}

/** The token that the server requires with every POST. */
export function csrfToken(): string {
  const meta = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]");
  return meta?.content ?? cookie("csrftoken") ?? "";
}

/** Sets the language of the document and, by a cookie, of the server's next pages. The cookie's value is lower case. */
export function rememberLanguage(language: Language): void {
  document.documentElement.lang = language;
  remember("django_language", language.toLowerCase());
}

export function currentTheme(): Theme {
  const kept = cookie("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function applyTheme(theme: Theme): void {
  document.documentElement.classList.toggle("light", theme === "light");
  document.documentElement.classList.toggle("dark", theme === "dark");
}

export function rememberTheme(theme: Theme): void {
  remember("theme", theme);
  applyTheme(theme);
}

/** Stores the reader's place, so that the front page and the session's own page lead back there in this browser. */
export function rememberPlace(session: string, branch: string, step: number): void {
  remember("place", `${session}.${branch}.${step}`);
  keepPlace(session, { branch, step });
}

/** Keeps the address in step with the page, so that copying it shares the exact step. */
export class Permalink {
  #timer: number | null = null;
  #then: (() => void) | null = null;

  /** When the reader leaves the page, the pending `then` of `keep` is called at once. */
  constructor() {
    globalThis.addEventListener?.("pagehide", () => this.#then?.());
  }

  /**
   * Puts a branch and a step into the address. `session`: the session for which this browser stores the place, too; "":
   * none.
   */
  show(branch: string, step: number, further: Record<string, string> = {}, session = ""): void {
    this.keep({ branch, step: String(step), ...further }, () => {
      if (session !== "") rememberPlace(session, branch, step);
    });
  }

  /** Puts values into the address a moment later, by name, and then calls `then`. An empty value removes its name. */
  keep(values: Record<string, string>, then: () => void = () => undefined): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#then = then;
    // Browsers allow about a hundred changes of the address in half a minute. A reader who scrubs would cause more.
    this.#timer = setTimeout(() => {
      if (location.protocol === "file:") return; // A file that was opened from a disk has no address to share.
      const address = new URL(location.href);
      for (const [name, value] of Object.entries(values)) {
        if (value === "") address.searchParams.delete(name);
        else address.searchParams.set(name, value);
      }
      if (address.href !== location.href) history.replaceState(history.state, "", address);
      then();
      this.#then = null;
    }, 350) as unknown as number;
  }
}

/** Whether the device may have a keyboard: false if it has touch input only. */
export function hasKeyboard(): boolean {
  return !matchMedia("(hover: none) and (pointer: coarse)").matches;
}

let reducedMotion: MediaQueryList | undefined;

export function prefersReducedMotion(): boolean {
  return (reducedMotion ??= matchMedia("(prefers-reduced-motion: reduce)")).matches;
}

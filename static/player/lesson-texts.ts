/** The texts of a scenario's document and its track, which a page receives as JSON in an attribute. */

import type { Bilingual, Language } from "./frame.ts";
import type { Broken } from "./outcome.ts";
import { judgedRows } from "./outcome.ts";
import type { PlayerStore } from "./store.ts";
import { words } from "./text.ts";

/** A text, divided into pieces; every second piece is code. */
export type Parts = string[];

/** A lesson in both languages. */
export type Paragraphs = Record<Language, { kind: "lead" | "do" | "more"; parts: Parts }[]>;

/** The texts that a page receives. */
export interface LessonTexts {
  watch_for?: Bilingual;
  /** The paragraphs of the lesson. Kinds: its first sentence (`lead`), what to do (`do`), the rest (`more`). */
  lesson?: Paragraphs;
  /** The lesson about all runs of the scenario; present only if the run also has a lesson of its own. */
  shared_lesson?: Paragraphs;
  /** Symptoms in a real cluster (`see`), each with its cause (`means`). */
  signs?: { see: Bilingual; means: Record<Language, Parts> }[];
  /** The title of the run's variant. */
  named?: Bilingual;
  /** Whether the lesson is about the run as written while this run has other settings. */
  of_original?: boolean;
  /** Whether the run is a variant whose scenario has an original run. */
  has_original?: boolean;
  /** What each client library does, if the scenario depends on it: first the libraries that do it, then the others. */
  libraries?: { title: Bilingual; sides: { libraries: string[]; does: Bilingual }[] }[];
  /** The next scenario in the track in which the reader is, or in the first track that has this scenario. */
  next?: { track: Bilingual; why: Bilingual; title: Bilingual; address: string; posts: boolean };
  /** Another variant of the scenario. */
  variant?: { title: Bilingual; address: string; kind: "cure" | "opposite" | "other"; broken: string[] };
  /**
   * The address at which a scenario is started, with `{scenario}` for its name; absent on a page that cannot link to
   * others.
   */
  starts?: string;
  /** The guarantees that the run breaks as its author wrote it; absent if they are not stored. */
  written?: { broken: Broken };
}

/** The texts in an attribute's JSON; empty if it cannot be read. */
export function readLesson(text: string): LessonTexts {
  try {
    return text === "" ? {} : (JSON.parse(text) as LessonTexts);
  } catch {
    return {};
  }
}

export function inLanguage(text: Bilingual | undefined): string {
  return text === undefined ? "" : (text[words.language] ?? text.en);
}

/** Whether the end of the run has something to show: the meaning of the run, or at least its outcome. */
export function hasEnd(store: PlayerStore, lesson: LessonTexts): boolean {
  return lesson.lesson !== undefined || judgedRows(store).length > 0;
}

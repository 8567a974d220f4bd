/** The texts that a page receives of a scenario's document and its track, as JSON in an attribute. */

import type { Bilingual, Language } from "./frame.ts";
import type { Broken } from "./outcome.ts";
import { judgedRows } from "./outcome.ts";
import type { PlayerStore } from "./store.ts";
import { words } from "./text.ts";

/** A text in pieces, every second of them code. */
export type Parts = string[];

/** A lesson in both languages. */
export type Paragraphs = Record<Language, { kind: "lead" | "do" | "more"; parts: Parts }[]>;

/** What the page receives of a scenario's document and its track. */
export interface LessonTexts {
  watch_for?: Bilingual;
  /** In paragraphs: the first sentence, what to do, the rest. */
  lesson?: Paragraphs;
  /** The lesson of the scenario's runs together, where each run has one of its own. */
  shared_lesson?: Paragraphs;
  /** What an engineer sees in a real cluster, and what it points to. */
  signs?: { see: Bilingual; means: Record<Language, Parts> }[];
  /** The title of the run's variant. */
  named?: Bilingual;
  /** The lesson is about the run as written, and this run has other settings. */
  of_original?: boolean;
  /** The run is a variant, and its scenario has an original run. */
  has_original?: boolean;
  /** What each client library does, where the scenario depends on it: first those that do it, then the others. */
  libraries?: { title: Bilingual; sides: { libraries: string[]; does: Bilingual }[] }[];
  /** What comes next in the track that the reader is in, or in the first that has this scenario. */
  next?: { track: Bilingual; why: Bilingual; title: Bilingual; address: string; posts: boolean };
  /** Another variant of the scenario. */
  variant?: { title: Bilingual; address: string; kind: "cure" | "opposite" | "other"; broken: string[] };
  /** Where a scenario is started, with `{scenario}`; absent on a page that cannot link to others. */
  starts?: string;
  /** The outcome of the run as its author wrote it; absent if it is not stored. */
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

/** Whether there is an end to show: the meaning of the run, or at least its outcome. */
export function hasEnd(store: PlayerStore, lesson: LessonTexts): boolean {
  return lesson.lesson !== undefined || judgedRows(store).length > 0;
}

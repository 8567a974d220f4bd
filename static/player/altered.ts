/**
 * The settings of a run: the switches that change Kafka itself, and the settings that the scenario's document gives,
 * even if the given value is the default.
 */

import type { Header, Json } from "./frame.ts";
import { say, words } from "./text.ts";

export interface Altered {
  name: string;
  /** The path of the setting in the scenario's document, such as `producers.p1.acks`. */
  path: string;
  /**
   * `kafka`: Kafka's name of the setting; "" if it has none. `of`: the name of the producer that has it, or the word
   * for the brokers; "" for a switch of Kafka itself.
   */
  kafka: string;
  of: string;
  value: string;
  normal: string | null;
}

/** Kafka's name of a producer's setting; the document's name if the catalogue has none. */
export function settingName(name: string): string {
  const key = `word.setting.${name}`;
  return words.knows(key) ? say(key) : name;
}

/** The value as Kafka's documents write it: acks −1 is *all*. */
export function settingValue(name: string, value: Json): Json {
  return name === "acks" && value === -1 ? "all" : value;
}

function plain(value: Json): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/** The producer that has the setting; null for settings of others. */
function producerOf(path: string): string | null {
  return path.startsWith("producers.") ? (path.split(".")[1] ?? null) : null;
}

/** The settings of a run. Switches come first, because they change Kafka itself. */
export function alteredOf(header: Header): Altered[] {
  const switches = Object.entries(header.switches).map(([path, value]) => ({
    name: path.replaceAll("_", " "),
    path,
    kafka: "",
    of: "",
    value: plain(value),
    normal: null,
  }));
  const settings = Object.entries(header.altered).map(([path, values]) => {
    const [normal = null, value = null, kafka = null] = values as (Json | undefined)[];
    const name = path.split(".").pop() ?? path;
    return {
      name: name.replaceAll("_", " "),
      path,
      kafka: typeof kafka === "string" ? kafka : "",
      of: producerOf(path) ?? (path.startsWith("cluster.broker.") ? say("player.setting_of_brokers") : ""),
      value: plain(settingValue(name, value)),
      normal: normal === null ? null : plain(settingValue(name, normal)),
    };
  });
  return [...switches, ...settings];
}

/**
 * The settings that differ between two runs, with the values of the first run. Settings of a producer that only one of
 * the runs has do not count.
 */
export function differing(one: Header, other: Header): Altered[] {
  const theirs = new Map(alteredOf(other).map((item) => [item.path, item]));
  const ours = alteredOf(one);
  const inBoth = ({ path }: Altered): boolean => {
    const producer = producerOf(path);
    return producer === null || [one, other].every(({ actors }) => actors.some(({ name }) => name === producer));
  };
  const here = ours.filter((item) => inBoth(item) && theirs.get(item.path)?.value !== item.value);
  const named = new Set(ours.map((item) => item.path));
  const there = [...theirs.values()].filter((item) => inBoth(item) && !named.has(item.path) && item.normal !== null);
  const version = one.version === other.version ? [] : [{ name: "Kafka", path: "profile", kafka: "", of: "", value: one.version, normal: null }];
  return [...version, ...here, ...there.map((item) => ({ ...item, value: item.normal ?? "" }))];
}

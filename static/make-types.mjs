/**
 * The types of the messages between server and page: static/generated/messages.ts, made from docs/messages.schema.json
 * (`make schema`; eosviz/contract/README.md).
 */

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { compile } from "json-schema-to-typescript";

const SCHEMA = new URL("../docs/messages.schema.json", import.meta.url);
export const FILE = new URL("generated/messages.ts", import.meta.url);
const BANNER = "// Made by `make schema` from docs/messages.schema.json. Change the types of the server (eosviz/contract/README.md).";

/**
 * The schema, rewritten for json-schema-to-typescript: tuples (`prefixItems`) as older drafts of JSON Schema write
 * them, other lists without bounds, which would become very long unions, and a `$ref` with a description behind
 * `allOf`.
 */
function readable(node) {
  if (Array.isArray(node)) return node.map(readable);
  if (node === null || typeof node !== "object") return node;
  const { prefixItems, minItems, maxItems, $ref, ...rest } = node;
  const kept = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, readable(inner)]));
  if (prefixItems !== undefined) return { ...kept, items: prefixItems.map(readable), additionalItems: false, minItems, maxItems };
  if ($ref === undefined) return kept;
  return Object.keys(kept).length === 0 ? { $ref } : { ...kept, allOf: [{ $ref }] };
}

/** The text of static/generated/messages.ts. */
export async function types() {
  const schema = readable(JSON.parse(await readFile(SCHEMA, "utf-8")));
  return compile(schema, "Sent", {
    additionalProperties: false,
    bannerComment: BANNER,
    style: { printWidth: 120 },
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await writeFile(FILE, await types());

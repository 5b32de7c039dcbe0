/**
 * Whatever else is known of systems, as text.
 *
 * @module
 */

import type { Info } from "../../batch/store.ts";
import { JsonReader } from "./array_metadata.ts";

const NUMBER = "hooke:number";

/** The text of what is known of a system: none where nothing is. */
export function infoText(info: Info): Uint8Array {
  if (Object.keys(info).length === 0) return new Uint8Array(0);
  return new TextEncoder().encode(JSON.stringify(info, (_, value) => {
    if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
    const isPlain = typeof value !== "number" || Number.isFinite(value) && !Object.is(value, -0);
    return isPlain ? value : { [NUMBER]: Object.is(value, -0) ? "-0" : String(value) };
  }));
}

/** What is known of systems whose texts follow each other. Throws a SyntaxError for what is no such text. */
export function readInfos(path: string, text: Uint8Array, offsets: Int32Array): Info[] {
  const json = new JsonReader(path);
  return Array.from({ length: offsets.length - 1 }, (_, i) => {
    const own = text.slice(offsets[i], offsets[i + 1]);
    if (own.length === 0) return {};
    return json.object(`the text of system ${i}`, revived(json.parse(own)));
  });
}

function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]![0] === NUMBER) return Number(entries[0]![1]);
  return Object.fromEntries(entries.map(([key, one]) => [key, revived(one)]));
}

/**
 * The `info` of systems as text.
 *
 * @module
 */

import type { Info } from "../../batch/store.ts";
import { show } from "../../base/show.ts";
import { readTagged, writeTagged } from "../tagged_json.ts";
import { JsonReader } from "./array_metadata.ts";

const NOTHING = new Uint8Array(0);

/** Returns whether an object has no members, without making a list of them for each frame. */
function isEmpty(info: Info): boolean {
  for (const key in info) if (Object.hasOwn(info, key)) return false;
  return true;
}

/**
 * Returns the `info` of a system as text, empty if it has no members. Throws a TypeError if it is not plain
 * data.
 */
export function infoText(info: Info, path: string): Uint8Array {
  if (isEmpty(info)) return NOTHING;
  const text = writeTagged(info);
  if (text !== undefined) return new TextEncoder().encode(text);
  const wrong = Object.keys(info).find((key) => writeTagged(info[key]) === undefined) ?? "";
  throw new TypeError(
    `Cannot write to ${path}: info.${wrong} must be plain data; got ${show(info[wrong])}`,
  );
}

/** Reads the `info` of systems from consecutive texts. Throws a SyntaxError if a text is damaged. */
export function readInfos(path: string, text: Uint8Array, offsets: Int32Array): Info[] {
  const json = new JsonReader(path);
  return Array.from({ length: offsets.length - 1 }, (_, i) => {
    const own = text.slice(offsets[i], offsets[i + 1]);
    if (own.length === 0) return {};
    return json.object(`the text of system ${i}`, readTagged(json.parse(own)));
  });
}

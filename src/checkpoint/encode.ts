/**
 * A state to the bytes of a checkpoint.
 *
 * @module
 */

import type { CheckpointContent } from "./content.ts";
import { pack } from "./pack.ts";
import { BYTE_ORDER, joinSections } from "./sections.ts";
import { show } from "../base/show.ts";

/**
 * The bytes of a checkpoint. It copies, at once, so the state may change as soon as it returns. Equal contents have
 * equal bytes, in whatever order their members were written.
 *
 * Everything comes back by {@linkcode decodeCheckpoint} to the bit, with three things to know: members come back
 * sorted by name; what stands in two places comes back as two; and a typed array comes back with memory of its own.
 *
 * @param content whose state, in which schema, and the state
 * @throws {TypeError} for what could not be restored: functions, symbols, `undefined`, class instances (`Map`,
 * `Date`, `DataView` among them), cycles, a typed array whose memory is gone, more than 500 levels; the message
 * names the path: `data.hooks.log.state.file`. Also for a `kind` that is no text or an empty one
 * @throws {RangeError} for a `schema` that is no whole number from 0 on
 *
 * @example
 * ```ts
 * import { decodeCheckpoint, encodeCheckpoint } from "@hooke/hooke/checkpoint";
 * import { assertEquals } from "@std/assert";
 *
 * const content = { kind: "walk", schema: 1, data: { x: Float32Array.of(1, -0), until: Infinity } };
 * assertEquals(decodeCheckpoint(encodeCheckpoint(content)), content);
 * ```
 */
export function encodeCheckpoint(content: CheckpointContent): Uint8Array<ArrayBuffer> {
  const { kind, schema, data } = content;
  if (typeof kind !== "string" || kind === "") {
    throw new TypeError(
      `Cannot save a checkpoint as its kind must be a text: current value is ${show(kind)}`,
    );
  }
  if (!Number.isSafeInteger(schema) || schema < 0) {
    throw new RangeError(
      `Cannot save a checkpoint as its schema must be a whole number from 0 on: current value is ${schema}`,
    );
  }
  const { text, arrays } = pack(data);
  const header = `{"byteOrder":"${BYTE_ORDER}","data":${text},"kind":${
    JSON.stringify(kind)
  },"schema":${schema}}`;
  return joinSections([new TextEncoder().encode(header), ...arrays]);
}

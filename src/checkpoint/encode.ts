/**
 * Encoding of checkpoints: from a state to the bytes of a file.
 *
 * @module
 */

import type { CheckpointContent } from "./content.ts";
import { pack } from "./pack.ts";
import { BYTE_ORDER, joinSections } from "./sections.ts";
import { show } from "../base/show.ts";

/**
 * Encodes a checkpoint. The state is copied before the function returns, so it may change afterwards. Contents that
 * differ only in the order of members give equal bytes.
 *
 * {@linkcode decodeCheckpoint} restores every value bitwise, with three differences: members are sorted by name, an
 * object that is referenced twice becomes two objects, and each typed array has its own buffer.
 *
 * @param content state, with its kind and schema
 * @throws {TypeError} if `kind` is empty or not a string, or if a value cannot be restored: functions, symbols,
 * `undefined`, class instances (`Map`, `Date` and `DataView` among them), cycles, detached typed arrays, and more
 * than 500 levels of nesting. The message names the path of the value: `data.hooks.log.state.file`
 * @throws {RangeError} if `schema` is not a non-negative integer
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
      `Cannot save a checkpoint: its kind must be a non-empty string; got ${show(kind)}`,
    );
  }
  if (!Number.isSafeInteger(schema) || schema < 0) {
    throw new RangeError(
      `Cannot save a checkpoint: its schema must be a non-negative integer; got ${schema}`,
    );
  }
  const { text, arrays } = pack(data);
  const header = `{"byteOrder":"${BYTE_ORDER}","data":${text},"kind":${
    JSON.stringify(kind)
  },"schema":${schema}}`;
  return joinSections([new TextEncoder().encode(header), ...arrays]);
}

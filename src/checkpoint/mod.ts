/**
 * The one file format in which every engine keeps its state: plain data with typed arrays anywhere in it, to the
 * bit, in a single file that is there whole or not at all.
 *
 * `encodeCheckpoint` and `decodeCheckpoint` work anywhere, a page included; `writeCheckpoint` and `readCheckpoint`
 * need a file system.
 *
 * @example Keep the state of a loop of one's own
 * ```ts
 * import { readCheckpoint, writeCheckpoint } from "@hooke/hooke/checkpoint";
 * import { assertEquals } from "@std/assert";
 *
 * const path = `${await Deno.makeTempDir()}/walk.hooke`;
 * const data = { stepCount: 40, seed: 7n, positions: Float64Array.of(0.5, -0, NaN) };
 * await writeCheckpoint(path, { kind: "walk", schema: 1, data });
 * const content = await readCheckpoint(path, { kind: "walk", schema: 1 });
 * assertEquals(content.data, data);
 * ```
 *
 * @module
 */

export type { CheckpointContent, CheckpointExpectation } from "./content.ts";
export { decodeCheckpoint } from "./decode.ts";
export { encodeCheckpoint } from "./encode.ts";
export { checkpointsIn, loadLatest } from "./folder.ts";
export type { StepCheckpoint } from "./folder.ts";
export { readCheckpoint, writeCheckpoint, writeWhole } from "./file.ts";

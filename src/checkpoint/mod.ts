/**
 * File format for the state of all engines: plain data that may contain typed arrays at any depth. Values are
 * restored bitwise, and a file is replaced atomically.
 *
 * `encodeCheckpoint` and `decodeCheckpoint` work everywhere, including web pages. `writeCheckpoint` and
 * `readCheckpoint` need a file system.
 *
 * @example Save the state of a custom loop
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

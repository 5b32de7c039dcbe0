// Writes one version of a checkpoint after the other, and never ends: to be killed by kill_slow_test.ts.
import {
  type CheckpointContent,
  readCheckpoint,
  writeCheckpoint,
} from "../../src/checkpoint/mod.ts";

/**
 * Returns the content of the file at a step: arrays in which every number is the step, so that a mixture of two files
 * is detected.
 */
export function contentAt(step: number): CheckpointContent {
  const [x, ids] = [
    new Float64Array(40_000).fill(step),
    new BigInt64Array(5_000).fill(BigInt(step)),
  ];
  return { kind: "test/kill", schema: 1, data: { step, x, ids, last: step } };
}

if (import.meta.main) {
  const path = Deno.args[0]!;
  const { data } = await readCheckpoint(path);
  for (let { step } = data as { step: number };;) await writeCheckpoint(path, contentAt(++step));
}

/**
 * Measures what a step of NVE adds to onnxruntime's own run, over potentials that people use, with the 28 atoms of a
 * cell of LiFePO4: prints ms of CPU time per step, in all and outside of the run. In a process of its own.
 *
 * Usage: `around_run.ts MODEL.onnx [OPTIONS]`, with the options of `OnnxModel.open` as JSON.
 *
 * @module
 */

import process from "node:process";
import { InferenceSession } from "onnxruntime-web";
import { Batch, initVelocities, type SystemInput } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { OnnxModel } from "../../src/models/onnx.ts";
import { lowerQuartile } from "../dynamics/cpu.ts";

/** Steps before any is measured, and steps that are. */
const WARM = 2, STEPS = 8;

/** CPU time of a step, all threads, ms. */
export interface AroundRun {
  /** All of it. */
  readonly step: number;
  /** Outside of onnxruntime's run. */
  readonly outside: number;
}

/** Lithium iron phosphate: lengths of the cell in Å, and places in parts of it. */
const LENGTHS = [10.33, 6.01, 4.69] as const;
const PLACES: Readonly<Record<string, readonly (readonly [number, number, number])[]>> = {
  Li: [[0, 0, 0], [0.5, 0, 0.5], [0, 0.5, 0], [0.5, 0.5, 0.5]],
  Fe: mirrored(0.282, 0.975),
  P: mirrored(0.095, 0.418),
  O: [
    ...mirrored(0.097, 0.743),
    ...mirrored(0.457, 0.206),
    ...mirrored(0.166, 0.285, 0.046),
    ...mirrored(0.166, 0.285, 0.454),
  ],
};

/** Returns the four places of the group Pnma that have x, z and a height of ¼, or another and its mirror image. */
function mirrored(x: number, z: number, y: number = 0.25): [number, number, number][] {
  return [
    [x, y, z],
    [0.5 - x, y + 0.5, z + 0.5],
    [1 - x, 1 - y, 1 - z],
    [0.5 + x, 0.5 - y, 0.5 - z],
  ];
}

/** Returns the cell of LiFePO4, 28 atoms. */
export function crystal(): SystemInput {
  const symbols: string[] = [], positions: number[] = [];
  for (const [symbol, places] of Object.entries(PLACES)) {
    for (const place of places) {
      symbols.push(symbol);
      positions.push(...place.map((x, k) => x * LENGTHS[k]!));
    }
  }
  return { symbols, positions, cell: LENGTHS, pbc: [true, true, true] };
}

/** CPU time of this process until now, ms. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** Adds up the CPU time that runs of sessions take, ms. */
function watchRuns(): { inside: number; count: number } {
  const sum = { inside: 0, count: 0 };
  const { prototype } = InferenceSession as unknown as {
    prototype: { run(...given: unknown[]): Promise<unknown> };
  };
  const { run } = prototype;
  prototype.run = async function (...given) {
    const start = cpu();
    const outputs = await run.apply(this, given);
    sum.inside += cpu() - start;
    sum.count++;
    return outputs;
  };
  return sum;
}

if (import.meta.main) {
  const [path, options = "{}"] = Deno.args as [string, string?];
  const runs = watchRuns();
  await using model = await OnnxModel.open(path, {
    threads: 1,
    verify: false,
    ...JSON.parse(options),
  });
  const batch = Batch.from([crystal()]);
  initVelocities(batch, 300, { seed: 1 });
  await using engine = new NVE({ model, dt: 1, device: "wasm" });
  await engine.run(batch, WARM);
  const steps: number[] = [], outside: number[] = [];
  runs.count = 0;
  for (let i = 0; i < STEPS; i++) {
    runs.inside = 0;
    const start = cpu();
    await engine.run(batch, 1);
    steps.push(cpu() - start);
    outside.push(steps.at(-1)! - runs.inside);
  }
  if (runs.count !== STEPS) {
    throw new Error(`Cannot compare steps: each must run the session once: ${runs.count} runs`);
  }
  const found: AroundRun = { step: lowerQuartile(steps), outside: lowerQuartile(outside) };
  console.log(JSON.stringify(found));
}

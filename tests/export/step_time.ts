/**
 * Times steps of a model, in a process of its own: `step_time.ts MODEL.onnx START.json wasm|native|webgpu`
 * prints JSON.
 *
 * @module
 */

import process from "node:process";
import { Batch, NVE } from "@hooke/hooke";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import type { StepTime } from "./figures.ts";
import { inputOf } from "./hooke_runs.ts";

/** Steps at least, at most, and the time in ms after which no other is begun; the same as in ase_runs.py. */
const LEAST = 3, MOST = 10, LIMIT = 30_000;

/** Output of a process. */
export interface Timed extends StepTime {
  /** Reason why the host runs the model although the engine is on a GPU; undefined if it does not. */
  readonly onHost?: string | undefined;
}

if (import.meta.main) {
  const [path, start, place] = Deno.args as [string, string, "wasm" | "native" | "webgpu"];
  const device = place === "webgpu" ? "webgpu" : "wasm";
  const warnings: string[] = [];
  await using model = await OnnxModel.open(path, {
    threads: 1,
    verify: false,
    runtime: place === "native" ? "native" : "web",
  });
  const batch = Batch.from([inputOf(JSON.parse(await Deno.readTextFile(start)))]);
  await using md = new NVE({
    model,
    dt: 0.5,
    device,
    onWarning: (warning) => void warnings.push(String(warning)),
  });
  await md.run(batch, 1);
  const cpu: number[] = [], wall: number[] = [], began = performance.now();
  const least = device === "webgpu" ? 1 : LEAST; // software adapters are slow
  while (cpu.length < least || (cpu.length < MOST && performance.now() - began < LIMIT)) {
    const before = process.cpuUsage(), at = performance.now();
    await md.run(batch, 1);
    wall.push(performance.now() - at);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1e3);
  }
  const notes = [...model.describe().split("\n"), ...warnings];
  const found: Timed = {
    atoms: batch.nodeCount,
    cpu: Math.min(...cpu),
    wall: Math.min(...wall),
    steps: cpu.length,
    load: Deno.loadavg()[0]!,
    onHost: notes.find((note) => note.includes("on the host instead of WebGPU")),
  };
  console.log(JSON.stringify(found));
}

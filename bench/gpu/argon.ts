/**
 * What an engine adds to what the device has to do: prints how long a step of NVE with 4096 argon atoms on WebGPU
 * takes, ms: in all, while energy, fmax and temperature are observed at each step, and submitted by a bare program
 * that has nothing but the dispatches of a step. In a process of its own.
 *
 * @module
 */

import { openWebGpu, type Program, type WebGpuBackend } from "../../src/backend/mod.ts";
import type { GpuProgram } from "../../src/backend/webgpu/gpu_program.ts";
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { argonModel } from "../dynamics/input.ts";

/** Turns of each; steps in a turn. */
const TURNS = 5, STEPS = Number(Deno.args[0] ?? 40);

function argon(): Batch {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: [8, 8, 16] })]);
  initVelocities(batch, 80, { seed: 1 });
  return batch;
}

/** An engine on a backend, and what it has the device do in a step that nobody looks at. */
function engineOn(backend: WebGpuBackend) {
  const programs: Program[] = [];
  const prepare = backend.prepare.bind(backend);
  backend.prepare = (frame, calls) => {
    const program = prepare(frame, calls);
    programs.push(program);
    return program;
  };
  const engine = new NVE({ model: argonModel(), dt: 2, backend });
  const step = () => programs.reduce((a, b) => a.length > b.length ? a : b) as GpuProgram;
  return { engine, batch: argon(), step };
}

/** The dispatches of so many steps, and nothing else. */
function submit({ device }: WebGpuBackend, { calls }: GpuProgram, steps: number): void {
  const passes = calls.flatMap((call) => call.passes);
  const each = Math.max(1, Math.floor(256 / passes.length));
  for (let done = 0; done < steps; done += each) {
    const encoder = device.createCommandEncoder(), compute = encoder.beginComputePass();
    for (let i = 0; i < Math.min(each, steps - done); i++) {
      for (const { pipeline, bind, groups } of passes) {
        compute.setPipeline(pipeline);
        compute.setBindGroup(0, bind);
        compute.dispatchWorkgroups(groups[0], groups[1]);
      }
    }
    compute.end();
    device.queue.submit([encoder.finish()]);
  }
}

if (import.meta.main) {
  const backends = [await openWebGpu(), await openWebGpu()];
  const [plain, observed] = backends.map(engineOn) as [
    ReturnType<typeof engineOn>,
    ReturnType<typeof engineOn>,
  ];
  let seen = 0;
  observed.engine.hooks.add(hook({
    name: "look",
    frequency: 1,
    reads: ["energy", "fmax", "temperature"],
    on: {
      dynamics: {
        AFTER_STEP: ({ read }) => void (seen += Number.isFinite(read.energy[0]!) ? 1 : 0),
      },
    },
  }));
  const cases: readonly (() => Promise<unknown>)[] = [
    () => plain.engine.run(plain.batch, STEPS),
    () => observed.engine.run(observed.batch, STEPS),
    async () => {
      submit(backends[0]!, plain.step(), STEPS);
      await backends[0]!.device.queue.onSubmittedWorkDone();
    },
  ];
  const times: number[][] = [[], [], []];
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [i, body] of cases.entries()) {
      const before = performance.now();
      await body();
      if (turn > 0) times[i]!.push((performance.now() - before) / STEPS);
    }
  }
  if (seen !== TURNS * STEPS) {
    throw new Error(`Cannot time observers as each step must be seen: ${seen} were`);
  }
  const [engine, looking, bare] = times.map((all) =>
    all.toSorted((a, b) => a - b)[all.length >> 2]!
  );
  console.log(JSON.stringify({ engine, looking, bare }));
  await plain.engine.close();
  await observed.engine.close();
  for (const backend of backends) backend.dispose();
}

/**
 * Measures the work that an engine adds to the work of the device. It prints the time of a step of NVE with 4096
 * argon atoms on WebGPU in ms: of the engine, of the engine with energy, fmax and temperature observed at each step,
 * and of a minimal program that submits only the dispatches of a step. Runs in a separate process.
 *
 * @module
 */

import { openWebGpu, type Program, type WebGpuBackend } from "../../src/backend/mod.ts";
import type { GpuProgram } from "../../src/backend/webgpu/program/gpu_program.ts";
import { Batch, fcc, initVelocities } from "../../src/batch/mod.ts";
import { NVE } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { argonModel } from "../dynamics/input.ts";
import { takeTurns } from "../turns.ts";

/** Steps in a turn, which begins and ends with some copies that are waited for; turns of each. */
const STEPS = Number(Deno.args[0] ?? 300), TURNS = Number(Deno.args[1] ?? 7);

function argon(): Batch {
  const batch = Batch.from([fcc({ element: "Ar", a: 5.26, cells: [8, 8, 16] })]);
  initVelocities(batch, 80, { seed: 1 });
  return batch;
}

/** Creates an engine on a backend. `step` returns the program of a whole step without observers. */
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

/** Submits only the dispatches of the given number of steps. */
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
  const costs = await takeTurns({
    engine: () => plain.engine.run(plain.batch, STEPS),
    looking: () => observed.engine.run(observed.batch, STEPS),
    bare: () => {
      submit(backends[0]!, plain.step(), STEPS);
      return backends[0]!.device.queue.onSubmittedWorkDone();
    },
  }, { turns: TURNS, events: STEPS });
  if (seen !== (1 + TURNS) * STEPS) {
    throw new Error(
      `Cannot time observers: each step must be seen once: ${seen} of ${(1 + TURNS) * STEPS} were`,
    );
  }
  console.log(JSON.stringify(costs));
  await plain.engine.close();
  await observed.engine.close();
  for (const backend of backends) backend.dispose();
}

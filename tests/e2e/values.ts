// What is computed both in a page and here, to be compared. Nothing in it is Deno's own.
import { type DeviceName, openThreads, openWebGpu } from "@hooke/hooke/backend";
import { Batch, fcc, initVelocities } from "@hooke/hooke/batch";
import { NeighborList } from "@hooke/hooke/batch/neighbors";
import { NVE } from "@hooke/hooke/dynamics";
import {
  dataOf,
  type FeedsByInput,
  GraphBuilder,
  lennardJonesModel,
  openSession,
  openSessionInWorker,
} from "@hooke/hooke/onnx";
import { LoggingHook } from "@hooke/hooke/observe";
import { adam, meanSquaredError, normalNumbers, tensorData, Trainer } from "@hooke/hooke/training";
import { call } from "../../src/backend/backend.ts";
import { ARGON, crystals, openArgon } from "../../src/cli/demo_argon.ts";
import type { ModelName } from "../../src/cli/demo_settings.ts";
import { heat } from "../../src/cli/demo_heat.ts";
import { relax } from "../../src/cli/demo_relax.ts";
import { clear } from "../../src/kernels/clear.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { buckingham, sum, zbl } from "../../src/models/mod.ts";
import { lennardJones } from "../../src/models/pair/lennard_jones.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";

export { runHashes } from "../npm/same_bits.ts";

/** Options of a run of the demo. */
export interface DemoRequest {
  readonly model: ModelName;
  readonly device: DeviceName;
  readonly systems: number;
  readonly steps: number;
}

/** Results of the demo. */
export interface DemoValues {
  /** Device of the run. */
  readonly device: string;
  /** Steps until each crystal had relaxed, of those that had. */
  readonly steps: readonly number[];
  /** Steps done. */
  readonly stepCount: number;
  /** eV per atom of each crystal. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Å. */
  readonly relaxed: readonly number[];
  /** K, of each crystal at some steps of the dynamics. */
  readonly temperatures: readonly number[];
  /** Å, after the dynamics. */
  readonly moved: readonly number[];
}

/** Runs the demo. */
export async function demoValues(request: DemoRequest): Promise<DemoValues> {
  const { model, device, systems, steps: nSteps } = request;
  const batch = crystals(systems, 1);
  await using argon = await openArgon(model);
  const relaxation = await relax(batch, { model: argon.model, device, fmax: 0.005 });
  const relaxed = Array.from(batch.get("positions"));
  const { late } = await heat(batch, { device, steps: nSteps, seed: 1 });
  const { steps, stepCount, before, after } = relaxation;
  const moved = Array.from(batch.get("positions"));
  const { device: ran } = relaxation.device;
  return { device: ran, steps, stepCount, before, after, relaxed, temperatures: late, moved };
}

/** Energies of crystals, eV, and forces on their atoms, eV/Å. */
export interface Evaluation {
  readonly energy: readonly number[];
  readonly forces: readonly number[];
}

const PARAMETERS = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 } as const;

/** Options of a session. */
export interface GraphRequest {
  readonly device: "wasm" | "webgpu";
  readonly threads?: number;
  /** Address of the .wasm file of onnxruntime-web, relative to the page's script. */
  readonly wasmFile?: string;
}

/** Evaluates the demo's graph; says how many threads did it, too. */
export async function graphValues(
  { wasmFile, ...options }: GraphRequest,
): Promise<Evaluation & { readonly threads: number }> {
  await using session = await openSession(lennardJonesModel(PARAMETERS), {
    ...options,
    ...(wasmFile !== undefined && { wasmFile: new URL(wasmFile, import.meta.url) }),
  });
  const outputs = await session.run(feedsOf(crystals(4, 1)));
  const all = (name: string) => Array.from<number>(dataOf(outputs, name, "float32"));
  return { energy: all("energy"), forces: all("forces"), threads: session.threads };
}

/** The same in a worker, from the page's script. */
export async function workerValues(script: string): Promise<Evaluation> {
  using session = await openSessionInWorker(lennardJonesModel(PARAMETERS), {
    worker: () => new Worker(new URL(script, import.meta.url), { type: "module" }),
  });
  const { energy, forces } = await session.run(feedsOf(crystals(4, 1)));
  return { energy: Array.from(energy!.data, Number), forces: Array.from(forces!.data, Number) };
}

/** Positions after steps of several systems, and of a large one: on two threads, of this script, or on none but the caller's. */
export async function threadedValues(script?: string): Promise<number[]> {
  const backend = script === undefined ? undefined : openThreads(2, {
    worker: () => new Worker(new URL(script, import.meta.url), { type: "module" }),
  });
  await using argon = await openArgon("kernel");
  const md = new NVE({ model: argon.model, dt: 2, ...backend && { backend } });
  const batch = await md.run(crystals(4, 1), 60);
  const large = Batch.from([fcc({ element: "Ar", a: 5.26, cells: 11 })]);
  initVelocities(large, 300, { seed: 1 });
  await md.run(large, 20);
  await md.close();
  backend?.dispose();
  return [...batch.get("positions"), ...large.get("positions")];
}

/** Positions after steps of dynamics with functions that are generated at run time, and exclusions. */
export async function generatedValues(): Promise<number[]> {
  const exclude = { bonds: [[0, 1]], pairs: [[2, 9]] } as const;
  const options = { cutoff: 7, truncation: "switch", exclude } as const;
  const repulsion = buckingham({ strength: 10_549, length: 0.273, dispersion: 63.7, ...options });
  const model = sum(repulsion, zbl({ elements: ["Ar", "Kr"], cutoff: 3 }));
  await using md = new NVE({ model, dt: 2 });
  return Array.from((await md.run(crystals(2, 1), 60)).get("positions"));
}

function feedsOf(batch: Batch): FeedsByInput {
  const { edges, shifts, count } = new NeighborList({ cutoff: PARAMETERS.cutoff }).update(batch);
  const cell = batch.get("cell");
  const vectors = Float32Array.from(shifts, (_, k) => {
    const [e, d] = [Math.floor(k / 3), k % 3];
    const at = 9 * batch.systemOfNode[edges[e]!]! + d;
    return [0, 1, 2].reduce((sum, n) => sum + shifts[3 * e + n]! * cell[at + 3 * n]!, 0);
  });
  return {
    positions: { data: Float32Array.from(batch.get("positions")), dims: [batch.nodeCount, 3] },
    edge_index: { data: Int32Array.from(edges), dims: [2, count] },
    shifts: { data: vectors, dims: [count, 3] },
    batch_idx: { data: Int32Array.from(batch.systemOfNode), dims: [batch.nodeCount] },
    energy0: { data: new Float32Array(batch.size), dims: [batch.size] },
  };
}

/** The same by kernels on the WebGPU backend, without an engine. */
export async function kernelValues(): Promise<Evaluation> {
  const batch = crystals(4, 1);
  using backend = disposing(await openWebGpu());
  const filled = <D extends "real" | "i32">(dtype: D, values: ArrayLike<number>) => {
    const buffer = backend.alloc(dtype, values.length);
    backend.write(buffer, values);
    return buffer;
  };
  const each = (count: number, value = 0) => new Array<number>(count).fill(value);
  const { size, nodeCount } = batch;
  const frame = {
    systems: size,
    offsets: filled("i32", batch.nodeOffsets),
    active: filled("i32", each(size, 1)),
    ids: filled("i32", Array.from(each(size), (_, s) => s)),
    ages: filled("i32", each(size)),
    control: filled("i32", each(Control.LENGTH)),
  };
  const { epsilon, sigma, cutoff } = PARAMETERS;
  const [c12, c6] = [4 * epsilon * sigma ** 12, 4 * epsilon * sigma ** 6];
  const place = {
    pairs: backend.pairs(frame, { cutoff, skin: 0.5 }),
    positions: filled("real", batch.get("positions")),
    cell: filled("real", batch.get("cell")),
  };
  const sums = {
    forces: filled("real", each(3 * nodeCount)),
    energy: backend.alloc("f64", size),
    virial: backend.alloc("f64", 9 * size),
  };
  const parameters = filled("real", [
    c12,
    c6,
    cutoff ** 2,
    c12 / cutoff ** 12 - c6 / cutoff ** 6,
  ]);
  const program = backend.prepare(frame, [
    call(neighbors, { ...place, pbc: filled("i32", each(3 * size, 1)) }),
    call(clear, sums),
    call(lennardJones.kernel, { ...place, parameters, ...sums, switchWidth: 0, want: 1 }),
  ]);
  await backend.run(program, 0, 1);
  return {
    energy: Array.from(await backend.read(sums.energy)),
    forces: Array.from(await backend.read(sums.forces)),
  };
}

/** Results of a training. */
export interface TrainingValues {
  /** Losses that a hook received at the end of each step. */
  readonly losses: readonly number[];
  /** A parameter afterwards. */
  readonly weights: readonly number[];
  /** Bytes of the file that it makes. */
  readonly exported: number;
}

/** Trains a network for a few steps, with a hook that looks on. */
export async function trainingValues(device: "wasm" | "webgpu"): Promise<TrainingValues> {
  const builder = new GraphBuilder("wave");
  const x = builder.input("x", "f32", ["B", 1]);
  const numbers = (seed: number) => normalNumbers(8, { seed });
  const first = builder.parameter("first", numbers(1), [1, 8]);
  const second = builder.parameter("second", numbers(2), [8, 1]);
  const hidden = builder.op("Tanh", [builder.op("MatMul", [x, first], "f32")], "f32");
  builder.output("y", builder.op("MatMul", [hidden, second], "f32"), ["B", 1]);
  const places = Float32Array.from({ length: 32 }, (_, i) => i / 8 - 2), dims = [32, 1];
  const target = { data: places.map((x) => Math.fround(x * x / 4)), dims };
  const losses: number[] = [];
  await using trainer = new Trainer({
    model: builder.build(),
    loss: meanSquaredError(),
    optimizers: adam({ lr: 0.03 }),
    device,
    data: tensorData({ x: { data: places, dims }, target }, { batchSize: 8, seed: 3 }),
    epochs: 5,
  });
  trainer.hooks.add({ onStepEnd: (ctx) => void losses.push(ctx.loss) });
  await trainer.train();
  const weights = Array.from(await trainer.parameter("first"));
  return { losses, weights, exported: (await trainer.export()).length };
}

/** Returns the error that a page gets if it logs to a file. */
export async function fileComplaint(): Promise<string> {
  const log = new LoggingHook({ backend: "csv", logPath: "log.csv" });
  try {
    await using md = new NVE({ model: ARGON, dt: 1, hooks: [log] });
    await md.run(crystals(1, 1), 2);
    return "nothing";
  } catch (error) {
    return String(error);
  }
}

/** Returns true if a page to which no debugger is attached may make a script from text. */
export function mayEvaluateText(): Promise<boolean> {
  return new Promise((resolve) => {
    setTimeout(() => {
      try {
        resolve(new Function("return true")());
      } catch {
        resolve(false);
      }
    });
  });
}

function disposing<T extends { dispose(): void }>(backend: T): T & Disposable {
  return Object.assign(backend, { [Symbol.dispose]: () => backend.dispose() });
}

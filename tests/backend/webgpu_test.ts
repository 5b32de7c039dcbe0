/** The WebGPU backend besides kernels: order, waiting, growth, closing. A software adapter will do. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  BackendUnavailableError,
  type Buffer,
  call,
  type FrameBuffers,
} from "../../src/backend/mod.ts";
import type { GpuPairs } from "../../src/backend/webgpu/gpu_pairs.ts";
import { openWebGpu, type WebGpuBackend } from "../../src/backend/webgpu/mod.ts";
import { advance } from "../../src/kernels/integrate/advance.ts";
import { clear } from "../../src/kernels/clear.ts";
import { drift } from "../../src/kernels/integrate/drift.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { lennardJones } from "../../src/models/pair/lennard_jones.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";
import { device as shared, testOnGpu } from "./gpu.ts";

const device = shared!;

/** Tests a backend on the device that all of these share. */
function onGpu(name: string, test: (backend: WebGpuBackend) => void | Promise<void>): void {
  testOnGpu(name, async () => {
    const backend = await openWebGpu({ device });
    try {
      await test(backend);
    } finally {
      backend.dispose();
    }
  });
}

function filled(backend: WebGpuBackend, dtype: "i32" | "real" | "f64", values: number[]): Buffer {
  const buffer = backend.alloc(dtype, values.length);
  backend.write(buffer, values);
  return buffer;
}

/** Two systems of one and of two atoms. */
function frameOn(backend: WebGpuBackend, offsets = [0, 1, 3]): FrameBuffers {
  const i32 = (values: number[]) => filled(backend, "i32", values) as Buffer<"i32">;
  const systems = offsets.length - 1;
  return {
    systems,
    offsets: i32(offsets),
    active: i32(Array(systems).fill(1)),
    ids: i32(offsets.slice(1)),
    ages: i32(Array(systems).fill(0)),
    control: i32(Array(Control.LENGTH).fill(0)),
  };
}

/** Positions that move by 1 and by 2 in each step. */
function moving(backend: WebGpuBackend) {
  const [positions, velocities, dt] = [
    backend.alloc("real", 9),
    filled(backend, "real", Array(9).fill(1)) as Buffer<"real">,
    filled(backend, "real", [1, 2]) as Buffer<"real">,
  ] as const;
  return { positions, velocities, move: { positions, velocities, dt, fraction: 1 } };
}

onGpu("after a divergence no more steps run until the host continues", async (gpu) => {
  const frame = frameOn(gpu);
  const program = gpu.prepare(frame, [call(advance, {})]);
  await gpu.run(program, 0, 2);
  gpu.write(frame.control, [0, 2]);
  assertEquals(await gpu.run(program, 2, 3), 0);
  assertEquals([...await gpu.read(frame.ages)], [2, 2]);
  gpu.write(frame.control, [0, 0]);
  assertEquals(await gpu.run(program, 2, 3), 3);
  assertEquals([...await gpu.read(frame.ages)], [5, 5]);
});

onGpu("the end of a run is known even after many later runs", async (gpu) => {
  const frame = frameOn(gpu);
  const program = gpu.prepare(frame, [call(advance, {})]);
  const runs = Array.from({ length: 1000 }, (_, i) => gpu.run(program, i, 1 + i % 3));
  assertEquals(await Promise.all(runs), runs.map((_, i) => 1 + i % 3));
});

onGpu(
  "copies that are not awaited arrive in order, each with the values of its moment",
  async (gpu) => {
    const frame = frameOn(gpu);
    const { positions, velocities, move } = moving(gpu);
    const program = gpu.prepare(frame, [call(drift, move), call(advance, {})]);
    const seen: number[][] = [], came: number[] = [];
    const all = Array.from({ length: 300 }, async (_, step) => {
      if (step === 100) gpu.write(velocities, Array(9).fill(-1));
      gpu.run(program, step, 1);
      const [x, ages] = await gpu.readLate([positions, frame.ages]);
      seen[step] = [x[0]!, x[3]!, ages[1]!];
      came.push(step);
    });
    await Promise.all(all);
    const at = (step: number) => step < 100 ? step + 1 : 199 - step;
    assertEquals(seen, seen.map((_, step) => [at(step), 2 * at(step), step + 1]));
    assertEquals(came, came.map((_, step) => step));
  },
);

/** Atoms that fall towards a point until far more are within reach than a list begins with; and two that stand still. */
function collapse(gpu: WebGpuBackend, isLarge: boolean) {
  const side = 6, atoms = side ** 3;
  const frame = frameOn(gpu, [0, 1, 1 + atoms, 3 + atoms]);
  const grid = Array.from({ length: atoms }, (_, i) => {
    return [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
  }).flat().map((x) => 3 * (x - side / 2 + 0.5));
  const real = (values: number[]) => filled(gpu, "real", values) as Buffer<"real">;
  const positions = real([0, 0, 0, ...grid, 1, 1, 1, 1, 1, 4]);
  const velocities = real([0, 0, 0, ...grid.map((x) => -0.08 * x), 0, 0, 0, 0, 0, 0]);
  const cell = real(Array(27).fill(0)), dt = real([1, 1, 1]);
  const pbc = filled(gpu, "i32", Array(9).fill(0)) as Buffer<"i32">;
  const sums = {
    forces: gpu.alloc("real", 3 * (atoms + 3)),
    energy: gpu.alloc("f64", 3),
    virial: gpu.alloc("f64", 27),
  };
  const pairs = gpu.pairs(frame, { cutoff: 4, skin: 0.5 });
  if (isLarge) (pairs as GpuPairs).grow(400);
  const program = gpu.prepare(frame, [
    call(drift, { positions, velocities, dt, fraction: 1 }),
    call(neighbors, { pairs, positions, cell, pbc, images: undefined }),
    call(clear, sums),
    call(lennardJones.kernel, {
      pairs,
      positions,
      cell,
      images: undefined,
      species: undefined,
      parameters: real([1, 1, 16, 0]),
      ...sums,
      switchWidth: 0,
      want: 3,
    }),
    call(advance, {}),
  ]);
  return { frame, positions, velocities, ...sums, pairs: pairs as GpuPairs, program };
}

onGpu("a list that is too short blocks all later work until it has grown", async (gpu) => {
  const trace = async (isLarge: boolean) => {
    const { frame, positions, velocities, forces, energy, pairs, program } = collapse(gpu, isLarge);
    const begun = pairs.capacity;
    const all = Array.from({ length: 9 }, async (_, step) => {
      if (step === 6) gpu.write(velocities, [9]); // may only be seen by later steps
      gpu.run(program, step, 1);
      return (await gpu.readLate([positions, forces, energy, frame.ages])).map((
        values,
      ) => [...values]);
    });
    return { seen: await Promise.all(all), hasGrown: pairs.capacity > begun };
  };
  const grown = await trace(false), large = await trace(true);
  assertEquals([grown.hasGrown, large.hasGrown], [true, false]);
  assertEquals(grown.seen, large.seen);
  assertEquals(grown.seen[8]![3], [9, 9, 9]);
});

onGpu("a run of many steps resumes at the step at which its list was too short", async (gpu) => {
  const trace = async (isLarge: boolean) => {
    const { frame, positions, forces, virial, program } = collapse(gpu, isLarge);
    const done = await gpu.run(program, 0, 9);
    const values = await gpu.viewOrRead([positions, forces, virial, frame.ages]);
    return [[done], ...values.map((values) => [...values])];
  };
  assertEquals(await trace(false), await trace(true));
});

onGpu("work between is repeated together with work that a list blocked", async (gpu) => {
  const trace = async (isLarge: boolean, waits: boolean) => {
    const { frame, positions, velocities, forces, program } = collapse(gpu, isLarge);
    // As a session of a model would: reads what the kernels wrote, writes what they read, takes its time.
    const given = gpu.alloc("real", forces.length), elsewhere = gpu.alloc("real", forces.length);
    const kicked = gpu.prepare(frame, [
      call(drift, {
        positions: velocities,
        velocities: given,
        fraction: 1,
        dt: filled(gpu, "real", [1e-3, 1e-3, 1e-3]) as Buffer<"real">,
      }),
    ]);
    let visits = 0;
    const copy = async () => {
      visits++;
      gpu.adopt(frame, given, gpu.memoryOf(elsewhere));
      await new Promise((resolve) => setTimeout(resolve, 0));
      const encoder = gpu.device.createCommandEncoder();
      const [from, to] = [gpu.memoryOf(forces), gpu.memoryOf(elsewhere)];
      encoder.copyBufferToBuffer(from, 0, to, 0, 4 * forces.length);
      gpu.device.queue.submit([encoder.finish()]);
    };
    const all = [];
    for (let step = 0; step < 9; step++) {
      gpu.run(program, step, 1);
      await gpu.runExternal(frame, copy);
      gpu.run(kicked, step, 1);
      const seen = gpu.readLate([positions, velocities, forces, frame.ages]);
      if (waits) await seen;
      all.push(seen);
    }
    const seen = (await Promise.all(all)).map((values) => values.map((one) => [...one]));
    return { seen, visits };
  };
  const [grown, large] = [await trace(false, false), await trace(true, true)];
  assertEquals(grown.seen, large.seen);
  assert(grown.seen[8]!.flat().every(Number.isFinite));
  assert(new Set(grown.seen.map(([, velocities]) => velocities![3])).size === 9);
  assertEquals(large.visits, 9);
  assert(grown.visits > 9, `${grown.visits} visits`);
});

onGpu(
  "lists of two batches that are too short at the same time both grow",
  async (gpu) => {
    const crowded = () => {
      const atoms = 216, frame = frameOn(gpu, [0, atoms]);
      const grid = Array.from({ length: atoms }, (_, i) => [i % 6, Math.floor(i / 6) % 6, i / 36]);
      const positions = filled(gpu, "real", grid.flat().map(Math.floor)) as Buffer<"real">;
      const cell = gpu.alloc("real", 9), pbc = gpu.alloc("i32", 3);
      const pairs = gpu.pairs(frame, { cutoff: 4, skin: 0.5 });
      const listed = call(neighbors, { pairs, positions, cell, pbc, images: undefined });
      const aged = call(advance, {});
      return { frame, first: gpu.prepare(frame, [listed, aged]), next: gpu.prepare(frame, [aged]) };
    };
    const [one, other] = [crowded(), crowded()];
    await gpu.read(other.frame.ages);
    const pause = (milliseconds: number) => new Promise<void>((go) => setTimeout(go, milliseconds));
    const ages = async ({ frame }: typeof one) => (await gpu.readLate([frame.ages]))[0][0];
    let visits = 0;
    gpu.run(one.first, 0, 1);
    const seen = [ages(one)];
    await gpu.runExternal(one.frame, () => ++visits > 1 ? pause(150) : Promise.resolve());
    gpu.run(one.next, 1, 1);
    seen.push(ages(one));
    gpu.run(other.first, 0, 1);
    seen.push(ages(other));
    gpu.flush();
    while (visits < 2) await pause(5);
    await pause(50); // the other batch is through by then, were it not in line
    gpu.run(one.next, 2, 1);
    seen.push(ages(one));
    gpu.flush();
    assertEquals(await Promise.all(seen), [1, 2, 1, 3]);
    assertEquals(visits, 2);
  },
);

onGpu("pair lists beyond the memory of the device are rejected with their size", (gpu) => {
  const { pairs } = collapse(gpu, false);
  const refusal = "Cannot find pairs up to 4.5 Å";
  const error = assertThrows(() => pairs.grow(1e9), BackendUnavailableError, refusal);
  assertEquals(error.reason, "memory");
});

testOnGpu("a lost device is reported to pending and later calls", async () => {
  const backend = await openWebGpu();
  const frame = frameOn(backend);
  const { positions, move } = moving(backend);
  const program = backend.prepare(frame, [call(drift, move)]);
  await backend.run(program, 0, 1);
  backend.device.destroy();
  const error = await assertRejects(() => backend.read(positions), BackendUnavailableError);
  assertEquals([error.backend, error.reason], ["webgpu", "lost"]);
  await assertRejects(async () => await backend.run(program, 0, 1), BackendUnavailableError);
  backend.dispose();
});

testOnGpu("disposing of a backend rejects pending calls", async () => {
  const backend = await openWebGpu({ device });
  const { velocities, forces, program } = collapse(backend, false);
  const run = backend.run(program, 0, 9);
  backend.write(velocities, [9]); // waits for the run
  const waiting = [backend.read(forces), backend.readLate([velocities]), run];
  const told = waiting.map((one) => assertRejects(async () => await one, Error, "disposed of"));
  backend.dispose();
  await Promise.all(told);
});

testOnGpu("a passed device is kept, and the backend's own device is destroyed", async () => {
  const shared = await openWebGpu({ device });
  shared.dispose();
  const after = await openWebGpu({ device });
  assertEquals([...await after.read(filled(after, "i32", [1]))], [1]);
  after.dispose();
  const own = await openWebGpu();
  own.dispose();
  assertEquals((await own.device.lost).reason, "destroyed");
});

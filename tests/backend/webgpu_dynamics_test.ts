/**
 * Many steps on a device without waiting: the same results as in TypeScript, observed in their own steps.
 */
import { assert, assertEquals } from "@std/assert";
import { type Backend, type Buffer, call, type Program } from "../../src/backend/mod.ts";
import { openWebGpu, type WebGpuBackend } from "../../src/backend/webgpu/mod.ts";
import type { ContextAt, FieldValues, StateSource } from "../../src/hooks/mod.ts";
import { advance } from "../../src/kernels/integrate/advance.ts";
import { clear } from "../../src/kernels/clear.ts";
import { ACCELERATION } from "../../src/kernels/constants.ts";
import { fmax } from "../../src/kernels/measure/fmax.ts";
import { kickDrift } from "../../src/kernels/integrate/kick_drift.ts";
import { kick } from "../../src/kernels/integrate/kick.ts";
import { kineticEnergy } from "../../src/kernels/measure/kinetic_energy.ts";
import { lennardJones } from "../../src/models/pair/lennard_jones.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";
import { work, WorkStage } from "../hooks/kit.ts";
import { assertNear, Lab, normals } from "../kernels/lab.ts";
import { testOnGpu } from "./gpu.ts";
import { fast, slow } from "../suite.ts";

/** Crystals of argon of these many cells along each side, that are not at rest. */
async function argon(name: string, sides: readonly number[]) {
  const sizes = sides.map((side) => 4 * side ** 3);
  const lab = await Lab.open(name, sizes);
  const places = sides.flatMap((side) =>
    Array.from({ length: side ** 3 }, (_, i) => {
      const at = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
      return [[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]].map((base) =>
        at.map((n, k) => Math.fround(5.26 * (n + base[k]!)))
      );
    }).flat(2)
  );
  const atoms = places.length / 3;
  const none = (count: number) => Array(count).fill(0);
  const state = {
    positions: lab.real(places),
    velocities: lab.real(normals(3 * atoms, 1, 1e-3)),
    forces: lab.real(none(3 * atoms)),
    weights: lab.real(Array(atoms).fill(Math.fround(ACCELERATION / 39.95))),
    dt: lab.real(sides.map((_, s) => 2 + s)),
    low: lab.real(none(3 * atoms)),
  };
  const { positions, velocities, forces, weights, dt } = state;
  const sums = {
    forces,
    energy: lab.f64(none(sides.length)),
    virial: lab.f64(none(9 * sides.length)),
  };
  const cell = lab.real(sides.flatMap((side) => {
    const a = Math.fround(5.26 * side);
    return [a, 0, 0, 0, a, 0, 0, 0, a];
  }));
  const pairs = lab.backend.pairs(lab.frame, { cutoff: 6, skin: 1 });
  const place = { pairs, positions, cell };
  const parameters = lab.real(
    [4 * 0.0104 * 3.4 ** 12, 4 * 0.0104 * 3.4 ** 6, 36, 0].map(Math.fround),
  );
  const evaluate = [
    call(neighbors, { ...place, pbc: lab.i32(Array(3 * sides.length).fill(1)) }),
    call(clear, sums),
    call(lennardJones.kernel, { ...place, parameters, ...sums, switchWidth: 1, want: 1 }),
  ];
  const kinetic = lab.f64(none(sides.length)), largest = lab.f64(none(sides.length));
  const measure = [
    call(kineticEnergy, { velocities, weights, kinetic }),
    call(fmax, { forces, fmax: largest }),
  ];
  const last = call(kick, { velocities, forces, weights, dt });
  return {
    lab,
    ...state,
    ...sums,
    kinetic,
    largest,
    begin: lab.backend.prepare(lab.frame, [...evaluate, ...measure]),
    step: lab.backend.prepare(lab.frame, [
      call(kickDrift, state),
      ...evaluate,
      last,
      call(advance, {}),
      ...measure,
    ]),
  };
}

fast(testOnGpu)(
  "200 steps of NVE conserve the energy, and agree with the reference backend",
  async () => {
    const found: number[][][] = [], totals: number[][][] = [];
    for (const name of ["reference", "webgpu"]) {
      const crystals = await argon(name, [2, 3]);
      using lab = crystals.lab;
      const { begin, step, energy, kinetic, positions, velocities } = crystals;
      const total = async () => {
        const [e, k] = await lab.readAll([energy, kinetic]);
        return e!.map((value, s) => value + k![s]!);
      };
      await lab.backend.run(begin, 0, 1);
      const before = await total();
      assertEquals(await lab.backend.run(step, 0, 200), 200);
      totals.push([before, await total()]);
      found.push(await lab.readAll([positions, velocities, energy]));
    }
    const [exact, fast] = found as [number[][], number[][]];
    assertNear(fast[0]!, exact[0]!, 1e-5, 10);
    assertNear(fast[1]!, exact[1]!, 1e-3, 1e-3);
    assertNear(fast[2]!, exact[2]!, 1e-6);
    // The kinetic energy is thousands of times what may be off.
    for (const [before, after] of totals) assertNear(after!, before!, 2e-5);
  },
);

/** Values that hooks read of argon on a device. */
class Measured implements StateSource {
  readonly fields = ["heights", "depths"];
  readonly #gpu: WebGpuBackend;
  readonly #buffers: Readonly<Record<string, Buffer<"f64">>>;

  constructor(gpu: Backend, heights: Buffer<"f64">, depths: Buffer<"f64">) {
    this.#gpu = gpu as WebGpuBackend;
    this.#buffers = { heights, depths };
  }

  plan(fields: readonly string[]) {
    const buffers = fields.map((field) => this.#buffers[field]!);
    const fetch = async (): Promise<FieldValues> => {
      const values = await this.#gpu.readLate(buffers);
      return Object.fromEntries(fields.map((field, i) => [field, values[i]]));
    };
    return { live: false as const, fetch };
  }

  writable(): never {
    throw new Error("not here");
  }
}

type Seen = ContextAt<typeof WorkStage, "AFTER", readonly ["heights", "depths"]>;

/** Values that an observer of each step reads; `isWaiting`: as one that waits at each. */
async function observe(steps: number, isWaiting: boolean): Promise<(readonly number[])[]> {
  const { lab, begin, step, energy, largest } = await argon("webgpu", [3]);
  using _lab = lab;
  const gpu = lab.backend;
  await gpu.run(begin, 0, 1);
  const seen: (readonly number[])[] = [];
  const run = (program: Program, first: number) => void gpu.run(program, first, 1);
  const loop = work({
    state: new Measured(gpu, energy, largest),
    step: (loop) => {
      run(step, loop.stepCount);
      return loop.fire("work/AFTER");
    },
  });
  loop.hooks.add({
    stage: WorkStage.AFTER,
    frequency: 1,
    sync: isWaiting,
    reads: ["heights", "depths"] as const,
    call: (ctx: Seen) => void seen.push([ctx.stepCount, ctx.read.heights[0]!, ctx.read.depths[0]!]),
  });
  await loop.run(steps);
  return seen;
}

slow(testOnGpu)(
  "an observer that is not awaited sees the values of each step in order",
  async () => {
    const [late, waited] = [await observe(150, false), await observe(150, true)];
    assertEquals(late, waited);
    assertEquals(late.map(([step]) => step), Array.from({ length: 150 }, (_, i) => i));
    assert(new Set(late.map(([, energy]) => energy)).size > 100);
  },
);

fast(testOnGpu)("long observation takes no more memory than short", async () => {
  const gpu = await openWebGpu();
  const made: number[] = [];
  const create = gpu.device.createBuffer.bind(gpu.device);
  gpu.device.createBuffer = (descriptor) => {
    made.push(descriptor.size);
    return create(descriptor);
  };
  const buffer = gpu.alloc("real", 10);
  const before = made.length;
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 64 }, () => gpu.readLate([buffer])));
  }
  assertEquals(made.length - before, 64);
  gpu.dispose();
});

import { assertEquals } from "@std/assert";
import { call } from "../../src/backend/mod.ts";
import { criterion, Level, Reduce } from "../../src/kernels/converge/criterion.ts";
import { graduate } from "../../src/kernels/converge/graduate.ts";
import { Control } from "../../src/kernels/kernel.ts";
import { Lab, onEach } from "./lab.ts";

interface Question {
  sizes?: number[];
  active?: number[];
  values: number[];
  dtype?: "real" | "f64";
  width: number;
  level: number;
  reduce: number;
  threshold: number;
}

/** Returns the systems that meet a criterion. */
async function ask(backend: string, question: Question): Promise<number[]> {
  const { sizes = [2, 1], active = sizes.map(() => 1), values, width, level } = question;
  using lab = await Lab.open(backend, sizes, { active });
  const met = lab.i32(sizes.map(() => 1));
  const { reduce, threshold } = question;
  const isReal = question.dtype === "real";
  const real = isReal ? lab.real(values) : undefined, f64 = isReal ? undefined : lab.f64(values);
  await lab.run([call(criterion, { real, f64, width, level, reduce, threshold, met })]);
  return await lab.read(met);
}

onEach(
  "criterion compares the largest force of a system with the threshold, inclusively",
  async (backend) => {
    const values = [0, 0, 1, 3, 4, 0, 0, -5, 0];
    const forces = { values, width: 3, level: Level.NODE, reduce: Reduce.NORM };
    for (const dtype of ["real", "f64"] as const) {
      assertEquals(await ask(backend, { ...forces, dtype, threshold: 5 }), [1, 1]);
      assertEquals(await ask(backend, { ...forces, dtype, threshold: 4.9 }), [0, 0]);
      assertEquals(await ask(backend, { ...forces, dtype, sizes: [1, 2], threshold: 1 }), [1, 0]);
    }
  },
);

onEach("criterion supports each reduction", async (backend) => {
  const row = [-3, 1, 2];
  const expected: [number, number][] = [
    [Reduce.NONE, 2],
    [Reduce.MIN, -3],
    [Reduce.MAX, 2],
    [Reduce.NORM, Math.sqrt(14)],
    [Reduce.MEAN, 0],
    [Reduce.SUM, 0],
  ];
  const last = backend === "webgpu" ? 1e-13 : 0; // sums have 48 bits there
  for (const [reduce, value] of expected) {
    const system = { sizes: [1], values: row, width: 3, level: Level.SYSTEM, reduce };
    assertEquals(await ask(backend, { ...system, threshold: value + last }), [1]);
    assertEquals(await ask(backend, { ...system, threshold: value - 1e-9 }), [0]);
  }
});

onEach("criterion takes the largest row of a system's matrix", async (backend) => {
  const values = [1, 0, 0, 0, 2, 0, 0, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1];
  const rows = { values, width: 3, level: Level.SYSTEM, reduce: Reduce.NORM, threshold: 2 };
  assertEquals(await ask(backend, rows), [0, 1]);
  assertEquals(await ask(backend, { ...rows, width: 9, threshold: 3 }), [0, 1]);
});

onEach("criterion is never met by NaN", async (backend) => {
  for (const reduce of Object.values(Reduce)) {
    for (const dtype of ["real", "f64"] as const) {
      const values = [NaN, 0, 0, 0, NaN, 0, 0, 0, 0];
      const forces = { values, dtype, width: 3, level: Level.NODE, reduce, threshold: 1e300 };
      assertEquals(await ask(backend, forces), [0, 1], `reduction ${reduce}`);
      assertEquals(await ask(backend, { ...forces, sizes: [1, 2] }), [0, 0], `reduction ${reduce}`);
    }
  }
});

onEach(
  "criterion ignores inactive systems, and several criteria must all be met",
  async (backend) => {
    const energy = { values: [5, 5], width: 1, level: Level.SYSTEM, reduce: Reduce.NONE };
    assertEquals(await ask(backend, { ...energy, active: [1, 0], threshold: 1 }), [0, 1]);
    using lab = await Lab.open(backend, [1, 1, 1]);
    const met = lab.i32([1, 1, 1]);
    const common = { width: 1, level: Level.SYSTEM, reduce: Reduce.NONE, threshold: 0, met };
    await lab.run([
      call(criterion, { ...common, real: undefined, f64: lab.f64([1, 0, 0]) }),
      call(criterion, { ...common, real: lab.real([0, 0, 1]), f64: undefined }),
    ]);
    assertEquals(await lab.read(met), [0, 1, 0]);
  },
);

/** Returns the results for systems in a run that would continue for three steps. */
async function judge(backend: string, given: {
  met: number[];
  status?: number[];
  active?: number[];
  source?: number;
  target?: number;
  stop?: number;
}) {
  const { met, status = met.map(() => 0), active = met.map(() => 1) } = given;
  const { source = -1, target = -1, stop = 1 } = given;
  using lab = await Lab.open(backend, met.map(() => 1), { active });
  const buffers = {
    met: lab.i32(met),
    converged: lab.i32(met.map(() => 1)),
    status: lab.i32(status),
  };
  const steps = await lab.run([call(graduate, { ...buffers, source, target, stop })], 1);
  const all = { ...buffers, active: lab.frame.active, control: lab.frame.control };
  const values = await lab.readAll(Object.values(all));
  const read = Object.keys(all).map((name, i) => [name, values[i]!] as const);
  return { steps, ...Object.fromEntries(read) as Record<keyof typeof all, number[]> };
}

onEach(
  "graduate deactivates systems that met all criteria, and reports them for one step",
  async (backend) => {
    const found = await judge(backend, { met: [1, 0, 1], active: [1, 1, 0] });
    assertEquals(found.converged, [1, 0, 0]);
    assertEquals(found.active, [0, 1, 0]);
    assertEquals(found.met, [1, 1, 1]);
    assertEquals(found.status, [0, 0, 0]);
    assertEquals(found.control[Control.HALT], 1);
  },
);

onEach("graduate does not halt if no system converged", async (backend) => {
  const found = await judge(backend, { met: [0, 0] });
  assertEquals(found.converged, [0, 0]);
  assertEquals(found.active, [1, 1]);
  assertEquals(found.control[Control.HALT], 0);
});

onEach(
  "graduate moves systems from one status to another without stopping them",
  async (backend) => {
    const found = await judge(backend, {
      met: [1, 1, 0],
      status: [0, 3, 0],
      source: 0,
      target: 2,
      stop: 0,
    });
    assertEquals(found.status, [2, 3, 0]);
    assertEquals(found.converged, [1, 0, 0]);
    assertEquals(found.active, [1, 1, 1]);
  },
);

onEach(
  "graduate ends a run of many steps after the step in which a system converged",
  async (backend) => {
    using lab = await Lab.open(backend, [1, 1]);
    const energy = lab.f64([2, 1]), met = lab.i32([1, 1]);
    const converged = lab.i32([0, 0]), status = lab.i32([0, 0]);
    const steps = await lab.run([
      call(criterion, {
        real: undefined,
        f64: energy,
        width: 1,
        level: Level.SYSTEM,
        reduce: Reduce.NONE,
        threshold: 1,
        met,
      }),
      call(graduate, { met, converged, status, source: -1, target: -1, stop: 1 }),
    ], 10);
    assertEquals([steps, await lab.read(converged)], [1, [0, 1]]);
  },
);

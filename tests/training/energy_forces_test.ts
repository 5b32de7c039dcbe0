/** Losses on energies, forces and stresses against their meaning, by differences. */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { GraphBuilder } from "../../src/onnx/mod.ts";
import {
  energyForces,
  type EnergyForcesOptions,
  potentialErrors,
  sgd,
  Trainer,
} from "../../src/training/mod.ts";

// All of it as float32 has it.
const POSITIONS = [0, 0, 0, 1.1, 0.2, -0.1, 0.3, 1.2, 0.4].map(Math.fround);
/** Pairs both ways, over faces of the cell too; a shift for each. */
const PAIRS = [[0, 1], [1, 0], [1, 2], [2, 1], [0, 2], [2, 0]] as const;
const SHIFTS = [0, 0, 0, 0, 0, 0, 3, 0, 0, -3, 0, 0, 0, 0.5, 4, 0, -0.5, -4];
const CELL = [3, 0, 0, 0, 3.5, 0, 0, 0.5, 4];
const W = Math.fround(0.7);

/** E = w Σ over pairs of cos |d|²: no symmetry that would hide a mistake. */
function energyOf(positions: readonly number[], shifts: readonly number[], w = W): number {
  let energy = 0;
  for (const [e, [i, j]] of PAIRS.entries()) {
    let square = 0;
    for (let k = 0; k < 3; k++) {
      square += (positions[3 * j + k]! - positions[3 * i + k]! + shifts[3 * e + k]!) ** 2;
    }
    energy += w * Math.cos(square);
  }
  return energy;
}

function model(areMany = false): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("pairs");
  const positions = builder.input("positions", "f32", ["N", 3]);
  const edges = builder.input("edge_index", "i64", [2, "E"]);
  const shifts = builder.input("shifts", "f32", ["E", 3]);
  const systems = builder.input("batch_idx", "i64", ["N"]);
  const w = builder.parameter("w", [W], [1]);
  const ends = (row: number) => builder.gather(edges, builder.constant("i64", row));
  const at = (row: number) => builder.gather(positions, ends(row));
  const d = builder.add(builder.sub(at(1), at(0)), shifts);
  const square = builder.reduceSum(builder.mul(d, d), [1]);
  const cosines = builder.op("Cos", [square], "f32");
  const sum = areMany
    ? builder.scatterAdd(
      builder.input("energy0", "f32", ["B"]),
      builder.gather(systems, ends(0)),
      cosines,
    )
    : builder.reduceSum(cosines, [0], true);
  builder.output("energy", builder.mul(sum, w), [areMany ? "B" : 1]);
  return builder.build();
}

/** −dE/dx, and dE/dε / V, by differences. */
function slopes(): { readonly forces: number[]; readonly stress: number[] } {
  const h = 1e-5;
  const forces = POSITIONS.map((_, a) => {
    const moved = (by: number) => energyOf(POSITIONS.map((x, i) => i === a ? x + by : x), SHIFTS);
    return -(moved(h) - moved(-h)) / (2 * h);
  });
  const [a, b, c] = [CELL.slice(0, 3), CELL.slice(3, 6), CELL.slice(6)] as [
    number[],
    number[],
    number[],
  ];
  const volume = a[0]! * (b[1]! * c[2]! - b[2]! * c[1]!);
  const stress = Array.from({ length: 9 }, (_, k) => {
    const [row, column] = [Math.floor(k / 3), k % 3];
    // r → r + r·ε
    const strained = (xs: readonly number[], by: number) =>
      xs.map((x, i) => i % 3 === column ? x + by * xs[i - column + row]! : x);
    const energy = (by: number) => energyOf(strained(POSITIONS, by), strained(SHIFTS, by));
    return (energy(h) - energy(-h)) / (2 * h) / volume;
  });
  return { forces, stress };
}

/** The mean square of what is off the targets, and its slope by w: everything is w times something. */
function meanSquare(values: readonly number[], targets: readonly number[]): [number, number] {
  let [mean, slope] = [0, 0];
  for (const [i, value] of values.entries()) {
    const off = value - targets[i]!;
    mean += off * off / values.length;
    slope += 2 * off * (value / W) / values.length;
  }
  return [mean, slope];
}

const ENERGY_TARGET = [1.5];
const FORCES_TARGET = POSITIONS.map((_, i) => Math.fround(0.1 * i));
const STRESS_TARGET = CELL.map((_, i) => Math.fround(0.02 * (i - 4)));
const BATCH = {
  positions: { data: Float32Array.from(POSITIONS), dims: [3, 3] },
  edge_index: {
    data: BigInt64Array.from([0, 1].flatMap((k) => PAIRS.map((pair) => BigInt(pair[k]!)))),
    dims: [2, PAIRS.length],
  },
  shifts: { data: Float32Array.from(SHIFTS), dims: [PAIRS.length, 3] },
  batch_idx: { data: new BigInt64Array(3), dims: [3] },
  cell: { data: Float32Array.from(CELL), dims: [1, 3, 3] },
  energy_target: { data: Float32Array.from(ENERGY_TARGET), dims: [1] },
  forces_target: { data: Float32Array.from(FORCES_TARGET), dims: [3, 3] },
  stress_target: { data: Float32Array.from(STRESS_TARGET), dims: [1, 3, 3] },
  atoms: { data: Float32Array.of(3), dims: [1] },
};

/** The loss of one step, and w behind it. */
async function oneStep(options: EnergyForcesOptions): Promise<{ loss: number; w: number }> {
  await using trainer = new Trainer({
    model: model(),
    loss: energyForces(options),
    optimizers: sgd({ lr: 0.01 }),
    device: "reference",
  });
  const { loss } = await trainer.step({ feeds: BATCH, size: 1 });
  return { loss, w: (await trainer.parameter("w"))[0]! };
}

const PARTS = {
  energy: meanSquare([energyOf(POSITIONS, SHIFTS)], ENERGY_TARGET),
  forces: meanSquare(slopes().forces, FORCES_TARGET),
  stress: meanSquare(slopes().stress, STRESS_TARGET),
};

for (const part of ["energy", "forces", "stress"] as const) {
  Deno.test(`a loss on ${part} alone, and its slope by a parameter, are what differences say`, async () => {
    const [mean, slope] = PARTS[part];
    assert(Math.abs(slope) > 1e-4, "the case says something");
    const none = { energy: 0, forces: 0, stress: 0 };
    const { loss, w } = await oneStep({ ...none, [part]: 2 });
    assertAlmostEquals(loss, 2 * mean, 1e-6 * Math.max(1, mean));
    assertAlmostEquals(w, W - 0.01 * 2 * slope, 1e-6);
  });
}

Deno.test("energies, forces and stresses add up by their weights, which may follow the step", async () => {
  const { loss } = await oneStep({ energy: 1, forces: (step) => 3 + step, stress: 5 });
  const { energy, forces, stress } = PARTS;
  assertAlmostEquals(loss, energy[0] + 3 * forces[0] + 5 * stress[0], 1e-6 * loss);
});

Deno.test("energies per atom are compared per atom", async () => {
  const { loss } = await oneStep({ energy: 1, forces: 0, perAtom: true });
  assertAlmostEquals(loss, PARTS.energy[0] / 9, 1e-6 * loss);
});

/** Two copies of the system with weights; what the second one lacks must not count. */
const TWO = {
  ...BATCH,
  positions: { data: Float32Array.from([...POSITIONS, ...POSITIONS]), dims: [6, 3] },
  edge_index: {
    data: BigInt64Array.from(
      [0, 1].flatMap((k) => [0, 3].flatMap((n) => PAIRS.map((pair) => BigInt(pair[k]! + n)))),
    ),
    dims: [2, 2 * PAIRS.length],
  },
  shifts: { data: Float32Array.from([...SHIFTS, ...SHIFTS]), dims: [2 * PAIRS.length, 3] },
  batch_idx: { data: BigInt64Array.of(0n, 0n, 0n, 1n, 1n, 1n), dims: [6] },
  energy0: { data: new Float32Array(2), dims: [2] },
  cell: { data: Float32Array.from([...CELL, ...new Array(9).fill(0)]), dims: [2, 3, 3] }, // a molecule
  energy_target: { data: Float32Array.of(...ENERGY_TARGET, 7), dims: [2] },
  forces_target: {
    data: Float32Array.from([...FORCES_TARGET, ...new Array(9).fill(5)]),
    dims: [6, 3],
  },
  stress_target: {
    data: Float32Array.from([...STRESS_TARGET, ...new Array(9).fill(0)]),
    dims: [2, 3, 3],
  },
  atoms: { data: Float32Array.of(3, 3), dims: [2] },
};

for (const part of ["energy", "forces", "stress"] as const) {
  Deno.test(`${part} with weight 0 do not count, and others count by their weights`, async () => {
    const [mean, slope] = PARTS[part], none = { energy: 0, forces: 0, stress: 0 };
    const rows = part === "forces" ? [0.5, 0.5, 0.5, 0, 0, 0] : [0.5, 0];
    const weight = { data: Float32Array.from(rows), dims: [rows.length] };
    await using trainer = new Trainer({
      model: model(true),
      loss: energyForces({ ...none, [part]: 2, weighted: true }),
      metrics: potentialErrors({
        energy: part === "energy",
        forces: part === "forces",
        stress: part === "stress" && "GPa",
        weighted: true,
      }),
      optimizers: sgd({ lr: 0.01 }),
      device: "reference",
    });
    const feeds = { ...TWO, [`${part}_weight`]: weight };
    const { loss, metrics } = await trainer.step({ feeds, size: 2 });
    assertAlmostEquals(loss, 0.5 * 2 * mean, 1e-6 * Math.max(1, mean));
    assertAlmostEquals((await trainer.parameter("w"))[0]!, W - 0.01 * slope, 1e-6);
    const [scale, unit] = {
      energy: [1 / 3, 1000],
      forces: [1, 1000],
      stress: [1, 160.2176634],
    }[part]!;
    const rmse = Math.sqrt(mean) * scale! * unit!;
    assertAlmostEquals(metrics[`${part}RMSE`]!, rmse, 1e-5 * rmse);
    const all = [energyOf(POSITIONS, SHIFTS)], { forces, stress } = slopes();
    const [values, targets] = {
      energy: [all, ENERGY_TARGET],
      forces: [forces, FORCES_TARGET],
      stress: [stress, STRESS_TARGET],
    }[part]!;
    const sum = values!.reduce((sum, value, i) => sum + Math.abs(value - targets![i]!), 0);
    const mae = sum / values!.length * scale! * unit!;
    assertAlmostEquals(metrics[`${part}MAE`]!, mae, 1e-5 * mae);
  });
}

Deno.test("a batch in which nothing has a target makes a loss of 0, and moves nothing", async () => {
  await using trainer = new Trainer({
    model: model(true),
    loss: energyForces({ forces: 0, weighted: true }),
    optimizers: sgd({ lr: 0.01 }),
    device: "reference",
  });
  const feeds = { ...TWO, energy_weight: { data: new Float32Array(2), dims: [2] } };
  const { loss } = await trainer.step({ feeds, size: 2 });
  assertEquals([loss, (await trainer.parameter("w"))[0]], [0, W]);
});

Deno.test("errors of a potential without weights, in their units", async () => {
  await using trainer = new Trainer({
    model: model(),
    loss: energyForces({ stress: 1 }),
    metrics: potentialErrors({ stress: "meV/Å³" }),
    optimizers: sgd({ lr: 0.01 }),
    device: "reference",
  });
  const { metrics } = await trainer.step({ feeds: BATCH, size: 1 });
  const { energy, forces, stress } = PARTS;
  for (
    const [name, wanted] of Object.entries({
      energyMAE: 1000 * Math.sqrt(energy[0]) / 3, // a single number
      energyRMSE: 1000 * Math.sqrt(energy[0]) / 3,
      forcesRMSE: 1000 * Math.sqrt(forces[0]),
      stressRMSE: 1000 * Math.sqrt(stress[0]),
    })
  ) assertAlmostEquals(metrics[name]!, wanted, 1e-5 * wanted, name);
  assertThrows(() => potentialErrors({ stress: "kbar" as never }), RangeError, "meV");
  assertThrows(() => potentialErrors({ force: true } as never), TypeError, "force");
});

Deno.test("weights that make no loss are refused", () => {
  assertThrows(() => energyForces({ energy: 0, forces: 0 }), RangeError, "above 0");
  assertThrows(
    () => energyForces({ energy: -1 }),
    RangeError,
    "energy must be 0 or more and finite",
  );
  assertThrows(() => energyForces({ force: 1 } as never), TypeError, "forces");
});

/**
 * The runs of ase_runs.py, by Hooke, and the comparison of both.
 *
 * @module
 */

import {
  Batch,
  ConvergenceHook,
  hook,
  LBFGS,
  NVE,
  type System,
  type SystemInput,
} from "@hooke/hooke";
import { OnnxModel } from "@hooke/hooke/models/onnx";
import { adam, fineTune } from "@hooke/hooke/training";
import type { AseRuns } from "./ase.ts";
import type { Drift, Errors, Relaxation, Relaxed, Start, Tuning } from "./figures.ts";

/** Steps that are enough for all relaxations; the same as in ase_runs.py. */
const RELAX_STEPS = 400;

/** Relaxes as ASE did, by L-BFGS with ASE's defaults. */
export async function relaxations(
  path: string,
  { cases }: AseRuns["relax"],
): Promise<Relaxation[]> {
  await using model = await OnnxModel.open(path, {
    stress: true,
    verify: false,
    runtime: "web",
  });
  const found: Relaxation[] = [];
  for (const { label, cell, fmax, start, end, energy, steps, converged } of cases) {
    const batch = Batch.from([inputOf(start)]);
    await using relaxer = new LBFGS({
      model,
      cell,
      memory: 100,
      device: "wasm",
      hooks: [ConvergenceHook.fromFmax(fmax)],
    });
    await relaxer.run(batch, RELAX_STEPS);
    const [own] = batch.systems();
    const ase = { energy: energy / start.symbols.length, lengths: lengths(end.cell) };
    found.push({
      label,
      cell,
      start: lengths(start.cell),
      ase: { ...ase, steps, converged },
      hooke: relaxed(own!, batch, relaxer.stepCount),
      apart: farthest(own!, end),
    });
  }
  return found;
}

function relaxed(own: System, batch: Batch, steps: number): Relaxed {
  return {
    energy: batch.get("energy")[0]! / own.nodeCount,
    lengths: lengths(own.cell!),
    steps,
    converged: batch.get("status")[0] === 1,
  };
}

/** Runs velocity Verlet as ASE did. */
export async function drift(
  path: string,
  { label, start, dt, energies }: AseRuns["md"],
): Promise<Drift> {
  await using model = await OnnxModel.open(path, { verify: false, runtime: "web" });
  const batch = Batch.from([inputOf(start)]);
  const own: number[] = [];
  const log = hook({
    name: "total energy",
    reads: ["energy", "kineticEnergy"],
    on: {
      dynamics: {
        BEFORE_STEP: ({ read }) => void own.push(read.energy[0]! + read.kineticEnergy[0]!),
      },
    },
  });
  await using md = new NVE({ model, dt, device: "wasm", hooks: [log] });
  await md.run(batch, energies.length);
  const atoms = start.symbols.length;
  const [ase, hooke] = [energies, own].map((list) => changes(list, atoms));
  return {
    label,
    dt,
    steps: energies.length - 1,
    ase: slope(ase!, dt),
    hooke: slope(hooke!, dt),
    apart: Math.max(...ase!.map((value, i) => Math.abs(value - hooke![i]!))),
  };
}

/** Fine-tunes as PyTorch did. */
export async function tuning(path: string, runs: AseRuns["tune"]): Promise<Tuning> {
  const frames = runs.frames.map((frame) => ({
    ...inputOf(frame),
    energy: frame.energy,
    forces: frame.forces,
  }));
  const { parameters, before, after } = await fineTune({
    model: path,
    runtime: "web",
    train: frames.slice(0, -2),
    valid: frames.slice(-2),
    elementEnergies: "keep",
    weights: { energy: runs.energy, forces: runs.forces },
    optimizers: adam({ lr: runs.lr }),
    epochs: runs.epochs,
    batchSize: frames.length - 2,
  });
  const errors = (from: Readonly<Record<string, number>>): Errors => ({
    energy: from["val/energyMAE"]!,
    forces: from["val/forcesMAE"]!,
  });
  return {
    epochs: runs.epochs,
    parameters: [runs.parameters.length, parameters.length],
    torch: { before: runs.before, after: runs.after },
    hooke: { before: errors(before!), after: errors(after!) },
  };
}

/** Returns a start as a system. */
export function inputOf({ symbols, positions, cell, pbc, velocities }: Start): SystemInput {
  const periodic = pbc.some((one) => one) ? { cell, pbc: pbc as [boolean, boolean, boolean] } : {};
  return { symbols, positions, ...periodic, ...(velocities && { velocities }) };
}

/** Returns the changes of an energy since the first, meV per atom. */
function changes(energies: readonly number[], atoms: number): number[] {
  return energies.map((energy) => 1e3 * (energy - energies[0]!) / atoms);
}

/** Returns the slope of a line of least squares through values that are dt fs apart, per ps. */
function slope(values: readonly number[], dt: number): number {
  const middle = (values.length - 1) / 2;
  let product = 0, square = 0;
  for (const [i, value] of values.entries()) {
    product += (i - middle) * value;
    square += (i - middle) ** 2;
  }
  return 1e3 * product / square / dt;
}

function lengths(cell: ArrayLike<number>): number[] {
  return [0, 3, 6].map((i) => Math.hypot(cell[i]!, cell[i + 1]!, cell[i + 2]!));
}

/** Returns the largest distance between atoms of two structures, without what moves all of them. */
function farthest(own: System, { cell, positions }: Start): number {
  const fractions = (h: ArrayLike<number>, x: ArrayLike<number>) => inCell(h, x);
  const ours = fractions(own.cell!, own.positions), theirs = fractions(cell, positions);
  const apart = ours.map((value, i) => {
    const difference = value - theirs[i]!;
    return difference - Math.round(difference);
  });
  const mean = [0, 1, 2].map((k) =>
    apart.filter((_, i) => i % 3 === k).reduce((sum, value) => sum + value, 0) / (apart.length / 3)
  );
  let most = 0;
  for (let i = 0; i < apart.length; i += 3) {
    const f = [0, 1, 2].map((k) => apart[i + k]! - mean[k]!);
    const x = [0, 1, 2].map((k) => f.reduce((sum, one, row) => sum + one * cell[3 * row + k]!, 0));
    most = Math.max(most, Math.hypot(...x));
  }
  return most;
}

/** Returns positions in parts of the lattice vectors, by Cramer's rule. */
function inCell(h: ArrayLike<number>, x: ArrayLike<number>): number[] {
  const row = (i: number) => [h[3 * i]!, h[3 * i + 1]!, h[3 * i + 2]!] as const;
  const [a, b, c] = [row(0), row(1), row(2)];
  const volume = triple(a, b, c), found: number[] = [];
  for (let i = 0; i < x.length; i += 3) {
    const at = [x[i]!, x[i + 1]!, x[i + 2]!] as const;
    found.push(triple(at, b, c) / volume, triple(a, at, c) / volume, triple(a, b, at) / volume);
  }
  return found;
}

type Vector = readonly [number, number, number];

function triple(a: Vector, b: Vector, c: Vector): number {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
    a[2] * (b[0] * c[1] - b[1] * c[0]);
}

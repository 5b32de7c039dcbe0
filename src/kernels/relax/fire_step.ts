import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  positions: "real changed",
  velocities: "real changed",
  forces: "real",
  weights: "real",
  dt: "f64 changed",
  alpha: "f64 changed",
  positive: "i32 changed",
  parameters: "f64",
  cellPositions: "real optional",
  cellVelocities: "real optional",
  cellForces: "real optional",
} as const;

/** Indices in a row of `parameters`. There is one row per system; times are in fs and lengths in Å. */
export const FireParameter = {
  /** Largest time step. */
  DT_MAX: 0,
  /** Smallest time step. */
  DT_MIN: 1,
  /** Largest displacement of an atom per step. */
  MAX_STEP: 2,
  /** Number of downhill steps before the time step grows. */
  N_MIN: 3,
  /** Factor by which an uphill step multiplies dt. */
  F_DEC: 4,
  /** Factor by which a downhill step multiplies dt. */
  F_INC: 5,
  /** Initial α, and α after an uphill step. */
  ALPHA_START: 6,
  /** Factor by which a downhill step multiplies α. */
  F_ALPHA: 7,
  /** Length of a row. */
  LENGTH: 8,
} as const;

/**
 * Does a step of the fast inertial relaxation engine (Bitzek, Koskinen, Gähler, Moseler, Gumbsch,
 * Phys. Rev. Lett. 97, 170201, 2006) for each system, with P = Σ v·F over its atoms:
 *
 * - P > 0: n += 1; if n ≥ `N_MIN`, dt′ = min(`F_INC` dt, `DT_MAX`) and α′ = `F_ALPHA` α; v = (1 −
 *   α′) v + α′ √(Σv²/ΣF²) F.
 * - otherwise: n = 0, dt′ = max(`F_DEC` dt, `DT_MIN`), α′ = `ALPHA_START`, v = 0.
 *
 * Then v += dt w F and x += dt v with the previous dt, where the displacement of each atom is
 * limited to `MAX_STEP`. The next step uses dt′ and α′.
 *
 * - `weights` w: ACCELERATION / mass per atom.
 * - `dt` in fs, `alpha` α and `positive` n: state, one number per system.
 * - `parameters`: {@linkcode FireParameter}.LENGTH numbers per system.
 *
 * With `cellPositions`, nine numbers per system, the cell is treated as one more atom with nine
 * coordinates. Its w is the mean weight of the n atoms, and it may move by √n `MAX_STEP`.
 */
export const fireStep: Kernel<typeof args> = defineKernel(
  "fire_step",
  args,
  (values, { systems, offsets, active }) => {
    const { velocities, forces, dt } = values;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const from = 3 * offsets[s]!, to = 3 * offsets[s + 1]!;
      let power = 0, vv = 0, ff = 0;
      for (let k = from; k < to; k++) {
        power += velocities[k]! * forces[k]!;
        vv += velocities[k]! * velocities[k]!;
        ff += forces[k]! * forces[k]!;
      }
      const cell = cellOf(s, values);
      for (const k of cell?.forces.keys() ?? []) {
        const [v, f] = [cell!.velocities[k]!, cell!.forces[k]!];
        power += v * f;
        vv += v * v;
        ff += f * f;
      }
      const step = dt[s]!;
      if (power > 0) {
        const mix = downhill(s, values);
        const [keep, steer] = [1 - mix, mix * Math.sqrt(vv / ff)];
        for (let k = from; k < to; k++) velocities[k] = keep * velocities[k]! + steer * forces[k]!;
        for (const k of cell?.forces.keys() ?? []) {
          cell!.velocities[k] = keep * cell!.velocities[k]! + steer * cell!.forces[k]!;
        }
      } else {
        uphill(s, values);
        velocities.fill(0, from, to);
        cell?.velocities.fill(0);
      }
      const maxStep = values.parameters[FireParameter.LENGTH * s + FireParameter.MAX_STEP]!;
      for (let a = from / 3; a < to / 3; a++) move(a, step, maxStep, values);
      if (cell === undefined) continue;
      let weight = 0;
      for (let a = from / 3; a < to / 3; a++) weight += values.weights[a]!;
      const atoms = Math.max(1, (to - from) / 3);
      moveCell(cell, { weight: weight / atoms, step, maxStep: maxStep * Math.sqrt(atoms) });
    }
  },
);

type State = Parameters<typeof fireStep.run>[0];

/** Updates dt, α and n of a system after a step with P > 0. Returns α′. */
function downhill(s: number, { dt, alpha, positive, parameters }: State): number {
  const p = FireParameter.LENGTH * s;
  positive[s]! += 1;
  if (positive[s]! >= parameters[p + FireParameter.N_MIN]!) {
    dt[s] = Math.min(
      dt[s]! * parameters[p + FireParameter.F_INC]!,
      parameters[p + FireParameter.DT_MAX]!,
    );
    alpha[s]! *= parameters[p + FireParameter.F_ALPHA]!;
  }
  return alpha[s]!;
}

/** Updates dt, α and n of a system after a step with P ≤ 0. */
function uphill(s: number, { dt, alpha, positive, parameters }: State): void {
  const p = FireParameter.LENGTH * s;
  positive[s] = 0;
  dt[s] = Math.max(
    dt[s]! * parameters[p + FireParameter.F_DEC]!,
    parameters[p + FireParameter.DT_MIN]!,
  );
  alpha[s] = parameters[p + FireParameter.ALPHA_START]!;
}

/** The coordinates of a system's cell, its velocities and its forces, nine numbers each. */
interface Cell {
  readonly positions: Float32Array | Float64Array;
  readonly velocities: Float32Array | Float64Array;
  readonly forces: Float32Array | Float64Array;
}

function cellOf(s: number, { cellPositions, cellVelocities, cellForces }: State): Cell | undefined {
  if (cellPositions === undefined) return undefined;
  const [positions, velocities, forces] = [cellPositions, cellVelocities!, cellForces!].map((one) =>
    one.subarray(9 * s, 9 * s + 9)
  ) as [Cell["positions"], Cell["velocities"], Cell["forces"]];
  return { positions, velocities, forces };
}

/** Accelerates the cell by its forces over the time `step`, and moves it by at most `maxStep`. */
function moveCell(
  { positions, velocities, forces }: Cell,
  { weight, step, maxStep }: { weight: number; step: number; maxStep: number },
): void {
  let square = 0;
  for (let k = 0; k < 9; k++) {
    velocities[k]! += step * weight * forces[k]!;
    square += velocities[k]! * velocities[k]!;
  }
  const far = step * Math.sqrt(square);
  const length = far > maxStep ? step * (maxStep / far) : step;
  for (let k = 0; k < 9; k++) positions[k]! += length * velocities[k]!;
}

/** Accelerates an atom by its force over the time `step`, and moves it by at most `maxStep`. */
function move(a: number, step: number, maxStep: number, values: State): void {
  const { positions, velocities, forces, weights } = values;
  const w = step * weights[a]!;
  let square = 0;
  for (let k = 3 * a; k < 3 * a + 3; k++) {
    velocities[k]! += w * forces[k]!;
    square += velocities[k]! * velocities[k]!;
  }
  const far = step * Math.sqrt(square);
  const length = far > maxStep ? step * (maxStep / far) : step;
  for (let k = 3 * a; k < 3 * a + 3; k++) positions[k]! += length * velocities[k]!;
}

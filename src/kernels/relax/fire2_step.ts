import { ACCELERATION } from "../constants.ts";
import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  positions: "real changed",
  velocities: "real changed",
  forces: "real",
  dt: "f64 changed",
  alpha: "f64 changed",
  positive: "i32 changed",
  parameters: "f64",
  cellPositions: "real optional",
  cellVelocities: "real optional",
  cellForces: "real optional",
} as const;

/** Indices in a row of `parameters`. There is one row per system; times are in fs and lengths in Å. */
export const Fire2Parameter = {
  /** Largest time step. */
  DT_MAX: 0,
  /** Smallest time step to which an uphill step can reduce dt. */
  DT_MIN: 1,
  /** Largest displacement of an atom per step. */
  MAX_STEP: 2,
  /** Number of downhill steps before the time step grows. */
  DELAY: 3,
  /** Factor by which an uphill step multiplies dt. */
  DT_SHRINK: 4,
  /** Factor by which a downhill step multiplies dt. */
  DT_GROW: 5,
  /** Initial α, and α after an uphill step. */
  ALPHA_START: 6,
  /** Factor by which a downhill step multiplies α. */
  ALPHA_SHRINK: 7,
  /** Length of a row. */
  LENGTH: 8,
} as const;

/**
 * Does a step of FIRE 2.0 (Guénolé et al., Comput. Mater. Sci. 175, 109584, 2020) for each system,
 * with a mass of 1 amu for every atom. First, v = v + dt w F with w = ACCELERATION/amu. Then, with
 * P = Σ v·F over the atoms:
 *
 * - P > 0: n += 1; if n > `DELAY`, dt = min(`DT_GROW` dt, `DT_MAX`) and α = `ALPHA_SHRINK` α.
 * - otherwise: n = 0, dt = max(`DT_SHRINK` dt, `DT_MIN`), α = `ALPHA_START`.
 *
 * Finally, v = (1 − α) v + α √(Σv²/ΣF²) F, and atoms move by dt v. If P was not above 0, they move
 * by −½ dt v instead, and then v = 0. If an atom would move farther than `MAX_STEP`, the
 * displacements of all atoms of the system and its dt are scaled by one factor.
 *
 * - `dt` in fs, `alpha` α and `positive` n: state, one number per system.
 * - `parameters`: {@linkcode Fire2Parameter}.LENGTH numbers per system.
 *
 * With `cellPositions`, nine numbers per system, the cell is treated as one more atom with nine
 * coordinates. In a system of n atoms it may move by √n `MAX_STEP`.
 */
export const fire2Step: Kernel<typeof args> = defineKernel(
  "fire2_step",
  args,
  (values, { systems, offsets, active }) => {
    const { dt, parameters } = values;
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const parts = partsOf(s, 3 * offsets[s]!, 3 * offsets[s + 1]!, values);
      const isDownhill = mix(s, parts, values);
      const longest = isDownhill ? dt[s]! : -0.5 * dt[s]!;
      const square = Math.max(...parts.map(largestSquare));
      const far = Math.abs(longest) * Math.sqrt(square);
      const maxStep = parameters[Fire2Parameter.LENGTH * s + Fire2Parameter.MAX_STEP]!;
      const scale = far > maxStep ? maxStep / far : 1;
      for (const { positions, velocities } of parts) {
        for (let k = 0; k < positions.length; k++) {
          positions[k]! += scale * longest * velocities[k]!;
        }
        if (!isDownhill) velocities.fill(0);
      }
      dt[s]! *= scale;
    }
  },
);

type State = Parameters<typeof fire2Step.run>[0];

type Real = Float32Array | Float64Array;

/** Arrays of one step: those of the atoms of a system, or those of its cell. */
interface Part {
  readonly positions: Real;
  readonly velocities: Real;
  readonly forces: Real;
  /** Number of coordinates per vector: 3 for atoms, 9 for the cell. */
  readonly width: number;
  /**
   * Square of the factor by which a vector may be longer than that of an atom: 1 for atoms, and the number of atoms
   * for the cell.
   */
  readonly atoms: number;
}

function partsOf(s: number, from: number, to: number, values: State): Part[] {
  const part = (all: readonly Real[], from: number, to: number, width: number, atoms: number) => {
    const [positions, velocities, forces] = all.map((one) => one.subarray(from, to));
    return { positions: positions!, velocities: velocities!, forces: forces!, width, atoms };
  };
  const { positions, velocities, forces, cellPositions, cellVelocities, cellForces } = values;
  const atoms = part([positions, velocities, forces], from, to, 3, 1);
  if (cellPositions === undefined) return [atoms];
  const cell = [cellPositions, cellVelocities!, cellForces!];
  return [atoms, part(cell, 9 * s, 9 * s + 9, 9, Math.max(1, (to - from) / 3))];
}

/** Returns the largest squared velocity, divided by `atoms`. */
function largestSquare({ velocities, width, atoms }: Part): number {
  let largest = 0;
  for (let k = 0; k < velocities.length; k += width) {
    let square = 0;
    for (let i = k; i < k + width; i++) square += velocities[i]! * velocities[i]!;
    largest = Math.max(largest, square);
  }
  return largest / atoms;
}

/**
 * Accelerates a system by its forces, updates its state, and turns its velocities toward the forces. Returns whether
 * the step is downhill, P > 0.
 */
function mix(s: number, parts: readonly Part[], values: State): boolean {
  const { dt, alpha } = values;
  const kick = dt[s]! * ACCELERATION;
  let power = 0, vv = 0, ff = 0;
  for (const { velocities, forces } of parts) {
    for (let k = 0; k < forces.length; k++) {
      velocities[k]! += kick * forces[k]!;
      power += velocities[k]! * forces[k]!;
      vv += velocities[k]! * velocities[k]!;
      ff += forces[k]! * forces[k]!;
    }
  }
  const isDownhill = power > 0;
  update(s, isDownhill, values);
  const keep = 1 - alpha[s]!, steer = ff > 0 ? alpha[s]! * Math.sqrt(vv / ff) : 0;
  for (const { velocities, forces } of parts) {
    for (let k = 0; k < forces.length; k++) {
      velocities[k] = keep * velocities[k]! + steer * forces[k]!;
    }
  }
  return isDownhill;
}

/** Updates dt, α and n of a system after a downhill or an uphill step. */
function update(s: number, isDownhill: boolean, values: State): void {
  const { dt, alpha, positive, parameters } = values;
  const p = Fire2Parameter.LENGTH * s;
  if (!isDownhill) {
    positive[s] = 0;
    dt[s] = Math.max(
      dt[s]! * parameters[p + Fire2Parameter.DT_SHRINK]!,
      parameters[p + Fire2Parameter.DT_MIN]!,
    );
    alpha[s] = parameters[p + Fire2Parameter.ALPHA_START]!;
    return;
  }
  positive[s]! += 1;
  if (positive[s]! <= parameters[p + Fire2Parameter.DELAY]!) return;
  dt[s] = Math.min(
    dt[s]! * parameters[p + Fire2Parameter.DT_GROW]!,
    parameters[p + Fire2Parameter.DT_MAX]!,
  );
  alpha[s]! *= parameters[p + Fire2Parameter.ALPHA_SHRINK]!;
}

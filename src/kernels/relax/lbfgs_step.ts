import { defineKernel, type Kernel } from "../kernel.ts";

const args = {
  positions: "real changed",
  forces: "real",
  energy: "f64 optional",
  history: "real changed",
  memory: "f64 changed",
  counts: "i32 changed",
  parameters: "f64",
  depth: "number",
  cellPositions: "real optional",
  cellForces: "real optional",
  cellHistory: "real optional",
} as const;

/** Indices in a row of `parameters`. There is one row per system. */
export const LbfgsParameter = {
  /** Assumed curvature of the energy before the first pair, eV/Å². */
  CURVATURE: 0,
  /** Factor by which each step is multiplied. */
  DAMPING: 1,
  /** Largest displacement of an atom per step, Å. */
  MAX_STEP: 2,
  /** Length of a row. */
  LENGTH: 3,
} as const;

/** Indices in a row of `counts`. There is one row per system. */
export const LbfgsCount = {
  /** Number of stored pairs. */
  STORED: 0,
  /** Row of the history that holds the current step. */
  SLOT: 1,
  /** Number of evaluations since the current step began; 0 before the first step. */
  TRIES: 2,
  /** Length of a row. */
  LENGTH: 3,
} as const;

/** Indices in a row of `memory`, counted after the `depth` + 1 values of 1/s·y. There is one row per system. */
export const LbfgsMemory = {
  /** The ratio s·y/y·y of the last pair, Å²/eV; 0 before the first pair. */
  SCALE: 0,
  /** Energy at the start of the current step, eV. */
  ENERGY: 1,
  /** Decrease of the energy that the current step would give with constant forces, eV. */
  SLOPE: 2,
  /** Number of entries after the values of 1/s·y. */
  LENGTH: 3,
} as const;

/** Constants of the line search. */
export const LineSearch = {
  /** Smallest decrease of the energy that is accepted, as a fraction of the decrease that the forces predict. */
  DECREASE: 1e-4,
  /**
   * Largest backward force that is accepted if the energies are too inaccurate to decide, as a fraction of the
   * forward force at the start of the step.
   */
  BACK: 0.8,
  /** Relative accuracy of energies. A smaller change of the energy does not decide. */
  NOISE: 1e-6,
  /** Smallest factor by which a step is multiplied to shorten it. */
  LEAST: 0.1,
  /** Largest factor by which a step is multiplied to shorten it. */
  MOST: 0.5,
  /** Number of evaluations after which a step is accepted as it is. */
  TRIES: 10,
} as const;

/** Largest cosine between s and y for which a pair is discarded. */
export const LEAST_COSINE = 1e-8;

/**
 * Does a step of L-BFGS (Liu and Nocedal, Math. Program. 45, 503, 1989) for each system: x += s
 * with s = `DAMPING` H F. H approximates the inverse of the second derivatives from the last
 * `depth` steps s and force changes y = F − F′ by the two-loop recursion, starting from H₀ =
 * s·y/y·y of the last pair, or 1/`CURVATURE` without pairs. If an atom would move farther than
 * `MAX_STEP`, the steps of all atoms of the system are scaled by one factor.
 *
 * - A pair with s·y ≤ 1e-8 |s| |y| is discarded.
 * - If H F does not point downhill, or rounding has removed the last step entirely, all pairs are
 *   discarded and H = 1/`CURVATURE`.
 *
 * With `energy` E, the kernel does a line search along s. A step is too long if E has not decreased
 * by 1e-4 s·F. If E has changed by less than 1e-6 |E|, which is too inaccurate, the step is too long
 * only if the new force along s points back with more than 0.8 of the size of the old one. The atoms
 * then go back to t s, where t, from 0.1 to 0.5, minimizes the parabola through both energies and
 * the initial slope. The shortened step is tested again.
 *
 * - `history`: 2 (`depth` + 1) rows of three numbers per atom for each system, first s, then y. The
 *   row of the current step has s and the forces at its start.
 * - `memory`: `depth` + 1 values of 1/s·y and {@linkcode LbfgsMemory}.LENGTH numbers per system.
 * - `counts`: {@linkcode LbfgsCount}.LENGTH numbers per system.
 * - `parameters`: {@linkcode LbfgsParameter}.LENGTH numbers per system.
 *
 * With `cellPositions`, nine numbers per system, the cell is treated as one more atom with nine
 * coordinates. In a system of n atoms it may move by √n `MAX_STEP`.
 */
export const lbfgsStep: Kernel<typeof args> = defineKernel(
  "lbfgs_step",
  args,
  (values, { systems, offsets, active }) => {
    for (let s = 0; s < systems; s++) {
      if (active[s] === 0) continue;
      const system = new System(s, offsets, values);
      if (system.isTooFar()) system.goBack();
      else {
        system.keepPair();
        system.findDirection();
        system.go();
      }
    }
  },
);

type Given = Parameters<typeof lbfgsStep.run>[0];
type Real = Float32Array | Float64Array;

/** Arrays of one step: those of the atoms, or those of the cell. */
interface Part {
  readonly x: Real;
  readonly f: Real;
  /** Rows of the history: the steps in `s`, and the changes of the forces in `y`. */
  readonly s: readonly Real[];
  readonly y: readonly Real[];
  /** Number of coordinates per vector: 3 for atoms, 9 for the cell. */
  readonly width: number;
  /** Factor by which a vector may be longer than that of an atom: 1 for atoms, √n for the cell of n atoms. */
  readonly reach: number;
}

/** The state of one system of the batch. */
class System {
  readonly #parts: Part[];
  readonly #counts: Int32Array;
  readonly #memory: Float64Array;
  readonly #rows: number;
  readonly #energy: number | undefined;
  readonly #curvature: number;
  readonly #damping: number;
  readonly #maxStep: number;

  constructor(s: number, offsets: Int32Array, values: Given) {
    const { positions, forces, history, cellPositions, cellForces, cellHistory } = values;
    const rows = this.#rows = values.depth + 1;
    const atoms = offsets[s + 1]! - offsets[s]!;
    const part = (x: Real, f: Real, all: Real, from: number, to: number, width: number): Part => {
      const n = to - from;
      const row = (i: number) =>
        all.subarray(2 * rows * from + i * n, 2 * rows * from + (i + 1) * n);
      const of = (first: number) => Array.from({ length: rows }, (_, i) => row(first + i));
      const reach = width === 3 ? 1 : Math.sqrt(Math.max(1, atoms));
      return {
        x: x.subarray(from, to),
        f: f.subarray(from, to),
        s: of(0),
        y: of(rows),
        width,
        reach,
      };
    };
    this.#parts = [part(positions, forces, history, 3 * offsets[s]!, 3 * offsets[s + 1]!, 3)];
    if (cellPositions !== undefined) {
      this.#parts.push(part(cellPositions, cellForces!, cellHistory!, 9 * s, 9 * s + 9, 9));
    }
    const of = <A extends Int32Array | Float64Array>(all: A, width: number) =>
      all.subarray(width * s, width * s + width) as A;
    this.#counts = of(values.counts, LbfgsCount.LENGTH);
    this.#memory = of(values.memory, rows + LbfgsMemory.LENGTH);
    this.#energy = values.energy?.[s];
    const parameters = of(values.parameters, LbfgsParameter.LENGTH);
    this.#curvature = parameters[LbfgsParameter.CURVATURE]!;
    this.#damping = parameters[LbfgsParameter.DAMPING]!;
    this.#maxStep = parameters[LbfgsParameter.MAX_STEP]!;
  }

  /** Returns whether the line search must shorten the current step. */
  isTooFar(): boolean {
    const tries = this.#counts[LbfgsCount.TRIES]!;
    if (this.#energy === undefined || tries === 0 || tries >= LineSearch.TRIES) return false;
    const before = this.#noted(LbfgsMemory.ENERGY), slope = this.#noted(LbfgsMemory.SLOPE);
    const rise = this.#energy - before;
    if (rise <= -LineSearch.DECREASE * slope) return false;
    const slot = this.#slot;
    const forward = this.#sum(({ s, f }) => dot(s[slot]!, f));
    const isRough = Math.abs(rise) <= LineSearch.NOISE * Math.abs(before);
    return !(isRough && forward >= -LineSearch.BACK * slope);
  }

  /** Shortens the current step, and moves the atoms back accordingly. */
  goBack(): void {
    const rise = this.#energy! - this.#noted(LbfgsMemory.ENERGY);
    const slope = this.#noted(LbfgsMemory.SLOPE), slot = this.#slot;
    const lowest = slope / (2 * (rise + slope));
    let part: number = LineSearch.LEAST;
    if (lowest > part) part = Math.min(lowest, LineSearch.MOST);
    for (const { x, s } of this.#parts) {
      const step = s[slot]!;
      for (let k = 0; k < x.length; k++) {
        x[k]! += (part - 1) * step[k]!;
        step[k]! *= part;
      }
    }
    this.#note(LbfgsMemory.SLOPE, part * slope);
    this.#counts[LbfgsCount.TRIES]! += 1;
  }

  /** Stores the pair (s, y) of the current step, unless its curvature is too small. */
  keepPair(): void {
    if (this.#counts[LbfgsCount.TRIES] === 0) return;
    const slot = this.#slot;
    for (const { f, y } of this.#parts) {
      const row = y[slot]!;
      for (let k = 0; k < f.length; k++) row[k]! -= f[k]!;
    }
    const sy = this.#sum(({ s, y }) => dot(s[slot]!, y[slot]!));
    const ss = this.#sum(({ s }) => dot(s[slot]!, s[slot]!));
    const yy = this.#sum(({ y }) => dot(y[slot]!, y[slot]!));
    if (ss === 0) this.#counts[LbfgsCount.STORED] = 0;
    if (!(sy > LEAST_COSINE * Math.sqrt(ss * yy))) return;
    this.#memory[slot] = 1 / sy;
    this.#note(LbfgsMemory.SCALE, sy / yy);
    const stored = this.#counts[LbfgsCount.STORED]!;
    this.#counts[LbfgsCount.STORED] = Math.min(stored + 1, this.#rows - 1);
    this.#counts[LbfgsCount.SLOT] = (slot + 1) % this.#rows;
  }

  /**
   * Writes the direction H F to the history row of the current step, by the two-loop recursion. If it does not point
   * downhill, discards all pairs and uses F/`CURVATURE` instead.
   */
  findDirection(): void {
    const slot = this.#slot, rows = this.#rows;
    for (const { s, f } of this.#parts) s[slot]!.set(f);
    const stored = this.#counts[LbfgsCount.STORED]!;
    if (stored > 0) {
      const parts: number[] = [];
      for (let i = 1; i <= stored; i++) {
        const at = (slot + rows - i) % rows;
        parts[i] = this.#memory[at]! * this.#sum(({ s }) => dot(s[at]!, s[slot]!));
        for (const { s, y } of this.#parts) add(s[slot]!, y[at]!, -parts[i]!);
      }
      for (const { s } of this.#parts) scale(s[slot]!, this.#noted(LbfgsMemory.SCALE));
      for (let i = stored; i >= 1; i--) {
        const at = (slot + rows - i) % rows;
        const back = this.#memory[at]! * this.#sum(({ s, y }) => dot(y[at]!, s[slot]!));
        for (const { s } of this.#parts) add(s[slot]!, s[at]!, parts[i]! - back);
      }
      if (this.#sum(({ s, f }) => dot(s[slot]!, f)) > 0) return;
      this.#counts[LbfgsCount.STORED] = 0;
      for (const { s, f } of this.#parts) s[slot]!.set(f);
    }
    for (const { s } of this.#parts) scale(s[slot]!, 1 / this.#curvature);
  }

  /** Moves the atoms along the direction from `findDirection`, and begins a step. */
  go(): void {
    const slot = this.#slot;
    const far = this.#damping *
      Math.max(...this.#parts.map(({ s, width, reach }) => longest(s[slot]!, width) / reach));
    const length = this.#damping * (far > this.#maxStep ? this.#maxStep / far : 1);
    this.#note(LbfgsMemory.SLOPE, length * this.#sum(({ s, f }) => dot(s[slot]!, f)));
    this.#note(LbfgsMemory.ENERGY, this.#energy ?? 0);
    for (const { x, f, s, y } of this.#parts) {
      const step = s[slot]!;
      for (let k = 0; k < x.length; k++) {
        const before = x[k]!;
        x[k]! += length * step[k]!;
        step[k] = x[k]! - before; // the displacement after rounding
      }
      y[slot]!.set(f);
    }
    this.#counts[LbfgsCount.TRIES] = 1;
  }

  get #slot(): number {
    return this.#counts[LbfgsCount.SLOT]!;
  }

  #sum(of: (part: Part) => number): number {
    return this.#parts.reduce((sum, part) => sum + of(part), 0);
  }

  #noted(which: number): number {
    return this.#memory[this.#rows + which]!;
  }

  #note(which: number, value: number): void {
    this.#memory[this.#rows + which] = value;
  }
}

function dot(a: Real, b: Real): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}

/** Adds `part` times `b` to `a`. */
function add(a: Real, b: Real, part: number): void {
  for (let k = 0; k < a.length; k++) a[k]! += part * b[k]!;
}

function scale(a: Real, by: number): void {
  for (let k = 0; k < a.length; k++) a[k]! *= by;
}

/** Returns the length of the longest of the vectors in `a`, which have `width` numbers each. */
function longest(a: Real, width: number): number {
  let square = 0;
  for (let k = 0; k < a.length; k += width) {
    let one = 0;
    for (let i = k; i < k + width; i++) one += a[i]! * a[i]!;
    square = Math.max(square, one);
  }
  return Math.sqrt(square);
}

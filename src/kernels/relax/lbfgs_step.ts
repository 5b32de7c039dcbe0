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

/** Where in its row of `parameters` each system has which. */
export const LbfgsParameter = {
  /** What curvature is taken to be before any is known, eV/Å². */
  CURVATURE: 0,
  /** What each step is multiplied by. */
  DAMPING: 1,
  /** The furthest that any atom goes in one step, Å. */
  MAX_STEP: 2,
  /** How many there are. */
  LENGTH: 3,
} as const;

/** Where in its row of `counts` each system has which. */
export const LbfgsCount = {
  /** How many pairs are kept. */
  STORED: 0,
  /** The slot of the step under way. */
  SLOT: 1,
  /** Evaluations since it was begun; 0: there is none. */
  TRIES: 2,
  /** How many there are. */
  LENGTH: 3,
} as const;

/** After the `depth` + 1 values of 1/s·y, where in its row of `memory` each system has which. */
export const LbfgsMemory = {
  /** s·y/y·y of the last pair, Å²/eV; 0: there is none. */
  SCALE: 0,
  /** The energy where the step under way was begun, eV. */
  ENERGY: 1,
  /** By how much that step would lower it if forces stayed as they were, eV. */
  SLOPE: 2,
  /** How many there are. */
  LENGTH: 3,
} as const;

/** What a line search asks for, and how often it asks. */
export const LineSearch = {
  /** Which part of the fall that forces promise must come true. */
  DECREASE: 1e-4,
  /** How hard forces may point back, as a part of how hard they pointed forward, where energies are too rough to say. */
  BACK: 0.8,
  /** What energies are too rough for, as a part of them. */
  NOISE: 1e-6,
  /** The least that a step is shortened to, as a part of it. */
  LEAST: 0.1,
  /** The most. */
  MOST: 0.5,
  /** Evaluations after which a step is taken as it is. */
  TRIES: 10,
} as const;

/** The cosine between s and y up to which a pair says nothing. */
export const LEAST_COSINE = 1e-8;

/**
 * A step of L-BFGS (Liu and Nocedal, Math. Program. 45, 503, 1989), each system by itself: x += s with
 * s = `DAMPING` H F, where H is the inverse of the second derivatives as the last `depth` steps s and changes of the
 * forces y = F − F′ tell it, by the recursion of two loops from H₀ = s·y/y·y of the last of them, or 1/`CURVATURE` where
 * there is none. If an atom would go further than `MAX_STEP`, the steps of all atoms of the system are scaled by one
 * factor.
 *
 * - A pair with s·y ≤ 1e-8 |s| |y| is not kept.
 * - Where H F does not go downhill, or the last step was so short that rounding left nothing of it, all pairs are
 *   forgotten, and H = 1/`CURVATURE`.
 *
 * With `energy` E it searches along s: where E has not fallen by 1e-4 s·F (or, where E has changed by less than 1e-6 of
 * it, F′ along s points back with more than 0.8 of what F had), the atoms go back to t s, with t where the parabola
 * through E, E′ and the slope is least, from 0.1 to 0.5; that is the step, and it may be shortened again.
 *
 * `history`: 2 (`depth` + 1) rows of three numbers per atom for each system, s first and then y; the row of the step
 * under way has s and the forces where it was begun. `memory`: `depth` + 1 values of 1/s·y and {@linkcode LbfgsMemory}.LENGTH
 * numbers per system; `counts`: {@linkcode LbfgsCount}.LENGTH, `parameters`: {@linkcode LbfgsParameter}.LENGTH.
 *
 * With `cellPositions`, nine numbers per system, the cell takes part as one more atom with nine coordinates; of n atoms,
 * it goes up to √n `MAX_STEP` far.
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

/** Numbers that are moved: those of the atoms, or those of the cell. */
interface Part {
  readonly x: Real;
  readonly f: Real;
  /** The rows of the history. */
  readonly s: readonly Real[];
  readonly y: readonly Real[];
  /** How many numbers make one distance. */
  readonly width: number;
  /** By what a distance may be longer than one of an atom. */
  readonly reach: number;
}

/** One system of the batch. */
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

  /** Whether the step under way must be shortened. */
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

  /** Shortens it. */
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

  /** Keeps what the step under way has shown. */
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

  /** H F into the row of the step, by the recursion of two loops; downhill. */
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

  /** Begins a step in that direction. */
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
        step[k] = x[k]! - before; // what rounding has made of it
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

/** a += part b. */
function add(a: Real, b: Real, part: number): void {
  for (let k = 0; k < a.length; k++) a[k]! += part * b[k]!;
}

function scale(a: Real, by: number): void {
  for (let k = 0; k < a.length; k++) a[k]! *= by;
}

/** The length of the longest of vectors of so many numbers. */
function longest(a: Real, width: number): number {
  let square = 0;
  for (let k = 0; k < a.length; k += width) {
    let one = 0;
    for (let i = k; i < k + width; i++) one += a[i]! * a[i]!;
    square = Math.max(square, one);
  }
  return Math.sqrt(square);
}

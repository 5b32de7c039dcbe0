/** Observables computed in a plain way from a trajectory. */
import { type Batch, cellVolume } from "../../src/batch/mod.ts";

/** A system at one time. */
export interface Moment {
  readonly time: number;
  readonly numbers: readonly number[];
  readonly positions: readonly number[];
  readonly velocities: readonly number[];
  readonly masses: readonly number[];
  readonly cell: readonly number[];
  readonly stress: readonly number[];
}

/** The times of one system of a run, with unwrapped positions. */
export function momentsOf(frames: Batch, id: number): Moment[] {
  return frames.systems().flatMap((system, place) => {
    if (frames.get("sourceId")[place] !== id) return [];
    const cell = [...system.cell], images = system.get("images"), x = system.positions;
    const positions = Array.from(x, (value, n) => {
      const i = n - n % 3, k = n % 3;
      return value + images[i]! * cell[k]! + images[i + 1]! * cell[3 + k]! +
        images[i + 2]! * cell[6 + k]!;
    });
    const values = (name: string) => Array.from(system.get(name));
    return [{
      time: frames.get("time")[place]!,
      positions,
      cell,
      numbers: [...system.numbers],
      velocities: values("velocities"),
      masses: values("masses"),
      stress: values("stress"),
    }];
  });
}

/** By lag: the mean of `of` over pairs of times, for the selected atoms. */
export function byLag(
  moments: readonly Moment[],
  { lags, originEvery = 1, of }: {
    readonly lags: number;
    readonly originEvery?: number;
    readonly of: (before: Moment, now: Moment) => number;
  },
): number[] {
  return Array.from({ length: Math.min(lags, moments.length) }, (_, lag) => {
    const all: number[] = [];
    for (let origin = 0; origin + lag < moments.length; origin += originEvery) {
      all.push(of(moments[origin]!, moments[origin + lag]!));
    }
    return all.reduce((a, b) => a + b, 0) / all.length;
  });
}

/** Σ |r − r'|² / N over atoms of an element. */
export function displacement(element?: number): (before: Moment, now: Moment) => number {
  return (before, now) => {
    let sum = 0, atoms = 0;
    for (const [i, number] of now.numbers.entries()) {
      if (element !== undefined && number !== element) continue;
      atoms++;
      for (let k = 3 * i; k < 3 * i + 3; k++) {
        sum += (now.positions[k]! - before.positions[k]!) ** 2;
      }
    }
    return sum / atoms;
  };
}

/** Σ v · v' / N. */
export function product(before: Moment, now: Moment): number {
  const sum = now.velocities.reduce((sum, v, i) => sum + v * before.velocities[i]!, 0);
  return sum / now.numbers.length;
}

/** g(r) and neighbors of an atom by bin, over all images in range. */
export function radial(
  { positions, cell, numbers }: Moment,
  { cutoff, bins, a, b }: {
    readonly cutoff: number;
    readonly bins: number;
    readonly a?: number;
    readonly b?: number;
  },
): { g: number[]; neighbors: number[] } {
  const counts = new Array<number>(bins).fill(0), shifts = shiftsOf(cell, 4);
  const is = (i: number, element: number | undefined) =>
    element === undefined || numbers[i] === element;
  for (let i = 0; i < numbers.length; i++) {
    for (let j = 0; j < numbers.length; j++) {
      if (!is(i, a) || !is(j, b)) continue;
      // Most of the test's time: no array is allocated here.
      const x = positions[3 * j]! - positions[3 * i]!;
      const y = positions[3 * j + 1]! - positions[3 * i + 1]!;
      const z = positions[3 * j + 2]! - positions[3 * i + 2]!;
      for (let n = 0; n < shifts.length; n += 3) {
        const r = Math.sqrt(
          (x + shifts[n]!) ** 2 + (y + shifts[n + 1]!) ** 2 + (z + shifts[n + 2]!) ** 2,
        );
        const bin = Math.floor(r * bins / cutoff);
        if (r > 0 && bin < bins) counts[bin]!++;
      }
    }
  }
  const first = numbers.filter((_, i) => is(i, a)).length;
  const second = numbers.filter((_, i) => is(i, b)).length;
  const neighbors = counts.map((count) => count / first), width = cutoff / bins;
  const g = neighbors.map((count, bin) => {
    const shell = 4 / 3 * Math.PI * (((bin + 1) * width) ** 3 - (bin * width) ** 3);
    return count / (shell * second / cellVolume(cell));
  });
  return { g, neighbors };
}

/** The lattice vectors to all images up to some cells away along each edge. */
function shiftsOf(cell: readonly number[], most: number): number[] {
  const along = Array.from({ length: 2 * most + 1 }, (_, n) => n - most);
  return along.flatMap((a) =>
    along.flatMap((b) =>
      along.flatMap((c) => [0, 1, 2].map((k) => a * cell[k]! + b * cell[3 + k]! + c * cell[6 + k]!))
    )
  );
}

/** Stress with the motion of atoms, eV/Å³; one eV is 1.602…e-19 J. */
export function wholeStress({ stress, velocities, masses, cell }: Moment): number[] {
  const unit = 1.6605390666e-27 * 1e10 / 1.602176634e-19; // amu Å²/fs² in eV
  return stress.map((value, k) => {
    const a = Math.floor(k / 3), b = k % 3;
    const motion = masses.reduce(
      (sum, m, i) => sum + m * velocities[3 * i + a]! * velocities[3 * i + b]!,
      0,
    );
    return value - motion * unit / cellVolume(cell);
  });
}

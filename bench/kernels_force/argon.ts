import { ACCELERATION, BOLTZMANN } from "../../src/kernels/constants.ts";

/** Argon: a fcc crystal, or what one melts to. Å, Å/fs; atoms in an order that says nothing of where they are. */
export interface Argon {
  readonly atoms: number;
  /** The edge of the cubic cell. */
  readonly edge: number;
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
}

/** Å, amu, eV, Å, Å: the argon of all benchmarks. */
export const ARGON = {
  spacing: 5.26,
  mass: 39.948,
  epsilon: 0.0104,
  sigma: 3.4,
  cutoff: 8.5,
} as const;

/** `atoms` is 4 m³. @default spacing that of the crystal */
export function argon(
  atoms: number,
  temperature: number,
  seed: number,
  spacing: number = ARGON.spacing,
): Argon {
  const side = Math.round(Math.cbrt(atoms / 4));
  const random = uniform(seed);
  const places: number[][] = [];
  for (let cell = 0; cell < side ** 3; cell++) {
    const at = [cell % side, Math.floor(cell / side) % side, Math.floor(cell / side ** 2)];
    for (const site of [[0, 0, 0], [0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]) {
      places.push(at.map((x, d) => (x + site[d]!) * spacing));
    }
  }
  for (let i = places.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [places[i], places[j]] = [places[j]!, places[i]!];
  }
  const width = Math.sqrt(BOLTZMANN * temperature * ACCELERATION / ARGON.mass);
  const velocities = Float64Array.from(
    { length: 3 * atoms },
    () => width * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
  for (let d = 0; d < 3; d++) {
    let drift = 0;
    for (let i = d; i < 3 * atoms; i += 3) drift += velocities[i]! / atoms;
    for (let i = d; i < 3 * atoms; i += 3) velocities[i]! -= drift;
  }
  return { atoms, edge: side * spacing, positions: Float64Array.from(places.flat()), velocities };
}

/** Numbers from 0 to 1 (mulberry32). */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = state + 0x6D2B79F5 | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}

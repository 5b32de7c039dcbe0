/**
 * Nosé–Hoover chains, driven by the atoms of a system or by its cell.
 *
 * @module
 */

/**
 * The fractions into which a time is divided, by the number of parts (Suzuki, Phys. Lett. A 146, 319, 1990; Yoshida,
 * Phys. Lett. A 150, 262, 1990). The error per step is of order δ³ with one part, and of order δ⁵ with three or five.
 */
export const SUB_STEPS: Readonly<Record<1 | 3 | 5, readonly number[]>> = {
  1: [1],
  3: symmetric(1 / (2 - Math.cbrt(2)), 1),
  5: symmetric(1 / (4 - Math.cbrt(4)), 2),
};

/** Returns `count` fractions `outer`, one middle fraction, and again `count` fractions `outer`, whose sum is 1. */
function symmetric(outer: number, count: number): readonly number[] {
  const side = new Array<number>(count).fill(outer);
  return [...side, 1 - 2 * count * outer, ...side];
}

/** A thermostat chain: its state, and the temperature and the degrees of freedom that it controls. */
export interface Chain {
  /** Position η = ∫ η̇ dt of each link. The first link of the chain is at index `at`. */
  readonly eta: Float64Array;
  /** Rate η̇ of each link, 1/fs. The first link of the chain is at index `at`. */
  readonly etaDot: Float64Array;
  /** Index of the first link in `eta` and `etaDot`. */
  readonly at: number;
  /** Number of links, at least one. */
  readonly length: number;
  /** Target k_B T, eV. */
  readonly kT: number;
  /** Number of degrees of freedom that the chain controls. */
  readonly freedom: number;
  /** Inertia Q₁ of the first link, eV fs²: {@linkcode freedom} k_B T τ² for a coupling time τ. */
  readonly first: number;
  /** Inertia Q of all other links, eV fs²: k_B T τ². */
  readonly rest: number;
}

/**
 * Advances a chain over a time δ, in 1, 3 or 5 parts. The chain is driven by `twice`, twice a kinetic energy in eV.
 * Returns x: the driving velocities v become v e^x.
 *
 * Each part follows Martyna, Tuckerman, Tobias, Klein, Mol. Phys. 87, 1117 (1996). First it advances the rates from
 * the last link to the first, then the velocities, v e^(−δη̇₁), and all η + δη̇, and finally the rates from the first
 * link to the last.
 */
export function advanceChain(chain: Chain, twice: number, time: number, parts: 1 | 3 | 5): number {
  const { eta, etaDot, at, length } = chain;
  const end = at + length - 1;
  let left = twice, total = 0;
  for (const part of SUB_STEPS[parts]) {
    const step = part * time;
    for (let k = end; k >= at; k--) push(chain, k, end, left, step);
    const x = -step * etaDot[at]!;
    const growth = Math.expm1(x);
    left += left * growth * (2 + growth);
    total += x;
    for (let k = at; k <= end; k++) eta[k]! += step * etaDot[k]!;
    for (let k = at; k <= end; k++) push(chain, k, end, left, step);
  }
  return total;
}

/** Advances the rate of one link by half a step, damped by the next link. */
function push(chain: Chain, k: number, end: number, twice: number, step: number): void {
  const { etaDot, at, kT, freedom, first, rest } = chain;
  const before = k === at + 1 ? first : rest;
  const force = k === at
    ? (twice - freedom * kT) / first
    : (before * etaDot[k - 1]! ** 2 - kT) / rest;
  const decay = k === end ? 1 : Math.exp(-step / 4 * etaDot[k + 1]!);
  etaDot[k] = (etaDot[k]! * decay + step / 2 * force) * decay;
}

/**
 * Returns the energy of a chain, Σ ½ Q η̇² + g k_B T η₁ + k_B T Σ η of the other links, eV; g is
 * {@linkcode Chain.freedom}.
 */
export function chainEnergy(chain: Chain): number {
  const { eta, etaDot, at, length, kT, freedom, first, rest } = chain;
  let energy = first * etaDot[at]! ** 2 / 2 + freedom * kT * eta[at]!;
  for (let k = at + 1; k < at + length; k++) {
    energy += rest * etaDot[k]! ** 2 / 2 + kT * eta[k]!;
  }
  return energy;
}

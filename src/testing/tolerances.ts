/** Largest accepted difference between a backend in float32 and the definition of a kernel. */
export interface Tolerance {
  /** Largest accepted relative difference. */
  readonly part: number;
  /**
   * Smallest magnitude that the tolerance refers to.
   *
   * @default 0
   */
  readonly scale?: number;
  /**
   * True if `scale` refers to one term of a sum over the atoms of a system, so that it is multiplied by their
   * number.
   *
   * @default false
   */
  readonly isSum?: boolean;
}

const EXACT: Tolerance = { part: 0 };
/** Tolerances of potentials. Each force is a sum of few terms; energies and virials are sums over all atoms. */
const POTENTIAL: Readonly<Record<string, Tolerance>> = {
  forces: { part: 2e-5, scale: 10 },
  energy: { part: 1e-6, scale: 1, isSum: true },
  virial: { part: 5e-6, scale: 5, isSum: true },
};
const RELAXING: Readonly<Record<string, Tolerance>> = {
  cellPositions: { part: 5e-6, scale: 1 },
  cellVelocities: { part: 5e-6, scale: 1e-2 },
  positions: { part: 2e-6, scale: 1 },
  velocities: { part: 5e-6, scale: 1e-2 },
  dt: { part: 1e-6 },
  alpha: { part: 1e-12 },
  positive: EXACT,
};
/** Tolerance of strain rates that are computed from sums over all atoms, 1/fs. */
const STRAINING: Tolerance = { part: 3e-7, scale: 1e-3 };
/** Tolerance of rotated vectors of about 50 Å, and of quantities that rotate with them. */
const TURNED: Tolerance = { part: 1e-6, scale: 50 };
/** Tolerance of positions up to 100 Å from the origin. */
const PLACED: Tolerance = { part: 1e-6, scale: 100 };

/**
 * Tolerances by kernel and result. They apply to a float32 backend, compared with the kernel's definition in
 * float64 on the same float32 inputs. A backend with float64 `real` may differ by 1e-12 relative.
 */
export const KERNEL_TOLERANCES: Readonly<Record<string, Readonly<Record<string, Tolerance>>>> = {
  kick: { velocities: { part: 5e-7, scale: 1e-2 } },
  kick_drift: {
    positions: { part: 2e-7, scale: 1 },
    velocities: { part: 5e-7, scale: 1e-2 },
  },
  drift: { positions: { part: 2e-7, scale: 1 } },
  velocity_rescale: {
    velocities: { part: 5e-6, scale: 1e-2 },
    bathEnergy: { part: 5e-6, scale: 1e-1, isSum: true },
  },
  conserved_energy: { conserved: { part: 1e-12, scale: 1 } },
  nose_hoover: {
    velocities: { part: 1e-6, scale: 1e-2 },
    eta: { part: 2e-6, scale: 1e-3 },
    etaDot: { part: 2e-6, scale: 1e-4 },
    bathEnergy: { part: 2e-6, scale: 1e-2, isSum: true },
  },
  thermalize: {
    velocities: { part: 2e-6, scale: 2e-2 },
    bathEnergy: { part: 2e-6, scale: 1e-1, isSum: true },
  },
  barostat_kick: {
    isotropic: STRAINING,
    anisotropic: STRAINING,
    triclinic: STRAINING,
    energy: { part: 1e-7 },
    triclinicEnergy: { part: 1e-7 },
  },
  barostat_chain: {
    rate: { part: 1e-6, scale: 1e-3 },
    eta: { part: 2e-6, scale: 1e-3 },
    etaDot: { part: 2e-6, scale: 1e-4 },
    bathEnergy: { part: 2e-6, scale: 1e-2, isSum: true },
  },
  strained_kick: { velocities: { part: 5e-7, scale: 2e-2 } },
  strained_drift: { positions: { part: 2e-7, scale: 50 }, cell: { part: 1e-7, scale: 10 } },
  clear: { forces: EXACT, energy: { part: 1e-13 }, virial: { part: 1e-13 } },
  advance: { ages: EXACT },
  fmax: { fmax: { part: 3e-7 }, withCell: { part: 5e-7 }, staged: { part: 5e-7 } },
  kinetic_energy: { kinetic: { part: 3e-7 } },
  temperature: { temperature: { part: 1e-12 }, staged: { part: 1e-12 } },
  energy_change: { change: { part: 1e-10, scale: 1 }, previous: { part: 1e-13 } },
  stress: { stress: { part: 1e-12 } },
  criterion: { met: EXACT },
  enter_stage: { awake: EXACT, active: EXACT },
  count_stage: { stage: EXACT, steps: EXACT, active: EXACT },
  spend_budget: { spent: EXACT, status: EXACT, active: EXACT },
  graduate: { met: EXACT, converged: EXACT, status: EXACT, active: EXACT },
  fire_step: RELAXING,
  fire2_step: RELAXING,
  strain_forces: {
    strain: EXACT,
    reference: EXACT,
    cellForces: { part: 2e-6, scale: 1 },
    pulled: { part: 5e-7, scale: 1 },
    enthalpy: { part: 1e-12, scale: 1 },
    staged: { part: 2e-6, scale: 1 },
  },
  deform: {
    positions: PLACED,
    cell: PLACED,
    moved: EXACT,
    strained: EXACT,
    strain: { part: 2e-7, scale: 1 },
  },
  lbfgs_step: {
    positions: { part: 2e-5, scale: 1 },
    cellPositions: { part: 2e-5, scale: 1 },
    counts: EXACT,
  },
  clamp_forces: { forces: { part: 5e-7 } },
  freeze_atoms: { positions: PLACED, velocities: PLACED, forces: PLACED },
  remember: { target: EXACT },
  hold_center: {
    positions: PLACED,
    velocities: { part: 2e-6, scale: 1e-2 },
    forces: { part: 2e-6, scale: 1 },
  },
  credit_bath: { bathEnergy: { part: 1e-6, scale: 1e-2, isSum: true } },
  shake: { positions: { part: 1e-6, scale: 10 }, velocities: { part: 1e-5, scale: 1 } },
  rattle: { velocities: { part: 1e-5, scale: 1e-2 } },
  wrap_positions: { positions: PLACED, images: EXACT },
  align_cells: {
    cell: TURNED,
    turned: TURNED,
    positions: TURNED,
    velocities: TURNED,
    forces: TURNED,
  },
  mix: { target: { part: 5e-7, scale: 1 } },
  sum_squares: { squares: { part: 1e-12 } },
  clip_norm: { values: { part: 3e-7 }, small: EXACT },
  clip_values: { values: EXACT },
  scale_by_adam: {
    updates: { part: 2e-6, scale: 1 },
    first: { part: 1e-6, scale: 1 },
    second: { part: 2e-6, scale: 1e-2 },
  },
  scale_by_momentum: { updates: { part: 5e-7, scale: 1 }, trace: { part: 5e-7, scale: 1 } },
  scale_by_lion: { updates: EXACT, trace: { part: 5e-7, scale: 1 } },
  adam_step: {
    parameters: { part: 1e-6, scale: 1 },
    first: { part: 5e-7, scale: 1 },
    second: { part: 5e-7, scale: 1e-2 },
  },
  tethers: POTENTIAL,
  harmonic_bonds: POTENTIAL,
  center_bias: POTENTIAL,
  // The list itself is unordered. It is compared by the results of a potential on these pairs.
  neighbors: POTENTIAL,
  lennard_jones: POTENTIAL,
  morse: POTENTIAL,
  pair_potential: POTENTIAL,
  edges: { edges: { part: 2e-5, scale: 1 } },
  triplets: { triplets: { part: 5e-5, scale: 1 } },
  check_finite: { found: EXACT },
  add_model: {
    forces: { part: 5e-7, scale: 1 },
    energy: { part: 1e-12, scale: 1, isSum: true },
    virial: { part: 1e-11, scale: 5, isSum: true },
  },
};

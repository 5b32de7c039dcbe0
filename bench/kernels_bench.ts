/**
 * Measures each kernel except those of pairs, and prints quick figures: `deno bench -A bench/kernels_bench.ts`. A
 * body is 16 steps of 64 systems of 64 atoms: 65 536 atoms in all.
 *
 * @module
 */

import {
  type Backend,
  type Buffer,
  call,
  type FrameBuffers,
  type KernelCall,
  openBackend,
} from "../src/backend/mod.ts";
import { adamStep } from "../src/kernels/learn/adam_step.ts";
import { addModel } from "../src/kernels/add_model.ts";
import { advance } from "../src/kernels/integrate/advance.ts";
import { alignCells } from "../src/kernels/cells/align_cells.ts";
import { barostatChain } from "../src/kernels/barostats/barostat_chain.ts";
import { barostatKick, Coupling } from "../src/kernels/barostats/barostat_kick.ts";
import { centerBias } from "../src/kernels/bonded/center_bias.ts";
import { checkFinite } from "../src/kernels/check_finite.ts";
import { clampForces } from "../src/kernels/modify/clamp_forces.ts";
import { clear } from "../src/kernels/clear.ts";
import { clipNorm } from "../src/kernels/learn/clip_norm.ts";
import { clipValues } from "../src/kernels/learn/clip_values.ts";
import { ACCELERATION } from "../src/kernels/constants.ts";
import { conservedEnergy } from "../src/kernels/measure/conserved_energy.ts";
import { countStage } from "../src/kernels/converge/count_stage.ts";
import { criterion, Level, Reduce } from "../src/kernels/converge/criterion.ts";
import { creditBath } from "../src/kernels/thermostats/credit_bath.ts";
import { deform } from "../src/kernels/cells/deform.ts";
import { drift } from "../src/kernels/integrate/drift.ts";
import { energyChange } from "../src/kernels/measure/energy_change.ts";
import { enterStage } from "../src/kernels/converge/enter_stage.ts";
import { fire2Step } from "../src/kernels/relax/fire2_step.ts";
import { fireStep } from "../src/kernels/relax/fire_step.ts";
import { fmax } from "../src/kernels/measure/fmax.ts";
import { freezeAtoms } from "../src/kernels/modify/freeze_atoms.ts";
import { graduate } from "../src/kernels/converge/graduate.ts";
import { harmonicBonds } from "../src/kernels/bonded/harmonic_bonds.ts";
import { holdCenter } from "../src/kernels/constrain/hold_center.ts";
import { kick } from "../src/kernels/integrate/kick.ts";
import { kickDrift } from "../src/kernels/integrate/kick_drift.ts";
import { kineticEnergy } from "../src/kernels/measure/kinetic_energy.ts";
import { lbfgsStep } from "../src/kernels/relax/lbfgs_step.ts";
import { mix } from "../src/kernels/mix.ts";
import { noseHoover } from "../src/kernels/thermostats/nose_hoover.ts";
import { gaussians, philox } from "../src/kernels/philox.ts";
import { rattle } from "../src/kernels/constrain/rattle.ts";
import { remember } from "../src/kernels/remember.ts";
import { scaleByAdam } from "../src/kernels/learn/scale_by_adam.ts";
import { scaleByLion } from "../src/kernels/learn/scale_by_lion.ts";
import { scaleByMomentum } from "../src/kernels/learn/scale_by_momentum.ts";
import { shake } from "../src/kernels/constrain/shake.ts";
import { spendBudget } from "../src/kernels/converge/spend_budget.ts";
import { strainForces } from "../src/kernels/cells/strain_forces.ts";
import { strainedDrift } from "../src/kernels/barostats/strained_drift.ts";
import { strainedKick } from "../src/kernels/barostats/strained_kick.ts";
import { stress } from "../src/kernels/measure/stress.ts";
import { sumSquares } from "../src/kernels/learn/sum_squares.ts";
import { temperature } from "../src/kernels/measure/temperature.ts";
import { tethers } from "../src/kernels/bonded/tethers.ts";
import { thermalize } from "../src/kernels/thermostats/thermalize.ts";
import { velocityRescale } from "../src/kernels/thermostats/velocity_rescale.ts";
import { wrapPositions } from "../src/kernels/modify/wrap_positions.ts";

const SYSTEMS = 64, EACH = 64, STEPS = 16;
const ATOMS = SYSTEMS * EACH;
const EDGE = 20;

/** All buffers that any kernel wants. */
class World {
  readonly frame: FrameBuffers;
  readonly #backend: Backend;
  readonly #words = new Uint32Array(4);
  readonly #four = new Float64Array(4);

  constructor(backend: Backend) {
    this.#backend = backend;
    this.frame = {
      systems: SYSTEMS,
      offsets: this.i32(SYSTEMS + 1, (s) => EACH * s),
      active: this.i32(SYSTEMS, () => 1),
      ids: this.i32(SYSTEMS, (s) => s),
      ages: this.i32(SYSTEMS),
      control: this.i32(4),
    };
  }

  real(length: number, value: (i: number) => number = () => 0) {
    const buffer = this.#backend.alloc("real", length);
    this.#backend.write(buffer, Float64Array.from({ length }, (_, i) => value(i)));
    return buffer;
  }

  f64(length: number, value: (i: number) => number = () => 0) {
    const buffer = this.#backend.alloc("f64", length);
    this.#backend.write(buffer, Float64Array.from({ length }, (_, i) => value(i)));
    return buffer;
  }

  i32(length: number, value: (i: number) => number = () => 0) {
    const buffer = this.#backend.alloc("i32", length);
    this.#backend.write(buffer, Int32Array.from({ length }, (_, i) => value(i)));
    return buffer;
  }

  /** A Gaussian number, the same in every run. */
  normal(i: number): number {
    philox(i, 0, 0, 99, 1, 2, this.#words);
    gaussians(this.#words, this.#four);
    return this.#four[0]!;
  }
}

/** Kernel → its call. */
function calls(world: World): Record<string, KernelCall> {
  const vectors = (width: number) => world.real(3 * ATOMS, (i) => width * world.normal(i));
  const positions = vectors(EDGE), velocities = vectors(1e-3), forces = vectors(0.1);
  const weights = world.real(ATOMS, () => ACCELERATION / 39.948);
  const dt = world.real(SYSTEMS, () => 1), zeros = world.f64(SYSTEMS);
  const energy = world.f64(SYSTEMS), virial = world.f64(9 * SYSTEMS), images = world.i32(3 * ATOMS);
  const cell = world.real(9 * SYSTEMS, (i) => i % 9 % 4 === 0 ? EDGE : 0);
  const strain = world.real(9 * SYSTEMS, () => 0);
  const reference = world.real(18 * SYSTEMS, (i) => i % 9 % 4 === 0 ? EDGE : 0);
  const pbc = world.i32(3 * SYSTEMS, () => 1), ones = world.i32(SYSTEMS, () => 1);
  const sums = { forces, energy, virial, want: 3 };
  const place = { positions, cell, images };
  const state = (row: number[]) => ({
    dt: world.f64(SYSTEMS, () => 0.1),
    alpha: world.f64(SYSTEMS, () => 0.1),
    positive: world.i32(SYSTEMS),
    parameters: world.f64(8 * SYSTEMS, (i) => row[i % 8]!),
  });
  const cellLow = world.f64(9 * SYSTEMS);
  const strained = {
    rate: world.f64(9 * SYSTEMS, (i) => i % 9 % 4 === 0 ? 1e-9 : 0),
    freedom: world.i32(SYSTEMS, () => 3 * EACH - 3),
  };
  const barostat = world.f64(4 * SYSTEMS, (i) => [1, 1e-3, 0.01, 1e9][i % 4]!); // too heavy to move
  return {
    kick: call(kick, { velocities, forces, weights, dt }),
    kick_drift: call(kickDrift, { positions, velocities, forces, weights, dt }),
    drift: call(drift, { positions, velocities, dt, fraction: 0.5 }),
    thermalize: call(thermalize, {
      velocities,
      weights,
      dt,
      temperature: world.real(SYSTEMS, () => 90),
      friction: world.real(SYSTEMS, () => 1e-2),
      bathEnergy: world.f64(SYSTEMS),
      seedLow: 1,
      seedHigh: 2,
    }),
    velocity_rescale: call(velocityRescale, {
      velocities,
      weights,
      dt,
      temperature: world.real(SYSTEMS, () => 90),
      time: world.real(SYSTEMS, () => 100),
      freedom: world.i32(SYSTEMS, () => 3 * EACH - 3),
      bathEnergy: world.f64(SYSTEMS),
      seedLow: 1,
      seedHigh: 2,
    }),
    barostat_chain: call(barostatChain, {
      ...strained,
      parameters: barostat,
      bathEnergy: zeros,
      others: energy,
      eta: world.f64(3 * SYSTEMS),
      etaDot: world.f64(3 * SYSTEMS),
      coupling: Coupling.TRICLINIC,
      length: 3,
      parts: 3,
    }),
    barostat_kick: call(barostatKick, {
      ...strained,
      velocities,
      weights,
      cell,
      cellLow,
      virial,
      parameters: barostat,
      bathEnergy: zeros,
      coupling: Coupling.TRICLINIC,
    }),
    strained_drift: call(strainedDrift, { ...place, velocities, dt, rate: strained.rate, cellLow }),
    strained_kick: call(strainedKick, { ...strained, velocities, forces, weights, dt }),
    nose_hoover: call(noseHoover, {
      velocities,
      weights,
      dt,
      temperature: world.real(SYSTEMS, () => 90),
      time: world.real(SYSTEMS, () => 100),
      freedom: world.i32(SYSTEMS, () => 3 * EACH - 3),
      eta: world.f64(3 * SYSTEMS),
      etaDot: world.f64(3 * SYSTEMS),
      bathEnergy: world.f64(SYSTEMS),
      length: 3,
      parts: 3,
    }),
    fire_step: call(fireStep, {
      positions,
      velocities,
      forces,
      weights,
      ...state([1, 0.01, 0.2, 5, 0.5, 1.1, 0.1, 0.99]),
    }),
    fire2_step: call(fire2Step, {
      positions,
      velocities,
      forces,
      ...state([0.8, 0.05, 0.1, 60, 0.75, 1.05, 0.09, 0.985]),
    }),
    lbfgs_step: call(lbfgsStep, {
      positions,
      forces,
      energy: undefined,
      history: world.real(6 * 7 * ATOMS, (i) => 0.01 * world.normal(i)),
      memory: world.f64(10 * SYSTEMS, () => 1),
      counts: world.i32(3 * SYSTEMS, (i) => i % 3 === 0 ? 6 : 0),
      parameters: world.f64(3 * SYSTEMS, (i) => [70, 1, 0.2][i % 3]!),
      depth: 6,
      cellPositions: undefined,
      cellForces: undefined,
      cellHistory: undefined,
    }),
    strain_forces: call(strainForces, {
      forces,
      virial,
      cell,
      pbc,
      energy: undefined,
      enthalpy: undefined,
      strain,
      reference,
      parameters: world.f64(2 * SYSTEMS),
      cellForces: world.real(9 * SYSTEMS, () => 0),
      pulled: vectors(0),
      first: 0,
      end: 0,
    }),
    deform: call(deform, {
      positions: vectors(EDGE),
      strain,
      reference,
      moved: vectors(0.1),
      cell: world.real(9 * SYSTEMS, (i) => i % 9 % 4 === 0 ? EDGE : 0),
      strained: world.real(9 * SYSTEMS, () => 0),
    }),
    add_model: call(addModel, {
      energies: world.real(ATOMS, (a) => world.normal(a)),
      atomForces: vectors(0.1),
      stresses: world.real(9 * SYSTEMS, (i) => world.normal(i)),
      constants: world.f64(SYSTEMS, () => -1e3),
      cell,
      forces,
      energy,
      virial,
      perAtom: 1,
      energyUnit: 27.2114,
      forceUnit: 51.4221,
      stressUnit: 1,
    }),
    check_finite: call(checkFinite, { positions: vectors(EDGE), velocities, forces, cell, energy }),
    clear: call(clear, { forces, energy, virial }),
    advance: call(advance, {}),
    fmax: call(fmax, { forces, fmax: zeros }),
    kinetic_energy: call(kineticEnergy, { velocities, weights, kinetic: zeros }),
    temperature: call(temperature, { kinetic: energy, freedom: ones, temperature: zeros }),
    conserved_energy: call(conservedEnergy, {
      energy,
      kinetic: energy,
      bathEnergy: energy,
      conserved: zeros,
    }),
    energy_change: call(energyChange, { energy, previous: zeros, change: world.f64(SYSTEMS) }),
    stress: call(stress, { virial, cell, stress: world.f64(9 * SYSTEMS) }),
    criterion: call(criterion, {
      real: forces,
      f64: undefined,
      width: 3,
      level: Level.NODE,
      reduce: Reduce.NORM,
      threshold: 0,
      met: world.i32(SYSTEMS),
    }),
    graduate: call(graduate, {
      met: world.i32(SYSTEMS),
      converged: world.i32(SYSTEMS),
      status: world.i32(SYSTEMS),
      source: 1,
      target: 2,
      stop: 0,
    }),
    enter_stage: call(enterStage, {
      awake: world.i32(SYSTEMS),
      status: world.i32(SYSTEMS),
      first: 0,
      end: 1,
      notes: 1,
    }),
    count_stage: call(countStage, {
      status: world.i32(SYSTEMS),
      stage: world.i32(SYSTEMS),
      steps: world.i32(3 * SYSTEMS),
      stages: 3,
    }),
    spend_budget: call(spendBudget, {
      status: world.i32(SYSTEMS),
      steps: world.i32(3 * SYSTEMS),
      begun: world.i32(3 * SYSTEMS),
      spent: world.i32(SYSTEMS),
      stages: 3,
      first: 0,
      end: 1,
      budget: 1e9,
      stop: 0,
    }),
    clamp_forces: call(clampForces, { forces, limit: 0.05 }),
    freeze_atoms: call(freezeAtoms, {
      positions,
      velocities,
      forces,
      frozen: world.i32(ATOMS, (a) => 7 * (a % 2)),
      anchors: vectors(EDGE),
      images,
      cell,
      what: 7,
    }),
    ...constraining(world, { positions, velocities, weights, dt, cell, pbc }),
    wrap_positions: call(wrapPositions, { ...place, pbc }),
    align_cells: call(alignCells, { cell, positions, velocities, forces, pbc }),
    tethers: call(tethers, {
      ...place,
      anchors: vectors(EDGE),
      stiffness: world.real(ATOMS, () => 1e-3),
      ...sums,
    }),
    harmonic_bonds: call(harmonicBonds, {
      starts: world.i32(SYSTEMS + 1, (s) => (EACH - 1) * s),
      bonds: world.i32(2 * (EACH - 1) * SYSTEMS, (i) => Math.floor(i / 2) % (EACH - 1) + i % 2),
      shifts: undefined,
      lengths: world.real((EACH - 1) * SYSTEMS, () => 1),
      stiffness: world.real((EACH - 1) * SYSTEMS, () => 1e-3),
      ...place,
      ...sums,
    }),
    center_bias: call(centerBias, {
      ...place,
      masses: world.real(ATOMS, () => 1),
      center: world.real(3 * SYSTEMS),
      stiffness: world.real(SYSTEMS, () => 1e-3),
      ...sums,
    }),
  };
}

/** Kernel → its call, of those that hold atoms, centers and bonds: pairs of atoms that have come apart. */
function constraining(
  world: World,
  { positions, velocities, weights, dt, ...rest }:
    & Record<
      "positions" | "velocities" | "weights" | "dt" | "cell",
      Buffer<"real">
    >
    & { readonly pbc: Buffer<"i32"> },
): Record<string, KernelCall> {
  const pairs = EACH / 2, masses = world.real(ATOMS, () => 1);
  const before = world.real(3 * ATOMS), low = world.real(3 * ATOMS);
  const off = (k: number) => k % 6 === 3 ? 1 : 0.01 * world.normal(k);
  const apart = world.real(3 * ATOMS, off);
  const bonded = {
    ...rest,
    weights,
    starts: world.i32(SYSTEMS + 1, (s) => pairs * s),
    clusters: world.i32(pairs * SYSTEMS + 1, (c) => c),
    bonds: world.i32(2 * pairs * SYSTEMS, (i) => i % EACH),
    tolerance: 1e-6,
    most: 100,
    low,
  };
  return {
    remember: call(remember, { source: positions, target: before }),
    credit_bath: call(creditBath, { velocities, before, weights, bathEnergy: world.f64(SYSTEMS) }),
    hold_center: call(holdCenter, { vectors: velocities, masses }),
    shake: call(shake, {
      ...bonded,
      velocities,
      dt,
      fraction: 1,
      width: pairs,
      lowBefore: world.real(3 * ATOMS),
      lengths: world.f64(pairs * SYSTEMS, () => 1),
      positions: apart,
      before: world.real(3 * ATOMS, off),
    }),
    rattle: call(rattle, { ...bonded, vectors: world.real(3 * ATOMS, off), positions: apart }),
  };
}

/** Kernel → its call, of those of training: one number per atom. Each goes on from where it has brought its numbers. */
function learning(world: World): Record<string, KernelCall> {
  const numbers = (width: number) => world.real(ATOMS, (i) => width * world.normal(i));
  const rows = (...row: number[]) => world.real(row.length * SYSTEMS, (i) => row[i % row.length]!);
  const [updates, values, trace] = [numbers(1), numbers(1), numbers(1)];
  const first = numbers(1e-3), second = world.real(ATOMS, (i) => world.normal(i) ** 2);
  const adam = [0.9, 0.1, 0.999, 1e-3], one = rows(1);
  return {
    mix: call(mix, { target: values, source: updates, keep: rows(0.9), take: rows(0.1) }),
    sum_squares: call(sumSquares, { values, squares: world.f64(SYSTEMS) }),
    // By so little at a time that they do not come to nothing.
    clip_norm: call(clipNorm, {
      values,
      squares: world.f64(SYSTEMS, () => 1),
      limit: world.real(1, () => 7.999999),
    }),
    clip_values: call(clipValues, { values, limit: one }),
    scale_by_adam: call(scaleByAdam, {
      updates,
      first,
      second,
      settings: rows(...adam, 1, 1, 1e-8),
    }),
    scale_by_momentum: call(scaleByMomentum, { updates, trace, settings: rows(0.9, 0.1, 0) }),
    scale_by_lion: call(scaleByLion, { updates, trace, settings: rows(0.9, 0.1, 0.99, 0.01) }),
    adam_step: call(adamStep, {
      parameters: values,
      gradients: trace,
      first,
      second,
      settings: rows(...adam, 1e-6, 1, 1e-8, 1, 0),
    }),
  };
}

for (const name of ["reference", "wasm"]) {
  const backend = openBackend(name);
  const world = new World(backend);
  for (const [kernel, step] of Object.entries({ ...calls(world), ...learning(world) })) {
    const program = backend.prepare(world.frame, [step]);
    Deno.bench({
      name: `${kernel} (${name})`,
      group: kernel,
      baseline: name === "reference",
      fn: async () => void await backend.run(program, 0, STEPS),
    });
  }
}

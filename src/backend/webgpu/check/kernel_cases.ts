/**
 * Small cases of each family of kernels, for comparing a device with the reference backend.
 *
 * @module
 */

import { addModel } from "../../../kernels/add_model.ts";
import { strainedDrift } from "../../../kernels/barostats/strained_drift.ts";
import { harmonicBonds } from "../../../kernels/bonded/harmonic_bonds.ts";
import { deform } from "../../../kernels/cells/deform.ts";
import { TIME_UNIT_FS } from "../../../kernels/constants.ts";
import { rattle } from "../../../kernels/constrain/rattle.ts";
import { criterion, Level, Reduce } from "../../../kernels/converge/criterion.ts";
import { edges as listEdges } from "../../../kernels/edges/edges.ts";
import { kickDrift } from "../../../kernels/integrate/kick_drift.ts";
import { adamStep } from "../../../kernels/learn/adam_step.ts";
import { fmax } from "../../../kernels/measure/fmax.ts";
import { wrapPositions } from "../../../kernels/modify/wrap_positions.ts";
import { tracePair } from "../../../kernels/pairs/expression/trace_pair.ts";
import { neighbors } from "../../../kernels/pairs/neighbors.ts";
import { pairKernel } from "../../../kernels/pairs/pair_potential.ts";
import { fireStep } from "../../../kernels/relax/fire_step.ts";
import { velocityRescale } from "../../../kernels/thermostats/velocity_rescale.ts";
import { type Buffer, call, type Edges, type KernelCall } from "../../backend.ts";
import type { SampleBatch } from "./sample_batch.ts";

/** Numbers to compare. `from` computes them from the values of `buffers`, for buffers whose order is undefined. */
export interface Result {
  readonly buffers: readonly Buffer[];
  readonly from?: (values: readonly ArrayLike<number>[]) => ArrayLike<number>;
}

/** Kernel calls to run once, and the results to compare afterwards. */
export interface KernelCase {
  readonly calls: readonly KernelCall[];
  /** The results to compare, by name. */
  readonly results: Readonly<Record<string, Buffer | Result>>;
}

/**
 * Cutoff of the pairs, Å. It lies between the distances of first and second neighbors, so that rounding does not
 * decide which pairs are listed.
 */
const CUTOFF = 4.1;

/** A pair potential that is about 0 at the cutoff. */
const repulsion = tracePair(
  ["strength"],
  (r, { strength }) => strength.mul(r.div(0.5).neg().exp()),
);

/** Functions that create the case of each family of kernels, by family. */
export const KERNEL_CASES: Readonly<Record<string, (batch: SampleBatch) => KernelCase>> = {
  integrate(batch) {
    const moved = { positions: batch.perAtom(3, 0.01), velocities: batch.perAtom(3, 0.01) };
    return {
      calls: [call(kickDrift, { ...moved, ...dynamics(batch), low: undefined })],
      results: moved,
    };
  },
  pairs(batch) {
    const { pairs, list, place } = neighborList(batch);
    const sums = batch.sums();
    const parameters = batch.make("real", repulsion.row([40], CUTOFF, true));
    const args = { pairs, ...place, images: undefined, species: undefined, parameters, ...sums };
    const kernel = pairKernel(repulsion.program);
    return { calls: [list, call(kernel, { ...args, switchWidth: 0, want: 3 })], results: sums };
  },
  edges(batch) {
    const { pairs, list, place } = neighborList(batch);
    const options = { pairs, cutoff: CUTOFF, isHalf: false, reach: 0 };
    const edges = batch.backend.edges(batch.frame, options);
    return {
      calls: [list, call(listEdges, { edges, ...place, images: undefined })],
      results: { counts: edges.counts, edges: edgesOfAtoms(edges, batch.atoms) },
    };
  },
  bonded(batch) {
    const { positions, cell } = batch.places();
    const { bondStarts, bonds } = chains(batch);
    const springs = Array.from({ length: bonds.length / 2 }, (_, b) => b);
    const sums = batch.sums();
    const args = {
      starts: batch.make("i32", bondStarts),
      bonds: batch.make("i32", bonds),
      shifts: batch.make("i32", springs.flatMap((b) => [b % 2, 0, -(b % 3 % 2)])),
      lengths: batch.make("real", springs.map(() => 3)),
      stiffness: batch.make("real", springs.map((b) => 0.1 + b % 4 / 8)),
    };
    const place = { positions, cell, images: undefined };
    return { calls: [call(harmonicBonds, { ...args, ...place, ...sums, want: 3 })], results: sums };
  },
  constrain(batch) {
    const { positions } = batch.places();
    const vectors = batch.perAtom(3, 0.01);
    const { clusterStarts, clusters, bonds } = chains(batch);
    const args = {
      starts: batch.make("i32", clusterStarts),
      clusters: batch.make("i32", clusters),
      bonds: batch.make("i32", bonds),
      weights: batch.perAtom(1, 0.001, 0.003),
    };
    const none = { held: undefined, low: undefined, cell: undefined, pbc: undefined };
    return {
      calls: [call(rattle, { ...args, ...none, vectors, positions, tolerance: 1e-6, most: 500 })],
      results: { vectors },
    };
  },
  thermostats(batch) {
    const { weights, dt } = dynamics(batch);
    const changed = {
      velocities: batch.perAtom(3, 0.01),
      bathEnergy: batch.spreadPerSystem("f64", 1, 0.1),
    };
    const args = {
      weights,
      dt,
      temperature: batch.spreadPerSystem("real", 1, 100, 300),
      time: batch.spreadPerSystem("real", 1, 5, 10),
      freedom: batch.perSystem("i32", (s) => [3 * batch.sizes[s]!]),
    };
    return {
      calls: [call(velocityRescale, { ...changed, ...args, seedLow: 0xfedcba98, seedHigh: 3 })],
      results: changed,
    };
  },
  barostats(batch) {
    const { cell } = batch.places();
    const positions = batch.perAtom(3, 9);
    const args = {
      velocities: batch.perAtom(3, 0.01),
      dt: dynamics(batch).dt,
      rate: batch.perSystem(
        "f64",
        (s) => [1, 2, 3, 2, -1, 4, 3, 4, 2].map((x) => x * (1 + s) / 100),
      ),
      cellLow: batch.spreadPerSystem("f64", 9, 1e-7),
    };
    return {
      calls: [call(strainedDrift, { ...args, positions, cell, low: undefined })],
      results: { positions, cell },
    };
  },
  cells(batch) {
    const { positions, cell } = batch.places();
    const strain = (by: number) =>
      batch.perSystem("real", (s) => [1, 2, 3, 2, -1, 4, 3, 4, 2].map((x) => by * x * (1 + s)));
    const changed = { positions, cell, moved: batch.perAtom(3, 0.1), strain: strain(0.01) };
    const args = { strained: strain(-0.02), reference: batch.spreadPerSystem("real", 18, 1, 5) };
    return { calls: [call(deform, { ...changed, ...args })], results: changed };
  },
  relax(batch) {
    const changed = {
      positions: batch.perAtom(3, 0.01),
      velocities: batch.perAtom(3, 0.01),
      dt: batch.spreadPerSystem("f64", 1, 0.1, 0.3),
      alpha: batch.spreadPerSystem("f64", 1, 0.02, 0.08),
      positive: batch.perSystem("i32", (s) => [4 * s]),
    };
    const { forces, weights } = dynamics(batch);
    const args = {
      forces,
      weights,
      parameters: batch.perSystem(
        "f64",
        () => [TIME_UNIT_FS, 0.02 * TIME_UNIT_FS, 0.2, 5, 0.5, 1.1, 0.1, 0.99],
      ),
      cellPositions: undefined,
      cellVelocities: undefined,
      cellForces: undefined,
    };
    return { calls: [call(fireStep, { ...changed, ...args })], results: changed };
  },
  measure(batch) {
    const found = batch.spreadPerSystem("f64", 1, 1);
    const none = { cellForces: undefined, stage: undefined, drives: undefined };
    return {
      calls: [call(fmax, { forces: batch.perAtom(3, 2), fmax: found, ...none })],
      results: { fmax: found },
    };
  },
  converge(batch) {
    const met = batch.perSystem("i32", () => [1]);
    const rule = { width: 3, level: Level.NODE, reduce: Reduce.NORM, threshold: 2.5 };
    return {
      calls: [call(criterion, { ...rule, real: batch.perAtom(3, 2), f64: undefined, met })],
      results: { met },
    };
  },
  modify(batch) {
    const { cell } = batch.places();
    const positions = batch.perAtom(3, 40);
    const images = batch.make("i32", new Array(3 * batch.atoms).fill(1));
    const pbc = batch.perSystem("i32", (s) => [1, s % 2, 1]);
    return {
      calls: [call(wrapPositions, { positions, images, cell, pbc })],
      results: { positions, images },
    };
  },
  learn(batch) {
    const changed = {
      parameters: batch.perAtom(1, 1),
      first: batch.perAtom(1, 1),
      second: batch.perAtom(1, 0.01, 0.02),
    };
    const settings = batch.perSystem(
      "real",
      (s) => [0.9, 0.1, 0.99, 0.01, 0.05 * (1 + s), 4, 1e-3, 0.99, 0.1],
    );
    const args = { ...changed, gradients: batch.perAtom(1, 1), settings };
    return { calls: [call(adamStep, args)], results: changed };
  },
  models(batch) {
    const sums = batch.sums();
    const args = {
      energies: batch.perAtom(1, 1),
      atomForces: batch.perAtom(3, 1),
      stresses: batch.spreadPerSystem("real", 9, 1),
      constants: batch.spreadPerSystem("f64", 1, 100),
      cell: batch.places().cell,
    };
    const units = { energyUnit: 0.0367, forceUnit: 1.1, stressUnit: 1 / 160.2 };
    return { calls: [call(addModel, { ...args, ...sums, perAtom: 1, ...units })], results: sums };
  },
};

function dynamics(batch: SampleBatch) {
  return {
    forces: batch.perAtom(3, 1),
    weights: batch.perAtom(1, 0.001, 0.003),
    dt: batch.spreadPerSystem("real", 1, 0.5, 1),
  };
}

function neighborList(batch: SampleBatch) {
  const place = batch.places();
  const pairs = batch.backend.pairs(batch.frame, { cutoff: CUTOFF, skin: 0.1 });
  const pbc = batch.perSystem("i32", (s) => [1, s % 2, 1]);
  return { pairs, place, list: call(neighbors, { pairs, ...place, pbc, images: undefined }) };
}

/** Returns bonds that connect atoms to chains of 2, 3 and 4 atoms in turn. Each chain is a cluster. */
function chains({ sizes }: SampleBatch) {
  const bondStarts = [0], clusterStarts = [0], clusters = [0], bonds: number[] = [];
  for (const size of sizes) {
    for (let a = 0, length = 2; a + length <= size; a += length, length = 2 + (length - 1) % 3) {
      for (let i = a; i + 1 < a + length; i++) bonds.push(i, i + 1);
      clusters.push(bonds.length / 2);
    }
    bondStarts.push(bonds.length / 2);
    clusterStarts.push(clusters.length - 1);
  }
  return { bondStarts, clusterStarts, clusters, bonds };
}

/** Returns a result that compares edges by one sum for each source atom, because the order of edges is undefined. */
function edgesOfAtoms(edges: Edges, atoms: number): Result {
  return {
    buffers: [edges.counts, edges.index, edges.shifts],
    from([counts, index, shifts]) {
      const sums = new Float64Array(atoms);
      const capacity = index!.length / 2;
      for (let e = 0; e < Math.min(counts![0]!, capacity); e++) {
        const [x, y, z] = [shifts![3 * e]!, shifts![3 * e + 1]!, shifts![3 * e + 2]!];
        sums[index![e]!]! += 1 + 0.01 * index![capacity + e]! + 0.1 * x + 0.2 * y + 0.3 * z;
      }
      return sums;
    },
  };
}

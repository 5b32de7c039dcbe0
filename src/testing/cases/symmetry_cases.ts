/**
 * Test cases for symmetries of models.
 *
 * @module
 */

import type { Evaluation } from "../evaluation.ts";
import {
  type Bench,
  compareEvaluations,
  type Comparison,
  given,
  type ModelSetting,
  onBench,
  scalesOf,
  withSubject,
} from "../model_bench.ts";
import { assertNear } from "../assert_near.ts";
import {
  doubled,
  imaged,
  isPeriodic,
  reordered,
  rowsOf,
  shifted,
  type Structure,
  times,
  transformed,
} from "../structure.ts";
import type { TestCase } from "./test_case.ts";

/** A symmetry that a model may break. */
export type Symmetry = "translation" | "rotation" | "permutation" | "extensivity" | "images";

/**
 * Returns one case per symmetry that the model does not break, and one for counted wraps of atoms. Cases about
 * periodic images are left out if no system is periodic.
 */
export function symmetryCases(setting: ModelSetting, breaks: readonly string[]): TestCase[] {
  const all: readonly (readonly [Symmetry | "counts", string, (bench: Bench) => Promise<void>])[] =
    [
      ["translation", "results are invariant under translation, and forces sum to zero", moves],
      ["rotation", "forces and stresses rotate with a system, and energies are invariant", turns],
      ["permutation", "results do not depend on the order of atoms", reorders],
      ["extensivity", "a doubled system has twice the energy, and the same forces", doubles],
      ["images", "results do not depend on periodic images", images],
      ["counts", "results do not depend on counted wraps of atoms", wraps],
    ];
  const repeats = setting.systems.some(({ pbc }) => pbc.some((flag) => flag !== 0));
  const hidden = repeats ? breaks : [...breaks, "images", "counts"];
  return all.filter(([symmetry]) => !hidden.includes(symmetry))
    .map(([, name, test]) => onBench(setting, name, test));
}

function compared(bench: Bench, what: string): Comparison {
  return { what, outputs: given(bench), tolerance: bench.tolerance };
}

async function moves(bench: Bench): Promise<void> {
  const { structures, ask, tolerance } = bench;
  const said = await ask(structures);
  const there = await ask(structures.map((one) => shifted(one, [5.5, -3.25, 2.125])));
  compareEvaluations(there, said, compared(bench, "elsewhere"));
  for (const [s, { forces }] of said.entries()) {
    const sums = [0, 1, 2].map((axis) =>
      forces.reduce((sum, f, i) => i % 3 === axis ? sum + f : sum, 0)
    );
    // The tolerance applies to each force, so that of the sum is larger.
    const scale = scalesOf(said).forces * Math.sqrt(forces.length);
    withSubject(
      `sum of the forces of system ${s}`,
      () => assertNear(sums, [0, 0, 0], tolerance, scale),
    );
  }
}

const [A, B] = [0.7, 1.9];
/** Rotation about x, then about z. */
const TURN = [
  Math.cos(A),
  Math.sin(A) * Math.cos(B),
  Math.sin(A) * Math.sin(B),
  -Math.sin(A),
  Math.cos(A) * Math.cos(B),
  Math.cos(A) * Math.sin(B),
  0,
  -Math.sin(B),
  Math.cos(B),
];

async function turns(bench: Bench): Promise<void> {
  const { structures, ask } = bench;
  const said = await ask(structures);
  const turned = await ask(structures.map((one) => transformed(one, TURN)));
  const expected = said.map(({ energy, forces, virial }): Evaluation => ({
    energy,
    forces: times(forces, TURN),
    virial: transposed(times(transposed(times(virial, TURN)), TURN)),
  }));
  compareEvaluations(turned, expected, compared(bench, "turned"));
}

function transposed(m: readonly number[]): number[] {
  return [0, 3, 6, 1, 4, 7, 2, 5, 8].map((i) => m[i]!);
}

async function reorders(bench: Bench): Promise<void> {
  const { structures, ask } = bench;
  const orders = structures.map(({ numbers }) => {
    const places = numbers.map((_, atom) => atom);
    return [...places.filter((atom) => atom % 2 === 1), ...places.filter((atom) => atom % 2 === 0)]
      .reverse();
  });
  const said = await ask(structures);
  const mixed = await ask(structures.map((one, s) => reordered(one, orders[s]!)));
  const expected = said.map((one, s) => ({ ...one, forces: rowsOf(one.forces, orders[s]!) }));
  compareEvaluations(mixed, expected, compared(bench, "in another order"));
}

async function doubles(bench: Bench): Promise<void> {
  const { structures, ask, far } = bench;
  const said = await ask(structures);
  const twice = await ask(structures.map((one) => doubled(one, far)));
  const expected = said.map(({ energy, forces, virial }) => ({
    energy: 2 * energy,
    forces: [...forces, ...forces],
    virial: virial.map((w) => 2 * w),
  }));
  compareEvaluations(twice, expected, compared(bench, "doubled"));
}

async function images(bench: Bench): Promise<void> {
  await onImages(bench, false, "of other images");
}

async function wraps(bench: Bench): Promise<void> {
  await onImages(bench, true, "wrapped");
}

async function onImages(bench: Bench, counts: boolean, what: string): Promise<void> {
  const periodic: Structure[] = bench.structures.filter(isPeriodic);
  const said = await bench.ask(periodic);
  const there = await bench.ask(periodic.map((one) => imaged(one, counts)));
  compareEvaluations(there, said, compared(bench, what));
}

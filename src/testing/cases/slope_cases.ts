/**
 * Test cases that compare forces and stresses with finite differences of the energy.
 *
 * @module
 */

import { assertNear } from "../assert_near.ts";
import { type Bench, type ModelSetting, onBench, scalesOf, withSubject } from "../model_bench.ts";
import { nudged, type Structure, transformed } from "../structure.ts";
import type { TestCase } from "./test_case.ts";

/** Returns the case that compares forces. */
export function slopeCase(setting: ModelSetting): TestCase {
  return onBench(setting, "forces are the negative gradient of the energy", forces);
}

/** Returns the case that compares stresses. */
export function strainCase(setting: ModelSetting): TestCase {
  return onBench(setting, "stresses are derivatives of the energy by strain", stresses);
}

/** Five-point stencil of fourth order: displacements and weights. */
const STENCIL = [[-2, 1], [-1, -8], [1, 8], [2, -1]] as const;

/**
 * Returns the derivatives of the energy along `directions` directions. `moved` displaces the structure along one of
 * them, by multiples of `unit` times the step of the bench.
 */
async function slopes(
  { ask, step }: Bench,
  directions: number,
  moved: (direction: number, by: number) => Structure,
  unit: number,
): Promise<number[]> {
  const all = Array.from(
    { length: directions },
    (_, k) => STENCIL.map(([by]) => moved(k, by * unit * step)),
  );
  const said = await ask(all.flat(), { wanted: { energy: true, stress: false } });
  return all.map((_, k) =>
    STENCIL.reduce((sum, [, weight], i) => sum + weight * said[4 * k + i]!.energy, 0) /
    (12 * unit * step)
  );
}

async function forces(bench: Bench): Promise<void> {
  const { structures, ask, slopeTolerance } = bench;
  const said = await ask(structures);
  const scale = scalesOf(said).forces;
  for (const [s, structure] of structures.entries()) {
    const { positions } = structure;
    const found = await slopes(bench, positions.length, (at, by) => nudged(structure, at, by), 1);
    withSubject(
      `forces of system ${s}`,
      () => assertNear(said[s]!.forces, found.map((slope) => -slope), slopeTolerance, scale),
    );
  }
}

/**
 * Factor of the displacement for strains, because a strain moves atoms of a large cell by far more than 1 Å times
 * itself.
 */
const STRAIN = 1 / 4;

async function stresses(bench: Bench): Promise<void> {
  const { structures, ask, slopeTolerance } = bench;
  const said = await ask(structures);
  const scale = scalesOf(said).virial;
  for (const [s, structure] of structures.entries()) {
    const strained = (k: number, by: number) =>
      transformed(structure, [1, 0, 0, 0, 1, 0, 0, 0, 1].map((x, i) => i === k ? x + by : x));
    const found = await slopes(bench, 9, strained, STRAIN);
    withSubject(
      `virial of system ${s}`,
      () => assertNear(said[s]!.virial, found.map((slope) => -slope), slopeTolerance, scale),
    );
  }
}

/**
 * Forces and stresses against differences of energies.
 *
 * @module
 */

import { assertNear } from "../assert_near.ts";
import { type Bench, type ModelSetting, onBench, scalesOf, told } from "../model_bench.ts";
import { nudged, type Structure, transformed } from "../structure.ts";
import type { TestCase } from "./test_case.ts";

/** Forces are slopes of the energy. */
export function slopeCase(setting: ModelSetting): TestCase {
  return onBench(setting, "forces are minus the slopes of the energy", forces);
}

/** Stresses are slopes by strain. */
export function strainCase(setting: ModelSetting): TestCase {
  return onBench(setting, "stresses are slopes of the energy by strain", stresses);
}

/** Slopes of fourth order: by how much, and how often each energy counts. */
const STENCIL = [[-2, 1], [-1, -8], [1, 8], [2, -1]] as const;

/** The slope of the energy along each of so many directions. */
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
    told(
      `forces of system ${s}`,
      () => assertNear(said[s]!.forces, found.map((slope) => -slope), slopeTolerance, scale),
    );
  }
}

/** A strain moves the atoms of a large cell by far more than 1 Å times it. */
const STRAIN = 1 / 4;

async function stresses(bench: Bench): Promise<void> {
  const { structures, ask, slopeTolerance } = bench;
  const said = await ask(structures);
  const scale = scalesOf(said).virial;
  for (const [s, structure] of structures.entries()) {
    const strained = (k: number, by: number) =>
      transformed(structure, [1, 0, 0, 0, 1, 0, 0, 0, 1].map((x, i) => i === k ? x + by : x));
    const found = await slopes(bench, 9, strained, STRAIN);
    told(
      `virial of system ${s}`,
      () => assertNear(said[s]!.virial, found.map((slope) => -slope), slopeTolerance, scale),
    );
  }
}

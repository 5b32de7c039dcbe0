/**
 * The targets of models of atoms, read from systems.
 *
 * @module
 */

import { atomicSymbol } from "../../batch/elements.ts";
import { show } from "../../base/show.ts";
import type { System } from "../../batch/system.ts";
import type { AtomsPlan, Target } from "./atoms_options.ts";

/** Target → its numbers in each system. Those that are not learned are not there. */
export type AtomsTargets = ReadonlyMap<Target, readonly Float32Array[]>;

/**
 * The targets of all systems. Optional ones are included if every system has them.
 *
 * @throws {RangeError} for systems that have not what others have or what is asked for, and for elements that nothing is
 * known of, naming the system
 */
export function targetsOf(
  action: string,
  systems: readonly System[],
  plan: AtomsPlan,
): AtomsTargets {
  const targets = new Map<Target, readonly Float32Array[]>();
  for (const target of ["energy", "forces", "stress"] as const) {
    const place = plan.targets[target];
    if (place === false || !plan.names.has(target)) continue;
    const found = systems.map((system) => valuesOf(system, target, place ?? target));
    const missing = found.indexOf(undefined);
    if (missing === -1) {
      targets.set(
        target,
        (found as Float64Array[]).map((values, i) => {
          const taken = target === "energy" ? freeEnergy(action, systems[i]!, i, plan) : 0;
          return Float32Array.from(values, (value) => value - taken);
        }),
      );
    } else if (place !== undefined || found.some((values) => values !== undefined)) {
      throw new RangeError(
        `Cannot ${action} as every system must have ${show(place ?? target)}, ${
          COUNTS[target]
        }, unless ${target} is false: system ${missing} has not`,
      );
    }
  }
  return targets;
}

const COUNTS: Readonly<Record<Target, string>> = {
  energy: "a finite number",
  forces: "three finite numbers per atom",
  stress: "nine finite numbers, or six",
};

/** Finite numbers of the right count, from a field or from what else is known of the system. */
function valuesOf(system: System, target: Target, place: string): Float64Array | undefined {
  const found = system.has(place)
    ? system.get(place)
    : Object.hasOwn(system.info, place)
    ? system.info[place]
    : undefined;
  const list = typeof found === "number" ? [found] : flat(found);
  if (list === undefined || !list.every((x) => Number.isFinite(x))) return undefined;
  const values = Float64Array.from(list as number[]);
  if (target === "stress" && values.length === 6) return fromVoigt(values);
  const count = { energy: 1, forces: 3 * system.nodeCount, stress: 9 }[target];
  return values.length === count ? values : undefined;
}

function flat(found: unknown): unknown[] | undefined {
  if (Array.isArray(found)) return found.flat();
  return ArrayBuffer.isView(found) ? Array.from(found as Float64Array) : undefined;
}

/** xx, yy, zz, yz, xz, xy as a matrix. */
function fromVoigt([xx, yy, zz, yz, xz, xy]: Float64Array): Float64Array {
  return Float64Array.of(xx!, xy!, xz!, xy!, yy!, yz!, xz!, yz!, zz!);
}

/** The energy of its atoms one by one, eV. */
function freeEnergy(
  action: string,
  { numbers }: System,
  place: number,
  { energies }: AtomsPlan,
): number {
  if (energies === undefined) return 0;
  let sum = 0;
  for (const number of numbers) sum += energies.get(number) ?? refuse(action, number, place);
  return sum;
}

function refuse(action: string, number: number, place: number): never {
  throw new RangeError(
    `Cannot ${action} as elementEnergies must have every element: system ${place} has ${
      atomicSymbol(number)
    }`,
  );
}

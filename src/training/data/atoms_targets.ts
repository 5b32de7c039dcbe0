/**
 * Training targets, read from systems.
 *
 * @module
 */

import { show } from "../../base/show.ts";
import { placeName } from "../../batch/store.ts";
import type { System } from "../../batch/system.ts";
import { cellVolume } from "../../batch/cell.ts";
import { type AtomsPlan, checkWeight, type Target } from "./atoms_options.ts";

/** The targets of a list of systems. Targets that are left out have no entry. */
export interface AtomsTargets {
  /**
   * Values of each target, one array per system: 1 number for energies, 3 per atom for forces, 9 for stresses. They
   * are zeros if a system lacks the target.
   */
  readonly values: ReadonlyMap<Target, readonly Float32Array[]>;
  /**
   * Weights of each target, one number per system; 0 if a system lacks the target. `undefined` if batches have no
   * weights.
   */
  readonly weights: ReadonlyMap<Target, Float32Array> | undefined;
}

const TARGETS: readonly Target[] = ["energy", "forces", "stress"];

/**
 * Returns the targets of all systems. A target whose field the options do not name is included if every system has
 * it. With `partial`, every target is included, and systems may lack it.
 *
 * @param isWhole false if the systems are a part of a dataset; with `partial`, all may then lack a target
 * @param freeEnergy returns the energy of the free atoms of a system in eV, by the index of the system
 * @throws {RangeError} if a system lacks a required target, if a weight is not above 0, or if the energy of an
 * element is unknown; the message names the system
 */
export function targetsOf(
  action: string,
  systems: readonly System[],
  plan: AtomsPlan,
  { freeEnergy, isWhole }: {
    readonly freeEnergy: (place: number) => number;
    readonly isWhole: boolean;
  },
): AtomsTargets {
  const targets = new Map<Target, readonly Float32Array[]>();
  const weights = plan.weights && new Map<Target, Float32Array>();
  const own = plan.weights && weightsOf(action, systems, plan.weights.weight);
  for (const target of TARGETS) {
    const place = plan.targets[target];
    if (place === false || !plan.names.has(target)) continue;
    const found = systems.map((system, i) => targetOf(action, system, i, target, plan));
    if (target === "energy") {
      for (const [i, values] of found.entries()) if (values) values[0]! -= freeEnergy(i);
    }
    const isMissing = found.every((values) => values === undefined);
    if (plan.weights?.isPartial === true) {
      if (isMissing && place !== undefined && isWhole) {
        throw missingTarget(action, target, systems, found, plan);
      }
    } else if (isMissing && place === undefined) {
      continue;
    } else if (found.includes(undefined)) {
      throw missingTarget(action, target, systems, found, plan);
    }
    targets.set(
      target,
      found.map((values, i) => Float32Array.from(values ?? zeros(target, systems[i]!))),
    );
    weights?.set(target, own!.map((weight, i) => found[i] === undefined ? 0 : weight));
  }
  return { values: targets, weights };
}

/** Returns the values of a target of one system; `undefined` if the system lacks the target. */
function targetOf(
  action: string,
  system: System,
  i: number,
  target: Target,
  plan: AtomsPlan,
): Float64Array | undefined {
  return valuesOf(system, target, plan.targets[target] || target) ??
    (target === "stress" ? stressFromVirial(action, system, i, plan) : undefined);
}

function zeros(target: Target, { nodeCount }: System): Float32Array {
  return new Float32Array({ energy: 1, forces: 3 * nodeCount, stress: 9 }[target]);
}

function missingTarget(
  action: string,
  target: Target,
  systems: readonly System[],
  found: readonly unknown[],
  { targets, virial, weights }: AtomsPlan,
): RangeError {
  const place = show(targets[target] || target);
  const places = target === "stress" && virial !== undefined
    ? `${place} or ${show(virial)}`
    : place;
  const hint =
    `If the field has another name, pass ${target}: "<name>"; to leave it out, pass ${target}: false`;
  return new RangeError(
    weights?.isPartial === true
      ? `Cannot ${action}: none of ${found.length} systems has ${places} (${COUNTS[target]}). ` +
        hint
      : `Cannot ${action}: system ${
        placeName(found.indexOf(undefined), systems[found.indexOf(undefined)]!.info)
      } does not have ${places} (${COUNTS[target]}). ` +
        `${hint}; to give systems without it the weight 0, pass partial: true`,
  );
}

/**
 * Returns one weight per system. `weight` is the weight of all systems, or the member of `info` that holds it (1 if
 * missing).
 */
function weightsOf(
  action: string,
  systems: readonly System[],
  weight: number | string,
): Float32Array {
  if (typeof weight === "number") return new Float32Array(systems.length).fill(weight);
  return Float32Array.from(systems, (system, i) => {
    const own = Object.hasOwn(system.info, weight) ? system.info[weight] : 1;
    checkWeight(action, `${show(weight)} of system ${placeName(i, system.info)}`, own);
    return own as number;
  });
}

/** Returns the stress σ = −W / V of a system with the virial W; `undefined` if it has no virial. */
function stressFromVirial(
  action: string,
  system: System,
  i: number,
  { virial }: AtomsPlan,
): Float64Array | undefined {
  const values = virial === undefined ? undefined : valuesOf(system, "stress", virial);
  if (values === undefined) return undefined;
  const volume = cellVolume(system.cell);
  if (volume > 0) return values.map((value) => -value / volume);
  throw new RangeError(
    `Cannot ${action}: system ${placeName(i, system.info)} has ${
      show(virial)
    }, but its cell has no volume, so the virial cannot be converted to a stress. Set the cell, or leave out the option virial`,
  );
}

const COUNTS: Readonly<Record<Target, string>> = {
  energy: "a finite number",
  forces: "three finite numbers per atom",
  stress: "nine finite numbers, or six",
};

/**
 * Returns the values of a target, from a field or a member of `info` named `place`; `undefined` unless they are
 * finite numbers of the right count.
 */
export function valuesOf(system: System, target: Target, place: string): Float64Array | undefined {
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

/** Returns the symmetric matrix, in row-major order, of the components xx, yy, zz, yz, xz, xy. */
function fromVoigt([xx, yy, zz, yz, xz, xy]: Float64Array): Float64Array {
  return Float64Array.of(xx!, xy!, xz!, xy!, yy!, yz!, xz!, yz!, zz!);
}

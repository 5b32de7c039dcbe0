/**
 * Options of batches of structures.
 *
 * @module
 */

import type { BatchInput } from "../../batch/batch.ts";
import { checkOptions } from "../../base/check_options.ts";
import { atomicSymbol } from "../../batch/elements.ts";
import { show } from "../../base/show.ts";
import { elementsOf } from "../../models/onnx/elements.ts";
import type { OnnxInput } from "../../models/onnx/manifest/manifest.ts";
import type { StructureModel } from "../../models/onnx/structures/structure.ts";
import { potentialIn, type TrainablePotential } from "../potential/potential.ts";
import {
  ATOMS_INPUTS,
  ATOMS_MANIFEST,
  type AtomsManifest,
  defaultInput,
  namedInputs,
} from "./atoms_inputs.ts";
import { type BatchingOptions, checkKinds } from "./batch_plan.ts";

/** A tensor of a batch of N atoms and B systems: for losses, or an input of the graph by its meaning in a manifest. */
export type AtomsName =
  | AtomsTarget
  /** Any input that `OnnxModel` knows. Inputs of integers are int64. */
  | Exclude<OnnxInput, "systemSizes">;

/** A tensor of a batch that a loss needs. */
export type AtomsTarget =
  /** [B] float32: the number of atoms of each system, for losses per atom. Present if there are energies. */
  | "systemSizes"
  /** [B] float32: energies, eV. */
  | "energy"
  /** [N, 3] float32: forces, eV/Å. */
  | "forces"
  /** [B, 3, 3] float32: stresses, eV/Å³, positive under tension. */
  | "stress"
  /** [B] float32: the weight of each energy, 0 if it is missing. Present with `partial`, `weight` or `replay`. */
  | "energyWeight"
  /** [N] float32: the weight of the forces of each atom, like `energyWeight`. */
  | "forcesWeight"
  /** [B] float32: the weight of each stress, like `energyWeight`. */
  | "stressWeight";

/** Options of {@linkcode atomsData}. */
export interface AtomsDataOptions extends BatchingOptions, AtomsManifest {
  /**
   * The potential to train. Its manifest describes all inputs of its graph, so `names` and the members of a manifest
   * (cutoff, elements and so on) must be left out.
   *
   * @default undefined: `names` and the other options describe the inputs
   */
  readonly potential?: TrainablePotential;
  /** Cutoff radius, Å. Pairs of closer atoms are edges, in both directions. Required without `potential`. */
  readonly cutoff?: number;
  /**
   * Largest length of the edges that form triplets, Å.
   *
   * @default undefined: no triplets
   */
  readonly reach?: number;
  /**
   * Name of each tensor in the graph; null leaves the tensor out.
   *
   * @default positions, z, edge_index, shifts, batch_idx, energy0 (for "systems"), atoms (for "systemSizes"),
   * trip_center, trip_edge, energy_target, forces_target, stress_target, energy_weight, forces_weight, stress_weight; no
   * others
   */
  readonly names?: Readonly<Partial<Record<AtomsName, string | null>>>;
  /**
   * Numbers of the elements in the model: a list of symbols in the order of their numbers, which begin with 0, or a
   * table of numbers by symbol.
   *
   * @default atomic numbers
   */
  readonly elements?: readonly string[] | Readonly<Record<string, number>>;
  /**
   * Table of the energy of a free atom in eV, by symbol. The energies of its atoms are subtracted from the energy of
   * each system. Energies that the graph of a `potential` adds itself are subtracted in addition.
   *
   * @default the `atomEnergies` of the potential's manifest, or nothing
   */
  readonly elementEnergies?: Readonly<Record<string, number>>;
  /**
   * Name of the field, or of the member of `info`, that holds the energy, eV; false to leave energies out.
   *
   * @default "energy", if systems have it
   */
  readonly energy?: string | false;
  /**
   * Name of the field, or of the member of `info`, that holds the forces in eV/Å; false to leave forces out.
   *
   * @default "forces", if systems have them
   */
  readonly forces?: string | false;
  /**
   * Name of the field, or of the member of `info`, that holds the stress in eV/Å³: nine numbers, or xx, yy, zz, yz,
   * xz, xy; false to leave stresses out.
   *
   * @default "stress", if systems have it
   */
  readonly stress?: string | false;
  /**
   * Name of the field, or of the member of `info`, that holds the virial −V σ in eV, with nine or six numbers like a
   * stress. It is used for systems that have a cell but no stress.
   *
   * @default undefined: virials are not read
   */
  readonly virial?: string;
  /**
   * True if systems may lack energies, forces or stresses. Missing targets are fed as 0 with a weight of 0, for losses
   * with `weighted`. If it is false, all systems must have the same targets.
   *
   * @default false
   */
  readonly partial?: boolean;
  /**
   * Weight of each system in losses with `weighted`: a number, or the name of the member of `info` that holds it.
   * Systems without that member have the weight 1.
   *
   * @default 1
   */
  readonly weight?: number | string;
  /**
   * Systems that are mixed into each epoch. With them, every batch has weights.
   *
   * @default undefined
   */
  readonly replay?: AtomsReplay;
  /**
   * True if the graph's results do not change when a system is translated. Positions far from the origin are then
   * shifted before they are fed, because float32 is inexact there. Otherwise positions beyond 1000 Å are refused.
   *
   * @default false
   */
  readonly invariant?: boolean;
}

/** Systems mixed into each epoch, such as earlier training data, on which a potential must stay accurate. */
export interface AtomsReplay extends
  Pick<
    AtomsDataOptions,
    "elementEnergies" | "energy" | "forces" | "stress" | "virial" | "partial" | "weight"
  > {
  /** The systems to mix in. */
  readonly systems: BatchInput;
  /**
   * Number of these systems in each epoch, as a fraction of the number of other systems. All of them take turns.
   *
   * @default 1
   */
  readonly ratio?: number;
}

/** A tensor that batches can have besides the inputs of the graph. */
export type AtomsTensor = AtomsTarget | "systemOfAtom" | "zeros" | "cells";

/** Checked options of batches of structures. */
export interface AtomsPlan {
  /** The matched inputs of the graph. */
  readonly model: StructureModel;
  /** True if batches must have one system each. */
  readonly isSingle: boolean;
  /** Names of the tensors for losses. Tensors that are left out have no entry. */
  readonly names: ReadonlyMap<AtomsTensor, string>;
  /** Energy that is subtracted for each atom, eV, by atomic number; `undefined` if no energy is subtracted. */
  readonly energies: ReadonlyMap<number, number> | undefined;
  /** Name of the field of each target; false leaves it out, undefined means the default name. */
  readonly targets: Readonly<Record<Target, string | false | undefined>>;
  /** Name of the field with virials; undefined if virials are not read. */
  readonly virial: string | undefined;
  /** Weights of systems; `undefined` if batches have no weights. */
  readonly weights: { readonly weight: number | string; readonly isPartial: boolean } | undefined;
}

/** The quantities that models learn. */
export type Target = "energy" | "forces" | "stress";

const DEFAULT_TARGETS: Readonly<Record<AtomsTarget, string>> = {
  systemSizes: "atoms",
  // The suffix is needed because the outputs of models are called energy, forces and stress.
  energy: "energy_target",
  forces: "forces_target",
  stress: "stress_target",
  energyWeight: "energy_weight",
  forcesWeight: "forces_weight",
  stressWeight: "stress_weight",
};

/** Names of the options that only data of atoms have. */
export const ATOMS_OPTIONS: readonly string[] = [
  ...ATOMS_MANIFEST,
  "potential",
  "names",
  "elementEnergies",
  "energy",
  "forces",
  "stress",
  "virial",
  "partial",
  "weight",
];

/**
 * Checks the options about atoms. Unknown options are refused where the options of batching are checked.
 *
 * @throws {TypeError} if an option has the wrong type
 * @throws {RangeError} if a length is not above 0, or an element is unknown
 */
export function readAtomsOptions(action: string, options: AtomsDataOptions): AtomsPlan {
  const { elementEnergies, energy, forces, stress, virial, partial, weight } = options;
  checkKinds(action, { invariant: options.invariant, partial }, "boolean");
  checkKinds(action, { virial }, "string");
  if (typeof weight !== "string") checkWeight(action, "weight", weight ?? 1);
  for (const [name, value] of Object.entries({ energy, forces, stress })) {
    if (value !== false) checkKinds(action, { [name]: value }, "string");
  }
  const { energies } = elementsOf({ ...(elementEnergies && { atomEnergies: elementEnergies }) });
  checkValues(action, "elementEnergies", energies);
  return {
    ...options.potential === undefined
      ? { ...byNames(action, options), energies }
      : byPotential(action, options.potential, options),
    targets: { energy, forces, stress },
    virial,
    weights: partial === true || weight !== undefined
      ? { weight: weight ?? 1, isPartial: partial === true }
      : undefined,
  };
}

/** The inputs of a graph, the names of the tensors for losses, and the energies to subtract. */
type Fed = Pick<AtomsPlan, "model" | "isSingle" | "names" | "energies">;

/** Returns the inputs in the manifest of a potential. Throws a TypeError if options describe them, too. */
function byPotential(
  action: string,
  given: TrainablePotential,
  { elementEnergies, names = {}, ...options }: AtomsDataOptions,
): Fed {
  const potential = potentialIn(action, given);
  const said = ATOMS_MANIFEST.find((name) => options[name] !== undefined) ??
    (Object.keys(names).length > 0 ? "names" : undefined);
  if (said !== undefined) {
    const hint = said === "names"
      ? "leave out names, because the potential has its own"
      : `pass ${said} to openPotential() instead`;
    throw new TypeError(
      `Cannot ${action} with both potential and ${said}: ${hint}`,
    );
  }
  const atomEnergies = elementEnergies ?? potential.manifest.atomEnergies;
  const { energies } = elementsOf({ ...(atomEnergies && { atomEnergies }) });
  const { energies: own } = elementsOf({ ...(potential.own && { atomEnergies: potential.own }) });
  const { energyTarget, forcesTarget, stressTarget, atoms, cell, ...others } = potential.names;
  return {
    model: potential.matched,
    isSingle: potential.isSingle,
    energies: own === undefined || energies === undefined ? own ?? energies : new Map(
      [...energies].flatMap(([number, energy]) =>
        own.has(number) ? [[number, energy + own.get(number)!]] : []
      ),
    ),
    names: new Map(Object.entries({
      ...others,
      energy: energyTarget,
      forces: forcesTarget,
      stress: stressTarget,
      systemSizes: atoms,
      cells: cell,
    }) as [AtomsTensor, string][]),
  };
}

/** Returns the inputs that the options `names`, `cutoff` and so on describe. */
function byNames(action: string, options: AtomsDataOptions): Omit<Fed, "energies"> {
  checkPositive(action, "cutoff", options.cutoff, " (Å)");
  const manifest = Object.fromEntries(
    ATOMS_MANIFEST.flatMap((name) => options[name] === undefined ? [] : [[name, options[name]]]),
  ) as AtomsManifest;
  const names = readNames(action, options.names ?? {}, manifest);
  const inputs = ATOMS_INPUTS.flatMap((meaning) => {
    const name = names.get(meaning as AtomsName);
    return name === undefined ? [] : [[meaning, name] as const];
  });
  const targets = Object.keys(DEFAULT_TARGETS).flatMap((target) => {
    const name = names.get(target as AtomsName);
    return name === undefined ? [] : [[target as AtomsTensor, name] as const];
  });
  return {
    model: namedInputs(action, new Map(inputs), manifest),
    isSingle: false,
    names: new Map(targets),
  };
}

function checkValues(
  action: string,
  name: string,
  values: ReadonlyMap<number, number> | undefined,
): void {
  for (const [number, value] of values ?? []) {
    if (Number.isFinite(value)) continue;
    throw new RangeError(
      `Cannot ${action}: ${name}.${atomicSymbol(number)} must be a finite number; got ${
        show(value)
      }`,
    );
  }
}

/** Throws a TypeError or RangeError unless a weight is a finite number above 0. */
export function checkWeight(action: string, name: string, value: unknown): void {
  checkPositive(action, name, value);
}

function checkPositive(action: string, name: string, value: unknown, unit = ""): void {
  if (typeof value === "number" && value > 0 && value < Infinity) return;
  throw new (typeof value === "number" ? RangeError : TypeError)(
    `Cannot ${action}: ${name} must be a finite number above 0${unit}; got ${show(value)}`,
  );
}

function readNames(
  action: string,
  given: NonNullable<AtomsDataOptions["names"]>,
  manifest: AtomsManifest,
): Map<AtomsName, string> {
  const defaults: Record<string, string | null> = { ...DEFAULT_TARGETS };
  for (const meaning of ATOMS_INPUTS) defaults[meaning] = defaultInput(meaning, manifest);
  checkOptions(`${action}: names`, given, Object.keys(defaults));
  const names = new Map<AtomsName, string>();
  const seen = new Set<string>();
  for (const [key, name] of Object.entries({ ...defaults, ...given })) {
    if (name === null) continue;
    if (typeof name === "string" && name !== "" && !seen.has(name)) {
      names.set(key as AtomsName, name);
      seen.add(name);
      continue;
    }
    throw new TypeError(
      `Cannot ${action}: names.${key} must be a unique name of a tensor, or null; got ${
        show(name)
      }`,
    );
  }
  return names;
}

/**
 * Options of data of atoms.
 *
 * @module
 */

import { checkOptions } from "../../base/check_options.ts";
import { atomicSymbol } from "../../batch/elements.ts";
import { show } from "../../base/show.ts";
import { elementsOf } from "../../models/onnx/elements.ts";
import { type BatchingOptions, checkKinds } from "./batch_plan.ts";

/** A tensor of a batch of N atoms, B systems, E edges and T triplets: the words that a model's manifest has. */
export type AtomsName =
  /** [N, 3] float32, Å; with `invariant`, those of a system far from the origin are relative to a point near it. */
  | "positions"
  /** [N] int64: atomic numbers, or the model's own numbers of elements. */
  | "numbers"
  /** [2, E] int64: the atoms that edges leave, and those they lead to. */
  | "edges"
  /** [E, 3] float32, Å: an edge's vector is `positions[target] − positions[source] + shift`. */
  | "shifts"
  /** [N] int64: the system of each atom. */
  | "batchIndex"
  /** [B] float32: zeros; their number is the number of systems. */
  | "systems"
  /** [B] float32: the number of atoms of each system; present with energies, for losses per atom. */
  | "systemSizes"
  /** [B, 3, 3] float32, Å: lattice vectors; zeros if a system has none. */
  | "cell"
  /** [T] int64: the atom that both edges of a triplet leave. */
  | "tripletCenters"
  /** [2, T] int64: the two edges of each triplet, each unordered pair once. */
  | "tripletEdges"
  /** [B] float32, eV. */
  | "energy"
  /** [N, 3] float32, eV/Å. */
  | "forces"
  /** [B, 3, 3] float32, eV/Å³, positive under tension. */
  | "stress";

/** Options of data of atoms. */
export interface AtomsDataOptions extends BatchingOptions {
  /** Pairs of atoms closer than this are edges, both ways, Å. */
  readonly cutoff: number;
  /**
   * Edges shorter than this make triplets, Å.
   *
   * @default no triplets
   */
  readonly tripletCutoff?: number;
  /**
   * Name of each tensor in the graph; null leaves the tensor out.
   *
   * @default positions, z, edge_index, shifts, batch_idx, energy0 (for "systems"), atoms (for "systemSizes"),
   * trip_center, trip_edge, energy_target, forces_target, stress_target; no cell
   */
  readonly names?: Readonly<Partial<Record<AtomsName, string | null>>>;
  /**
   * The model's own number of each element: symbols in the order of their numbers from 0 on, or symbol → number.
   *
   * @default atomic numbers
   */
  readonly elements?: readonly string[] | Readonly<Record<string, number>>;
  /**
   * Symbol → energy of a free atom, eV: subtracted from the energy of each system, for each of its atoms.
   *
   * @default nothing is subtracted
   */
  readonly elementEnergies?: Readonly<Record<string, number>>;
  /**
   * The field, or the member of `info`, that holds the energy of a system, eV; false leaves it out.
   *
   * @default "energy" where systems have it
   */
  readonly energy?: string | false;
  /**
   * The field, or the member of `info`, that holds the forces, eV/Å; false leaves them out.
   *
   * @default "forces" where systems have them
   */
  readonly forces?: string | false;
  /**
   * The field, or the member of `info`, that holds the stress, eV/Å³: nine numbers, or xx, yy, zz, yz, xz, xy; false leaves
   * it out.
   *
   * @default "stress" where systems have it
   */
  readonly stress?: string | false;
  /**
   * True if the graph's results do not change when a system is translated. Positions of a system far from the origin are
   * then fed relative to a point near it, because float32 is inexact there; else they are refused beyond 1000 Å.
   *
   * @default false
   */
  readonly invariant?: boolean;
}

/** Options of data of atoms, checked. */
export interface AtomsPlan {
  readonly cutoff: number;
  /** 0: no triplets. */
  readonly tripletCutoff: number;
  /** Tensors that are left out have none. */
  readonly names: ReadonlyMap<AtomsName, string>;
  /** Atomic number → the model's own; `undefined` where these are the same. */
  readonly numbers: ReadonlyMap<number, number> | undefined;
  /** Atomic number → energy; `undefined` where nothing is taken off. */
  readonly energies: ReadonlyMap<number, number> | undefined;
  /** Of targets: where they are, and whether that was said. */
  readonly targets: Readonly<Record<Target, string | false | undefined>>;
  /** True if positions may be relative to a point near a system. */
  readonly isInvariant: boolean;
}

/** The quantities that models learn. */
export type Target = "energy" | "forces" | "stress";

const DEFAULT_NAMES: Readonly<Record<AtomsName, string | null>> = {
  positions: "positions",
  numbers: "z",
  edges: "edge_index",
  shifts: "shifts",
  batchIndex: "batch_idx",
  systems: "energy0",
  systemSizes: "atoms",
  cell: null,
  tripletCenters: "trip_center",
  tripletEdges: "trip_edge",
  // What models give is called energy, forces, stress.
  energy: "energy_target",
  forces: "forces_target",
  stress: "stress_target",
};

/** The names of the options that other data have not. */
export const ATOMS_OPTIONS: readonly string[] = [
  "cutoff",
  "tripletCutoff",
  "names",
  "elements",
  "elementEnergies",
  "energy",
  "forces",
  "stress",
  "invariant",
];

/**
 * Checks what is said of atoms. Whether options are known is checked elsewhere, with those of batches.
 *
 * @throws {TypeError} for options of the wrong kind
 * @throws {RangeError} for lengths that are not above 0, and unknown elements
 */
export function readAtomsOptions(action: string, options: AtomsDataOptions): AtomsPlan {
  const { cutoff, tripletCutoff, names, elements, elementEnergies } = options;
  const { energy, forces, stress, invariant = false } = options;
  checkKinds(action, { invariant }, "boolean");
  checkLength(action, "cutoff", cutoff);
  if (tripletCutoff !== undefined) {
    checkLength(action, "tripletCutoff", tripletCutoff);
    if (tripletCutoff > cutoff) {
      throw new RangeError(
        `Cannot ${action} as tripletCutoff must be at most the cutoff ${cutoff}: current value is ${tripletCutoff}`,
      );
    }
  }
  for (const [name, value] of Object.entries({ energy, forces, stress })) {
    if (value !== false) checkKinds(action, { [name]: value }, "string");
  }
  const { numbers, energies } = elementsOf({
    ...(elements && { elements }),
    ...(elementEnergies && { atomEnergies: elementEnergies }),
  });
  checkValues(action, "elements", numbers, Number.isInteger, "a whole number");
  checkValues(action, "elementEnergies", energies, Number.isFinite, "finite");
  return {
    cutoff,
    tripletCutoff: tripletCutoff ?? 0,
    numbers,
    energies,
    names: readNames(action, names ?? {}, tripletCutoff !== undefined),
    targets: { energy, forces, stress },
    isInvariant: invariant,
  };
}

function checkValues(
  action: string,
  name: string,
  values: ReadonlyMap<number, number> | undefined,
  isGood: (x: number) => boolean,
  wanted: string,
): void {
  for (const [number, value] of values ?? []) {
    if (isGood(value)) continue;
    throw new RangeError(
      `Cannot ${action} as ${name}.${atomicSymbol(number)} must be ${wanted}: current value is ${
        show(value)
      }`,
    );
  }
}

function checkLength(action: string, name: string, value: unknown): void {
  if (typeof value === "number" && value > 0 && value < Infinity) return;
  throw new (typeof value === "number" ? RangeError : TypeError)(
    `Cannot ${action} as ${name} must be above 0 and finite: current value is ${show(value)}`,
  );
}

function readNames(
  action: string,
  given: NonNullable<AtomsDataOptions["names"]>,
  triplets: boolean,
): Map<AtomsName, string> {
  checkOptions(`${action}: names`, given, Object.keys(DEFAULT_NAMES));
  const names = new Map<AtomsName, string>();
  const seen = new Set<string>();
  for (const [key, name] of Object.entries({ ...DEFAULT_NAMES, ...given })) {
    if (name === null || !triplets && key.startsWith("triplet")) continue;
    if (typeof name === "string" && name !== "" && !seen.has(name)) {
      names.set(key as AtomsName, name);
      seen.add(name);
      continue;
    }
    throw new TypeError(
      `Cannot ${action} as names.${key} must be a name that no other tensor has, or null: current value is ${
        show(name)
      }`,
    );
  }
  return names;
}

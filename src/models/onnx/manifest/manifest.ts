/**
 * Manifests, which state properties of an ONNX model that its graph does not contain.
 *
 * @module
 */

import type { EnergyUnit, LengthUnit } from "./units.ts";

/** Meaning of an input of a model. Lengths are in the model's own unit. */
export type OnnxInput =
  /** [N, 3]: positions of atoms. */
  | "positions"
  /** [N]: element of each atom, as the number that {@linkcode OnnxManifest.elements} assigns to it. */
  | "numbers"
  /** [2, E] or [E, 2]: source and target atom of each edge. */
  | "edges"
  /** [E]: source atom of each edge. */
  | "edgeSources"
  /** [E]: target atom of each edge. */
  | "edgeTargets"
  /** [E, 3], a length: the vector of an edge is `positions[target] − positions[source] + shift`. */
  | "shifts"
  /** [E, 3]: shifts as integer multiples of lattice vectors. */
  | "cellShifts"
  /** [E]: index of the reverse edge of each edge, in a full list. */
  | "reverseEdges"
  /** [N, K]: neighbors of each atom, padded with the atom itself. */
  | "neighborMatrix"
  /** [N, K, 3], a length: shifts of the neighbors; (100 Å, 0, 0) for padding. */
  | "neighborShifts"
  /** [N, K]: 1 for neighbors, 0 for padding. */
  | "neighborMask"
  /** [T]: central atom of each triplet, the source of both its edges. */
  | "tripletCenters"
  /** [2, T] or [T, 2]: the two edges of each triplet; see {@linkcode OnnxManifest.triplets}. */
  | "tripletEdges"
  /** [E]: index of the bond of each edge. An edge and its reverse are one bond. */
  | "edgeBonds"
  /** [U]: index of the first edge of each bond. */
  | "bondEdges"
  /**
   * [5, T] or [T, 5]: for each triplet the center, the bond and edge of one side, and the bond and edge of the other
   * side.
   */
  | "bondGraph"
  /** [N]: system of each atom. */
  | "batchIndex"
  /** [E]: system of each edge. */
  | "edgeBatchIndex"
  /** [B]: zeros. Only the length of the tensor matters: it shows the number of systems. */
  | "systems"
  /** [B]: number of atoms of each system. */
  | "systemSizes"
  /** [B + 1]: index of the first atom of each system, followed by the number of atoms. */
  | "systemOffsets"
  /**
   * [B, 3, 3] or [3 B, 3], or [3, 3] for a model of single systems: lattice vectors, which are zero if a system has
   * no cell.
   */
  | "cell"
  /** [B, 3], or [3] for a model of single systems: periodicity along each lattice vector. */
  | "pbc"
  /** Number of atoms. */
  | "nodeCount"
  /** Number of edges, including padding. */
  | "edgeCount"
  /** Number of systems. */
  | "systemCount"
  /** [N]: masses in amu. */
  | "masses"
  /** [N]: charges of the batch in e. */
  | "charges";

/** Meaning of an output of a model, unless the output is a field of the batch. */
export type OnnxOutput =
  /** Energies: one per system, or one per atom. Energies per atom are summed. */
  | "energy"
  /** [N, 3]: forces. */
  | "forces"
  /** [N, 3]: gradients of the energy, which are negative forces. */
  | "gradient"
  /** Stresses dE/dε / V, positive under tension: [B, 3, 3], [B, 9], or [B, 6] with xx, yy, zz, yz, xz, xy. */
  | "stress"
  /** Virials −dE/dε, in the shapes of `"stress"`. */
  | "virial";

/** An output of a model, with properties that its name and shape do not show. */
export interface OnnxOutputChoice {
  /** Name of the output. */
  readonly tensor: string;
  /**
   * Rows of the output: `"node"` for one row per atom, `"system"` for one row per system.
   *
   * @default derived from the names in its shape, otherwise from the number of rows
   */
  readonly level?: "node" | "system";
  /**
   * Number of values per row. Only fields need it.
   *
   * @default derived from its shape
   */
  readonly width?: number;
  /**
   * Factor that is applied in addition to the units: −1 for the opposite sign, 0.00624150907 to convert GPa to eV/Å³.
   *
   * @default 1
   */
  readonly scale?: number;
}

/** Meaning of an input of a further list. */
export type OnnxListInput =
  | "edges"
  | "edgeSources"
  | "edgeTargets"
  | "shifts"
  | "cellShifts"
  | "edgeBatchIndex"
  | "edgeCount";

/** A further list of edges, with its own cutoff. */
export interface OnnxList {
  /** Cutoff radius of this list in Å. */
  readonly cutoff: number;
  /**
   * Maximum number of edges per source atom, of which the shortest are kept.
   *
   * @default no limit
   */
  readonly nearest?: number;
  /** Names of the inputs that receive this list, by their meanings. */
  readonly inputs: { readonly [k in OnnxListInput]?: string };
}

/** Meanings of a model's tensors, and other properties that its graph does not contain. */
export interface OnnxManifest {
  /** Cutoff radius in Å. Required by a model with edges. */
  readonly cutoff?: number;
  /** Largest length in Å of the two edges of a triplet. Required by a model with triplets. */
  readonly reach?: number;
  /**
   * Order of triplets. With `"unordered"`, each pair of edges of an atom is one triplet. With `"ordered"`, it is two
   * triplets, one in each order. Required by a model with triplets, unless its inputs are called `trip_center` and
   * `trip_edge`, as in files of `hooke-export`, which are unordered.
   */
  readonly triplets?: "unordered" | "ordered";
  /**
   * Maximum number of edges per source atom, of which the shortest are kept. Forces are discontinuous when the set of
   * kept edges changes.
   *
   * @default no limit
   */
  readonly nearest?: number;
  /**
   * Further lists of edges by name. Each has its own inputs and its own cutoff, such as a longer one for
   * electrostatics.
   *
   * @default undefined
   */
  readonly lists?: Readonly<Record<string, OnnxList>>;
  /**
   * Names of inputs by their meanings.
   *
   * @default derived from names, types and shapes
   */
  readonly inputs?: { readonly [k in OnnxInput]?: string };
  /**
   * Values of constant inputs, by name of the input: one number for all elements of the tensor, or a number per
   * element.
   *
   * @default undefined
   */
  readonly constants?: Readonly<Record<string, number | readonly number[]>>;
  /**
   * Outputs by their meaning, or by the name of a field of the batch. Fields that the batch lacks are added to it.
   *
   * @default energy, forces and stress by names and shapes, and no fields
   */
  readonly outputs?:
    & { readonly [k in OnnxOutput]?: string | OnnxOutputChoice }
    & Readonly<Record<string, string | OnnxOutputChoice | undefined>>;
  /**
   * Form of the neighbor list that the model expects: `"full"` lists each pair in both directions, `"half"` lists it
   * once, starting with the atom of lower index.
   *
   * @default "full"
   */
  readonly neighbors?: "full" | "half";
  /**
   * Numbers of the elements in the model's input `numbers`. An object assigns a number to each symbol; a list
   * contains all symbols in the order of their numbers, which begin with 0.
   *
   * @default atomic numbers; required if a tensor's name, such as "species", does not show which numbers it
   * takes
   */
  readonly elements?: Readonly<Record<string, number>> | readonly string[];
  /**
   * Unit of the model's energies: a name, or its value in eV.
   *
   * @default "eV"
   */
  readonly energyUnit?: EnergyUnit | number;
  /**
   * Unit of the model's lengths: a name, or its value in Å.
   *
   * @default "Å"
   */
  readonly lengthUnit?: LengthUnit | number;
  /**
   * Energies of free atoms in eV, by symbol, that the model does not include. They are added for each atom, in
   * float64.
   *
   * @default undefined
   */
  readonly atomEnergies?: Readonly<Record<string, number>>;
  /**
   * Systems that one run of the model takes: `"joined"` for all systems of a batch, `"single"` for one system.
   *
   * @default "single" if no input contains the system of each atom, otherwise "joined"
   */
  readonly batch?: "joined" | "single";
  /**
   * Padding of the lists of edges and triplets with edges from atom 0 to itself, 100 Å away, so that shapes repeat.
   * True always pads them, false never pads them. A graph may react to such edges, so each padded list of a new
   * length is compared with the list without padding. If the results differ, `true` throws a ModelMismatchError; by
   * default the host runs the model without padding. Models with `cellShifts` (a molecule has no lattice vectors for
   * such a distance), bonds, neighbor matrices or several lists are never padded.
   *
   * @default padded on WebGPU, where the host does not know the lengths of lists; not padded on the host
   */
  readonly padding?: boolean;
  /**
   * True to add forces to a file that has none, by differentiating its energy when the model is opened. False to use
   * the file as it is. `"always"` also replaces forces and stresses that a file computes, which is often faster: passes
   * do not change a graph into which PyTorch traced its gradient.
   *
   * @default true
   */
  readonly differentiate?: boolean | "always";
  /**
   * True if a translation of a system does not change the results. The positions of a system far from zero are then
   * stored relative to a point near it, for which float32 is precise enough.
   *
   * @default true if the graph uses positions only by differences of two atoms
   */
  readonly invariant?: boolean;
  /**
   * True if differentiation also adds stresses. They cost time at each step, even if no hook uses them.
   *
   * @default false
   */
  readonly stress?: boolean;
  /** License of the model's parameters. It does not affect the results. */
  readonly license?: string;
  /** Origin of the model's parameters. It does not affect the results. */
  readonly source?: string;
}

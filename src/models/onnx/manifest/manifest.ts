/**
 * What is to be known of an ONNX model that its file does not say by itself.
 *
 * @module
 */

import type { EnergyUnit, LengthUnit } from "./units.ts";

/** What an input of a model may be. Lengths are in the model's own unit. */
export type OnnxInput =
  /** [N, 3]. */
  | "positions"
  /** [N]: what says which element an atom is, see {@linkcode OnnxManifest.elements}. */
  | "numbers"
  /** [2, E] or [E, 2]: the atoms that edges leave, and those they lead to. */
  | "edges"
  /** [E]: the atoms that edges leave. */
  | "edgeSources"
  /** [E]: the atoms that edges lead to. */
  | "edgeTargets"
  /** [E, 3], a length: an edge's vector is `positions[target] − positions[source] + shift`. */
  | "shifts"
  /** [E, 3], whole numbers: the same in lattice vectors. */
  | "cellShifts"
  /** [E]: the edge that goes the other way, for each edge of a full list. */
  | "reverseEdges"
  /** [N, K]: the neighbors of each atom, filled up with the atom itself. */
  | "neighborMatrix"
  /** [N, K, 3], a length: shifts of the neighbors; (100 Å, 0, 0) where it is filled up. */
  | "neighborShifts"
  /** [N, K]: 1 for neighbors, 0 where it is filled up. */
  | "neighborMask"
  /** [T]: the atom that both edges of a triplet leave. */
  | "tripletCenters"
  /** [2, T] or [T, 2]: the two edges of each triplet; see {@linkcode OnnxManifest.triplets}. */
  | "tripletEdges"
  /** [E]: the bond of each edge: an edge and the one that goes the other way are one bond. */
  | "edgeBonds"
  /** [U]: the first edge of each bond. */
  | "bondEdges"
  /** [5, T] or [T, 5]: center, bond and edge of one side, bond and edge of the other, for each triplet. */
  | "bondGraph"
  /** [N]: the system of each atom. */
  | "batchIndex"
  /** [E]: the system of each edge. */
  | "edgeBatchIndex"
  /** [B]: zeros, which say by their number how many systems there are. */
  | "systems"
  /** [B]: how many atoms each system has. */
  | "systemSizes"
  /** [B + 1]: where the atoms of each system begin, and how many there are. */
  | "systemOffsets"
  /** [B, 3, 3] or [3 B, 3], of a model of single systems [3, 3]: lattice vectors; zeros where there are none. */
  | "cell"
  /** [B, 3], of a model of single systems [3]: along which of them a system repeats. */
  | "pbc"
  /** A number: of atoms. */
  | "nodeCount"
  /** A number: of edges, those of the padding too. */
  | "edgeCount"
  /** A number: of systems. */
  | "systemCount"
  /** [N], amu. */
  | "masses"
  /** [N], e: those of the batch. */
  | "charges";

/** What an output of a model may be besides a field of the batch. */
export type OnnxOutput =
  /** Per system, or per atom: then they are added up. */
  | "energy"
  /** [N, 3]. */
  | "forces"
  /** [N, 3]: −forces. */
  | "gradient"
  /** dE/dε / V, positive under tension: [B, 3, 3], [B, 9], or [B, 6] with xx, yy, zz, yz, xz, xy. */
  | "stress"
  /** −dE/dε, in the same forms. */
  | "virial";

/** Which output it is, where its name alone is not enough. */
export interface OnnxOutputChoice {
  /** The name of the output. */
  readonly tensor: string;
  /**
   * Whether it has a row per atom or per system.
   *
   * @default told by the names in its shape, else by how many rows it has
   */
  readonly level?: "node" | "system";
  /**
   * Numbers per row; for fields.
   *
   * @default told by its shape
   */
  readonly width?: number;
  /**
   * What it is multiplied by, besides the units: −1 for the other sign, 0.00624150907 for GPa as eV/Å³.
   *
   * @default 1
   */
  readonly scale?: number;
}

/** What an input of another list may be. */
export type OnnxListInput =
  | "edges"
  | "edgeSources"
  | "edgeTargets"
  | "shifts"
  | "cellShifts"
  | "edgeBatchIndex"
  | "edgeCount";

/** A list of edges besides that of the model's cutoff. */
export interface OnnxList {
  /** Å. */
  readonly cutoff: number;
  /**
   * The most edges that leave an atom.
   *
   * @default no limit
   */
  readonly nearest?: number;
  /** Meaning → name of the input. */
  readonly inputs: { readonly [k in OnnxListInput]?: string };
}

/** Tensors of a model by what they mean. */
export interface OnnxManifest {
  /** Atoms further apart do not feel each other. Å. Needed by a model that is fed edges. */
  readonly cutoff?: number;
  /** How long both edges of a triplet may be at most. Å. Needed by a model that is fed triplets. */
  readonly reach?: number;
  /**
   * Whether each pair of edges of an atom is a triplet once, or in both orders. Needed by a model that is fed triplets,
   * unless its inputs are called `trip_center` and `trip_edge`: those of `hooke-export` are unordered.
   */
  readonly triplets?: "unordered" | "ordered";
  /**
   * The most edges that leave an atom: those to its nearest neighbors. Forces jump where neighbors change.
   *
   * @default no limit
   */
  readonly nearest?: number;
  /**
   * Name → list of edges of another cutoff, as for electrostatics, and the inputs that are fed of it.
   *
   * @default none
   */
  readonly lists?: Readonly<Record<string, OnnxList>>;
  /**
   * Meaning → name of the input.
   *
   * @default told by names, types and shapes
   */
  readonly inputs?: { readonly [k in OnnxInput]?: string };
  /**
   * Name of an input → what it is always fed: one number for all of it, or as many as it has.
   *
   * @default none
   */
  readonly constants?: Readonly<Record<string, number | readonly number[]>>;
  /**
   * Meaning, or field of the batch → output. Fields that batches do not have are added to them.
   *
   * @default energy, forces and stress as told by names and shapes, and no fields
   */
  readonly outputs?:
    & { readonly [k in OnnxOutput]?: string | OnnxOutputChoice }
    & Readonly<Record<string, string | OnnxOutputChoice | undefined>>;
  /**
   * Whether each pair is listed both ways, or once: the lower atom first.
   *
   * @default "full"
   */
  readonly neighbors?: "full" | "half";
  /**
   * Element → its number in the model's `numbers`; or all elements in the order of these numbers, from 0 on.
   *
   * @default atomic numbers; asked for where a tensor's name leaves that open, as "species" does
   */
  readonly elements?: Readonly<Record<string, number>> | readonly string[];
  /**
   * The unit of the model's energies: a name, or how many eV it is.
   *
   * @default "eV"
   */
  readonly energyUnit?: EnergyUnit | number;
  /**
   * The unit of the model's lengths: a name, or how many Å it is.
   *
   * @default "Å"
   */
  readonly lengthUnit?: LengthUnit | number;
  /**
   * Element → what each atom of it adds to the energy, eV: energies of free atoms that the model leaves out. They are
   * added in float64.
   *
   * @default none
   */
  readonly atomEnergies?: Readonly<Record<string, number>>;
  /**
   * Whether the model takes all systems at once, or one at a time.
   *
   * @default "single" where no input says which system an atom belongs to, else "joined"
   */
  readonly batch?: "joined" | "single";
  /**
   * Padding of lists of edges and triplets with edges from atom 0 to itself, 100 Å away, so that shapes repeat. A graph
   * may see such edges, so each padded list of a new length is compared with the list itself. If results differ, `true`
   * throws a ModelMismatchError; by default the host runs the model, without padding. `false` never pads, and neither
   * does a model that takes `cellShifts` (a molecule has no lattice vectors to go that far by), bonds,
   * neighbor matrices or several lists.
   *
   * @default padded on WebGPU, where the host does not know how long lists are; not padded on the host
   */
  readonly padding?: boolean;
  /**
   * Whether forces that the file does not give are made when it is opened, by differentiating its energy.
   *
   * @default true
   */
  readonly differentiate?: boolean;
  /**
   * True if results do not change when a system is translated. Then the positions of a system far from the origin are
   * fed relative to a point near it, for which float32 has digits enough.
   *
   * @default true if it follows from the graph, because positions enter only by differences of two atoms
   */
  readonly invariant?: boolean;
  /**
   * Whether stresses are made, too, where forces are. They cost time at each step, whoever wants them.
   *
   * @default false
   */
  readonly stress?: boolean;
  /** License of the model's parameters; for readers. */
  readonly license?: string;
  /** Origin of the model's parameters; for readers. */
  readonly source?: string;
}

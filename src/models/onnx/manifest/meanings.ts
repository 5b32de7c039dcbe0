/**
 * Meanings of a model's tensors, with their usual names, types and shapes.
 *
 * @module
 */

import type { OnnxInput, OnnxOutput } from "./manifest.ts";

/**
 * Axis of a shape: a fixed length, or the number of atoms (N), edges (E), triplets (T), bonds (U), neighbors
 * per atom (K) or systems (B).
 */
export type Axis = "N" | "E" | "T" | "U" | "K" | "B" | "B+1" | "3B" | number;

/** Form of a shape: its axes in order. */
export type Form = readonly Axis[];

/** Properties of tensors that have a meaning. */
export interface Meaning {
  /** Usual names of tensors, in lower case. */
  readonly names: readonly string[];
  /** Accepted types: floating-point numbers, integers, both, or every type. */
  readonly types: "float" | "int" | "number" | "any";
  /** Accepted shapes. */
  readonly forms: readonly Form[];
  /**
   * True if the type and shape suffice: a tensor with another name gets the meaning if it is the only one that fits.
   */
  readonly isClearFromShape?: boolean;
}

/** Forms of a tensor with a single number. */
const ONE: readonly Form[] = [[], [1]];

/** Meanings of inputs, in the order in which they are assigned. */
export const INPUTS: Readonly<Record<OnnxInput, Meaning>> = {
  positions: {
    names: ["positions", "pos", "coordinates", "coords", "coord", "r", "xyz"],
    types: "float",
    forms: [["N", 3], [1, "N", 3]],
    isClearFromShape: true,
  },
  numbers: {
    names: [
      "numbers",
      "z",
      "species",
      "atomic_numbers",
      "atomicnumbers",
      "atomic_nums",
      "elements",
      "types",
      "atom_types",
      "node_types",
    ],
    types: "number",
    forms: [["N"], ["N", 1], [1, "N"]],
    isClearFromShape: true,
  },
  edges: {
    names: [
      "edge_index",
      "edges",
      "edgeindex",
      "edge_indices",
      "neighbor_list",
      "neighbour_list",
      "neighbors",
      "pairs",
      "pair_indices",
    ],
    types: "int",
    forms: [[2, "E"], ["E", 2]],
    isClearFromShape: true,
  },
  edgeSources: {
    names: ["edge_src", "idx_i", "senders", "centers", "src", "first_atom", "edge_source"],
    types: "int",
    forms: [["E"]],
  },
  edgeTargets: {
    names: ["edge_dst", "idx_j", "receivers", "neighbors", "dst", "second_atom", "edge_target"],
    types: "int",
    forms: [["E"]],
  },
  shifts: {
    names: ["shifts", "offsets", "edge_shifts", "shift_vectors", "edge_shift", "shift"],
    types: "float",
    forms: [["E", 3]],
    isClearFromShape: true,
  },
  cellShifts: {
    names: [
      "cell_shifts",
      "cell_offsets",
      "unit_shifts",
      "cellshifts",
      "shifts_idx",
      "edge_cell_shift",
      "shifts",
      "offsets",
      "images",
      "pbc_offset",
    ],
    types: "number",
    forms: [["E", 3]],
  },
  reverseEdges: {
    names: ["reverse_edge", "reverse_edges", "rev_edge", "rev_edge_index", "id_swap"],
    types: "int",
    forms: [["E"]],
  },
  neighborMatrix: {
    names: ["neighbor_matrix", "neighbour_matrix", "nbmat", "nbr_idx"],
    types: "int",
    forms: [["N", "K"]],
  },
  neighborShifts: {
    names: ["neighbor_shifts", "neighbour_shifts", "nbmat_shifts"],
    types: "float",
    forms: [["N", "K", 3]],
  },
  neighborMask: {
    names: ["neighbor_mask", "neighbour_mask", "nbmat_mask"],
    types: "any",
    forms: [["N", "K"]],
  },
  tripletCenters: {
    names: ["trip_center", "triplet_center", "trip_centre", "triplet_centre", "triplet_centers"],
    types: "int",
    forms: [["T"]],
  },
  tripletEdges: {
    names: [
      "trip_edge",
      "triplet_edge",
      "triplet_edges",
      "trip_edges",
      "angle_index",
      "triplets",
      "three_body_indices",
    ],
    types: "int",
    forms: [[2, "T"], ["T", 2]],
  },
  edgeBonds: {
    names: ["d2u", "directed2undirected", "edge_bond", "edge_bonds"],
    types: "int",
    forms: [["E"]],
  },
  bondEdges: {
    names: ["u2d", "undirected2directed", "bond_edge", "bond_edges"],
    types: "int",
    forms: [["U"]],
  },
  bondGraph: { names: ["bond_graph"], types: "int", forms: [[5, "T"], ["T", 5]] },
  batchIndex: {
    names: ["batch_idx", "batch", "batch_index", "system_idx", "idx_m", "node_batch", "graph_idx"],
    types: "int",
    forms: [["N"]],
    isClearFromShape: true,
  },
  edgeBatchIndex: { names: ["edge_batch", "edge_batch_idx"], types: "int", forms: [["E"]] },
  systems: { names: ["energy0", "systems"], types: "number", forms: [["B"]] },
  systemSizes: {
    names: ["natoms", "n_atoms", "num_atoms", "n_node", "n_nodes", "sizes", "system_sizes"],
    types: "int",
    forms: [["B"]],
  },
  systemOffsets: {
    names: ["ptr", "system_offsets", "node_offsets", "batch_ptr", "offsets"],
    types: "int",
    forms: [["B+1"]],
  },
  cell: {
    names: ["cell", "cells", "lattice", "box"],
    types: "float",
    forms: [["B", 3, 3], [3, 3], ["3B", 3]],
    isClearFromShape: true,
  },
  pbc: { names: ["pbc", "periodic"], types: "any", forms: [["B", 3], [3]] },
  nodeCount: {
    names: ["node_count", "natoms", "n_atoms", "num_nodes"],
    types: "number",
    forms: ONE,
  },
  edgeCount: { names: ["edge_count", "n_edges", "num_edges"], types: "number", forms: ONE },
  systemCount: {
    names: ["system_count", "n_systems", "num_graphs", "n_graphs", "batch_size"],
    types: "number",
    forms: ONE,
  },
  masses: { names: ["masses", "mass", "atomic_masses"], types: "float", forms: [["N"], ["N", 1]] },
  charges: { names: ["charges", "partial_charges"], types: "float", forms: [["N"], ["N", 1]] },
};

const VECTORS: readonly Form[] = [["N", 3], [1, "N", 3]];
const TENSORS: readonly Form[] = [["B", 3, 3], ["B", 9], ["B", 6], [1, 3, 3], [3, 3], [9], [6]];

/** Meanings of outputs. */
export const OUTPUTS: Readonly<Record<OnnxOutput, Meaning>> = {
  energy: {
    names: ["energy", "energies", "e", "total_energy", "y", "energy_total", "atomic_energies"],
    types: "float",
    forms: [["B"], ["N"], [], [1], ["B", 1], ["N", 1], [1, 1], [1, "N"]],
    isClearFromShape: true,
  },
  forces: { names: ["forces", "force", "f"], types: "float", forms: VECTORS },
  gradient: {
    names: ["gradient", "gradients", "grad", "dedr", "energy_gradient"],
    types: "float",
    forms: VECTORS,
  },
  stress: { names: ["stress", "stresses"], types: "float", forms: TENSORS },
  virial: { names: ["virial", "virials"], types: "float", forms: TENSORS },
};

/** Trainers and engines feed a graph bitwise identically, for all inputs that a manifest can name. */
import { assert, assertEquals } from "@std/assert";
import type { SystemInput } from "../../../src/batch/mod.ts";
import type { OnnxModelOptions } from "../../../src/models/onnx.ts";
import { GraphBuilder } from "../../../src/onnx/mod.ts";
import { atomsData, openPotential } from "../../../src/training/mod.ts";
import { lacks } from "../../machine.ts";
import {
  perfectCrystals,
  POTENTIALS,
  rattledCrystals,
  structuresFor,
} from "../../models/real_potentials.ts";
import { readModel } from "../../onnx/shared_models.ts";
import { engineInputs } from "./engine_inputs.ts";

/** Compares the inputs of a graph, and returns their names. */
async function compare(
  bytes: Uint8Array,
  options: OnnxModelOptions,
  systems: readonly SystemInput[],
): Promise<string[]> {
  const runs = await engineInputs(bytes, options, systems);
  const potential = await openPotential(bytes, options);
  const batchSize = potential.isSingle ? 1 : systems.length;
  const data = atomsData(systems, {
    potential,
    batchSize,
    shuffle: false,
    energy: false,
    forces: false,
    stress: false,
    partial: true,
  });
  const batches = await Array.fromAsync(data.batches(0, 0));
  assertEquals(batches.length, runs.length);
  for (const [i, run] of runs.entries()) {
    const feeds = batches[i]!.feeds;
    for (const [name, wanted] of Object.entries(run)) {
      assertEquals([name, feeds[name]?.dims], [name, wanted.dims]);
      assert(same(feeds[name]!.data, wanted.data), `${name} has other bits`);
    }
  }
  return Object.keys(runs[0]!).sort();
}

function same(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  return a.constructor === b.constructor && a.length === b.length &&
    Array.from(a).every((value, i) => Object.is(value, b[i]));
}

for (const { name, options, isUniversal } of POTENTIALS) {
  const title = `a trainer feeds ${name} what an engine feeds it`;
  Deno.test({ name: title, ignore: lacks("models") }, async () => {
    const systems = [
      ...Object.values(structuresFor(isUniversal)),
      ...perfectCrystals(isUniversal),
      ...isUniversal ? rattledCrystals() : [],
    ];
    const bytes = readModel(`${name}_e.onnx`);
    assert((await compare(bytes, options, systems)).length >= 6);
    // An isolated atom alone has a system beside it, where a graph may fail on empty lists.
    await compare(bytes, options, [structuresFor(isUniversal)["an isolated atom"]!]);
  });
}

const MOLECULE: SystemInput = {
  symbols: ["O", "H", "H", "C"],
  positions: [0, 0, 0, 1, 0.1, 0, 0.2, 1.2, 0, 0.3, 0.1, 1.4],
  charges: [0.25, -0.5, 0.125, 1],
};
const CRYSTAL: SystemInput = {
  symbols: ["H", "C"],
  positions: [0, 0, 0, 1.1, 0.9, 1],
  cell: [2.2, 0.1, 0, 0, 2.3, 0, 0.1, 0, 2.4],
  pbc: [true, true, true],
};
/** Far away, so that positions are relative to an origin of its own if the graph allows it. */
const FAR: SystemInput = {
  symbols: ["C", "O"],
  positions: [1e5, 1e5, 0, 1e5 + 1, 1e5 + 0.75, 0.5],
};
const WATERS = [MOLECULE, CRYSTAL];

type Dims = readonly (string | number)[];
type Inputs = Readonly<Record<string, readonly [type: "f32" | "f64" | "i64" | "i32", Dims]>>;

/** A graph with these inputs besides positions and edges, whose energy is that of its edges. */
function graphOf(more: Inputs, { isList = true, isSingle = false } = {}): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("inputs");
  const x = g.input("positions", "f32", ["N", 3]);
  const k = g.parameter("k", [0.5], [1]);
  for (const [name, [type, dims]] of Object.entries(more)) g.input(name, type, [...dims]);
  let each = g.reduceSum(g.mul(x, x), [1]);
  if (isList) {
    const edges = g.input("edge_index", "i64", [2, "E"]);
    const [from, to] = [0, 1].map((row) => g.gather(x, g.gather(edges, g.constant("i64", row))));
    const vectors = g.add(g.sub(to!, from!), g.input("shifts", "f32", ["E", 3]));
    each = g.reduceSum(g.mul(vectors, vectors), [1]);
  }
  const systems = isSingle || !isList ? undefined : g.input("batch_idx", "i64", ["N"]);
  const energies = g.mul(each, k);
  if (systems === undefined) g.output("energy", g.reduceSum(energies, [0], true), [1]);
  else {
    const edges = g.value("edge_index", "i64");
    const owners = g.gather(systems, g.gather(edges, g.constant("i64", 0)));
    g.output("energy", g.scatterAdd(g.input("energy0", "f32", ["B"]), owners, energies), ["B"]);
  }
  return g.build();
}

const CASES: Readonly<Record<string, readonly [Uint8Array, OnnxModelOptions, SystemInput[]?]>> = {
  "all tensors of atoms and systems": [
    graphOf({
      z: ["i64", ["N"]],
      masses: ["f32", ["N"]],
      charges: ["f32", ["N", 1]],
      pbc: ["i32", ["B", 3]],
      natoms: ["i64", ["B"]],
      ptr: ["i64", ["B+1"]],
      cell: ["f32", ["B", 3, 3]],
      num_graphs: ["i64", []],
      node_count: ["i64", [1]],
      n_edges: ["i64", [1]],
    }),
    { cutoff: 2.5 },
  ],
  "edges in all forms": [
    graphOf({
      senders: ["i32", ["E"]],
      receivers: ["i64", ["E"]],
      cell_shifts: ["f32", ["E", 3]],
      rev_edge: ["i64", ["E"]],
      edge_batch: ["i64", ["E"]],
    }),
    { cutoff: 2.5 },
  ],
  "half lists": [graphOf({}), { cutoff: 2.5, neighbors: "half" }],
  "the nearest alone": [graphOf({}), { cutoff: 2.5, nearest: 2 }],
  "ordered triplets": [
    graphOf({ three_body_indices: ["i64", ["T", 2]], trip_center: ["i64", ["T"]] }),
    { cutoff: 2.5, reach: 1.8, triplets: "ordered" },
  ],
  "unordered triplets": [
    graphOf({ trip_edge: ["i64", [2, "T"]], trip_center: ["i64", ["T"]] }),
    { cutoff: 2.5, reach: 1.8 },
  ],
  "graphs of bonds": [
    graphOf({ d2u: ["i64", ["E"]], u2d: ["i64", ["U"]], bond_graph: ["i64", ["T", 5]] }),
    { cutoff: 2.5, reach: 1.8, triplets: "ordered" },
  ],
  "matrices of neighbors": [
    graphOf({
      nbmat: ["i64", ["N", "K"]],
      nbmat_shifts: ["f32", ["N", "K", 3]],
      nbmat_mask: ["f32", ["N", "K"]],
    }),
    { cutoff: 2.5 },
  ],
  "a second list": [
    graphOf({ far_index: ["i64", [2, "F"]], far_shifts: ["f32", ["F", 3]] }),
    {
      cutoff: 1.6,
      lists: {
        far: { cutoff: 3, nearest: 9, inputs: { edges: "far_index", shifts: "far_shifts" } },
      },
    },
  ],
  "units and elements of its own": [
    graphOf({ species: ["i64", ["N"]], cell: ["f32", ["B", 3, 3]] }),
    { cutoff: 2.5, lengthUnit: "Bohr", energyUnit: "Hartree", elements: { H: 5, C: 2, O: 7 } },
  ],
  "constants and functions": [
    graphOf({ charge: ["f32", [1]], lengths: ["f32", ["E"]], angles: ["i64", ["T", 2]] }),
    {
      cutoff: 2.5,
      reach: 1.8,
      constants: { charge: 0.5 },
      derived: {
        lengths: ({ shifts, edgeCount }) => ({
          data: shifts.filter((_, i) => i % 3 === 0),
          dims: [edgeCount],
        }),
        angles: ({ tripletEdges, tripletCount: count }) => ({
          data: tripletEdges.map((_, i) => tripletEdges[(i % 2) * count + (i >> 1)]!),
          dims: [count, 2],
        }),
      },
    },
  ],
  "one system at a time": [
    graphOf({ cell: ["f32", [3, 3]], z: ["i64", ["N"]] }, { isSingle: true }),
    { cutoff: 2.5 },
  ],
  "no edges": [graphOf({ z: ["i64", [1, "N"]] }, { isList: false }), {}],
  "a system far away": [graphOf({}), { cutoff: 2.5 }, [FAR, ...WATERS]],
};

for (const [title, [bytes, options, systems = WATERS]] of Object.entries(CASES)) {
  Deno.test(`a trainer feeds what an engine feeds: ${title}`, async () => {
    assert((await compare(bytes, options, systems)).length > 0);
  });
}

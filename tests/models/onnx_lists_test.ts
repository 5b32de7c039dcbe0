/** Lists that a manifest describes: ordered and unordered triplets, bond graphs, nearest neighbors. */
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { Batch, NVE, type SystemInput } from "@hooke/hooke";
import {
  ModelMismatchError,
  type OnnxDerive,
  OnnxModel,
  type OnnxModelOptions,
} from "@hooke/hooke/models/onnx";
import { GraphBuilder } from "@hooke/hooke/onnx";
import { orderedTriplets } from "../../src/models/onnx/lists/ordered_triplets.ts";
import type { OnnxPart } from "../../src/models/onnx/onnx_part.ts";
import { fileOf, labeled, referenceOf } from "./made_reference.ts";

const TRIANGLE: SystemInput = {
  symbols: ["H", "H", "H", "H"],
  positions: [0, 0, 0, 1, 0.1, 0, 0.2, 1.2, 0, 0.3, 0.1, 1.4],
};
const CRYSTAL: SystemInput = {
  symbols: ["H", "H"],
  positions: [0, 0, 0, 1.1, 0.9, 1],
  cell: [2.2, 0.1, 0, 0, 2.3, 0, 0.1, 0, 2.4],
};

/** Inputs of a graph with edges, and the vectors of the edges. */
function edgesOf(g: GraphBuilder) {
  const x = g.input("positions", "f32", ["N", 3]);
  const edges = g.input("edge_index", "i64", [2, "E"]);
  const shifts = g.input("shifts", "f32", ["E", 3]);
  const [source, target] = [0, 1].map((row) => g.gather(edges, g.constant("i64", row)));
  const vectors = g.add(g.sub(g.gather(x, target!), g.gather(x, source!)), shifts);
  return { x, squares: g.reduceSum(g.mul(vectors, vectors), [1]) };
}

/** E = Σ over triplets of |first|⁴ |second|². */
function tripletModel(name: string): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("triplets");
  const { squares } = edgesOf(g);
  const triplets = g.input(name, "i64", ["T", 2]);
  const [first, second] = [0, 1].map((side) =>
    g.gather(squares, g.gather(triplets, g.constant("i64", side), 1))
  );
  const terms = g.mul(g.mul(first!, first!), second!);
  g.output("energy", g.reduceSum(terms, [0]), []);
  return g.build();
}

async function energy(bytes: Uint8Array, options: OnnxModelOptions, system: SystemInput) {
  await using model = await OnnxModel.open(bytes, options);
  await using md = new NVE({ model, dt: 0.01 });
  return (await md.run(Batch.from([system]), 0)).get("energy")[0]!;
}

/** Squared lengths of the edges of each atom of a molecule. */
function squaresOf({ positions }: SystemInput, cutoff: number): number[][] {
  const at = (i: number) => Array.from(positions as number[]).slice(3 * i, 3 * i + 3);
  const count = (positions as number[]).length / 3;
  return Array.from(
    { length: count },
    (_, i) =>
      Array.from(
        { length: count },
        (_, j) => at(j).reduce((sum, x, d) => sum + (x - at(i)[d]!) ** 2, 0),
      ).filter((square, j) => j !== i && square < cutoff ** 2),
  );
}

Deno.test("triplets are listed in both orders or once, as the manifest states", async () => {
  const bytes = tripletModel("three_body_indices"), options = { cutoff: 3, reach: 1.9 };
  let wanted = 0;
  for (const squares of squaresOf(TRIANGLE, 1.9)) {
    for (const [i, a] of squares.entries()) {
      for (const [j, b] of squares.entries()) if (i !== j) wanted += a * a * b;
    }
  }
  const ordered = await energy(bytes, { ...options, triplets: "ordered" }, TRIANGLE);
  assertAlmostEquals(ordered, wanted, 1e-4);
  const once = await energy(bytes, { ...options, triplets: "unordered" }, TRIANGLE);
  assert(once < 0.8 * ordered && once > 0.2 * ordered, `${once} of ${ordered}`);
});

Deno.test("ordered triplets are sorted by their first edges, for parts of a batch, too", () => {
  // Edges 4, 5 and 7 of atom 2, 9 and 10 of atom 3; room for one more.
  const lists = {
    counts: Int32Array.of(12, 4),
    index: new Int32Array(),
    shifts: new Float64Array(),
    systems: new Int32Array(),
    centers: Int32Array.of(2, 2, 2, 3, 0),
    triplets: Int32Array.of(4, 4, 5, 9, 0, /* and */ 5, 7, 7, 10, 0),
  };
  const part = { triplets: [0, 4] } as unknown as OnnxPart;
  const { counts, centers, triplets } = orderedTriplets(lists, part);
  assertEquals([...counts], [12, 8]);
  assertEquals([...centers.subarray(0, 8)], [2, 2, 2, 2, 2, 2, 3, 3]);
  assertEquals([...triplets], [4, 4, 5, 5, 7, 7, 9, 10, 5, 7, 4, 7, 4, 5, 10, 9]);
  const second = orderedTriplets(lists, { triplets: [3, 4] } as unknown as OnnxPart);
  assertEquals([...second.triplets], [9, 10, 10, 9]);
});

Deno.test("an order of triplets that names do not show must be stated", async () => {
  const options = { cutoff: 3, reach: 2 };
  for (const name of ["triplet_edges", "three_body_indices", "angle_index"]) {
    await assertRejects(
      () => OnnxModel.open(tripletModel(name), options),
      ModelMismatchError,
      'pass { triplets: "unordered" } for once, or { triplets: "ordered" }',
    );
  }
  await using told = await OnnxModel.open(tripletModel("trip_edge"), options);
  assert(told.describe().includes("each pair of edges of an atom is a triplet once"));
});

Deno.test("a reference finds triplets of the wrong order", async () => {
  const bytes = tripletModel("triplet_edges");
  const right = { cutoff: 3, reach: 2, triplets: "ordered" } as const;
  const reference = fileOf(await referenceOf(bytes, right, [labeled("four", TRIANGLE)]));
  await assertRejects(
    () => OnnxModel.open(bytes, { ...right, triplets: "unordered", reference }),
    ModelMismatchError,
    'it agrees with { triplets: "ordered" }',
  );
});

Deno.test("bonds are pairs of opposite edges, and bond graphs refer to them by triplet", async () => {
  const g = new GraphBuilder("bonds");
  const { squares } = edgesOf(g);
  const ofEdges = g.input("d2u", "i64", ["E"]), bonds = g.input("u2d", "i64", ["U"]);
  const graph = g.input("bond_graph", "i64", [5, "T"]);
  const lengths = g.gather(squares, bonds);
  const row = (i: number) => g.gather(graph, g.constant("i64", i));
  const square = (a: typeof squares) => g.reduceSum(g.mul(a, a), [0]);
  const same = square(g.sub(g.gather(lengths, ofEdges), squares));
  const sides = [1, 3].map((i) =>
    square(g.sub(g.gather(lengths, row(i)), g.gather(squares, row(i + 1))))
  );
  // 0 except for the bonds: each edge has the length of its bond.
  const odd = g.add(same, g.add(sides[0]!, sides[1]!));
  g.output("energy", g.add(g.mul(odd, 1e6), g.reduceSum(lengths, [0])), []);
  const bytes = g.build(), options = { cutoff: 2.5, reach: 2, triplets: "ordered" } as const;
  const half = squaresOf(TRIANGLE, 2.5).flat().reduce((sum, square) => sum + square, 0) / 2;
  assertAlmostEquals(await energy(bytes, options, TRIANGLE), half, 1e-4);
  assert(await energy(bytes, options, CRYSTAL) > 0);
  await assertRejects(
    () => OnnxModel.open(bytes, { ...options, nearest: 3 }),
    RangeError,
    "Leave out nearest",
  );
});

/** E = Σ |near|² + 1000 Σ |far|², over two lists; with `isApart` shifts come before the difference of positions. */
function twoLists(isApart = false): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("two lists");
  const { squares, x } = edgesOf(g);
  const source = g.input("far_src", "i64", ["F"]), target = g.input("far_dst", "i64", ["F"]);
  const shifts = g.input("far_shifts", "f32", ["F", 3]),
    systems = g.input("batch_idx", "i64", ["N"]);
  const energy0 = g.input("energy0", "f32", ["B"]), near = g.input("edge_batch", "i64", ["E"]);
  const from = g.gather(x, source), to = g.gather(x, target);
  const v = isApart ? g.sub(g.add(to, shifts), from) : g.add(g.sub(to, from), shifts);
  const far = g.mul(g.reduceSum(g.mul(v, v), [1]), 1000);
  const zeros = g.sub(energy0, energy0);
  const one = g.scatterAdd(zeros, near, squares);
  g.output("energy", g.scatterAdd(one, g.gather(systems, source), far), ["B"]);
  return g.build();
}

Deno.test("a second list has its own cutoff and inputs, also in batches with isolated atoms", async () => {
  const far = { edgeSources: "far_src", edgeTargets: "far_dst", shifts: "far_shifts" };
  const lone: SystemInput = { symbols: ["H", "H"], positions: [0, 0, 0, 1.45, 0, 0] };
  const alone: SystemInput = { symbols: ["H"], positions: [0, 0, 0] };
  const sum = (squares: number[][]) => squares.flat().reduce((total, square) => total + square, 0);
  for (const [near, long] of [[1.25, 3], [3, 1.25]] as const) {
    const lists = { far: { cutoff: long, inputs: far } };
    await using model = await OnnxModel.open(twoLists(), { cutoff: near, lists });
    assertEquals(model.cutoff, 3);
    assert(model.describe().includes(`list far: cutoff ${long} Å, from the options`));
    for (const systems of [[TRIANGLE, lone, alone], [lone], [alone]]) {
      await using md = new NVE({ model, dt: 0.01 });
      const energies = (await md.run(Batch.from(systems), 0)).get("energy");
      for (const [s, system] of systems.entries()) {
        const wanted = sum(squaresOf(system, near)) + 1000 * sum(squaresOf(system, long));
        assertAlmostEquals(energies[s]!, wanted, 1e-6 * Math.max(1, wanted));
      }
    }
  }
});

/** Σ over edges of v ⊗ v, of a crystal. */
function outerSquares({ positions, cell }: SystemInput, cutoff: number): number[] {
  const sum = Array<number>(9).fill(0), atoms = positions as number[], rows = cell as number[];
  const steps = Array.from({ length: 9 }, (_, i) => i - 4);
  for (const shift of steps.flatMap((a) => steps.flatMap((b) => steps.map((c) => [a, b, c])))) {
    for (let i = 0; i < atoms.length; i += 3) {
      for (let j = 0; j < atoms.length; j += 3) {
        const v = [0, 1, 2].map((d) =>
          atoms[j + d]! - atoms[i + d]! +
          shift.reduce((total, count, row) => total + count * rows[3 * row + d]!, 0)
        );
        const square = v.reduce((total, x) => total + x * x, 0);
        if (square < 1e-12 || square >= cutoff ** 2) continue;
        for (let d = 0; d < 9; d++) sum[d]! += v[Math.floor(d / 3)]! * v[d % 3]!;
      }
    }
  }
  return sum;
}

Deno.test("stresses are summed over all lists of edges, for any computation of their vectors", async () => {
  const far = { edgeSources: "far_src", edgeTargets: "far_dst", shifts: "far_shifts" };
  const upright = [2, 0, 0, 0, 2.5, 0, 0, 0, 3];
  const alone: SystemInput = { symbols: ["H"], positions: [0.5, 0.1, 0], cell: upright };
  const volumes = [2.2 * 2.3 * 2.4, 15];
  for (const isApart of [false, true]) {
    const options = { cutoff: 2.6, lists: { far: { cutoff: 4, inputs: far } }, stress: true };
    await using model = await OnnxModel.open(twoLists(isApart), options);
    const batch = Batch.from([CRYSTAL, alone]);
    batch.ensure("stress");
    await using md = new NVE({ model, dt: 0.01 });
    const found = (await md.run(batch, 0)).get("stress");
    for (const [s, system] of [CRYSTAL, alone].entries()) {
      const near = outerSquares(system, 2.6), long = outerSquares(system, 4);
      const wanted = near.map((square, i) => 2 * (square + 1000 * long[i]!) / volumes[s]!);
      const largest = Math.max(...wanted);
      for (let i = 0; i < 9; i++) {
        assertAlmostEquals(found[9 * s + i]!, wanted[i]!, 1e-5 * largest, `${s} ${i}`);
      }
    }
  }
});

Deno.test("a reference finds a wrong cutoff of a further list", async () => {
  const inputs = { edgeSources: "far_src", edgeTargets: "far_dst", shifts: "far_shifts" };
  const options = (cutoff: number) => ({ cutoff: 2.6, lists: { far: { cutoff, inputs } } });
  const reference = fileOf(
    await referenceOf(twoLists(), options(4), [labeled("crystal", CRYSTAL)]),
  );
  await assertRejects(
    () => OnnxModel.open(twoLists(), { ...options(3.3), reference }),
    ModelMismatchError,
    "it agrees with { lists: { far: { cutoff: 4, … } } } or a length near it",
  );
});

Deno.test("nearest keeps the nearest neighbors of each atom, and their triplets", async () => {
  const g = new GraphBuilder("nearest");
  const { squares } = edgesOf(g);
  const triplets = g.input("trip_edge", "i64", [2, "T"]);
  const second = g.gather(squares, g.gather(triplets, g.constant("i64", 1)));
  const count = g.reduceSum(g.add(g.mul(second, 0), 1), [0]);
  g.output("energy", g.add(g.reduceSum(squares, [0]), g.mul(count, 100)), []);
  const near = squaresOf(TRIANGLE, 3).map((squares) => squares.sort((a, b) => a - b).slice(0, 2));
  const wanted = near.flat().reduce((sum, square) => sum + square, 100 * near.length);
  const options = { cutoff: 3, reach: 3, nearest: 2 };
  assertAlmostEquals(await energy(g.build(), options, TRIANGLE), wanted, 1e-3);
});

Deno.test("wrong lists are refused by name", async () => {
  const inputs = { edgeSources: "far_src", edgeTargets: "far_dst", shifts: "far_shifts" };
  const wrong: readonly [OnnxModelOptions, string][] = [
    [{ lists: { far: { inputs } as never } }, "the option lists.far.cutoff must be a number"],
    [{ lists: { far: { cutoff: 5, inputs: { edge: "x" } as never } } }, "lists.far.inputs"],
    [
      { lists: { far: { cutoff: 5, inputs: { ...inputs, edgeTargets: "dst" } } } },
      "lists.far.inputs.edgeTargets",
    ],
  ];
  for (const [options, message] of wrong) {
    const error = await assertRejects(() => OnnxModel.open(twoLists(), { cutoff: 3, ...options }));
    assert((error as Error).message.includes(message), (error as Error).message);
  }
});

Deno.test("neighbor matrices are padded with the atom itself, beyond the cutoff", async () => {
  const g = new GraphBuilder("matrix"); // E = ½ Σ r² over neighbors within 50 Å
  const x = g.input("positions", "f32", ["N", 3]);
  const matrix = g.input("nbmat", "i64", ["N", "K"]);
  const shifts = g.input("nbmat_shifts", "f32", ["N", "K", 3]);
  const mask = g.input("nbmat_mask", "f32", ["N", "K"]);
  const vectors = g.add(g.sub(g.gather(x, matrix), g.unsqueeze(x, [1])), shifts);
  const squares = g.reduceSum(g.mul(vectors, vectors), [2]);
  const near = g.where(g.greaterOrEqual(squares, 2500), 0, squares);
  const odd = g.sub(g.where(g.greaterOrEqual(squares, 2500), 0, g.add(g.mul(squares, 0), 1)), mask);
  const terms = g.add(g.mul(near, 0.5), g.mul(g.mul(odd, odd), 1e6));
  g.output("energy", g.reduceSum(terms, [1]), ["N"]);
  const half = (squares: number[][]) => squares.flat().reduce((sum, one) => sum + one, 0) / 2;
  const bytes = g.build(), rows = squaresOf(TRIANGLE, 1.9);
  assertAlmostEquals(await energy(bytes, { cutoff: 1.9 }, TRIANGLE), half(rows), 1e-4);
  const two = rows.map((row) => row.sort((a, b) => a - b).slice(0, 2));
  assertAlmostEquals(await energy(bytes, { cutoff: 1.9, nearest: 2 }, TRIANGLE), half(two), 1e-4);
  assertEquals(await energy(bytes, { cutoff: 1.9 }, { symbols: ["H"], positions: [9, 0, 0] }), 0);
  // An atom with its own images: each pair of opposite edges counts once.
  const lone = { symbols: ["H"], positions: [0.3, 0, 0], cell: [2, 9, 9] };
  assertAlmostEquals(await energy(bytes, { cutoff: 3 }, lone), 4, 1e-4);
  await assertRejects(
    () => OnnxModel.open(bytes, { cutoff: 3, stress: true }),
    RangeError,
    "models of neighbor matrices",
  );
});

Deno.test("custom functions never receive the empty lists of a batch with a companion", async () => {
  const g = new GraphBuilder("functions");
  const { squares } = edgesOf(g);
  const weights = g.input("weights", "f32", ["E"]), batch = g.input("edge_batch", "i64", ["E"]);
  const energy0 = g.input("energy0", "f32", ["B"]);
  const zeros = g.sub(energy0, energy0);
  g.output("energy", g.scatterAdd(zeros, batch, g.mul(squares, weights)), ["B"]);
  const counts: number[] = [];
  const weightsOf: OnnxDerive = ({ edgeCount }) => {
    counts.push(edgeCount);
    return { data: new Float32Array(edgeCount).fill(1), dims: [edgeCount] };
  };
  await energy(g.build(), { cutoff: 2, derived: { weights: weightsOf } }, {
    symbols: ["H"],
    positions: [0, 0, 0],
  });
  assert(counts.length > 0 && !counts.includes(0), `${counts}`);
});

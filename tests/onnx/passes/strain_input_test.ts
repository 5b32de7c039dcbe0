import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import {
  decodeModel,
  Graph,
  GraphBuilder,
  openEvaluator,
  type PlainFeeds,
  type PlainTensor,
  strainInput,
  type StrainInputOptions,
  UnsupportedNodeError,
} from "../../../src/onnx/mod.ts";
import { branching } from "../odd_models.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";
import { lennardJonesBatch, type PassGraph, passGraphs } from "./pass_graphs.ts";
import { modelTest } from "../shared_models.ts";

const OPTIONS: StrainInputOptions = {
  positions: "positions",
  shifts: "shifts",
  batch: "batch_idx",
  edges: "edge_index",
};

/** A strain of no symmetry for each system. */
function strains(systems: number, size: number): number[] {
  return Array.from({ length: 9 * systems }, (_, i) => size * Math.sin(7 * i + 1));
}

function plain(type: "f32", data: ArrayLike<number>, ...dims: number[]): PlainTensor {
  return { type, dims, data: Float64Array.from(data) };
}

/** Rows of a feed, each with the strain of its system. */
function deformed(feed: PlainTensor, strain: readonly number[], systems: ArrayLike<number>) {
  const data = Float64Array.from(feed.data, (x, at) => {
    const row = Math.floor(at / 3), b = at % 3, base = 9 * systems[row]!;
    const sum = [0, 1, 2].map((a) => feed.data[3 * row + a]! * strain[base + 3 * a + b]!);
    return x + sum[0]! + sum[1]! + sum[2]!;
  });
  return plain("f32", data, ...feed.dims);
}

/** The batch of a graph in double precision, and what there is in it. */
function doubled({ feeds }: PassGraph) {
  const numbers = (name: string) => Array.from(feeds[name]!.data as Float32Array, Number);
  const positions = plain("f32", numbers("positions"), ...feeds.positions!.dims!);
  const shifts = plain("f32", numbers("shifts"), ...feeds.shifts!.dims!);
  const atoms = numbers("batch_idx"), edges = numbers("edge_index");
  const pairs = edges.slice(0, edges.length / 2).map((atom) => atoms[atom]!);
  return { positions, shifts, atoms, edges, pairs, systems: feeds.energy0!.data.length };
}

function strained(bytes: Uint8Array, options: StrainInputOptions = OPTIONS): Graph {
  const graph = new Graph(decodeModel(bytes));
  strainInput(graph, options);
  return new Graph(decodeModel(graph.encode()));
}

for (const name of ["Lennard-Jones", "schnet_e.onnx", "ani1x_1_e.onnx"]) {
  const test = name.endsWith(".onnx") ? modelTest : Deno.test;
  test(`${name}: a strain equals deformed positions and shifts`, () => {
    const each = passGraphs().find((graph) => graph.name === name)!;
    const { positions, shifts, atoms, pairs, systems } = doubled(each);
    const evaluator = openEvaluator(strained(each.bytes));
    const base: PlainFeeds = { ...each.feeds, positions, shifts };
    for (const size of [0, 0.02]) {
      const strain = strains(systems, size);
      const { energy } = evaluator.run(
        { ...base, strain: plain("f32", strain, systems, 3, 3) },
        ["energy"],
      );
      const moved = {
        ...base,
        positions: deformed(positions, strain, atoms),
        shifts: deformed(shifts, strain, pairs),
      };
      const expected = openEvaluator(each.bytes).run(moved, ["energy"]).energy!;
      const off = worst(energy!.data, expected.data);
      assert(off < 1e-13, `energy is off by ${off}`);
      const still = openEvaluator(each.bytes).run(base, ["energy"]).energy!;
      assertEquals(worst(still.data, expected.data) > 1e-7, size > 0);
    }
  });
}

Deno.test("the derivative of the Lennard-Jones energy by strain equals the virial of its pairs", () => {
  const each = lennardJonesBatch();
  const { positions, shifts, edges, pairs, systems } = doubled(each);
  const evaluator = openEvaluator(strained(each.bytes));
  const energyAt = (strain: readonly number[]) =>
    evaluator.run(
      { ...each.feeds, positions, shifts, strain: plain("f32", strain, systems, 3, 3) },
      ["energy"],
    ).energy!.data;
  // dE/dε = Σ over pairs of r ⊗ r (dE/dr)/r, half of it as each pair is there both ways.
  const virial = Array<number>(9 * systems).fill(0);
  for (const [k, system] of pairs.entries()) {
    const [src, dst] = [edges[k]!, edges[pairs.length + k]!];
    const r = [0, 1, 2].map((a) =>
      positions.data[3 * dst + a]! - positions.data[3 * src + a]! + shifts.data[3 * k + a]!
    );
    const square = r[0]! ** 2 + r[1]! ** 2 + r[2]! ** 2, s6 = (3.4 ** 2 / square) ** 3;
    const slope = 0.5 * 24 * 0.0104 * (s6 - 2 * s6 * s6) / square;
    for (let a = 0; a < 9; a++) {
      virial[9 * system + a]! += slope * r[Math.floor(a / 3)]! * r[a % 3]!;
    }
  }
  const h = 1e-5;
  for (let component = 0; component < 9; component++) {
    const step = (h: number) => virial.map((_, i) => i % 9 === component ? h : 0);
    const [up, down] = [energyAt(step(h)), energyAt(step(-h))];
    for (let system = 0; system < systems; system++) {
      // Constants of the graph are rounded to float32.
      const slope = (up[system]! - down[system]!) / (2 * h);
      assertAlmostEquals(slope, virial[9 * system + component]!, 2e-7);
    }
  }
});

Deno.test("strained models agree between onnxruntime and the evaluator", async () => {
  const { bytes, tensors } = lennardJonesBatch();
  const graph = strained(bytes);
  const strain = f32(strains(2, 0.03), 2, 3, 3);
  const { energy } = await runModel(graph.encode(), { ...tensors, strain });
  const feeds = Object.fromEntries(
    Object.entries({ ...tensors, strain }).map(([name, { data, dims }]) => [
      name,
      { data: data as Float32Array<ArrayBuffer>, dims },
    ]),
  );
  const expected = openEvaluator(graph).run(feeds, ["energy"]).energy!;
  assert(worst(numbersOf(energy), expected.data) < 1e-5);
});

/** The sum of positions, of the cell's numbers squared. */
function crystal(cell: readonly (number | string)[]): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("crystal");
  const positions = g.input("positions", "f32", ["N", 3]);
  const vectors = g.input("cell", "f32", cell);
  g.input("batch", "i64", ["N"]);
  g.input("systems", "i64", ["E"]);
  const squares = g.reduceSum(g.mul(vectors, vectors), cell.map((_, axis) => axis));
  g.output("energy", g.add(squares, g.reduceSum(g.mul(positions, positions), [0, 1])));
  g.output("cells", g.op("Identity", [vectors], "f32"));
  return g.build();
}

Deno.test("one system has a strain [3, 3], which also strains its cell", () => {
  const graph = strained(crystal([3, 3]), { positions: "positions", cell: "cell", name: "eps" });
  assertEquals(graph.shape("eps"), [3, 3]);
  const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1], eps = [0.5, 1, 0, 0, 0, 0, 0, 0, 0];
  const { cells, energy } = openEvaluator(graph).run({
    positions: plain("f32", [2, 0, 0], 1, 3),
    cell: plain("f32", identity, 3, 3),
    eps: plain("f32", eps, 3, 3),
  });
  // [1, 0, 0] becomes [1, 0, 0] + [0.5, 1, 0], and [2, 0, 0] becomes [3, 2, 0].
  assertEquals([...cells!.data], [1.5, 1, 0, 0, 1, 0, 0, 0, 1]);
  assertEquals([...energy!.data], [1.5 ** 2 + 1 + 1 + 1 + 9 + 4]);
});

Deno.test("there is one strain per cell, and missing values are reported before anything changes", () => {
  const graph = strained(crystal(["systems", 3, 3]), {
    positions: "positions",
    cell: "cell",
    batch: "batch",
  });
  assertEquals(graph.shape("strain"), ["systems", 3, 3]);
  const errors: [StrainInputOptions, string][] = [
    [{ positions: "x" }, 'values must exist in the graph; got "x"'],
    [
      { positions: "positions", shifts: "cell", batch: "batch" },
      "edgeBatch or edges is required with shifts; got neither",
    ],
    [
      { positions: "positions", edgeBatch: "systems" },
      "batch is required with edgeBatch; got no batch",
    ],
    [{ positions: "positions", cell: "cell", batch: "batch" }, "must have the shape [B, 3, 3]"],
  ];
  for (const [options, message] of errors) {
    const other = new Graph(decodeModel(crystal([3, 3])));
    const before = other.nodes.length;
    assertThrows(() => strainInput(other, options), RangeError, message);
    assertEquals([other.nodes.length, other.has("strain")], [before, false]);
  }
  const taken = new Graph(decodeModel(crystal([3, 3])));
  assertThrows(() => strainInput(taken, { positions: "positions", name: "cell" }), SyntaxError);
  assertThrows(() => strainInput(new Graph(branching()), { positions: "x" }), UnsupportedNodeError);
});

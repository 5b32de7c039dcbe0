/** Models of energies that get forces and virials. */
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { create } from "@bufbuild/protobuf";
import { AttributeProto_AttributeType as Kind, AttributeProtoSchema } from "onnx-buf";
import {
  dataOf,
  decodeModel,
  encodeModel,
  evaluatorSession,
  type FeedsByInput,
  FORCE_PASSES,
  gradient,
  Graph,
  GraphBuilder,
  lennardJonesModel,
  openEvaluator,
  openSession,
  showForces,
  strainInput,
  UnsupportedNodeError,
  valueInfo,
  withForces,
} from "../../src/onnx/mod.ts";
import { slow, test } from "../suite.ts";
import { feedsOf, referenceOf } from "./reference_feeds.ts";
import { assertWithin, largest } from "./assert_within.ts";
import { readModel } from "./shared_models.ts";
import { attribute, modelOf, node, value, weight } from "./tiny_model.ts";
import { lacks } from "../machine.ts";

/**
 * Model → how far energy and forces of Python's onnxruntime (1.31.1, CPU) are away from PyTorch in float64, in parts of
 * the largest value: of the file with traced forces where there is one, else what its own rounding is for that size.
 */
const PYTHON: Readonly<Record<string, { readonly energy: number; readonly forces: number }>> = {
  mlp_e: { energy: 9.27e-8, forces: 1e-6 },
  schnet_e: { energy: 3.48e-7, forces: 1.29e-6 },
  painnx_e: { energy: 1.72e-7, forces: 1e-6 },
  ani1x_1_e: { energy: 1.13e-6, forces: 9.96e-7 },
};

const onModels = (name: string, fn: () => Promise<void> | void) =>
  Deno.test({ name, fn, ignore: lacks("models") });

for (const [model, away] of Object.entries(PYTHON)) {
  onModels(`${model} gets PyTorch's forces, on wasm and by the evaluator`, async () => {
    const { bytes, report } = withForces(readModel(`${model}.onnx`));
    const expected = referenceOf(model);
    await using wasm = await openSession(bytes);
    assertEquals(wasm.outputs.map(({ name }) => name), ["energy", "forces"]);
    assertEquals(wasm.outputs[1]!.shape, ["N", 3]);
    await using plain = evaluatorSession(bytes);
    const feeds = feedsOf(model, wasm);
    const [there, here] = [await wasm.run(feeds), await plain.run(feeds)];
    for (const name of ["energy", "forces"] as const) {
      const tolerance = (1e-6 + 3 * away[name]) * largest(expected[name]!);
      assertWithin(`${name} on wasm`, dataOf(there, name, "float32"), expected[name]!, tolerance);
      assertWithin(name, dataOf(here, name, "float64"), expected[name]!, tolerance / 3);
    }
    assertEquals(report.nodes.after, decodeModel(bytes).graph!.node.length);
    assertEquals(report.forces, "forces");
  });
}

for (const model of ["schnet", "ani1x_1"]) {
  onModels(
    `${model} with forces made here has fewer nodes than the traced file, and gives the same`,
    async () => {
      const traced = readModel(`${model}_ef.onnx`);
      const { bytes, report } = withForces(readModel(`${model}_e.onnx`));
      assert(report.nodes.after < decodeModel(traced).graph!.node.length, `${report.nodes.after}`);
      await using own = await openSession(bytes);
      await using other = await openSession(traced);
      const feeds = feedsOf(`${model}_ef`, other);
      const { data } = feeds["positions"]!;
      for (const size of [0, 0.02]) {
        const positions = Float32Array.from(
          data as Float32Array,
          (x, i) => x + size * Math.sin(7 * i),
        );
        const moved = { ...feeds, positions: { ...feeds["positions"]!, data: positions } };
        const [a, b] = [await own.run(moved), await other.run(moved)];
        for (const name of ["energy", "forces"]) {
          const expected = dataOf(b, name, "float32");
          assertWithin(name, dataOf(a, name, "float32"), expected, 5e-6 * largest(expected));
        }
      }
    },
  );
}

/** As the evaluator takes them: in double precision. */
function doubles(feeds: FeedsByInput): FeedsByInput {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { data, dims }]) => [
      name,
      { dims: dims!, data: data instanceof Float32Array ? Float64Array.from(data) : data },
    ]),
  );
}

/** Some of the shifts longer and shorter, as those of periodic images are. */
function shifted(feeds: FeedsByInput): FeedsByInput {
  const { dims } = feeds["shifts"]!;
  const data = Float64Array.from(
    { length: 3 * dims![0]! },
    (_, i) => i % 7 < 3 ? 0.3 * Math.cos(i) : 0,
  );
  return { ...doubles(feeds), shifts: { dims: dims!, data } };
}

for (const model of ["schnet_e", "painnx_e", "ani1x_1_e"]) {
  (model === "ani1x_1_e" ? slow(onModels) : onModels)(
    `the virials of ${model} are what strains of its atoms and shifts do to its energy`,
    async () => {
      const { bytes, report } = withForces(readModel(`${model}.onnx`), { stress: true });
      assertEquals(report.virial, "virial");
      await using session = evaluatorSession(bytes);
      const feeds = shifted(feedsOf(model, session));
      const { virial } = await session.run(feeds);
      assert(virial?.location === "host");
      const systems = virial.dims[0]!;
      assertEquals(virial.dims, [systems, 3, 3]);

      // By an input for the strain, differentiated and by differences.
      const graph = new Graph(decodeModel(readModel(`${model}.onnx`)));
      const names = { positions: "positions", shifts: "shifts", batch: "batch_idx" };
      strainInput(graph, { ...names, edges: "edge_index" });
      gradient(graph, { of: "energy", wrt: { strain: "slope" } });
      await using strained = evaluatorSession(graph.encode());
      const at = async (strain: Float64Array) =>
        await strained.run({ ...feeds, strain: { data: strain, dims: [systems, 3, 3] } });
      const slope = dataOf(await at(new Float64Array(9 * systems)), "slope", "float64");
      const scale = largest(slope);
      assert(scale > 1e-3, "it must be strained");
      const values = virial.data as Float64Array;
      for (let i = 0; i < 9 * systems; i++) {
        assertAlmostEquals(values[i]!, -slope[i]!, 1e-12 * scale);
      }
      for (let k = 0; k < 9; k++) {
        const [more, less] = await Promise.all([1e-5, -1e-5].map(async (h) => {
          const strain = new Float64Array(9 * systems);
          for (let s = 0; s < systems; s++) {
            strain[9 * s + k] = h;
          }
          return dataOf(await at(strain), "energy", "float64");
        }));
        for (let s = 0; s < systems; s++) {
          assertAlmostEquals(-(more![s]! - less![s]!) / 2e-5, values[9 * s + k]!, 2e-6 * scale);
        }
      }
    },
  );
}

const ARGON = { epsilon: 0.0104, sigma: 3.4, cutoff: 6 };

/** The Lennard-Jones graph with an energy only. */
function argon(): Uint8Array<ArrayBuffer> {
  const model = decodeModel(lennardJonesModel(ARGON));
  model.graph!.output = model.graph!.output.filter(({ name }) => name === "energy");
  return encodeModel(model);
}

test("withForces() restores the forces and virials of the Lennard-Jones graph", () => {
  const whole = openEvaluator(lennardJonesModel(ARGON));
  const outputs = whole.outputs.map(({ name }) => name);
  assert(outputs.includes("forces"), outputs.join());
  const { bytes } = withForces(argon());
  const made = openEvaluator(bytes);
  assertEquals(made.outputs.map(({ name }) => name), ["energy", "forces"]);
  const positions = Float64Array.of(0, 0, 0, 3.7, 0.2, 0, 0.1, 4.1, 0.3, 0, 0, 1, 3.5, 0, 1);
  const edges = Int32Array.of(0, 1, 0, 2, 1, 2, 3, 4, 1, 0, 2, 0, 2, 1, 4, 3);
  const feeds = {
    positions: { type: "f32", data: positions, dims: [5, 3] },
    edge_index: { data: edges, dims: [2, 8] },
    shifts: { type: "f32", data: new Float64Array(24), dims: [8, 3] },
    batch_idx: { data: Int32Array.of(0, 0, 0, 1, 1) },
    energy0: { type: "f32", data: new Float64Array(2), dims: [2] },
  } as const;
  const wanted = Object.fromEntries(
    whole.inputs.map(({ name }) => [name, feeds[name as keyof typeof feeds]]),
  );
  const [expected, found] = [whole.run(wanted), made.run(wanted)];
  // Two factors are rounded to float32 on either way.
  const forces = expected["forces"]!.data;
  assertWithin("forces", found["forces"]!.data, forces, 2 ** -23 * largest(forces));
});

/** An energy of one operator on the positions. */
function odd(op: string, type: "int64" | "float32"): Uint8Array<ArrayBuffer> {
  const attributes = op === "Cast" ? [attribute("to", 7)] : [];
  return modelOf({
    nodes: [node(op, ["positions"], ["energy"], { attributes })],
    inputs: [value("positions", "float32", ["N", 3])],
    outputs: [value("energy", type, ["N", 3])],
  });
}

/** An energy that positions do nothing to. */
function unmoved(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("unmoved");
  builder.input("positions", "f32", ["N", 3]);
  builder.output("energy", builder.reduceSum(builder.input("other", "f32", ["N"]), [0]), []);
  return builder.build();
}

/** Σ x² in the shape that is asked for. */
function springs(shape: "scalar" | "atoms" | "row" | "column" | "one"): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("springs");
  const x = builder.input("positions", "f32", ["N", 3]);
  const squares = builder.mul(x, x);
  const atoms = builder.reduceSum(squares, [1]);
  const energy = {
    scalar: () => builder.reduceSum(atoms, [0]),
    one: () => builder.unsqueeze(builder.reduceSum(atoms, [0]), [0]),
    atoms: () => atoms,
    row: () => builder.unsqueeze(atoms, [0]),
    column: () => builder.unsqueeze(atoms, [1]),
  }[shape]();
  builder.output("energy", energy);
  return builder.build();
}

for (const shape of ["scalar", "one", "atoms", "row", "column"] as const) {
  Deno.test(`the energy may be one number, or one per atom or system: ${shape}`, () => {
    const { bytes } = withForces(springs(shape), { stress: true });
    const { forces, virial } = openEvaluator(bytes).run({
      positions: { type: "f32", data: Float64Array.of(1, 2, 3, -4, 0, 5), dims: [2, 3] },
    });
    assertEquals([...forces!.data].map((x) => x + 0), [-2, -4, -6, 8, 0, -10]);
    // −Σ x ⊗ 2 x
    assertEquals([...virial!.data], [-34, -4, 34, -4, -8, -12, 34, -12, -68]);
  });
}

test("energies per atom give one virial per system", () => {
  const builder = new GraphBuilder("springs");
  const x = builder.input("positions", "f32", ["N", 3]);
  builder.input("batch_idx", "i32", ["N"]);
  builder.output("energy", builder.reduceSum(builder.mul(x, x), [1]), ["N"]);
  const { bytes } = withForces(builder.build(), { stress: true });
  const { virial } = openEvaluator(bytes).run({
    positions: { type: "f32", data: Float64Array.of(1, 0, 0, 0, 2, 0, 0, 0, 3), dims: [3, 3] },
    batch_idx: { data: Int32Array.of(0, 1, 1) },
  });
  assertEquals(virial!.dims, [2, 3, 3]);
  assertEquals(
    [...virial!.data].map((v) => v + 0),
    [
      [-2, 0, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, -8, 0, 0, 0, -18],
    ].flat(),
  );
});

/** E = Σ d⁴ over pairs, and Σ x² of atoms or shifts besides. */
function pairs(more: "nothing" | "atoms" | "shifts"): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder("pairs");
  const x = graph.input("positions", "f32", ["N", 3]);
  const [from, to] = ["src", "dst"].map((name) => graph.input(name, "i64", ["E"]));
  const shifts = graph.input("shifts", "f32", ["E", 3]);
  const d = graph.add(graph.sub(graph.gather(x, to!), graph.gather(x, from!)), shifts);
  const square = graph.reduceSum(graph.mul(d, d), [1]);
  let energy = graph.reduceSum(graph.mul(square, square), [0]);
  const other = { nothing: undefined, atoms: x, shifts }[more];
  if (other !== undefined) {
    energy = graph.add(energy, graph.reduceSum(graph.mul(other, other), [0, 1]));
  }
  graph.output("energy", energy, []);
  return graph.build();
}

for (const more of ["nothing", "atoms", "shifts"] as const) {
  Deno.test(`virials include pair vectors and other strained inputs: ${more}`, () => {
    const feeds = {
      positions: { type: "f32", dims: [3, 3], data: Float64Array.of(0, 1, 2, 1, -1, 0, 3, 2, 1) },
      src: { data: BigInt64Array.of(0n, 1n, 2n) },
      dst: { data: BigInt64Array.of(1n, 2n, 0n) },
      shifts: { type: "f32", dims: [3, 3], data: Float64Array.of(0, 0, 1, 2, 0, 0, 0, -1, 0) },
    } as const;
    const { bytes } = withForces(pairs(more), { stress: { shifts: "shifts" } });
    const { virial } = openEvaluator(bytes).run(feeds);
    const graph = new Graph(decodeModel(pairs(more)));
    strainInput(graph, { positions: "positions", shifts: "shifts" });
    gradient(graph, { of: "energy", wrt: { strain: "slope" } });
    const strain = { type: "f32", dims: [3, 3], data: new Float64Array(9) } as const;
    const { slope } = openEvaluator(graph).run({ ...feeds, strain }, ["slope"]);
    assertWithin("virial", virial!.data, slope!.data.map((x) => -x), 1e-12 * largest(slope!.data));
  });
}

/** E = Σ d² over the pairs of each system, [B]; its batch has an unusual name. */
function systems(
  { batch = "i64", shifts = "f32" }: {
    readonly batch?: "i64" | "f32";
    readonly shifts?: "i64" | "f32";
  },
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder("systems");
  const x = graph.input("positions", "f32", ["N", 3]);
  const edges = graph.input("edge_index", "i64", [2, "E"]);
  const given = graph.input("shifts", shifts, ["E", 3]), of = graph.input("batch", batch, ["N"]);
  const zeros = graph.input("energy0", "f32", ["B"]);
  const [from, to] = [0, 1].map((end) => graph.gather(edges, graph.constant("i64", end)));
  const vectors = graph.sub(graph.gather(x, to!), graph.gather(x, from!));
  const d = graph.add(
    vectors,
    shifts === "f32" ? given : graph.op("Cast", [given], "f32", { to: 1 }),
  );
  const own = graph.gather(batch === "i64" ? of : graph.op("Cast", [of], "i64", { to: 7 }), from!);
  const pairs = graph.reduceSum(graph.mul(d, d), [1]);
  const energy = graph.op("ScatterElements", [zeros, own, pairs], "f32", { reduction: "add" });
  graph.output("energy", energy, ["B"]);
  return graph.build();
}

test("named inputs of a strain replace the defaults, and may be omitted", async () => {
  const feeds = {
    positions: { data: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0), dims: [4, 3] },
    edge_index: { data: BigInt64Array.of(0n, 2n, 1n, 3n), dims: [2, 2] },
    shifts: { data: Float32Array.of(0, 0, 0, 1, 0, 0), dims: [2, 3] },
    batch: { data: BigInt64Array.of(0n, 0n, 1n, 1n) },
    energy0: { data: new Float32Array(2) },
  };
  // −Σ d ⊗ 2d, with the shifts in d; without them −Σ x ⊗ 2d.
  const cases = [
    [{ batch: "batch" }, ["positions", "shifts"], [-2, -18]],
    [{ batch: "batch", shifts: undefined }, ["positions"], [-2, -12]],
    [{ batch: "batch", shifts: false }, ["positions"], [-2, -12]],
  ] as const;
  for (const [stress, strained, expected] of cases) {
    const { bytes, report } = withForces(systems({}), { stress });
    assertEquals(report.strained, strained);
    await using session = await openSession(bytes);
    const { virial } = await session.run(feeds);
    assert(virial?.location === "host");
    assertEquals(virial.dims, [2, 3, 3]);
    assertEquals([0, 9].map((i) => Number(virial.data[i])), [...expected]);
    assertEquals(session.outputs.at(-1)!.shape, ["B", 3, 3]);
  }
});

test("unnamed lengths of virials stay unnamed", async () => {
  const builder = new GraphBuilder("springs");
  const x = builder.input("positions", "f32", ["N", 3]);
  builder.input("batch_idx", "i32", ["N"]);
  builder.output("energy", builder.reduceSum(builder.mul(x, x), [1]), ["N"]);
  const { bytes } = withForces(builder.build(), { stress: true });
  await using wasm = await openSession(bytes);
  await using plain = evaluatorSession(bytes);
  assertEquals([wasm, plain].map(({ outputs }) => outputs.at(-1)!.shape), [["", 3, 3], ["", 3, 3]]);
});

test("a cell that the energy depends on is strained with the atoms", () => {
  // E = Σ (x + c₀)², c₀ the first vector of the cell of each atom's system.
  const model = modelOf({
    nodes: [
      node("Slice", ["cell", "zero", "one", "axis"], ["rows"]),
      node("Squeeze", ["rows", "axis"], ["first"]),
      node("Gather", ["first", "batch_idx"], ["own"]),
      node("Add", ["positions", "own"], ["moved"]),
      node("Mul", ["moved", "moved"], ["squares"]),
      node("ReduceSum", ["squares", "axis"], ["rowsums"]),
      node("Squeeze", ["rowsums", "axis"], ["energy"]),
    ],
    inputs: [
      value("positions", "float32", ["N", 3]),
      value("batch_idx", "int64", ["N"]),
      value("cell", "float32", ["B", 3, 3]),
    ],
    outputs: [value("energy", "float32", ["N"])],
    weights: ["zero", "one", "axis"].map((name) =>
      weight(name, BigInt64Array.of(name === "zero" ? 0n : 1n))
    ),
  });
  const { bytes } = withForces(model, { stress: true });
  const { virial } = openEvaluator(bytes).run({
    positions: { type: "f32", data: Float64Array.of(1, 2, 3), dims: [1, 3] },
    batch_idx: { data: BigInt64Array.of(0n) },
    cell: { type: "f32", data: Float64Array.of(4, 0, 1, 0, 9, 0, 0, 0, 9), dims: [1, 3, 3] },
  });
  // u = x + c₀ = (5, 2, 4) goes to u + u·ε as a whole: −u ⊗ 2u
  assertEquals([...virial!.data], [-50, -20, -40, -20, -8, -16, -40, -16, -32]);
});

test("models that cannot get forces are rejected with the reason", () => {
  const cases: readonly [() => unknown, RegExp][] = [
    [
      () => withForces(springs("atoms"), { energy: "enery" }),
      /outputs, energy; got "enery".*energy/,
    ],
    [
      () => withForces(springs("atoms"), { positions: "pos" }),
      /inputs, positions; got "pos"/,
    ],
    [() => withForces(lennardJonesModel(ARGON)), /"forces", which is an output already/],
    [
      () => withForces(springs("atoms"), { forces: "energy" }),
      /names of its new outputs must be unused/,
    ],
    [
      () => withForces(springs("atoms"), { stress: { batch: "batch" } }),
      /virials: batch must name an input of the graph \(positions\); got "batch"/,
    ],
    [
      () => withForces(argon(), { stress: { edges: false } }),
      /edgeBatch or edges is required with shifts/,
    ],
    [
      () => withForces(systems({ batch: "f32" }), { stress: { batch: "batch" } }),
      /batch must be integers \[N\]; got "batch" of f32 \[N\]$/,
    ],
    [
      () => withForces(systems({ shifts: "i64" }), { stress: { batch: "batch" } }),
      /shifts must be floats \[E, 3\]; got "shifts" of i64 \[E, 3\], .*shifts: false omits it/,
    ],
    [
      () => withForces(systems({}), { stress: { batch: "batch", cell: "energy0" } }),
      /cell must be floats \[B, 3, 3\] or \[3 B, 3\]; got "energy0" of f32 \[B\]/,
    ],
    [
      () => withForces(systems({}), { stress: { batch: "edge_index" } }),
      /batch must be integers \[N\]; got "edge_index" of i64 \[2, E\]/,
    ],
    [
      () => withForces(odd("Cast", "int64"), {}),
      /energy must be floats; got "energy" of i64/,
    ],
    [
      () => withForces(odd("Neg", "float32"), {}),
      /one number, or one per system or per atom.*\[N, 3\]/,
    ],
    [
      () => withForces(springs("atoms"), { name: "m", passes: ["merge"], energy: "no" }),
      /^Cannot give m forces: its passes must be among foldConstants, .*; got "merge"/,
    ],
    [
      () => withForces(odd("Round", "float32"), {}),
      /^Cannot give the model forces: its energy must be one number/,
    ],
    [
      () => withForces(unmoved()),
      /^Cannot give the model forces: its energy must depend on "positions" through floats, but /,
    ],
    [
      () => withForces(modelOf({ opset: 13, nodes: [], inputs: [], outputs: [] })),
      /^Cannot give the model forces: its opset must be from 18 to 21; got 13\. Export/,
    ],
  ];
  for (const [make, message] of cases) {
    const error = assertThrows(make, RangeError);
    assert(message.test(error.message), error.message);
  }
  const misspelt: readonly [object, RegExp][] = [
    [
      { strees: true },
      /its options must be among name, .*; got "strees"; did you mean stress\?/,
    ],
    [
      { stress: { shift: "shifts" } },
      /virials: .*got "shift"; did you mean shifts\?/,
    ],
  ];
  for (const [options, message] of misspelt) {
    const error = assertThrows(() => withForces(springs("atoms"), options), TypeError);
    assert(message.test(error.message), error.message);
  }
  assertThrows(() => withForces(odd("Mulle", "float32"), {}), Error);
  const nonzero = modelOf({
    nodes: [node("Round", ["positions"], ["r"]), node("Mulle", ["r"], ["energy"])],
    inputs: [value("positions", "float32", ["N", 3])],
    outputs: [value("energy", "float32", ["N"])],
  });
  assertThrows(() => withForces(nonzero), UnsupportedNodeError, "Mulle");
});

test("a report lists the changes, and where the energy may lack a derivative", () => {
  const builder = new GraphBuilder("lengths");
  const x = builder.input("positions", "f32", ["N", 3]);
  const squares = builder.reduceSum(builder.mul(x, builder.mul(x, 1)), [1]);
  builder.output("energy", builder.op("Sqrt", [squares], "f32"), ["N"]);
  const { report } = withForces(builder.build());
  const text = showForces(report);
  assert(text.startsWith("forces by differentiating energy by positions: 4 → "), text);
  assert(text.includes("dropIdentities 1 (4 → 3 nodes)"), text);
  assert(text.includes("the gradient of Sqrt at 0 is infinite"), text);
  assertEquals(withForces(builder.build(), { passes: [] }).report.passes, []);
});

/** E = Σ f·x², where an If makes f of the positions or of another input; x·1, 2·x² and Einsum are there to be simplified. */
function branching(of: "positions" | "other"): Uint8Array<ArrayBuffer> {
  const { graph } = new GraphBuilder("branching");
  const rows = ["N", 3];
  for (const name of ["positions", "other"]) graph.addInput(valueInfo(name, "f32", rows));
  graph.addInput(valueInfo("flag", "bool", []));
  const twice = () => graph.make("Mul", [of, graph.constantOf("f32", 2)]);
  const shared = twice(), twin = twice(); // equal, and used inside
  const made = graph.add("If", ["flag"], { outputs: ["factor"] });
  for (const [name, op] of [["then_branch", "Add"], ["else_branch", "Mul"]] as const) {
    const inner = new GraphBuilder(op).graph;
    for (const value of [shared, twin]) inner.addInput(valueInfo(value, "f32", rows));
    inner.make(op, [shared, twin], {}, `${op}_made`);
    inner.addOutput(valueInfo(`${op}_made`, "f32", rows));
    inner.sort();
    const g = inner.model.graph!;
    g.input = []; // what comes from outside is no input of it
    made.attribute.push(create(AttributeProtoSchema, { name, type: Kind.GRAPH, g }));
  }
  // By its name only once the graph around has it.
  const outer = new Graph(decodeModel(graph.encode()));
  outer.describe(valueInfo("factor", "f32", rows));
  const plain = outer.make("Mul", ["positions", outer.constantOf("f32", 1)]);
  const product = outer.make("Mul", [plain, "factor"]);
  outer.add("Einsum", [product, plain], {
    outputs: ["energy"],
    attributes: { equation: "nk,nk->n" },
  });
  outer.addOutput(valueInfo("energy", "f32", ["N"]));
  return outer.encode();
}

test("an If beside the path is kept, one on the path is rejected with its node", async () => {
  const { bytes, report } = withForces(branching("other"), {
    passes: [...FORCE_PASSES, "sigmoidFromParts"],
  });
  const changed = (name: string) => report.passes.find((pass) => pass.name === name)!.changed;
  assertEquals(changed("dropIdentities"), 1);
  assertEquals(changed("einsumToMatMul"), 1);
  await using session = await openSession(bytes);
  for (const [flag, factor] of [[1, 12], [0, 36]]) {
    const { forces } = await session.run({
      positions: { data: Float32Array.of(1, 0, -2), dims: [1, 3] },
      other: { data: Float32Array.of(3, 3, 3), dims: [1, 3] },
      flag: { data: Uint8Array.of(flag!), dims: [] },
    });
    assert(forces?.location === "host");
    assertEquals([0, 1, 2].map((i) => Number(forces.data[i]) + 0), [-2 * factor!, 0, 4 * factor!]);
  }
  const error = assertThrows(() => withForces(branching("positions")), UnsupportedNodeError);
  assert(
    /nodes on the path between the values must not have subgraphs \(unroll.*If "If_factor"/.test(
      error.message,
    ),
    error.message,
  );
});

test("showForces() groups nodes with the same warning in one line", () => {
  const builder = new GraphBuilder("squares");
  const x = builder.input("positions", "f32", ["N", 3]);
  builder.output("energy", builder.reduceSum(builder.mul(x, x), [1]), ["N"]);
  const { report } = withForces(builder.build());
  const warning = {
    op: "Div",
    value: "r",
    why: "a division by 0 has no gradient",
    hint: "mask it",
  };
  const nodes = ["a", "b", "c", "d", "e"];
  const warnings = [
    ...nodes.map((node) => ({ ...warning, node })),
    { ...warning, op: "Sqrt", node: "root" },
  ];
  assertEquals(
    showForces({ ...report, warnings }).split("\n").filter((line) => /mind/.test(line)),
    [
      "  mind the Div a, b, c and 2 more: a division by 0 has no gradient; mask it",
      "  mind the Sqrt root: a division by 0 has no gradient; mask it",
    ],
  );
});

/** Processing of the outputs of models. */
import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import {
  Batch,
  ConvergenceHook,
  DivergedError,
  fcc,
  field,
  FIRE,
  hook,
  lennardJones,
  NVE,
  rattle,
  sum,
} from "@hooke/hooke";
import { type OnnxDerive, OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { GraphBuilder, lennardJonesModel, type Value } from "@hooke/hooke/onnx";

/** A graph of springs to the origin, E = Σ x², with further outputs of the positions x. */
function springs(
  more: (graph: GraphBuilder, x: Value<"f32">) => void,
  { perAtom = false, named = true } = {},
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder("springs");
  const x = graph.input("positions", "f32", ["N", 3]);
  const squares = graph.mul(x, x);
  graph.output(
    "energy",
    perAtom ? graph.reduceSum(squares, [1]) : graph.reduceSum(squares, [0, 1]),
    perAtom ? [named ? "N" : undefined] : [],
  );
  graph.output("forces", graph.mul(x, -2), ["N", 3]);
  more(graph, x);
  return graph.build();
}

const atoms = (...x: number[]) => ({
  numbers: x.map(() => 1),
  positions: x.flatMap((x) => [x, 0, 0]),
});

async function evaluated(
  bytes: Uint8Array,
  batch: Batch,
  options: OnnxModelOptions = {},
): Promise<Batch> {
  await using model = await OnnxModel.open(bytes, { name: "springs.onnx", ...options });
  await using md = new NVE({ model, dt: 1 });
  return await md.run(batch, 0);
}

Deno.test("energies per atom are summed; names in shapes or their number show the level", async () => {
  for (const named of [true, false]) {
    const bytes = springs(() => {}, { perAtom: true, named });
    const batch = await evaluated(bytes, Batch.from([atoms(1, 2), atoms(3, 1, 1)]));
    assertEquals([...batch.get("energy")], [5, 11]);
    assertEquals([...batch.get("forces")].filter((_, i) => i % 3 === 0), [-2, -4, -6, -2, -2]);
  }
});

Deno.test("stresses in each form, and virials, are the stress of the batch", async () => {
  const box = { cell: [2, 0, 0, 0, 5, 0, 0, 0, 1], pbc: true, numbers: [1], positions: [1, 0, 0] };
  const stressOf = async (name: string, values: number[], shape: number[], options = {}) => {
    const bytes = springs((graph, x) => {
      const zero = graph.mul(graph.reduceSum(x, [0, 1]), 0);
      const { name: all } = graph.add(graph.constant("f32", values, [values.length]), zero);
      const tensor = { name: all, type: "f32" } as Value<"f32">;
      const lengths = graph.constant("i64", shape, [shape.length]);
      graph.output(name, graph.reshape(tensor, lengths), shape);
    });
    const batch = Batch.from([box]);
    batch.ensure("stress");
    return [...(await evaluated(bytes, batch, options)).get("stress")];
  };
  const nine = [1, 6, 5, 6, 2, 4, 5, 4, 3];
  assertEquals(await stressOf("stress", [1, 2, 3, 4, 5, 6], [6]), nine);
  assertEquals(await stressOf("stress", nine, [3, 3]), nine);
  assertEquals(await stressOf("stress", nine, [1, 9], { lengthUnit: 2 }), nine.map((x) => x / 8));
  // W = −V σ, V = 10 Å³
  assertEquals(await stressOf("virial", nine.map((x) => -10 * x), [1, 3, 3]), nine);
});

Deno.test("other outputs are fields of the batch for hooks, written for active systems only", async () => {
  const bytes = springs((graph, x) => {
    graph.output("q", graph.reduceSum(x, [1]), ["N"]);
    graph.output("mu", graph.reduceSum(x, [0], true), [1, 3]);
  });
  const options: OnnxModelOptions = {
    outputs: { charges: "q", dipole: { tensor: "mu", scale: 2 } },
  };
  const batch = await evaluated(bytes, Batch.from([atoms(1, 2), atoms(5)]), options);
  assertEquals([...batch.get("charges")], [1, 2, 5]);
  assertEquals([...batch.get("dipole")], [6, 0, 0, 10, 0, 0]);

  await using model = await OnnxModel.open(bytes, options);
  assertEquals(model.fields, ["charges", "dipole"]);
  await using md = new FIRE({
    model,
    dt: 0.5,
    hooks: [ConvergenceHook.fromFmax(1e-2)],
    nSteps: 40,
  });
  const seen: number[] = [];
  const dipole = field<Float32Array>()("dipole");
  md.hooks.add(hook({
    name: "dipoles",
    reads: [dipole],
    on: { dynamics: { AFTER_STEP: ({ read }) => void seen.push(read.dipole[3]!) } },
  }));
  const both = Batch.from([atoms(0.001), atoms(3)]);
  await md.run(both);
  assertAlmostEquals(both.get("dipole")[3]!, 2 * both.get("positions")[3]!, 1e-6);
  assertAlmostEquals(seen.at(-1)!, both.get("dipole")[3]!, 1e-6);
  assert(Math.abs(seen[0]!) > 5 && Math.abs(seen.at(-1)!) < 1, String(seen));
  const rests = [...both.get("positions")].slice(0, 3);
  assertAlmostEquals(both.get("dipole")[0]!, 2 * rests[0]!, 1e-7);
});

Deno.test("fields of systems that are not active do not change", async () => {
  const graph = new GraphBuilder("springs");
  const x = graph.input("positions", "f32", ["N", 3]);
  const none = graph.mul(graph.input("energy0", "f32", ["B"]), 0);
  graph.output("energy", none, ["B"]);
  graph.output("forces", graph.mul(x, -2), ["N", 3]);
  // An output of all systems: it changes while one of them moves.
  graph.output("all", graph.add(none, graph.reduceSum(x, [0, 1])), ["B"]);
  const bytes = graph.build();
  const energy0: OnnxDerive = ({ systemCount }) => ({
    data: new Float32Array(systemCount),
    dims: [systemCount],
  });
  // A model with a derived input receives all systems. Others receive only those that are active.
  for (const [derived, isShared] of [[{ energy0 }, true], [{}, false]] as const) {
    const outputs = { total: "all" };
    await using model = await OnnxModel.open(bytes, { outputs, derived, batch: "joined" });
    const hooks = [ConvergenceHook.fromFmax(1)];
    await using opt = new FIRE({ model, dt: 0.5, hooks, nSteps: 3 });
    const batch = await opt.run(Batch.from([atoms(0.25), atoms(8)]));
    assertEquals([...batch.get("stepsDone")], [1, 3]);
    const [rests, moves] = batch.get("total");
    const [x0, , , x1] = batch.get("positions");
    assertAlmostEquals(moves!, isShared ? x0! + x1! : x1!, 1e-5);
    assert(rests! > moves! + 0.01, `${rests} ${moves}`);
  }
});

Deno.test("an output of a wrong length is named", async () => {
  const bytes = springs((graph, x) => graph.output("q", graph.reduceSum(x, [0]), [3]));
  const node = { tensor: "q", level: "node" } as const;
  await assertRejects(
    () => evaluated(bytes, Batch.from([atoms(1)]), { outputs: { charges: node } }),
    RangeError,
    "Cannot use springs.onnx: its output q, used as charges, must have 1 values for this batch; " +
      "got 3",
  );
  const batch = Batch.from([atoms(1)]);
  batch.set("q", [[1, 2]], { level: "node", width: 2 });
  await assertRejects(
    () => evaluated(bytes, batch, { outputs: { q: node } }),
    TypeError,
    "the field q must be 1 per node; got 2 per node",
  );
});

Deno.test("a NaN ends the run with an error that names model, output, system and step", async () => {
  // log(3 − x): the second system reaches x = 3.
  const graph = new GraphBuilder("wall");
  const x = graph.input("positions", "f32", ["N", 3]);
  const rest = graph.op("Log", [graph.sub(3, x)], "f32");
  graph.output("energy", graph.mul(graph.reduceSum(x, [0, 1]), 0), []);
  graph.output("forces", graph.mul(rest, 0), ["N", 3]);
  await using model = await OnnxModel.open(graph.build(), { name: "wall.onnx" });
  for (const device of ["reference", "wasm"] as const) {
    await using md = new NVE({ model, dt: 1, device });
    const batch = Batch.from([atoms(1), { ...atoms(2, 2.75), velocities: [0, 0, 0, 0.1, 0, 0] }]);
    const error = await assertRejects(
      () => md.run(batch, 10),
      DivergedError,
      "System 1 diverged at step 2 of NVE: forces that wall.onnx gives are not finite " +
        "(forces of atom 1 is NaN; the file itself computes these forces: " +
        '{ differentiate: "always" } derives them from its energy instead). ',
    );
    assertEquals([error.step, error.systems], [2, [1]]);
  }
  await using md = new NVE({
    model: sum(lennardJones({ epsilon: 1, sigma: 1, cutoff: 2 }), model),
    dt: 1,
  });
  await assertRejects(
    () => md.run(Batch.from([atoms(4)]), 1),
    DivergedError,
    "before the first step",
  );
});

Deno.test("a graph gives the kernel's results one system at a time, without padding, and with custom functions", async () => {
  const argon = { epsilon: 0.0104, sigma: 3.4, cutoff: 6 };
  const systems = [
    rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1),
    { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 3.7, 0, 0] },
    rattle(fcc({ element: "Ar", a: 5.4, cells: 1 }), 0.1, 2),
  ];
  await using md = new NVE({ model: lennardJones(argon), dt: 1, device: "reference" });
  const expected = await md.run(Batch.from(systems), 0);
  const cases: readonly [Uint8Array, OnnxModelOptions][] = [
    [lennardJonesModel(argon), { batch: "single" }],
    [lennardJonesModel(argon), { padding: false }],
    [lennardJonesModel(argon), {
      derived: {
        shifts: ({ shifts, edgeCount }) => ({ data: shifts, dims: [edgeCount, 3] }),
        edge_index: ({ edgeSources, edgeTargets, edgeCount }) => ({
          data: [...edgeSources, ...edgeTargets],
          dims: [2, edgeCount],
        }),
      },
    }],
    [lennardJonesModel({ ...argon, list: "half", edges: "separate" }), { batch: "single" }],
  ];
  for (const [bytes, options] of cases) {
    const batch = await evaluated(bytes, Batch.from(systems), options);
    for (const [s, energy] of expected.get("energy").entries()) {
      assertAlmostEquals(batch.get("energy")[s]!, energy, 2e-6 * Math.abs(energy));
    }
    for (const [k, force] of expected.get("forces").entries()) {
      assertAlmostEquals(batch.get("forces")[k]!, force, 1e-6);
    }
  }
});

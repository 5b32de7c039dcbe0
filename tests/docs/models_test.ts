/** docs/models.md against the meanings, manifests, units and errors that it lists. */
import { assertAlmostEquals, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Batch, DivergedError, fcc, morse, NVE, rattle } from "@hooke/hooke";
import { type OnnxManifest, OnnxModel, type OnnxModelOptions } from "@hooke/hooke/models/onnx";
import { GraphBuilder, type Value } from "@hooke/hooke/onnx";
import { INPUTS, type Meaning, OUTPUTS } from "../../src/models/onnx/manifest/meanings.ts";
import { ENERGY_UNITS, LENGTH_UNITS } from "../../src/models/onnx/manifest/units.ts";
import { lacksGpu } from "../backend/gpu.ts";
import { readModel } from "../onnx/shared_models.ts";
import { CUTOFF, edgeSprings } from "../models/edge_springs.ts";
import { fileOf, labeled, referenceOf } from "../models/made_reference.ts";
import { farWeight, modelOf, node, value, weight } from "../onnx/tiny_model.ts";
import { tablesOf } from "./tables.ts";
import { lacks } from "../machine.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/models.md", import.meta.url));
const DATA = new URL("../data/", import.meta.url);
const table = tablesOf(PAGE);

Deno.test("docs/models.md has every meaning of inputs and outputs, with shapes, types and names", () => {
  const kinds = { float: "real", int: "whole", number: "either", any: "any" } as const;
  const rowOf = ([meaning, { forms, types, isClearFromShape, names }]: [string, Meaning]) => [
    meaning,
    forms.map((form) => `[${form.join(", ")}]`).join(" "),
    kinds[types],
    isClearFromShape === true ? "yes" : "",
    names.join(", "),
  ];
  assertEquals(table("meaning"), Object.entries(INPUTS).map(rowOf));
  assertEquals(table("meaning", 1), Object.entries(OUTPUTS).map(rowOf));
});

Deno.test("docs/models.md has every member of a manifest, its default, and every unit", () => {
  const members = {
    cutoff: 0,
    reach: 0,
    triplets: 0,
    nearest: "no limit",
    lists: "none",
    inputs: 0,
    constants: 0,
    outputs: 0,
    neighbors: "full",
    elements: 0,
    energyUnit: "eV",
    lengthUnit: "Å",
    atomEnergies: 0,
    batch: 0,
    padding: "on WebGPU only",
    differentiate: true,
    invariant: "derived from the graph",
    stress: false,
    license: "none",
    source: "none",
  } satisfies Record<keyof OnnxManifest, unknown>;
  const rows = table("member");
  assertEquals(rows.map(([name]) => name), Object.keys(members));
  for (const [i, fallback] of Object.values(members).entries()) {
    if (fallback !== 0) assertEquals(rows[i]![1]!.replaceAll('"', ""), String(fallback));
  }
  for (const units of [ENERGY_UNITS, LENGTH_UNITS]) {
    assertStringIncludes(PAGE.replaceAll(/\s+/g, " "), Object.keys(units).join(", "));
  }
});

/** Springs to the origin, and what else is made of them. */
function springs(
  forces: (graph: GraphBuilder, x: Value<"f32">) => Value = (graph, x) => graph.mul(x, -2),
): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder("springs");
  const x = graph.input("positions", "f32", ["N", 3]);
  graph.output("energy", graph.reduceSum(graph.mul(x, x), [0, 1]), []);
  graph.output("forces", forces(graph, x));
  return graph.build();
}

/** The same with edges that nothing is made of. */
function ofEdges(): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder("edges");
  const x = graph.input("positions", "f32", ["N", 3]);
  graph.input("edge_index", "i64", [2, "E"]);
  graph.output("energy", graph.reduceSum(graph.mul(x, x), [0, 1]), []);
  graph.output("forces", graph.mul(x, -2), ["N", 3]);
  return graph.build();
}

const weights = (tensor: ReturnType<typeof weight>) =>
  modelOf({
    nodes: [node("Mul", ["positions", "w"], ["forces"]), node("Neg", ["w"], ["energy"])],
    inputs: [value("positions", "float32", ["N", 3])],
    outputs: [value("energy", "float32", [1]), value("forces", "float32", ["N", 3])],
    weights: [tensor],
  });

const open = (bytes: Uint8Array, options: object = {}) => () =>
  OnnxModel.open(bytes, { name: "bad.onnx", ...options as OnnxModelOptions });

/** One step of a model, or what it throws. */
const run = (bytes: Uint8Array, options: object = {}) => async () => {
  await using model = await open(bytes, options)();
  await using md = new NVE({ model, dt: 1 });
  await md.run(Batch.from([{ symbols: ["H", "O"], positions: [0, 0, 0, 1, 0, 0] }]), 1);
};

async function withManifest(text: string): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${folder}/bad.onnx`, springs());
    await Deno.writeTextFile(`${folder}/bad.json`, text);
    await OnnxModel.open(`${folder}/bad.onnx`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const ATOM = labeled("atom", { symbols: ["H"], positions: [1, 0, 0] });

/** Mistake → functions that make it. */
const MISTAKES: Record<string, (() => Promise<unknown>)[]> = {
  "a file that cannot be read": [() => OnnxModel.open("/no/such/bad.onnx")],
  "a file that is not a model or is damaged, or an opset or operator that onnxruntime does not support":
    [
      open(new TextEncoder().encode("<!doctype html>")),
      open(springs().subarray(0, 90)),
      open(withForcesBy("Mulle")),
      open(withForcesBy("Neg", 99)),
    ],
  "a tensor larger than 4 GiB": [
    open(weights(weight("w", Float32Array.of(1), [2 ** 20, 2 ** 20]))),
  ],
  "weights in a file that does not exist, or is outside of the model's folder": [
    open(weights(farWeight("w", [1], { location: "w.bin" }))),
    open(weights(farWeight("w", [1], { location: "../w.bin" }))),
  ],
  "a manifest that is not JSON": [() => withManifest("{ cutoff")],
  "a member of a manifest that is misspelled, or has the wrong type": [
    () => withManifest('{ "cutof": 5 }'),
    open(springs(), { cutoff: "5" }),
  ],
  "an impossible value, or a missing cutoff or reach": [
    open(springs(), { cutoff: -1 }),
    open(ofEdges()),
  ],
  "tensors whose meaning is unknown or contradicts the manifest": [
    open(springs(), { inputs: { positions: "x" } }),
    open(springs(), { inputs: { numbers: "positions", positions: "positions" } }),
  ],
  "no forces, and no output that is recognized as an energy": [
    open(one("ReduceSum", "out", [1, 1])),
  ],
  "an operator between positions and energy that cannot be differentiated": [
    open(one("Det", "energy", [])),
    open(one("Mulle", "energy", [])),
  ],
  "an energy without forces, in an opset other than 18 to 21": [13, 17, 22].map((opset) =>
    open(one("ReduceSum", "energy", [1, 1], opset))
  ),
  'with runtime: "evaluator", control flow, or an operator that the evaluator does not support': [
    open(withForcesBy("Mulle"), { runtime: "evaluator" }),
    open(withForcesBy("If"), { runtime: "evaluator" }),
  ],
  'with runtime: "evaluator", an opset other than 18 to 21': [
    open(withForcesBy("Neg", 13), { runtime: "evaluator" }),
  ],
  "an element that the model does not support": [
    run(withNumbers(), { elements: ["H", "C"] }),
    run(edgeSprings({ firstElement: 2 }), { cutoff: CUTOFF }),
  ],
  "with padding: true, padding that changes results": [
    run(edgeSprings({ isMasked: false }), { cutoff: CUTOFF, padding: true }),
  ],
  "results that differ from the reference": [
    async () =>
      await open(springs(), {
        reference: fileOf(await referenceOf(springs(), {}, [ATOM])),
        energyUnit: 2,
      })(),
    async () =>
      await open(springs(), {
        reference: fileOf(await referenceOf(ofEdges(), { cutoff: 1 }, [ATOM])),
      })(),
  ],
  "an empty list on which a graph for single systems fails": [
    run(edgeSprings({ isNeedy: true, isSingle: true }), { cutoff: 0.5 }),
  ],
  "an output whose length does not fit the batch": [
    run(springs((graph, x) => graph.reduceSum(x, [1]))),
  ],
  "an energy, force or stress that is not finite": [
    run(springs((graph, x) => graph.op("Sqrt", [graph.sub(graph.mul(x, 0), 1)], "f32"))),
  ],
};

/** One that has forces, by this operator. */
function withForcesBy(op: string, opset = 18): Uint8Array<ArrayBuffer> {
  return modelOf({
    opset,
    nodes: [node("Neg", ["e"], ["energy"]), node(op, ["positions"], ["forces"])],
    inputs: [value("positions", "float32", ["N", 3])],
    outputs: [value("energy", "float32", [1]), value("forces", "float32", ["N", 3])],
    weights: [weight("e", Float32Array.of(1))],
  });
}

/** A graph of one operator. */
function one(op: string, output: string, shape: number[], opset = 18): Uint8Array<ArrayBuffer> {
  return modelOf({
    opset,
    nodes: [node(op, ["positions"], [output])],
    inputs: [value("positions", "float32", ["N", 3])],
    outputs: [value(output, "float32", shape)],
  });
}

function withNumbers(): Uint8Array<ArrayBuffer> {
  const graph = new GraphBuilder("numbers");
  const x = graph.input("positions", "f32", ["N", 3]);
  graph.input("species", "i64", ["N"]);
  graph.output("energy", graph.reduceSum(x, [0, 1]), []);
  graph.output("forces", graph.mul(x, 0), ["N", 3]);
  return graph.build();
}

Deno.test("each mistake that docs/models.md lists is the error it says, and names the file", async () => {
  const rows = table("cause");
  assertEquals(rows.map(([what]) => what), Object.keys(MISTAKES));
  for (const [what, , kind] of rows) {
    for (const make of MISTAKES[what!]!) {
      const error = await assertRejects(make, Error);
      assertEquals(error.name, kind!.split(",")[0], `${what}: ${error.message}`);
      assertStringIncludes(error.message, "bad.onnx");
      if (error instanceof DivergedError) assertEquals([...error.systems], [0]);
    }
  }
});

Deno.test({
  name: "the manifest in docs/models.md is all that ANI-1x needs",
  ignore: lacks("models"),
  async fn() {
    const manifest = JSON.parse(/```json\n([\s\S]*?)```/.exec(PAGE)![1]!);
    await using model = await OnnxModel.open(readModel("ani1x_1_ef.onnx"), manifest);
    assertEquals([model.cutoff, model.gives], [5.2, ["energy", "forces"]]);
  },
});

Deno.test("the PyTorch program of docs/models.md is the one in tests/data", async () => {
  const program = await Deno.readTextFile(new URL("morse_torch.py", DATA));
  assertEquals(/```python\n([\s\S]*?)```/.exec(PAGE)![1], program);
});

Deno.test("what PyTorch exports by docs/models.md gives energies and forces in batches", async (t) => {
  const crystal = fcc({ element: "Ar", a: 4.3, cells: 2 });
  const systems = () =>
    Batch.from([
      rattle(crystal, 0.2, 1),
      { symbols: ["Ar", "Ar"], positions: [0, 0, 0, 2.5, 0, 0] },
      rattle(crystal, 0.1, 2),
    ]);
  const expected = systems();
  const exact = morse({ depth: 0.35, width: 1.4, distance: 2.9, cutoff: 6, truncation: "cut" });
  await using reference = new NVE({ model: exact, dt: 1, device: "reference" });
  await reference.run(expected, 0);
  const forces = expected.get("forces");
  const largest = Math.max(...forces.map(Math.abs));
  await using model = await OnnxModel.open(new URL("morse.onnx", DATA), { cutoff: 6 });
  for (const where of ["wasm", "webgpu"] as const) {
    const ignore = where === "webgpu" && lacksGpu();
    await t.step({ name: where, ignore, fn: () => compare(where) });
  }

  async function compare(where: "wasm" | "webgpu"): Promise<void> {
    const batch = systems();
    await using md = new NVE({ model, dt: 1, device: where });
    await md.run(batch, 0);
    for (const [i, energy] of expected.get("energy").entries()) {
      assertAlmostEquals(batch.get("energy")[i]!, energy, 2e-6 * Math.abs(energy));
    }
    for (const [i, force] of forces.entries()) {
      assertAlmostEquals(batch.get("forces")[i]!, force, 4e-6 * largest);
    }
    if (where === "webgpu") assertStringIncludes(model.describe(), "webgpu against wasm: they");
  }
});

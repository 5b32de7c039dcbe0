/** Files of models, and errors for wrong files. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Batch, NVE } from "@hooke/hooke";
import { ModelMismatchError, OnnxModel } from "@hooke/hooke/models/onnx";
import { lennardJonesModel } from "@hooke/hooke/onnx";
import { readModel } from "../onnx/shared_models.ts";
import { farWeight, modelOf, node, type TinyModel, value, weight } from "../onnx/tiny_model.ts";
import { lacks } from "../machine.ts";

const ARGON = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };

/** E = w · Σ x², F = −2 w x; `more` in its place. */
function springs(more: Partial<TinyModel> = {}): Uint8Array<ArrayBuffer> {
  return modelOf({
    nodes: [
      node("Mul", ["x", "w"], ["wx"]),
      node("Mul", ["wx", "two"], ["twice"]),
      node("Neg", ["twice"], ["forces"]),
      node("Mul", ["x", "wx"], ["squares"]),
      node("ReduceSum", ["squares"], ["energy"]),
    ],
    inputs: [value("x", "float32", ["N", 3])],
    outputs: [value("energy", "float32", [1, 1]), value("forces", "float32", ["N", 3])],
    weights: [weight("w", Float32Array.of(3)), weight("two", Float32Array.of(2))],
    ...more,
  });
}

async function energyOf(model: OnnxModel): Promise<number> {
  const batch = Batch.from([{ numbers: [1, 1], positions: [1, 0, 0, 0, 2, 0] }]);
  await using md = new NVE({ model, dt: 1 });
  return (await md.run(batch, 0)).get("energy")[0]!;
}

Deno.test("a model opens from bytes, a path and a URL, with weights beside it or passed as an option", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const far = [
      farWeight("w", [1], { location: "w.bin", offset: "4", length: "4" }),
      weight("two", Float32Array.of(2)),
    ];
    const weights = new Uint8Array(Float32Array.of(7, 5).buffer);
    const split = springs({ weights: far });
    await Deno.writeFile(`${folder}/springs.onnx`, split);
    await Deno.writeFile(`${folder}/w.bin`, weights);
    for (const source of [`${folder}/springs.onnx`, new URL(`file://${folder}/springs.onnx`)]) {
      await using model = await OnnxModel.open(source);
      assertEquals([model.name, await energyOf(model)], ["springs.onnx", 25]);
    }
    await using given = await OnnxModel.open(split, { externalData: { "w.bin": weights } });
    assertEquals(await energyOf(given), 25);
    await using whole = await OnnxModel.open(springs().buffer);
    assertEquals(await energyOf(whole), 15);
    await assertRejects(
      () => OnnxModel.open(split, { name: "s" }),
      RangeError,
      "the weights w.bin are not in its file",
    );
    await assertRejects(
      () => OnnxModel.open(`${folder}/other.onnx`),
      Error,
      "Cannot open other.onnx (file://",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** A file, with the class and the message of its error. */
const WRONG: readonly [string, () => Uint8Array, new () => Error, RegExp][] = [
  ["truncated", () => springs().subarray(0, 90), SyntaxError, /truncated or damaged/],
  [
    "no model",
    () => new TextEncoder().encode("<!doctype html><html>"),
    SyntaxError,
    /Cannot read bad\.onnx/,
  ],
  ["empty", () => new Uint8Array(), SyntaxError, /must not be empty/],
  [
    "an opset to come",
    () => springs({ opset: 99 }),
    SyntaxError,
    /opset must be at most \d+; got 99/,
  ],
  [
    "an unknown operator",
    () =>
      springs({ nodes: [node("Mulle", ["x", "w"], ["forces"]), node("Neg", ["w"], ["energy"])] }),
    SyntaxError,
    /has no operator Mulle \(node \.forces\)/,
  ],
  [
    "an operator of another runtime",
    () =>
      springs({
        nodes: [node("Neg", ["x"], ["forces"], { domain: "mine" }), node("Neg", ["w"], ["energy"])],
      }),
    SyntaxError,
    /it uses operators of mine, |does not have one of its operators/,
  ],
  [
    "a huge weight",
    () => springs({ weights: [weight("w", Float32Array.of(1), [2 ** 20, 2 ** 20])] }),
    SyntaxError,
    /"w" must fit into 4294967296 bytes/,
  ],
  [
    "a huge input",
    () => springs({ inputs: [value("x", "float32", [2 ** 40, 3])] }),
    SyntaxError,
    /"x" must fit into 4294967296 bytes/,
  ],
  [
    "weights outside its folder",
    () => springs({ weights: [farWeight("w", [1], { location: "../w.bin" })] }),
    RangeError,
    /Pass them as externalData/,
  ],
  [
    "no forces, and no known energy",
    () => springs({ outputs: [value("squares", "float32", ["N", 3])] }),
    ModelMismatchError as never,
    /must give forces, or an energy that can be differentiated/,
  ],
];

for (const [what, bytes, type, message] of WRONG) {
  Deno.test(`a file is refused with a clear error: ${what}`, async () => {
    const error = await assertRejects(() => OnnxModel.open(bytes(), { name: "bad.onnx" }), type);
    assert(message.test(error.message), error.message);
    assert(error.message.includes("bad.onnx"), error.message);
    await using after = await OnnxModel.open(springs());
    assertEquals(await energyOf(after), 15); // and the next model opens
  });
}

Deno.test("opsets older and newer than those for WebGPU run on the host, and describe() says so", async () => {
  for (const opset of [13, 22]) {
    await using model = await OnnxModel.open(springs({ opset }));
    assertEquals(await energyOf(model), 15);
    assert(
      model.describe().includes(
        `opset ${opset} cannot be rewritten for WebGPU; opsets 18 to 21 can`,
      ),
    );
  }
});

Deno.test("a missing cutoff or reach is an error", async () => {
  const graph = lennardJonesModel(ARGON);
  await assertRejects(
    () => OnnxModel.open(graph, { cutoff: 0 }),
    RangeError,
    "the option cutoff must be above 0",
  );
  const bare = modelOf({
    nodes: [
      node("Neg", ["positions"], ["forces"]),
      node("ReduceSum", ["positions"], ["energy"]),
      node("Neg", ["edge_index"], ["e"]),
    ],
    inputs: [value("positions", "float32", ["N", 3]), value("edge_index", "int64", [2, "E"])],
    outputs: [value("energy", "float32", [1, 1]), value("forces", "float32", ["N", 3])],
  });
  await assertRejects(
    () => OnnxModel.open(bare),
    RangeError,
    "cutoff is required for its edges",
  );
  const triplets = modelOf({
    nodes: [
      node("Neg", ["positions"], ["forces"]),
      node("ReduceSum", ["positions"], ["energy"]),
      node("Neg", ["trip_edge"], ["e"]),
    ],
    inputs: [value("positions", "float32", ["N", 3]), value("trip_edge", "int64", [2, "T"])],
    outputs: [value("energy", "float32", [1, 1]), value("forces", "float32", ["N", 3])],
  });
  await assertRejects(
    () => OnnxModel.open(triplets, { cutoff: 5 }),
    RangeError,
    "reach is required for its triplets",
  );
  await assertRejects(
    () => OnnxModel.open(triplets, { cutoff: 5, reach: 6 }),
    RangeError,
    "at most its cutoff, 5 Å; got 6",
  );
  await assertRejects(
    () => OnnxModel.open(triplets, { cutoff: 5, reach: 3, neighbors: "half" }),
    RangeError,
    'its neighbors must be "full"',
  );
});

Deno.test("unknown options, and options of the wrong kind, are named", async () => {
  const wrong: readonly [object, new () => Error, string][] = [
    [{ cutof: 3 }, TypeError, '"cutof"'],
    [{ derived: { x: 3 } }, TypeError, "the option derived.x must be a function"],
    [{ skin: -1 }, RangeError, "the option skin must be above 0"],
    [{ threads: 0.5 }, RangeError, "threads must be a positive integer"],
    [
      { derived: { y: () => 0 } },
      ModelMismatchError as never,
      "derived must name one of its inputs",
    ],
  ];
  for (const [options, type, message] of wrong) {
    await assertRejects(() => OnnxModel.open(springs(), options), type, message);
  }
});

Deno.test({
  name:
    "describe() shows operators, parameters, memory, meanings of tensors, units, and the nodes that WebGPU runs",
  ignore: lacks("models"),
  async fn() {
    await using model = await OnnxModel.open(readModel("ani1x_1_ef.onnx"), {
      name: "ani1x",
      cutoff: 5.2,
      reach: 3.5,
      elements: ["H", "C", "N", "O"],
      energyUnit: "Hartree",
      inputs: { numbers: "species" },
    });
    const text = model.describe();
    for (
      const line of [
        "opset 18, by pytorch 2.10.0+cu128",
        "333 nodes: Mul 92, Add 33,",
        "379178 parameters; constants take 1.52 MB",
        "  species (int64 [N]) → numbers, by the options",
        "  trip_edge (int64 [2, T]) → tripletEdges, by its name",
        "  forces (float32 [N, 3]) → forces per atom, times 27.211386245988, by its name",
        "cutoff 5.2 Å, from the options",
        "reach 3.5 Å, from the options",
        "elements H 0, C 1, N 2, O 3, from the options",
        "energies in 27.211386245988 eV, from the options, lengths in 1 Å",
        "all systems at once",
        "on WebGPU: 330 of 333 nodes by their operators, 3 on the CPU",
        "  ConstantOfShape 3: it has no kernel",
      ]
    ) assert(text.includes(line), `${line} is not in\n${text}`);
  },
});

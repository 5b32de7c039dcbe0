/** Descriptions of models. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { decodeModel, describeModel, lennardJonesModel, showModel } from "../../src/onnx/mod.ts";
import { setMetadata } from "../../src/onnx/set_metadata.ts";
import { indexed } from "./indexed_model.ts";
import { branching, bytesOf, modelOf, tensors } from "./odd_models.ts";
import { modelTest, readModel } from "./shared_models.ts";

Deno.test("operators are counted, the most frequent first", () => {
  const { ops, nodeCount, hasControlFlow } = describeModel(decodeModel(indexed()));
  assertEquals([...ops].slice(0, 3), [["GatherND", 5], ["Unsqueeze", 5], ["Gather", 3]]);
  assertEquals(nodeCount, [...ops.values()].reduce((sum, n) => sum + n));
  assertEquals(hasControlFlow, false);
  assertEquals(describeModel(branching()).hasControlFlow, true);
});

Deno.test("parameters are elements of float tensors; memory includes all constants", () => {
  const { parameterCount, constantBytes, externalFiles } = describeModel(tensors());
  // raw 4, floats 3, doubles 1, none 0, outside 2
  assertEquals(parameterCount, 10);
  // and longs 24, ints 8, bytes 2, long 8, unsigned 8, nibbles 2
  assertEquals(constantBytes, 16 + 12 + 8 + 8 + 24 + 8 + 2 + 8 + 8 + 2);
  assertEquals(externalFiles, ["weights/a.bin"]);
});

Deno.test("memory of intermediate values follows from sizes, and unknown shapes are counted", () => {
  const model = decodeModel(indexed());
  // sums and zeros [N, 3], squares [N], column [N, 1] of f32; src + 1 [E], 3 × [E, 1] and [N, 1] of i64; energy [B]
  const { bytes, unknown } = describeModel(model, { sizes: { N: 10, E: 7, B: 2 } }).values;
  assertEquals(bytes, 4 * (30 + 30 + 10 + 10 + 2) + 8 * (7 + 3 * 7 + 10));
  assertEquals(unknown, model.graph!.node.length - 10);
  assertEquals(describeModel(model).values, { bytes: 0, unknown: model.graph!.node.length });
});

Deno.test("showModel() prints a description", () => {
  const bytes = lennardJonesModel({ epsilon: 0.0104, sigma: 3.4, cutoff: 8.5, list: "half" });
  assertEquals(
    showModel(describeModel(decodeModel(bytes), { sizes: { N: 1000, B: 2 } })),
    `opset 18, by hooke
cutoff: 8.5
neighbors: half
units: eV, Å
inputs
  positions: f32 [N, 3]
  edge_index: i32 [2, E]
  shifts: f32 [E, 3]
  batch_idx: i32 [N]
  energy0: f32 [B]
outputs
  energy: f32 [B]
  forces: f32 [N, 3]
37 nodes: Mul 9, Sub 7, Gather 5, ScatterElements 4, Div 2, Expand 2, Unsqueeze 2, Where 2, Add 1, GreaterOrEqual 1, ReduceSum 1, Squeeze 1
0 parameters; constants take 68 B
intermediate values of fixed size take 12.0 kB; the sizes of 35 others depend on the inputs`,
  );
  const noted = decodeModel(bytes);
  setMetadata(noted, "hooke.parameters", JSON.stringify(["embed.weight", "readout.weight"]));
  setMetadata(noted, "story", "long ".repeat(100));
  const lines = showModel(describeModel(noted)).split("\n");
  assert(lines.includes("hooke.parameters: 2 parameters are noted"), lines.join("\n"));
  assert(lines.includes(`story: ${"long ".repeat(20)}… (500 characters)`), lines.join("\n"));
  assertThrows(
    () => describeModel({ ...modelOf({}), graph: undefined } as never),
    SyntaxError,
    "it has no graph",
  );
  const text = showModel(describeModel(decodeModel(bytesOf(tensors()))));
  assertEquals(text.includes("constants take 96 B, some of them in weights/a.bin"), true, text);
  assertEquals(text.includes("x: f32 [N, ?, 3]"), true, text);
});

modelTest("a real potential is described with the memory of all its values", () => {
  const model = decodeModel(readModel("ani1x_1_ef.onnx"));
  const { parameterCount, values, inputs, nodeCount } = describeModel(model, {
    sizes: { N: 76, E: 578, T: 1626, B: 10 },
  });
  assertEquals([nodeCount, values.unknown, inputs.length], [333, 0, 8]);
  assertEquals(parameterCount > 379_000 && parameterCount < 380_000, true, `${parameterCount}`);
});

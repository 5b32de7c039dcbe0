/** The tensors of a model that are trained, with and without options. */
import { assertEquals, assertThrows } from "@std/assert";
import { decodeModel, Graph, GraphBuilder, makeTensorProto } from "../../src/onnx/mod.ts";
import { chooseParameters } from "../../src/training/graph/parameters.ts";
import { readModel } from "../onnx/shared_models.ts";
import { lacks } from "../machine.ts";

const namesOf = (
  bytes: Uint8Array,
  choice: Parameters<typeof chooseParameters>[1] = {},
): string[] => chooseParameters(decodeModel(bytes), choice).map(({ name }) => name);

/** A foreign file: only constants, among them centers of a formula. */
function foreign(): Uint8Array<ArrayBuffer> {
  const builder = new GraphBuilder("net");
  const x = builder.input("x", "f32", ["B", 2]);
  const constant = (values: readonly number[], dims: readonly number[], name: string) =>
    builder.value(builder.graph.addConstant(makeTensorProto("f32", dims, values, name)), "f32");
  const centered = builder.sub(x, constant([0.5, 1.5], [2], "centers"));
  const turned = builder.op("Transpose", [constant([1, 2, 3, 4], [2, 2], "w")], "f32");
  const product = builder.op("MatMul", [centered, turned], "f32");
  const shifted = builder.add(product, constant([5, 6], [2], "b"));
  const scaled = builder.mul(shifted, constant([7, 8], [2], "norm.weight"));
  builder.output("y", builder.mul(scaled, constant([9, 10], [2], "widths")));
  return builder.build();
}

Deno.test("in a file that does not say, weights are what is called so and what stands where weights do", () => {
  assertEquals(namesOf(foreign()).sort(), ["b", "norm.weight", "w"]);
});

Deno.test("a file that says which are its parameters is believed, also after it was written and read", () => {
  const builder = new GraphBuilder("noted");
  const x = builder.input("x", "f32", ["B", 2]);
  const centered = builder.sub(x, builder.parameter("centers", [0.5, 1.5], [2]));
  const fixed = builder.constant("f32", [1, 2, 3, 4], [2, 2]);
  builder.output("y", builder.op("MatMul", [centered, fixed], "f32"));
  const again = new Graph(decodeModel(builder.build())).encode();
  assertEquals(namesOf(again), ["centers"]);
});

Deno.test("patterns name any tensor, and a star names all", () => {
  assertEquals(namesOf(foreign(), { parameters: "centers" }), ["centers"]);
  assertEquals(namesOf(foreign(), { parameters: "*" }).length, 5);
  assertEquals(namesOf(foreign(), { freeze: ["b", "norm.*"] }), ["w"]);
  const none = () => namesOf(foreign(), { freeze: "*" });
  assertThrows(none, RangeError, "Name the tensors to train by parameters: [...]");
});

Deno.test({
  name: "of real potentials the weights are trained, and what their exporter has folded is not",
  ignore: lacks("models"),
  fn() {
    const ani = namesOf(readModel("ani1x_1_e.onnx"));
    assertEquals(ani.sort(), ["W0", "W1", "W2", "W3", "b0", "b1", "b2", "b3"]);
    const schnet = namesOf(readModel("schnet_e.onnx"));
    assertEquals([schnet.length, schnet.includes("mu")], [23, false]);
  },
});

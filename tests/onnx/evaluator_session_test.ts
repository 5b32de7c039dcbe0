/** Models run with no runtime: sessions over the evaluator. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { dataOf, evaluatorSession, openSession, UnsupportedNodeError } from "../../src/onnx/mod.ts";
import { readModel } from "./shared_models.ts";
import { feedsOf, referenceOf } from "./reference_feeds.ts";
import { modelOf, node, value } from "./tiny_model.ts";
import { lacks } from "../machine.ts";

const THIRD = modelOf({
  nodes: [node("Mul", ["x", "x"], ["y"]), node("Shape", ["x"], ["n"])],
  inputs: [value("x", "float32", ["N"])],
  outputs: [value("y", "float32", ["N"]), value("n", "int64", [1])],
});

Deno.test("an evaluator session accepts and returns doubles for floats", async () => {
  await using session = evaluatorSession(THIRD, { name: "squares" });
  assertEquals(session.device, "evaluator");
  assertEquals(session.inputs, [{ name: "x", dtype: "float64", shape: ["N"] }]);
  assertEquals(session.outputs.map(({ dtype }) => dtype), ["float64", "int64"]);
  const outputs = await session.run({ x: { data: Float64Array.of(0.1, 3) } });
  assertEquals([...dataOf(outputs, "y", "float64")], [0.1 * 0.1, 9]);
  assertEquals([...dataOf(outputs, "n", "int64")], [2n]);
  const own = new Float64Array(2);
  const { y } = await session.run({ x: { data: Float32Array.of(0.5, 3) } }, { y: { data: own } });
  assertEquals([...own], [0.25, 9]);
  assert(y?.location === "host" && y.data === own);
});

Deno.test("an evaluator session names operators and inputs that it rejects", async () => {
  const odd = modelOf({
    nodes: [node("Mulle", ["x"], ["y"])],
    inputs: [value("x", "float32", ["N"])],
    outputs: [value("y", "float32", ["N"])],
  });
  assertThrows(() => evaluatorSession(odd), UnsupportedNodeError, "Mulle");
  const session = evaluatorSession(THIRD, { name: "squares" });
  await assertRejects(() => session.run({ z: { data: Float64Array.of(1) } }), TypeError, "z");
  await assertRejects(
    () => session.run({ x: { data: Int32Array.of(1) } }),
    TypeError,
    "Int32Array",
  );
  await session.dispose();
  await assertRejects(
    () => session.run({}),
    Error,
    "Cannot run squares: its session was disposed of",
  );
});

for (const model of ["schnet_ef", "ani1x_1_ef", "painnx_e", "mlp_e"]) {
  Deno.test({
    name: `${model} in the evaluator agrees with PyTorch and with wasm`,
    ignore: lacks("models"),
    async fn() {
      await using plain = evaluatorSession(readModel(`${model}.onnx`));
      await using wasm = await openSession(readModel(`${model}.onnx`));
      const feeds = feedsOf(model, wasm);
      const [here, there] = [await plain.run(feeds), await wasm.run(feeds)];
      for (const { name } of plain.outputs) {
        const expected = referenceOf(model)[name]!;
        const largest = Math.max(...expected.map(Math.abs));
        const [own, other] = [dataOf(here, name, "float64"), dataOf(there, name, "float32")];
        for (const [i, number] of expected.entries()) {
          // The weights are rounded to float32; sums over them are not.
          assert(Math.abs(own[i]! - number) <= 2e-6 * largest, `${name}[${i}]`);
          assert(Math.abs(own[i]! - other[i]!) <= 1e-5 * Math.max(1, largest), `${name}[${i}]`);
        }
      }
    },
  });
}

/** Adapters that change nothing at first, are all that moves, and are part of the matrices in the end. */
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertNotEquals,
  assertThrows,
} from "@std/assert";
import { decodeModel, GraphBuilder, openEvaluator, tensorValues } from "../../../src/onnx/mod.ts";
import {
  meanSquaredError,
  normalNumbers,
  sgd,
  Trainer,
  withLora,
} from "../../../src/training/mod.ts";

function network(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("net");
  const x = g.input("x", "f32", ["B", 4]);
  const first = g.parameter("body.first", normalNumbers(24, { seed: 1 }), [4, 6]);
  const bias = g.parameter("body.bias", normalNumbers(6, { seed: 2 }), [6]);
  const second = g.parameter("head", normalNumbers(6, { seed: 3 }), [6, 1]);
  const hidden = g.op("Tanh", [g.op("Gemm", [x, first, bias], "f32")], "f32");
  g.output("y", g.op("MatMul", [hidden, second], "f32"), ["B", 1]);
  return g.build();
}
const x = { data: normalNumbers(20, { seed: 4 }), dims: [5, 4] };
const target = { data: normalNumbers(5, { seed: 5 }), dims: [5, 1] };

function outputOf(model: Uint8Array): ArrayLike<number | bigint> {
  const y = openEvaluator(model).run({ x }, ["y"]).y!;
  return y.data;
}
function tensorsOf(model: Uint8Array): Record<string, unknown> {
  const { initializer } = decodeModel(model).graph!;
  return Object.fromEntries(initializer.map((tensor) => [tensor.name, tensorValues(tensor)]));
}

/** The adapted model after some steps, and before merging. */
async function trained(lora: ReturnType<typeof withLora>, more: readonly string[] = []) {
  await using trainer = new Trainer({
    model: lora.model,
    parameters: [...lora.parameters, ...more],
    loss: meanSquaredError(),
    optimizers: sgd({ lr: 0.05 }),
    device: "reference",
  });
  const losses: number[] = [];
  for (let step = 0; step < 20; step++) losses.push((await trainer.step({ x, target })).loss);
  assert(losses.at(-1)! < 0.8 * losses[0]!, `it learns: ${losses}`);
  return await trainer.export();
}

Deno.test("adapters change nothing before the first step, whatever their numbers", () => {
  const wanted = outputOf(network());
  for (const options of [{}, { rank: 2, alpha: 7, seed: 3 }, { parameters: "head" }]) {
    assertEquals(outputOf(withLora(network(), options).model), wanted);
  }
});

Deno.test("a merged model has the graph that it had, and the results of the adapted one", async () => {
  const lora = withLora(network(), { rank: 2, alpha: 3 });
  const adapted = await trained(lora), merged = lora.merge(adapted);
  const [graph, before] = [merged, network()].map((model) => decodeModel(model).graph!);
  assertEquals(graph!.node, before!.node);
  assertEquals(graph!.initializer.map(({ name, dims }) => [name, dims]), [
    ...before!.initializer.map(({ name, dims }) => [name, dims]),
  ]);
  const [wanted, found] = [adapted, merged].map((model) => Array.from(outputOf(model), Number));
  const old = Number(outputOf(network())[0]);
  for (const [i, value] of wanted!.entries()) assertAlmostEquals(found![i]!, value, 1e-6);
  assert(Math.abs(found![0]! - old) > 1e-3, "it is another model");
});

Deno.test("everything but the adapters keeps its bits, and other parameters may move as well", async () => {
  const lora = withLora(network(), { rank: 1, parameters: "body.*", freeze: "*.bias" });
  assertEquals(lora.parameters, ["body.first.lora_A", "body.first.lora_B"]);
  const before = tensorsOf(network()), after = tensorsOf(lora.merge(await trained(lora)));
  assertEquals([after["body.bias"], after.head], [before["body.bias"], before.head]);
  assertNotEquals(after["body.first"], before["body.first"]);
  const both = tensorsOf(lora.merge(await trained(lora, ["head"])));
  assertNotEquals(both.head, before.head);
  assertEquals(both["body.bias"], before["body.bias"]);
});

Deno.test("rank, alpha and seed are what they say", async () => {
  const shapes = (options: object) =>
    Object.entries(tensorsOf(withLora(network(), options).model))
      .filter(([name]) => name.includes("lora"))
      .map(([name, values]) => [name, (values as Float32Array).length]);
  assertEquals(shapes({ rank: 3 }), [
    ["body.first.lora_A", 12],
    ["body.first.lora_B", 18],
    ["head.lora_A", 6], // no more than its one column
    ["head.lora_B", 1],
  ]);
  const [one, same, two] = [1, 1, 2].map((seed) => tensorsOf(withLora(network(), { seed }).model));
  assertEquals(one!["head.lora_A"], same!["head.lora_A"]);
  assertNotEquals(one!["head.lora_A"], two!["head.lora_A"]);
  // B moves by α / r · its gradient, and W by that times α / r once more.
  const moved = await Promise.all([1, 2].map(async (alpha) => {
    const lora = withLora(network(), { rank: 1, alpha, parameters: "head" });
    await using trainer = new Trainer({
      model: lora.model,
      parameters: lora.parameters,
      loss: meanSquaredError(),
      optimizers: sgd({ lr: 1e-3 }),
      device: "reference",
    });
    await trainer.step({ x, target });
    return (await trainer.parameter("head.lora_B"))[0]!;
  }));
  assertAlmostEquals(moved[1]! / moved[0]!, 2, 1e-5);
});

Deno.test("what cannot have adapters is refused", () => {
  const of = (options: object) => () => withLora(network(), options);
  assertThrows(of({ rank: 0 }), RangeError, "rank");
  assertThrows(of({ alpha: 0 }), RangeError, "alpha");
  assertThrows(of({ seed: -1 }), RangeError, "seed");
  assertThrows(of({ ranks: 1 }), TypeError, "ranks");
  assertThrows(of({ parameters: "body.bias" }), RangeError, "two axes; got body.bias");
  assertThrows(of({ parameters: "tail" }), RangeError, "tail");
  const { merge } = withLora(network());
  assertThrows(() => merge(network()), RangeError, '"body.first.lora_A"');
});

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { dataOf, evaluatorSession, GraphBuilder, openEvaluator } from "../../../src/onnx/mod.ts";

const MIB = 2 ** 20;

/** A graph that doubles its input several times. */
function doublings(times: number): Uint8Array {
  const g = new GraphBuilder("doublings");
  let x = g.input("x", "f32", ["N"]);
  for (let i = 0; i < times; i++) x = g.op("Concat", [x, x], "f32", { axis: 0 });
  g.output("y", x, ["M"]);
  return g.build();
}

const feeds = { x: { data: new Float32Array(128) } }; // 1 KiB as doubles

Deno.test("a graph that keeps doubling its input fails at maxBytes with the node's name", () => {
  const evaluator = openEvaluator(doublings(20), { maxBytes: MIB });
  const error = assertThrows(() => evaluator.run(feeds), RangeError, "exceed maxBytes");
  assert(error.message.includes("Concat"), error.message);
  // 512 KiB and 256 KiB at once fit; twice as much does not.
  openEvaluator(doublings(9), { maxBytes: MIB }).run(feeds);
  assertThrows(() => openEvaluator(doublings(10), { maxBytes: MIB }).run(feeds), RangeError);
});

Deno.test("the default limit is 4 GiB, and a node beyond it allocates nothing", () => {
  const g = new GraphBuilder("expand");
  const x = g.input("x", "f32", [1]);
  const shape = g.constant("i64", [40_000, 40_000]);
  g.output("y", g.op("Expand", [x, shape], "f32"), ["A", "B"]);
  const evaluator = openEvaluator(g.build());
  const error = assertThrows(
    () => evaluator.run({ x: { data: Float32Array.of(1) } }),
    RangeError,
    "(4294967296)",
  );
  assert(error.message.includes("12800000000 bytes"), error.message);
});

Deno.test("shared memory counts once, and released memory not at all", () => {
  const g = new GraphBuilder("shared");
  const x = g.input("x", "f32", ["N"]);
  let y = g.add(x, 1);
  const flat = g.constant("i64", [-1]);
  for (let i = 0; i < 50; i++) y = g.op("Reshape", [g.add(y, 1), flat], "f32");
  g.output("y", y, ["N"]);
  const { y: made } = openEvaluator(g.build(), { maxBytes: 2 * 1024 }).run(feeds);
  assertEquals(made?.data[0], 51);
});

Deno.test("a signal aborts evaluations of evaluators and sessions between two nodes", async () => {
  const g = new GraphBuilder("long");
  let x = g.input("x", "f32", ["N"]);
  for (let i = 0; i < 3000; i++) x = g.op("Sin", [x], "f32"); // about a second
  g.output("y", x, ["N"]);
  const large = { x: { data: new Float32Array(50_000) } };
  const first = new AbortController(), second = new AbortController();
  const evaluator = openEvaluator(g.build(), { signal: first.signal });
  await using session = evaluatorSession(g.build(), { signal: second.signal });
  for (
    const [run, controller] of [
      [evaluator.runInTurns(large), first],
      [session.run(large), second],
    ] as const
  ) {
    controller.abort(new Error("enough"));
    await assertRejects(() => run, Error, "enough");
  }
  assertThrows(() => evaluator.run(large), Error, "enough");
});

Deno.test("runInTurns() gives the same results as run()", async () => {
  const bytes = doublings(3);
  await using session = evaluatorSession(bytes);
  const x = { data: Float32Array.of(1, 2) };
  const outputs = await session.run({ x });
  assertEquals(dataOf(outputs, "y", "float64"), openEvaluator(bytes).run({ x }).y?.data);
  assertThrows(() => openEvaluator(bytes, { maxBytes: 0 }), RangeError, "maxBytes must be");
});

/** Outlines of models, which are read before a session opens, and files that are not models. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { decodeModel, openSession, outlineModel } from "../../src/onnx/mod.ts";
import { MODELS, readModel, SMALL_MODELS } from "./shared_models.ts";
import { few, test } from "../suite.ts";
import {
  DOUBLE,
  farWeight,
  graphAttribute,
  graphOf,
  int,
  modelOf,
  node,
  run,
  unary,
  value,
} from "./tiny_model.ts";
import { lacks } from "../machine.ts";

test("an outline has opsets, operators and external files, including those of subgraphs and functions", () => {
  const inner = graphOf({
    nodes: [node("Relu", ["x"], ["r"]), node("Gelu", ["r"], ["t"], { domain: "com.acme" })],
    inputs: [],
    outputs: [value("t", "float32", ["N"])],
    weights: [farWeight("v", [2], { location: "v.bin", offset: "8", length: "16" })],
  });
  const attributes = ["then_branch", "else_branch"].map((name) => graphAttribute(name, inner));
  const model = modelOf({
    nodes: [node("If", ["c"], ["y"], { attributes }), node("Relu", ["x"], ["z"])],
    inputs: [value("c", "bool", []), value("x", "float32", ["N"])],
    outputs: [value("y", "float32", ["N"])],
    weights: [farWeight("w", [1], { location: "w.bin" }), farWeight("u", [1], { checksum: "0" })],
  });
  const body = [...run(1, "Twice"), ...run(7, node("Add", ["a", "a"], ["b"]))];
  const whole = Uint8Array.of(
    ...model,
    ...run(8, [...run(1, "com.acme"), ...int(2, 3)]),
    ...run(25, body),
  );
  const outline = outlineModel(whole, "m");
  assertEquals([...outline.opsets], [["", 18], ["com.acme", 3]]);
  assertEquals([...outline.operators.values()], [
    { operator: "Relu", count: 3, first: ".r" },
    { operator: "com.acme.Gelu", count: 2, first: ".t" },
    { operator: "If", count: 1, first: ".y" },
    { operator: "Add", count: 1, first: ".b" },
  ]);
  const v = { name: "v", location: "v.bin", end: 24 };
  assertEquals(outline.external, [v, v, { name: "w", location: "w.bin", end: undefined }]);
});

Deno.test({
  name: "the outline of a real model counts the operators of its graph",
  ignore: lacks("models"),
  fn: () => {
    for (const name of few(SMALL_MODELS, MODELS)) {
      const bytes = readModel(name);
      const { operators, opsets, external } = outlineModel(bytes, name);
      const { graph } = decodeModel(bytes);
      const counts: Record<string, number> = {};
      for (const { opType } of graph!.node) counts[opType] = (counts[opType] ?? 0) + 1;
      assertEquals(
        Object.fromEntries([...operators].map(([op, { count }]) => [op, count])),
        counts,
      );
      assertEquals([...opsets], [["", 18]]);
      assertEquals(external, []);
    }
  },
});

/** Numbers from 0 to below `n`, the same each time. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** The same file with some of it changed, left out, repeated or cut off. */
function mutate(bytes: Uint8Array, roll: (n: number) => number): Uint8Array {
  const changed = bytes.slice();
  for (let i = roll(4); i >= 0; i--) changed[roll(changed.length)] = roll(256);
  const [at, length] = [roll(changed.length), roll(16)];
  return [
    changed,
    changed.slice(0, at),
    Uint8Array.of(...changed.subarray(0, at), ...changed.subarray(at + length)),
    Uint8Array.of(...changed.subarray(0, at + length), ...changed.subarray(at)),
  ][roll(4)]!;
}

test("any file has an outline or is rejected with its name", () => {
  const roll = dice(5);
  let refusals = 0;
  for (let i = 0; i < 20_000; i++) {
    const bytes = mutate(DOUBLE, roll);
    try {
      outlineModel(bytes, "mutant.onnx");
    } catch (error) {
      assert(error instanceof SyntaxError, String(error));
      assert(
        /^Cannot open mutant.onnx: it(s subgraphs are nested| is truncated: | is not an ONNX model, | has no graph )/
          .test(error.message),
        error.message,
      );
      refusals++;
    }
  }
  assert(refusals > 5000 && refusals < 19_000, `${refusals}`);
});

test("subgraphs nested too deeply for the stack are rejected", () => {
  let graph = graphOf({ nodes: [], inputs: [], outputs: [] });
  for (let depth = 0; depth < 150; depth++) {
    const attributes = [graphAttribute("body", graph)];
    graph = graphOf({ nodes: [node("Loop", [], ["y"], { attributes })], inputs: [], outputs: [] });
  }
  assertThrows(
    () => outlineModel(Uint8Array.from(run(7, graph)), "deep.onnx"),
    SyntaxError,
    "its subgraphs are nested more than 100 deep",
  );
});

test("any file opens or is rejected, and the next one opens", async () => {
  const roll = dice(11);
  let opened = 0;
  for (let i = 0; i < 500; i++) {
    const model = (i % 2 === 0 ? DOUBLE : unary("Neg")).slice();
    model[roll(model.length)] = roll(256);
    try {
      await (await openSession(model, { name: "mutant.onnx" })).dispose();
      opened++;
    } catch (error) {
      const { name, message } = error as Error;
      assert(/^(SyntaxError|TypeError|RangeError)$/.test(name), `${name}: ${message}`);
      assert(message.startsWith("Cannot open mutant.onnx: "), message);
    }
  }
  assert(opened > 20 && opened < 480, `${opened}`);
  await (await openSession(DOUBLE)).dispose();
  await assertRejects(() => openSession(new Uint8Array(0)), SyntaxError);
});

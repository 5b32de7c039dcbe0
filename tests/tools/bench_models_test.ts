import { assertEquals, assertThrows } from "@std/assert";
import { assertSameEnergies } from "../../bench/onnx/same_energies.ts";
import gpu from "../../bench/gpu_table.ts";
import onnx from "../../bench/onnx_table.ts";
import { takeTurns } from "../../bench/turns.ts";

Deno.test("assertSameEnergies() refuses contenders that compute something else", () => {
  const ours = { energy: [1, 2] };
  assertSameEnergies({ ours, peer: { energy: [1.004, 2] } });
  for (const energy of [[1, 2.006], [1, NaN], [1, 2, 3], [1]]) {
    assertThrows(() => assertSameEnergies({ ours, peer: { energy } }), Error, "peer");
  }
});

Deno.test("takeTurns() begins each round with another body, and waits for each", async () => {
  const seen: string[] = [];
  const settled = async (name: string) => void seen.push(await Promise.resolve(name));
  await takeTurns({ a: () => void seen.push("a"), b: () => settled("b"), c: () => settled("c") }, {
    turns: 2,
    events: 1,
  });
  assertEquals(seen.join(" "), "a b c b c a c a b");
});

Deno.test("the tables of the GPU and of models have the rows that were promised", () => {
  const limits = [...gpu, ...onnx].map(({ id, limit }) => [id, limit]);
  assertEquals(Object.fromEntries(limits), {
    "gpu/1": 1.05,
    "gpu/2": 1.1,
    "gpu/3": 1.1,
    "gpu/4": 0,
    "gpu/5": 0.5,
    "gpu/6": 1,
    "onnx/1": 1.1,
    "onnx/2": 1.8,
    "onnx/2n": 1,
    "onnx/3": 2.2,
    "onnx/3n": 0.8,
    "onnx/4": 1.2,
    "onnx/5": 10,
    "onnx/6": 1,
    "onnx/7": 1,
    "onnx/8": 1.7,
    "onnx/8n": 0.7,
    "onnx/9": 1,
    "onnx/9n": 0.4,
    "onnx/10n-mace": 1,
    "onnx/10n-sevennet": 1,
    "onnx/11": 0.85,
    "onnx/12": 0.75,
    "onnx/13": 0.7,
    "onnx/14": 0.9,
    "onnx/15": 1,
    "onnx/16": 0.8,
    "onnx/17": 0.85,
    "onnx/19": 0.95,
    "onnx/20": 1,
    "onnx/21": 1,
    "onnx/22": 1.05,
    "onnx/23": 0.9,
  });
});

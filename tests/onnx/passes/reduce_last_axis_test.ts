import { assertEquals } from "@std/assert";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  Graph,
  GraphBuilder,
  openEvaluator,
  reduceLastAxis,
} from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";

/** A reduction of `x`, and whether the pass changes it. */
interface Case {
  readonly shape: readonly (number | string)[];
  readonly axes: readonly number[];
  readonly keepdims?: 0 | 1;
  readonly op?: string;
  readonly isChanged: boolean;
}

const CASES: readonly Case[] = [
  { shape: ["N", 4, 1], axes: [1], isChanged: true },
  { shape: ["N", 4, 1], axes: [-2], keepdims: 0, isChanged: true },
  { shape: ["N", 4, 1, 1], axes: [1], isChanged: true },
  { shape: ["N", 1, 4, 1, 1], axes: [2], keepdims: 0, isChanged: true },
  { shape: ["N", 1], axes: [0], isChanged: true },
  { shape: ["N", "K", 1], axes: [1], isChanged: true },
  { shape: ["N", 4, 1], axes: [1], op: "ReduceMean", isChanged: true },
  { shape: ["N", 4, 1], axes: [1], op: "ReduceMax", keepdims: 0, isChanged: true },
  { shape: ["N", 4], axes: [1], isChanged: false },
  { shape: ["N", 4, 3], axes: [1], isChanged: false },
  { shape: ["N", 4, "K"], axes: [1], isChanged: false },
  { shape: ["N", 4, 1], axes: [0], isChanged: false },
  { shape: ["N", 4, 1], axes: [0, 1], isChanged: false },
  { shape: ["N", 1, 1], axes: [1], isChanged: false },
  { shape: ["N", 4, 1], axes: [], isChanged: false },
];

function reduction({ shape, axes, keepdims = 1, op = "ReduceSum" }: Case): Uint8Array {
  const g = new GraphBuilder("reduction");
  const x = g.input("x", "f32", [...shape]);
  g.output("y", g.op(op, [x, g.constant("i64", [...axes])], "f32", { keepdims }));
  return g.build();
}

Deno.test("reductions over an axis before axes of length 1 become reductions over the last axis", async () => {
  for (const each of CASES) {
    const bytes = reduction(each), graph = new Graph(decodeModel(bytes));
    const said = JSON.stringify(each);
    assertEquals(reduceLastAxis(graph), each.isChanged ? 1 : 0, said);
    assertEquals(reduceLastAxis(graph), 0, said);
    if (!each.isChanged) continue;
    const lengths = (rows: number) =>
      each.shape.map((length) => typeof length === "number" ? length : rows);
    const numbers = (dims: readonly number[]) =>
      Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => Math.sin(i + 1));
    // The largest of no numbers does not exist.
    for (const rows of each.op === "ReduceMax" ? [3, 1] : [3, 1, 0]) {
      const dims = lengths(rows), feeds = { x: plainTensor("f32", dims, numbers(dims)) };
      const { y } = openEvaluator(bytes).run(feeds), made = openEvaluator(graph).run(feeds).y!;
      assertEquals([made.dims, [...made.data]], [y!.dims, [...y!.data]], said);
    }
    const feeds = { x: f32(numbers(lengths(3)), ...lengths(3)) };
    const [before, after] = [await runModel(bytes, feeds), await runModel(graph.encode(), feeds)];
    assertEquals(after["y"]!.dims, before["y"]!.dims);
    assertEquals(worst(numbersOf(after["y"]), numbersOf(before["y"])) < 1e-6, true, said);
  }
});

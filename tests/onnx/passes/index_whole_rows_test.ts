import { assertEquals } from "@std/assert";
import { plainTensor } from "../../../src/onnx/evaluate/plain_tensor.ts";
import {
  decodeModel,
  Graph,
  GraphBuilder,
  indexWholeRows,
  openEvaluator,
  type Value,
} from "../../../src/onnx/mod.ts";
import { f32, i32, i64, numbersOf, runModel } from "../ort.ts";

/** A gather or a sum of rows by expanded indices. */
interface Case {
  readonly op: "GatherElements" | "ScatterElements";
  /** Lengths behind the rows. */
  readonly width: readonly number[];
  /** Shape of the indices before they are expanded. @default [E, 1, …] */
  readonly index?: readonly (number | string)[];
  /** Lengths behind the rows of the expanded indices. @default width */
  readonly expanded?: readonly number[];
  readonly type?: "i32" | "i64";
  readonly axis?: number;
  readonly reduction?: string;
}

const REWRITTEN: readonly Case[] = [
  { op: "GatherElements", width: [4] },
  { op: "GatherElements", width: [2, 3] },
  { op: "GatherElements", width: [4], type: "i32", axis: -2 },
  { op: "ScatterElements", width: [4], reduction: "add" },
  { op: "ScatterElements", width: [4], reduction: "add", type: "i32", axis: -2 },
  { op: "ScatterElements", width: [2, 3], reduction: "add" },
];

const OTHERS: readonly Case[] = [
  { op: "GatherElements", width: [4], axis: 1 },
  { op: "GatherElements", width: [4], expanded: [2] },
  { op: "GatherElements", width: [4], index: ["E", 4] },
  { op: "GatherElements", width: [4], index: [1, 4] },
  { op: "GatherElements", width: [4], index: [1, 1] },
  { op: "ScatterElements", width: [4], reduction: "none" },
  { op: "ScatterElements", width: [4], reduction: "mul" },
  { op: "ScatterElements", width: [4], expanded: [2], reduction: "add" },
];

function graphOf({ op, width, index, expanded = width, type = "i64", axis = 0, ...more }: Case) {
  const g = new GraphBuilder("rows");
  const x = g.input("x", "f32", ["N", ...width]),
    updates = g.input("updates", "f32", [
      "E",
      ...expanded,
    ]);
  const own: Value = g.input("index", type, [...index ?? ["E", ...width.map(() => 1)]]);
  const places = g.op("Expand", [own, g.op("Shape", [updates], "i64")], type);
  const { reduction } = more;
  const inputs = op === "GatherElements" ? [x, places] : [x, places, updates];
  g.output("y", g.op(op, inputs, "f32", reduction === undefined ? { axis } : { axis, reduction }));
  g.output("z", g.op("Neg", [updates], "f32"));
  return g.build();
}

Deno.test("rows are gathered and added by one index each, also from the end, repeated, and without any", async () => {
  for (const each of REWRITTEN) {
    const bytes = graphOf(each), graph = new Graph(decodeModel(bytes));
    assertEquals(indexWholeRows(graph), 1, JSON.stringify(each));
    graph.prune();
    const count = each.width.reduce((a, b) => a * b, 1), ones = each.width.map(() => 1);
    for (const rows of [[2, 0, 2, -1, 1], []]) {
      const x = Array.from({ length: 3 * count }, (_, i) => Math.sin(i));
      const updates = Array.from({ length: rows.length * count }, (_, i) => Math.cos(i));
      const feeds = {
        x: plainTensor("f32", [3, ...each.width], x),
        updates: plainTensor("f32", [rows.length, ...each.width], updates),
        index: plainTensor(each.type ?? "i64", [rows.length, ...ones], rows),
      };
      const { y } = openEvaluator(bytes).run(feeds), made = openEvaluator(graph).run(feeds).y!;
      assertEquals([made.dims, [...made.data]], [y!.dims, [...y!.data]], JSON.stringify(each));
      if (rows.length === 0) continue;
      const tensors = {
        x: f32(x, 3, ...each.width),
        updates: f32(updates, rows.length, ...each.width),
        index: (each.type === "i32" ? i32 : i64)(rows, rows.length, ...ones),
      };
      const [before, after] = [
        await runModel(bytes, tensors),
        await runModel(graph.encode(), tensors),
      ];
      assertEquals(numbersOf(after["y"]), numbersOf(before["y"]));
    }
  }
});

Deno.test("other gathers and scatters stay", () => {
  for (const each of OTHERS) {
    const graph = new Graph(decodeModel(graphOf(each)));
    assertEquals(indexWholeRows(graph), 0, JSON.stringify(each));
  }
  const g = new GraphBuilder("elements");
  const x = g.input("x", "f32", ["N", 4]), index = g.input("index", "i64", ["E", 4]);
  g.output("y", g.op("GatherElements", [x, index], "f32", { axis: 0 }));
  assertEquals(indexWholeRows(new Graph(decodeModel(g.build()))), 0);
});

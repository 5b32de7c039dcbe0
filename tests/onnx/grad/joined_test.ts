import { assertEquals } from "@std/assert";
import {
  gradient,
  type Graph,
  GraphBuilder,
  openEvaluator,
  valueInfo,
} from "../../../src/onnx/mod.ts";

/** Returns the gradient by x [2, 6] if each cut along axis 1 is multiplied by its number. */
function comesBack(cuts: readonly (readonly [from: number, to: number, by: number])[]): {
  readonly rows: readonly number[];
  readonly operators: string;
} {
  const { graph } = new GraphBuilder("cuts");
  graph.addInput(valueInfo("x", "f32", ["N", 6]));
  const list = (value: number) => graph.constantOf("i64", [value]);
  const terms = cuts.map(([from, to, by]) => {
    const cut = graph.make("Slice", ["x", list(from), list(to), list(1)]);
    const weights = graph.constantOf("f32", new Array<number>(to - from).fill(by));
    return graph.make("ReduceSum", [graph.make("Mul", [cut, weights])], { keepdims: 0 });
  });
  const loss = terms.reduce((sum, term) => graph.make("Add", [sum, term]));
  graph.addOutput(valueInfo(loss, "f32", []));
  const forward = new Set(graph.nodes);
  gradient(graph, { of: loss, wrt: { x: "slope" } });
  const operators = operatorsOf(graph, forward);
  const x = { type: "f32", dims: [1, 6], data: new Float64Array(6) } as const;
  return { rows: Array.from(openEvaluator(graph).run({ x }, ["slope"]).slope!.data), operators };
}

/** Those that put parts together. */
function operatorsOf(graph: Graph, forward: ReadonlySet<unknown>): string {
  const added = graph.sort().filter((node) => !forward.has(node)).map(({ opType }) => opType);
  return added.filter((op) => ["Add", "Concat", "Pad"].includes(op)).join(" ");
}

Deno.test("gradients of adjacent parts are joined by Concat", () => {
  const { rows, operators } = comesBack([[4, 6, 3], [0, 1, 1], [1, 4, 2]]);
  assertEquals(rows, [1, 2, 2, 2, 3, 3]);
  assertEquals(operators, "Concat");
});

Deno.test("joined gradients are zero between the parts", () => {
  const { rows, operators } = comesBack([[1, 2, 1], [4, 5, 2]]);
  assertEquals(rows, [0, 1, 0, 0, 2, 0]);
  assertEquals(operators, "Pad Pad Concat");
});

Deno.test("the gradient of a single part is padded", () => {
  const { rows, operators } = comesBack([[1, 4, 5]]);
  assertEquals(rows, [0, 5, 5, 5, 0, 0]);
  assertEquals(operators, "Pad");
});

Deno.test("gradients of overlapping parts are added", () => {
  const { rows, operators } = comesBack([[0, 4, 1], [2, 6, 2], [4, 6, 4], [0, 2, 8]]);
  assertEquals(rows, [9, 9, 3, 3, 6, 6]);
  assertEquals(operators, "Concat Concat Add");
});

Deno.test("gradients of equal parts are added", () => {
  assertEquals(comesBack([[1, 3, 1], [1, 3, 2]]).rows, [0, 3, 3, 0, 0, 0]);
});

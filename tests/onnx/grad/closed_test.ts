/** Rules write operators that have rules, so that what they write can be differentiated again. */
import { assertEquals } from "@std/assert";
import { between } from "../../../src/onnx/passes/path.ts";
import { RULED_OPERATORS } from "../../../src/onnx/grad/rules.ts";
import { GraphFacts } from "../../../src/onnx/infer/facts.ts";
import { gradient, type Graph } from "../../../src/onnx/mod.ts";
import { ruleGraph } from "../../../src/testing/rules/rule_graph.ts";
import type { RuleCase, RuleInput } from "../../../src/testing/onnx.ts";
import { torchCases } from "./torch_cases.ts";

const number = (value: number): RuleInput => ({ dims: [], data: [value] });
const whole = (...data: number[]): RuleInput => ({ type: "i64", dims: [data.length], data });

/** Operators that PyTorch has no case of. */
const CASES: readonly RuleCase[] = [
  { op: "com.microsoft.Gelu", inputs: [{ dims: [2, 3] }] },
  {
    op: "com.microsoft.FusedMatMul",
    inputs: [{ dims: [2, 3] }, { dims: [3, 2] }],
    attributes: { transA: 1, transB: 1 },
  },
  { op: "EyeLike", inputs: [{ dims: [3, 3] }] },
  { op: "Hardmax", inputs: [{ dims: [2, 3] }] },
  { op: "OneHot", inputs: [whole(0, 2), { ...whole(3), isConstant: true }, { dims: [2] }] },
  { op: "Range", inputs: [number(0.5), number(3.1), number(0.7)] },
  { op: "ReverseSequence", inputs: [{ dims: [3, 2] }, whole(2, 3)] },
  {
    op: "Compress",
    inputs: [{ dims: [3, 2] }, { type: "bool", dims: [3], data: [1, 0, 1] }],
    attributes: { axis: 0 },
  },
];

/** Operators whose results have nothing to do with their inputs' numbers. */
const RANDOM = ["RandomNormalLike", "RandomUniformLike"];

/** The operators that a gradient has written between what is fed and itself. */
function writtenBy(graph: Graph, of: string, wrt: readonly string[]): Set<string> {
  const before = new Set(graph.nodes),
    names = Object.fromEntries(wrt.map((name) => [name, `slope_${name}`]));
  gradient(graph, { of, wrt: names, unused: "zeros" });
  const { nodes } = between(graph, new GraphFacts(graph), wrt, Object.values(names));
  const written = nodes.filter((node) => !before.has(node));
  return new Set(
    written.map(({ domain, opType }) => domain === "" ? opType : `${domain}.${opType}`),
  );
}

Deno.test("rules use only operators that have rules", () => {
  const ran = new Set<string>(RANDOM), written = new Map<string, string>();
  const run = (op: string, graph: Graph, of: string, wrt: readonly string[]) => {
    ran.add(op);
    for (const each of writtenBy(graph, of, wrt)) written.set(each, op);
  };
  for (const each of torchCases()) {
    const cotangents = Object.keys(each.feeds).filter((name) => name.startsWith("v"));
    for (const lengths of ["named", "fixed"] as const) {
      run(each.op, each.graph(lengths), "loss", [...each.wrt, ...cotangents]);
    }
  }
  for (const each of CASES) {
    const { graph, loss, floats } = ruleGraph(each);
    run(each.op, graph, loss, floats);
  }
  const ruled = new Set(RULED_OPERATORS);
  const without = [...written].filter(([op]) => !ruled.has(op));
  assertEquals(without.map(([op, by]) => `${op}, written for ${by}`), []);
  assertEquals(RULED_OPERATORS.filter((op) => !ran.has(op)), [], "rules that this has not run");
});

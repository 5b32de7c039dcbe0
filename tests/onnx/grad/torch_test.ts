/** Compares operators and their gradients of first and second order with PyTorch, in float64. */
import { assert } from "@std/assert";
import { gradient } from "../../../src/onnx/grad/gradient.ts";
import { Graph } from "../../../src/onnx/graph/graph.ts";
import { decodeModel } from "../../../src/onnx/codec/codec.ts";
import { runPasses, SIMPLIFYING_PASSES, WEBGPU_PASSES } from "../../../src/onnx/passes/passes.ts";
import { type Lengths, type PlainTensors, type TorchCase, torchCases } from "./torch_cases.ts";
import { compare } from "./torch_compare.ts";

const CASES = Map.groupBy(torchCases(), ({ op }) => op);

for (const [op, cases] of CASES) {
  Deno.test(`${op}: values, first and second derivatives agree with PyTorch`, () => {
    assertNone(complaints(cases, twice));
  });
}

Deno.test("passes change neither values nor gradients of operators", () => {
  assertNone([...CASES.values()].flatMap((cases) => complaints(cases, onceAfterPasses)));
});

function assertNone(wrong: readonly string[]): void {
  assert(wrong.length === 0, `${wrong.length} differences\n${wrong.join("\n")}`);
}

/** Returns the results that differ from those of PyTorch. */
function complaints(
  cases: readonly TorchCase[],
  differences: (each: TorchCase, lengths: Lengths) => readonly string[],
): string[] {
  return cases.flatMap((each) =>
    (["named", "fixed"] as const).flatMap((lengths) => {
      const title = `${each.name}, ${lengths} lengths`;
      try {
        return differences(each, lengths).map((what) => `${title}: ${what}`);
      } catch (error) {
        return [`${title}: ${error}`];
      }
    })
  );
}

const firstOf = (name: string) => `first_${name}`;
const secondOf = (name: string) => `second_${name}`;

function renamed(tensors: PlainTensors, rename: (name: string) => string): PlainTensors {
  return Object.fromEntries(Object.entries(tensors).map(([name, each]) => [rename(name), each]));
}

/** Differentiates; gradients come out under other names. */
function differentiate(
  graph: Graph,
  of: string,
  by: readonly string[],
  rename: (name: string) => string,
): Readonly<Record<string, string>> {
  const wrt = Object.fromEntries(by.map((name) => [name, rename(name)]));
  return gradient(graph, { of, wrt, unused: "zeros" }).names;
}

/** Compares what the operator makes, and what comes of differentiating it once and twice. */
function twice(each: TorchCase, lengths: Lengths): string[] {
  const { feeds, tolerance, outputs, wrt, first, second } = each;
  const graph = each.graph(lengths);
  const gradients = differentiate(graph, "loss", wrt, firstOf);
  const expected = { ...outputs, ...renamed(first, firstOf) };
  const found = compare(graph, { feeds, expected, tolerance });
  if (second === undefined) return found;
  each.weigh(graph, gradients);
  differentiate(graph, "weighed", Object.keys(second), secondOf);
  return [...found, ...compare(graph, { feeds, expected: renamed(second, secondOf), tolerance })];
}

/** Passes that ask no other inputs, and take every type. */
const RUN = [...SIMPLIFYING_PASSES, ...WEBGPU_PASSES]
  .filter(({ name }) => name !== "int64ToInt32" && name !== "captureSafe");

/** Compares gradients after all passes. */
function onceAfterPasses(each: TorchCase, lengths: Lengths): string[] {
  const { feeds, tolerance, wrt, first } = each;
  const graph = each.graph(lengths);
  differentiate(graph, "loss", wrt, firstOf);
  const rewritten = new Graph(decodeModel(graph.encode()));
  runPasses(rewritten, RUN);
  return compare(rewritten, { feeds, expected: renamed(first, firstOf), tolerance });
}

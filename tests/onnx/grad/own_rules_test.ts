import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { AmbiguousOverloadError, any } from "../../../src/dispatch/mod.ts";
import {
  decodeModel,
  gradient,
  gradientRules,
  type GradientRuleSet,
  Graph,
  GraphBuilder,
  openEvaluator,
  type OperatorGradient,
  type Operators,
  UnsupportedNodeError,
} from "../../../src/onnx/mod.ts";
import { checkRule } from "../../../src/testing/onnx.ts";

/** Σ over the last axis of cubes, under a name that only this file knows. */
const SUM_OF_CUBES = "com.example.SumOfCubes";

const operators: Operators = {
  [SUM_OF_CUBES]: ([x]) => {
    const { type, dims, data } = x!, width = dims.at(-1)!;
    const sums = new Float64Array(data.length / width);
    for (const [i, each] of data.entries()) sums[Math.floor(i / width)]! += each ** 3;
    return [{ type, dims: dims.slice(0, -1), data: sums }];
  },
};

/** With this factor where 3 would be right. */
const slopeTimes = (factor: number): OperatorGradient => ({ a, g }, write) => {
  const spread = write.unsqueeze(g, [write.rankOf(a) - 1]);
  return [() => write.mul(write.mul(write.make("Pow", [a, 2]), spread), factor)];
};

const withCubes = (factor: number): GradientRuleSet =>
  gradientRules.on([SUM_OF_CUBES, Number], () => slopeTimes(factor));

Deno.test("a rule of a custom operator is checked with the operator's implementation", () => {
  const rules = withCubes(3);
  for (const dims of [[4], [2, 3], [2, 1, 3]]) {
    checkRule({ op: SUM_OF_CUBES, rules, operators, inputs: [{ dims }] });
  }
});

Deno.test("wrong rules are detected, also if only the second derivative is wrong", () => {
  const tried = (rules: GradientRuleSet) => () =>
    checkRule({ op: SUM_OF_CUBES, rules, operators, inputs: [{ dims: [2, 3] }] });
  assertThrows(tried(withCubes(2.999)), Error, "SumOfCubes: the gradient by x0 must be ");
  // The slope is made with the square, whose own slope is half of what it should be.
  const halfBlind = withCubes(3).on(["Pow", Number], () => ({ a, g }, write) => [write.mul(g, a)]);
  assertThrows(tried(halfBlind), Error, "SumOfCubes: the gradient of the gradient by ");
});

/** y = Σ round(2x)² */
function rounded(): Graph {
  const builder = new GraphBuilder("rounded");
  const x = builder.input("x", "f32", ["N"]);
  const steps = builder.op("Round", [builder.mul(x, 2)], "f32");
  builder.output("y", builder.reduceSum(builder.mul(steps, steps), [0]), []);
  return new Graph(decodeModel(builder.build()));
}

/** dy/dx at 0.3 and 1.4. */
function slopes(graph: Graph, rules: GradientRuleSet): number[] {
  gradient(graph, { of: "y", wrt: { x: "slope" }, unused: "zeros", rules });
  const { slope } = openEvaluator(graph).run({ x: { data: Float32Array.of(0.3, 1.4) } }, ["slope"]);
  return [...slope!.data];
}

Deno.test("a custom rule has priority over a built-in one", () => {
  assertEquals(slopes(rounded(), gradientRules), [0, 0]);
  const straight = gradientRules.on(["Round", Number], () => ({ g }) => [g]);
  // 2 · 2 · round(2x), as if the rounding were not
  assertEquals(slopes(rounded(), straight), [4, 12]);
  assertEquals(slopes(rounded(), gradientRules), [0, 0]);
});

Deno.test("a rule may apply to one operator version", () => {
  const straight = gradientRules.on(["Round", 20], () => ({ g }) => [g]);
  assertEquals(slopes(rounded(), straight), [0, 0]);
  const twice = straight.on(["Round", 18], () => ({ g }, write) => [() => write.mul(g, 2)]);
  assertEquals(slopes(rounded(), twice), [8, 24]);
});

Deno.test("an ambiguous second rule is rejected", () => {
  assertThrows(() => gradientRules.on(["Round", any], () => () => []), AmbiguousOverloadError);
});

Deno.test("a rule with more shares than inputs is reported", () => {
  const rules = gradientRules.on(["Sin", Number], () => ({ a, g }, write) => [
    write.mul(g, write.make("Cos", [a])),
    g,
  ]);
  assertThrows(
    () => checkRule({ op: "Sin", rules, inputs: [{ dims: [3] }] }),
    TypeError,
    "its rule must not return more shares than it has inputs; got 2 for 1",
  );
});

Deno.test("the error mentions a kink only if inputs are at one", () => {
  const said = (op: string, first: number, rules = gradientRules) =>
    assertThrows(() => checkRule({ op, rules, inputs: [{ dims: [2], data: [first, 1.2] }] }), Error)
      .message.includes("the input may be at a kink");
  assertEquals(said("Relu", 0), true);
  assertEquals(said("Abs", 1e-4), true);
  assertEquals(said("Floor", 1), true);
  const wrong = gradientRules.on(["Sin", Number], () => ({ g }) => [g]);
  assertEquals(said("Sin", 1, wrong), false);
});

Deno.test("checkRule() names an operator without a rule", () => {
  const copies: Operators = { "my.Copy": ([x]) => [x!] };
  const { message } = assertThrows(
    () => checkRule({ op: "my.Copy", operators: copies, inputs: [{ dims: [3] }] }),
    UnsupportedNodeError,
  );
  assertStringIncludes(
    message,
    "Cannot check the rule of my.Copy: every operator on the path between the values ",
  );
  assertStringIncludes(message, 'got the my.Copy "Copy_copy" (node 1 of 3');
});

import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { NoOverloadError } from "../../../src/dispatch/mod.ts";
import {
  decodeModel,
  gradient,
  type GradientOptions,
  gradientRules,
  Graph,
  GraphBuilder,
  openEvaluator,
  UnsupportedNodeError,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";
import { addControlFlow, CONTROL_FLOW } from "./control_flow.ts";

/** A graph with an input x of 3 floats, and the sum of what is made of it as the output y. */
function graphOf(write: (graph: Graph, x: string) => string): Graph {
  const { graph } = new GraphBuilder("refused");
  graph.addInput(valueInfo("x", "f32", [3]));
  const made = write(graph, "x");
  graph.make("ReduceSum", [made], { keepdims: 0 }, "y");
  graph.addOutput(valueInfo("y", "f32", []));
  return new Graph(decodeModel(graph.encode()));
}

/** Returns the error of differentiating y by x, and asserts that the graph has not changed. */
function refusal<E extends Error>(
  graph: Graph,
  // deno-lint-ignore no-explicit-any -- what classes are in TypeScript
  kind: new (...args: any[]) => E,
  options: Partial<GradientOptions> = {},
): E {
  const before = graph.nodes, constants = [...graph.model.graph!.initializer];
  const error = assertThrows(() => gradient(graph, { of: "y", wrt: ["x"], ...options }), kind);
  assertEquals(graph.nodes, before);
  assertEquals(graph.model.graph!.initializer, constants);
  assertEquals(graph.outputs.map(({ name }) => name), ["y"]);
  return error;
}

/** The same, by the message of a RangeError. */
function assertRefused(
  graph: Graph,
  message: string,
  options: Partial<GradientOptions> = {},
): void {
  assertEquals(refusal(graph, RangeError, options).message, message);
}

for (const op of CONTROL_FLOW) {
  Deno.test(`a gradient through ${op} is rejected with node, position and remedy`, () => {
    const graph = graphOf((graph, x) => {
      const shifted = graph.make("Cos", [x], {}, "shifted");
      return addControlFlow(graph, op, shifted).output[0]!;
    });
    const error = refusal(graph, UnsupportedNodeError), node = `${op}_${op.toLowerCase()}`;
    assertEquals([error.op, error.node], [op, node]);
    const from = { If: "constant", Loop: "constant, constant_1, shifted", Scan: "shifted" }[op];
    assertEquals(
      error.message,
      "Cannot differentiate y by x: nodes on the path between the values must not have subgraphs (unroll control flow before the export); " +
        `got the ${op} "${node}" (node 2 of 3, made from ${from})`,
    );
  });

  Deno.test(`${op} beside the differentiated path is treated as a constant`, async () => {
    const graph = graphOf((graph, x) => {
      graph.addInput(valueInfo("other", "f32", [3]));
      const { output: [made] } = addControlFlow(graph, op, "other");
      return graph.make("Mul", [graph.make("Mul", [x, x]), made!]);
    });
    // Only the file knows how many axes it makes.
    graph.describe(valueInfo(`${op.toLowerCase()}`, "f32", [3]));
    gradient(graph, { of: "y", wrt: { x: "slope" } });
    const x = [0.5, 1.5, -2], other = [0.25, -1, 3];
    const { slope } = await runModel(graph.encode(), { x: f32(x, 3), other: f32(other, 3) });
    const of = {
      If: (v: number) => v,
      Loop: (v: number) => Math.sin(Math.sin(Math.sin(v))),
      Scan: Math.sin,
    };
    assert(worst(numbersOf(slope), x.map((x, i) => 2 * x * of[op](other[i]!))) < 1e-6);
  });
}

Deno.test("an operator without a rule is reported with its position and how to add a rule", () => {
  const graph = graphOf((graph, x) => {
    graph.add("Unheard", [graph.make("Sin", [x], {}, "wave")], { outputs: ["odd"] });
    return graph.make("Exp", ["odd"]);
  });
  const error = refusal(graph, UnsupportedNodeError);
  assertEquals([error.op, error.node], ["Unheard", "Unheard_odd"]);
  assertEquals(
    error.message,
    "Cannot differentiate y by x: every operator on the path between the values must have a rule (add one: " +
      'gradientRules.on(["Unheard", Number], () => rule), as the option rules); got the ' +
      'Unheard "Unheard_odd" (node 2 of 4, made from wave)',
  );
  assertInstanceOf(error.cause, NoOverloadError);
});

Deno.test("an operator of another domain is reported with the domain", () => {
  const graph = graphOf((graph, x) => {
    const node = graph.add("Sin", [x], { outputs: ["odd"] });
    node.domain = "com.example";
    node.name = "";
    return "odd";
  });
  const { message } = refusal(graph, UnsupportedNodeError);
  assert(message.includes('gradientRules.on(["com.example.Sin", Number]'), message);
  assert(message.endsWith('the com.example.Sin "odd" (node 1 of 2, made from x)'), message);
});

Deno.test("operators that need no gradient need no rule", () => {
  const graph = graphOf((graph, x) => {
    const odd = graph.make("Unheard", [x], {}, "odd");
    return graph.make("Add", [graph.make("Floor", [odd]), graph.make("Neg", [x])]);
  });
  graph.describe(valueInfo("odd", "f32", [3]));
  gradient(graph, { of: "y", wrt: { x: "slope" } });
  const x = { data: Float32Array.of(0.5, 1.5, -2) };
  assertEquals([...openEvaluator(graph).run({ x }, ["slope"])["slope"]!.data], [-1, -1, -1]);
});

/** Ways that end, and where. */
const ENDS: readonly (readonly [string, (graph: Graph, x: string) => string, string])[] = [
  ["Floor", (graph, x) => graph.make("Floor", [x]), '"Floor_floor" (node 1 of 2, made from x)'],
  [
    "ArgMax",
    (graph, x) => graph.make("Cast", [graph.make("ArgMax", [x], { keepdims: 1 })], { to: 1 }),
    '"ArgMax_argmax" (node 1 of 3, made from x)',
  ],
  [
    "Cast",
    (graph, x) => {
      const whole = graph.make("Cast", [graph.make("Sin", [x], {}, "wave")], { to: 7 });
      return graph.make("Cast", [whole], { to: 1 });
    },
    '"Cast_cast" (node 2 of 4, made from wave)',
  ],
  [
    "Greater",
    (graph, x) =>
      graph.make("Cast", [graph.make("Greater", [x, graph.constantOf("f32", 0)])], { to: 1 }),
    '"Greater_greater" (node 1 of 3, made from x, constant)',
  ],
];

for (const [op, write, place] of ENDS) {
  Deno.test(`a path that ends at ${op} is rejected with its end`, () => {
    assertRefused(
      graphOf(write),
      'Cannot differentiate y by x: it must depend on "x" through floats, but ' +
        `the paths from "x" end at the ${op} ${place} (or pass unused: "zeros")`,
    );
  });

  Deno.test(`a path that ends at ${op} gives zeros if requested`, () => {
    const graph = graphOf(write);
    gradient(graph, { of: "y", wrt: { x: "slope" }, unused: "zeros" });
    const x = { data: Float32Array.of(0.5, 1.5, -2) };
    const { slope } = openEvaluator(graph).run({ x }, ["slope"]);
    assertEquals(slope, { type: "f32", dims: [3], data: new Float64Array(3) });
  });
}

Deno.test("the error says if no path exists", () => {
  const graph = graphOf((graph) => {
    graph.addInput(valueInfo("other", "f32", [3]));
    return graph.make("Sin", ["other"]);
  });
  assertRefused(
    graph,
    'Cannot differentiate y by x: it must depend on "x" through floats, but ' +
      'no operator leads from "x" to it (or pass unused: "zeros")',
  );
});

/** y = Σ sin x */
const sines = () => graphOf((graph, x) => graph.make("Sin", [x], {}, "wave"));
const REFUSED = "Cannot differentiate a graph: ", OPTION = "Cannot differentiate a graph: ";

Deno.test("unknown names are rejected with the closest name", () => {
  const missing = `${REFUSED}values must exist in the graph; got `;
  assertRefused(sines(), `${missing}"wav"; did you mean wave?`, { wrt: ["wav"] });
  assertRefused(sines(), `${missing}"z"; did you mean x?`, { of: "z" });
  assertRefused(sines(), `${missing}"cotangents"`, { of: "wave", cotangent: "cotangents" });
});

Deno.test("names of gradients must be unused and unique", () => {
  const free = `${REFUSED}names of gradients must be unused and not empty; got `;
  assertRefused(sines(), `${free}"wave"`, { wrt: { x: "wave" } });
  assertRefused(sines(), `${free}"x"`, { wrt: { x: "x" } });
  assertRefused(sines(), `${free}""`, { wrt: { x: "" } });
  assertRefused(
    sines(),
    `${REFUSED}names of gradients must be different; got slope, slope`,
    { wrt: { x: "slope", wave: "slope" } },
  );
});

Deno.test("empty lists of names are rejected", () => {
  const named = `${REFUSED}\`of\` and \`wrt\` must each name at least one value; got an empty list`;
  assertRefused(sines(), named, { of: [] });
  assertRefused(sines(), named, { wrt: [] });
});

Deno.test("a value that is not one number per system is rejected with its shape and a remedy", () => {
  const { graph } = new GraphBuilder("systems");
  graph.addInput(valueInfo("x", "f32", ["B", 3]));
  graph.make("Sin", ["x"], {}, "y");
  graph.addOutput(valueInfo("y", "f32", ["B", 3]));
  assertRefused(
    graph,
    `${REFUSED}\`of\` must be one number, or one per system (sum it with ReduceSum, ` +
      'or pass a cotangent); got "y", made by "Sin_y", of shape [B, 3]',
  );
  for (const shape of [[], ["B"], ["B", 1]]) {
    const { graph } = new GraphBuilder("systems");
    graph.addInput(valueInfo("x", "f32", shape));
    graph.make("Sin", ["x"], {}, "y");
    graph.addOutput(valueInfo("y", "f32", shape));
    gradient(graph, { of: "y", wrt: ["x"] });
  }
});

Deno.test("integers cannot be differentiated", () => {
  const gathering = () =>
    graphOf((graph, x) => {
      graph.addInput(valueInfo("z", "i64", [2]));
      return graph.make("Gather", [x, "z"]);
    });
  const message = `${REFUSED}values must be floats; got "z" of i64`;
  assertRefused(gathering(), message, { wrt: ["x", "z"] });
  assertRefused(gathering(), message, { of: "z" });
});

Deno.test("a cotangent of another shape is rejected", () => {
  const message = `${REFUSED}a cotangent must have the shape of \`of\`; got `;
  const cases = [[[4], "[4]"], [[3, 1], "[3, 1]"], [[], "[]"], [[1], "[1]"]] as const;
  for (const [shape, shown] of cases) {
    const graph = sines();
    graph.addInput(valueInfo("v", "f32", shape));
    assertRefused(graph, `${message}${shown} for [3]`, { of: "wave", cotangent: "v" });
  }
  const graph = sines();
  graph.addInput(valueInfo("v", "f32", [3]));
  assertRefused(graph, `${REFUSED}with a cotangent, \`of\` must be one value; got wave, y`, {
    of: ["wave", "y"],
    cotangent: "v",
  });
  gradient(graph, { of: "wave", wrt: ["x"], cotangent: "v" });
});

Deno.test("a cotangent of another type is rejected", () => {
  const graph = sines();
  graph.addInput(valueInfo("v", "f64", [3]));
  assertRefused(
    graph,
    `${REFUSED}a cotangent must have the type of \`of\`; got f64 for f32`,
    { of: "wave", cotangent: "v" },
  );
});

Deno.test("a rule that does not return a list is reported with its node", () => {
  const forgotten = gradientRules.on(["Sin", Number], () => (() => undefined) as never);
  const graph = graphOf((graph, x) => graph.make("Sin", [x], {}, "wave"));
  assertEquals(
    refusal(graph, TypeError, { rules: forgotten }).message,
    'Cannot differentiate the Sin "Sin_wave": its rule must return a list of shares, one per input; ' +
      "got undefined",
  );
});

Deno.test("the gradient of a maximum along variable axes is rejected with its node", () => {
  const graph = graphOf((graph, x) => {
    graph.addInput(valueInfo("axes", "i64", [1]));
    return graph.make("ReduceMax", [x, "axes"], { keepdims: 1 }, "most");
  });
  assertRefused(
    graph,
    'Cannot differentiate the ReduceMax "ReduceMax_most": its axes must be constant; got "axes"',
  );
});

Deno.test("an unknown rank is reported with a remedy", () => {
  const unknown = () =>
    graphOf((graph, x) => {
      graph.addInput(valueInfo("any", "f32"));
      return graph.make("Mul", [x, "any"]);
    });
  assertRefused(
    unknown(),
    'Cannot differentiate: the rank of "mul" is unknown. Infer shapes with onnx.shape_inference before the ' +
      "export, or declare it by Graph.describe",
    { wrt: ["any"] },
  );
});

/** y by x of Σ sin x, with a custom rule for the sine. */
function withRule(rule: unknown): () => string {
  const rules = gradientRules.on(["Sin", Number], rule as never);
  return () => refusal(sines(), TypeError, { rules }).message;
}

Deno.test("unknown options are rejected with the closest name", () => {
  const message = (options: unknown) => refusal(sines(), TypeError, options as never).message;
  const known = `${OPTION}its options must be among of, wrt, cotangent, unused, rules; got `;
  assertEquals(message({ off: "y" }), `${known}"off"; did you mean of?`);
  assertEquals(message({ shapes: 1 }), `${known}"shapes"`);
});

Deno.test("missing options and options of a wrong type are rejected", () => {
  const message = (options: unknown) => refusal(sines(), TypeError, options as never).message;
  const of = `${OPTION}of must be a name or a list of names; got `;
  assertEquals(message({ of: undefined }), `${of}undefined`);
  assertEquals(message({ of: [1] }), `${of}[1]`);
  const wrt =
    `${OPTION}wrt must be a list of names, or an object from names to names of gradients; got `;
  assertEquals(message({ wrt: undefined }), `${wrt}undefined`);
  assertEquals(message({ wrt: "x" }), `${wrt}"x"`);
  assertEquals(message({ wrt: { x: 1 } }), `${wrt}an Object`);
  assertEquals(
    message({ cotangent: 1 }),
    `${OPTION}cotangent must be a name; got 1`,
  );
  assertEquals(
    message({ rules: {} }),
    `${OPTION}rules must be gradientRules, or rules that gradientRules.on returned; got an Object`,
  );
  assertThrows(() => gradient(sines(), undefined as never), TypeError, "must be an object");
  assertRefused(
    sines(),
    `${OPTION}unused must be "error" or "zeros"; got "zero"; did you mean zeros?`,
    { unused: "zero" as never },
  );
});

Deno.test("a row that is itself a rule is rejected with the correct form", () => {
  const message =
    'Cannot differentiate the Sin "Sin_wave": the entry of its operator must return a rule, which is a function of a step and a writer: ' +
    'gradientRules.on(["Sin", Number], () => (step, write) => [share]); got ';
  assertEquals(withRule(({ g }: { g: string }) => [g])(), `${message}a list`);
  assertEquals(withRule(() => undefined)(), `${message}undefined`);
  const throwing = ({ g }: { g: string }, write: { neg(x: string): string }) => [write.neg(g)];
  assertEquals(withRule(throwing)(), `${message}an error`);
});

Deno.test("a rule that returns invalid shares is reported with its node", () => {
  const node = 'Cannot differentiate the Sin "Sin_wave": ';
  assertEquals(
    withRule(() => ({ g }: { g: string }) => [g, g])(),
    `${node}its rule must not return more shares than it has inputs; got 2 for 1`,
  );
  const share =
    `${node}each share must be the name of a value, a function that writes one, an object with into or part, or undefined; ` +
    "got ";
  assertEquals(withRule(() => () => [1])(), `${share}1`);
  assertEquals(withRule(() => () => [{}])(), `${share}{}`);
  assertEquals(withRule(() => () => ["nowhere"])(), `${share}"nowhere"`);
});

Deno.test("a misspelled operator in a rule is reported if its shape is needed", () => {
  const rules = gradientRules.on(["Sin", Number], () => ({ a, g }, write) => [
    write.mul(g, write.neg(write.make("Tnah", [a]))),
  ]);
  assertRefused(
    sines(),
    'Cannot differentiate: the rank of "mul" is unknown, because the Tnah "Tnah_tnah" has an unknown operator. ' +
      "Infer shapes with onnx.shape_inference before the export, or declare it by Graph.describe",
    { rules },
  );
});

import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  decodeModel,
  Graph,
  GraphBuilder,
  makeTensorProto,
  openEvaluator,
  type PassOptions,
  PROCESSOR_PASSES,
  runPasses,
  showPasses,
  SIMPLIFYING_PASSES,
  type Value,
  WEBGPU_PASSES,
} from "../../../src/onnx/mod.ts";
import { numbersOf, runModel, worst } from "../ort.ts";
import { assertKeepsNumbers, passGraphs } from "./pass_graphs.ts";
import { slowTest, test } from "../../suite.ts";

/** The passes that leave numbers what they are but for rounding. */
const SIMPLE = [
  "foldConstants",
  "dropIdentities",
  "einsumToMatMul",
  "contractSmallFirst",
  "matMulToMul",
  "sigmoidFromParts",
  "multiplySmallFirst",
  "reduceLastAxis",
  "mergeEquals",
  "prune",
];

/** x² + x² + 2, in more nodes than that takes. */
function wordy(): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("wordy");
  const x = g.input("x", "f32", ["N"]);
  const square = () => g.op("Einsum", [x, x], "f32", { equation: "i,i->i" });
  const two = g.add(g.constant("f32", 1), 1);
  g.output("y", g.add(g.add(g.mul(square(), 1), square()), two));
  return g.build();
}

test("passes run in order, and report their changes", () => {
  const graph = new Graph(decodeModel(wordy()));
  const reports = runPasses(graph, SIMPLE);
  assertEquals(reports.map(({ name, changed, before, after }) => [name, changed, before, after]), [
    ["foldConstants", 1, 6, 5],
    ["dropIdentities", 1, 5, 4],
    ["einsumToMatMul", 2, 4, 4],
    ["contractSmallFirst", 0, 4, 4],
    ["matMulToMul", 0, 4, 4],
    ["sigmoidFromParts", 0, 4, 4],
    ["multiplySmallFirst", 0, 4, 4],
    ["reduceLastAxis", 0, 4, 4],
    ["mergeEquals", 1, 4, 3],
    ["prune", 0, 3, 3],
  ]);
  assertEquals(graph.sort().map(({ opType }) => opType), ["Mul", "Add", "Add"]);
  assertEquals(
    showPasses(reports).split("\n")[8],
    "mergeEquals 1 (4 → 3 nodes): merges equal nodes",
  );
});

test("custom passes keep their `this`, and an unknown name changes nothing", () => {
  const graph = new Graph(decodeModel(wordy()));
  const own = {
    name: "own",
    about: "counts",
    runs: 0,
    apply() {
      return ++this.runs;
    },
  };
  assertEquals(runPasses(graph, [own, own]).map(({ changed }) => changed), [1, 2]);
  assertThrows(
    () => runPasses(graph, ["prune", own, "Prune"]),
    RangeError,
    "its passes must be among foldConstants, dropIdentities, einsumToMatMul",
  );
  assertThrows(() => runPasses(graph, ["captursafe"]), RangeError, "; did you mean captureSafe?");
  assertEquals(own.runs, 2);
  const names = [...SIMPLIFYING_PASSES, ...PROCESSOR_PASSES, ...WEBGPU_PASSES].map(({ name }) =>
    name
  );
  assertEquals(new Set(names).size, names.length);
});

test("real models keep their values through all passes, and a second run changes nothing", () => {
  for (const each of passGraphs()) {
    const { graph } = assertKeepsNumbers(each, (graph) => runPasses(graph, SIMPLE).length, 1e-6);
    const again = runPasses(graph, SIMPLE);
    assertEquals(again.map(({ changed }) => changed), SIMPLE.map(() => 0), each.name);
  }
});

test("real models agree on onnxruntime before and after passes", async () => {
  for (const { name, bytes, tensors } of passGraphs()) {
    const graph = new Graph(decodeModel(bytes));
    runPasses(graph, SIMPLE);
    const [before, after] = [
      await runModel(bytes, tensors),
      await runModel(graph.encode(), tensors),
    ];
    for (const [output, tensor] of Object.entries(before)) {
      const off = worst(numbersOf(after[output]), numbersOf(tensor));
      assert(off < 2e-6, `${name}: ${output} is off by ${off}`);
    }
  }
});

test("passes do not use the current values of parameters", () => {
  const g = new GraphBuilder("layers");
  const x = g.input("x", "f32", ["N", 2]);
  const add = (name: string, shape: number[], value: number) => {
    const count = shape.reduce((product, length) => product * length, 1);
    g.graph.addConstant(makeTensorProto("f32", shape, Array(count).fill(value), name));
    return { name, type: "f32" as const };
  };
  const weight = add("weight", [2, 2], 1), [a, b] = [add("a", [2], 0), add("b", [2], 0)];
  const turned = g.op("Transpose", [weight], "f32", { perm: [1, 0] });
  const hidden = g.mul(g.add(g.op("MatMul", [x, turned], "f32"), a), add("scale", [2], 1));
  g.output("y", g.sub(g.op("Tanh", [hidden], "f32"), b));
  const bytes = g.build(), parameters = ["weight", "a", "b", "scale"];
  const left = (options: PassOptions) => {
    const graph = new Graph(decodeModel(bytes));
    runPasses(graph, SIMPLE, options);
    return graph.sort().map(({ opType, input }) => `${opType} ${input.at(-1)}`);
  };
  assertEquals(left({ parameters }), [
    "Transpose weight",
    "MatMul transpose",
    "Add a",
    "Mul scale",
    "Tanh mul",
    "Sub b",
  ]);
  assertEquals(left({}).length, 3);
});

/** A value whose shape the generator knows. */
interface Known {
  readonly value: Value<"f32">;
  readonly shape: readonly (number | "N")[];
}

/** One more value, by three numbers at random. */
function grow(g: GraphBuilder, known: Known[], [op, i, j]: [number, number, number]): Known {
  const { value: x, shape } = known[i % known.length]!;
  const alike = known.filter((each) => each.shape.join() === shape.join());
  const other = alike[j % alike.length]!.value;
  const number = g.constant("f32", [0, 1, -1, 2][j % 4]!);
  const rank = shape.length, axis = j % (rank + 1);
  const longer = [...shape.slice(0, axis), 1, ...shape.slice(axis)];
  const ones = shape.flatMap((length, at) => length === 1 ? [at] : []);
  const lengths = g.op("Shape", [x], "i64");
  const choices: readonly (() => Known)[] = [
    () => ({ value: g.op("Tanh", [x], "f32"), shape }),
    () => ({ value: g.add(x, number), shape }),
    () => ({ value: g.mul(x, number), shape }),
    () => ({ value: g.add(x, other), shape }),
    () => ({ value: g.mul(x, other), shape }),
    () => ({ value: g.op("Identity", [x], "f32"), shape }),
    () => ({ value: g.op("Cast", [x], "f32", { to: 1 }), shape }),
    () => ({ value: g.unsqueeze(x, [axis]), shape: longer }),
    () => {
      if (ones.length === 0) return { value: g.reshape(x, lengths), shape };
      const at = ones[j % ones.length]!;
      return { value: g.squeeze(x, [at]), shape: shape.filter((_, k) => k !== at) };
    },
    () => {
      const perm = shape.map((_, k) => (k + j) % rank);
      return { value: g.op("Transpose", [x], "f32", { perm }), shape: perm.map((k) => shape[k]!) };
    },
    () => ({ value: g.op("Expand", [x, lengths], "f32"), shape }),
    () => {
      const flat = g.reshape(x, g.constant("i64", [-1]));
      return { value: g.reshape(flat, lengths), shape };
    },
    () => ({ value: g.sub(x, g.mul(number, number)), shape }),
    () => ({ value: g.div(x, g.op("Exp", [number], "f32")), shape }),
  ];
  return choices[op % choices.length]!();
}

test("random graphs keep their values through every pass", () => {
  const steps = fc.array(fc.tuple(fc.nat(100), fc.nat(100), fc.nat(100)), {
    minLength: 3,
    maxLength: 24,
  });
  const order = fc.shuffledSubarray([...SIMPLE, ...SIMPLE]);
  fc.assert(
    fc.property(steps, order, fc.integer({ min: 0, max: 3 }), (steps, order, n) => {
      const g = new GraphBuilder("random");
      const known: Known[] = [
        { value: g.input("x", "f32", ["N", 1, 3]), shape: ["N", 1, 3] },
        { value: g.constant("f32", [1, -2, 0.5], [1, 1, 3]), shape: [1, 1, 3] },
        { value: g.op("Neg", [g.constant("f32", [1, 0, 3], [1, 1, 3])], "f32"), shape: [1, 1, 3] },
      ];
      for (const step of steps) known.push(grow(g, known, step));
      for (const [i, { value }] of known.slice(-2).entries()) g.output(`y${i}`, value);
      const bytes = g.build();
      const data = Float32Array.from({ length: 3 * n }, (_, i) => Math.sin(i + 1));
      const feeds = { x: { data, dims: [n, 1, 3] } };
      const graph = new Graph(decodeModel(bytes));
      runPasses(graph, order);
      const before = openEvaluator(bytes).run(feeds);
      const after = openEvaluator(graph.encode()).run(feeds);
      for (const [name, { dims, data }] of Object.entries(before)) {
        assertEquals(after[name]!.dims, dims);
        const off = worst(after[name]!.data, data);
        assert(off < 1e-5, `${name} is off by ${off}`);
      }
    }),
    { numRuns: 500, seed: 6 },
  );
});

slowTest(
  "passes that share what is inferred make the same graph as passes that run one by one",
  () => {
    const passes = [...SIMPLIFYING_PASSES, ...PROCESSOR_PASSES];
    for (const { name, bytes } of passGraphs()) {
      const [together, alone] = [new Graph(decodeModel(bytes)), new Graph(decodeModel(bytes))];
      const reports = runPasses(together, passes);
      assertEquals(reports, passes.flatMap((pass) => runPasses(alone, [pass])), name);
      assertEquals(together.encode(), alone.encode(), name);
    }
  },
);

test("a custom pass may change shapes, and later passes see the new ones", () => {
  const g = new GraphBuilder("expanded");
  const x = g.input("x", "f32", [4]),
    first = g.op("Slice", [x, ...[0, 1].map((n) => at(n))], "f32");
  g.output("y", g.op("Neg", [g.op("Expand", [first, at(4)], "f32")], "f32"));
  function at(value: number) {
    return g.constant("i64", [value]);
  }
  const graph = new Graph(decodeModel(g.build()));
  const whole = {
    name: "whole",
    about: "replaces the first number by all",
    apply(graph: Graph): number {
      const slice = graph.nodes.find(({ opType }) => opType === "Slice")!;
      graph.replaceNode(slice, graph.add("Abs", ["x"]));
      return 1;
    },
  };
  const reports = runPasses(graph, ["dropIdentities", whole, "dropIdentities"]);
  assertEquals(reports.map(({ changed }) => changed), [0, 1, 1]);
  assertEquals(graph.sort().map(({ opType }) => opType), ["Abs", "Neg"]);
});

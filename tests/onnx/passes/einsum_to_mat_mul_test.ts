import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  decodeModel,
  einsumToMatMul,
  Graph,
  GraphBuilder,
  openEvaluator,
} from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";
import { plainFeeds } from "../plain_feeds.ts";

/** Label → length. */
type Lengths = Readonly<Record<string, number>>;

interface Case {
  readonly terms: readonly string[];
  readonly output: string | undefined;
  readonly lengths: Lengths;
  /** Returns true if the file gives the length of the axis. */
  readonly isKnown: (label: string) => boolean;
}

function build({ terms, output, lengths, isKnown }: Case): Uint8Array<ArrayBuffer> {
  const g = new GraphBuilder("einsum");
  const inputs = terms.map((term, i) =>
    g.input(`x${i}`, "f32", [...term].map((label) => isKnown(label) ? lengths[label] : label))
  );
  const equation = terms.join(",") + (output === undefined ? "" : `->${output}`);
  g.output("y", g.op("Einsum", inputs, "f32", { equation }));
  return g.build();
}

function feedsOf({ terms, lengths }: Case) {
  return Object.fromEntries(terms.map((term, i) => {
    const dims = [...term].map((label) => lengths[label]!);
    const count = dims.reduce((product, length) => product * length, 1);
    const values = Array.from({ length: count }, (_, k) => Math.sin(3 * k + 5 * i + 1));
    return [`x${i}`, f32(values, ...dims)];
  }));
}

async function assertSame(each: Case): Promise<string[]> {
  const graph = new Graph(decodeModel(build(each)));
  assertEquals(einsumToMatMul(graph), 1);
  const feeds = feedsOf(each);
  const [before, after] = [
    await runModel(build(each), feeds),
    await runModel(graph.encode(), feeds),
  ];
  assertEquals(after.y!.dims, before.y!.dims);
  const off = worst(numbersOf(after.y), numbersOf(before.y));
  assert(off < 1e-5, `${each.terms}->${each.output} is off by ${off}`);
  return graph.nodes.map(({ opType }) => opType);
}

const LENGTHS: Lengths = { b: 2, c: 3, i: 4, j: 5, k: 3, l: 2, m: 1 };

for (
  const [equation, ops] of [
    ["ij,jk->ik", "MatMul"],
    ["ij,jk->ki", "Transpose Transpose MatMul"],
    ["ij,kj->ik", "Transpose MatMul"],
    ["bij,bjk->bik", "MatMul"],
    ["cbij,jk->cbik", "MatMul"],
    ["ij,j->i", "Unsqueeze MatMul Squeeze"],
    ["j,jk->k", "MatMul"],
    ["jk,j->k", "Transpose Unsqueeze MatMul Squeeze"],
    ["bij,bj->bi", "Unsqueeze MatMul Squeeze"],
    ["i,j->ij", "Unsqueeze Mul"],
    ["bi,bi->b", "Mul ReduceSum"],
    ["i,i->", "Mul ReduceSum"],
    ["ij->ji", "Transpose"],
    ["ij->j", "ReduceSum"],
    ["ij->", "ReduceSum"],
    ["ij->ij", "Identity"],
    ["ji", "Transpose"],
    ["ij,jk", "MatMul"],
    ["bijk,bjkl->bil", "Reshape Reshape MatMul"],
    ["bij,bjkl->bikl", "Reshape MatMul Reshape"],
    ["bcij,bcjkl->bcikl", "Reshape MatMul Reshape"],
    ["bi,bj,bk->bijk", "Unsqueeze Unsqueeze Mul Unsqueeze Unsqueeze Mul"],
    ["ijc,jk,l->ikl", "ReduceSum MatMul Unsqueeze Mul"],
  ] as const
) {
  Deno.test(`${equation} is ${ops}`, async () => {
    const [left = "", output] = equation.split("->");
    for (const isKnown of [() => true, () => false]) {
      const each = { terms: left.split(","), output, lengths: LENGTHS, isKnown };
      const made = await assertSame(each);
      if (isKnown()) assertEquals(made.join(" "), ops);
    }
  });
}

Deno.test("random equations keep their values for known and unknown lengths", () => {
  const letters = [..."bcijkl"];
  const labels = fc.shuffledSubarray(letters, { maxLength: 4 });
  const cases = fc.record({
    terms: fc.array(labels.map((list) => list.join("")), { minLength: 1, maxLength: 3 }),
    order: fc.shuffledSubarray(letters),
    known: fc.subarray(letters),
    lengths: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 6, maxLength: 6 }),
  });
  fc.assert(
    fc.property(cases, ({ terms, order, known, lengths: list }) => {
      const output = order.filter((label) => terms.some((term) => term.includes(label))).join("");
      const lengths = Object.fromEntries(letters.map((letter, i) => [letter, list[i]!]));
      const each = { terms, output, lengths, isKnown: (label: string) => known.includes(label) };
      const feeds = plainFeeds(feedsOf(each)), bytes = build(each);
      const graph = new Graph(decodeModel(bytes));
      assertEquals(einsumToMatMul(graph), 1);
      const before = openEvaluator(bytes).run(feeds).y!, after = openEvaluator(graph).run(feeds).y!;
      assertEquals(after.dims, before.dims);
      const off = worst(after.data, before.data);
      assert(off < 1e-12, `${terms}->${output} is off by ${off}`);
    }),
    { numRuns: 400, seed: 6 },
  );
});

Deno.test("undeclared lengths of 0 work in the runtime", async () => {
  for (const equation of ["bijk,bjkl->bil", "bij,bjkl->bikl", "ijk,lkj->il", "bijk,bl->bijkl"]) {
    const [left = "", output] = equation.split("->");
    const graph = new Graph(decodeModel(build({
      terms: left.split(","),
      output,
      lengths: LENGTHS,
      isKnown: () => false,
    })));
    assertEquals(einsumToMatMul(graph), 1);
    for (const empty of ["b", "i", "j", "l"]) {
      const lengths = { ...LENGTHS, [empty]: 0 };
      const each = { terms: left.split(","), output, lengths, isKnown: () => false };
      const { y } = await runModel(graph.encode(), feedsOf(each));
      assertEquals(y!.dims, [...output!].map((label) => lengths[label as "b"]!));
      assert(numbersOf(y).every((value) => value === 0 || empty !== "j"));
    }
  }
});

Deno.test("ellipses are supported; diagonals and sums over broadcast lengths are kept", () => {
  const g = new GraphBuilder("ellipsis");
  const x = g.input("x", "f32", ["B", 2, 3]), w = g.input("w", "f32", [3, 4]);
  const square = g.input("square", "f32", [3, 3]), one = g.input("one", "f32", [1]);
  const unknown = g.op("Reshape", [x, g.input("shape", "i64", ["R"])], "f32");
  const einsum = (equation: string, ...inputs: (typeof x)[]) =>
    g.op("Einsum", inputs, "f32", { equation });
  g.output("y", einsum("...k, kn -> ...n", x, w));
  g.output("z", einsum("...k,kn", x, w));
  g.output("t", einsum("i...->...i", x));
  const stack = g.input("stack", "f32", [4, 1, 3, 2]);
  g.output("stacks", einsum("...ij,...jk->k...i", stack, x));
  g.output("trace", einsum("ii->", square));
  g.output("stretched", einsum("i,ij->j", one, square));
  // What is 1 is repeated along the other, however long that turns out to be.
  g.output("repeated", einsum("i,ij->j", one, g.input("rows", "f32", ["N", 2])));
  g.output("any", einsum("...k->...", unknown));
  g.output("wrong", einsum("ij->i", x));
  const bytes = g.build();
  const graph = new Graph(decodeModel(bytes));
  assertEquals(einsumToMatMul(graph), 4);
  assertEquals(["y", "z", "t"].map((name) => graph.producer(name)?.opType), [
    "MatMul",
    "MatMul",
    "Transpose",
  ]);
  const feeds = plainFeeds({
    x: f32(Array.from({ length: 24 }, (_, i) => i), 4, 2, 3),
    w: f32(Array.from({ length: 12 }, (_, i) => i - 5), 3, 4),
    stack: f32(Array.from({ length: 24 }, (_, i) => (5 * i) % 7), 4, 1, 3, 2),
  });
  const wanted = ["y", "z", "t", "stacks"];
  assertEquals(openEvaluator(graph).run(feeds, wanted), openEvaluator(bytes).run(feeds, wanted));
});

Deno.test("a vector is never the right operand of a transposed matrix, where onnxruntime is wrong", async () => {
  const g = new GraphBuilder("trap");
  const a = g.input("a", "f32", ["I", "J"]), v = g.input("v", "f32", ["I"]);
  const transposed = g.op("Transpose", [a], "f32", { perm: [1, 0] });
  g.output("y", g.op("Einsum", [transposed, v], "f32", { equation: "ji,i->j" }));
  const graph = new Graph(decodeModel(g.build()));
  assertEquals(einsumToMatMul(graph), 1);
  const feeds = { a: f32([1, 2, 3, 4], 2, 2), v: f32([1, 2], 2) };
  assertEquals(numbersOf((await runModel(graph.encode(), feeds)).y), [7, 10]);
});

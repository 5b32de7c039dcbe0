import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { decodeModel, einsumToMatMul, Graph, GraphBuilder } from "../../../src/onnx/mod.ts";
import { f32, numbersOf, runModel, worst } from "../ort.ts";

/** Label → length. */
type Lengths = Readonly<Record<string, number>>;

interface Case {
  readonly terms: readonly string[];
  readonly output: string | undefined;
  readonly lengths: Lengths;
  /** Which lengths the file says. */
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

Deno.test("equations at random keep their numbers, whatever of the lengths is known", async () => {
  const labels = fc.shuffledSubarray([..."bcijkl"], { maxLength: 4 });
  const cases = fc.record({
    terms: fc.array(labels.map((list) => list.join("")), { minLength: 1, maxLength: 3 }),
    order: fc.shuffledSubarray([..."bcijkl"]),
    known: fc.subarray([..."bcijkl"]),
    lengths: fc.record(
      Object.fromEntries([..."bcijkl"].map((l) => [l, fc.integer({ min: 0, max: 3 })])),
    ),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ terms, order, known, lengths }) => {
      const output = order.filter((label) => terms.some((term) => term.includes(label))).join("");
      await assertSame({
        terms,
        output,
        lengths: lengths as Lengths,
        isKnown: (l) => known.includes(l),
      });
    }),
    { numRuns: 60, seed: 6 },
  );
});

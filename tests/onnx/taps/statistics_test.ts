import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type ElementType,
  expose,
  type FeedsByInput,
  type GraphBuilder,
  points,
  type StatisticName,
  statistics,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { COLUMNS, isClose, PLAIN, plainHistogram } from "./plain_statistics.ts";
import { f32, graphOf, mlp, noise, run } from "./run.ts";
import { lacks } from "../../machine.ts";

const ALL: readonly StatisticName[] = [...COLUMNS, "histogram"];

/** y = −x of a type, and statistics of x: what they are called and what they are. */
async function summary(
  type: ElementType,
  fed: FeedsByInput[string],
  { shape = ["N"], bins = 4 }: { shape?: readonly (string | number)[]; bins?: number } = {},
): Promise<{ columns: Record<string, number>; counts: number[]; edges: readonly number[] }> {
  const graph = graphOf((g: GraphBuilder) => {
    const x = g.input("x", type, shape);
    g.output("y", g.op("Cast", [x], "f32", { to: 1 }), shape);
  });
  const [found] = statistics(graph, "x", { of: ALL, histogram: { bins, range: [-1, 1] } });
  const outputs = await run(graph, { x: fed });
  const numbers = outputs[found!.output!]!;
  assertEquals(numbers.length, found!.columns.length);
  return {
    columns: Object.fromEntries(found!.columns.map((column, i) => [column, numbers[i]!])),
    counts: outputs[found!.histogram!]!,
    edges: found!.edges,
  };
}

async function assertPlain(type: ElementType, fed: FeedsByInput[string]): Promise<void> {
  const shape = fed.dims!.map((length, i) => i === 0 ? "N" : length);
  const { columns, counts, edges } = await summary(type, fed, { shape });
  const numbers = Array.from(fed.data as Float32Array, Number);
  for (const column of COLUMNS) {
    const [actual, expected] = [columns[column]!, PLAIN[column](numbers)];
    assert(isClose(actual, expected), `${column} is ${actual}, not ${expected}`);
  }
  assertEquals(counts, plainHistogram(numbers, edges));
}

Deno.test("statistics of 1, 2, 3 and 6 have known values", async () => {
  const { columns, counts, edges } = await summary("f32", f32([1, 2, 3, 6], 4));
  const norm = Math.fround(Math.sqrt(50)), std = Math.fround(Math.sqrt(3.5));
  assertEquals(columns, { mean: 3, std, min: 1, max: 6, norm, nonFinite: 0 });
  assertEquals([counts, edges], [[0, 0, 0, 4], [-1, -0.5, 0, 0.5, 1]]);
});

Deno.test("statistics of a tensor of any rank are those of its elements", async () => {
  await assertPlain("f32", f32(noise(1)));
  await assertPlain("f32", f32(noise(1), 1));
  await assertPlain("f32", f32(noise(1000, 3).map((value) => 2 * value), 1000));
  await assertPlain("f32", f32(noise(24, 2), 2, 3, 4));
  await assertPlain("f32", f32(noise(3000, 9), 5, 600));
});

Deno.test("integers, booleans and float64 have statistics", async () => {
  const whole = [-3, 0, 1, 1, 7];
  const wide = BigInt64Array.from(whole, BigInt), narrow = Int32Array.from(whole);
  await assertPlain("i64", { data: wide, dims: [5] });
  await assertPlain("i32", { data: narrow, dims: [5] });
  await assertPlain("bool", { data: Uint8Array.of(1, 0, 1, 1), dims: [4] });
  const data = Float64Array.of(1 + 1e-12, 1, 1 - 1e-12);
  const { columns } = await summary("f64", { data, dims: [3] });
  assert(columns["max"] === 1 + 1e-12 && columns["min"] === 1 - 1e-12);
  assert(isClose(columns["std"]! * 1e12, PLAIN.std([...data]) * 1e12, 1e-3));
});

Deno.test("NaN affects all statistics, infinities only some", async () => {
  await assertPlain("f32", f32([1, NaN, -2, Infinity], 4));
  await assertPlain("f32", f32([NaN, 1], 2));
  await assertPlain("f32", f32([-0.6, -Infinity, 0.1], 3));
  await assertPlain("f32", f32([Infinity, -Infinity, 0.3, 3e38], 4));
  const { columns } = await summary("f32", f32([NaN, -Infinity, 3, Infinity, NaN], 5));
  assertEquals([columns["nonFinite"], columns["min"], columns["mean"]], [4, NaN, NaN]);
});

Deno.test("empty tensors of known and unknown length have statistics", async () => {
  const nothing = { mean: NaN, std: NaN, min: Infinity, max: -Infinity, norm: 0, nonFinite: 0 };
  for (const shape of [["N", 3], [0, 3], ["N", "M"]]) {
    const { columns, counts } = await summary("f32", f32([], 0, 3), { shape });
    assertEquals([columns, counts], [nothing, [0, 0, 0, 0]]);
  }
});

Deno.test("a small deviation beside a large mean is accurate: 10000 ± 0.01", async () => {
  const x = Float32Array.from(noise(10_000, 4), (value) => 1e4 + 0.02 * value);
  const { columns } = await summary("f32", f32(x, x.length));
  const expected = PLAIN.std([...x]);
  assert(isClose(columns["std"]! / expected, 1, 1e-4), `${columns["std"]}, not ${expected}`);
  const { columns: same } = await summary("f32", f32(new Float32Array(999).fill(0.1), 999));
  assert(same["std"]! < 1e-8, `${same["std"]}`);
});

Deno.test("a histogram counts edges in the upper bin, and outliers in the outer bins", async () => {
  const x = [-1, -0.5, 0, 0.5, 1, -100, 100, Infinity, -Infinity, NaN, -0, 0.49, 3e38];
  const { counts } = await summary("f32", f32(x, x.length));
  assertEquals(counts, [3, 1, 3, 5]);
  const { counts: [all] } = await summary("f32", f32(x, x.length), { bins: 1 });
  assertEquals(all, 12);
});

Deno.test("columns have the requested order, also a single one", async () => {
  const graph = graphOf((g) => {
    g.output("y", g.op("Neg", [g.input("x", "f32", ["N"])], "f32"), ["N"]);
  });
  const [both] = statistics(graph, "y", { of: ["max", "mean"] });
  const [one] = statistics(graph, "y", { of: ["norm"] });
  const [counts] = statistics(graph, "y", {
    of: ["histogram"],
    histogram: { bins: 2, range: [-9, 9] },
  });
  assertEquals([both!.columns, both!.histogram, both!.edges], [["max", "mean"], undefined, []]);
  assertEquals([counts!.columns, counts!.output], [[], undefined]);
  assertEquals([graph.type(both!.output!), graph.shape(both!.output!)], ["f32", [2]]);
  assertEquals(await run(graph, { x: f32([3, -4], 2) }), {
    y: [-3, 4],
    [both!.output!]: [4, 0.5],
    [one!.output!]: [5],
    [counts!.histogram!]: [1, 1],
  });
});

Deno.test({
  name: "statistics of all tensors of a network agree with those of exposed tensors",
  ignore: lacks("models"),
  fn: async () => {
    const { graph, feeds } = mlp();
    const plain = await run(graph, feeds);
    const names = expose(graph, "*");
    const settings = { bins: 8, range: [-1, 1] } as const;
    const found = statistics(graph, "*", { of: ALL, histogram: settings });
    assertEquals(found.length, points(graph).length);
    const outputs = await run(graph, feeds);
    assertEquals(outputs["energy"], plain["energy"]);
    for (const { tensor, output, columns, histogram } of found) {
      const numbers = outputs[names[tensor]!]!;
      for (const [i, column] of columns.entries()) {
        const [actual, expected] = [outputs[output!]![i]!, PLAIN[column](numbers)];
        assert(isClose(actual, expected, 1e-5), `${column} of ${tensor}: ${actual}, ${expected}`);
      }
      const counted = outputs[histogram!]!.reduce((sum, count) => sum + count);
      assertEquals(counted, numbers.length, tensor);
    }
    const activations = found.find(({ tensor }) => tensor === "tanh")!;
    const expected = plainHistogram(outputs["tanh"]!, activations.edges);
    assertEquals(outputs[activations.histogram!], expected);
    // Weights are fixed, and their statistics are what training will watch.
    const weights = found.find(({ tensor }) => tensor === "net.0.weight")!;
    assert(outputs[weights.output!]![columnOf("norm")]! > 1);
  },
});

function columnOf(name: (typeof COLUMNS)[number]): number {
  return COLUMNS.indexOf(name);
}

Deno.test("invalid statistics and tensors are rejected, and the graph does not change", () => {
  const refused = (of: readonly string[], histogram: unknown, words: string) => {
    const graph = graphOf((g) => {
      g.output("y", g.op("Neg", [g.input("x", "f32", ["N"])], "f32"), ["N"]);
    });
    const before = graph.encode();
    const options = { of, histogram } as Parameters<typeof statistics>[2];
    const error = assertThrows(() => statistics(graph, "*", options), RangeError);
    assert(error.message.includes(words), error.message);
    assertEquals(graph.encode(), before);
  };
  refused([], undefined, "got []");
  refused(["mean", "median"], undefined, "got [mean, median]");
  refused(["mean", "mean"], undefined, "a non-empty list without repetitions");
  refused(["histogram"], undefined, "the option histogram must be { bins, range }; got undefined");
  refused(["histogram"], { bins: 0, range: [0, 1] }, "from 1 to 65536; got 0");
  for (const range of [[1, 1], [1, 0], [0, Infinity], [NaN, 1], [-3e38, 3e38], [1, 1 + 1e-12]]) {
    refused(["histogram"], { bins: 4, range }, `got [${range.join(", ")}]`);
  }
  const words = graphOf((g) => {
    g.output("y", g.op("Identity", [g.input("x", "string", ["N"])], "string"), ["N"]);
  });
  assertThrows(() => statistics(words, "x"), TypeError, 'elements of "x" must be real numbers');
  assertThrows(() => statistics(words, "z?"), RangeError, "Cannot compute statistics: no tensor");
  words.addInput(valueInfo("idle", "f32", []));
  assertEquals(statistics(words, "idle")[0]?.columns, ["mean", "std", "min", "max"]);
});

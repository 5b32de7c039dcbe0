/** Slopes that are infinite where the value is finite: the gradient is 0 there, and does not change at other points. */
import { assert, assertEquals } from "@std/assert";
import {
  clipCosines,
  dataOf,
  decodeModel,
  evaluatorSession,
  gradient,
  Graph,
  GraphBuilder,
  type HostFeed,
  openSession,
  type Value,
} from "../../../src/onnx/mod.ts";

type Body = (builder: GraphBuilder, x: Value<"f32">) => Value<"f32">;

/** f of each element, its slope, and the slope of that. */
function curve(
  body: Body,
  dims: readonly (string | number)[] = ["N"],
  prepare: (graph: Graph) => void = () => {},
): Uint8Array {
  const builder = new GraphBuilder("curve");
  const x = builder.input("x", "f32", dims);
  const y = body(builder, x);
  builder.output("y", y);
  builder.output("sum", builder.op("ReduceSum", [y], "f32", { keepdims: 0 }));
  const graph = new Graph(decodeModel(builder.build()));
  prepare(graph);
  gradient(graph, { of: "sum", wrt: { x: "slope" } });
  graph.make("ReduceSum", ["slope"], { keepdims: 0 }, "slopes");
  gradient(graph, { of: "slopes", wrt: { x: "bend" } });
  return graph.encode();
}

async function evaluate(bytes: Uint8Array, x: HostFeed): Promise<Record<string, number[]>> {
  await using session = evaluatorSession(bytes);
  const outputs = await session.run({ x });
  return Object.fromEntries(
    ["y", "slope", "bend"].map((name) => [name, [...dataOf(outputs, name, "float64")]]),
  );
}

const unary = (op: string): Body => (builder, x) => builder.op(op, [x], "f32");
const power = (p: number): Body => (builder, x) =>
  builder.op("Pow", [x, builder.constant("f32", p)], "f32");

/** A function with an edge, the way into its domain, and its slope in closed form. */
interface Edge {
  readonly body: Body;
  readonly edge: number;
  readonly inward: 1 | -1;
  readonly slope: (x: number) => number;
}

const EDGES: Readonly<Record<string, Edge>> = {
  "√x": { body: unary("Sqrt"), edge: 0, inward: 1, slope: (x) => 0.5 / Math.sqrt(x) },
  "x^0.5": { body: power(0.5), edge: 0, inward: 1, slope: (x) => 0.5 / x ** 0.5 },
  "x^0.25": { body: power(0.25), edge: 0, inward: 1, slope: (x) => x ** (0.25 - 1) * 0.25 },
  "x^1.5": { body: power(1.5), edge: 0, inward: 1, slope: (x) => x ** 0.5 * 1.5 },
  "acos x at 1": {
    body: unary("Acos"),
    edge: 1,
    inward: -1,
    slope: (x) => -(1 / Math.sqrt(1 - x * x)),
  },
  "acos x at −1": {
    body: unary("Acos"),
    edge: -1,
    inward: 1,
    slope: (x) => -(1 / Math.sqrt(1 - x * x)),
  },
  "asin x": { body: unary("Asin"), edge: 1, inward: -1, slope: (x) => 1 / Math.sqrt(1 - x * x) },
  "acosh x": { body: unary("Acosh"), edge: 1, inward: 1, slope: (x) => 1 / Math.sqrt(x * x - 1) },
};

for (const [name, { body, edge, inward, slope }] of Object.entries(EDGES)) {
  Deno.test(`derivatives of ${name} are 0 at its edge, and bitwise unchanged inside`, async () => {
    const distances = [0, 1e-6, 1e-3, 0.3], h = 1e-3;
    const x = distances.map((distance) => edge + inward * distance);
    const bytes = curve(body);
    const at = (x: number[]) => evaluate(bytes, { data: Float64Array.from(x) });
    const found = await at(x);
    assertEquals([found["slope"]![0], found["bend"]![0]], [0, 0]);
    assertEquals(found["slope"]!.slice(1), x.slice(1).map(slope));
    const [up, down] = await Promise.all(
      [h, -h].map((step) => at(x.map((at, i) => at + step * distances[i]!))),
    );
    for (let i = 1; i < x.length; i++) {
      for (const [value, derivative] of [["y", "slope"], ["slope", "bend"]] as const) {
        const difference = (up![value]![i]! - down![value]![i]!) / (2 * h * distances[i]!);
        const given = found[derivative]![i]!;
        assert(Math.abs(given - difference) < 1e-5 * Math.abs(given), `${derivative} at ${x[i]}`);
      }
    }
  });
}

Deno.test("a cosine rounded beyond 1 has the angle of 1, and other angles do not change", async () => {
  const body: Body = (builder, x) => {
    const angles = [builder.op("Acos", [x], "f32"), builder.op("Asin", [x], "f32")] as const;
    return builder.add(angles[0], builder.mul(angles[1], 2));
  };
  const clipped = curve(body, ["N"], (graph) => {
    assertEquals([clipCosines(graph), clipCosines(graph)], [2, 0]);
  });
  const x = [1 + 2 ** -22, -1 - 2 ** -22, 1 - 2 ** -30, 1.001, -2, 0.3];
  const { y, slope, bend } = await evaluate(clipped, { data: Float64Array.from(x) });
  const before = await evaluate(curve(body), { data: Float64Array.from(x) });
  assertEquals(y!.slice(0, 2), [Math.PI, 0]);
  assertEquals([slope!.slice(0, 2), bend!.slice(0, 2)], [[0, 0], [0, 0]]);
  assertEquals([y!.slice(2), slope!.slice(2)], [before["y"]!.slice(2), before["slope"]!.slice(2)]);
});

Deno.test("gradients outside of the domain stay NaN", async () => {
  for (const [op, x] of [["Sqrt", -1], ["Acos", 1.5], ["Asin", -2]] as const) {
    const { y, slope } = await evaluate(curve(unary(op)), { data: Float64Array.of(x) });
    assertEquals([y, slope], [[NaN], [NaN]], op);
  }
});

Deno.test("the gradient of a variable power below 1 is 0 at 0", async () => {
  const bytes = curve((builder, x) => {
    const exponents = builder.constant("f32", [0, 0.5, 1, 2], [4]);
    return builder.op("Pow", [x, exponents], "f32");
  }, ["N", 1]);
  const { slope } = await evaluate(bytes, { data: Float64Array.of(0, 4), dims: [2, 1] });
  assertEquals(slope, [1, 0.25 + 1 + 8]);
});

/** Slopes of Σ x^p by x and by p, where p is an input, and by x where each p is a number in the graph. */
async function slopesOfPowers(x: readonly number[], p: readonly number[]) {
  const builder = new GraphBuilder("powers"), dims = [x.length];
  const [base, exponent] = ["x", "p"].map((name) => builder.input(name, "f64", dims));
  const sum = (name: string, y: Value<"f64">) =>
    builder.output(name, builder.op("ReduceSum", [y], "f64", { keepdims: 0 }));
  sum("sum", builder.op("Pow", [base!, exponent!], "f64"));
  const byNumber = p.map((each, i) => {
    const one = builder.gather(base!, builder.constant("i64", [i], [1]), 0);
    return builder.op("Pow", [one, builder.constant("f64", each)], "f64");
  });
  sum("fixed", builder.op("Concat", byNumber, "f64", { axis: 0 }));
  const graph = new Graph(decodeModel(builder.build()));
  gradient(graph, { of: "sum", wrt: { x: "byBase", p: "byExponent" } });
  gradient(graph, { of: "fixed", wrt: { x: "byNumber" } });
  await using session = evaluatorSession(graph.encode());
  const feed = (data: readonly number[]) => ({ data: Float64Array.from(data), dims });
  const outputs = await session.run({ x: feed(x), p: feed(p) });
  const of = (name: string) => [...dataOf(outputs, name, "float64")];
  return { byBase: of("byBase"), byNumber: of("byNumber"), byExponent: of("byExponent") };
}

Deno.test("at 0 a power has the slope 0 if only the slope is infinite, and else its limit, for any kind of exponent", async () => {
  // The slope p xᵖ⁻¹ at x = 0, as PyTorch's, except for 0 < p < 1, where Hooke takes 0 for infinity.
  const expected: readonly (readonly [p: number, slope: number])[] = [
    [-2, -Infinity],
    [-1, -Infinity],
    [-0.5, -Infinity],
    [0, 0],
    [0.25, 0],
    [0.5, 0],
    [1, 1],
    [1.5, 0],
    [2, 0],
  ];
  const exponents = expected.map(([p]) => p), slopes = expected.map(([, slope]) => slope);
  const { byBase, byNumber, byExponent } = await slopesOfPowers(exponents.map(() => 0), exponents);
  assertEquals(byBase, slopes);
  assertEquals(byNumber, slopes);
  // By the exponent, xᵖ log x tends to −∞ if p < 0, and to 0 if p > 0. At p = 0, 0 is taken.
  assertEquals(byExponent, exponents.map((p) => p < 0 ? -Infinity : 0));
  // The limits: differences from x = h grow without bound, and have the sign of the slope.
  const near = await slopesOfPowers(exponents.map(() => 1e-200), exponents);
  for (const [i, [p]] of expected.entries()) if (p < 0) assert(near.byBase[i]! < -1e99, `${p}`);
});

Deno.test("the slope of a root is 0 where it is 0, whatever seems to keep it away from 0", async () => {
  const positive = (builder: GraphBuilder) => builder.constant("f32", 1);
  const bodies: Readonly<Record<string, readonly [at: number, Body]>> = {
    "√(1 + −x²)": [1, (builder, x) => {
      const below = builder.op("Neg", [builder.mul(x, x)], "f32");
      return builder.op("Sqrt", [builder.op("Add", [below, positive(builder)], "f32")], "f32");
    }],
    "√(x + 1)": [-1, (builder, x) => builder.op("Sqrt", [builder.add(x, 1)], "f32")],
    "√exp x, which underflows": [
      -800,
      (builder, x) => builder.op("Sqrt", [builder.op("Exp", [x], "f32")], "f32"),
    ],
    "√(x or 1)": [0, (builder, x) => {
      const isLarge = builder.op("Greater", [x, builder.constant("f32", 5)], "bool");
      return builder.op("Sqrt", [builder.where(isLarge, 1, builder.mul(x, x))], "f32");
    }],
    "√(x² · 1e-300²), which underflows": [1e-50, (builder, x) => {
      const small = builder.mul(builder.add(builder.mul(x, x), 1e-30), 1e-300);
      return builder.op("Sqrt", [builder.mul(small, small)], "f32");
    }],
  };
  for (const [name, [at, body]] of Object.entries(bodies)) {
    const { y, slope, bend } = await evaluate(curve(body), { data: Float64Array.of(at) });
    assertEquals([y, slope, bend].map((all) => Math.abs(all![0]!)), [0, 0, 0], name);
  }
});

Deno.test("a root that is proven to be positive has no check for 0 in its gradient", () => {
  const op = (name: string, ...inputs: Value<"f32">[]) => (builder: GraphBuilder) =>
    builder.op(name, inputs, "f32");
  const bodies: Readonly<Record<string, Body>> = {
    "x² + 1e-12": (builder, x) => builder.add(builder.mul(x, x), 1e-12),
    "Σ x^2 + 1e-12": (builder, x) =>
      builder.add(builder.reduceSum(power(2)(builder, x), [0]), 1e-12),
    "max(x, 1e-12)": (builder, x) => op("Max", x, builder.constant("f32", 1e-12))(builder),
    "clip(x, 1e-12)": (builder, x) => op("Clip", x, builder.constant("f32", 1e-12))(builder),
    "cosh x": (builder, x) => builder.op("Cosh", [x], "f32"),
  };
  const checks = (body: Body) =>
    new Graph(decodeModel(curve((builder, x) => builder.op("Sqrt", [body(builder, x)], "f32"))))
      .nodes.filter(({ opType }) => opType === "Equal").length;
  for (const [name, body] of Object.entries(bodies)) assertEquals(checks(body), 0, name);
  assert(checks((builder, x) => builder.add(x, 1)) > 0);
});

for (const op of ["ReduceL2", "LpNormalization"]) {
  Deno.test(`first and second derivatives of ${op} of a zero vector are 0`, async () => {
    const bytes = curve(
      (builder, x) => builder.op(op, [x], "f32", op === "ReduceL2" ? {} : { axis: -1 }),
      ["N", 3],
    );
    const { slope, bend } = await evaluate(bytes, { data: new Float64Array(3), dims: [1, 3] });
    assertEquals([slope, bend], [[0, 0, 0], [0, 0, 0]]);
  });
}

/** The energy k (θ − 2)² of the angle at the first of three atoms, its forces, and the slopes of Σ forces · V. */
function angleModel(): Uint8Array {
  const builder = new GraphBuilder("angle");
  const x = builder.input("x", "f32", [3, 3]);
  const row = (i: number) => builder.gather(x, builder.constant("i64", [i], [1]), 0);
  const [a, b] = [1, 2].map((i) => builder.sub(row(i), row(0))) as [Value<"f32">, Value<"f32">];
  const dot = (p: Value<"f32">, q: Value<"f32">) => builder.reduceSum(builder.mul(p, q), [1]);
  const length = (p: Value<"f32">) => builder.op("Sqrt", [dot(p, p)], "f32");
  const cosine = builder.div(dot(a, b), builder.mul(length(a), length(b)));
  const off = builder.sub(builder.op("Acos", [cosine], "f32"), 2);
  builder.output("y", builder.op("ReduceSum", [builder.mul(off, off)], "f32", { keepdims: 0 }), []);
  const graph = new Graph(decodeModel(builder.build()));
  gradient(graph, { of: "y", wrt: { x: "slope" } });
  const along = graph.make("Mul", [
    "slope",
    graph.constantOf("f32", [1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 3]),
  ]);
  graph.make("ReduceSum", [along], { keepdims: 0 }, "loss");
  gradient(graph, { of: "loss", wrt: { x: "bend" } });
  return graph.encode();
}

Deno.test("angular forces of three atoms in a line are 0, also in a loss on forces and in onnxruntime", async () => {
  const line = [0, 0, 0, 1, 0, 0, -1.5, 0, 0];
  const bytes = angleModel();
  const { y, slope, bend } = await evaluate(bytes, { data: Float64Array.from(line), dims: [3, 3] });
  assertEquals(y, [(Math.PI - 2) ** 2]);
  assertEquals([...slope!, ...bend!].map(Math.abs), Array(18).fill(0));
  await using session = await openSession(bytes);
  const outputs = await session.run({ x: { data: Float32Array.from(line), dims: [3, 3] } });
  for (const name of ["slope", "bend"]) {
    assertEquals(dataOf(outputs, name, "float32").map(Math.abs), new Float32Array(9));
  }
});

/** atan2(y, x) as PyTorch exports it. */
const angleOf: Body = (builder, v) => {
  const [y, x] = [0, 1].map((i) => builder.gather(v, builder.constant("i64", i), 1)) as [
    Value<"f32">,
    Value<"f32">,
  ];
  const atan = builder.op("Atan", [builder.div(y, x)], "f32");
  const up = builder.op("Greater", [y, builder.constant("f32", 0)], "bool");
  const turned = builder.where(up, builder.add(atan, Math.PI), builder.sub(atan, Math.PI));
  const angle = builder.where(builder.less(x, 0), turned, atan);
  const isNone = builder.op("IsNaN", [angle], "bool");
  return builder.where(isNone, 0, angle);
};

Deno.test("an angle by atan2 has correct derivatives where its quotient is infinite", async () => {
  const at = (...yx: number[]) =>
    evaluate(curve(angleOf, ["N", 2]), { data: Float64Array.from(yx), dims: [yx.length / 2, 2] });
  const found = await at(2, 0, -4, 0, 0, 0, 0.3, 0.7, 1, -2, 0, 3);
  // (x, −y) / (x² + y²); the slopes of the sum of both.
  const slope = (y: number, x: number) => [x / (x * x + y * y), -y / (x * x + y * y)];
  const bend = (y: number, x: number) => {
    const square = (x * x + y * y) ** 2;
    return [(y * y - x * x - 2 * x * y) / square, (y * y - x * x + 2 * x * y) / square];
  };
  const near = (actual: readonly number[], expected: readonly number[]) => {
    for (const [i, value] of expected.entries()) {
      assert(Math.abs(actual[i]! - value) < 1e-14, `${actual} for ${expected}`);
    }
  };
  const points = [[2, 0], [-4, 0], [0, 0], [0.3, 0.7], [1, -2], [0, 3]] as const;
  for (const [i, [y, x]] of points.entries()) {
    const isOrigin = x === 0 && y === 0;
    near(found["slope"]!.slice(2 * i, 2 * i + 2), isOrigin ? [0, 0] : slope(y, x));
    near(found["bend"]!.slice(2 * i, 2 * i + 2), isOrigin ? [0, 0] : bend(y, x));
  }
});

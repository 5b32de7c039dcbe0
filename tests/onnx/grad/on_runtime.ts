import { assert } from "@std/assert";
import {
  type Attributes,
  dataOf,
  decodeModel,
  gradient,
  Graph,
  GraphBuilder,
  openEvaluator,
  openSession,
  type SessionOptions,
  valueInfo,
} from "../../../src/onnx/mod.ts";
import { isFloat } from "../../../src/onnx/codec/element_type.ts";

/** Whole numbers that an operator takes, such as places. */
export interface Places {
  readonly dims: readonly number[];
  readonly data: readonly number[];
  /** Are they written into the graph, instead of being fed? */
  readonly isConstant: boolean;
}

type HostFeed = {
  readonly data: Float32Array<ArrayBuffer> | BigInt64Array<ArrayBuffer>;
  readonly dims: readonly number[];
};

/** An operator over float32 inputs, and whole numbers. */
export interface RuntimeCase {
  readonly op: string;
  readonly attributes?: Attributes;
  /** Lengths of floats, or whole numbers. */
  readonly inputs: readonly (readonly number[] | Places | undefined)[];
  /**
   * Number of outputs.
   *
   * @default 1
   */
  readonly outputs?: number;
  /** @default 18 */
  readonly opset?: number;
}

/**
 * Asserts that onnxruntime takes the gradients of an operator, and those of these, and finds the same numbers as the
 * evaluator.
 *
 * @param isFree are the lengths names, or numbers?
 */
export async function assertOnRuntime(
  asked: RuntimeCase,
  isFree: boolean,
  options: SessionOptions = {},
): Promise<void> {
  const graph = new GraphBuilder("runtime", { opset: asked.opset ?? 18 }).graph;
  const feeds: Record<string, HostFeed> = {};
  const feed = (name: string, dims: readonly number[]) => {
    graph.addInput(valueInfo(name, "f32", dims.map((n, i) => isFree ? `${name}_${i}` : n)));
    const count = dims.reduce((product, n) => product * n, 1);
    const data = Float32Array.from({ length: count }, (_, i) => Math.sin(7 * i + dims.length));
    feeds[name] = { data, dims };
    return name;
  };
  const names = asked.inputs.map((input, i) => {
    if (input === undefined) return "";
    return "data" in input ? give(graph, feeds, input, i) : feed(`x${i}`, input);
  });
  const { attributes = {}, outputs = 1 } = asked;
  const ys = graph.add(asked.op, names, { attributes, outputs }).output;
  const lossOf = (value: string, weights: string, like: readonly number[]) => {
    const product = graph.make("Mul", [value, feed(weights, like)]);
    return graph.make("ReduceSum", [product], { keepdims: 0 });
  };
  const sum = (terms: readonly string[]) =>
    terms.reduce((sum, term) => graph.make("Add", [sum, term]));
  const made = openEvaluator(graph).run(feeds, ys);
  const floats = ys.filter((y) => isFloat(made[y]!.type));
  const loss = sum(floats.map((y, i) => lossOf(y, i === 0 ? "v" : `v${i}`, made[y]!.dims)));
  const wrt = Object.keys(feeds).filter((name) => feeds[name]!.data instanceof Float32Array);
  const first = gradient(graph, { of: loss, wrt, unused: "zeros" }).names;
  const again = sum(wrt.map((name) => lossOf(first[name]!, `w_${name}`, feeds[name]!.dims)));
  const all = Object.keys(feeds).filter((name) => feeds[name]!.data instanceof Float32Array);
  const named = Object.fromEntries(all.map((name) => [name, `second_${name}`]));
  gradient(graph, { of: again, wrt: named, unused: "zeros" });
  await compare(new Graph(decodeModel(graph.encode())), feeds, [asked, options]);
}

/** Adds whole numbers to a graph; their lengths are fixed. */
function give(
  graph: Graph,
  feeds: Record<string, HostFeed>,
  { dims, data, isConstant }: Places,
  place: number,
): string {
  if (isConstant) return graph.constantOf("i64", data, dims);
  const name = `x${place}`;
  graph.addInput(valueInfo(name, "i64", dims));
  feeds[name] = { data: BigInt64Array.from(data, BigInt), dims };
  return name;
}

async function compare(
  graph: Graph,
  feeds: Readonly<Record<string, HostFeed>>,
  [{ op, inputs, attributes }, options]: readonly [RuntimeCase, SessionOptions],
): Promise<void> {
  const own = openEvaluator(graph).run(feeds);
  await using session = await openSession(graph.encode(), options);
  const theirs = await session.run(feeds);
  for (const [name, { data, dims, type }] of Object.entries(own)) {
    if (!isFloat(type)) continue;
    const { dims: lengths } = theirs[name]!;
    const what = `${name} of ${op} ${JSON.stringify(inputs)} ${JSON.stringify(attributes ?? {})}`;
    assert(`${lengths}` === `${dims}`, `${what} must be [${dims}]: it is [${lengths}]`);
    const values = dataOf(theirs, name, "float32");
    const scale = data.reduce((m, x) => Math.max(m, Math.abs(x)), 1);
    for (const [i, x] of data.entries()) {
      const isSame = Math.abs(values[i]! - x) <= 2e-5 * scale;
      assert(isSame, `${what} must be ${x} at ${i}: it is ${values[i]}`);
    }
  }
}

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
import { isFloat } from "../../../src/onnx/element_type.ts";

/** An operator over float32 inputs. */
export interface RuntimeCase {
  readonly op: string;
  readonly attributes?: Attributes;
  readonly inputs: readonly (readonly number[] | undefined)[];
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
  const feeds: Record<string, { data: Float32Array<ArrayBuffer>; dims: readonly number[] }> = {};
  const feed = (name: string, dims: readonly number[]) => {
    graph.addInput(valueInfo(name, "f32", dims.map((n, i) => isFree ? `${name}_${i}` : n)));
    const count = dims.reduce((product, n) => product * n, 1);
    const data = Float32Array.from({ length: count }, (_, i) => Math.sin(7 * i + dims.length));
    feeds[name] = { data, dims };
    return name;
  };
  const names = asked.inputs.map((dims, i) => dims === undefined ? "" : feed(`x${i}`, dims));
  const y = graph.make(asked.op, names, asked.attributes ?? {});
  const lossOf = (value: string, weights: string, like: readonly number[]) => {
    const product = graph.make("Mul", [value, feed(weights, like)]);
    return graph.make("ReduceSum", [product], { keepdims: 0 });
  };
  const made = openEvaluator(graph).run(feeds, [y])[y]!;
  const loss = lossOf(y, "v", made.dims);
  const wrt = Object.keys(feeds);
  const first = gradient(graph, { of: loss, wrt, unused: "zeros" }).names;
  const again = wrt
    .map((name) => lossOf(first[name]!, `w_${name}`, feeds[name]!.dims))
    .reduce((sum, term) => graph.make("Add", [sum, term]));
  const all = Object.keys(feeds);
  const outputs = Object.fromEntries(all.map((name) => [name, `second_${name}`]));
  gradient(graph, { of: again, wrt: outputs, unused: "zeros" });
  await compare(new Graph(decodeModel(graph.encode())), feeds, [asked, options]);
}

async function compare(
  graph: Graph,
  feeds: Readonly<Record<string, { data: Float32Array<ArrayBuffer>; dims: readonly number[] }>>,
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

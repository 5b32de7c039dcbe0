/** Small models written byte by byte, so that what the door opens does not depend on what writes models here. */

type Bytes = readonly number[];

const encoder = new TextEncoder();

/** The wire's number. */
export function varint(value: number | bigint): Bytes {
  const out: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value));;) {
    const byte = Number(rest & 127n);
    rest >>= 7n;
    if (rest === 0n) return [...out, byte];
    out.push(byte | 128);
  }
}

/** A field that is a number. */
export function int(field: number, value: number | bigint): Bytes {
  return [...varint(field * 8), ...varint(value)];
}

/** A field that is a message, a text or raw bytes. */
export function run(field: number, content: Bytes | Uint8Array | string): Bytes {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  return [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
}

/** Dtype → ONNX's number for it. */
const DTYPES = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9, float64: 11, string: 8 };

/** Dtypes these models have. */
export type TinyDtype = keyof typeof DTYPES;

/** An input or output. */
export function value(
  name: string,
  dtype: TinyDtype,
  shape: ReadonlyArray<number | string>,
): Bytes {
  const dims = shape.map((dim) => run(1, typeof dim === "number" ? int(1, dim) : run(2, dim)));
  const type = [...int(1, DTYPES[dtype]), ...run(2, dims.flat())];
  return [...run(1, name), ...run(2, run(1, type))];
}

/** A node; its name is that of its first output with a dot before it. */
export function node(
  op: string,
  inputs: readonly string[],
  outputs: readonly string[],
  { domain = "", attributes = [] }: { domain?: string; attributes?: readonly Bytes[] } = {},
): Bytes {
  return [
    ...inputs.flatMap((name) => run(1, name)),
    ...outputs.flatMap((name) => run(2, name)),
    ...run(3, `.${outputs[0]}`),
    ...run(4, op),
    ...attributes.flatMap((attribute) => run(5, attribute)),
    ...(domain === "" ? [] : run(7, domain)),
  ];
}

/** A whole-number attribute of a node. */
export function attribute(name: string, number: number): Bytes {
  return [...run(1, name), ...int(3, number), ...int(20, 2)];
}

/** A text attribute of a node. */
export function textAttribute(name: string, text: string): Bytes {
  return [...run(1, name), ...run(4, text), ...int(20, 3)];
}

/** A subgraph attribute of a node. */
export function graphAttribute(name: string, graph: Bytes): Bytes {
  return [...run(1, name), ...run(6, graph), ...int(20, 5)];
}

/** A weight in the file. */
export function weight(
  name: string,
  data: Float32Array | Int32Array | BigInt64Array,
  dims: readonly number[] = [data.length],
): Bytes {
  const dtype = data instanceof Float32Array
    ? "float32"
    : data instanceof Int32Array
    ? "int32"
    : "int64";
  return [
    ...dims.flatMap((dim) => int(1, dim)),
    ...int(2, DTYPES[dtype]),
    ...run(8, name),
    ...run(9, new Uint8Array(data.buffer)),
  ];
}

/** A weight of float32 in another file. */
export function farWeight(
  name: string,
  dims: readonly number[],
  entries: Readonly<Record<string, string>>,
): Bytes {
  return [
    ...dims.flatMap((dim) => int(1, dim)),
    ...int(2, DTYPES.float32),
    ...run(8, name),
    ...Object.entries(entries).flatMap(([key, text]) => run(13, [...run(1, key), ...run(2, text)])),
    ...int(14, 1),
  ];
}

/** Parts of a model. */
export interface TinyModel {
  nodes: readonly Bytes[];
  inputs: readonly Bytes[];
  outputs: readonly Bytes[];
  weights?: readonly Bytes[];
  opset?: number;
  ir?: number;
}

/** A graph. */
export function graphOf({ nodes, inputs, outputs, weights = [] }: TinyModel): Bytes {
  return [
    ...nodes.flatMap((each) => run(1, each)),
    ...run(2, "g"),
    ...weights.flatMap((each) => run(5, each)),
    ...inputs.flatMap((each) => run(11, each)),
    ...outputs.flatMap((each) => run(12, each)),
  ];
}

/** The bytes of a model. */
export function modelOf(parts: TinyModel): Uint8Array<ArrayBuffer> {
  const { opset = 18, ir = 10 } = parts;
  return new Uint8Array([...int(1, ir), ...run(7, graphOf(parts)), ...run(8, int(2, opset))]);
}

/** One node from x[N, 3] to y[N, 3], float32. */
export function unary(op: string, opset = 18): Uint8Array<ArrayBuffer> {
  return modelOf({
    nodes: [node(op, ["x"], ["y"])],
    inputs: [value("x", "float32", ["N", 3])],
    outputs: [value("y", "float32", ["N", 3])],
    opset,
  });
}

/** y = x + x. */
export const DOUBLE: Uint8Array<ArrayBuffer> = modelOf({
  nodes: [node("Add", ["x", "x"], ["y"])],
  inputs: [value("x", "float32", ["N", 3])],
  outputs: [value("y", "float32", ["N", 3])],
});

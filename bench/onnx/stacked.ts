/**
 * The batches that stand beside the real models, several times in one.
 *
 * @module
 */

import type { HostFeed } from "../../src/onnx/mod.ts";

/** A tensor of a file of references. */
interface Tensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly b64: string;
}

/** Inputs that contain indices: the input that they point into, and its axis. */
const COUNTED: Readonly<Record<string, readonly [input: string, axis: number]>> = {
  edge_index: ["positions", 0],
  trip_center: ["positions", 0],
  trip_edge: ["edge_index", 1],
  batch_idx: ["energy0", 0],
};

/**
 * Returns the inputs of a model with several copies of its reference. Indices of atoms, edges and systems continue
 * from copy to copy.
 */
export async function stackedFeeds(
  path: string,
  copies: number,
): Promise<Record<string, HostFeed>> {
  const { inputs }: { inputs: Readonly<Record<string, Tensor>> } = JSON.parse(
    await Deno.readTextFile(path),
  );
  return Object.fromEntries(
    Object.entries(inputs).map(([name, tensor]) => {
      const [of, along] = COUNTED[name] ?? [name, 0];
      const step = COUNTED[name] === undefined ? 0 : inputs[of]!.dims[along]!;
      return [name, stacked(tensor, copies, step)];
    }),
  );
}

/** Copies one after another along the axis that is free: the last one of lists of pairs, else the first. */
function stacked({ type, dims, b64 }: Tensor, copies: number, step: number): HostFeed {
  const { buffer } = Uint8Array.fromBase64(b64);
  const values = type === "int64"
    ? Array.from(new BigInt64Array(buffer), Number)
    : Array.from(new Float32Array(buffer));
  const axis = step > 0 ? dims.length - 1 : 0, rows = axis === 0 ? 1 : dims[0]!;
  const length = values.length / rows, all: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let copy = 0; copy < copies; copy++) {
      for (let i = 0; i < length; i++) all.push(values[row * length + i]! + copy * step);
    }
  }
  const data = type === "int64" ? BigInt64Array.from(all, BigInt) : Float32Array.from(all);
  return { data, dims: dims.with(axis, dims[axis]! * copies) };
}

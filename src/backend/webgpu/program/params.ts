/**
 * The numbers of a call, passed to its shader as the uniform buffer `params`.
 *
 * @module
 */

import { BufferUsage } from "../constants.ts";
import type { KernelCall } from "../../backend.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import { type CallLists, edgeNumbers } from "./call_lists.ts";
import type { Shader, ShaderCall, Word } from "./shader.ts";

/** Names and types of the numbers, in the order of the uniform buffer. */
export type Words = readonly (readonly [name: string, word: Word])[];

/** The numbers of a call, and their uniform buffer. */
export interface Params {
  readonly words: Words;
  readonly buffer: GPUBuffer;
  /** Writes the current numbers into the buffer. They change when lists grow. */
  readonly write: () => void;
}

const OF_EVERY_CALL: Readonly<Record<string, Word>> = {
  systems: "u32",
  tiles: "u32",
  call: "u32",
  capacity: "u32",
};

/** Creates the uniform buffer of a call. `index` is the index of the call in its program. */
export function makeParams(
  device: GPUDevice,
  { systems, tiles }: GpuFrame,
  { kernel, args }: KernelCall,
  { shader, view, lists: { pairs, edges }, index }: {
    readonly shader: Shader;
    readonly view: ShaderCall;
    readonly lists: CallLists;
    readonly index: number;
  },
): Params {
  const given = Object.entries(args).filter(([name]) => kernel.args[name] === "number");
  const all = () => ({
    systems,
    tiles,
    call: index,
    capacity: pairs?.capacity ?? 0,
    ...(edges === undefined ? {} : edgeNumbers(edges, kernel.name)),
    reach: pairs ? pairs.cutoff + pairs.skin : 0,
    slack: (pairs?.skin ?? 0) / 2,
    longest: pairs?.longest ?? 0,
    ...Object.fromEntries(given.filter(([name]) => name !== "target")) as Record<string, number>,
    ...shader.derived?.(view),
  });
  const declared: Readonly<Record<string, Word>> = { ...OF_EVERY_CALL, ...shader.words };
  const words: Words = Object.keys(all()).map((name) => [name, declared[name] ?? "f32"]);
  const buffer = device.createBuffer({
    size: Math.max(16, Math.ceil(4 * lengthOf(words) / 16) * 16),
    usage: BufferUsage.UNIFORM | BufferUsage.COPY_DST,
  });
  const write = () => {
    const values: Readonly<Record<string, number>> = all();
    device.queue.writeBuffer(buffer, 0, packed(words, values));
  };
  write();
  return { words, buffer, write };
}

function lengthOf(words: Words): number {
  return words.reduce((sum, [, word]) => sum + (word === "wide" ? 2 : 1), 0);
}

/** Returns the bytes of the numbers, in the layout that `paramsStruct` declares. */
function packed(words: Words, values: Readonly<Record<string, number>>): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(4 * lengthOf(words)));
  let at = 0;
  for (const [name, word] of words) {
    const value = values[name]!;
    if (word === "f32") view.setFloat32(at, finite(value), true);
    else if (word === "wide") {
      const high = finite(Math.fround(value));
      view.setFloat32(at, high, true);
      view.setFloat32(at += 4, finite(value - high), true);
    } else view.setInt32(at, value, true);
    at += 4;
  }
  return view.buffer;
}

/** Limits a number to the range of float32, because WGSL compilers may assume that no number is infinite. */
function finite(value: number): number {
  const most = 3.4028234663852886e38;
  return Math.max(-most, Math.min(most, value));
}

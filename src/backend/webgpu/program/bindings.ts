/**
 * The memory that the shaders of a call can bind, by name.
 *
 * @module
 */

import type { KernelCall } from "../../backend.ts";
import type { GpuEdges } from "../gpu_edges.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import type { Slot } from "../wgsl/module.ts";
import type { CallLists } from "./call_lists.ts";
import { GpuBuffer, storage } from "./gpu_buffer.ts";
import type { Scratch } from "./shader.ts";

/**
 * Memory that a shader can bind. `memory` is called at each binding, because lists replace their memory when they
 * grow.
 */
export interface Binding extends Slot {
  readonly memory: () => GPUBuffer;
}

/** Names in WGSL of the arguments whose own names are reserved there or have another meaning in the shaders. */
const RENAMED: Readonly<Record<string, string>> = { real: "reals", f64: "sums", target: "goal" };

const SIZES: Readonly<Record<Scratch["type"], number>> = {
  f32: 4,
  u32: 4,
  i32: 4,
  "vec2<f32>": 8,
  "vec4<f32>": 16,
};

const TYPES = { real: "f32", f64: "vec2<f32>", i32: "i32" } as const;

/**
 * Returns the memory that the shaders of a call may bind. Adds the memory of its arguments to `memories` of the
 * frame.
 */
export function bindingsOf(
  frame: GpuFrame,
  { kernel, args }: KernelCall,
  scratch: readonly Binding[],
  { pairs, edges }: CallLists,
): Binding[] {
  const bound = frameBindings(frame);
  for (const [name, argument] of Object.entries(kernel.args)) {
    const given = args[name];
    if (!(given instanceof GpuBuffer)) continue;
    frame.memories.add(given.memory);
    bound.push(binding(RENAMED[name] ?? name, given, argument.endsWith(" changed")));
  }
  bound.push(...scratch);
  if (edges !== undefined) {
    for (const { memory } of edges.buffers) frame.memories.add(memory);
    bound.push(...edgeBindings(edges));
  }
  if (pairs === undefined) return bound;
  for (const state of [pairs.kept, pairs.marks]) frame.memories.add(state);
  const changes = kernel.name === "neighbors";
  bound.push(
    { name: "kept", type: "f32", changes, memory: () => pairs.kept },
    { name: "marks", type: "i32", changes, memory: () => pairs.marks },
    { name: "list", type: "i32", changes, memory: () => pairs.list },
  );
  return bound;
}

/** Allocates the scratch memory of a shader, and writes its initial values. */
export function makeScratch(
  device: GPUDevice,
  scratch: Readonly<Record<string, Scratch>>,
): Binding[] {
  return Object.entries(scratch).map(([name, { type, length, values }]) => {
    const memory = storage(device, length * SIZES[type]);
    if (values !== undefined) {
      device.queue.writeBuffer(memory, 0, values as Uint32Array<ArrayBuffer>);
    }
    return { name, type, changes: true, memory: () => memory };
  });
}

/**
 * Creates one slot per buffer, because WebGPU refuses to bind a buffer twice if one of the slots is writable.
 * `aliases` maps each further name of a buffer to its first name.
 */
export function mergedSlots(bindings: readonly Binding[]): {
  readonly slots: Slot[];
  readonly aliases: Map<string, string>;
} {
  const slots = new Map<GPUBuffer, Slot>();
  const aliases = new Map<string, string>();
  for (const { name, type, changes, memory } of bindings) {
    const first = slots.get(memory());
    if (first !== undefined) aliases.set(name, first.name);
    slots.set(
      memory(),
      first ? { ...first, changes: first.changes || changes } : { name, type, changes },
    );
  }
  return { slots: [...slots.values()], aliases };
}

function frameBindings({ buffers, memory }: GpuFrame): Binding[] {
  return [
    { name: "frame", type: "u32", changes: false, memory: () => memory },
    binding("moving", buffers.active as GpuBuffer, false),
    binding("ids", buffers.ids as GpuBuffer, false),
    binding("ages", buffers.ages as GpuBuffer, false),
    binding("control", buffers.control as GpuBuffer, false),
  ];
}

function edgeBindings(edges: GpuEdges): Binding[] {
  const { index, shifts, systems, centers, triplets, counts, places } = edges;
  return [
    binding("edge_index", index as unknown as GpuBuffer, false),
    binding("edge_shifts", shifts as unknown as GpuBuffer, false),
    binding("edge_systems", systems as unknown as GpuBuffer, false),
    binding("centers", centers as unknown as GpuBuffer, false),
    binding("triplets", triplets as unknown as GpuBuffer, false),
    binding("edge_counts", counts as unknown as GpuBuffer, false),
    { name: "places", type: "i32", changes: false, memory: () => places },
  ];
}

function binding(name: string, buffer: GpuBuffer, changes: boolean): Binding {
  return { name, type: TYPES[buffer.dtype], changes, memory: () => buffer.memory };
}

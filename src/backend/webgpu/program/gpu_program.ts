import { BufferUsage } from "../constants.ts";
import type { Call, Program } from "../../backend.ts";
import { GpuBuffer, storage } from "./gpu_buffer.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import { GpuEdges } from "../gpu_edges.ts";
import { GpuPairs } from "../gpu_pairs.ts";
import type { Growing } from "./growing.ts";
import type { Pipelines } from "./pipelines.ts";
import {
  LANES,
  type Pass,
  type Scratch,
  type Shader,
  type ShaderCall,
  type Word,
} from "./shader.ts";
import { SHADERS } from "../shaders/mod.ts";
import { pairPotential } from "../shaders/pairs/pair_potential.ts";
import { passModule, type Slot } from "../wgsl/module.ts";

/** What a dispatch may have in one direction, at the least. */
const ACROSS = 65535;

/** WGSL keeps these words, or has another use for them. */
const RENAMED: Readonly<Record<string, string>> = { real: "reals", f64: "sums", target: "goal" };

/** A dispatch, ready. */
interface ReadyPass {
  readonly pipeline: GPUComputePipeline;
  readonly groups: readonly [number, number];
  /** Made again when a list has grown. */
  bind: GPUBindGroup;
  readonly rebind: () => GPUBindGroup;
}

/** A call, ready. */
export interface ReadyCall {
  readonly passes: readonly ReadyPass[];
  readonly every: number;
  readonly phase: number;
  /** The list that it fills, which may be too short. */
  readonly fills: Growing | undefined;
}

/** Calls in order, as dispatches. */
export class GpuProgram implements Program {
  readonly length: number;
  readonly frame: GpuFrame;
  readonly calls: readonly ReadyCall[];
  /** Whether lists are filled in it: only then can anything have to be done again. */
  readonly hasLists: boolean;
  readonly free: () => void;
  /** Gives its memory back, now. */
  readonly destroy: () => void;
  #moves: number;

  /** `free`: gives it back in its turn. Throws a TypeError for a kernel that there is no shader of. */
  constructor(
    device: GPUDevice,
    pipelines: Pipelines,
    frame: GpuFrame,
    calls: readonly Call[],
    free: (program: GpuProgram) => void,
  ) {
    this.frame = frame;
    this.length = calls.length;
    this.#moves = frame.moves;
    const maker = new CallMaker(device, pipelines, frame);
    this.calls = made(maker, calls);
    this.hasLists = this.calls.some(({ fills }) => fills !== undefined);
    this.free = () => free(this);
    this.destroy = () => maker.free();
  }

  /** Lists that have grown are elsewhere, and so may be what others made room for. */
  refresh(): void {
    if (this.#moves === this.frame.moves) return;
    this.#moves = this.frame.moves;
    for (const { passes } of this.calls) {
      for (const pass of passes) pass.bind = pass.rebind();
    }
  }
}

/** What was made for calls before one that is refused is given back. */
function made(maker: CallMaker, calls: readonly Call[]): ReadyCall[] {
  try {
    return calls.map((call, i) => maker.make(call, i));
  } catch (error) {
    maker.free();
    throw error;
  }
}

/** Makes the calls of one program. */
class CallMaker {
  readonly #device: GPUDevice;
  readonly #pipelines: Pipelines;
  readonly #frame: GpuFrame;
  readonly #own: GPUBuffer[] = [];

  constructor(device: GPUDevice, pipelines: Pipelines, frame: GpuFrame) {
    this.#device = device;
    this.#pipelines = pipelines;
    this.#frame = frame;
  }

  make(call: Call, index: number): ReadyCall {
    const { name, pair } = call.kernel;
    const shader = SHADERS.get(name) ?? (pair && pairPotential(pair));
    if (shader === undefined) {
      throw new TypeError(
        `Cannot prepare kernel ${name} as the webgpu backend must have it: it has none of that name`,
      );
    }
    const view = this.#view(call);
    const lists = listsOf(call);
    const { words, write } = this.#numbers(call, shader, view, index, lists);
    const memory = this.#memory(call, shader.scratch?.(view) ?? {}, lists);
    const params = this.#device.createBuffer({
      size: Math.max(16, Math.ceil(4 * countOf(words) / 16) * 16),
      usage: BufferUsage.UNIFORM | BufferUsage.COPY_DST,
    });
    this.#own.push(params);
    write(params);
    const passes = shader.passes(view).map((pass) =>
      this.#pass(pass, words, memory, params, write)
    );
    return { passes, every: call.every ?? 1, phase: call.phase ?? 0, fills: lists.fills };
  }

  free(): void {
    for (const buffer of this.#own) buffer.destroy();
  }

  #view({ kernel, args }: Call): ShaderCall {
    const { systems, atoms, tiles, offsets } = this.#frame;
    const buffer = (name: string) => args[name] as GpuBuffer;
    return {
      systems,
      atoms,
      tiles,
      offsets,
      has: (name) => args[name] !== undefined,
      number: (name) => args[name] as number,
      length: (name) => buffer(name).length,
      written(name) {
        const { written } = buffer(name);
        if (written !== undefined) return written;
        throw new TypeError(
          `Cannot prepare kernel ${kernel.name} as ${name} must be integers: they are ${
            buffer(name).dtype
          }`,
        );
      },
    };
  }

  /** The numbers of a call, and what writes them to the device. */
  #numbers(
    { kernel, args }: Call,
    shader: Shader,
    view: ShaderCall,
    index: number,
    { pairs, edges }: Lists,
  ): { words: (readonly [string, Word])[]; write: (params: GPUBuffer) => void } {
    const { systems, tiles } = this.#frame;
    const given = Object.entries(args).filter(([name]) => kernel.args[name] === "number");
    const all = () => ({
      systems,
      tiles,
      call: index,
      capacity: pairs?.capacity ?? 0,
      ...(edges === undefined ? {} : numbersOf(edges, kernel.name)),
      reach: pairs ? pairs.cutoff + pairs.skin : 0,
      slack: (pairs?.skin ?? 0) / 2,
      ...Object.fromEntries(given.filter(([name]) => name !== "target")) as Record<string, number>,
      ...shader.derived?.(view),
    });
    const own: Readonly<Record<string, Word>> = {
      systems: "u32",
      tiles: "u32",
      call: "u32",
      capacity: "u32",
      ...shader.words,
    };
    const words = Object.keys(all()).map((name) => [name, own[name] ?? "f32"] as const);
    const write = (params: GPUBuffer) => {
      const values: Readonly<Record<string, number>> = all();
      this.#device.queue.writeBuffer(params, 0, packed(words, values));
    };
    return { words, write };
  }

  /** What a call may bind, by name. */
  #memory(
    { kernel, args }: Call,
    scratch: Readonly<Record<string, Scratch>>,
    { pairs, edges }: Lists,
  ): Bound[] {
    const { buffers, memory } = this.#frame;
    const bound: Bound[] = [
      { name: "frame", type: "u32", changes: false, memory: () => memory },
      ...([["moving", "active"], ["ids", "ids"], ["ages", "ages"], ["control", "control"]] as const)
        .map(([name, from]) => of(name, buffers[from] as GpuBuffer, false)),
    ];
    for (const [name, argument] of Object.entries(kernel.args)) {
      const given = args[name];
      if (given instanceof GpuBuffer) {
        this.#frame.memories.add(given.memory);
        bound.push(of(RENAMED[name] ?? name, given, argument.endsWith(" changed")));
      }
    }
    for (const [name, { type, length, values }] of Object.entries(scratch)) {
      const own = storage(this.#device, length * SIZES[type]);
      if (values !== undefined) {
        this.#device.queue.writeBuffer(own, 0, values as Uint32Array<ArrayBuffer>);
      }
      this.#own.push(own);
      bound.push({ name, type, changes: true, memory: () => own });
    }
    if (edges !== undefined) {
      for (const { memory } of edges.buffers) this.#frame.memories.add(memory);
      bound.push(...boundOf(edges));
    }
    if (pairs === undefined) return bound;
    for (const state of [pairs.kept, pairs.marks]) this.#frame.memories.add(state);
    const isFinding = kernel.name === "neighbors";
    return [
      ...bound,
      { name: "kept", type: "f32", changes: isFinding, memory: () => pairs.kept },
      { name: "marks", type: "i32", changes: isFinding, memory: () => pairs.marks },
      { name: "list", type: "i32", changes: isFinding, memory: () => pairs.list },
    ];
  }

  #pass(
    pass: Pass,
    words: readonly (readonly [string, Word])[],
    memory: readonly Bound[],
    params: GPUBuffer,
    write: (params: GPUBuffer) => void,
  ): ReadyPass {
    const changes = (name: string) => pass.changes?.includes(name) ?? false;
    const all = memory.map((one) => ({ ...one, changes: one.changes || changes(one.name) }));
    const { slots, aliases } = merged(all);
    const { code, slots: used } = passModule(pass, slots, words, aliases);
    const { pipeline, layout } = this.#pipelines.get(code, used);
    const byName = new Map(memory.map((one) => [one.name, one.memory]));
    const rebind = () => {
      write(params);
      const buffers = [params, ...used.map(({ name }) => byName.get(name)!())];
      const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
      return this.#device.createBindGroup({ layout, entries });
    };
    const { systems, tiles } = this.#frame;
    const groups = pass.per === "group"
      ? systems
      : pass.per === "system"
      ? Math.ceil(systems / LANES)
      : tiles;
    return { pipeline, groups: shape(groups), bind: rebind(), rebind };
  }
}

/** The lists that a call is given. */
interface Lists {
  readonly pairs: GpuPairs | undefined;
  readonly edges: GpuEdges | undefined;
  /** The one that it fills. */
  readonly fills: Growing | undefined;
}

function listsOf({ kernel, args }: Call): Lists {
  const given = Object.values(args);
  const edges = given.find((one) => one instanceof GpuEdges);
  const pairs = given.find((one) => one instanceof GpuPairs) ?? edges?.pairs;
  const filled = new Map<string, Growing | undefined>([
    ["neighbors", pairs],
    ["edges", edges?.rows],
    ["triplets", edges?.fans],
  ]);
  return { pairs, edges, fills: filled.get(kernel.name) };
}

/** What the kernels of edges are told of them. */
function numbersOf(edges: GpuEdges, kernel: string): Readonly<Record<string, number>> {
  const { capacity, tripletCapacity, cutoff, reach, isHalf } = edges;
  return kernel === "triplets"
    ? { room: tripletCapacity, limit: reach, edgeRoom: capacity }
    : { room: capacity, limit: cutoff, once: Number(isHalf) };
}

function boundOf(edges: GpuEdges): Bound[] {
  const { index, shifts, systems, centers, triplets, counts, places } = edges;
  return [
    of("edge_index", index as unknown as GpuBuffer, false),
    of("edge_shifts", shifts as unknown as GpuBuffer, false),
    of("edge_systems", systems as unknown as GpuBuffer, false),
    of("centers", centers as unknown as GpuBuffer, false),
    of("triplets", triplets as unknown as GpuBuffer, false),
    of("edge_counts", counts as unknown as GpuBuffer, false),
    { name: "places", type: "i32", changes: false, memory: () => places },
  ];
}

/** Something that can be bound. */
interface Bound extends Slot {
  readonly memory: () => GPUBuffer;
}

const SIZES: Readonly<Record<Scratch["type"], number>> = {
  f32: 4,
  u32: 4,
  i32: 4,
  "vec2<f32>": 8,
  "vec4<f32>": 16,
};

const TYPES = { real: "f32", f64: "vec2<f32>", i32: "i32" } as const;

function of(name: string, buffer: GpuBuffer, changes: boolean): Bound {
  return { name, type: TYPES[buffer.dtype], changes, memory: () => buffer.memory };
}

/** One slot for each buffer: what has several names is bound by the first. */
function merged(memory: readonly Bound[]): { slots: Slot[]; aliases: Map<string, string> } {
  const slots = new Map<GPUBuffer, Slot>();
  const aliases = new Map<string, string>();
  for (const { name, type, changes, memory: buffer } of memory) {
    const first = slots.get(buffer());
    if (first !== undefined) aliases.set(name, first.name);
    slots.set(
      buffer(),
      first ? { ...first, changes: first.changes || changes } : { name, type, changes },
    );
  }
  return { slots: [...slots.values()], aliases };
}

function shape(groups: number): readonly [number, number] {
  return groups <= ACROSS ? [groups, 1] : [ACROSS, Math.ceil(groups / ACROSS)];
}

function countOf(words: readonly (readonly [string, Word])[]): number {
  return words.reduce((sum, [, word]) => sum + (word === "wide" ? 2 : 1), 0);
}

/** Numbers as `paramsStruct` declares them. */
function packed(
  words: readonly (readonly [string, Word])[],
  values: Readonly<Record<string, number>>,
): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(4 * countOf(words)));
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

/** A shader need not know what is infinite. */
function finite(value: number): number {
  const most = 3.4028234663852886e38;
  return Math.max(-most, Math.min(most, value));
}

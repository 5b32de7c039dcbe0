import type { KernelCall } from "../../backend.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import { SHADERS } from "../shaders/mod.ts";
import { pairPotential } from "../shaders/pairs/pair_potential.ts";
import { passModule } from "../wgsl/module.ts";
import { type Binding, bindingsOf, makeScratch, mergedSlots } from "./bindings.ts";
import { listsOf } from "./call_lists.ts";
import type { GpuBuffer } from "./gpu_buffer.ts";
import type { Growing } from "./growing.ts";
import { makeParams, type Params } from "./params.ts";
import type { Pipelines } from "./pipelines.ts";
import { LANES, type Pass, type ShaderCall } from "./shader.ts";

/** Largest number of workgroups in one dimension that every device supports. */
const ACROSS = 65535;

/** A dispatch with everything needed to encode it. */
export interface ReadyPass {
  readonly pipeline: GPUComputePipeline;
  readonly groups: readonly [number, number];
  /** Bind group. It must be replaced by the result of `rebind` after memory has been replaced. */
  bind: GPUBindGroup;
  readonly rebind: () => GPUBindGroup;
}

/** A kernel call with everything needed to encode it. */
export interface ReadyCall {
  readonly passes: readonly ReadyPass[];
  /** The call runs at steps with step % every === phase. */
  readonly every: number;
  /** The remainder step % every at which the call runs. */
  readonly phase: number;
  /** The list that the kernel fills and that may be too short; `undefined` if the kernel fills no list. */
  readonly fills: Growing | undefined;
}

/** Creates the calls of one program, and owns their parameters and scratch memory. */
export class CallMaker {
  readonly #device: GPUDevice;
  readonly #pipelines: Pipelines;
  readonly #frame: GpuFrame;
  readonly #own: GPUBuffer[] = [];

  constructor(device: GPUDevice, pipelines: Pipelines, frame: GpuFrame) {
    this.#device = device;
    this.#pipelines = pipelines;
    this.#frame = frame;
  }

  /** Creates calls. If one of them fails, frees the memory of the others and throws the error. */
  makeAll(calls: readonly KernelCall[]): ReadyCall[] {
    try {
      return calls.map((call, i) => this.#make(call, i));
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /** Frees the parameters and scratch memory. */
  free(): void {
    for (const buffer of this.#own) buffer.destroy();
  }

  #make(call: KernelCall, index: number): ReadyCall {
    const { name, pair } = call.kernel;
    const shader = SHADERS.get(name) ?? (pair && pairPotential(pair));
    if (shader === undefined) {
      throw new TypeError(
        `Cannot prepare kernel ${name}: the webgpu backend has no kernel of that name`,
      );
    }
    const view = viewOf(this.#frame, call);
    const lists = listsOf(call);
    const params = makeParams(this.#device, this.#frame, call, { shader, view, lists, index });
    this.#own.push(params.buffer);
    const scratch = makeScratch(this.#device, shader.scratch?.(view) ?? {});
    this.#own.push(...scratch.map(({ memory }) => memory()));
    const bindings = bindingsOf(this.#frame, call, scratch, lists);
    const passes = shader.passes(view).map((pass) => this.#pass(name, pass, { bindings, params }));
    return { passes, every: call.every ?? 1, phase: call.phase ?? 0, fills: lists.fills };
  }

  #pass(
    name: string,
    pass: Pass,
    { bindings, params }: { readonly bindings: readonly Binding[]; readonly params: Params },
  ): ReadyPass {
    const changes = (name: string) => pass.changes?.includes(name) ?? false;
    const all = bindings.map((one) => ({ ...one, changes: one.changes || changes(one.name) }));
    const { slots, aliases } = mergedSlots(all);
    const { code, slots: used } = passModule(pass, slots, params.words, aliases);
    const { pipeline, layout } = this.#pipelines.get(code, used, name);
    const byName = new Map(bindings.map((one) => [one.name, one.memory]));
    const rebind = () => {
      params.write();
      const buffers = [params.buffer, ...used.map(({ name }) => byName.get(name)!())];
      const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
      return this.#device.createBindGroup({ layout, entries });
    };
    return { pipeline, groups: shapeOf(groupsOf(pass, this.#frame)), bind: rebind(), rebind };
  }
}

/** Returns the properties of a call that its shader depends on. */
function viewOf(
  { systems, atoms, tiles, offsets }: GpuFrame,
  { kernel, args }: KernelCall,
): ShaderCall {
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
        `Cannot prepare kernel ${kernel.name}: ${name} must be integers; got ${buffer(name).dtype}`,
      );
    },
  };
}

function groupsOf({ per }: Pass, { systems, tiles }: GpuFrame): number {
  if (per === "group") return systems;
  return per === "system" ? Math.ceil(systems / LANES) : tiles;
}

/** Distributes workgroups over two dimensions if they do not fit into one. */
function shapeOf(groups: number): readonly [number, number] {
  return groups <= ACROSS ? [groups, 1] : [ACROSS, Math.ceil(groups / ACROSS)];
}

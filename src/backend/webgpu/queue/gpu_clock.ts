import { BufferUsage } from "../constants.ts";
import { Control } from "../../../kernels/kernel.ts";
import type { GpuBuffer } from "../program/gpu_buffer.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import type { Pipelines } from "../program/pipelines.ts";
import { FrameWord } from "../wgsl/module.ts";

const BINDINGS = /* wgsl */ `
@group(0) @binding(0) var<uniform> zero: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> frame: array<u32>;
@group(0) @binding(2) var<storage, read_write> control: array<i32>;
`;

const COUNT = `frame[${FrameWord.DONE}u + frame[${FrameWord.RUN}u] % ${FrameWord.RING}u]`;

/**
 * WGSL that begins a run. A halt of the previous run does not halt this one, unless a list is too short. After a
 * system has diverged, the frame stays frozen until the host clears DIVERGED: the host learns of the divergence
 * later, and must find the atoms in that state.
 */
const BEGIN = /* wgsl */ `${BINDINGS}
@compute @workgroup_size(1)
fn main() {
  if (frame[${FrameWord.OVERFLOW}u] != zero.x) { return; }
  frame[${FrameWord.FROZEN}u] = select(0u, 1u, control[${Control.DIVERGED}] != 0);
  control[${Control.HALT}] = 0;
  frame[${FrameWord.RUN}u] += 1u;
  ${COUNT} = 0u;
}`;

/** WGSL that begins a step. If a kernel of the previous step has halted the run, it freezes the frame instead. */
const TICK = /* wgsl */ `${BINDINGS}
@compute @workgroup_size(1)
fn main() {
  if (frame[${FrameWord.FROZEN}u] != zero.x) { return; }
  if (control[${Control.HALT}] != 0) {
    frame[${FrameWord.FROZEN}u] = 1u;
  } else {
    ${COUNT} += 1u;
  }
}`;

/** Encodes the dispatches that begin runs and steps on the device. */
export class GpuClock {
  readonly #device: GPUDevice;
  readonly #pipelines: Pipelines;
  readonly #zero: GPUBuffer;
  readonly #bound = new WeakMap<GpuFrame, GPUBindGroup>();

  constructor(device: GPUDevice, pipelines: Pipelines) {
    this.#device = device;
    this.#pipelines = pipelines;
    this.#zero = device.createBuffer({ size: 16, usage: BufferUsage.UNIFORM });
  }

  /** Encodes the beginning of a run. */
  begin(pass: GPUComputePassEncoder, frame: GpuFrame): void {
    this.#dispatch(pass, BEGIN, frame);
  }

  /** Encodes the beginning of a step. */
  tick(pass: GPUComputePassEncoder, frame: GpuFrame): void {
    this.#dispatch(pass, TICK, frame);
  }

  /** Frees the memory of the clock. */
  free(): void {
    this.#zero.destroy();
  }

  #dispatch(pass: GPUComputePassEncoder, code: string, frame: GpuFrame): void {
    const { pipeline, layout } = this.#pipelines.get(code, SLOTS, "clock");
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.#bind(frame, layout));
    pass.dispatchWorkgroups(1);
  }

  /** Returns the bind group of a frame, which is created at the first call. Both modules bind the same buffers. */
  #bind(frame: GpuFrame, layout: GPUBindGroupLayout): GPUBindGroup {
    let bound = this.#bound.get(frame);
    if (bound === undefined) {
      const control = (frame.buffers.control as GpuBuffer).memory;
      const buffers = [this.#zero, frame.memory, control];
      const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
      this.#bound.set(frame, bound = this.#device.createBindGroup({ layout, entries }));
    }
    return bound;
  }
}

/** The buffers bound after `zero`. */
const SLOTS = ["frame", "control"].map((name) => ({ name, type: "u32", changes: true }));

import type { FrameBuffers } from "../backend.ts";
import { type GpuBuffer, storage } from "./program/gpu_buffer.ts";
import { LANES } from "./program/shader.ts";
import { OFFSETS } from "./wgsl/module.ts";

/**
 * The systems of a batch and their tiles, in the form that kernels use, and the words by which kernels freeze the
 * batch.
 */
export class GpuFrame {
  readonly buffers: FrameBuffers;
  readonly systems: number;
  readonly atoms: number;
  /** Number of tiles. A tile is a workgroup of up to 64 atoms of one system. */
  readonly tiles: number;
  readonly offsets: Int32Array;
  /** Memory with the words of `FrameWord`, the offsets, the first tile of each system, and the system of each tile. */
  readonly memory: GPUBuffer;
  /** Memory that the programs of this frame use. A copy of it is valid only if no earlier run was frozen. */
  readonly memories: Set<GPUBuffer> = new Set<GPUBuffer>();
  /** Number of runs begun so far. */
  runs = 0;
  /** Number of times that a list has grown. */
  generation = 0;
  /** Number of times that memory was replaced. Programs compare it to update their bind groups. */
  moves = 0;

  /** Creates the memory of a frame from the offsets, which the host must have written. */
  constructor(device: GPUDevice, buffers: FrameBuffers) {
    this.buffers = buffers;
    for (const word of ["active", "ages", "control"] as const) {
      this.memories.add((buffers[word] as GpuBuffer).memory);
    }
    const { systems } = buffers;
    const { written } = buffers.offsets as GpuBuffer<"i32">;
    this.systems = systems;
    this.offsets = written!.slice();
    this.atoms = this.offsets[systems]!;
    const firsts = new Int32Array(systems + 1);
    for (let s = 0; s < systems; s++) {
      firsts[s + 1] = firsts[s]! + Math.ceil((this.offsets[s + 1]! - this.offsets[s]!) / LANES);
    }
    this.tiles = firsts[systems]!;
    const words = new Uint32Array(OFFSETS + 2 * (systems + 1) + this.tiles);
    words.set(this.offsets, OFFSETS);
    words.set(firsts, OFFSETS + systems + 1);
    const at = OFFSETS + 2 * (systems + 1);
    for (let s = 0; s < systems; s++) words.fill(s, at + firsts[s]!, at + firsts[s + 1]!);
    this.memory = storage(device, words.byteLength);
    device.queue.writeBuffer(this.memory, 0, words);
  }
}

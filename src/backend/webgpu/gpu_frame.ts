import type { FrameBuffers } from "../backend.ts";
import { type GpuBuffer, storage } from "./program/gpu_buffer.ts";
import { LANES } from "./program/shader.ts";
import { OFFSETS } from "./wgsl/module.ts";

/** What kernels know of a batch: where its systems are, their tiles, and whether anything is to be done at all. */
export class GpuFrame {
  readonly buffers: FrameBuffers;
  readonly systems: number;
  readonly atoms: number;
  /** Workgroups of atoms, each of one system. */
  readonly tiles: number;
  readonly offsets: Int32Array;
  /** Words, offsets, where the tiles of each system begin, the system of each tile. */
  readonly memory: GPUBuffer;
  /** The memory that its programs work on, and that can be read: what is read of it depends on its runs. */
  readonly memories: Set<GPUBuffer> = new Set<GPUBuffer>();
  /** How many runs there have been. */
  runs = 0;
  /** How often lists have grown. */
  generation = 0;
  /** How often memory was replaced by other memory: whoever binds some must do so anew. */
  moves = 0;

  /** Throws a TypeError when the offsets were not written by the host. */
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

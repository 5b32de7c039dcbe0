import type { FrameBuffers } from "../backend.ts";
import { type GpuBuffer, storage } from "./gpu_buffer.ts";
import type { CopyRequest } from "./copy_request.ts";
import { GpuRun } from "./gpu_run.ts";
import { LANES } from "./shader.ts";
import { FrameWord, OFFSETS } from "./wgsl/module.ts";

/** What kernels know of a batch: where its systems are, their tiles, and whether anything is to be done at all. */
export class GpuFrame {
  readonly buffers: FrameBuffers;
  readonly systems: number;
  readonly atoms: number;
  /** Workgroups of atoms, each of one system. */
  readonly tiles: number;
  readonly offsets: Int32Array;
  /** {@linkcode FrameWord}s, offsets, where the tiles of each system begin, the system of each tile. */
  readonly memory: GPUBuffer;
  /** The memory that its programs work on. */
  readonly memories: Set<GPUBuffer> = new Set<GPUBuffer>();
  /** What was asked for since the last run of which it is known how it ended, in order. */
  readonly pending: (GpuRun | CopyRequest)[] = [];
  /** How many runs there have been. */
  runs = 0;
  /** How often lists have grown. */
  generation = 0;

  /** Throws a TypeError when the offsets were not written by the host. */
  constructor(device: GPUDevice, buffers: FrameBuffers) {
    this.buffers = buffers;
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

  /** Whether something may yet have to be done again, as a list was too short. */
  get isUnsure(): boolean {
    return this.pending.some((one) => one instanceof GpuRun && one.program.hasPairs);
  }

  /** Takes note of what the device says of its runs: those that have ended need not be remembered. */
  note(words: Uint32Array): void {
    const last = words[FrameWord.RUN]!;
    const isHeld = words[FrameWord.OVERFLOW] !== 0; // the last one is not done, then
    for (let i = 0; i < this.pending.length;) {
      const run = this.pending[i]!;
      if (!(run instanceof GpuRun)) {
        i++;
        continue;
      }
      if (run.number > last || (isHeld && run.number === last)) return;
      run.done = words[FrameWord.DONE + run.number % FrameWord.RING]!;
      this.pending.splice(i, 1);
    }
  }

  /** What is to be done again after a list was too short: the run that it held up, and all that came after it. */
  held(): readonly [run: GpuRun, later: readonly (GpuRun | CopyRequest)[]] {
    const at = this.pending.findIndex((one) => one instanceof GpuRun);
    return [this.pending[at] as GpuRun, this.pending.slice(at + 1)];
  }

  /** Forgets copies that have arrived. */
  forget(request: CopyRequest): void {
    const at = this.pending.indexOf(request);
    if (at >= 0) this.pending.splice(at, 1);
  }
}

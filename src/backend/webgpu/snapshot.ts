import type { GpuBuffer } from "./gpu_buffer.ts";
import type { GpuFrame } from "./gpu_frame.ts";
import { OFFSETS } from "./wgsl/module.ts";

/** Copies of buffers as they are at one moment, and of what the device says of its runs. */
export class Snapshot {
  /** Where they are on their way. */
  readonly staging: GPUBuffer;
  readonly #sources: readonly GPUBuffer[];
  readonly #sizes: readonly number[];
  readonly #frames: readonly GpuFrame[];
  readonly #generations: readonly number[];

  /** `lend` gives memory for so many bytes. */
  constructor(
    sources: readonly (readonly [memory: GPUBuffer, bytes: number])[],
    frames: readonly GpuFrame[],
    lend: (bytes: number) => GPUBuffer,
  ) {
    this.#frames = frames;
    this.#generations = frames.map(({ generation }) => generation);
    this.#sources = [...sources.map(([memory]) => memory), ...frames.map(({ memory }) => memory)];
    this.#sizes = [...sources.map(([, bytes]) => bytes), ...frames.map(() => 4 * OFFSETS)];
    this.staging = lend(this.#sizes.reduce((sum, size) => sum + size, 0));
  }

  /** Encodes the copies: one command each, into one buffer. */
  encode(encoder: GPUCommandEncoder): void {
    let at = 0;
    for (const [i, source] of this.#sources.entries()) {
      const size = this.#sizes[i]!;
      if (size > 0) encoder.copyBufferToBuffer(source, 0, this.staging, at, size);
      at += size;
    }
  }

  /** Waits for the copies. */
  async arrive(): Promise<Arrived> {
    const bytes = this.#sizes.reduce((sum, size) => sum + size, 0);
    await this.staging.mapAsync(GPUMapMode.READ, 0, Math.max(4, bytes));
    const mapped = this.staging.getMappedRange(0, Math.max(4, bytes));
    const parts: ArrayBuffer[] = [];
    let at = 0;
    for (const size of this.#sizes) {
      parts.push(mapped.slice(at, at + size));
      at += size;
    }
    this.staging.unmap();
    const many = this.#sources.length - this.#frames.length;
    return {
      values: parts.slice(0, many),
      frames: this.#frames.map((frame, i) => ({
        frame,
        generation: this.#generations[i]!,
        words: new Uint32Array(parts[many + i]!),
      })),
    };
  }
}

/** What has come to the host. */
export interface Arrived {
  /** The bytes of each buffer. */
  readonly values: readonly ArrayBuffer[];
  /** What each frame said, and how often its lists had grown when it was asked. */
  readonly frames: readonly {
    readonly frame: GpuFrame;
    readonly generation: number;
    readonly words: Uint32Array;
  }[];
}

/** A buffer and its bytes. */
export function sourceOf(buffer: GpuBuffer): readonly [GPUBuffer, number] {
  return [buffer.memory, buffer.bytes];
}

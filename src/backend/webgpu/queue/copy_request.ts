import { MAP_READ } from "../constants.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import type { Staging } from "./staging.ts";
import { OFFSETS } from "../wgsl/module.ts";

/** Memory to copy, from its beginning. The memory may be replaced by other memory between two attempts. */
export interface Source {
  /** The memory that holds the values now. */
  readonly memory: GPUBuffer;
  /** Number of bytes to copy. */
  readonly bytes: number;
}

/** A request to copy memory to the host at one moment. */
export class CopyRequest {
  readonly #sources: readonly Source[];
  readonly #staging: Staging;
  /**
   * The frames of the batches that the memory belongs to. Their words are copied too, because they show whether the
   * copy is valid.
   */
  readonly frames: readonly GpuFrame[];
  /** The latest attempt. `again` replaces it if the copied values have to be computed again. */
  attempt: Attempt;

  constructor(sources: readonly Source[], frames: readonly GpuFrame[], staging: Staging) {
    this.#sources = sources;
    this.frames = frames;
    this.#staging = staging;
    this.attempt = this.#attempt();
  }

  /**
   * Begins another attempt. It uses another staging buffer, because that of the first attempt may already be mapped.
   */
  again(): Attempt {
    return this.attempt = this.#attempt();
  }

  #attempt(): Attempt {
    return new Attempt(this.#sources, this.frames, this.#staging);
  }
}

/** One attempt to copy, with its staging buffer. */
export class Attempt {
  readonly #parts: readonly (readonly [memory: GPUBuffer, bytes: number])[];
  readonly #values: number;
  readonly #bytes: number;
  readonly #frames: readonly { readonly frame: GpuFrame; readonly generation: number }[];
  readonly #staging: Staging;
  readonly #to: GPUBuffer;

  constructor(sources: readonly Source[], frames: readonly GpuFrame[], staging: Staging) {
    const words = frames.map(({ memory }) => ({ memory, bytes: 4 * OFFSETS }));
    this.#parts = [...sources, ...words].map(({ memory, bytes }) => [memory, bytes] as const);
    this.#values = sources.length;
    this.#bytes = this.#parts.reduce((sum, [, bytes]) => sum + bytes, 0);
    this.#frames = frames.map((frame) => ({ frame, generation: frame.generation }));
    this.#staging = staging;
    this.#to = staging.lend(this.#bytes);
  }

  /** Encodes the copies of all sources into the staging buffer, one after the other. */
  encode(encoder: GPUCommandEncoder): void {
    let at = 0;
    for (const [memory, bytes] of this.#parts) {
      if (bytes > 0) encoder.copyBufferToBuffer(memory, 0, this.#to, at, bytes);
      at += bytes;
    }
  }

  /** Maps the staging buffer, copies its bytes out, and returns it for reuse. Must be called once only. */
  async arrive(): Promise<Arrived> {
    const size = Math.max(4, this.#bytes);
    try {
      await this.#to.mapAsync(MAP_READ, 0, size);
    } catch (error) {
      this.#staging.discard(this.#to);
      throw error;
    }
    const mapped = this.#to.getMappedRange(0, size);
    let at = 0;
    const parts = this.#parts.map(([, bytes]) => mapped.slice(at, at += bytes));
    this.#to.unmap();
    this.#staging.takeBack(this.#to);
    return {
      values: parts.slice(0, this.#values),
      frames: this.#frames.map(({ frame, generation }, i) => {
        return { frame, generation, words: new Uint32Array(parts[this.#values + i]!) };
      }),
    };
  }
}

/** The values of an attempt that have arrived on the host. */
export interface Arrived {
  /** The bytes of each source. */
  readonly values: readonly ArrayBuffer[];
  /** The words of each frame, and the frame's generation when the attempt began. */
  readonly frames: readonly {
    readonly frame: GpuFrame;
    readonly generation: number;
    readonly words: Uint32Array;
  }[];
}

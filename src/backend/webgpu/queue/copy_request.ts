import { MAP_READ } from "../constants.ts";
import type { GpuFrame } from "../gpu_frame.ts";
import type { Staging } from "./staging.ts";
import { OFFSETS } from "../wgsl/module.ts";

/** Some memory, from its beginning on; another one, maybe, once what it holds has grown. */
export interface Source {
  /** Where it is now. */
  readonly memory: GPUBuffer;
  /** How much of it. */
  readonly bytes: number;
}

/** Copies of some memory as it is at one moment, on their way to the host. */
export class CopyRequest {
  readonly #sources: readonly Source[];
  readonly #staging: Staging;
  /** The batches that the memory belongs to: what the device says of their runs comes with it. */
  readonly frames: readonly GpuFrame[];
  /** The copies under way; others, when what was copied has to be computed again. */
  attempt: Attempt;

  constructor(sources: readonly Source[], frames: readonly GpuFrame[], staging: Staging) {
    this.#sources = sources;
    this.frames = frames;
    this.#staging = staging;
    this.attempt = this.#attempt();
  }

  /** Copies anew, in a place of its own: the first copies may be being looked at. */
  again(): Attempt {
    return this.attempt = this.#attempt();
  }

  #attempt(): Attempt {
    return new Attempt(this.#sources, this.frames, this.#staging);
  }
}

/** Copies on their way. */
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

  /** Encodes the copies, one after the other into one buffer. */
  encode(encoder: GPUCommandEncoder): void {
    let at = 0;
    for (const [memory, bytes] of this.#parts) {
      if (bytes > 0) encoder.copyBufferToBuffer(memory, 0, this.#to, at, bytes);
      at += bytes;
    }
  }

  /** Waits for the copies; once. */
  async arrive(): Promise<Arrived> {
    const size = Math.max(4, this.#bytes);
    try {
      await this.#to.mapAsync(MAP_READ, 0, size);
    } catch (error) {
      this.#staging.lose(this.#to);
      throw error;
    }
    const mapped = this.#to.getMappedRange(0, size);
    let at = 0;
    const parts = this.#parts.map(([, bytes]) => mapped.slice(at, at += bytes));
    this.#to.unmap();
    this.#staging.take(this.#to);
    return {
      values: parts.slice(0, this.#values),
      frames: this.#frames.map(({ frame, generation }, i) => {
        return { frame, generation, words: new Uint32Array(parts[this.#values + i]!) };
      }),
    };
  }
}

/** What has come to the host. */
export interface Arrived {
  /** The bytes of each source. */
  readonly values: readonly ArrayBuffer[];
  /** What the device said of each batch, and how often its lists had grown when it was asked. */
  readonly frames: readonly {
    readonly frame: GpuFrame;
    readonly generation: number;
    readonly words: Uint32Array;
  }[];
}

import { BufferUsage } from "../constants.ts";

/** Staging buffers for copies to the host. Buffers are reused, because creating one takes longer than filling it. */
export class Staging {
  readonly #device: GPUDevice;
  readonly #free = new Map<number, GPUBuffer[]>();
  #isClosed = false;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** Returns a free staging buffer of at least `bytes` bytes, or creates one. */
  lend(bytes: number): GPUBuffer {
    const size = sizeOf(bytes);
    return this.#free.get(size)?.pop() ?? this.#device.createBuffer({
      size,
      usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST,
    });
  }

  /** Takes an unmapped buffer back for reuse. Up to 64 buffers of each size are kept; others are destroyed. */
  takeBack(buffer: GPUBuffer): void {
    const free = this.#free.get(buffer.size) ?? [];
    this.#free.set(buffer.size, free);
    if (free.length < KEPT && !this.#isClosed) free.push(buffer);
    else buffer.destroy();
  }

  /**
   * Destroys a buffer that could not be mapped. After the loss of a device, the failed mapping
   * would keep it alive.
   */
  discard(buffer: GPUBuffer): void {
    buffer.destroy();
  }

  /** Destroys all free buffers. Buffers in use are destroyed when they are returned. */
  free(): void {
    this.#isClosed = true;
    for (const buffers of this.#free.values()) {
      for (const buffer of buffers) buffer.destroy();
    }
    this.#free.clear();
  }
}

/** Largest number of free buffers of each size: the largest number of copies in flight. */
const KEPT = 64;

/** Rounds a size up to a power of two, at least 256 bytes, so that buffers of few sizes serve all requests. */
function sizeOf(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(256, bytes)));
}

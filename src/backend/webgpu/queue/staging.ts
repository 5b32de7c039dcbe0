import { BufferUsage } from "../constants.ts";

/** A ring of staging buffers through which copies come to the host. Making one takes longer than filling it. */
export class Staging {
  readonly #device: GPUDevice;
  readonly #free = new Map<number, GPUBuffer[]>();
  #isClosed = false;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** Lends a buffer of at least so many bytes. */
  lend(bytes: number): GPUBuffer {
    const size = sizeOf(bytes);
    return this.#free.get(size)?.pop() ?? this.#device.createBuffer({
      size,
      usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST,
    });
  }

  /** Takes an unmapped buffer back. Up to 64 of each size are kept. */
  takeBack(buffer: GPUBuffer): void {
    const free = this.#free.get(buffer.size) ?? [];
    this.#free.set(buffer.size, free);
    if (free.length < KEPT && !this.#isClosed) free.push(buffer);
    else buffer.destroy();
  }

  /** Destroys a buffer that could not be mapped. After a lost device, a failed mapping would keep it alive. */
  discard(buffer: GPUBuffer): void {
    buffer.destroy();
  }

  /** Destroys all buffers; those that are lent when they come back. */
  free(): void {
    this.#isClosed = true;
    for (const buffers of this.#free.values()) {
      for (const buffer of buffers) buffer.destroy();
    }
    this.#free.clear();
  }
}

const KEPT = 64;

/** Rounds up to a power of two, so that few sizes serve all requests. */
function sizeOf(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(256, bytes)));
}

import { BufferUsage } from "../constants.ts";

/** Memory through which copies come to the host: lent by size, and lent again. */
export class Staging {
  readonly #device: GPUDevice;
  readonly #free = new Map<number, GPUBuffer[]>();
  #lent = 0;
  #isClosed = false;

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** At least so many bytes. */
  lend(bytes: number): GPUBuffer {
    this.#lent++;
    const size = sizeOf(bytes);
    return this.#free.get(size)?.pop() ?? this.#device.createBuffer({
      size,
      usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST,
    });
  }

  /** Takes it back, unmapped; beyond 64 of a size it is given up. */
  take(buffer: GPUBuffer): void {
    this.#lent--;
    const free = this.#free.get(buffer.size) ?? [];
    this.#free.set(buffer.size, free);
    if (free.length < KEPT && !this.#isClosed) free.push(buffer);
    else buffer.destroy();
  }

  /** Gives up what cannot be looked at: its device is gone. */
  lose(buffer: GPUBuffer): void {
    this.#lent--;
    buffer.destroy();
  }

  /** How many are out. */
  get lent(): number {
    return this.#lent;
  }

  /** Gives all up, those that are lent as they come back. */
  free(): void {
    this.#isClosed = true;
    for (const buffers of this.#free.values()) {
      for (const buffer of buffers) buffer.destroy();
    }
    this.#free.clear();
  }
}

const KEPT = 64;

/** Few sizes, so that one fits many. */
function sizeOf(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(256, bytes)));
}

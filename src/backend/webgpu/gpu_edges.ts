import { FAR, roomFor } from "../../kernels/edges/edge_list.ts";
import type { Edges, EdgesOptions } from "../backend.ts";
import { GpuBuffer, storage } from "./program/gpu_buffer.ts";
import type { GpuFrame } from "./gpu_frame.ts";
import type { GpuPairs } from "./gpu_pairs.ts";
import type { Growing } from "./program/growing.ts";
import { placesLength } from "./wgsl/edge_places.ts";
import { tooLarge } from "./too_large.ts";

/** A list of edges on a device. */
export class GpuEdges implements Edges {
  readonly pairs: GpuPairs;
  readonly cutoff: number;
  readonly isHalf: boolean;
  readonly reach: number;
  readonly index: GpuBuffer<"i32">;
  readonly shifts: GpuBuffer<"real">;
  readonly systems: GpuBuffer<"i32">;
  readonly centers: GpuBuffer<"i32">;
  readonly triplets: GpuBuffer<"i32">;
  readonly counts: GpuBuffer<"i32">;
  /** The numbers of edges and of triplets of each atom, and the indices of each atom's first edge and first triplet. */
  readonly places: GPUBuffer;
  /** The buffers of edges, which grow if the kernel `edges` finds them too short. */
  readonly rows: GpuRows;
  /** The buffers of triplets, which grow if the kernel `triplets` finds them too short. */
  readonly fans: GpuRows;

  constructor(device: GPUDevice, frame: { atoms: number; systems: number }, options: EdgesOptions) {
    this.pairs = options.pairs as GpuPairs;
    this.cutoff = options.cutoff;
    this.isHalf = options.isHalf;
    this.reach = options.reach;
    const i32 = (length: number) => new GpuBuffer(device, "i32", length);
    [this.index, this.systems, this.centers, this.triplets] = [i32(0), i32(0), i32(0), i32(0)];
    this.counts = i32(2);
    this.shifts = new GpuBuffer(device, "real", 0);
    this.places = storage(device, 4 * placesLength(frame.atoms, frame.systems));
    this.rows = new GpuRows(device, "edges", [[this.index, 2], [this.shifts, 3], [
      this.systems,
      1,
    ]]);
    this.fans = new GpuRows(device, "triplets", [[this.centers, 1], [this.triplets, 2]]);
    this.rows.make(roomFor(0));
    if (this.reach > 0) this.fans.make(roomFor(0));
    // Pads the list, because no kernel is dispatched to pad it in a batch without systems.
    const far = Float32Array.from({ length: 3 * this.capacity }, (_, i) => i % 3 === 0 ? FAR : 0);
    device.queue.writeBuffer(this.shifts.memory, 0, far);
  }

  get capacity(): number {
    return this.rows.capacity;
  }

  get tripletCapacity(): number {
    return this.fans.capacity;
  }

  /** All buffers that callers can read. */
  get buffers(): readonly GpuBuffer[] {
    const { index, shifts, systems, centers, triplets, counts } = this;
    return [index, shifts, systems, centers, triplets, counts] as unknown as GpuBuffer[];
  }

  /** Frees the memory of the list. */
  free(): void {
    for (const { memory } of this.buffers) memory.destroy();
    this.places.destroy();
  }
}

/** Buffers with the same capacity of edges or triplets. They grow together. */
class GpuRows implements Growing {
  readonly isLoaded = false;
  /** Number of edges or triplets that fit. */
  capacity = 0;
  readonly #device: GPUDevice;
  readonly #what: string;
  readonly #buffers: readonly (readonly [buffer: GpuBuffer, width: number])[];

  constructor(
    device: GPUDevice,
    what: string,
    buffers: readonly (readonly [GpuBuffer<"i32"> | GpuBuffer<"real">, number])[],
  ) {
    this.#device = device;
    this.#what = what;
    this.#buffers = buffers as unknown as readonly (readonly [GpuBuffer, number])[];
  }

  /**
   * Replaces the buffers by larger ones for `need` entries; their values are lost. Throws a BackendUnavailableError
   * if the device lacks the memory.
   */
  grow(need: number, { memories }: GpuFrame): void {
    for (const [{ memory }] of this.#buffers) memories.delete(memory);
    this.make(roomFor(need));
    for (const [{ memory }] of this.#buffers) memories.add(memory);
  }

  /** Replaces the buffers by `capacity` entries of zeros. */
  make(capacity: number): void {
    const widest = Math.max(...this.#buffers.map(([, width]) => width));
    const most = this.#device.limits.maxStorageBufferBindingSize;
    if (4 * widest * capacity > most) {
      throw tooLarge(
        `list ${this.#what}`,
        `${capacity} of them take ${
          4 * widest * capacity
        } bytes, and a buffer of the device has at most ${most}`,
      );
    }
    this.capacity = capacity;
    for (const [buffer, width] of this.#buffers) buffer.resize(this.#device, width * capacity);
  }
}

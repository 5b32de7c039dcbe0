import type { FrameBuffers, Pairs, PairsOptions, SavedPairs } from "../backend.ts";
import { describeAdapter } from "./adapter.ts";
import { adapterOf } from "./device.ts";
import { type GpuBuffer, storage } from "./program/gpu_buffer.ts";
import type { Growing } from "./program/growing.ts";
import { pairSizes } from "./wgsl/pair_state.ts";
import { tooLarge } from "./too_large.ts";

/** Initial number of entries per row. Rows grow if they are too short. */
const CAPACITY = 48;

/**
 * Largest number of entries per row on a software GPU. Kernels take up to three loop rounds per entry, and Mesa's
 * software GPU ends the loops of a thread after 65,535 rounds in total.
 */
const LONGEST = 20_000;

/** A list of pairs on a device, with a row of entries for each atom. All rows have the same capacity. */
export class GpuPairs implements Pairs, Growing {
  readonly cutoff: number;
  readonly skin: number;
  readonly atoms: number;
  readonly systems: number;
  /** Memory with the reference positions, the cells and the boxes. */
  readonly kept: GPUBuffer;
  /** Memory with the image counters and bins of atoms, and the search counters of systems. */
  readonly marks: GPUBuffer;
  /** Memory with the rows. Growing replaces it. */
  list: GPUBuffer;
  /** Number of entries that a row can hold. */
  capacity: number = CAPACITY;
  /** Largest number of entries per row that a thread can process. */
  readonly longest: number;
  /**
   * True if the next run of the kernel `neighbors` must first find the pairs from the reference positions of a
   * checkpoint.
   */
  isLoaded = false;
  readonly #device: GPUDevice;
  readonly #offsets: Int32Array;

  constructor(device: GPUDevice, { systems, offsets }: FrameBuffers, options: PairsOptions) {
    this.cutoff = options.cutoff;
    this.skin = options.skin;
    this.#device = device;
    this.#offsets = (offsets as GpuBuffer<"i32">).written!.slice();
    const adapter = adapterOf(device);
    const isHardware = adapter !== undefined && !describeAdapter(adapter).isSoftware;
    this.longest = isHardware ? 2 ** 31 - 1 : LONGEST;
    this.systems = systems;
    this.atoms = this.#offsets[systems]!;
    const sizes = pairSizes(this.atoms, systems);
    this.kept = storage(device, 4 * sizes.kept);
    this.marks = storage(device, 4 * sizes.marks);
    this.list = this.#rows(this.capacity);
  }

  /**
   * Makes room for `need` entries per row. The entries are kept, because systems whose pairs are not due need them;
   * the layout of entries does not depend on the capacity. Throws a BackendUnavailableError if the device lacks the
   * memory.
   */
  grow(need: number): void {
    const capacity = Math.ceil(1.15 * need / 16) * 16;
    const list = this.#rows(capacity);
    const encoder = this.#device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.list, 0, list, 0, this.list.size);
    this.#device.queue.submit([encoder.finish()]);
    this.list.destroy();
    this.list = list;
    this.capacity = capacity;
    // The list may have been too short for the pairs of a checkpoint. Then these pairs must be found
    // again, and the current pairs after them.
    this.isLoaded = true;
  }

  /** Returns the state of the list from copies of `kept` and `marks`. */
  saved(kept: Float32Array, marks: Int32Array): SavedPairs {
    const { atoms, systems } = this;
    const { cells, builds: at } = pairSizes(atoms, systems);
    const builds = marks.slice(at, at + systems);
    const found = (values: ArrayLike<number>) =>
      Array.from(builds).flatMap((count, s) =>
        count === 0
          ? []
          : Array.prototype.slice.call(values, 3 * this.#offsets[s]!, 3 * this.#offsets[s + 1]!)
      );
    return {
      reference: Float64Array.from(found(kept)),
      images: Int32Array.from(found(marks)),
      cells: Float64Array.from(kept.subarray(cells, cells + 9 * systems)),
      builds,
    };
  }

  /**
   * Restores the state of the list. `offsets` has the index of the first atom of each system, followed by the number
   * of atoms.
   */
  load(offsets: Int32Array, saved: SavedPairs): void {
    const sizes = pairSizes(this.atoms, this.systems);
    const kept = new Float32Array(sizes.kept), marks = new Int32Array(sizes.marks);
    let at = 0; // saved pairs omit systems whose pairs were never found
    for (let s = 0; s < this.systems; s++) {
      marks[sizes.builds + s] = saved.builds[s]!;
      if (saved.builds[s] === 0) continue;
      marks[sizes.due + s] = 2;
      const first = 3 * offsets[s]!, to = at + 3 * offsets[s + 1]! - first;
      kept.set(saved.reference.subarray(at, to), first);
      marks.set(saved.images.subarray(at, to), first);
      at = to;
    }
    kept.set(saved.cells, sizes.cells);
    this.#device.queue.writeBuffer(this.kept, 0, kept);
    this.#device.queue.writeBuffer(this.marks, 0, marks);
    this.isLoaded = true;
  }

  /** Frees the memory of the list. */
  free(): void {
    for (const buffer of [this.kept, this.marks, this.list]) buffer.destroy();
  }

  #rows(capacity: number): GPUBuffer {
    const bytes = 4 * this.atoms * (4 + 2 * capacity);
    const most = this.#device.limits.maxStorageBufferBindingSize;
    if (bytes <= most) return storage(this.#device, bytes);
    throw tooLarge(
      `find pairs up to ${this.cutoff + this.skin} Å`,
      `${this.atoms} atoms with ${capacity} neighbors each take ${bytes} bytes, and a buffer of the device has at most ${most}`,
    );
  }
}

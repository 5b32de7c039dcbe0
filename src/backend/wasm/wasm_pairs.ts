import type { Pairs, PairsOptions, SavedPairs } from "../backend.ts";
import type { WasmModule } from "./wasm_buffer.ts";

/** A list of pairs of clusters in linear memory. Rust fills and grows it. */
export class WasmPairs implements Pairs {
  readonly cutoff: number;
  readonly skin: number;
  /** Address of the list in linear memory. */
  readonly pointer: number;
  /** True if threads of a team share the work on the list. */
  isShared = false;
  readonly #wasm: WasmModule;
  readonly #systems: number;

  constructor(wasm: WasmModule, systems: number, { cutoff, skin }: PairsOptions) {
    this.#wasm = wasm;
    this.#systems = systems;
    this.cutoff = cutoff;
    this.skin = skin;
    this.pointer = wasm.pairs_new(systems, cutoff, skin) >>> 0;
  }

  /** See {@linkcode Backend.savePairs}. */
  save(): SavedPairs {
    const atoms = this.#wasm.pairs_atoms(this.pointer);
    return this.#with(atoms, (pointers, read) => {
      this.#wasm.pairs_save(this.pointer, ...pointers);
      return read();
    });
  }

  /** See {@linkcode Backend.loadPairs}. */
  load(offsets: Int32Array, saved: SavedPairs): void {
    const wasm = this.#wasm;
    const bytes = offsets.byteLength;
    const pointer = allocated(wasm, bytes);
    new Int32Array(wasm.memory.buffer, pointer, offsets.length).set(offsets);
    this.#with(saved.reference.length / 3, (pointers) => {
      const [reference, images, cells, builds] = pointers;
      const { buffer } = wasm.memory;
      new Float64Array(buffer, reference, saved.reference.length).set(saved.reference);
      new Int32Array(buffer, images, saved.images.length).set(saved.images);
      new Float64Array(buffer, cells, saved.cells.length).set(saved.cells);
      new Int32Array(buffer, builds, saved.builds.length).set(saved.builds);
      wasm.pairs_load(this.pointer, pointer, ...pointers);
    });
    wasm.release(pointer, bytes);
  }

  /** Shares the work on the list with other threads, by the function at index `share` of the function table. */
  join(team: number, member: number, size: number, share: number): void {
    this.isShared = true;
    this.#wasm.pairs_join(this.pointer, team, member, size, share);
  }

  /** See {@linkcode Backend.forgetPairs}. */
  forget(places: readonly number[]): void {
    for (const place of places) this.#wasm.pairs_forget(this.pointer, place);
  }

  /** Frees the memory of the list. */
  free(): void {
    this.#wasm.pairs_free(this.pointer);
  }

  /**
   * Allocates memory for the reference positions, images, cells and builds, calls `work` with the addresses, and
   * frees the memory.
   */
  #with<T>(
    atoms: number,
    work: (pointers: [number, number, number, number], read: () => SavedPairs) => T,
  ): T {
    const wasm = this.#wasm;
    const sizes = [24 * atoms, 12 * atoms, 72 * this.#systems, 4 * this.#systems];
    const pointers = sizes.map((bytes) => allocated(wasm, bytes)) as [
      number,
      number,
      number,
      number,
    ];
    const [reference, images, cells, builds] = pointers;
    const read = () => {
      const { buffer } = wasm.memory;
      return {
        reference: new Float64Array(buffer, reference, 3 * atoms).slice(),
        images: new Int32Array(buffer, images, 3 * atoms).slice(),
        cells: new Float64Array(buffer, cells, 9 * this.#systems).slice(),
        builds: new Int32Array(buffer, builds, this.#systems).slice(),
      };
    };
    try {
      return work(pointers, read);
    } finally {
      for (const [i, pointer] of pointers.entries()) wasm.release(pointer, sizes[i]!);
    }
  }
}

/** Allocates memory and returns its address. Throws a RangeError if there is not enough memory. */
function allocated(wasm: WasmModule, bytes: number): number {
  const pointer = wasm.allocate(bytes) >>> 0;
  if (pointer !== 0) return pointer;
  throw new RangeError(
    `Cannot store pairs: ${bytes} more bytes do not fit into the memory of WebAssembly. Use a smaller batch or cutoff`,
  );
}

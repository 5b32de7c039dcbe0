import type { Arrays, BufferType } from "../../kernels/kernel.ts";
import type { Buffer, Spread } from "../backend.ts";

/** The exports of the compiled module that this backend uses. */
export interface WasmModule {
  readonly memory: WebAssembly.Memory;
  /** Function table of the kernels. */
  readonly table: WebAssembly.Table;
  allocate(bytes: number): number;
  release(pointer: number, bytes: number): void;
  kernel_number(name: string): number;
  run(frame: number, program: number, calls: number, first: number, steps: number): number;
  /**
   * Runs a program like `run`, but runs all steps of a block of systems before those of the next block. A block has up
   * to `atoms` atoms, or one system. `saved` is the address of a table with `count` rows; see `BlockRuns`.
   */
  run_blocks(
    frame: number,
    program: number,
    calls: number,
    first: number,
    steps: number,
    saved: number,
    count: number,
    atoms: number,
  ): number;
  pairs_new(systems: number, cutoff: number, skin: number): number;
  pairs_free(pairs: number): void;
  pairs_forget(pairs: number, system: number): void;
  /** Copies the state of a list of pairs into four buffers. All arguments are addresses. */
  pairs_save(pairs: number, reference: number, images: number, cells: number, builds: number): void;
  /** Restores the state of a list of pairs. `offsets` has one entry more than there are systems. */
  pairs_load(
    pairs: number,
    offsets: number,
    reference: number,
    images: number,
    cells: number,
    builds: number,
  ): void;
  /** Returns the number of atoms whose reference positions a list of pairs keeps. */
  pairs_atoms(pairs: number): number;
  /** Returns the number of threads that can share the work on the pairs of a system. */
  pairs_domains(atoms: number): number;
  /** Shares the work on a list with other threads. `share` is the index of a function in the table. */
  pairs_join(pairs: number, team: number, member: number, size: number, share: number): void;
  edges_new(
    pairs: number,
    atoms: number,
    cutoff: number,
    isHalf: boolean,
    reach: number,
  ): number;
  edges_free(edges: number): void;
  /** Returns the number of edges that fit; with `triplets`, the number of triplets that fit. */
  edges_room(edges: number, triplets: boolean): number;
  /**
   * Returns the address of an array of a list of edges: 0 index, 1 shifts, 2 systems, 3 centers, 4 triplets, 5
   * counts.
   */
  edges_place(edges: number, which: number): number;
}

/** The memory of a buffer, and the level of its rows. */
export interface Placement {
  /** Address in linear memory. */
  readonly pointer: number;
  /** Size in bytes. */
  readonly bytes: number;
  /** Level of the rows; `undefined` if it is not known. */
  readonly spread: Spread | undefined;
}

/** A buffer in linear memory. */
export class WasmBuffer<D extends BufferType = BufferType> implements Buffer<D> {
  readonly dtype: D;
  length: number;
  /** Address in linear memory. */
  pointer: number;
  /** Size in bytes. */
  readonly bytes: number;
  /** Level of the rows; `undefined` if it is not known. */
  readonly spread: Spread | undefined;
  readonly #wasm: WasmModule;
  #view: Arrays[D] | undefined;

  constructor(
    wasm: WasmModule,
    dtype: D,
    length: number,
    { pointer, bytes, spread }: Placement,
  ) {
    this.#wasm = wasm;
    this.spread = spread;
    this.dtype = dtype;
    this.length = length;
    this.pointer = pointer;
    this.bytes = bytes;
  }

  /**
   * Returns a view of the numbers. It is created again after the memory has grown, because growing detaches all
   * views.
   */
  view(): Arrays[D] {
    const { buffer } = this.#wasm.memory;
    if (this.#view === undefined || this.#view.buffer !== buffer) this.#view = this.#viewIn(buffer);
    return this.#view;
  }

  /** Sets the address and the length that Rust has assigned after the contents have grown. */
  move(pointer: number, length: number): void {
    this.pointer = pointer;
    this.length = length;
    this.#view = undefined;
  }

  #viewIn(memory: ArrayBufferLike): Arrays[D] {
    const { dtype, pointer, length } = this;
    const view = dtype === "f64"
      ? new Float64Array(memory, pointer, length)
      : dtype === "i32"
      ? new Int32Array(memory, pointer, length)
      : new Float32Array(memory, pointer, length);
    return view as unknown as Arrays[D];
  }
}

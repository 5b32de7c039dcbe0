import type { Arrays, Dtype } from "../../kernels/kernel.ts";
import type { Buffer } from "../backend.ts";

/** What the compiled module exports. */
export interface WasmModule {
  readonly memory: WebAssembly.Memory;
  /** The functions that kernels can call. */
  readonly table: WebAssembly.Table;
  allocate(bytes: number): number;
  release(pointer: number, bytes: number): void;
  kernel_number(name: string): number;
  run(frame: number, program: number, calls: number, first: number, steps: number): number;
  pairs_new(systems: number, cutoff: number, skin: number): number;
  pairs_free(pairs: number): void;
  pairs_forget(pairs: number, system: number): void;
  /** Copies what a checkpoint keeps into four buffers. */
  pairs_save(pairs: number, reference: number, images: number, cells: number, builds: number): void;
  /** Takes it back; `offsets` has one entry more than there are systems. */
  pairs_load(
    pairs: number,
    offsets: number,
    reference: number,
    images: number,
    cells: number,
    builds: number,
  ): void;
  /** How many atoms the list has kept reference positions of. */
  pairs_atoms(pairs: number): number;
  edges_new(
    pairs: number,
    atoms: number,
    cutoff: number,
    isHalf: boolean,
    reach: number,
  ): number;
  edges_free(edges: number): void;
  /** How many edges, or triplets, there is room for. */
  edges_room(edges: number, triplets: boolean): number;
  /** Where index, shifts, systems, centers, triplets and counts are: 0 to 5. */
  edges_place(edges: number, which: number): number;
}

/** A buffer in linear memory. */
export class WasmBuffer<D extends Dtype = Dtype> implements Buffer<D> {
  readonly dtype: D;
  length: number;
  /** Where it is. */
  pointer: number;
  /** How large it is. */
  readonly bytes: number;
  readonly #wasm: WasmModule;
  #view: Arrays[D] | undefined;

  constructor(wasm: WasmModule, dtype: D, length: number, pointer: number, bytes: number) {
    this.#wasm = wasm;
    this.dtype = dtype;
    this.length = length;
    this.pointer = pointer;
    this.bytes = bytes;
  }

  /** A view, made again when the memory has grown meanwhile: what there was before is detached then. */
  view(): Arrays[D] {
    const { buffer } = this.#wasm.memory;
    if (this.#view === undefined || this.#view.buffer !== buffer) this.#view = this.#look(buffer);
    return this.#view;
  }

  /** It is elsewhere from now on, as what Rust keeps in it has grown. */
  move(pointer: number, length: number): void {
    this.pointer = pointer;
    this.length = length;
    this.#view = undefined;
  }

  #look(memory: ArrayBufferLike): Arrays[D] {
    const { dtype, pointer, length } = this;
    const view = dtype === "f64"
      ? new Float64Array(memory, pointer, length)
      : dtype === "i32"
      ? new Int32Array(memory, pointer, length)
      : new Float32Array(memory, pointer, length);
    return view as unknown as Arrays[D];
  }
}

import type { Edges, EdgesOptions } from "../backend.ts";
import { type Placement, WasmBuffer, type WasmModule } from "./wasm_buffer.ts";
import type { WasmPairs } from "./wasm_pairs.ts";

/** The memory of a buffer before Rust assigns it. */
const NOWHERE: Placement = { pointer: 0, bytes: 0, spread: undefined };

/** A list of edges in linear memory. Rust fills and grows it. */
export class WasmEdges implements Edges {
  /** Address of the list in linear memory. */
  readonly pointer: number;
  readonly index: WasmBuffer<"i32">;
  readonly shifts: WasmBuffer<"real">;
  readonly systems: WasmBuffer<"i32">;
  readonly centers: WasmBuffer<"i32">;
  readonly triplets: WasmBuffer<"i32">;
  readonly counts: WasmBuffer<"i32">;
  capacity = 0;
  tripletCapacity = 0;
  readonly #wasm: WasmModule;

  constructor(wasm: WasmModule, atoms: number, { pairs, cutoff, isHalf, reach }: EdgesOptions) {
    const from = (pairs as WasmPairs).pointer;
    this.#wasm = wasm;
    this.pointer = wasm.edges_new(from, atoms, cutoff, isHalf, reach) >>> 0;
    const i32 = () => new WasmBuffer(wasm, "i32", 0, NOWHERE);
    [this.index, this.systems, this.centers, this.triplets] = [i32(), i32(), i32(), i32()];
    this.shifts = new WasmBuffer(wasm, "real", 0, NOWHERE);
    const counts = wasm.edges_place(this.pointer, 5) >>> 0;
    this.counts = new WasmBuffer(wasm, "i32", 2, { pointer: counts, bytes: 8, spread: undefined });
    this.refresh();
  }

  /** Updates the addresses and lengths of the buffers after the list may have grown. */
  refresh(): void {
    const room = this.#wasm.edges_room(this.pointer, false);
    const tripletRoom = this.#wasm.edges_room(this.pointer, true);
    if (room !== this.capacity) {
      this.capacity = room;
      this.#move(this.index, 0, 2 * room);
      this.#move(this.shifts, 1, 3 * room);
      this.#move(this.systems, 2, room);
    }
    if (tripletRoom !== this.tripletCapacity) {
      this.tripletCapacity = tripletRoom;
      this.#move(this.centers, 3, tripletRoom);
      this.#move(this.triplets, 4, 2 * tripletRoom);
    }
  }

  /** Frees the memory of the list. */
  free(): void {
    this.#wasm.edges_free(this.pointer);
  }

  #move(buffer: WasmBuffer, which: number, length: number): void {
    buffer.move(this.#wasm.edges_place(this.pointer, which) >>> 0, length);
  }
}

import { type Arrays, type BufferType, Control, type Kernel } from "../../kernels/kernel.ts";
import type {
  Backend,
  Buffer,
  BufferValues,
  Edges,
  EdgesOptions,
  FrameBuffers,
  KernelCall,
  Pairs,
  PairsOptions,
  Program,
  SavedPairs,
  Spread,
} from "../backend.ts";
import { checkEdges } from "../check_edges.ts";
import { withPairFunctions } from "./pair_functions.ts";
import { BlockRuns } from "./wasm_blocks.ts";
import { WasmBuffer, type WasmModule } from "./wasm_buffer.ts";
import { WasmEdges } from "./wasm_edges.ts";
import { WasmPairs } from "./wasm_pairs.ts";
import { loadModule } from "./module.ts";
import { addToTable } from "./wasm_code.ts";

/** The place of a thread in a team. */
export interface TeamPlace {
  /** Index of the thread within the team. */
  readonly member: number;
  /** Number of threads in the team. */
  readonly size: number;
  /** Index of the function that exchanges numbers, in the function table. */
  readonly share: number;
}

const BYTES: Readonly<Record<BufferType, number>> = { real: 4, f64: 8, i32: 4 };
const SLOT = 8, HEADER = 16;
/** Largest allocation in a 32-bit memory, in bytes, a multiple of 64. */
const MOST_BYTES = 2 ** 31 - 64;

/** Options of a {@linkcode WasmBackend}. */
export interface WasmOptions {
  /**
   * Largest number of atoms of a block. In calls of many steps, a block of systems runs all steps before the next
   * block, so that its values stay in the cache. Results do not depend on it.
   *
   * @default 1024
   */
  readonly blockAtoms?: number;
}

/**
 * The WebAssembly backend. Its kernels are written in Rust, and use 128-bit SIMD and float32. Sums over many terms
 * are in float64.
 */
export class WasmBackend implements Backend {
  readonly name = "wasm";
  readonly real = "f32";
  readonly isHost = true;
  readonly #wasm: WasmModule = loadModule();
  readonly #buffers = new Set<WasmBuffer>();
  readonly #pairs = new Set<WasmPairs>();
  readonly #edges = new Set<WasmEdges>();
  readonly #blockAtoms: number | undefined;

  /** Creates a backend without buffers. */
  constructor({ blockAtoms }: WasmOptions = {}) {
    this.#blockAtoms = blockAtoms;
  }

  /** Creates a buffer of zeros. Throws a RangeError if there is not enough memory. */
  alloc<D extends BufferType>(dtype: D, length: number, spread?: Spread): Buffer<D> {
    const bytes = BYTES[dtype] * length;
    const pointer = bytes <= MOST_BYTES ? this.#wasm.allocate(bytes) >>> 0 : 0;
    if (pointer === 0) {
      throw new RangeError(
        `Cannot allocate ${length} numbers: ${bytes} more bytes do not fit into the memory of WebAssembly. Use a smaller batch`,
      );
    }
    const buffer = new WasmBuffer<D>(this.#wasm, dtype, length, { pointer, bytes, spread });
    this.#buffers.add(buffer);
    return buffer;
  }

  write(buffer: Buffer, values: ArrayLike<number>, at = 0): void {
    this.view(buffer).set(values, at);
  }

  read<D extends BufferType>(buffer: Buffer<D>): Arrays[D] {
    return this.view(buffer).slice() as Arrays[D];
  }

  view<D extends BufferType>(buffer: Buffer<D>): Arrays[D] {
    return (buffer as WasmBuffer<D>).view();
  }

  viewOrRead<const B extends readonly Buffer[]>(buffers: B): BufferValues<B> {
    return buffers.map((buffer) => this.view(buffer)) as unknown as BufferValues<B>;
  }

  readLate<const B extends readonly Buffer[]>(buffers: B): Promise<BufferValues<B>> {
    return Promise.resolve(
      buffers.map((buffer) => this.read(buffer)) as unknown as BufferValues<B>,
    );
  }

  flush(): void {}

  free(buffer: Buffer): void {
    const own = buffer as WasmBuffer;
    if (this.#buffers.delete(own)) this.#wasm.release(own.pointer, own.bytes);
  }

  pairs(frame: FrameBuffers, options: PairsOptions): Pairs {
    const pairs = new WasmPairs(this.#wasm, frame.systems, options);
    this.#pairs.add(pairs);
    return pairs;
  }

  savePairs(pairs: Pairs): SavedPairs {
    return (pairs as WasmPairs).save();
  }

  loadPairs(pairs: Pairs, offsets: Int32Array, saved: SavedPairs): void {
    (pairs as WasmPairs).load(offsets, saved);
  }

  forgetPairs(pairs: Pairs, places: readonly number[]): void {
    (pairs as WasmPairs).forget(places);
  }

  /**
   * Shares the work on a list of pairs with the other threads of a team. `share` exchanges numbers with them; see
   * wasm/src/pairs/team.rs.
   */
  joinTeam(pairs: Pairs, team: number, { member, size, share }: TeamPlace): void {
    (pairs as WasmPairs).join(team, member, size, share);
  }

  /** Adds a function to the table of functions that kernels can call, and returns its index. */
  addFunction(count: number, run: (memory: ArrayBufferLike, ...args: number[]) => void): number {
    return addToTable(this.#wasm, count, (...args) => run(this.#wasm.memory.buffer, ...args));
  }

  freePairs(pairs: Pairs): void {
    if (this.#pairs.delete(pairs as WasmPairs)) (pairs as WasmPairs).free();
  }

  edges(frame: FrameBuffers, options: EdgesOptions): Edges {
    checkEdges(options);
    const atoms = this.view(frame.offsets)[frame.systems]!;
    const edges = new WasmEdges(this.#wasm, atoms, options);
    this.#edges.add(edges);
    return edges;
  }

  freeEdges(edges: Edges): void {
    if (this.#edges.delete(edges as WasmEdges)) (edges as WasmEdges).free();
  }

  prepare(frame: FrameBuffers, given: readonly KernelCall[]): Program {
    const atoms = this.view(frame.offsets)[frame.systems]!;
    const calls = given.map((call) => withPairFunctions(this.#wasm, call, atoms));
    for (const { kernel } of calls) this.#numberOf(kernel); // throws before any memory is allocated
    const { offsets, active, ids, ages, control } = frame;
    const frameSlots = this.#block(5 * SLOT);
    [offsets, active, ids, ages, control].forEach((buffer, i) => {
      this.#writeSlot(frameSlots, i * SLOT, buffer);
    });
    const sizes = calls.map(({ kernel }) => HEADER + SLOT * Object.keys(kernel.args).length);
    const code = this.#block(sizes.reduce((sum, size) => sum + size, 0));
    let at = 0;
    for (const [i, call] of calls.entries()) {
      this.#writeCall(code, at, call);
      at += sizes[i]!;
    }
    const memory = {
      alloc: (bytes: number) => this.#block(bytes),
      free: (buffer: WasmBuffer) => this.free(buffer),
      data: () => this.#data(),
    };
    const blocks = BlockRuns.of(frame, calls, memory, { total: atoms, atoms: this.#blockAtoms });
    return new WasmProgram(calls.length, { frame: frameSlots, code, control, blocks }, () => {
      blocks?.free();
      this.free(frameSlots);
      this.free(code);
    });
  }

  run(program: Program, first: number, steps: number): number {
    const { frame, code, length, blocks } = program as WasmProgram;
    const done = blocks !== undefined && steps > 1
      ? this.#runBlocks(program as WasmProgram, blocks, first, steps)
      : this.#wasm.run(frame.pointer, code.pointer, length, first, steps);
    for (const edges of this.#edges) edges.refresh();
    return done;
  }

  /** Runs steps in calls that take all blocks to the same step. */
  #runBlocks(program: WasmProgram, blocks: BlockRuns, first: number, steps: number): number {
    let done = 0;
    while (done < steps) {
      const ran = this.#runCall(program, blocks, first + done, blocks.next(steps - done));
      done += ran;
      const isHalted = this.view(program.control)[Control.HALT] !== 0;
      blocks.took(isHalted);
      if (isHalted || ran === 0) break;
    }
    return done;
  }

  #runCall(
    { frame, code, length }: WasmProgram,
    blocks: BlockRuns,
    first: number,
    steps: number,
  ): number {
    const saved = steps > 1 ? blocks.table() : undefined;
    const head = [frame.pointer, code.pointer, length, first, steps] as const;
    if (saved === undefined) return this.#wasm.run(...head);
    return this.#wasm.run_blocks(...head, saved.pointer, saved.count, blocks.atoms);
  }

  dispose(): void {
    for (const edges of [...this.#edges]) this.freeEdges(edges);
    for (const pairs of [...this.#pairs]) this.freePairs(pairs);
    for (const buffer of [...this.#buffers]) this.free(buffer);
  }

  #block(bytes: number): WasmBuffer {
    return this.alloc("f64", Math.ceil(bytes / 8)) as WasmBuffer;
  }

  #numberOf({ name }: Kernel): number {
    const number = this.#wasm.kernel_number(name);
    if (number >= 0) return number;
    throw new TypeError(
      `Cannot prepare kernel ${name}: the wasm backend has no kernel of that name`,
    );
  }

  #writeCall(
    code: WasmBuffer,
    at: number,
    { kernel, args, every = 1, phase = 0 }: KernelCall,
  ): void {
    const number = this.#numberOf(kernel);
    const names = Object.keys(kernel.args);
    const view = this.#data();
    [number, every, phase, names.length].forEach((word, i) =>
      view.setUint32(code.pointer + at + 4 * i, word, true)
    );
    for (const [i, name] of names.entries()) {
      this.#writeSlot(code, at + HEADER + i * SLOT, args[name]);
    }
  }

  #writeSlot(block: WasmBuffer, at: number, given: KernelCall["args"][string]): void {
    const view = this.#data();
    const address = block.pointer + at;
    if (typeof given === "number") return view.setFloat64(address, given, true);
    const [pointer, length] = given === undefined
      ? [0, 0]
      : given instanceof WasmPairs || given instanceof WasmEdges
      ? [given.pointer, 1]
      : [(given as WasmBuffer).pointer, (given as WasmBuffer).length];
    view.setUint32(address, pointer, true);
    view.setUint32(address + 4, length, true);
  }

  #data(): DataView {
    return new DataView(this.#wasm.memory.buffer);
  }
}

/** The memory of a program, and how it runs block by block. */
interface ProgramParts {
  readonly frame: WasmBuffer;
  readonly code: WasmBuffer;
  readonly control: Buffer<"i32">;
  readonly blocks: BlockRuns | undefined;
}

/** A program whose calls are stored in linear memory. */
class WasmProgram implements Program, ProgramParts {
  readonly length: number;
  readonly frame: WasmBuffer;
  readonly code: WasmBuffer;
  readonly control: Buffer<"i32">;
  readonly blocks: BlockRuns | undefined;
  readonly free: () => void;

  constructor(length: number, { frame, code, control, blocks }: ProgramParts, free: () => void) {
    this.length = length;
    this.frame = frame;
    this.code = code;
    this.control = control;
    this.blocks = blocks;
    this.free = free;
  }
}

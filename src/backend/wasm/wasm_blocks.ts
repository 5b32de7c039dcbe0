/**
 * Runs of many steps of a batch that does not fit into the cache of a core: block by block of systems.
 *
 * @module
 */

import type { FrameBuffers, KernelCall, Spread } from "../backend.ts";
import { WasmBuffer } from "./wasm_buffer.ts";
import { WasmPairs } from "./wasm_pairs.ts";

/**
 * Largest number of atoms of a block. With lists of pairs, 1024 atoms take about 1 MB. On a core with 1 MB of cache
 * and 32 MB shared with others, blocks of 256 to 8192 atoms differ by 10 % at most.
 */
const BLOCK_ATOMS = 1024;
/** Bytes per row of the table of saved buffers: four words. */
const ROW = 16;
/** Optional arguments that no kernel changes, so that buffers of any rows may be passed for them. */
const ONLY_READ = /^(positions|forces|cell|species|shifts|drives|keeps)$/;

/** Allocates memory for blocks, and frees it. */
export interface BlockMemory {
  /** Allocates a buffer of this many bytes. Throws a RangeError if there is not enough memory. */
  alloc(bytes: number): WasmBuffer;
  /** Frees a buffer. */
  free(buffer: WasmBuffer): void;
  /** The linear memory. */
  data(): DataView;
}

/** The table of saved buffers that a call of many steps uses. */
export interface SavedTable {
  /** Address of the table. */
  readonly pointer: number;
  /** Number of its rows. */
  readonly count: number;
}

/** A buffer that a program may change. */
interface Changed {
  readonly buffer: WasmBuffer;
  /** True if it has a row per atom, false if it has a row per system. */
  readonly isNode: boolean;
  /** Bytes per row. */
  readonly width: number;
}

/** The runs of a program block by block. */
export class BlockRuns {
  /** Largest number of atoms of a block. A larger system is a block by itself. */
  readonly atoms: number;
  readonly #changed: readonly Changed[];
  readonly #canHalt: boolean;
  readonly #memory: BlockMemory;
  #buffers: WasmBuffer[] = [];
  #table: SavedTable | undefined;
  #hasMemory = true;
  /** Number of steps after which all blocks have done the same steps. */
  #stride: number;

  private constructor(
    changed: readonly Changed[],
    { atoms, canHalt, memory }: {
      readonly atoms: number;
      readonly canHalt: boolean;
      readonly memory: BlockMemory;
    },
  ) {
    this.atoms = atoms;
    this.#changed = changed;
    this.#canHalt = canHalt;
    this.#memory = memory;
    this.#stride = canHalt ? 1 : Infinity;
  }

  /**
   * Returns how a program runs in blocks of up to `atoms` atoms. Returns `undefined` if one block has the whole batch,
   * or a kernel needs all systems at once.
   */
  static of(
    frame: FrameBuffers,
    calls: readonly KernelCall[],
    memory: BlockMemory,
    { total, atoms = BLOCK_ATOMS }: { readonly total: number; readonly atoms?: number | undefined },
  ): BlockRuns | undefined {
    const { systems } = frame;
    // A block of one system that does not fit into the cache gains nothing.
    const isWorth = systems > 1 && total > atoms && total <= systems * BLOCK_ATOMS;
    if (!isWorth || calls.some(needsWhole)) return undefined;
    const changed = changedBuffers(frame, calls, total);
    const canHalt = calls.some(({ kernel }) => kernel.canHalt === true);
    return changed && new BlockRuns(changed, { atoms, canHalt, memory });
  }

  /**
   * Returns the number of steps, at most `steps`, that the next call runs. After a step in which systems have
   * converged, others probably converge soon. Such a step ends the call for all blocks, and blocks that have gone
   * further repeat their steps, so the calls are short then.
   */
  next(steps: number): number {
    return Math.min(steps, this.#stride);
  }

  /** Adjusts the length of calls, after a call that halted or did not. */
  took(isHalted: boolean): void {
    if (this.#canHalt) this.#stride = isHalted ? 1 : 2 * this.#stride;
  }

  /** Returns the table of saved buffers; `undefined` if there is not enough memory for them. */
  table(): SavedTable | undefined {
    if (this.#table === undefined && this.#hasMemory) this.#table = this.#allocate();
    return this.#table;
  }

  /** Frees the memory of saved buffers. */
  free(): void {
    for (const buffer of this.#buffers) this.#memory.free(buffer);
    this.#buffers = [];
    this.#table = undefined;
  }

  #allocate(): SavedTable | undefined {
    try {
      const copies = this.#changed.map(({ buffer }) => this.#keep(buffer.bytes));
      const table = this.#keep(ROW * copies.length);
      this.#fill(table, copies);
      return { pointer: table.pointer, count: copies.length };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.free(); // without copies, all systems run together, which is only slower
      this.#hasMemory = false;
      return undefined;
    }
  }

  #keep(bytes: number): WasmBuffer {
    const buffer = this.#memory.alloc(bytes);
    this.#buffers.push(buffer);
    return buffer;
  }

  #fill(table: WasmBuffer, copies: readonly WasmBuffer[]): void {
    const view = this.#memory.data();
    for (const [i, { buffer, isNode, width }] of this.#changed.entries()) {
      [buffer.pointer, copies[i]!.pointer, width, isNode ? 1 : 0].forEach((word, k) =>
        view.setUint32(table.pointer + ROW * i + 4 * k, word, true)
      );
    }
  }
}

/**
 * Returns whether a call reads or changes other systems than those of the block, or exchanges numbers with other
 * threads. Threads that exchange numbers must compute systems and steps in the same order, but the lengths of their
 * calls depend on the time that calls take.
 */
function needsWhole({ kernel: { args, needsWhole }, args: given }: KernelCall): boolean {
  return needsWhole === true || Object.values(args).includes("edges") ||
    Object.values(given).some((value) => value instanceof WasmPairs && value.isShared);
}

/**
 * Returns all buffers that calls may change: those of arguments that are changed, and optional ones, which some
 * kernels change if they get them. Returns `undefined` if the rows of such a buffer are not those of atoms or systems,
 * because a copy could not be restored for one block.
 */
function changedBuffers(
  { active, ages, systems }: FrameBuffers,
  calls: readonly KernelCall[],
  atoms: number,
): readonly Changed[] | undefined {
  const found = new Map<WasmBuffer, Changed>();
  const add = (buffer: WasmBuffer, spread: Spread | undefined) => {
    const isNode = spread === "node", width = buffer.bytes / (isNode ? atoms : systems);
    const isKnown = (isNode || spread === "system") && Number.isInteger(width);
    if (isKnown && width > 0) found.set(buffer, { buffer, isNode, width });
    return isKnown;
  };
  for (const buffer of [active, ages]) add(buffer as WasmBuffer, "system");
  for (const { kernel, args } of calls) {
    for (const [name, type] of Object.entries(kernel.args)) {
      const given = args[name], mayChange = / (changed|optional)$/.test(type);
      if (!(given instanceof WasmBuffer) || !mayChange) continue;
      if (!add(given, given.spread) && !ONLY_READ.test(name)) return undefined;
    }
  }
  return [...found.values()];
}

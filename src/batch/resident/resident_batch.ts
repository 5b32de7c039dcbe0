/**
 * A batch on a backend.
 *
 * @module
 */

import type {
  Backend,
  Buffer,
  Edges,
  EdgesOptions,
  FrameBuffers,
  KernelCall,
  Pairs,
  PairsOptions,
  Program,
  Spread,
} from "../../backend/backend.ts";
import type { Arrays, BufferType } from "../../kernels/kernel.ts";
import type { Batch } from "../batch.ts";
import type { NumericArray } from "../fields/fields.ts";
import { canReplace, carryOver, resetStates, restoreInitial } from "./carry_over.ts";
import type { StateShape } from "./column.ts";
import { ColumnTable } from "./column_table.ts";
import { makeFrame } from "./frame.ts";
import type { Origins } from "./origins.ts";
import { NeighborLists } from "./neighbor_lists.ts";
import { Residency, type Uploaded } from "./residency.ts";
import { loadResident, type ResidentParts, type SavedResident, saveResident } from "./snapshots.ts";
import { consecutive } from "./system_rows.ts";
import { type ArraysOf, type NamedBuffers, withArrays } from "./with_arrays.ts";

/**
 * A batch on a backend, for engines and models: its fields in buffers, the states that engines and models keep beside
 * them, neighbor lists, and programs. A field is uploaded when it is first requested. See {@linkcode Backend} for the
 * ways to read buffers.
 */
export class ResidentBatch {
  /** Batch on the host. */
  readonly batch: Batch;
  /** Backend that holds the buffers. */
  readonly backend: Backend;
  /** Buffers that every kernel gets. */
  readonly frame: FrameBuffers;
  /** Degrees of freedom that constraints remove, per system. Constraints write it. */
  readonly constrained: Int32Array;
  /**
   * Motions of a whole system that constraints remove, per system: bits 1, 2 and 4 for directions in which an atom is
   * fixed, 8 if the center of mass rests. A degree of freedom that several remove counts only once.
   */
  readonly anchored: Int32Array;
  readonly #columns: ColumnTable;
  readonly #lists: NeighborLists;
  readonly #residency: Residency;
  readonly #programs = new Set<Program>();

  /** Uploads the frame only. With `hasOrigins`, systems far from 0 may have {@linkcode origins} of their own. */
  constructor(batch: Batch, backend: Backend, hasOrigins: boolean = false) {
    this.batch = batch;
    this.backend = backend;
    this.constrained = new Int32Array(batch.size);
    this.anchored = new Int32Array(batch.size);
    this.frame = makeFrame(batch, backend);
    this.#columns = new ColumnTable(batch, backend, hasOrigins);
    this.#columns.adopt("systemId", this.frame.ids, batch.get("systemId"));
    const ages = this.#columns.adopt("stepsDone", this.frame.ages, batch.get("stepsDone"));
    ages.isChanged = true; // kernels count steps through the frame, which `prepare` does not see
    this.#lists = new NeighborLists(backend, this.frame);
    this.#residency = new Residency(backend, this.#columns);
  }

  /**
   * Returns a field of the batch. Adds a built-in field to the batch if it does not exist.
   *
   * @throws {TypeError} if a custom field does not exist
   */
  field<D extends BufferType = "real">(name: string): Buffer<D> {
    return this.#columns.field(name).buffer as Buffer<D>;
  }

  /** Names of the fields on the backend. The same set grows with them. */
  get fields(): ReadonlySet<string> {
    return this.#columns.names;
  }

  /** Origins to which positions on the backend are relative. */
  get origins(): Origins {
    return this.#columns.origins;
  }

  /** Returns a state, which persists from step to step, and creates it if necessary. Checkpoints include it. */
  state<D extends BufferType>(name: string, shape: StateShape<D>): Buffer<D> {
    return this.#columns.state(name, shape);
  }

  /** Returns an array as `state` does, for values that can be recomputed at any time. Checkpoints omit it. */
  scratch<D extends BufferType>(name: string, shape: StateShape<D>): Buffer<D> {
    return this.#columns.scratch(name, shape);
  }

  /**
   * Runs `work` in a scope. Different scopes may use the same names for `state` and `scratch`; fields, weights and
   * everything declared `isShared` are common to all scopes.
   */
  within<T>(scope: string, work: () => T): T {
    return this.#columns.within(scope, work);
  }

  /** Writes initial values to a state of some systems, in every scope that has it. */
  resetState(name: string, systems: ReadonlySet<number>): void {
    resetStates(this.#parts, systems, (key) => key === name || key.endsWith(`/${name}`));
  }

  /** Writes initial values to all scoped states of some systems. */
  resetScoped(systems: ReadonlySet<number>): void {
    resetStates(this.#parts, systems, (_name, isScoped) => isScoped);
  }

  /** Returns the acceleration of each atom per force: ACCELERATION / mass, Å/fs² per eV/Å. */
  weights(): Buffer<"real"> {
    return this.#columns.weights();
  }

  /**
   * Creates a buffer of constants, such as the parameters of a model. On a backend with several threads, `spread`
   * must say how its rows are divided.
   */
  constants<D extends BufferType>(dtype: D, values: ArrayLike<number>, spread?: Spread): Buffer<D> {
    return this.#columns.constants(dtype, values, spread);
  }

  /** Image counters of the atoms, if the batch has them. */
  get images(): Buffer<"i32"> | undefined {
    return this.batch.has("images") ? this.field<"i32">("images") : undefined;
  }

  /** Returns the pair list of a cutoff and a skin. */
  pairs(options: PairsOptions): Pairs {
    return this.#lists.pairsOf(options);
  }

  /** Returns the edge list for some options. */
  edges(options: EdgesOptions): Edges {
    return this.#lists.edgesOf(options);
  }

  /** All pair lists. */
  get allPairs(): Iterable<Pairs> {
    return this.#lists.pairs.values();
  }

  /** Prepares calls, and records the fields that they change. */
  prepare(calls: readonly KernelCall[]): Program {
    const program = this.backend.prepare(this.frame, calls);
    const columns = new Map(
      [...this.#columns.fields.values()].map((column) => [column.buffer, column]),
    );
    for (const { kernel, args } of calls) {
      for (const [name, argument] of Object.entries(kernel.args)) {
        if (!argument.endsWith(" changed")) continue;
        const column = columns.get(args[name] as Buffer);
        if (column !== undefined) column.isChanged = true;
      }
    }
    this.#programs.add(program);
    return program;
  }

  /** Frees programs. */
  freePrograms(programs: Iterable<Program>): void {
    for (const program of programs) {
      if (this.#programs.delete(program)) program.free();
    }
  }

  /** Runs a program for up to `steps` steps, the first of which is step `first`. Returns the number of steps done. */
  run(program: Program, first: number, steps: number): number | PromiseLike<number> {
    this.#residency.markStale();
    return this.backend.run(program, first, steps);
  }

  /** Records that a field was changed by anything but a kernel. */
  markChanged(name: string): void {
    this.#residency.markStale();
    this.#columns.field(name).isChanged = true;
  }

  /** Returns the memory of a buffer; see {@linkcode Backend.view}. */
  view<D extends BufferType>(buffer: Buffer<D>): Arrays[D] {
    return this.backend.view(buffer);
  }

  /**
   * Passes buffers to `work` as arrays, by name. On a host backend they are the buffers themselves, and `work` runs
   * at once. On a device they are copies, which have to be awaited; those in `changed` are written back later.
   */
  withArrays<const B extends NamedBuffers, T>(
    buffers: B,
    changed: readonly (keyof B & string)[],
    work: (arrays: ArraysOf<B>) => T,
  ): T | Promise<Awaited<T>> {
    return withArrays(this.backend, buffers, changed, work);
  }

  /** Updates the mirror if anything has run since the last update. Does nothing on a host backend. */
  refreshMirror(): void | Promise<void> {
    return this.#residency.refreshMirror();
  }

  /** Returns a state as it is now or, on a device, as it was last mirrored. */
  mirroredState(name: string): NumericArray | undefined {
    return this.#residency.mirroredState(name);
  }

  /**
   * Returns a copy of a field in the backend's precision, as it is now or, on a device, as it was last mirrored.
   * Positions are relative to their {@linkcode origins}.
   */
  mirroredField(name: string): NumericArray {
    return this.#residency.mirroredField(name);
  }

  /**
   * Writes the values that have changed on the host since the last upload or download to the buffers. Returns the
   * changed fields, with the systems in which they had changed.
   */
  upload(): Uploaded | Promise<Uploaded> {
    return this.#residency.upload();
  }

  /** Reads the fields that programs have changed, in the batch's types and precision. */
  download(): Promise<Record<string, NumericArray>> {
    return this.#residency.download();
  }

  /** Reads one field, in the batch's types and precision. */
  downloadField(name: string): Promise<NumericArray> {
    return this.#residency.downloadField(name);
  }

  /** Converts a snapshot to the result that `download` would have returned at its time. */
  savedToHost({ fields, origins }: SavedResident): Record<string, NumericArray> {
    return this.#residency.savedToHost(fields, origins);
  }

  /**
   * Converts values of a field to the batch's types and precision. Values that differ only by rounding keep the digits
   * that the batch has.
   */
  toHost(
    name: string,
    there: NumericArray,
    origins: Float64Array | undefined = this.origins.values,
  ): NumericArray {
    return this.#residency.toHost(name, there, origins);
  }

  /** Converts as `toHost`, or returns the batch's own array if no program has changed the field. */
  toHostIfChanged(name: string, there: NumericArray): NumericArray {
    return this.#residency.toHostIfChanged(name, there);
  }

  /** Writes some rows of a buffer, taken from an array of all rows. */
  writeRows(buffer: Buffer, rows: Iterable<number>, values: NumericArray, width: number = 1): void {
    for (const [from, to] of consecutive(rows)) {
      this.backend.write(buffer, values.subarray(width * from, width * to), width * from);
    }
  }

  /** Writes earlier values of a field back, for the systems whose mask is 0. */
  revert(name: string, before: NumericArray, mask: ArrayLike<number>): void {
    const { buffer, level, width } = this.#columns.field(name);
    for (let s = 0; s < mask.length; s++) {
      if (mask[s] !== 0) continue;
      const [first, end] = this.#columns.rows.of(level, s);
      this.backend.write(buffer, before.subarray(first * width, end * width), first * width);
    }
  }

  /** Reactivates systems. */
  activate(systems: ReadonlySet<number>): void {
    this.writeRows(this.frame.active, systems, new Int32Array(this.batch.size).fill(1));
  }

  /** Returns whether this was created from a batch that has not changed: the same object with the same systems. */
  matches(batch: Batch): boolean {
    return batch === this.batch && batch.nodeOffsets === this.#columns.rows.nodeOffsets;
  }

  /**
   * Copies fields, states and pairs of systems from their previous batch, bit by bit. `from` has the slot of each
   * system there; new systems (`undefined`) keep their initial values. States of the engine, models and hooks must
   * have been requested before.
   */
  async carryOver(before: ResidentBatch, from: readonly (number | undefined)[]): Promise<void> {
    await carryOver(before.#parts, this.#parts, from);
    this.#residency.markStale();
  }

  /**
   * Returns whether other systems can be put into these slots without rebuilding anything: they must have the same
   * numbers of atoms, and no data derived for the batch may depend on a field in which they differ.
   */
  canReplace(systems: Batch, places: readonly number[]): boolean {
    return this.matches(this.batch) && canReplace(this.#parts, systems, places);
  }

  /** Initializes slots whose systems have been replaced, after {@linkcode canReplace} has returned true. */
  restart(places: readonly number[]): void {
    restoreInitial(this.#parts, places);
    resetStates(this.#parts, places, () => true);
    for (const pairs of this.allPairs) this.backend.forgetPairs!(pairs, places);
    this.activate(new Set(places));
    this.#residency.markStale();
  }

  /** Writes the batch's own values to the rows of diverged systems. */
  restoreInitial(places: readonly number[]): void {
    restoreInitial(this.#parts, places);
  }

  /** Copies everything that a checkpoint needs. */
  save(): Promise<SavedResident> {
    return saveResident(this.#parts);
  }

  /**
   * Resumes from a snapshot. States of the engine, models and hooks must have been requested before; all other states
   * of the snapshot are skipped.
   *
   * @throws {RangeError} if the backend has another precision
   * @throws {TypeError} if the snapshot does not fit the batch; nothing has changed then
   */
  load(saved: SavedResident): void {
    loadResident(this.#parts, saved);
  }

  /** Frees all programs, lists and buffers. */
  free(): void {
    this.freePrograms([...this.#programs]);
    this.#lists.free();
    this.#columns.free();
    const { offsets, active, control } = this.frame;
    for (const buffer of [offsets, active, control]) this.backend.free(buffer);
  }

  get #parts(): ResidentParts {
    return { backend: this.backend, frame: this.frame, columns: this.#columns, lists: this.#lists };
  }
}

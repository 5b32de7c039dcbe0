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
import type { RoundedValues } from "../fields/holder.ts";
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
 * A batch on a backend, for engines and models. It holds the fields in buffers, the states of engines and models,
 * neighbor lists, and programs. A field is uploaded when it is first requested. {@linkcode Backend} describes how
 * buffers are read.
 */
export class ResidentBatch {
  /** The batch on the host. */
  readonly batch: Batch;
  /** Backend that holds the buffers. */
  readonly backend: Backend;
  /** Buffers that every kernel receives. */
  readonly frame: FrameBuffers;
  /** Number of degrees of freedom that constraints remove, per system. Constraints write to this array. */
  readonly constrained: Int32Array;
  /**
   * Motions of a whole system that constraints remove, per system: bits 1, 2 and 4 for the directions in which an
   * atom is fixed, 8 for a resting center of mass. A motion that several constraints remove is subtracted only once.
   */
  readonly anchored: Int32Array;
  readonly #columns: ColumnTable;
  readonly #lists: NeighborLists;
  readonly #residency: Residency;
  readonly #programs = new Set<Program>();

  /** Uploads only the frame. If `hasOrigins` is true, positions of systems far from 0 are relative to an origin. */
  constructor(batch: Batch, backend: Backend, hasOrigins: boolean = false) {
    this.batch = batch;
    this.backend = backend;
    this.constrained = new Int32Array(batch.size);
    this.anchored = new Int32Array(batch.size);
    this.frame = makeFrame(batch, backend);
    this.#columns = new ColumnTable(batch, backend, hasOrigins);
    this.#columns.adopt("systemId", this.frame.ids, batch.get("systemId"));
    const ages = this.#columns.adopt("stepsDone", this.frame.ages, batch.get("stepsDone"));
    ages.isChanged = true; // kernels count the steps in the frame, where `prepare` does not notice the change
    this.#lists = new NeighborLists(backend, this.frame);
    this.#residency = new Residency(backend, this.#columns);
  }

  /**
   * Returns the buffer of a field. Uploads the field if necessary, and adds a missing built-in field to the batch.
   *
   * @throws {TypeError} if a custom field does not exist
   */
  field<D extends BufferType = "real">(name: string): Buffer<D> {
    return this.#columns.field(name).buffer as Buffer<D>;
  }

  /** Names of the fields on the backend. The same set object is updated when fields are uploaded. */
  get fields(): ReadonlySet<string> {
    return this.#columns.names;
  }

  /** Origins to which the positions on the backend are relative. */
  get origins(): Origins {
    return this.#columns.origins;
  }

  /** Returns the buffer of a state, which persists from step to step and in checkpoints. Creates a missing buffer. */
  state<D extends BufferType>(name: string, shape: StateShape<D>): Buffer<D> {
    return this.#columns.state(name, shape);
  }

  /** Returns a buffer as `state` does, for values that can be recomputed at any time. Checkpoints omit it. */
  scratch<D extends BufferType>(name: string, shape: StateShape<D>): Buffer<D> {
    return this.#columns.scratch(name, shape);
  }

  /**
   * Runs `work` in a scope. States and scratch arrays of different scopes may have the same names. Fields, weights
   * and arrays declared `isShared` are common to all scopes.
   */
  within<T>(scope: string, work: () => T): T {
    return this.#columns.within(scope, work);
  }

  /** Writes the initial values of a state to the rows of some systems, in every scope that has the state. */
  resetState(name: string, systems: ReadonlySet<number>): void {
    resetStates(this.#parts, systems, (key) => key === name || key.endsWith(`/${name}`));
  }

  /** Writes the initial values of all scoped states to the rows of some systems. */
  resetScoped(systems: ReadonlySet<number>): void {
    resetStates(this.#parts, systems, (_name, isScoped) => isScoped);
  }

  /** Returns the buffer of the factors from force to acceleration: ACCELERATION / mass of each atom, Å/fs² per eV/Å. */
  weights(): Buffer<"real"> {
    return this.#columns.weights();
  }

  /**
   * Creates a buffer of constants, such as the parameters of a model. For a backend with several threads, `spread`
   * must state whether its rows belong to atoms or to systems.
   */
  constants<D extends BufferType>(dtype: D, values: ArrayLike<number>, spread?: Spread): Buffer<D> {
    return this.#columns.constants(dtype, values, spread);
  }

  /** Image counters of the atoms, or `undefined` if the batch does not have them. */
  get images(): Buffer<"i32"> | undefined {
    return this.batch.has("images") ? this.field<"i32">("images") : undefined;
  }

  /** Returns the pair list with a cutoff and a skin. Creates the list if necessary. */
  pairs(options: PairsOptions): Pairs {
    return this.#lists.pairsOf(options);
  }

  /** Returns the edge list with these options. Creates the list if necessary. */
  edges(options: EdgesOptions): Edges {
    return this.#lists.edgesOf(options);
  }

  /** All pair lists of the batch. */
  get allPairs(): Iterable<Pairs> {
    return this.#lists.pairs.values();
  }

  /** Creates a program from kernel calls, and records which fields it changes. */
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

  /** Frees programs that `prepare` has created. */
  freePrograms(programs: Iterable<Program>): void {
    for (const program of programs) {
      if (this.#programs.delete(program)) program.free();
    }
  }

  /** Runs a program for up to `steps` steps, beginning with step `first`. Returns the number of steps done. */
  run(program: Program, first: number, steps: number): number | PromiseLike<number> {
    this.#residency.markStale();
    return this.backend.run(program, first, steps);
  }

  /** Records that code other than a kernel has changed a field on the backend. */
  markChanged(name: string): void {
    this.#residency.markStale();
    this.#columns.field(name).isChanged = true;
  }

  /** Returns the memory of a buffer of a host backend. See {@linkcode Backend.view}. */
  view<D extends BufferType>(buffer: Buffer<D>): Arrays[D] {
    return this.backend.view(buffer);
  }

  /**
   * Passes buffers to `work` as arrays, by name. On a host backend the arrays are the buffers, and `work` runs at
   * once. On a device they are copies that are read first; the ones in `changed` are written back after `work`.
   */
  withArrays<const B extends NamedBuffers, T>(
    buffers: B,
    changed: readonly (keyof B & string)[],
    work: (arrays: ArraysOf<B>) => T,
  ): T | Promise<Awaited<T>> {
    return withArrays(this.backend, buffers, changed, work);
  }

  /** Updates the mirror if a program has run since the last update. Does nothing on a host backend. */
  refreshMirror(): void | Promise<void> {
    return this.#residency.refreshMirror();
  }

  /** Returns the values of a state: the current ones on a host backend, the last mirrored ones on a device. */
  mirroredState(name: string): NumericArray | undefined {
    return this.#residency.mirroredState(name);
  }

  /**
   * Returns a copy of a field in the backend's precision: the current values on a host backend, the last mirrored
   * ones on a device. Positions are relative to their {@linkcode origins}. Marks the field: see {@linkcode canReplace}.
   */
  mirroredField(name: string): NumericArray {
    return this.#residency.mirroredField(name);
  }

  /** Writes values that have changed on the host since the last transfer. Returns the changed fields and systems. */
  upload(): Uploaded | Promise<Uploaded> {
    return this.#residency.upload();
  }

  /** Reads the fields that programs or hooks have changed, in the batch's types and precision. */
  download(): Promise<Record<string, NumericArray>> {
    return this.#residency.download();
  }

  /** Reads one field, in the batch's types and precision. */
  downloadField(name: string): Promise<NumericArray> {
    return this.#residency.downloadField(name);
  }

  /** Converts a snapshot to the result that `download` would have returned when the snapshot was taken. */
  savedToHost({ fields, origins }: SavedResident): Record<string, NumericArray> {
    return this.#residency.savedToHost(fields, origins);
  }

  /** Converts values to the batch's type. Values that differ only by rounding keep the digits that the batch has. */
  toHost(name: string, there: NumericArray, origins: Float64Array | undefined): NumericArray {
    return this.#residency.toHost(name, there, origins);
  }

  /** Returns access to fields whose values `valuesOf` returns. See {@linkcode Residency.heldValues}. */
  heldValues(
    valuesOf: (name: string) => NumericArray,
    originsOf: () => Float64Array | undefined,
  ): RoundedValues {
    return this.#residency.heldValues(valuesOf, originsOf);
  }

  /** Converts as `toHost` does. Returns the batch's own array if no program or hook has changed the field. */
  toHostIfChanged(name: string, there: NumericArray): NumericArray {
    return this.#residency.toHostIfChanged(name, there);
  }

  /** Writes some rows of a buffer. `values` has all rows, `width` numbers each. */
  writeRows(buffer: Buffer, rows: Iterable<number>, values: NumericArray, width: number = 1): void {
    for (const [from, to] of consecutive(rows)) {
      this.backend.write(buffer, values.subarray(width * from, width * to), width * from);
    }
  }

  /** Writes the earlier values `before` of a field back for the systems whose `mask` is 0. `before` has all rows. */
  revert(name: string, before: NumericArray, mask: ArrayLike<number>): void {
    const { buffer, level, width } = this.#columns.field(name);
    for (let s = 0; s < mask.length; s++) {
      if (mask[s] !== 0) continue;
      const [first, end] = this.#columns.rows.of(level, s);
      this.backend.write(buffer, before.subarray(first * width, end * width), first * width);
    }
  }

  /** Makes systems active again, so that programs update them. */
  activate(systems: ReadonlySet<number>): void {
    this.writeRows(this.frame.active, systems, new Int32Array(this.batch.size).fill(1));
  }

  /** Returns whether this was created from `batch` and the batch has had the same systems since then. */
  matches(batch: Batch): boolean {
    return batch === this.batch && batch.nodeOffsets === this.#columns.rows.nodeOffsets;
  }

  /**
   * Copies fields, states and pairs of systems from their previous batch, bitwise. `from` has the slot of each system
   * there, or `undefined` for a new system, which keeps its initial values. All states must have been requested
   * before.
   */
  async carryOver(before: ResidentBatch, from: readonly (number | undefined)[]): Promise<void> {
    await carryOver(before.#parts, this.#parts, from);
    this.#residency.markStale();
  }

  /**
   * Returns whether systems can replace the ones in these slots without rebuilding anything. They must have the same
   * numbers of atoms, and must not differ in a field from which data was derived.
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

  /** Writes the batch's values to the rows of some systems, for example after they have diverged. */
  restoreInitial(places: readonly number[]): void {
    restoreInitial(this.#parts, places);
  }

  /** Returns copies of all values that a checkpoint needs. */
  save(): Promise<SavedResident> {
    return saveResident(this.#parts);
  }

  /**
   * Restores a snapshot. All states of the engine, models and hooks must have been requested before; other states in
   * the snapshot are skipped.
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

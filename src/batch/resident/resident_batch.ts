/**
 * A batch on a backend.
 *
 * @module
 */

import type {
  Backend,
  Buffer,
  Call,
  Edges,
  EdgesOptions,
  FrameBuffers,
  Pairs,
  PairsOptions,
  Program,
  SavedPairs,
  Spread,
} from "../../backend/backend.ts";
import { ACCELERATION } from "../../kernels/constants.ts";
import { type Arrays, Control, type Dtype } from "../../kernels/kernel.ts";
import type { Batch } from "../batch.ts";
import { carriedPairs, hasSameRows } from "./carried_pairs.ts";
import { assertSavedPairs, assertValues } from "../saved/check_saved.ts";
import type { Level, NumericArray } from "../fields/fields.ts";

/** What a checkpoint keeps of a batch on a backend, to the bit. */
export interface SavedResident {
  /** The precision of the backend: another one cannot go on with it. */
  readonly real: "f32" | "f64";
  /** 1 for each system that was updated, 0 for each at rest. */
  readonly active: Int32Array;
  /** Field → its values. */
  readonly fields: Readonly<Record<string, NumericArray>>;
  /** What engine and models keep → its values. */
  readonly states: Readonly<Record<string, NumericArray>>;
  /** Cutoff and skin → how the pairs were found. */
  readonly pairs: Readonly<Record<string, SavedPairs>>;
}

/** What an engine keeps for itself beside the fields of a batch. */
export interface StateShape<D extends Dtype> {
  /** The type of its elements. */
  readonly dtype: D;
  /** What it has one row per. */
  readonly level: Exclude<Level, "edge">;
  /**
   * Numbers per row.
   *
   * @default 1
   */
  readonly width?: number;
  /**
   * What it begins with: one value, or all of them.
   *
   * @default 0
   */
  readonly initial?: number | ArrayLike<number>;
  /**
   * Whether it is one for all, whoever asks {@linkcode ResidentBatch.within} whatever: what models give.
   *
   * @default false
   */
  readonly isShared?: boolean;
}

/** Field → the places of the systems of which it had changed on the host. */
export type Uploaded = ReadonlyMap<string, ReadonlySet<number>>;

/** Buffers by name; some may not be there. */
export type NamedBuffers = Readonly<Record<string, Buffer | undefined>>;

/** What is in them. */
export type ArraysOf<B extends NamedBuffers> = {
  readonly [k in keyof B]: B[k] extends Buffer<infer D> ? Arrays[D]
    : B[k] extends Buffer<infer D> | undefined ? Arrays[D] | undefined
    : never;
};

/** Fields that are another system's own wherever it comes, though it be the same atoms. */
const MOVING: ReadonlySet<string> = new Set([
  "positions",
  "velocities",
  "forces",
  "energy",
  "stress",
  "cell",
  "images",
  "status",
  "systemId",
  "stepsDone",
  "step",
  "time",
  "sourceId",
  "sourceIndex",
]);

// Sums over many terms, which f32 would spoil.
const SUMS: ReadonlySet<string> = new Set(["energy", "stress"]);

/** A field here and there. */
interface Resident {
  readonly buffer: Buffer;
  readonly host: NumericArray;
}

/**
 * A batch on a backend: its fields in buffers, brought there when first asked for; an engine's own state; pairs.
 * For engines and models.
 */
export class ResidentBatch {
  /** The batch. */
  readonly batch: Batch;
  /** Where it is. */
  readonly backend: Backend;
  /** What kernels are told of it. */
  readonly frame: FrameBuffers;
  /** Degrees of freedom that constraints hold, per system. Who constrains atoms writes it. */
  readonly constrained: Int32Array;
  /**
   * Which motions of a whole system are among them, per system: the bits 1, 2 and 4 for directions in which an atom is
   * fixed, 8 where the center of mass rests. What was removed of these counts only once.
   */
  readonly anchored: Int32Array;
  readonly #names = new Set(["systemId", "stepsDone"]);
  readonly #fields = new Map<string, Resident>();
  readonly #states = new Map<string, Buffer>();
  /** What all that is kept has one row per. */
  readonly #levels = new Map<string, "node" | "system">();
  /** What states begin with. */
  readonly #initials = new Map<string, number | ArrayLike<number>>();
  /** Fields that somebody has looked at to make something of them that stays. */
  readonly #looked = new Set<string>();
  readonly #offsets: Int32Array;
  readonly #scratch = new Map<string, Buffer>();
  /** What of it was asked for within something. */
  readonly #shapes = new Map<string, StateShape<Dtype>>();
  #scope: string | undefined;
  readonly #constants = new Set<Buffer>();
  readonly #pairs = new Map<string, Pairs>();
  readonly #edges = new Map<string, Edges>();
  readonly #programs = new Set<Program>();
  readonly #changed = new Set<string>();
  /** What was in buffers when they were last looked at, where they are not in host memory. */
  readonly #mirror = new Map<Buffer, NumericArray>();
  /** Whether a program may have changed them since. */
  #hasRun = false;
  /** A look under way. */
  #looking: Promise<void> | undefined;

  /** Copies nothing yet but what systems there are. */
  constructor(batch: Batch, backend: Backend) {
    this.batch = batch;
    this.backend = backend;
    const { size, nodeOffsets } = batch;
    this.#offsets = nodeOffsets;
    this.constrained = new Int32Array(size);
    this.anchored = new Int32Array(size);
    const filled = (values: ArrayLike<number>) => {
      const buffer = backend.alloc("i32", values.length);
      backend.write(buffer, values);
      return buffer;
    };
    this.frame = {
      systems: size,
      offsets: filled(nodeOffsets),
      active: filled(new Int32Array(size).fill(1)),
      ids: filled(batch.get("systemId")),
      ages: filled(batch.ensure("stepsDone")),
      control: filled(new Int32Array(Control.LENGTH)),
    };
    this.#fields.set("systemId", { buffer: this.frame.ids, host: batch.get("systemId") });
    this.#fields.set("stepsDone", { buffer: this.frame.ages, host: batch.get("stepsDone") });
    this.#changed.add("stepsDone");
  }

  /** A field of the batch; a built-in one is made when it is not there. Throws a TypeError for an unknown name. */
  field<D extends Dtype = "real">(name: string): Buffer<D> {
    let field = this.#fields.get(name);
    if (field === undefined) {
      const host = this.batch.ensure(name as "positions") as NumericArray;
      const buffer = this.backend.alloc(dtypeOn(name, host), host.length, this.#spreadOf(name));
      this.backend.write(buffer, host);
      this.#fields.set(name, field = { buffer, host });
      this.#names.add(name);
    }
    return field.buffer as Buffer<D>;
  }

  /** The names of the fields that are on the backend, as they come. */
  get fields(): ReadonlySet<string> {
    return this.#names;
  }

  /** What an engine keeps from step to step, by name: made when first asked for, then the same. Checkpoints have it. */
  state<D extends Dtype>(name: string, shape: StateShape<D>): Buffer<D> {
    const key = this.#scoped(name, shape);
    if (!this.#states.has(key)) {
      this.#levels.set(key, shape.level);
      this.#initials.set(key, shape.initial ?? 0);
    }
    return this.#kept(this.#states, key, shape);
  }

  /** Makes what an engine keeps of some systems zero again, if it is there, within whatever it was asked for. */
  clearRows(name: string, systems: ReadonlySet<number>): void {
    for (const [key, buffer] of this.#states) {
      if (key !== name && !key.endsWith(`/${name}`)) continue;
      const isNode = this.#levels.get(key) === "node";
      const rows = isNode ? this.#atomsOf(systems) : systems;
      const width = buffer.length / (isNode ? this.batch.nodeCount : this.batch.size);
      this.writeRows(buffer, rows, new Float64Array(buffer.length), width);
    }
  }

  /**
   * All that `work` asks to be kept is its own: others may use the same names. What fields and masses give is one for
   * all.
   */
  within<T>(scope: string, work: () => T): T {
    const outer = this.#scope;
    this.#scope = outer === undefined ? scope : `${outer}/${scope}`;
    try {
      return work();
    } finally {
      this.#scope = outer;
    }
  }

  /** What is kept within something is for these systems what it was to begin with. */
  resetScoped(systems: ReadonlySet<number>): void {
    const atoms = this.#atomsOf(systems);
    for (const [name, { level, width = 1, initial = 0 }] of this.#shapes) {
      const buffer = this.#states.get(name)!;
      const values = typeof initial === "number"
        ? new Float64Array(buffer.length).fill(initial)
        : Float64Array.from(initial);
      this.writeRows(buffer, level === "node" ? atoms : systems, values, width);
    }
  }

  /** As `state`, for what can be found again at any time: checkpoints leave it out. */
  scratch<D extends Dtype>(name: string, shape: StateShape<D>): Buffer<D> {
    const key = this.#scoped(name, shape, false);
    this.#levels.set(key, shape.level);
    return this.#kept(this.#scratch, key, shape);
  }

  #scoped(name: string, shape: StateShape<Dtype>, isState = true): string {
    if (this.#scope === undefined || shape.isShared === true) return name;
    const key = `${this.#scope}/${name}`;
    if (isState && !this.#shapes.has(key)) this.#shapes.set(key, shape);
    return key;
  }

  /** The acceleration of each atom per force: ACCELERATION / mass, Å/fs² per eV/Å. */
  weights(): Buffer<"real"> {
    this.field("masses");
    const initial = this.#weights();
    this.#levels.set("weights", "node");
    return this.#kept(this.#scratch, "weights", { dtype: "real", level: "node", initial });
  }

  /**
   * Numbers that never change, such as the parameters of a model. `spread` is what has a row each: where systems are
   * spread over threads it must be said.
   */
  constants<D extends Dtype>(dtype: D, values: ArrayLike<number>, spread?: Spread): Buffer<D> {
    const buffer = this.backend.alloc(dtype, values.length, spread);
    this.backend.write(buffer, values);
    this.#constants.add(buffer);
    return buffer;
  }

  /** The image counters of the atoms, where something counts them. */
  get images(): Buffer<"i32"> | undefined {
    return this.batch.has("images") ? this.field<"i32">("images") : undefined;
  }

  /** The list of pairs of this cutoff and skin. */
  pairs(options: PairsOptions): Pairs {
    const key = `${options.cutoff} ${options.skin}`;
    let pairs = this.#pairs.get(key);
    if (pairs === undefined) {
      pairs = this.backend.pairs(this.frame, options);
      this.#pairs.set(key, pairs);
    }
    return pairs;
  }

  /** The list of these edges. */
  edges(options: EdgesOptions): Edges {
    const { pairs, cutoff, isHalf, reach } = options;
    const key = `${pairs.cutoff} ${pairs.skin} ${cutoff} ${isHalf} ${reach}`;
    let edges = this.#edges.get(key);
    if (edges === undefined) {
      edges = this.backend.edges(this.frame, options);
      this.#edges.set(key, edges);
    }
    return edges;
  }

  /** All lists of pairs there are. */
  get allPairs(): Iterable<Pairs> {
    return this.#pairs.values();
  }

  /**
   * Hands buffers to `work` as arrays, by name; those named in `changed` may be changed in place. In host memory they are
   * the buffers themselves, and it is done at once; elsewhere copies, waited for, and what may have changed is written
   * back. They are valid only while `work` runs, which may take its time there.
   */
  withArrays<const B extends NamedBuffers, T>(
    buffers: B,
    changed: readonly (keyof B & string)[],
    work: (arrays: ArraysOf<B>) => T,
  ): T | Promise<Awaited<T>> {
    const there = Object.entries(buffers).filter((entry): entry is [string, Buffer] =>
      entry[1] !== undefined
    );
    const { backend } = this;
    const arrays = (values: readonly NumericArray[]) =>
      Object.fromEntries(there.map(([name], i) => [name, values[i]])) as ArraysOf<B>;
    const seen = backend.viewOrRead(there.map(([, buffer]) => buffer));
    if (!(seen instanceof Promise)) return work(arrays(seen));
    return seen.then(async (values): Promise<Awaited<T>> => {
      const copies = arrays(values);
      const answer: Awaited<T> = await work(copies);
      for (const name of changed) {
        const buffer = buffers[name];
        if (buffer !== undefined) backend.write(buffer, copies[name] as NumericArray);
      }
      return answer;
    });
  }

  /** Makes calls ready, and remembers which fields they change. */
  prepare(calls: readonly Call[]): Program {
    const program = this.backend.prepare(this.frame, calls);
    const names = new Map([...this.#fields].map(([name, { buffer }]) => [buffer, name]));
    for (const { kernel, args } of calls) {
      for (const [name, argument] of Object.entries(kernel.args)) {
        const field = names.get(args[name] as Buffer);
        if (argument.endsWith(" changed") && field !== undefined) this.#changed.add(field);
      }
    }
    this.#programs.add(program);
    return program;
  }

  /** Gives programs back. */
  freePrograms(programs: Iterable<Program>): void {
    for (const program of programs) {
      if (this.#programs.delete(program)) program.free();
    }
  }

  /** Notes that a field was changed by other means than a kernel. */
  markChanged(name: string): void {
    this.#hasRun = true;
    this.#changed.add(name);
  }

  /** Runs a program for up to `steps` steps from step `first` on; answers with how many it did. */
  run(program: Program, first: number, steps: number): number | PromiseLike<number> {
    this.#hasRun = true;
    return this.backend.run(program, first, steps);
  }

  /** What is in a buffer, itself; only where the host itself runs kernels. Valid until the next call of the backend. */
  view<D extends Dtype>(buffer: Buffer<D>): Arrays[D] {
    return this.backend.view(buffer);
  }

  /**
   * Looks at all fields and at all that is kept, as they are now, where they are not in host memory: `mirroredField` and
   * `mirroredState` then know them.
   */
  refreshMirror(isNeeded: boolean = this.#hasRun): void | Promise<void> {
    if (this.backend.isHost) return;
    if (!isNeeded) return this.#looking; // somebody else's, which has not come yet
    this.#hasRun = false;
    const buffers = [
      ...[...this.#fields.values()].map(({ buffer }) => buffer),
      ...this.#states.values(),
    ];
    const over = () => {
      if (this.#looking === looking) this.#looking = undefined;
    };
    const looking: Promise<void> = Promise.resolve(this.backend.viewOrRead(buffers)).then(
      (values) => {
        buffers.forEach((buffer, i) => this.#mirror.set(buffer, values[i]!));
      },
    ).finally(over);
    return this.#looking = looking;
  }

  /** What an engine keeps under a name, as of now; on a device as it was last looked at, if it was. */
  mirroredState(name: string): NumericArray | undefined {
    const buffer = this.#states.get(name);
    if (buffer === undefined) return undefined;
    return this.backend.isHost ? this.backend.view(buffer) : this.#mirror.get(buffer);
  }

  /** A copy of a field as it is now, in the precision of the backend; on a device as it was last looked at. */
  mirroredField(name: string): NumericArray {
    const { backend } = this;
    this.#looked.add(name);
    const buffer = this.field<Dtype>(name);
    if (backend.isHost) return backend.view(buffer).slice();
    const seen = this.#mirror.get(buffer);
    if (seen !== undefined) return seen.slice();
    const { host } = this.#fields.get(name)!;
    if (buffer.dtype === "i32") return Int32Array.from(host);
    return buffer.dtype === "f64" || backend.real === "f64"
      ? Float64Array.from(host)
      : Float32Array.from(host);
  }

  /**
   * Brings over what has changed on the host since the fields were last taken home. Answers with the fields that had,
   * and the places of the systems where they had.
   */
  upload(): Uploaded | Promise<Uploaded> {
    const fields = [...this.#fields].map(([name, { buffer }]) => {
      // `set` makes new arrays.
      return [name, {
        buffer,
        host: this.batch.ensure(name as "positions") as NumericArray,
      }] as const;
    });
    if (!this.backend.isHost) {
      return Promise.resolve(this.refreshMirror(true)).then(() =>
        this.#bring(fields, fields.map(([, { buffer }]) => this.#mirror.get(buffer)!))
      );
    }
    return this.#bring(fields, fields.map(([, { buffer }]) => this.backend.view(buffer)));
  }

  #bring(
    fields: readonly (readonly [string, Resident])[],
    seen: readonly NumericArray[],
  ): Uploaded {
    const changed = new Map<string, ReadonlySet<number>>();
    for (const [i, [name, field]] of fields.entries()) {
      const { buffer, host } = field;
      const there = seen[i]!;
      this.#fields.set(name, field);
      const systems = this.#systemsWhere(name, host, (value, i) => !isSame(there, i, value));
      if (systems.size === 0) continue;
      this.backend.write(buffer, host);
      if (!this.backend.isHost) there.set(host);
      changed.set(name, systems);
    }
    const weights = this.#scratch.get("weights");
    if (changed.has("masses") && weights !== undefined) {
      this.backend.write(weights, this.#weights());
    }
    return changed;
  }

  /** Gives systems the values of a field again that they had before, but for those with a 1. */
  revert(name: string, before: NumericArray, mask: ArrayLike<number>): void {
    const isNode = this.#isNode(name);
    const width = before.length / (isNode ? this.batch.nodeCount : this.batch.size);
    for (let s = 0; s < mask.length; s++) {
      if (mask[s] !== 0) continue;
      const [first, end] = isNode ? [this.#offsets[s]!, this.#offsets[s + 1]!] : [s, s + 1];
      const rows = before.subarray(first * width, end * width);
      this.backend.write(this.field<Dtype>(name), rows, first * width);
    }
  }

  /** Systems move again. */
  activate(systems: ReadonlySet<number>): void {
    this.writeRows(this.frame.active, systems, new Int32Array(this.batch.size).fill(1));
  }

  /** Writes some rows of a buffer, of the values of all. */
  writeRows(buffer: Buffer, rows: Iterable<number>, values: NumericArray, width: number = 1): void {
    for (const [from, to] of stretches(rows)) {
      this.backend.write(buffer, values.subarray(width * from, width * to), width * from);
    }
  }

  /** The fields that programs have changed, in host precision: what a rounding alone would change stays as it was. */
  async download(): Promise<Record<string, NumericArray>> {
    const names = this.#changedNames;
    const seen = this.backend.viewOrRead(names.map((name) => this.#fields.get(name)!.buffer));
    const home = (values: readonly NumericArray[]) =>
      Object.fromEntries(names.map((name, i) => [name, this.toHost(name, values[i]!)]));
    return seen instanceof Promise ? home(await seen) : home(seen);
  }

  /** The same of what was saved. */
  savedToHost({ fields }: SavedResident): Record<string, NumericArray> {
    return Object.fromEntries(
      this.#changedNames.map((name) => [name, this.toHost(name, fields[name]!)]),
    );
  }

  get #changedNames(): readonly string[] {
    return [...this.#changed].filter((name) => this.#fields.has(name));
  }

  /**
   * A copy of a field as it is now, in the types and the precision of the batch: what a rounding alone would change
   * stays as it was.
   */
  async downloadField(name: string): Promise<NumericArray> {
    return this.toHost(name, await this.backend.read(this.field<Dtype>(name)));
  }

  /** Values of a field in the types and the precision of the batch, as `fetch` answers with. */
  toHost(name: string, there: NumericArray): NumericArray {
    const { host } = this.#fields.get(name)!;
    if (there instanceof Int32Array && host instanceof Int32Array) return there.slice();
    return there instanceof Float32Array && host instanceof Float64Array
      ? unrounded(host, there)
      : host.map((value: number, i: number) => isSame(there, i, value) ? value : there[i]!);
  }

  /** The same where only some rows are wanted: what no program has changed is the batch's own. */
  toHostIfChanged(name: string, there: NumericArray): NumericArray {
    return this.#changed.has(name) ? this.toHost(name, there) : this.#fields.get(name)!.host;
  }

  /** Is it still what the batch is, or have systems come or gone? */
  matches(batch: Batch): boolean {
    return batch === this.batch && batch.nodeOffsets === this.#offsets;
  }

  /**
   * Takes over what another one has of systems that are here now: `from` has the place that each had there, `undefined`
   * for those that were not there and begin anew. Fields, states and pairs go on to the bit, and so does what could be
   * found again, by where atoms are now. What engine, models and hooks keep must have been asked for before.
   */
  async carryOver(before: ResidentBatch, from: readonly (number | undefined)[]): Promise<void> {
    const { backend } = this;
    const columns = [{ there: before.frame.active, here: this.frame.active, isNode: false }];
    for (const [name, { buffer: there }] of before.#fields) {
      if (name === "systemId") continue;
      const column = { there, here: this.field<Dtype>(name), isNode: this.#isNode(name) };
      columns.push(column as typeof columns[0]);
      if (before.#changed.has(name)) this.#changed.add(name);
    }
    for (const [name, there] of [...before.#states, ...before.#scratch]) {
      const here = this.#states.get(name) ?? this.#scratch.get(name);
      const isNode = before.#levels.get(name) === "node";
      if (here !== undefined) columns.push({ there, here, isNode } as typeof columns[0]);
    }
    const seen = await backend.viewOrRead(columns.map(({ there }) => there));
    const rowsOf = (offsets: Int32Array, isNode: boolean) =>
      isNode ? offsets.at(-1)! : offsets.length - 1;
    for (const [i, { there, here, isNode }] of columns.entries()) {
      const width = here.length / rowsOf(this.#offsets, isNode);
      const widthThere = there.length / rowsOf(before.#offsets, isNode);
      for (const [place, old] of from.entries()) {
        if (old === undefined) continue;
        const [first, end] = isNode
          ? [before.#offsets[old]!, before.#offsets[old + 1]!]
          : [old, old + 1];
        const at = isNode ? this.#offsets[place]! : place;
        const rows = resized(seen[i]!.subarray(first * widthThere, end * widthThere), {
          width: widthThere,
          to: width,
        });
        backend.write(here, rows, at * width);
      }
    }
    await this.#takePairs(before, from);
    this.#hasRun = true;
  }

  async #takePairs(before: ResidentBatch, from: readonly (number | undefined)[]): Promise<void> {
    const { backend } = this;
    const there = [...before.#pairs].filter(([key]) => this.#pairs.has(key));
    const saving = Promise.all(there.map(([, pairs]) => backend.savePairs(pairs)));
    backend.flush();
    for (const [i, saved] of (await saving).entries()) {
      const here = this.#pairs.get(there[i]![0])!;
      backend.loadPairs(here, this.#offsets, carriedPairs(saved, before.#offsets, from));
    }
  }

  /**
   * Whether these systems can take the places of others while all else stays as it is: they are as large, and nothing
   * that was made for the batch depends on in what they differ.
   */
  canReplace(systems: Batch, places: readonly number[]): boolean {
    const { batch } = this;
    const isOpen = this.backend.forgetPairs !== undefined && this.matches(batch) &&
      batch.edgeCount === 0 && systems.edgeCount === 0 &&
      [...this.#initials.values()].every((initial) => typeof initial === "number") &&
      ![...this.#looked].some((name) => this.#isMoving(name)) &&
      systems.fields().every(({ name }) => batch.has(name));
    return isOpen && places.every((place, i) => {
      const atoms = systems.nodeOffsets[i + 1]! - systems.nodeOffsets[i]!;
      return atoms === this.#offsets[place + 1]! - this.#offsets[place]!;
    }) &&
      batch.fields().every((info) =>
        this.#isMoving(info.name) || hasSameRows(info, [batch, systems], places)
      );
  }

  /** Is it a field that steps, or whoever runs them, may change? */
  #isMoving(name: string): boolean {
    return MOVING.has(name) || this.#changed.has(name);
  }

  /** Systems in these places have the values again that they came with: what became of them is no number. */
  restoreInitial(places: readonly number[]): void {
    const { backend, batch } = this;
    for (const [name, { buffer, host }] of this.#fields) {
      const isNode = this.#isNode(name);
      const width = host.length / (isNode ? batch.nodeCount : batch.size);
      for (const place of places) {
        const [first, end] = this.#rowsOf(isNode, place);
        backend.write(buffer, host.subarray(first * width, end * width), first * width);
      }
    }
  }

  /** From one row on and below another: those of a system. */
  #rowsOf(isNode: boolean, place: number): readonly [first: number, end: number] {
    return isNode ? [this.#offsets[place]!, this.#offsets[place + 1]!] : [place, place + 1];
  }

  /** The batch has other systems in these places now, for which {@linkcode canReplace} said yes: they begin anew. */
  restart(places: readonly number[]): void {
    const { backend, batch } = this;
    this.restoreInitial(places);
    for (const [name, buffer] of this.#states) {
      const level = this.#levels.get(name)!, initial = this.#initials.get(name)!;
      const width = buffer.length / (level === "node" ? batch.nodeCount : batch.size);
      for (const place of places) {
        const [first, end] = this.#rowsOf(level === "node", place);
        const fresh = new Float64Array((end - first) * width).fill(initial as number);
        backend.write(buffer, fresh, first * width);
      }
    }
    for (const pairs of this.#pairs.values()) backend.forgetPairs!(pairs, places);
    this.activate(new Set(places));
    this.#hasRun = true;
  }

  /** What a checkpoint keeps: all fields, states and pairs to the bit. Plain data. */
  async save(): Promise<SavedResident> {
    const { backend, frame } = this;
    const fields = [...this.#fields].map(([name, { buffer }]) => [name, buffer] as const);
    const states = [...this.#states];
    const buffers = [frame.active, ...[...fields, ...states].map(([, buffer]) => buffer)];
    const taking = backend.readLate(buffers);
    const listing = Promise.all(
      [...this.#pairs].map(async ([key, list]) => [key, await backend.savePairs(list)] as const),
    ); // with one wait for all
    backend.flush();
    const [[active, ...all], pairs] = await Promise.all([taking, listing]);
    const named = (of: readonly (readonly [string, Buffer])[], at: number) =>
      Object.fromEntries(of.map(([name], i) => [name, all[at + i] as NumericArray]));
    return {
      real: backend.real,
      active: active as Int32Array,
      fields: named(fields, 0),
      states: named(states, fields.length),
      pairs: Object.fromEntries(pairs),
    };
  }

  /**
   * Goes on where `save` was called. What engine, models and hooks keep must have been asked for before; what was
   * kept by others is left out. Throws a RangeError for another precision, and a TypeError for what does not fit the
   * batch, before anything has changed.
   */
  load(saved: SavedResident): void {
    const { backend } = this;
    if (saved.real !== backend.real) {
      throw new RangeError(
        `Cannot go on from a checkpoint as backend ${backend.name} must have the precision it was written in, ` +
          `${saved.real}: current value is ${backend.real}`,
      );
    }
    this.#assertFits(saved);
    backend.write(this.frame.active, saved.active);
    for (const [name, values] of Object.entries(saved.fields)) {
      backend.write(this.field(name), values);
      if (!backend.isHost) this.#mirror.set(this.field<Dtype>(name), values.slice());
      this.#changed.add(name);
    }
    for (const [name, values] of Object.entries(saved.states)) {
      const buffer = this.#states.get(name);
      if (buffer === undefined) continue;
      backend.write(buffer, values);
      if (!backend.isHost) this.#mirror.set(buffer, values.slice());
    }
    for (const [key, list] of Object.entries(saved.pairs)) {
      const pairs = this.#pairs.get(key);
      if (pairs !== undefined) backend.loadPairs(pairs, this.batch.nodeOffsets, list);
    }
  }

  #assertFits({ active, fields, states, pairs }: SavedResident): void {
    assertValues("which systems move", active, this.batch.size);
    for (const [name, values] of Object.entries(fields)) {
      assertValues(name, values, this.field(name).length);
    }
    for (const [name, values] of Object.entries(states)) {
      const buffer = this.#states.get(name);
      if (buffer !== undefined) assertValues(name, values, buffer.length);
    }
    for (const [key, saved] of Object.entries(pairs)) {
      if (this.#pairs.has(key)) assertSavedPairs(saved, this.batch.nodeOffsets);
    }
  }

  /** Gives all memory back. */
  free(): void {
    this.freePrograms([...this.#programs]);
    for (const edges of this.#edges.values()) this.backend.freeEdges(edges);
    for (const pairs of this.#pairs.values()) this.backend.freePairs(pairs);
    const { offsets, active, control } = this.frame;
    const fields = [...this.#fields.values()].map(({ buffer }) => buffer);
    const kept = [...this.#states.values(), ...this.#scratch.values()];
    const own = [...fields, ...kept, ...this.#constants];
    for (const buffer of [...own, offsets, active, control]) this.backend.free(buffer);
    this.#constants.clear();
    this.#fields.clear();
    this.#states.clear();
    this.#mirror.clear();
    this.#scratch.clear();
    this.#shapes.clear();
    this.#pairs.clear();
    this.#edges.clear();
  }

  #kept<D extends Dtype>(kept: Map<string, Buffer>, name: string, shape: StateShape<D>): Buffer<D> {
    let buffer = kept.get(name);
    if (buffer === undefined) {
      const { dtype, level, width = 1, initial = 0 } = shape;
      const rows = level === "node" ? this.batch.nodeCount : this.batch.size;
      buffer = this.backend.alloc(dtype, rows * width, level);
      this.backend.write(buffer, startOf(initial, rows * width));
      kept.set(name, buffer);
    }
    return buffer as Buffer<D>;
  }

  #spreadOf(name: string): Spread | undefined {
    const level = this.batch.fields().find((field) => field.name === name)?.level;
    return level === "edge" ? undefined : level;
  }

  /** The places of the systems that have such a value of a field. */
  #systemsWhere(
    name: string,
    host: NumericArray,
    holds: (value: number, i: number) => boolean,
  ): Set<number> {
    const { batch } = this;
    const isNode = this.#isNode(name);
    const width = host.length / (isNode ? batch.nodeCount : batch.size);
    const systems = new Set<number>();
    for (let i = 0; i < host.length; i++) {
      if (!holds(host[i]!, i)) continue;
      const row = Math.floor(i / width);
      systems.add(isNode ? batch.systemOfNode[row]! : row);
    }
    return systems;
  }

  #atomsOf(systems: ReadonlySet<number>): number[] {
    const { nodeOffsets } = this.batch;
    return [...systems].flatMap((s) =>
      Array.from({ length: nodeOffsets[s + 1]! - nodeOffsets[s]! }, (_, i) => nodeOffsets[s]! + i)
    );
  }

  #isNode(name: string): boolean {
    return this.batch.fields().find((field) => field.name === name)?.level === "node";
  }

  #weights(): Float64Array {
    return (this.#fields.get("masses")!.host as Float64Array).map((mass) => ACCELERATION / mass);
  }
}

/** Zeros, of which some engines keep many, take no more memory than they must. */
function startOf(initial: number | ArrayLike<number>, length: number): ArrayLike<number> {
  if (typeof initial !== "number") return initial;
  return initial === 0 ? new Float32Array(length) : new Float64Array(length).fill(initial);
}

function dtypeOn(name: string, values: NumericArray): Dtype {
  if (SUMS.has(name)) return "f64";
  return values instanceof Float64Array || values instanceof Float32Array ? "real" : "i32";
}

/** Rows of another width: what some kinds of systems have more of than others, such as bonds, goes by the largest. */
function resized(
  rows: NumericArray,
  { width, to }: { readonly width: number; readonly to: number },
): NumericArray {
  if (width === to) return rows;
  const wide = new Float64Array(rows.length / width * to);
  for (let row = 0; row * width < rows.length; row++) {
    const kept = rows.subarray(row * width, row * width + Math.min(width, to));
    wide.set(kept, row * to);
  }
  return wide;
}

/** Numbers in a row, as [from, to), of numbers in any order. */
function stretches(rows: Iterable<number>): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (const row of [...rows].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last?.[1] === row) last[1]++;
    else found.push([row, row + 1]);
  }
  return found;
}

/** Values of float32 in float64: what a rounding alone would change stays as it is here. For whole frames, so it is fast. */
// hot
function unrounded(here: Float64Array, there: Float32Array): Float64Array {
  const home = new Float64Array(here.length);
  for (let i = 0; i < home.length; i++) {
    const value = here[i]!, now = there[i]!;
    home[i] = now === Math.fround(value) ? value : now; // what is no number is none here, either
  }
  return home;
}

function isSame(there: ArrayLike<number>, i: number, here: number): boolean {
  const value = there instanceof Float32Array ? Math.fround(here) : here;
  return Object.is(there[i], value) || there[i] === value;
}

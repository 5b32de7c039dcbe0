import type { Backend } from "../../backend/backend.ts";
import type { BufferType } from "../../kernels/kernel.ts";
import type { NumericArray } from "../fields/fields.ts";
import type { RoundedValues } from "../fields/holder.ts";
import type { Column, FieldColumn } from "./column.ts";
import { type ColumnTable, POSITIONS } from "./column_table.ts";
import type { OriginValues } from "./origins.ts";

/** The fields that an upload has changed on the backend, with the slots of the systems in which they have changed. */
export type Uploaded = ReadonlyMap<string, ReadonlySet<number>>;

/** State of the mirror in relation to the buffers of a device. */
type MirrorState =
  | { readonly kind: "current" }
  | { readonly kind: "stale" }
  | { readonly kind: "refreshing"; readonly done: Promise<void> };

const CURRENT: MirrorState = { kind: "current" };
const STALE: MirrorState = { kind: "stale" };

/**
 * Transfers values between a batch and its buffers.
 *
 * A batch and a backend store values in different types and precisions. If both agree after rounding, a value counts
 * as unchanged and keeps the digits of the batch. Without this rule, every download would round the user's values to
 * float32.
 *
 * For a device, a mirror in host memory holds the values that were last read, because synchronous code cannot wait
 * for the device. On a host backend, code reads the buffers themselves, and the mirror stays empty.
 */
export class Residency {
  readonly #backend: Backend;
  readonly #columns: ColumnTable;
  #mirror: MirrorState = CURRENT;

  constructor(backend: Backend, columns: ColumnTable) {
    this.#backend = backend;
    this.#columns = columns;
  }

  /**
   * Marks the mirror as out of date, because buffers may have changed. It is called for each run of a program, so it
   * must not allocate.
   */
  markStale(): void {
    this.#mirror = STALE;
  }

  /**
   * Reads all fields and states of a device into the mirror, if buffers may have changed since the last refresh or if
   * `forced` is true. Does nothing on a host backend.
   */
  refreshMirror(forced: boolean = false): void | Promise<void> {
    if (this.#backend.isHost) return;
    const now = this.#mirror;
    // A pending refresh is up to date, because no program has run since it began.
    if (now.kind === "refreshing" && !forced) return now.done;
    if (now.kind === "current" && !forced) return;
    const columns = [...this.#columns.fields.values(), ...this.#columns.states.values()];
    const reading = Promise.resolve(
      this.#backend.viewOrRead(columns.map(({ buffer }) => buffer)),
    );
    const done = reading.then((values) => {
      columns.forEach((column, i) => column.mirror = values[i]!);
    }).finally(() => {
      if (this.#mirror === refreshing) this.#mirror = CURRENT;
    });
    const refreshing: MirrorState = { kind: "refreshing", done };
    this.#mirror = refreshing;
    return done;
  }

  /**
   * Returns the values of a state: the current ones on a host backend, the last mirrored ones on a device. Returns
   * `undefined` if there is no such state, or it was never mirrored.
   */
  mirroredState(name: string): NumericArray | undefined {
    const column = this.#columns.states.get(name);
    if (column === undefined) return undefined;
    return this.#backend.isHost ? this.#backend.view(column.buffer) : column.mirror;
  }

  /**
   * Returns a copy of a field: the current values on a host backend, the last mirrored ones on a device. It has the
   * precision of the backend, and positions are relative to their origins. The call marks the field as one from which
   * data was derived, which can prevent the replacement of systems in place.
   */
  mirroredField(name: string): NumericArray {
    const column = this.#columns.field(name);
    column.hasDerived = true;
    const { buffer, mirror, host } = column;
    if (this.#backend.isHost) return this.#backend.view(buffer).slice();
    if (mirror !== undefined) return mirror.slice();
    return inPrecision(this.#backend.real, buffer.dtype, this.#columns.placed(name, host));
  }

  /**
   * Writes values that have changed on the host since the last upload or download to the buffers. Returns the changed
   * fields and systems.
   */
  upload(): Uploaded | Promise<Uploaded> {
    const fields = [...this.#columns.fields].map(([name, column]) => {
      // The arrays are read from the batch each time, because `batch.set` replaces them.
      const host = this.#columns.batch.ensure(name as "positions") as NumericArray;
      return { name, column, host };
    });
    if (this.#backend.isHost) {
      return this.#writeChanged(fields, ({ buffer }) => this.#backend.view(buffer));
    }
    return Promise.resolve(this.refreshMirror(true)).then(() =>
      this.#writeChanged(fields, ({ mirror }) => mirror!)
    );
  }

  #writeChanged(
    fields: readonly { name: string; column: FieldColumn; host: NumericArray }[],
    valuesOf: (column: FieldColumn) => NumericArray,
  ): Uploaded {
    const changed = new Map<string, ReadonlySet<number>>();
    for (const { name, column, host } of fields) {
      const there = valuesOf(column);
      column.host = host;
      const systems = this.#systemsThatDiffer(column, this.#columns.placed(name, host), there);
      if (systems.size === 0) continue;
      if (name === POSITIONS) this.#columns.origins.choose(host, systems);
      const placed = this.#columns.placed(name, host);
      this.#backend.write(column.buffer, placed);
      if (!this.#backend.isHost) there.set(placed);
      changed.set(name, systems);
    }
    if (changed.has("masses")) this.#columns.refreshWeights();
    return changed;
  }

  /** Reads the fields that programs or hooks have changed, and converts them to the batch's types and precision. */
  async download(): Promise<Record<string, NumericArray>> {
    const names = this.#changedNames, { origins } = this.#columns;
    const buffers = names.map((name) => this.#columns.fields.get(name)!.buffer);
    const seen = this.#backend.viewOrRead(buffers);
    const values = seen instanceof Promise ? await seen : seen;
    return Object.fromEntries(
      names.map((name, i) => [name, this.toHost(name, values[i]!, origins.values)]),
    );
  }

  /** Converts the fields of a snapshot that programs or hooks have changed, as {@linkcode download} does. */
  savedToHost(
    fields: Readonly<Record<string, NumericArray>>,
    origins: OriginValues,
  ): Record<string, NumericArray> {
    return Object.fromEntries(
      this.#changedNames.map((name) => [name, this.toHost(name, fields[name]!, origins)]),
    );
  }

  /** Reads one field, and converts it to the batch's types and precision. */
  async downloadField(name: string): Promise<NumericArray> {
    const { buffer } = this.#columns.field(name), { values: origins } = this.#columns.origins;
    return this.toHost(name, await this.#backend.read<BufferType>(buffer), origins);
  }

  /**
   * Converts values of a field from the backend to the batch's type and precision. A value that differs from the
   * batch only by rounding keeps the batch's digits.
   */
  toHost(name: string, there: NumericArray, origins: OriginValues): NumericArray {
    const { host } = this.#columns.fields.get(name)!;
    if (name === POSITIONS && origins !== undefined) return this.#absolute(host, there, origins);
    if (there instanceof Int32Array && host instanceof Int32Array) return there.slice();
    if (host instanceof Float64Array) {
      if (there instanceof Float32Array) return unrounded(host, there);
      if (there instanceof Float64Array) return withSigns(host, there);
    }
    return host.map((value: number, i: number) => isSame(there, i, value) ? value : there[i]!);
  }

  /**
   * Returns access to the values of fields. `valuesOf` returns the values of a field on the backend, and `originsOf`
   * the origins of its positions. Both are called at each access, because origins may change between two. Positions
   * relative to origins are not returned in float32, because absolute positions have more digits.
   */
  heldValues(
    valuesOf: (name: string) => NumericArray,
    originsOf: () => OriginValues,
  ): RoundedValues {
    const held = (name: string) => {
      const host = this.#columns.fields.get(name)?.host;
      const isShifted = name === POSITIONS && originsOf() !== undefined;
      if (!(host instanceof Float64Array) || isShifted) return undefined;
      const there = valuesOf(name);
      return there instanceof Float32Array ? there : undefined;
    };
    const unless = (differs: typeof keepsDigits) => (name: string) => {
      const there = held(name);
      if (there === undefined) return undefined;
      const { host } = this.#columns.fields.get(name)!;
      return differs(host as Float64Array, there) ? undefined : there;
    };
    return { rounded: unless(keepsZeros), single: unless(keepsDigits) };
  }

  /** Converts as {@linkcode toHost} does. Returns the batch's own array if no program or hook has changed the field. */
  toHostIfChanged(name: string, there: NumericArray): NumericArray {
    const { isChanged, host } = this.#columns.fields.get(name)!;
    return isChanged ? this.toHost(name, there, this.#columns.origins.values) : host;
  }

  /** Converts relative to absolute positions. Unchanged positions keep the batch's digits, as in {@linkcode toHost}. */
  #absolute(host: NumericArray, there: NumericArray, origins: Float64Array): NumericArray {
    const known = this.#columns.origins.absolute(host, origins.map((one) => -one));
    const now = this.#columns.origins.absolute(there, origins);
    return now.map((value: number, i: number) => isSame(there, i, known[i]!) ? host[i]! : value);
  }

  get #changedNames(): readonly string[] {
    return [...this.#columns.fields].filter(([, { isChanged }]) => isChanged).map(([name]) => name);
  }

  #systemsThatDiffer(
    { level, width }: FieldColumn,
    host: NumericArray,
    there: NumericArray,
  ): Set<number> {
    const { rows } = this.#columns;
    const systems = new Set<number>();
    for (let s = 0; s < rows.size; s++) {
      const [first, end] = rows.of(level, s);
      for (let i = width * first; i < width * end; i++) {
        if (isSame(there, i, host[i]!)) continue;
        systems.add(s);
        break;
      }
    }
    return systems;
  }
}

/** Copies values that were just written to the buffer of a column to its mirror. Does nothing on a host backend. */
export function mirrorWritten(
  backend: Backend,
  column: Exclude<Column, { kind: "scratch" }>,
  values: NumericArray,
): void {
  if (!backend.isHost) column.mirror = values.slice();
}

function inPrecision(real: Backend["real"], dtype: BufferType, host: NumericArray): NumericArray {
  if (dtype === "i32") return Int32Array.from(host);
  return dtype === "f64" || real === "f64" ? Float64Array.from(host) : Float32Array.from(host);
}

/**
 * Converts float32 to float64. A value that differs from the batch only by rounding keeps the batch's digits. The
 * loop processes every atom of each written frame, for which calling a closure per number, as `map` does, would be
 * slow.
 */
// hot
function unrounded(here: Float64Array, there: Float32Array): Float64Array {
  const values = new Float64Array(here.length);
  for (let i = 0; i < values.length; i++) {
    const value = here[i]!, now = there[i]!;
    values[i] = now === Math.fround(value) ? value : now; // NaN is not equal to itself, so NaN stays
  }
  return values;
}

/**
 * Copies float64 values. A zero keeps the sign that it has in the batch. Called for energies and stresses of each
 * written frame, for which a closure per number would cost more than the frame of few atoms.
 */
// hot
function withSigns(here: Float64Array, there: Float64Array): Float64Array {
  const values = new Float64Array(there);
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 0 && here[i] === 0) values[i] = here[i]!;
  }
  return values;
}

/**
 * Returns whether a float64 value differs from its float32 value only by digits that float32 does not have, or by the
 * sign of a zero. A copy keeps both.
 */
// hot
function keepsDigits(here: Float64Array, there: Float32Array): boolean {
  for (let i = 0; i < there.length; i++) {
    const value = here[i]!;
    if (there[i] === Math.fround(value) && !Object.is(there[i], value)) return true;
  }
  return false;
}

/** Returns whether a float64 value that rounds to zero has another sign than its float32 value. A copy keeps the sign. */
// hot
function keepsZeros(here: Float64Array, there: Float32Array): boolean {
  // V8 compares integers faster than float32 values. All bits but the sign of a zero are 0.
  const bits = new Int32Array(there.buffer, there.byteOffset, there.length);
  for (let i = 0; i < bits.length; i++) {
    if ((bits[i]! & 0x7fffffff) !== 0) continue;
    const value = Math.fround(here[i]!);
    if (value === 0 && !Object.is(there[i], value)) return true;
  }
  return false;
}

function isSame(there: ArrayLike<number>, i: number, here: number): boolean {
  const value = there instanceof Float32Array ? Math.fround(here) : here;
  return Object.is(there[i], value) || there[i] === value;
}

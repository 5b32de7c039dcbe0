import type { Backend, Buffer, Spread } from "../../backend/backend.ts";
import { ACCELERATION } from "../../kernels/constants.ts";
import type { BufferType } from "../../kernels/kernel.ts";
import type { Batch } from "../batch.ts";
import type { FieldInfo, Level, NumericArray } from "../fields/fields.ts";
import {
  type FieldColumn,
  filled,
  type ScratchColumn,
  type StateColumn,
  type StateShape,
} from "./column.ts";
import { Origins } from "./origins.ts";
import { SystemRows } from "./system_rows.ts";

/** The field whose values are relative to origins. */
export const POSITIONS = "positions";

/** Sums over many terms. float32 is too inaccurate for them. */
const SUMS: ReadonlySet<string> = new Set(["energy", "stress"]);

/** All columns of a batch on a backend. A column is created when it is first requested. */
export class ColumnTable {
  /** The batch. */
  readonly batch: Batch;
  /** Rows of its systems. */
  readonly rows: SystemRows;
  /** Columns of fields by name. */
  readonly fields: Map<string, FieldColumn> = new Map<string, FieldColumn>();
  /** Columns of states by name. Names of scoped states begin with the scope. */
  readonly states: Map<string, StateColumn> = new Map<string, StateColumn>();
  /** Columns of scratch arrays by name, with the same names as states. */
  readonly scratches: Map<string, ScratchColumn> = new Map<string, ScratchColumn>();
  /**
   * Names of the existing fields. The holder of the batch keeps this set, so it is updated in
   * place.
   */
  readonly names: Set<string> = new Set<string>();
  /** The origins of positions. */
  readonly origins: Origins;
  readonly #backend: Backend;
  readonly #constants = new Set<Buffer>();
  #scope: string | undefined;

  /**
   * Creates an empty table. With `hasOrigins`, positions may be relative to an origin of each
   * system.
   */
  constructor(batch: Batch, backend: Backend, hasOrigins: boolean) {
    this.batch = batch;
    this.rows = new SystemRows(batch);
    this.origins = new Origins(this.rows.nodeOffsets, hasOrigins);
    this.#backend = backend;
  }

  /**
   * Returns the column of a field, and uploads it first if necessary.
   *
   * @throws {TypeError} if the field does not exist
   */
  field(name: string): FieldColumn {
    const known = this.fields.get(name);
    if (known !== undefined) return known;
    const host = this.batch.ensure(name as "positions") as NumericArray;
    const { level } = this.#infoOf(name);
    const buffer = this.#backend.alloc(dtypeOf(name, host), host.length, spreadOf(level));
    if (name === POSITIONS) this.origins.choose(host, Array(this.rows.size).keys());
    this.#backend.write(buffer, this.placed(name, host));
    return this.adopt(name, buffer, host);
  }

  /**
   * Returns the values of a field as they are on the backend, before rounding: positions relative
   * to their origins.
   */
  placed(name: string, host: NumericArray): NumericArray {
    return name === POSITIONS ? this.origins.relative(host) : host;
  }

  /** Adds a field whose buffer already exists. */
  adopt(name: string, buffer: Buffer, host: NumericArray): FieldColumn {
    const { level, width } = this.#infoOf(name);
    const flags = { mirror: undefined, isChanged: false, hasDerived: false };
    const column: FieldColumn = { kind: "field", buffer, level, width, host, ...flags };
    this.fields.set(name, column);
    this.names.add(name);
    return column;
  }

  /** Returns the buffer of a state of the current scope, and creates it first if necessary. */
  state<D extends BufferType>(name: string, shape: StateShape<D>): Buffer<D> {
    const key = this.#scoped(name, shape);
    let column = this.states.get(key);
    if (column === undefined) {
      const { level, width = 1, initial = 0 } = shape;
      const buffer = this.#made(shape);
      column = {
        kind: "state",
        buffer,
        level,
        width,
        initial,
        mirror: undefined,
        isScoped: key !== name,
      };
      this.states.set(key, column);
    }
    return column.buffer as Buffer<D>;
  }

  /**
   * Returns the buffer of a scratch array of the current scope, and creates it first if necessary.
   */
  scratch<D extends BufferType>(name: string, shape: StateShape<D>): Buffer<D> {
    const key = this.#scoped(name, shape);
    let column = this.scratches.get(key);
    if (column === undefined) {
      const { level, width = 1 } = shape;
      column = { kind: "scratch", buffer: this.#made(shape), level, width };
      this.scratches.set(key, column);
    }
    return column.buffer as Buffer<D>;
  }

  /**
   * Runs `work` in a scope. States and scratch arrays that it requests belong to this scope, unless
   * they are shared.
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

  /** Returns ACCELERATION / mass of each atom, shared by all scopes. */
  weights(): Buffer<"real"> {
    const known = this.scratches.get("weights");
    if (known !== undefined) return known.buffer as Buffer<"real">;
    const initial = this.#inverseMasses();
    return this.scratch("weights", { dtype: "real", level: "node", initial, isShared: true });
  }

  /** Recomputes the weights, if they exist, after masses have changed. */
  refreshWeights(): void {
    const weights = this.scratches.get("weights");
    if (weights !== undefined) this.#backend.write(weights.buffer, this.#inverseMasses());
  }

  /** Creates a buffer of constants. */
  constants<D extends BufferType>(dtype: D, values: ArrayLike<number>, spread?: Spread): Buffer<D> {
    const buffer = this.#backend.alloc(dtype, values.length, spread);
    this.#backend.write(buffer, values);
    this.#constants.add(buffer);
    return buffer;
  }

  /** Frees all buffers. */
  free(): void {
    for (const kept of [this.fields, this.states, this.scratches]) {
      for (const { buffer } of kept.values()) this.#backend.free(buffer);
      kept.clear();
    }
    for (const buffer of this.#constants) this.#backend.free(buffer);
    this.#constants.clear();
  }

  #scoped(name: string, { isShared }: StateShape<BufferType>): string {
    return this.#scope === undefined || isShared === true ? name : `${this.#scope}/${name}`;
  }

  #made({ dtype, level, width = 1, initial = 0 }: StateShape<BufferType>): Buffer {
    const length = width * this.rows.count(level);
    const buffer = this.#backend.alloc(dtype, length, level);
    this.#backend.write(buffer, typeof initial === "number" ? filled(initial, length) : initial);
    return buffer;
  }

  #infoOf(name: string): FieldInfo {
    return this.batch.fields().find((field) => field.name === name)!;
  }

  #inverseMasses(): Float64Array {
    return (this.field("masses").host as Float64Array).map((mass) => ACCELERATION / mass);
  }
}

/**
 * Threads divide atoms and systems among them, but not edges, so a column of edges has no spread.
 */
function spreadOf(level: Level): Spread | undefined {
  return level === "edge" ? undefined : level;
}

function dtypeOf(name: string, values: NumericArray): BufferType {
  if (SUMS.has(name)) return "f64";
  return values instanceof Float64Array || values instanceof Float32Array ? "real" : "i32";
}

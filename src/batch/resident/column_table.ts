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

/** Name of the field whose values on a backend are relative to origins. */
export const POSITIONS = "positions";

/** Fields that are sums over many terms, for which float32 is too inaccurate. They are stored as float64. */
const SUMS: ReadonlySet<string> = new Set(["energy", "stress"]);

/** All columns of a batch on a backend. Each column is created when it is first requested. */
export class ColumnTable {
  /** The batch on the host. */
  readonly batch: Batch;
  /** Ranges of rows of each system. */
  readonly rows: SystemRows;
  /** Columns of fields by name. */
  readonly fields: Map<string, FieldColumn> = new Map<string, FieldColumn>();
  /** Columns of states by name. The name of a state that belongs to a scope is `scope/name`. */
  readonly states: Map<string, StateColumn> = new Map<string, StateColumn>();
  /** Columns of scratch arrays by name, with `scope/name` for arrays that belong to a scope. */
  readonly scratches: Map<string, ScratchColumn> = new Map<string, ScratchColumn>();
  /**
   * Names of the fields that have a column. The set is updated in place, because the holder of the batch keeps a
   * reference to it.
   */
  readonly names: Set<string> = new Set<string>();
  /** Origins to which positions on the backend are relative. */
  readonly origins: Origins;
  readonly #backend: Backend;
  readonly #constants = new Set<Buffer>();
  #scope: string | undefined;

  /**
   * Creates an empty table. If `hasOrigins` is true, positions on the backend may be relative to one origin per
   * system.
   */
  constructor(batch: Batch, backend: Backend, hasOrigins: boolean) {
    this.batch = batch;
    this.rows = new SystemRows(batch);
    this.origins = new Origins(this.rows.nodeOffsets, hasOrigins);
    this.#backend = backend;
  }

  /**
   * Returns the column of a field. Uploads the field if it has no column yet, and adds a missing built-in field to
   * the batch.
   *
   * @throws {TypeError} if no field has this name
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
   * Converts values of a field to the form that the backend stores, before rounding: positions become relative to
   * their origins.
   */
  placed(name: string, host: NumericArray): NumericArray {
    return name === POSITIONS ? this.origins.relative(host) : host;
  }

  /** Adds the column of a field whose buffer already exists and has the values of `host`. */
  adopt(name: string, buffer: Buffer, host: NumericArray): FieldColumn {
    const { level, width } = this.#infoOf(name);
    const flags = { mirror: undefined, isChanged: false, hasDerived: false };
    const column: FieldColumn = { kind: "field", buffer, level, width, host, ...flags };
    this.fields.set(name, column);
    this.names.add(name);
    return column;
  }

  /** Returns the buffer of a state of the current scope. Creates the buffer if it does not exist. */
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

  /** Returns the buffer of a scratch array of the current scope. Creates the buffer if it does not exist. */
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
   * Runs `work` in a scope within the current scope. States and scratch arrays that it requests belong to the new
   * scope, unless they are shared.
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

  /** Returns the buffer with ACCELERATION / mass of each atom, Å/fs² per eV/Å. All scopes share it. */
  weights(): Buffer<"real"> {
    const known = this.scratches.get("weights");
    if (known !== undefined) return known.buffer as Buffer<"real">;
    const initial = this.#inverseMasses();
    return this.scratch("weights", { dtype: "real", level: "node", initial, isShared: true });
  }

  /**
   * Recomputes the buffer of {@linkcode weights} after masses have changed. Does nothing if the buffer does not
   * exist.
   */
  refreshWeights(): void {
    const weights = this.scratches.get("weights");
    if (weights !== undefined) this.#backend.write(weights.buffer, this.#inverseMasses());
  }

  /** Creates a buffer with constant values, which `free` frees. */
  constants<D extends BufferType>(dtype: D, values: ArrayLike<number>, spread?: Spread): Buffer<D> {
    const buffer = this.#backend.alloc(dtype, values.length, spread);
    this.#backend.write(buffer, values);
    this.#constants.add(buffer);
    return buffer;
  }

  /** Frees all buffers of the table. */
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
 * Returns the level by which threads divide the rows of a column: atoms or systems. Returns `undefined` for edges,
 * which are not divided.
 */
function spreadOf(level: Level): Spread | undefined {
  return level === "edge" ? undefined : level;
}

function dtypeOf(name: string, values: NumericArray): BufferType {
  if (SUMS.has(name)) return "f64";
  return values instanceof Float64Array || values instanceof Float32Array ? "real" : "i32";
}

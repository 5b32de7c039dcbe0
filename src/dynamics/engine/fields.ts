/**
 * The fields that dynamics hooks read and write.
 *
 * @module
 */

import type { Numbers } from "../../hooks/protocol/context.ts";
import { readView } from "../../hooks/run/read_view.ts";
import type { FieldValues, ReadPlan, StateSource } from "../../hooks/run/reads.ts";
import type { Buffer } from "../../backend/backend.ts";
import type { Batch } from "../../batch/batch.ts";
import type { NumericArray } from "../../batch/fields/fields.ts";
import { markMade, withHeld } from "../../batch/fields/holder.ts";
import type { OriginValues } from "../../batch/resident/origins.ts";
import type { ResidentBatch } from "../../batch/resident/resident_batch.ts";
import { type BufferType, Control } from "../../kernels/kernel.ts";
import { CHANGE, isMeasured, MEASURED, measuredIn } from "./measures.ts";
import { rowsIn } from "./system_rows.ts";
import type { HookWork } from "../step/hook_work.ts";
import type { Clock } from "./clock.ts";

/** Names of the stored fields that every engine offers to hooks. */
const STORED = [
  "positions",
  "velocities",
  "forces",
  "energy",
  "masses",
  "charges",
  "cell",
  "pbc",
  "numbers",
  "images",
  "status",
  "systemId",
  "stepsDone",
] as const;

/** Name of the field that is relative to origins on a backend, but absolute for hooks. */
const POSITIONS = "positions";

/** Name under which hooks read all fields of the batch as one object. */
const FRAME = "frame";

/** Returns the names of all fields that hooks may declare. `own` are the custom fields. */
function fieldNames(own: readonly string[]): readonly string[] {
  return [...new Set([...STORED, ...MEASURED, CHANGE, "time", FRAME, ...own])];
}

/** The current batch of an engine, and the objects that compute its times and measures. */
export interface FieldHost {
  /** The batch on its device. */
  readonly state: ResidentBatch;
  /** Clock that computes the times of the systems. */
  readonly clock: Clock;
  /** Computes measured values, and records changes by hooks that make them out of date. */
  readonly work: Pick<HookWork, "touch" | "measure">;
}

/** A view that was passed to readers, with the array and the systems to which it belongs. */
interface KnownView {
  readonly values: unknown;
  readonly nodeOffsets: Int32Array;
  readonly view: NumericArray;
}

/** The fields that hooks read and write, always of the engine's current batch. */
export class DynamicsFields implements StateSource {
  readonly fields: readonly string[];
  readonly #host: () => FieldHost;
  readonly #isLive: () => boolean;
  readonly #views = new Map<string, KnownView>();
  /** The last frame, with the batch on its device and the number of fields at that time. */
  #frame:
    | { readonly state: ResidentBatch; readonly count: number; readonly fields: object }
    | undefined;

  /**
   * Creates the fields. `own` are the names of the custom fields. `isLive` returns true if the fields are in host
   * memory.
   */
  constructor(own: readonly string[], host: () => FieldHost, isLive: () => boolean) {
    this.fields = fieldNames(own);
    this.#host = host;
    this.#isLive = isLive;
  }

  plan(fields: readonly string[]): ReadPlan {
    if (this.#isLive()) return { live: true, value: (field) => this.#read(field) };
    return {
      live: false,
      fetch: (isAwaited) => this.#fetch(fields, isAwaited),
      writeBack: (values) => this.#writeBack(values),
    };
  }

  writable(field: string): unknown {
    assertStored(field);
    const { work, state } = this.#host();
    work.touch(field);
    if (field === POSITIONS) leaveOrigins(state);
    return this.#value(field);
  }

  /**
   * Returns the value of a field for readers. Repeated calls return the same view until the array or the systems
   * change.
   */
  #read(field: string): unknown {
    const values = this.#value(field);
    if (!ArrayBuffer.isView(values)) return values;
    const { batch } = this.#host().state, { nodeOffsets } = batch;
    const known = this.#views.get(field);
    if (known?.values === values && known.nodeOffsets === nodeOffsets) return known.view;
    const view = viewIn(batch, nodeOffsets, field, values as NumericArray);
    this.#views.set(field, { values, nodeOffsets, view });
    return view;
  }

  #value(field: string): unknown {
    const host = this.#host();
    const { state } = host;
    if (field === "time") {
      return host.clock.view(state.view(state.field<"i32">(host.clock.counter)));
    }
    if (field === FRAME) return this.#frameOf(state);
    if (isMeasured(field)) host.work.measure(field);
    const values = state.view(bufferOf(state, field));
    return field === POSITIONS ? state.origins.view(values) : values;
  }

  /** Returns the frame of a batch: the same object, whose getters return current values, until fields are added. */
  #frameOf(state: ResidentBatch): object {
    const count = state.fields.size, last = this.#frame;
    if (last?.state === state && last.count === count) return last.fields;
    const fields = frameAsked(state);
    this.#frame = { state, count, fields };
    return fields;
  }

  /**
   * Reads fields from a device. Returns `undefined` if a system has diverged, because the step is then not complete.
   */
  async #fetch(fields: readonly string[], isAwaited: boolean): Promise<FieldValues | undefined> {
    const host = this.#host();
    const { state, state: { backend, batch, frame }, clock } = host;
    for (const field of fields) if (isMeasured(field)) host.work.measure(field);
    const all = [
      ...new Set([frame.control, ...fields.flatMap((field) => buffersOf(host, field))]),
    ];
    // Kept now, because streams may change origins and offsets before the values arrive, and later stages add fields.
    const { values: origins } = state.origins, { nodeOffsets } = batch, names = [...state.fields];
    const values = await (isAwaited ? backend.viewOrRead(all) : backend.readLate(all));
    const arrived = new Map(all.map((buffer, i) => [buffer, values[i]!]));
    const valueIn = (buffer: Buffer) => arrived.get(buffer)!;
    if (valueIn(frame.control)[Control.DIVERGED] !== 0) return undefined;
    const valueOf = (field: string): NumericArray => {
      if (field === "time") {
        return clock.at(valueIn(state.field<"i32">(clock.counter)) as Int32Array);
      }
      const there = valueIn(bufferOf(state, field));
      return field === POSITIONS ? state.origins.absolute(there, origins) : there;
    };
    return Object.fromEntries(fields.map((field) => {
      if (field === FRAME) return [field, frameOf(state, names, { valueIn, origins })];
      return [field, viewIn(batch, nodeOffsets, field, valueOf(field))];
    }));
  }

  #writeBack(values: FieldValues): void {
    const host = this.#host();
    for (const [field, numbers] of Object.entries(values)) {
      assertStored(field);
      host.work.touch(field);
      const { state, state: { backend, origins } } = host;
      const there = field === POSITIONS ? origins.relative(numbers as NumericArray) : numbers;
      backend.write(state.field<BufferType>(field), there as Numbers);
    }
  }
}

/**
 * Returns the values of a field as a view for readers. The view knows to which rows of the batch its values belong.
 * `offsets` are the node offsets of the systems.
 */
function viewIn(
  batch: Batch,
  offsets: Int32Array,
  field: string,
  values: NumericArray,
): NumericArray {
  return readView(values, () => rowsIn(batch, field, values.length, offsets));
}

function assertStored(field: string): void {
  if (!isMeasured(field) && field !== "time" && field !== FRAME) return;
  throw new TypeError(
    `Cannot write ${field}: its values are measured in each step. Only stored fields, such as forces, can be written`,
  );
}

/** Returns the fields `names`, in the shapes and types of the batch. */
function frameOf(
  state: ResidentBatch,
  names: readonly string[],
  { valueIn, origins }: {
    readonly valueIn: (buffer: Buffer) => NumericArray;
    readonly origins: OriginValues;
  },
): Readonly<Record<string, NumericArray>> {
  const fields: Record<string, NumericArray> = Object.fromEntries(
    names.filter((name) => state.batch.has(name)).map((name) => {
      return [name, state.toHost(name, valueIn(state.field<BufferType>(name)), origins)];
    }),
  );
  const valuesOf = (name: string) => valueIn(state.field<BufferType>(name));
  return withHeld(fields, {
    ...state.heldValues(valuesOf, () => origins),
    current: (name) => fields[name]!,
  });
}

/** Returns an object whose getters convert a field only when it is read, because a reader may need few of them. */
function frameAsked(state: ResidentBatch): Readonly<Record<string, NumericArray>> {
  const frame: Record<string, NumericArray> = {};
  for (const name of state.fields) {
    if (!state.batch.has(name)) continue;
    const get = () =>
      state.toHost(name, state.view(state.field<BufferType>(name)), state.origins.values);
    Object.defineProperty(frame, name, { get, enumerable: true });
  }
  const valuesOf = (name: string) => state.view(state.field<BufferType>(name));
  return withHeld(markMade(frame), {
    ...state.heldValues(valuesOf, () => state.origins.values),
    current: (name) => state.toHostIfChanged(name, valuesOf(name)),
  });
}

/** Returns the buffers that must be read for a field. */
function buffersOf({ state, clock }: FieldHost, field: string): Buffer[] {
  if (field === "time") return [state.field<"i32">(clock.counter)];
  if (field !== FRAME) return [bufferOf(state, field)];
  return [...state.fields].map((name) => state.field<BufferType>(name));
}

/** Returns the buffer of a stored or measured field. */
export function bufferOf(state: ResidentBatch, field: string): Buffer {
  return isMeasured(field) ? measuredIn(state, field) : state.field(field);
}

/** Makes positions on a host backend absolute, for a hook that writes to them. */
function leaveOrigins(state: ResidentBatch): void {
  const { backend, origins } = state;
  if (origins.values === undefined) return;
  const positions = state.field("positions");
  backend.write(positions, origins.absolute(backend.view(positions), origins.values));
  origins.load(undefined);
}

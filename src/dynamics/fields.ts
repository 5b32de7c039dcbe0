/**
 * What dynamics hooks read and write, and where it is.
 *
 * @module
 */

import type { Numbers } from "../hooks/context.ts";
import type { StateSource } from "../hooks/reads.ts";
import type { Buffer } from "../backend/backend.ts";
import type { ResidentBatch } from "../batch/resident.ts";
import { CHANGE, isMeasured, MEASURED, measuredIn } from "./measures.ts";
import { type PerSystem, perSystem } from "./integrator.ts";

/** The fields of the batch that every engine offers. */
const STORED = [
  ...["positions", "velocities", "forces", "energy", "masses", "charges", "cell", "numbers"],
  ...["images", "status", "systemId", "stepsDone"],
] as const;

/** The names of all fields that hooks may declare; `own` are those of the user. */
export function fieldNames(own: readonly string[]): readonly string[] {
  return [...new Set([...STORED, ...MEASURED, CHANGE, "time", ...own])];
}

/** The fields of one engine: of whatever batch it has at the time. */
export class DynamicsFields implements StateSource {
  readonly fields: readonly string[];
  readonly #state: () => ResidentBatch;
  readonly #dt: PerSystem | undefined;
  readonly #touched: (field: string) => void;

  /** `touched` is told of each field that a hook was given to write. */
  constructor(
    own: readonly string[],
    dt: PerSystem | undefined,
    state: () => ResidentBatch,
    touched: (field: string) => void,
  ) {
    this.fields = fieldNames(own);
    this.#dt = dt;
    this.#state = state;
    this.#touched = touched;
  }

  plan(): { readonly live: true; value(field: string): unknown } {
    return { live: true, value: (field) => this.#value(field) };
  }

  writable(field: string): unknown {
    if (isMeasured(field) || field === "time") {
      throw new TypeError(
        `Cannot write ${field} as only what is stored can be written: it is measured`,
      );
    }
    this.#touched(field);
    return this.#value(field);
  }

  #value(field: string): Numbers {
    const state = this.#state();
    if (field === "time") return this.#time(state);
    return state.backend.view(bufferOf(state, field)) as Numbers;
  }

  #time({ backend, frame, batch }: ResidentBatch): Float64Array {
    const ages = backend.view(frame.ages);
    const dt = perSystem("a run", "dt", this.#dt ?? NaN, batch.size);
    return dt.map((one, system) => one * ages[system]!);
  }
}

/** Where a field is, whether stored or measured. */
export function bufferOf(state: ResidentBatch, field: string): Buffer {
  return isMeasured(field) ? measuredIn(state, field) : state.field(field);
}

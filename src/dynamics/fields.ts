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
import type { Clock } from "./clock.ts";

/** The fields of the batch that every engine offers. */
const STORED = [
  ...["positions", "velocities", "forces", "energy", "masses", "charges", "cell", "numbers"],
  ...["images", "status", "systemId", "stepsDone"],
] as const;

/** The names of all fields that hooks may declare; `own` are those of the user. */
export function fieldNames(own: readonly string[]): readonly string[] {
  return [...new Set([...STORED, ...MEASURED, CHANGE, "time", ...own])];
}

/** The batch of the moment, as fields see it. */
export interface FieldHost {
  /** Where it is. */
  readonly state: ResidentBatch;
  /** How far in time it has come. */
  readonly clock: Clock;
  /** Told of each field that a hook was given to write. */
  touch(field: string): void;
  /** Brings a measure up to date, if a hook has changed something since it was taken. */
  measure(field: string): void;
}

/** The fields of one engine: of whatever batch it has at the time. */
export class DynamicsFields implements StateSource {
  readonly fields: readonly string[];
  readonly #host: () => FieldHost;

  /** `own` are the fields of the user. */
  constructor(own: readonly string[], host: () => FieldHost) {
    this.fields = fieldNames(own);
    this.#host = host;
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
    this.#host().touch(field);
    return this.#value(field);
  }

  #value(field: string): Numbers {
    const host = this.#host();
    const { state } = host;
    if (field === "time") return host.clock.now(state);
    if (isMeasured(field)) host.measure(field);
    return state.backend.view(bufferOf(state, field)) as Numbers;
  }
}

/** Where a field is, whether stored or measured. */
export function bufferOf(state: ResidentBatch, field: string): Buffer {
  return isMeasured(field) ? measuredIn(state, field) : state.field(field);
}

/**
 * Requests of hooks that a trainer fulfills as soon as the current step is done.
 *
 * @module
 */

import type { ValidationData } from "../context.ts";

/** A file to write between two steps. */
export interface WantedFile {
  /** Path of the file. */
  readonly path: string;
  /** `"onnx"` for the model alone; otherwise a checkpoint. */
  readonly weights: "onnx" | undefined;
}

/** Files and validations that hooks have asked for. */
export class StepRequests {
  /** The files, in order. */
  readonly files: WantedFile[] = [];
  #validation: { readonly data: ValidationData | undefined } | undefined;

  /** True if a validation was asked for. */
  get wantsValidation(): boolean {
    return this.#validation !== undefined;
  }

  /** Asks for a validation; without data, with that of the trainer's options. */
  validate(data: ValidationData | undefined): void {
    this.#validation = { data };
  }

  /** Returns the data of the validation that was asked for, if any, and forgets the request. */
  takeValidation(): ValidationData | undefined {
    const data = this.#validation?.data;
    this.#validation = undefined;
    return data;
  }

  /** Forgets all requests. */
  clear(): void {
    this.files.length = 0;
    this.#validation = undefined;
  }
}

/**
 * Requests of hooks that a trainer fulfills after the current step.
 *
 * @module
 */

import type { ValidationData } from "../context.ts";

/** A file that is written between two steps. */
export interface WantedFile {
  /** Path of the file. */
  readonly path: string;
  /** `"onnx"` to write only the model; undefined to write a checkpoint. */
  readonly weights: "onnx" | undefined;
}

/** Files and validations that hooks have requested. */
export class StepRequests {
  /** The requested files, in the order of the requests. */
  readonly files: WantedFile[] = [];
  #validation: { readonly data: ValidationData | undefined } | undefined;

  /** True if a validation was requested. */
  get wantsValidation(): boolean {
    return this.#validation !== undefined;
  }

  /** Requests a validation. If `data` is undefined, it uses the validation data of the trainer's options. */
  validate(data: ValidationData | undefined): void {
    this.#validation = { data };
  }

  /**
   * Returns the data of the requested validation, and removes the request. Returns undefined if no data were given or
   * no validation was requested.
   */
  takeValidation(): ValidationData | undefined {
    const data = this.#validation?.data;
    this.#validation = undefined;
    return data;
  }

  /** Removes all requests. */
  clear(): void {
    this.files.length = 0;
    this.#validation = undefined;
  }
}

const HOOKS_TO_COME = new WeakMap<object, Set<Promise<unknown>>>();

/**
 * Makes a trainer wait, before it trains, for hooks that are still being created. If they cannot be created, each run
 * throws their error if `isRequired` is true; otherwise only the caller gets the error. Returns the promise of the
 * hooks.
 */
export function awaitHooks<T>(
  trainer: object,
  making: Promise<T>,
  { isRequired = false }: { readonly isRequired?: boolean } = {},
): Promise<T> {
  const all = HOOKS_TO_COME.get(trainer) ?? new Set();
  HOOKS_TO_COME.set(trainer, all);
  const coming = isRequired ? making : making.catch(() => {});
  all.add(coming);
  coming.then(() => all.delete(coming), () => {}); // A rejected promise stays in the set, so each run throws its error.
  return making;
}

/** Waits until all hooks of a trainer are created. Throws the error of required hooks that cannot be created. */
export async function hooksMade(trainer: object): Promise<void> {
  for (const making of [...HOOKS_TO_COME.get(trainer) ?? []]) await making;
}

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

const HOOKS_TO_COME = new WeakMap<object, Set<Promise<unknown>>>();

/**
 * Makes a trainer wait for hooks that are still being made, before it trains. If `isRequired` and they cannot be made, it
 * refuses to train; otherwise only the caller gets the error. Returns the promise of the hooks.
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
  coming.then(() => all.delete(coming), () => {}); // A failure stays, and is thrown by each run.
  return making;
}

/** Settles once all hooks of a trainer are made. Throws the error of those that cannot be made and are required. */
export async function hooksMade(trainer: object): Promise<void> {
  for (const making of [...HOOKS_TO_COME.get(trainer) ?? []]) await making;
}

/**
 * What cases claim, beside numbers.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import type { OpenBackend } from "./cases/kernel_cases.ts";
import type { TestCase } from "./cases/test_case.ts";

/** Throws an Error with this message unless it is so. */
export function claim(isSo: boolean, message: () => string): asserts isSo {
  if (!isSo) throw new Error(message());
}

/** Throws an Error unless the work throws one of this kind, at once or when it is awaited, that says so. */
export async function claimRefused(
  work: () => unknown,
  kind: new (message: string) => Error,
  part: string = "",
): Promise<void> {
  let thrown: unknown;
  try {
    await work();
  } catch (error) {
    thrown = error;
  }
  claim(
    thrown instanceof kind && thrown.message.includes(part),
    () =>
      `It must be refused by a ${kind.name}${part && ` that says "${part}"`}, not ${shown(thrown)}`,
  );
}

function shown(thrown: unknown): string {
  return thrown === undefined ? "accepted" : `by ${String(thrown)}`;
}

/** A case of a backend of its own, which is given back whatever happens. */
export function onBackend(
  open: OpenBackend,
  name: string,
  test: (backend: Backend) => Promise<void>,
): TestCase {
  return {
    name,
    run: async () => {
      const backend = await open();
      try {
        await test(backend);
      } finally {
        backend.dispose();
      }
    },
  };
}

/**
 * Assertions of test cases.
 *
 * @module
 */

import type { Backend } from "../backend/backend.ts";
import type { MakeBackend } from "./cases/kernel_cases.ts";
import type { TestCase } from "./cases/test_case.ts";

/** Throws an Error with this message if a condition is false. */
export function claim(isSo: boolean, message: () => string): asserts isSo {
  if (!isSo) throw new Error(message());
}

/**
 * Throws an Error unless the work throws, synchronously or asynchronously, an error of the class `kind` whose message
 * contains `part`.
 */
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
    () => `It must throw a ${kind.name}${part && ` that contains "${part}"`}; got ${shown(thrown)}`,
  );
}

function shown(thrown: unknown): string {
  return thrown === undefined ? "accepted" : `by ${String(thrown)}`;
}

/** Returns a case that runs `test` with a new backend, and disposes of the backend in any event. */
export function onBackend(
  open: MakeBackend,
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

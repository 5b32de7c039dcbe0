import { AssertionError, withNote } from "./assertion_error.ts";
import { kindOf } from "./truth.ts";

/** A class of errors, abstract ones too. */
export type ErrorClass<E extends Error> = abstract new (...args: never[]) => E;

/** Makes sure that `fn` throws, and returns what it threw. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/** Makes sure that `fn` throws an error of this class whose message includes these words. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  classOrMsg?: ErrorClass<Error> | string,
  includes?: string,
  msg?: string,
): unknown {
  const wanted = expectation(classOrMsg, includes, msg);
  let thrown: unknown;
  try {
    fn();
  } catch (error) {
    thrown = error;
    check(thrown, wanted);
    return thrown;
  }
  throw new AssertionError(withNote("Expected function to throw", wanted.msg));
}

/** Makes sure that the promise `fn` returns is rejected, and resolves to the reason. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/** Makes sure that it is rejected with an error of this class whose message includes these words. */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  classOrMsg?: ErrorClass<Error> | string,
  includes?: string,
  msg?: string,
): Promise<unknown> {
  const wanted = expectation(classOrMsg, includes, msg);
  const promise = start(fn, wanted.msg);
  let reason: unknown;
  try {
    await promise;
  } catch (error) {
    reason = error;
    check(reason, wanted);
    return reason;
  }
  throw new AssertionError(withNote("Expected function to reject", wanted.msg));
}

/** Calls `fn`, which must hand back a promise: throwing at once is not rejecting. */
function start(fn: () => PromiseLike<unknown>, msg: string | undefined): PromiseLike<unknown> {
  let result: PromiseLike<unknown>;
  try {
    result = fn();
  } catch (cause) {
    throw new AssertionError(withNote("Function throws when expected to reject", msg), { cause });
  }
  if (typeof result?.then !== "function") {
    throw new AssertionError(withNote("Expected function to return a promise", msg));
  }
  return result;
}

interface Expectation {
  errorClass?: ErrorClass<Error>;
  includes: string | undefined;
  msg: string | undefined;
}

/** Tells the two call forms apart. */
function expectation(
  classOrMsg: ErrorClass<Error> | string | undefined,
  includes: string | undefined,
  msg: string | undefined,
): Expectation {
  return typeof classOrMsg === "function"
    ? { errorClass: classOrMsg, includes, msg }
    : { includes: undefined, msg: classOrMsg };
}

function check(thrown: unknown, { errorClass, includes, msg }: Expectation): void {
  if (errorClass === undefined) return;
  if (!(thrown instanceof Error)) {
    throw new AssertionError(withNote("A non-Error object was thrown", msg), { cause: thrown });
  }
  if (!(thrown instanceof errorClass)) {
    throw new AssertionError(
      withNote(
        `Expected error to be instance of "${errorClass.name}", but was "${kindOf(thrown)}"`,
        msg,
      ),
      { cause: thrown },
    );
  }
  if (includes !== undefined && !thrown.message.includes(includes)) {
    throw new AssertionError(
      withNote(
        `Expected error message to include "${includes}", but got "${thrown.message}"`,
        msg,
      ),
      { cause: thrown },
    );
  }
}

/**
 * Overload sets: multiple dispatch over any number of arguments.
 *
 * @module
 */

import { describeValue } from "../base/show.ts";
import { callable } from "./cache.ts";
import {
  any,
  type KindLike,
  type MatchAll,
  type Matcher,
  readMatcher,
  type Test,
} from "./matcher.ts";
import {
  findRow,
  findRowFor,
  type Handler,
  insertRow,
  makeRow,
  noOverload,
  noOverloadFor,
  type Row,
} from "./rows.ts";

/**
 * An immutable set of overloads. `A` is the union of the argument tuples that its rows accept, and `R` the union of
 * their results.
 */
export interface OverloadSet<A extends readonly unknown[], R> {
  /**
   * Calls the most specific row that matches the arguments.
   *
   * @throws {NoOverloadError} if no row matches
   */
  (...args: A): R;
  /**
   * Returns a set with one more row. `matchers` has one matcher per argument.
   *
   * @throws {AmbiguousOverloadError} if the new row and an existing one fit some call equally well
   * @throws {TypeError} if a matcher is invalid, or the handler is not a function
   */
  on<const Ms extends readonly Matcher[], Q>(
    matchers: Ms,
    f: (...args: MatchAll<Ms>) => Q,
  ): OverloadSet<A | MatchAll<Ms>, R | Q>;
  /** Returns a set with a handler for the calls that no row matches. */
  otherwise<Q>(f: (...args: readonly unknown[]) => Q): OverloadSet<readonly unknown[], R | Q>;
  /**
   * Returns the handler that a call with arguments of exactly these types would run. A handler can use it to call a
   * less specific row, as a method uses `super`.
   *
   * @throws {TypeError} if the argument is not a list of matchers, or no row accepts them
   */
  invoke<const Ms extends readonly Matcher[]>(matchers: Ms): (...args: MatchAll<Ms>) => R;
  /**
   * Returns a text that names the row which a call with these arguments would run, followed by the less specific rows
   * that match as well.
   */
  explain(...args: readonly unknown[]): string;
}

/** Rows of an overload set, for other modules of this package. */
export interface OverloadTable {
  /** The rows, sorted so that a narrower row always precedes a wider one. */
  readonly rows: readonly Row[];
  /** Handler for calls that no row matches; `undefined` if the set has no such handler. */
  readonly fallback: Handler | undefined;
}

/**
 * Key under which an overload set has its table. The symbol is registered globally, so that sets from other copies of
 * this module are recognized.
 */
export const TABLE: unique symbol = Symbol.for("hooke.overloads");

/** Returns the table of an overload set, or `undefined` if the value is not an overload set. */
export function tableOf(set: unknown): OverloadTable | undefined {
  return typeof set === "function"
    ? (set as { readonly [TABLE]?: OverloadTable })[TABLE]
    : undefined;
}

/** Checks a matcher of a new row. Throws if it can never match. */
export type MatcherCheck = (test: Test) => void;

/**
 * Creates an empty overload set.
 *
 * @example A cost model over two arguments
 *
 * ```ts
 * import { AmbiguousOverloadError, any, defineOverload } from "@hooke/hooke/dispatch";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * class Layer {}
 * class Conv extends Layer {}
 * const cost = defineOverload()
 *   .on([Layer, any], () => 1)
 *   .on([Conv, any], () => 9)
 *   .on([Conv, "webgpu"], () => 2);
 * assertEquals([cost(new Conv(), "webgpu"), cost(new Conv(), "wasm"), cost(new Layer(), 0)], [2, 9, 1]);
 * assertEquals(cost.invoke([Layer, any])(new Conv(), "webgpu"), 1);
 * // A row that would be as good as another one is refused here, not in the middle of a run:
 * assertThrows(() => cost.on([Layer, "wasm"], () => 3), AmbiguousOverloadError);
 * ```
 */
export function defineOverload(): OverloadSet<never, never> {
  return buildOverload([], undefined, () => {}) as unknown as OverloadSet<never, never>;
}

/**
 * Type of all overload sets without their argument types. `on` takes a list of matchers, or one matcher for the
 * second of two arguments.
 */
export interface AnyOverload {
  (...args: unknown[]): unknown;
  readonly [TABLE]: OverloadTable;
  on(selector: unknown, f: Handler): AnyOverload;
  otherwise(f: Handler): AnyOverload;
  invoke(matchers: readonly unknown[]): Handler;
  explain(...args: readonly unknown[]): string;
}

/** Creates an overload set from sorted rows. Calls `check` with each matcher that `on` adds later. */
export function buildOverload(
  rows: readonly Row[],
  fallback: Handler | undefined,
  check: MatcherCheck,
): AnyOverload {
  const resolve = (args: readonly unknown[]): Handler => {
    const handler = findRow(rows, args)?.handler ?? fallback;
    if (handler === undefined) throw noOverload(rows, args);
    return handler;
  };
  return Object.assign(callable(rows, resolve), {
    [TABLE]: { rows, fallback },
    on: (selector: unknown, f: Handler): AnyOverload => {
      const tests = readSelector(selector);
      tests.forEach(check);
      return buildOverload(insertRow(rows, makeRow(tests, checkHandler(f))), fallback, check);
    },
    otherwise: (f: Handler): AnyOverload => buildOverload(rows, checkHandler(f), check),
    invoke: (matchers: readonly unknown[]): Handler => {
      const tests = readList(matchers, "find an overload");
      const handler = findRowFor(rows, tests)?.handler ?? fallback;
      if (handler === undefined) throw noOverloadFor(rows, tests);
      return handler;
    },
    explain: (...args: readonly unknown[]): string => explain(rows, fallback, args),
  });
}

function readSelector(selector: unknown): readonly Test[] {
  const action = "add an overload";
  if (Array.isArray(selector)) return readList(selector, action);
  if (typeof selector === "string" || isKind(selector)) {
    return [readMatcher(any, action), readMatcher(selector, action)];
  }
  throw new TypeError(
    `Cannot ${action}: its selector must be a list of matchers, a kind or a stage; ` +
      `got ${describeValue(selector)}`,
  );
}

function isKind(x: unknown): boolean {
  return typeof x === "object" && x !== null && typeof (x as Partial<KindLike>).kind === "string";
}

function readList(matchers: unknown, action: string): readonly Test[] {
  if (Array.isArray(matchers)) {
    return Array.from(matchers as readonly unknown[], (matcher) => readMatcher(matcher, action));
  }
  throw new TypeError(
    `Cannot ${action}: its matchers must be a list, one for each argument; ` +
      `got ${describeValue(matchers)}`,
  );
}

function checkHandler(f: unknown): Handler {
  if (typeof f === "function") return f as Handler;
  throw new TypeError(
    `Cannot add an overload: its handler must be a function; got ${describeValue(f)}`,
  );
}

function explain(
  rows: readonly Row[],
  fallback: Handler | undefined,
  args: readonly unknown[],
): string {
  const row = findRow(rows, args);
  if (row === undefined) {
    return fallback === undefined ? noOverload(rows, args).message : "otherwise";
  }
  const others = rows.filter((other) => other !== row && findRow([other], args) !== undefined);
  return others.length === 0
    ? row.label
    : `${row.label}, before ${others.map((other) => other.label).join(", ")}`;
}

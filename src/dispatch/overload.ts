/**
 * Open overload sets: real multiple dispatch over any number of arguments.
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

/** An immutable set of overloads: `A` the argument tuples it takes, `R` what it returns. */
export interface Overload<A extends readonly unknown[], R> {
  /** Calls the most specific row. Throws {@linkcode NoOverloadError} when none takes the arguments. */
  (...args: A): R;
  /**
   * The set with one more row: a matcher per argument. Throws {@linkcode AmbiguousOverloadError} when the
   * new row and an old one would fit some call equally well, and a TypeError for what is no matcher or no
   * function.
   */
  on<const Ms extends readonly Matcher[], Q>(
    matchers: Ms,
    f: (...args: MatchAll<Ms>) => Q,
  ): Overload<A | MatchAll<Ms>, R | Q>;
  /** The set with a handler for every call that no row takes. */
  otherwise<Q>(f: (...args: readonly unknown[]) => Q): Overload<readonly unknown[], R | Q>;
  /**
   * The handler that a call with arguments of exactly these types would get: the way to a less specific row,
   * as `super` is in a class. Throws a TypeError for what is no list of matchers.
   */
  invoke<const Ms extends readonly Matcher[]>(matchers: Ms): (...args: MatchAll<Ms>) => R;
  /** The row that takes the arguments, as text, and the others that could have. */
  explain(...args: readonly unknown[]): string;
}

/** An overload set as the rest of the library sees it at run time. */
export interface OverloadTable {
  /** The rows, none after a wider one. */
  readonly rows: readonly Row[];
  /** The handler for calls that no row takes. */
  readonly fallback: Handler | undefined;
}

/** Key of the table of a set: a registered symbol, so that sets of any copy of this module have it. */
export const TABLE: unique symbol = Symbol.for("hooke.overloads");

/** Returns the table of an overload set; `undefined` if the value is not one. */
export function tableOf(set: unknown): OverloadTable | undefined {
  return typeof set === "function"
    ? (set as { readonly [TABLE]?: OverloadTable })[TABLE]
    : undefined;
}

/** Called for each matcher of a new row; throws when the matcher cannot be right. */
export type MatcherCheck = (test: Test) => void;

/**
 * An empty overload set.
 *
 * @example A cost model over two arguments
 * ```ts
 * import { AmbiguousOverloadError, any, overloads } from "@hooke/hooke/dispatch";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * class Layer {}
 * class Conv extends Layer {}
 * const cost = overloads()
 *   .on([Layer, any], () => 1)
 *   .on([Conv, any], () => 9)
 *   .on([Conv, "webgpu"], () => 2);
 * assertEquals([cost(new Conv(), "webgpu"), cost(new Conv(), "wasm"), cost(new Layer(), 0)], [2, 9, 1]);
 * assertEquals(cost.invoke([Layer, any])(new Conv(), "webgpu"), 1);
 * // A row that would be as good as another one is refused here, not in the middle of a run:
 * assertThrows(() => cost.on([Layer, "wasm"], () => 3), AmbiguousOverloadError);
 * ```
 */
export function overloads(): Overload<never, never> {
  return buildOverload([], undefined, () => {}) as unknown as Overload<never, never>;
}

/** The untyped set behind every typed one: `on` takes a list of matchers, or one for the last of two arguments. */
export interface AnyOverload {
  (...args: unknown[]): unknown;
  readonly [TABLE]: OverloadTable;
  on(selector: unknown, f: Handler): AnyOverload;
  otherwise(f: Handler): AnyOverload;
  invoke(matchers: readonly unknown[]): Handler;
  explain(...args: readonly unknown[]): string;
}

/** Builds a set from its rows. `check` is asked about every matcher that is added to it. */
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
    `Cannot ${action} as its selector must be a list of matchers, a kind or a stage: ` +
      `current value is ${describeValue(selector)}`,
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
    `Cannot ${action} as its matchers must be a list, one for each argument: ` +
      `current value is ${describeValue(matchers)}`,
  );
}

function checkHandler(f: unknown): Handler {
  if (typeof f === "function") return f as Handler;
  throw new TypeError(
    `Cannot add an overload as its handler must be a function: current value is ${
      describeValue(f)
    }`,
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

/**
 * Rows of an overload set: matching them with a call, and sorting them from specific to general.
 *
 * @module
 */

import { describeValue } from "../base/show.ts";
import { describeTest, passes, relate, type Test } from "./matcher.ts";

/** The function that a row calls. */
export type Handler = (...args: never[]) => unknown;

/** One overload: a test for each argument, and the handler. */
export interface Row {
  /** One test per argument. */
  readonly tests: readonly Test[];
  /** The function to call. */
  readonly handler: Handler;
  /** Signature as text, such as `(Dog, "wasm")`. */
  readonly label: string;
}

/** Creates a row, and its label from its tests. */
export function makeRow(tests: readonly Test[], handler: Handler): Row {
  return { tests, handler, label: `(${tests.map(describeTest).join(", ")})` };
}

/**
 * Relation of two rows over all arguments. Two rows are `crossed` if both can match one call, and each is narrower in
 * another argument.
 */
type RowRelation = "same" | "narrower" | "wider" | "disjoint" | "crossed" | "unknown";

function relateRows(a: Row, b: Row): RowRelation {
  if (a.tests.length !== b.tests.length) return "disjoint";
  let narrower = false, wider = false, unknown = false;
  for (const [i, test] of a.tests.entries()) {
    const relation = relate(test, b.tests[i]!);
    if (relation === "disjoint") return "disjoint";
    if (relation === "unknown") unknown = true;
    if (relation === "narrower") narrower = true;
    if (relation === "wider") wider = true;
  }
  if (unknown) return "unknown";
  if (narrower) return wider ? "crossed" : "narrower";
  return wider ? "wider" : "same";
}

/**
 * Returns the rows and the new row, sorted from specific to general.
 *
 * @throws {AmbiguousOverloadError} if the new row and an existing one fit some call equally well
 */
export function insertRow(rows: readonly Row[], row: Row): readonly Row[] {
  const rival = rows.find((other) => {
    const relation = relateRows(row, other);
    return relation === "same" || (relation === "crossed" && !isSettled(rows, row, other));
  });
  if (rival !== undefined) {
    const same = relateRows(row, rival) === "same";
    throw new AmbiguousOverloadError(
      `add overload ${row.label}`,
      [rival.label, row.label],
      same
        ? "the set already has this signature"
        : "first add an overload for the arguments that both accept",
    );
  }
  // A set of rows of literals would otherwise take a number of comparisons with the third power of its size.
  const isBefore = rows.some((other) => relateRows(row, other) === "narrower");
  return isBefore ? sortRows([...rows, row]) : [...rows, row];
}

/** Sorts narrower rows before wider ones. Otherwise, rows keep the order in which they were defined. */
function sortRows(rows: readonly Row[]): readonly Row[] {
  const left = [...rows], sorted: Row[] = [];
  while (left.length > 0) {
    const next = left.findIndex((row) =>
      !left.some((other) => relateRows(other, row) === "narrower")
    );
    sorted.push(...left.splice(next, 1));
  }
  return sorted;
}

/**
 * Returns whether a third row covers exactly the overlap of two crossed rows. Calls in the overlap then run the third
 * row, so the two rows are not ambiguous.
 */
function isSettled(rows: readonly Row[], a: Row, b: Row): boolean {
  const overlap = makeRow(
    a.tests.map((test, i) => relate(test, b.tests[i]!) === "wider" ? b.tests[i]! : test),
    a.handler,
  );
  return rows.some((row) => relateRows(row, overlap) === "same");
}

function isAtLeastAsNarrow(a: Row, b: Row): boolean {
  return ["same", "narrower"].includes(relateRows(a, b));
}

/** Returns whether a row matches a call with these arguments. */
export function takes(row: Row, args: readonly unknown[]): boolean {
  return row.tests.length === args.length && row.tests.every((test, i) => passes(test, args[i]));
}

/**
 * Returns the most specific row that matches the arguments, or `undefined` if no row matches.
 *
 * The rows are sorted, so no later row is narrower than the first match. A later match is only a rival if a guard
 * makes the relation of the two rows unknown.
 *
 * @throws {AmbiguousOverloadError} if the first match has such a rival
 */
export function findRow(rows: readonly Row[], args: readonly unknown[]): Row | undefined {
  const first = rows.findIndex((row) => takes(row, args));
  if (first === -1) return undefined;
  const best = rows[first]!;
  for (const other of rows.slice(first + 1)) {
    if (relateRows(best, other) === "unknown" && takes(other, args)) {
      throw new AmbiguousOverloadError(
        `dispatch ${describeCall(args)}`,
        [best.label, other.label],
        "no order exists between two guards, or for a class with a custom Symbol.hasInstance",
      );
    }
  }
  return best;
}

/**
 * Returns whether a row has a guard. The result of a guard depends on more than the class of an argument, so it
 * cannot be cached.
 */
export function hasGuard(row: Row): boolean {
  return row.tests.some((test) => test.type === "guard");
}

/** Returns the narrowest row that matches every call which the given tests match, or `undefined` if no row does. */
export function findRowFor(rows: readonly Row[], tests: readonly Test[]): Row | undefined {
  const wanted = makeRow(tests, () => undefined);
  return rows.find((row) => isAtLeastAsNarrow(wanted, row));
}

/** Returns the error for arguments that no row matches. It names the three rows that match most of the arguments. */
export function noOverload(rows: readonly Row[], args: readonly unknown[]): NoOverloadError {
  const matches = (test: Test, i: number) => passes(test, args[i]);
  return new NoOverloadError(describeCall(args), nearest(rows, args.length, matches));
}

/** Returns the error for tests that no row covers. It names the three rows that cover most of the tests. */
export function noOverloadFor(rows: readonly Row[], tests: readonly Test[]): NoOverloadError {
  const wanted = makeRow(tests, () => undefined);
  const matches = (test: Test, i: number) => ["same", "wider"].includes(relate(test, tests[i]!));
  return new NoOverloadError(wanted.label, nearest(rows, tests.length, matches));
}

// A row scores one point for each matching argument, and loses one for each missing or surplus argument.
function nearest(
  rows: readonly Row[],
  arity: number,
  matches: (test: Test, i: number) => boolean,
): readonly string[] {
  const score = (row: Row) =>
    row.tests.filter((test, i) => i < arity && matches(test, i)).length -
    Math.abs(row.tests.length - arity);
  return rows.toSorted((a, b) => score(b) - score(a)).slice(0, 3).map((row) => row.label);
}

function describeCall(args: readonly unknown[]): string {
  return `(${args.map(describeValue).join(", ")})`;
}

/**
 * Error for a call that no row of an overload set matches.
 *
 * @example
 * ```ts
 * import { defineOverload, NoOverloadError } from "@hooke/hooke/dispatch";
 * import { assertThrows } from "@std/assert";
 *
 * const set = defineOverload().on(["a"], () => 1);
 * const call = set as unknown as (x: string) => number;
 * assertThrows(() => call("b"), NoOverloadError, "no overload accepts these arguments");
 * ```
 */
export class NoOverloadError extends TypeError {
  /** Signatures of up to three rows that match most of the arguments, best first. */
  readonly nearest: readonly string[];

  /** Creates the error for a `call`, given as text, and the signatures of the nearest rows. */
  constructor(call: string, nearest: readonly string[]) {
    super(
      `Cannot dispatch ${call}: no overload accepts these arguments; ` +
        (nearest.length === 0 ? "the set is empty" : `the nearest are ${nearest.join(", ")}`),
    );
    this.name = "NoOverloadError";
    this.nearest = nearest;
  }
}

/**
 * Error for two rows that fit a call equally well.
 *
 * @example
 * ```ts
 * import { AmbiguousOverloadError, any, defineOverload } from "@hooke/hooke/dispatch";
 * import { assertThrows } from "@std/assert";
 *
 * const set = defineOverload().on(["a", any], () => 1);
 * // The call ("a", "a") would match both rows.
 * assertThrows(() => set.on([any, "a"], () => 2), AmbiguousOverloadError, "fit equally well");
 * ```
 */
export class AmbiguousOverloadError extends TypeError {
  /** Signatures of the two rows. */
  readonly rows: readonly [string, string];

  /** `where` is the failed action: adding a row, or dispatching a call. `cure` tells how to resolve the ambiguity. */
  constructor(where: string, rows: readonly [string, string], cure: string) {
    super(`Cannot ${where}: ${rows[0]} and ${rows[1]} fit equally well; ${cure}`);
    this.name = "AmbiguousOverloadError";
    this.rows = rows;
  }
}

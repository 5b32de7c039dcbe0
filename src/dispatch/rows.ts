/**
 * Rows of an overload set: which of them take a call, which of two is more specific.
 *
 * @module
 */

import { describeValue } from "../base/show.ts";
import { describeTest, passes, type Test } from "./matcher.ts";
import { relate } from "./relation.ts";

/** The function of a row. */
export type Handler = (...args: never[]) => unknown;

/** One overload: a test per argument, and what to call. */
export interface Row {
  /** One test per argument. */
  readonly tests: readonly Test[];
  /** The function to call. */
  readonly handler: Handler;
  /** The signature as text, `(Dog, "wasm")`. */
  readonly label: string;
}

/** Makes a row and its label. */
export function makeRow(tests: readonly Test[], handler: Handler): Row {
  return { tests, handler, label: `(${tests.map(describeTest).join(", ")})` };
}

/** Relation of two rows over all arguments: `crossed` rows can both match, and neither is narrower. */
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

/** The rows with one more, most specific first. Throws when the new row and an old one fit equally well. */
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
        ? "the set has this signature already"
        : "add a row for the arguments that both take before them",
    );
  }
  return sortRows([...rows, row]);
}

/** Narrower rows before wider ones, otherwise in the order of their definition. */
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

/** Returns whether there is a row for the overlap of two crossed rows, so that neither is ever chosen there. */
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

/** Returns whether a row takes these arguments. */
export function takes(row: Row, args: readonly unknown[]): boolean {
  return row.tests.length === args.length && row.tests.every((test, i) => passes(test, args[i]));
}

/**
 * The most specific row that takes the arguments, or `undefined`. Rows are ordered, so the first match is as
 * narrow as any other; only a row that cannot be compared with it, for a guard, can still rival it.
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
        "there is no order between two guards, or for a class with a Symbol.hasInstance of its own",
      );
    }
  }
  return best;
}

/** Returns whether a row asks a guard, whose answer depends on more than the class of the argument. */
export function hasGuard(row: Row): boolean {
  return row.tests.some((test) => test.type === "guard");
}

/** The narrowest row that takes everything the given tests let through. */
export function findRowFor(rows: readonly Row[], tests: readonly Test[]): Row | undefined {
  const wanted = makeRow(tests, () => undefined);
  return rows.find((row) => isAtLeastAsNarrow(wanted, row));
}

/** The error for arguments that no row takes, naming the rows that match most of them. */
export function noOverload(rows: readonly Row[], args: readonly unknown[]): NoOverloadError {
  const matches = (test: Test, i: number) => passes(test, args[i]);
  return new NoOverloadError(describeCall(args), nearest(rows, args.length, matches));
}

/** The error for tests of which no row lets everything through, naming the rows that do so for most of them. */
export function noOverloadFor(rows: readonly Row[], tests: readonly Test[]): NoOverloadError {
  const wanted = makeRow(tests, () => undefined);
  const matches = (test: Test, i: number) => ["same", "wider"].includes(relate(test, tests[i]!));
  return new NoOverloadError(wanted.label, nearest(rows, tests.length, matches));
}

// A row loses a point for each argument that the call lacks, or has too many.
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

/** No row of an overload set takes the arguments of a call. `nearest` are the rows that came closest. */
export class NoOverloadError extends TypeError {
  /** The rows that match most of the arguments, best first, as text. */
  readonly nearest: readonly string[];

  /** Builds the message from the call and the rows that came closest. */
  constructor(call: string, nearest: readonly string[]) {
    super(
      `Cannot dispatch ${call} as no overload takes these arguments: ` +
        (nearest.length === 0 ? "the set is empty" : `the nearest are ${nearest.join(", ")}`),
    );
    this.name = "NoOverloadError";
    this.nearest = nearest;
  }
}

/** Two rows of an overload set fit equally well. `rows` names both. */
export class AmbiguousOverloadError extends TypeError {
  /** The two rows, as text. */
  readonly rows: readonly [string, string];

  /** `where` says what could not be done: a row could not be added, or a call not be dispatched. */
  constructor(where: string, rows: readonly [string, string], cure: string) {
    super(`Cannot ${where} as ${rows[0]} and ${rows[1]} fit equally well: ${cure}`);
    this.name = "AmbiguousOverloadError";
    this.rows = rows;
  }
}

/**
 * Conditions on one argument of an overload.
 *
 * @module
 */

import { describeValue, nameOr } from "../base/show.ts";

/** A kind of stages as the dispatcher sees it: it matches the strings that start with `kind/`. */
export interface KindLike {
  /** The name before the slash. */
  readonly kind: string;
}

/** A value that matches only itself. */
export type Literal = string | number | boolean | bigint | symbol | null | undefined;

/** A class: matches its instances (for `Number`, `String` and the like the primitives too). */
// deno-lint-ignore no-explicit-any -- the only spelling that accepts constructors of every signature
export type Class = abstract new (...args: any) => unknown;

/** A predicate: matches what it answers `true` for. Must be pure. */
export type Guard = (x: unknown) => x is unknown;

/** Kind, literal (a stage is one), class or guard. A string `"kind/*"` stands for the kind of that name. */
export type Matcher =
  | KindLike
  | Literal
  | Class
  | BigIntConstructor
  | SymbolConstructor
  | ((x: unknown) => x is unknown);

/** The type a matcher lets through. */
export type Match<M> = M extends
  { readonly kind: infer K extends string; readonly types?: { readonly stages: infer S } }
  ? `${K}/${keyof S & string}`
  : M extends KindLike ? `${M["kind"]}/${string}`
  : M extends NumberConstructor ? number
  : M extends StringConstructor ? string
  : M extends BooleanConstructor ? boolean
  : M extends BigIntConstructor ? bigint
  : M extends SymbolConstructor ? symbol
  // deno-lint-ignore no-explicit-any -- as in Class
  : M extends abstract new (...args: any) => infer T ? T
  : M extends (x: unknown) => x is infer T ? T
  : M;

/** The argument tuple that a list of matchers lets through. */
export type MatchAll<Ms extends readonly Matcher[]> = { -readonly [i in keyof Ms]: Match<Ms[i]> };

/** Matches everything; the least specific matcher there is. */
export const any: (x: unknown) => x is unknown = (_x): _x is unknown => true;

/** A question that only the value itself answers: a predicate, or a class that decides for itself what it has. */
export interface GuardTest {
  /** Which of the tests it is. */
  readonly type: "guard";
  /** Returns whether the value passes. */
  readonly guard: Guard;
  /** Its name. */
  readonly label: string;
  /** The class with a `Symbol.hasInstance` of its own that was given instead of a predicate. */
  readonly cls?: Class;
}

/** A matcher in the form the dispatcher works with. */
export type Test =
  | { readonly type: "literal"; readonly value: Literal }
  | GuardTest
  | { readonly type: "kind"; readonly kind: string }
  | { readonly type: "class"; readonly cls: Class }
  | { readonly type: "any" };

/** Class → the `typeof` of the primitives that it stands for, too. */
export const PRIMITIVES: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [Number, "number"],
  [String, "string"],
  [Boolean, "boolean"],
  [BigInt, "bigint"],
  [Symbol, "symbol"],
]);

/** Reads a matcher as the user wrote it. Throws a TypeError that names the `action` if it is not a matcher. */
export function readMatcher(matcher: unknown, action: string): Test {
  if (matcher === any) return { type: "any" };
  if (typeof matcher === "string" && matcher.endsWith("/*")) {
    return { type: "kind", kind: matcher.slice(0, -2) };
  }
  if (typeof matcher === "function") return readFunction(matcher);
  if (typeof matcher !== "object" || matcher === null) {
    return { type: "literal", value: matcher as Literal };
  }
  const kind = (matcher as Partial<KindLike>).kind;
  if (typeof kind === "string") return { type: "kind", kind };
  throw new TypeError(
    `Cannot ${action} as a matcher must be a kind, a literal, a class or a guard: ` +
      `current value is ${describeValue(matcher)}`,
  );
}

// A class (a built-in one too) has a read-only `prototype`; a function has a writable one or none.
function readFunction(f: object): Test {
  if (Object.getOwnPropertyDescriptor(f, "prototype")?.writable !== false) {
    return { type: "guard", guard: f as Guard, label: nameOr(f, "guard") };
  }
  const cls = f as Class;
  if (cls[Symbol.hasInstance] === Function.prototype[Symbol.hasInstance]) {
    return { type: "class", cls };
  }
  const guard: Guard = (x): x is unknown => x instanceof cls;
  return { type: "guard", guard, label: nameOr(cls, "class"), cls };
}

/** Returns whether the value passes the test. */
export function passes(test: Test, x: unknown): boolean {
  switch (test.type) {
    case "any":
      return true;
    case "literal":
      return sameValueZero(test.value, x);
    case "kind":
      return typeof x === "string" && isStageOfKind(x, test.kind);
    case "guard":
      return test.guard(x);
    case "class":
      return isInstance(test.cls, x);
  }
}

function isStageOfKind(stage: string, kind: string): boolean {
  return stage.length > kind.length && stage.charCodeAt(kind.length) === 47 /* "/" */ &&
    stage.startsWith(kind);
}

function isInstance(cls: Class, x: unknown): boolean {
  const primitive = PRIMITIVES.get(cls);
  if (primitive !== undefined && typeof x === primitive) return true;
  if ((cls as unknown) === Object) {
    return (typeof x === "object" && x !== null) || typeof x === "function";
  }
  return x instanceof cls;
}

/** Equal, and NaN equal to itself. */
export function sameValueZero(a: unknown, b: unknown): boolean {
  return a === b || (a !== a && b !== b);
}

/** The test as a person would write it. */
export function describeTest(test: Test): string {
  switch (test.type) {
    case "any":
      return "any";
    case "literal":
      return describeValue(test.value);
    case "kind":
      return `${test.kind}/*`;
    case "guard":
      return test.label;
    case "class":
      return nameOr(test.cls, "class");
  }
}

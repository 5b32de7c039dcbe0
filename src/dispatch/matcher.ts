/**
 * Matchers: conditions on one argument of an overload.
 *
 * @module
 */

import { describeValue, nameOr } from "../base/show.ts";

/** A kind of stages as a matcher. It matches strings that start with `kind/`. */
export interface KindLike {
  /** Name of the kind: the text before the slash. */
  readonly kind: string;
}

/** A value that matches only itself. */
export type Literal = string | number | boolean | bigint | symbol | null | undefined;

/**
 * A class. It matches its instances; `Number`, `String`, `Boolean`, `BigInt` and `Symbol` match
 * primitives, too.
 */
// deno-lint-ignore no-explicit-any -- the only spelling that accepts constructors of every signature
export type Class = abstract new (...args: any) => unknown;

/** A type predicate. It matches the values for which it returns `true`, and must not have side effects. */
export type Guard = (x: unknown) => x is unknown;

/** A kind, a literal (such as a stage), a class or a guard. The string `"kind/*"` stands for the kind named `kind`. */
export type Matcher =
  | KindLike
  | Literal
  | Class
  | BigIntConstructor
  | SymbolConstructor
  | ((x: unknown) => x is unknown);

/** Type of the values that a matcher accepts. */
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

/** Tuple of the arguments that a list of matchers accepts. */
export type MatchAll<Ms extends readonly Matcher[]> = { -readonly [i in keyof Ms]: Match<Ms[i]> };

/** Matches every value. It is the least specific matcher. */
export const any: (x: unknown) => x is unknown = (_x): _x is unknown => true;

/** A test that calls user code: a predicate, or a class that overrides `Symbol.hasInstance`. */
export interface GuardTest {
  /** Discriminant of {@linkcode Test}. */
  readonly type: "guard";
  /** Returns whether a value passes the test. */
  readonly guard: Guard;
  /** Name for error messages. */
  readonly label: string;
  /** The class that overrides `Symbol.hasInstance`; `undefined` for a predicate. */
  readonly cls?: Class;
}

/** A parsed matcher. */
export type Test =
  | { readonly type: "literal"; readonly value: Literal }
  | GuardTest
  | { readonly type: "kind"; readonly kind: string }
  | { readonly type: "class"; readonly cls: Class }
  | { readonly type: "any" };

/** Classes of primitives, each with the result of `typeof` for its primitives. */
const PRIMITIVES: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [Number, "number"],
  [String, "string"],
  [Boolean, "boolean"],
  [BigInt, "bigint"],
  [Symbol, "symbol"],
]);

/**
 * Parses a matcher.
 *
 * @throws {TypeError} if the value is not a matcher; the message begins with `action`
 */
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
    `Cannot ${action}: a matcher must be a kind, a literal, a class or a guard; ` +
      `got ${describeValue(matcher)}`,
  );
}

// Classes, including built-in ones, have a read-only `prototype`. The `prototype` of a function is writable or does
// not exist.
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

/** Returns whether a value passes a test. */
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

/** Returns whether two values are equal; NaN equals NaN. */
function sameValueZero(a: unknown, b: unknown): boolean {
  return a === b || (a !== a && b !== b);
}

/** Formats a test as the matcher that the user wrote, such as `Dog` or `"wasm"`. */
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

/**
 * Relation between two tests `a` and `b`, by the values that they match: `same`, `narrower` (`a` matches fewer
 * values, so it is more specific), `wider` (`a` matches more), `disjoint`, or `unknown`, as between two guards.
 */
export type Relation = "same" | "narrower" | "wider" | "disjoint" | "unknown";

/**
 * Compares two tests. A guard counts as narrower than a class or a kind, and as wider than a literal that it accepts.
 * The relation of a class that overrides `Symbol.hasInstance` to other classes and kinds is unknown.
 */
export function relate(a: Test, b: Test): Relation {
  if (isSameTest(a, b)) return "same";
  if (a.type === "any") return "wider";
  if (b.type === "any") return "narrower";
  if (a.type === "literal") return passes(b, a.value) ? "narrower" : "disjoint";
  if (b.type === "literal") return passes(a, b.value) ? "wider" : "disjoint";
  if (a.type === "guard") {
    return b.type === "guard" || a.cls !== undefined ? "unknown" : "narrower";
  }
  if (b.type === "guard") return b.cls === undefined ? "wider" : "unknown";
  if (a.type === "class" && b.type === "class") {
    if (isSubclass(a.cls, b.cls)) return "narrower";
    return isSubclass(b.cls, a.cls) ? "wider" : "disjoint";
  }
  if (a.type === "kind" && b.type === "class") {
    return (b.cls as unknown) === String ? "narrower" : "disjoint";
  }
  if (a.type === "class" && b.type === "kind") {
    return (a.cls as unknown) === String ? "wider" : "disjoint";
  }
  return "disjoint"; // two kinds with different names
}

function isSameTest(a: Test, b: Test): boolean {
  if (a.type === "literal" && b.type === "literal") return sameValueZero(a.value, b.value);
  if (a.type === "guard" && b.type === "guard") {
    return a.guard === b.guard || (a.cls !== undefined && a.cls === b.cls);
  }
  if (a.type === "kind" && b.type === "kind") return a.kind === b.kind;
  if (a.type === "class" && b.type === "class") return a.cls === b.cls;
  return a.type === "any" && b.type === "any";
}

function isSubclass(a: Class, b: Class): boolean {
  if ((b as unknown) === Object) return !PRIMITIVES.has(a);
  return a.prototype instanceof b;
}
